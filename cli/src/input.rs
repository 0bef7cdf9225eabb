//! Input files: which they are, their bytes, and the streams that they hold or are converted to.
//!
//! One mechanism for all verbs: a list of inputs in a fixed order, worked on by all cores, each with one place in the
//! output. An input that cannot be used keeps its place and stops nobody.

use crate::Status;
use crate::output::{Out, Queue, stdout};
use crate::progress::Progress;
use asr_registry::{Agent, Conversion, ConvertError};
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::thread;
use walkdir::WalkDir;

/// The path that stands for standard input.
const STDIN: &str = "-";

/// What session files are called, of whatever format.
const EXTENSION: &str = "jsonl";

/// What a command is to read.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    /// Files to read; `-` is standard input, a directory is all `*.jsonl` files below it, and a pattern such as
    /// `'sessions/**/*.jsonl'` is all that it matches
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
}

/// What a command is to read as streams.
#[derive(clap::Args)]
pub(crate) struct Files {
    #[command(flatten)]
    inputs: Inputs,

    /// What the files are: `asr`, `auto` (detect a native session, else take it for ASR), or an agent:
    /// `claude-code`, `pi`
    #[arg(long, value_name = "FORMAT", default_value = "asr")]
    from: Format,
}

/// What an input file is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Format {
    /// A stream of records.
    Asr,
    /// A native session; one that no agent is known to write is a stream of records.
    Native(Origin),
}

/// Who wrote a native session.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Origin {
    /// Whoever it looks like.
    Detected,
    /// This agent.
    Agent(Agent),
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Detected),
            agent => agent.parse().map(Self::Agent).map_err(|_| {
                let agents: Vec<_> = Agent::ALL.iter().map(Agent::to_string).collect();
                format!("expected auto or an agent ({})", agents.join(", "))
            }),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "asr" => Ok(Self::Asr),
            other => other
                .parse()
                .map(Self::Native)
                .map_err(|error: String| error.replacen("expected auto or", "expected asr, auto or", 1)),
        }
    }
}

impl Origin {
    /// The agent that wrote the bytes, if one is known to.
    pub(crate) fn agent(self, bytes: &[u8]) -> Option<Agent> {
        match self {
            Self::Detected => Agent::detect(bytes),
            Self::Agent(agent) => Some(agent),
        }
    }
}

/// An input that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {reason}")]
pub(crate) struct InputError {
    pub name: String,
    pub reason: Reason,
}

/// Why not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Reason {
    #[error("cannot read: {0}")]
    Io(io::Error),
    #[error("cannot read: it is given twice, and the first time took all of it")]
    Consumed,
    #[error("expected *.{EXTENSION} files below this directory, found none")]
    Empty,
    #[error("expected a path or a pattern: {0}")]
    Pattern(glob::PatternError),
    #[error(transparent)]
    Convert(ConvertError),
    #[error("{0}")]
    TooLarge(String),
    #[error("cannot convert: {} is this session itself", .0.display())]
    Itself(PathBuf),
    #[error("cannot convert: {} is for another session that was given", .0.display())]
    Taken(PathBuf),
    #[error("cannot convert: no known agent writes such a file; name one with --from")]
    Undetected,
}

impl Reason {
    pub(crate) fn of(self, name: impl Into<String>) -> InputError {
        InputError { name: name.into(), reason: self }
    }
}

/// An input of which only the place is known.
pub(crate) struct Listed {
    /// Its place among all inputs of the command.
    pub number: usize,
    pub path: PathBuf,
    /// Its path below the directory that was given, or its file name.
    pub relative: PathBuf,
    /// Whether an input before it has the same.
    pub is_repeated: bool,
}

/// An input that was read.
pub(crate) struct Input {
    /// Its place among all inputs of the command.
    pub number: usize,
    /// What messages call it.
    pub name: String,
    /// The stream: the file itself, or what it was converted to.
    pub stream: Vec<u8>,
    /// The conversion, where there was one.
    pub conversion: Option<Conversion>,
}

impl Input {
    /// The stream, as the core reads it.
    pub(crate) fn core(&self) -> Result<asr_core::Stream<'_>, InputError> {
        asr_core::Stream::read(&self.stream)
            .map_err(|error| Reason::TooLarge(error.to_string()).of(&*self.name))
    }
}

/// What a verb makes of an input: its status, unless it cannot be used, or unless nothing more can be written.
pub(crate) type Judged = io::Result<Result<Status, InputError>>;

