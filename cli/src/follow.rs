//! `--follow`: a view that stays up to date while a harness writes.
//!
//! A line counts once its line feed is there: until then nobody knows whether its writer is done, and half a record
//! would be a malformed line, which is a gap in the view that vanishes again. So at the end of a file that nobody writes
//! any more, a last line without a line feed is not shown here, though it is without `--follow`.
//!
//! The file is looked at ten times a second. Notifications of the operating system would save these looks, but each
//! platform has its own, network and container file systems send none, and a harness that replaces its file needs the
//! look all the same.

use crate::Status;
use crate::describe::say;
use crate::input::{Files, Format, Origin, convert, hint, stream};
use crate::output::{Stdout, stdout};
use crate::show::Title;
use asr_core::{Session, Stream, TooLarge};
use asr_registry::Agent;
use asr_spec::{Outcome, Query};
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a change may stay unnoticed: too short for a person to see, and long beside the microseconds of a look.
const INTERVAL: Duration = Duration::from_millis(100);

/// So many bytes before the end of what was read must still be there when the file grows, or it was written anew.
const REMEMBERED: usize = 256;

/// Ctrl-C was pressed.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Shows the outcome of a query now and whenever it changes, until Ctrl-C or until nobody reads it.
pub(crate) fn follow(files: &Files, query: &Query, in_json: bool) -> io::Result<Status> {
    let (path, format) = match files.single() {
        Ok(file) => file,
        Err(other) => {
            say(&format!("error: cannot follow: expected one file, found {other}"));
            return Ok(Status::Unusable);
        }
    };
    let name = path.display().to_string();
    if let Err(error) = ctrlc::set_handler(|| IS_OVER.store(true, Ordering::Relaxed)) {
        // Then Ctrl-C ends the process as the system has it.
        say(&format!("note: {error}"));
    }
    let mut tail = Tail::new(path);
    let mut source = Source::new(format, path);
    let mut screen = Screen::new(name.clone(), in_json);
    while !IS_OVER.load(Ordering::Relaxed) && !screen.is_gone() {
        let news = match tail.look() {
            Ok(news) => news,
            Err(error) => {
                say(&format!("error: {name}: cannot read: {error}"));
                return Ok(Status::Unusable);
            }
        };
        let lines = match news {
            News::None => {
                wait();
                continue;
            }
            News::Missing(why) => {
                screen.say(&format!("note: {name}: {why}: waiting for it"));
                continue;
            }
            News::Afresh(why, lines) => {
                if let Some(why) = why {
                    screen.say(&format!("note: {name}: {why}: reading it from its beginning"));
                }
                source = Source::new(format, path);
                lines
            }
            News::More(lines) => lines,
        };
        match source.take(&lines, &mut screen) {
            Ok(Some(stream)) => {
                let outcome = stream.answer(query);
                screen.show(Title { name: &name, query, credit: "" }, stream, outcome)?;
            }
            Ok(None) => {}
            Err(error) => {
                say(&format!("error: {name}: {error}"));
                return Ok(Status::Unusable);
            }
        }
    }
    Ok(Status::Fine)
}

/// Waits for a while, for Ctrl-C, or until nobody reads the standard output any more.
fn wait() {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let out = io::stdout();
        // Errors and a reader that is gone come unasked.
        let mut waiting = [PollFd::new(&out, PollFlags::empty())];
        let interval = Timespec { tv_sec: 0, tv_nsec: INTERVAL.as_nanos() as _ };
        match poll(&mut waiting, Some(&interval)) {
            Ok(0) => {}
            Ok(_) => IS_OVER.store(true, Ordering::Relaxed),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => std::thread::sleep(INTERVAL),
        }
    }
    #[cfg(not(unix))]
    std::thread::sleep(INTERVAL);
}

/// A file of which lines are awaited.
struct Tail {
    path: PathBuf,
    /// The file while it is there. As long as it is open, no other has its identity.
    file: Option<File>,
    /// How far it was read.
    offset: u64,
    /// The last bytes before that.
    last: Vec<u8>,
    /// When it was changed, as of the last look.
    changed: Option<std::time::SystemTime>,
    /// What was read of a line whose line feed is not there yet.
    begun: Vec<u8>,
    is_missing: bool,
    /// Whether the file is another than the last one.
    was_lost: bool,
}

/// What happened to the file since the last look. Lines are complete, each with its line feed.
enum News {
    None,
    /// It is not there, which is only told once.
    Missing(&'static str),
    /// These are its first lines; and why, if there were others before.
    Afresh(Option<&'static str>, Vec<u8>),
    /// These lines came.
    More(Vec<u8>),
}

impl Tail {
    fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            offset: 0,
            last: Vec::new(),
            changed: None,
            begun: Vec::new(),
            is_missing: false,
            was_lost: false,
        }
    }

