//! Listing: which files a command works on, and the work on all of them.
//!
//! One mechanism for all verbs: inputs in a fixed order, worked on by all cores, each with one place in the output. An
//! input that cannot be used keeps its place and stops nobody.

use crate::Status;
use crate::input::{InputError, Reason, STDIN};
use crate::output::{Out, Queue, stdout};
use crate::progress::Progress;
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use walkdir::WalkDir;

/// What session files are called, of whatever format.
pub(crate) const EXTENSION: &str = "jsonl";

/// What a command is to read.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    /// Files to read; `-` is standard input, a directory is all `*.jsonl` files below it, and a pattern such as
    /// `'sessions/**/*.jsonl'` is all that it matches
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
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
        let inputs = self.list();
        let count = inputs.len();
        let progress = match &*inputs {
            [Ok(listed)] => Progress::start(listed.path.display().to_string()),
            _ => Progress::start(format!("{count} files")),
        };
        let queue = Queue::new(count, stdout(), &progress);
        // Pieces of one input among many do not show.
        let hidden = Progress::hidden();
        let shown = if count > 1 { &hidden } else { &progress };
        let inputs = Mutex::new((0..).zip(inputs));
        let take = || inputs.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((number, input)) = take()
                && let Some(mut out) = queue.place(number)
            {
                let name = match &input {
                    Ok(listed) => listed.path.display().to_string(),
                    Err(error) => error.name.clone(),
                };
                let judged = catch_unwind(AssertUnwindSafe(|| match input {
                    Ok(listed) => judge(listed, &mut out, shown),
                    Err(error) => Ok(Err(error)),
                }));
                let (status, error, message) = match judged {
                    Ok(Ok(Ok(status))) => {
                        out.end(status);
                        continue;
                    }
                    Ok(Ok(Err(error))) => (Status::Unusable, "unusable", error.reason.to_string()),
                    Ok(Err(error)) => return queue.fail(error),
                    // What the panic says is on standard error already.
                    Err(_) => (Status::Internal, "internal", "internal error".to_owned()),
                };
                out.say(format!("error: {name}: {message}"));
                if in_json {
                    out.put_error(error, &name, &message);
                }
                out.end(status);
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
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

    /// All inputs, in the order in which they were given; those of directories and patterns sorted by path, component by
    /// component.
    fn list(&self) -> Vec<Result<Listed, InputError>> {
        let (mut inputs, mut relatives, mut numbers) = (Vec::new(), HashSet::new(), 0..);
        let mut is_consumed = false;
        for given in &self.files {
            let text = given.to_string_lossy();
            // What of a path is relative to this, is its place among the others.
            let mut base = given.parent().map(Path::to_owned).unwrap_or_default();
            let paths = if text == STDIN {
                let is_first = !std::mem::replace(&mut is_consumed, true);
                vec![is_first.then(|| given.clone()).ok_or_else(|| Reason::Consumed.of("standard input"))]
            } else if given.is_dir() {
                base.clone_from(given);
                let sessions = below(given);
                if sessions.is_empty() { vec![Err(Reason::Empty.of(text))] } else { sessions }
            } else if is_pattern(given) && fs::symlink_metadata(given).is_err() {
                base = given.iter().take_while(|part| !is_pattern(Path::new(part))).collect();
                matching(&text)
            } else {
                vec![Ok(given.clone())]
            };
            inputs.extend(paths.into_iter().map(|path| {
                let (number, path) = (numbers.next().unwrap_or_default(), path?);
                let relative = path.strip_prefix(&base).unwrap_or(&path).to_owned();
                let is_repeated = !relatives.insert(relative.clone());
                Ok(Listed { number, path, relative, is_repeated })
            }));
        }
        inputs
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

fn is_session(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}
