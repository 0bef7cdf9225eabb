//! A run in a process of its own, so that nothing that an engine does can end it unnoticed.
//!
//! A panic is caught where it happens. An abort, an overflow of the stack or a hang takes its process with it, and with
//! that the name of the stream. So the walk runs in a child process ([`work`]), which says now and then what it has
//! come to, in order. Where the child dies, or says nothing for too long, a second one goes on from what was said, on
//! one thread, and announces each stream before the engines get it: the last one announced is the least at fault. A
//! third visits what comes before that one, for the account. So the counterexample, and the statement about it, depend
//! on neither the time of death nor the number of threads.

use super::search::{Limits, Place, Settings, explore_within, place_of, plan};
use super::statement::Counterexample;
use super::{Counts, Cursor, ExploreError, Scope, Statement};
use crate::engine::Engine;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Write};
use std::num::NonZero;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a child says what it has come to.
const TICK: Duration = Duration::from_millis(250);

/// How many pieces a second child visits in search of the stream at fault: more than several processors begin between
/// two ticks, and about a minute's work.
const SEARCHED: usize = 4096;

/// What a child is to do. It reads this from its standard input, in JSON.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Job {
    scope: String,
    n: u8,
    engine: String,
    settings: Settings,
    #[serde(default)]
    most: Option<usize>,
    #[serde(default)]
    stop: Option<Place>,
    #[serde(default)]
    announces: bool,
}

/// What a child says, one JSON value per line.
#[derive(Deserialize, Serialize)]
enum Message {
    SoFar(Box<Statement>),
    At(Place),
    Done(Box<Statement>),
    Refused(String),
    Miscounted { predicted: u64, visited: u64 },
}

/// Why there is no statement.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The scope cannot be explored.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// There is no child process, or no talking to it.
    #[error("the child process: {0}")]
    Child(#[from] io::Error),
    /// A child refused its job.
    #[error("the child process: {0}")]
    Refused(String),
    /// A child died or hung, but the next one came through the same streams.
    #[error("{0}, but not when it was tried again: no stream is to blame")]
    Lost(String),
}

/// Explores as [`explore`](super::explore) does, in child processes that `child` describes and that have to call
/// [`work`]. What is silent for longer than `patience` counts as a hang.
///
/// # Errors
///
/// As [`explore`](super::explore), and where children cannot be started, or die without a stream to blame.
pub fn watch(
    counts: &Counts,
    engine: &dyn Engine,
    settings: &Settings,
    patience: Duration,
    child: &dyn Fn() -> Command,
    mut so_far: impl FnMut(&Statement),
) -> Result<Statement, WatchError> {
    plan(counts, engine, settings)?;
    let mut job = Job {
        scope: counts.scope().to_string(),
        n: counts.longest(),
        engine: engine.name().to_owned(),
        settings: settings.clone(),
        most: None,
        stop: None,
        announces: false,
    };
    let mut run = |job: &Job| run(job, patience, child, &mut so_far);
    let lost = match run(&job)? {
        End::Done(statement) => return Ok(statement),
        End::Lost(lost) => lost,
    };

    let threads = settings.threads;
    job.settings.threads = NonZero::<usize>::MIN;
    job.settings.so_far = lost.so_far.or(job.settings.so_far);
    (job.most, job.announces) = (Some(SEARCHED), true);
    let (at, why) = match run(&job)? {
        // What the second child found is no worse than what the first one would have.
        End::Done(statement) if statement.is_finished() => {
            return Ok(Statement { threads: threads.get(), ..statement });
        }
        End::Done(_) => return Err(WatchError::Lost(lost.why)),
        End::Lost(Lost { at: Some(at), why, .. }) => (at, why),
        End::Lost(Lost { at: None, why, .. }) => return Err(WatchError::Lost(why)),
    };

    (job.most, job.announces, job.stop) = (None, false, Some(at));
    let mut statement = match run(&job)? {
        End::Done(statement) => statement,
        End::Lost(Lost { why, .. }) => return Err(WatchError::Lost(why)),
    };
    let cursor =
        place_of(counts, settings.part, at).and_then(|(length, rank)| Cursor::new(counts, length, rank));
    let Some(cursor) = cursor else { return Err(WatchError::Lost(why)) };
    let why = format!(
        "{why} while {} and {} were asked about the stream",
        statement.engines[0], statement.engines[1]
    );
    statement.conclude(Counterexample::at(&cursor, why), at);
    statement.threads = threads.get();
    so_far(&statement);
    Ok(statement)
}

/// How a child ended.
enum End {
    Done(Statement),
    Lost(Lost),
}