    fn look(&mut self) -> io::Result<News> {
        let found = match fs::metadata(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(self.miss()),
            Err(error) => return Err(error),
        };
        self.is_missing = false;
        let mut why = None;
        if let Some(file) = &self.file {
            if identity(&file.metadata()?) != identity(&found) {
                why = Some("another file took its place");
            } else if found.len() < self.offset {
                why = Some("it was cut short");
            } else if found.len() == self.offset && found.modified().ok() == self.changed {
                return Ok(News::None);
            } else if !self.is_as_it_was()? {
                why = Some("it was written anew");
            }
        }
        let is_first = self.file.is_none();
        if why.is_some() || is_first {
            let was_lost = self.was_lost;
            *self = Self::new(&self.path);
            self.file = match File::open(&self.path) {
                Ok(file) => Some(file),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(self.miss()),
                Err(error) => return Err(error),
            };
            why = why.or(was_lost.then_some("it is there again"));
        }
        self.changed = found.modified().ok();
        let lines = self.read()?;
        Ok(match why {
            None if !is_first && lines.is_empty() => News::None,
            None if !is_first => News::More(lines),
            why => News::Afresh(why, lines),
        })
    }

    fn miss(&mut self) -> News {
        let was_there = self.file.take().is_some() || self.was_lost;
        if std::mem::replace(&mut self.is_missing, true) {
            return News::None;
        }
        self.was_lost = was_there;
        News::Missing(if was_there { "it is gone" } else { "there is no such file yet" })
    }

    /// Whether the end of what was read is where it was.
    fn is_as_it_was(&self) -> io::Result<bool> {
        let Some(mut file) = self.file.as_ref() else { return Ok(true) };
        let mut found = Vec::with_capacity(self.last.len());
        file.seek(SeekFrom::Start(self.offset - self.last.len() as u64))?;
        file.take(self.last.len() as u64).read_to_end(&mut found)?;
        Ok(found == self.last)
    }

    /// The lines that were completed since the last look.
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let Some(file) = &mut self.file else { return Ok(Vec::new()) };
        file.seek(SeekFrom::Start(self.offset))?;
        let mut lines = std::mem::take(&mut self.begun);
        let before = lines.len();
        file.read_to_end(&mut lines)?;
        let read = lines.get(before..).unwrap_or_default();
        self.offset += read.len() as u64;
        self.last.extend_from_slice(read.get(read.len().saturating_sub(REMEMBERED)..).unwrap_or_default());
        self.last.drain(..self.last.len().saturating_sub(REMEMBERED));
        let end = lines.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        self.begun = lines.split_off(end);
        Ok(lines)
    }
}

/// What tells a file from another at the same path.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> impl PartialEq {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// What tells a file from another at the same path.
#[cfg(not(unix))]
fn identity(metadata: &Metadata) -> impl PartialEq {
    metadata.created().ok()
}

/// What the lines of the file become.
enum Source<'p> {
    /// A stream of records grows by them, in the time it takes to read them.
    Records(Box<Session>),
    /// A native session is converted as a whole after every change, since what comes may say what came before.
    Native { origin: Origin, path: &'p Path, bytes: Vec<u8>, session: Box<Session> },
}

impl<'p> Source<'p> {
    fn new(format: Format, path: &'p Path) -> Self {
        let session = Box::new(Session::new());
        match format {
            Format::Asr => Self::Records(session),
            Format::Native(origin) => Self::Native { origin, path, bytes: Vec::new(), session },
        }
    }

    /// The stream after some more lines; none as long as they make no session that can be converted, which is said.
    fn take(&mut self, lines: &[u8], screen: &mut Screen) -> Result<Option<&Stream<'static>>, TooLarge> {
        let session = match self {
            Self::Records(session) => {
                if session.lines() == 0
                    && let Some(hint) = hint(&screen.name, lines)
                {
                    screen.say(&hint);
                }
                append(session, lines);
                session
            }
            Self::Native { origin, path, bytes, session } => {
                bytes.extend_from_slice(lines);
                let converted = match origin.agent(bytes) {
                    Some(agent) => match records(agent, path, bytes) {
                        Ok(records) => records,
                        Err(message) => {
                            screen.say(&format!("error: {message}"));
                            return Ok(None);
                        }
                    },
                    None => bytes.clone(),
                };
                **session = Session::new();
                append(session, &converted);
                session
            }
        };
        session.stream().map(Some)
    }
}

/// Appends lines, each of which has its line feed.
fn append(session: &mut Session, lines: &[u8]) {
    if let Some(lines) = lines.strip_suffix(b"\n") {
        session.append(lines);
    }
}

/// The records of a native session. Its notes are for those who convert it.
fn records(agent: Agent, path: &Path, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let name = path.display().to_string();
    let conversion = convert(agent, path, &name, bytes, drop).map_err(|error| error.to_string())?;
    stream(&conversion).map_err(|error| error.to_string())
}

/// Where states are shown: one below the other, or on a terminal one in place of the other.
struct Screen {
    /// What the file is called.
    name: String,
    in_json: bool,
    out: BufWriter<Stdout>,
    /// Whether the screen may be cleared: it shows a state, and nothing that was said since.
    is_stale: bool,
    is_terminal: bool,
    shown: Option<Outcome>,
    said: String,
}