impl Inputs {
    /// Hands every input to `judge`, on all cores, and puts out what it writes in the order of the inputs. One that
    /// cannot be used is reported and does not stop the others; where output is JSON, it has a line there as well, so
    /// that lines match inputs.
    pub(crate) fn for_each(
        &self,
        in_json: bool,
        judge: impl Fn(Listed, &mut Out<'_>, &Progress) -> Judged + Sync,
    ) -> io::Result<Status> {
        let paths = self.list();
        let inputs = paths.len();
        let progress = match &*paths {
            [Ok((path, _))] => Progress::start(path.display().to_string()),
            _ => Progress::start(format!("{inputs} files")),
        };
        let queue = Queue::new(inputs, stdout(), &progress);
        // Pieces of one input among many do not show.
        let hidden = Progress::hidden();
        let shown = if inputs > 1 { &hidden } else { &progress };
        let mut relatives = HashSet::new();
        let paths = (0..).zip(paths).map(|(number, path)| {
            let listed = path.map(|(path, relative)| {
                let is_repeated = !relatives.insert(relative.clone());
                Listed { number, path, relative, is_repeated }
            });
            (number, listed)
        });
        let paths = Mutex::new(paths);
        let take = || paths.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((number, listed)) = take()
                && let Some(mut out) = queue.place(number)
            {
                let name = match &listed {
                    Ok(listed) => listed.path.display().to_string(),
                    Err(error) => error.name.clone(),
                };
                let judged = catch_unwind(AssertUnwindSafe(|| match listed {
                    Ok(listed) => judge(listed, &mut out, shown),
                    Err(error) => Ok(Err(error)),
                }));
                let status = match judged {
                    Ok(Ok(Ok(status))) => status,
                    Ok(Ok(Err(error))) => {
                        out.say(format!("error: {error}"));
                        if in_json {
                            out.put_error("unusable", &error.name, &error.reason.to_string());
                        }
                        Status::Unusable
                    }
                    Ok(Err(error)) => {
                        queue.fail(error);
                        break;
                    }
                    // The message of the panic is on standard error already.
                    Err(_) => {
                        out.say(format!("error: {name}: internal error"));
                        if in_json {
                            out.put_error("internal", &name, "internal error");
                        }
                        Status::Internal
                    }
                };
                out.end(status);
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(inputs);
        if threads < 2 {
            work();
        } else {
            thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        }
        queue.finish()
    }

    /// The one file to read, if it is one; otherwise what there is instead.
    pub(crate) fn single(&self) -> Result<&Path, &'static str> {
        match &*self.files {
            [path] if path.is_dir() => Err("a directory"),
            [path] if is_pattern(path) && fs::symlink_metadata(path).is_err() => Err("a pattern"),
            [path] => Ok(path),
            _ => Err("several"),
        }
    }

    /// The paths of all inputs, and what of each lies below what was given: in the order in which they were given, those of
    /// directories and patterns sorted by name, component by component.
    fn list(&self) -> Vec<Result<(PathBuf, PathBuf), InputError>> {
        let mut paths = Vec::new();
        let mut is_consumed = false;
        for path in &self.files {
            let text = path.to_string_lossy();
            let named = |path: &Path| (path.to_owned(), path.file_name().unwrap_or_default().into());
            if text == STDIN {
                let is_first = !std::mem::replace(&mut is_consumed, true);
                paths.push(if is_first {
                    Ok(named(path))
                } else {
                    Err(Reason::Consumed.of("standard input"))
                });
            } else if path.is_dir() {
                let sessions = below(path);
                if sessions.is_empty() {
                    paths.push(Err(Reason::Empty.of(text)));
                }
                paths.extend(sessions.into_iter().map(|session| Ok(from(path, session?))));
            } else if is_pattern(path) && fs::symlink_metadata(path).is_err() {
                let literal =
                    path.iter().take_while(|part| !is_pattern(Path::new(part))).collect::<PathBuf>();
                paths.extend(matching(&text).into_iter().map(|session| Ok(from(&literal, session?))));
            } else {
                paths.push(Ok(named(path)));
            }
        }
        paths
    }
}

impl Files {
    /// Hands every input to `judge`, read, as [`Inputs::for_each`] does.
    pub(crate) fn for_each(
        &self,
        in_json: bool,
        judge: impl Fn(Input, &mut Out<'_>, &Progress) -> Judged + Sync,
    ) -> io::Result<Status> {
        self.inputs.for_each(in_json, |listed, out, progress| match self.input(listed, out) {
            Ok(input) => judge(input, out, progress),
            Err(error) => Ok(Err(error)),
        })
    }

    /// The one file, where there is one that can be read again and again, and what it is.
    pub(crate) fn single(&self) -> Result<(&Path, Format), String> {
        match self.inputs.single() {
            Ok(path) if path == Path::new(STDIN) => {
                Err("standard input, which cannot be read again".to_owned())
            }
            Ok(path) => Ok((path, self.from)),
            Err(other) => Err(other.to_owned()),
        }
    }

    fn input(&self, listed: Listed, out: &mut Out<'_>) -> Result<Input, InputError> {
        let Listed { number, path, .. } = listed;
        let (name, bytes) = read(&path)?;
        let agent = match self.from {
            Format::Asr => {
                if let Some(agent) = Agent::detect(&bytes) {
                    out.say(format!(
                        "note: {name} looks like a session of {agent}; for its records give --from {agent}"
                    ));
                }
                None
            }
            Format::Native(origin) => origin.agent(&bytes),
        };
        let Some(agent) = agent else { return Ok(Input { number, name, stream: bytes, conversion: None }) };
        let conversion = convert(agent, &path, &name, &bytes, |note| out.say(note))?;
        let stream = stream(&conversion).map_err(|error| Reason::Io(error).of(&*name))?;
        Ok(Input { number, name, stream, conversion: Some(conversion) })
    }
}

impl Out<'_> {
    /// The line of JSON of an input that has no answer.
    pub(crate) fn put_error(&mut self, error: &str, file: &str, message: &str) {
        // Where this cannot be written, nothing can, which the queue tells.
        let _ = writeln!(self, "{}", json!({"error": error, "file": file, "message": message}));
    }
}

/// The session files below a directory, sorted, and what cannot be looked into. Links are followed, but not round and
/// round.
pub(crate) fn below(directory: &Path) -> Vec<Result<PathBuf, InputError>> {
    let entries = WalkDir::new(directory).follow_links(true).sort_by_file_name();
    let sessions = entries.into_iter().filter_map(|entry| match entry {
        Ok(entry) => (entry.file_type().is_file() && is_session(entry.path())).then(|| Ok(entry.into_path())),
        // What is in a loop is in the list.
        Err(error) if error.loop_ancestor().is_some() => None,
        Err(error) => {
            let path = error.path().unwrap_or(directory);
            let name = path.display().to_string();
            // A link to nowhere that is not called a session is none of ours.
            (is_session(path) || !path.is_symlink()).then(|| Err(Reason::Io(error.into()).of(name)))
        }
    });
    sessions.collect()
}

/// What a pattern matches, sorted, each file once.
fn matching(pattern: &str) -> Vec<Result<PathBuf, InputError>> {
    let matches = match glob::glob(pattern) {
        Ok(matches) => matches,
        Err(error) => return vec![Err(Reason::Pattern(error).of(pattern))],
    };
    let (mut found, mut errors) = (BTreeSet::new(), Vec::new());
    let mut take = |path| match path {
        Ok(path) => drop(found.insert(path)),
        Err(error) => errors.push(Err(error)),
    };
    for path in matches {
        match path {
            Ok(path) if path.is_dir() => below(&path).into_iter().for_each(&mut take),
            Ok(path) => take(Ok(path)),
            Err(error) => {
                let name = error.path().display().to_string();
                take(Err(Reason::Io(error.into()).of(name)));
            }
        }
    }
    if found.is_empty() && errors.is_empty() {
        // There may be a file that looks like a pattern; that there is none, its reader says.
        found.insert(pattern.into());
    }
    errors.extend(found.into_iter().map(Ok));
    errors
}

/// Whether a path has what only patterns have.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// A path, and what of it lies below a directory.
fn from(directory: &Path, path: PathBuf) -> (PathBuf, PathBuf) {
    let relative = path.strip_prefix(directory).unwrap_or(&path).to_owned();
    (path, relative)
}

fn is_session(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// The name and the bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), InputError> {
    let (name, bytes) = if path == Path::new(STDIN) {
        let mut bytes = Vec::new();
        ("standard input".to_owned(), io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path.display().to_string(), fs::read(path))
    };
    match bytes {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => Err(Reason::Io(error).of(name)),
    }
}

/// Converts a native session and says which lines found no proper place.
pub(crate) fn convert(
    agent: Agent,
    path: &Path,
    name: &str,
    bytes: &[u8],
    mut say: impl FnMut(String),
) -> Result<Conversion, InputError> {
    let file_name = path.file_name().map(|name| name.to_string_lossy());
    let conversion = asr_registry::convert(agent, file_name.as_deref(), bytes)
        .map_err(|error| Reason::Convert(error).of(name))?;
    for note in &conversion.notes {
        say(format!("note: {name}: line {}: {}", note.line, note.message));
    }
    Ok(conversion)
}

/// The stream of a conversion.
pub(crate) fn stream(conversion: &Conversion) -> io::Result<Vec<u8>> {
    let mut stream = Vec::new();
    conversion.write_to(&mut stream)?;
    Ok(stream)
}