/// A child that did not come to its end.
struct Lost {
    why: String,
    /// What it had come to.
    so_far: Option<Statement>,
    /// The last stream that it announced.
    at: Option<Place>,
}

fn run(
    job: &Job,
    patience: Duration,
    child: &dyn Fn() -> Command,
    so_far: &mut impl FnMut(&Statement),
) -> Result<End, WatchError> {
    let mut child = child().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let ended = talk(&mut child, job, patience, so_far);
    // Whatever went wrong, no child is left behind.
    if ended.is_err() || matches!(ended, Ok(Talk::Silent(_))) {
        let _ = child.kill();
    }
    let status = child.wait()?;
    Ok(match ended? {
        Talk::Done(statement) => End::Done(statement),
        Talk::Silent(lost) => End::Lost(lost),
        Talk::Broken(lost) => End::Lost(Lost { why: death(status), ..lost }),
    })
}

/// How the talk with a child ended.
enum Talk {
    Done(Statement),
    Silent(Lost),
    Broken(Lost),
}

fn talk(
    child: &mut Child,
    job: &Job,
    patience: Duration,
    so_far: &mut impl FnMut(&Statement),
) -> Result<Talk, WatchError> {
    let missing = || io::Error::other("it has no standard input or output");
    let (mut input, output) = child.stdin.take().zip(child.stdout.take()).ok_or_else(missing)?;
    let mut text = serde_json::to_vec(job).map_err(io::Error::from)?;
    text.push(b'\n');
    // One that is dead already will show.
    let _ = input.write_all(&text);
    drop(input);
    let (lines, messages) = mpsc::channel();
    // Ends when the child does.
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if line.and_then(|line| lines.send(line).map_err(io::Error::other)).is_err() {
                break;
            }
        }
    });
    let why = format!("there was no answer for {} seconds", patience.as_secs());
    let mut lost = Lost { why, so_far: None, at: None };
    loop {
        let line = match messages.recv_timeout(patience) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Ok(Talk::Silent(lost)),
            Err(RecvTimeoutError::Disconnected) => return Ok(Talk::Broken(lost)),
        };
        match serde_json::from_str(&line).map_err(io::Error::from)? {
            Message::SoFar(statement) => {
                so_far(&statement);
                lost.so_far = Some(*statement);
            }
            Message::At(place) => lost.at = Some(place),
            Message::Done(statement) => return Ok(Talk::Done(*statement)),
            Message::Refused(why) => return Err(WatchError::Refused(why)),
            Message::Miscounted { predicted, visited } => {
                return Err(ExploreError::Miscounted { predicted, visited }.into());
            }
        }
    }
}

/// The child's part: reads a [`Job`], does it, and says what it has come to, a line at a time.
///
/// # Errors
///
/// Where the input is no job. What is wrong with the job itself is said to the parent.
pub fn work<'e>(
    mut input: impl BufRead,
    say: &(dyn Fn(&str) + Sync),
    engine: impl FnOnce(&str) -> Result<Box<dyn Engine + 'e>, String>,
) -> io::Result<()> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let Job { scope, n, engine: name, settings, most, stop, announces } = serde_json::from_str(&line)?;
    let say = |message: &Message| match serde_json::to_string(message) {
        Ok(line) => say(&line),
        Err(error) => say(&error.to_string()),
    };
    let announce = |place: Place| {
        if announces {
            say(&Message::At(place));
        }
    };
    let limits = Limits { most, stop, announce: Some(&announce) };
    let explored = || -> Result<_, String> {
        let engine = engine(&name)?;
        let (scope, _) = Scope::parse(&scope).map_err(|error| error.to_string())?;
        let counts = Counts::new(scope, n).map_err(|error| error.to_string())?;
        let mut last: Option<Instant> = None;
        Ok(explore_within(&counts, &*engine, &settings, &limits, |so_far| {
            if last.is_none_or(|last| last.elapsed() >= TICK) {
                last = Some(Instant::now());
                say(&Message::SoFar(Box::new(so_far.clone())));
            }
        }))
    };
    say(&match explored() {
        Ok(Ok(statement)) => Message::Done(Box::new(statement)),
        Ok(Err(ExploreError::Miscounted { predicted, visited })) => {
            Message::Miscounted { predicted, visited }
        }
        Ok(Err(error)) => Message::Refused(error.to_string()),
        Err(why) => Message::Refused(why),
    });
    Ok(())
}

/// How a process died, in words that do not depend on the system's settings.
fn death(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            4 => " (illegal instruction)",
            6 => " (abort)",
            9 => " (kill)",
            11 => " (invalid memory)",
            _ => "",
        };
        return format!("the process died of signal {signal}{name}");
    }
    format!("the process ended early, {status}")
}