impl Screen {
    fn new(name: String, in_json: bool) -> Self {
        let is_terminal = !in_json && io::stdout().is_terminal();
        let out = BufWriter::new(stdout());
        Self { name, in_json, out, is_stale: false, is_terminal, shown: None, said: String::new() }
    }

    fn is_gone(&self) -> bool {
        self.out.get_ref().is_closed()
    }

    /// Says something, but nothing twice in a row.
    fn say(&mut self, message: &str) {
        if self.said != message {
            say(message);
            message.clone_into(&mut self.said);
            self.is_stale = false;
            // What comes now is another beginning, worth showing even if it looks the same.
            self.shown = None;
        }
    }

    /// Shows an outcome, unless it is the one that is shown.
    fn show(&mut self, title: Title<'_>, stream: &Stream<'_>, outcome: Outcome) -> io::Result<()> {
        if self.shown.as_ref() == Some(&outcome) {
            return Ok(());
        }
        if self.in_json {
            writeln!(self.out, "{outcome}")?;
        } else {
            if self.is_terminal && self.is_stale {
                console::Term::stdout().clear_screen()?;
            } else if self.shown.is_some() {
                writeln!(self.out)?;
            }
            if let Err(message) = title.print(stream, &outcome, &mut self.out)? {
                self.out.flush()?;
                say(&message);
            }
        }
        self.out.flush()?;
        self.said.clear();
        (self.shown, self.is_stale) = (Some(outcome), true);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    fn append_to(path: &Path, text: &str) {
        OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// What a look finds, as text.
    fn look(tail: &mut Tail) -> String {
        let text = |lines: Vec<u8>| String::from_utf8(lines).unwrap();
        match tail.look().unwrap() {
            News::None => "nothing".to_owned(),
            News::Missing(why) => why.to_owned(),
            News::Afresh(None, lines) => format!("first {:?}", text(lines)),
            News::Afresh(Some(why), lines) => format!("{why} {:?}", text(lines)),
            News::More(lines) => format!("more {:?}", text(lines)),
        }
    }

    #[test]
    fn a_line_counts_once_its_line_feed_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs::write(&path, "a\nb").unwrap();
        let mut tail = Tail::new(&path);
        assert_eq!(look(&mut tail), "first \"a\\n\"");
        assert_eq!(look(&mut tail), "nothing");
        append_to(&path, "bb");
        assert_eq!(look(&mut tail), "nothing");
        append_to(&path, "b\nc\nd");
        assert_eq!(look(&mut tail), "more \"bbbb\\nc\\n\"");
        append_to(&path, "\n");
        assert_eq!(look(&mut tail), "more \"d\\n\"");
        assert_eq!(look(&mut tail), "nothing");
    }

    #[test]
    fn a_file_that_is_no_longer_the_same_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("session.jsonl"), folder.path().join("other"));
        let mut tail = Tail::new(&path);
        assert_eq!(look(&mut tail), "there is no such file yet");
        assert_eq!(look(&mut tail), "nothing");
        fs::write(&path, "a\nb\nhalf").unwrap();
        assert_eq!(look(&mut tail), "first \"a\\nb\\n\"");

        // Written anew in place: shorter, longer, and as long.
        fs::write(&path, "c\n").unwrap();
        assert_eq!(look(&mut tail), "it was cut short \"c\\n\"");
        fs::write(&path, "d\ne\nf").unwrap();
        assert_eq!(look(&mut tail), "it was written anew \"d\\ne\\n\"");
        fs::write(&path, "g\nh\ni").unwrap();
        let later = std::time::SystemTime::now() + Duration::from_secs(1);
        OpenOptions::new().append(true).open(&path).unwrap().set_modified(later).unwrap();
        assert_eq!(look(&mut tail), "it was written anew \"g\\nh\\n\"");

        // Another file under the name, which begins as the old one did and is longer.
        fs::write(&other, "g\nh\nij\n").unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(look(&mut tail), "another file took its place \"g\\nh\\nij\\n\"");

        fs::remove_file(&path).unwrap();
        assert_eq!(look(&mut tail), "it is gone");
        assert_eq!(look(&mut tail), "nothing");
        fs::write(&path, "").unwrap();
        assert_eq!(look(&mut tail), "it is there again \"\"");
        append_to(&path, "k\n");
        assert_eq!(look(&mut tail), "more \"k\\n\"");
    }

    #[test]
    fn more_than_is_remembered_of_a_file_may_come_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let line = format!("{}\n", "x".repeat(3 * REMEMBERED));
        fs::write(&path, &line).unwrap();
        let mut tail = Tail::new(&path);
        assert_eq!(look(&mut tail), format!("first {line:?}"));
        append_to(&path, &line);
        append_to(&path, &line);
        assert_eq!(look(&mut tail), format!("more {:?}", line.repeat(2)));
        assert!(tail.last.len() == REMEMBERED && tail.begun.is_empty());
    }
}
