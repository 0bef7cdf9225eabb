//! Input files: which they are, their bytes, and the streams that they hold or are converted to.
//!
//! One mechanism for all verbs: a list of inputs in a fixed order, worked on by all cores, each with one place in the
//! output. An input that cannot be used keeps its place and stops nobody.

use crate::Status;
use crate::output::{Out, Queue};
use crate::progress::Progress;
use asr_registry::{Agent, Conversion, ConvertError};
use serde_json::json;
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

/// The files of a command, `-` for standard input.
#[derive(clap::Args)]
pub(crate) struct Files {
    /// Files to read; `-` is standard input, a directory is all `*.jsonl` files below it, and a pattern such as
    /// `'sessions/**/*.jsonl'` is all that it matches
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,

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
    #[error("cannot convert: no known agent writes such a file; name one with --from")]
    Undetected,
}

impl Reason {
    pub(crate) fn of(self, name: impl Into<String>) -> InputError {
        InputError { name: name.into(), reason: self }
    }
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

impl Files {
    /// Hands every input to `judge`, on all cores, and puts out what it writes in the order of the inputs. One that
    /// cannot be used is reported and does not stop the others; where output is JSON, it has a line there as well, so
    /// that lines match inputs.
    pub(crate) fn for_each(
        &self,
        in_json: bool,
        judge: impl Fn(Input, &mut Out<'_>, &Progress) -> Judged + Sync,
    ) -> io::Result<Status> {
        let paths = self.paths();
        let inputs = paths.len();
        let progress = match &*paths {
            [Ok(path)] => Progress::start(path.display().to_string()),
            _ => Progress::start(format!("{inputs} files")),
        };
        let queue = Queue::new(inputs, &progress);
        // Pieces of one input among many do not show.
        let hidden = Progress::hidden();
        let shown = if inputs > 1 { &hidden } else { &progress };
        let paths = Mutex::new((0..).zip(paths));
        let take = || paths.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((number, path)) = take()
                && let Some(mut out) = queue.place(number)
            {
                let name = match &path {
                    Ok(path) => path.display().to_string(),
                    Err(error) => error.name.clone(),
                };
                let judged = catch_unwind(AssertUnwindSafe(|| {
                    match path.and_then(|path| self.input(number, &path, &mut out)) {
                        Ok(input) => judge(input, &mut out, shown),
                        Err(error) => Ok(Err(error)),
                    }
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
                    // What cannot be written ends the queue, which tells why.
                    Ok(Err(_)) => Status::Unusable,
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

    /// The one input, where there is one, and where it is a file that can be read again and again.
    pub(crate) fn single(&self) -> Result<(&Path, Format), &'static str> {
        match &*self.files {
            [path] if path == Path::new(STDIN) => Err("expected a file: standard input cannot be read again"),
            [path] if path.is_dir() => Err("expected one file, found a directory"),
            [path] => Ok((path, self.from)),
            _ => Err("expected one file, found several"),
        }
    }

    /// The paths of all inputs: as given, those of directories and patterns sorted by name, component by component.
    fn paths(&self) -> Vec<Result<PathBuf, InputError>> {
        let mut paths = Vec::new();
        let mut is_consumed = false;
        for path in &self.files {
            let text = path.to_string_lossy();
            if text == STDIN {
                let is_first = !std::mem::replace(&mut is_consumed, true);
                paths.push(if is_first {
                    Ok(path.clone())
                } else {
                    Err(Reason::Consumed.of("standard input"))
                });
            } else if path.is_dir() {
                let sessions = below(path);
                if sessions.is_empty() {
                    paths.push(Err(Reason::Empty.of(text)));
                }
                paths.extend(sessions);
            } else if text.contains(['*', '?', '[']) && fs::symlink_metadata(path).is_err() {
                matching(&text, &mut paths);
            } else {
                paths.push(Ok(path.clone()));
            }
        }
        paths
    }

    fn input(&self, number: usize, path: &Path, out: &mut Out<'_>) -> Result<Input, InputError> {
        let (name, bytes) = read(path)?;
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
        let conversion = convert(agent, path, &name, &bytes, |note| out.say(note))?;
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

/// Adds what a pattern matches that the shell has left alone, each file once.
fn matching(pattern: &str, paths: &mut Vec<Result<PathBuf, InputError>>) {
    let matches = match glob::glob(pattern) {
        Ok(matches) => matches,
        Err(error) => return paths.push(Err(Reason::Pattern(error).of(pattern))),
    };
    let mut found = Vec::new();
    for path in matches {
        match path {
            Ok(path) if path.is_dir() => {
                let (sessions, errors): (Vec<_>, Vec<_>) = below(&path).into_iter().partition(Result::is_ok);
                found.extend(sessions.into_iter().flatten());
                paths.extend(errors);
            }
            Ok(path) => found.push(path),
            Err(error) => {
                let name = error.path().display().to_string();
                paths.push(Err(Reason::Io(error.into()).of(name)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        // There may be a file that looks like a pattern; that there is none, its reader says.
        found.push(pattern.into());
    }
    paths.extend(found.into_iter().map(Ok));
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
