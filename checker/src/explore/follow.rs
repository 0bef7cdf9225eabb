//! Engines that follow a walk: of consecutive streams they read only the lines that differ.
//!
//! In a walk that goes depth first, a stream differs from the one before it in a line or two. What an engine makes of
//! this is its own affair: the oracle reads each line once and then builds the whole stream of them, the core's session
//! changes its index and graph, and any other engine reads all bytes. So a scope shows not only what the session
//! answers, but that lines come and go without leaving anything behind.

use crate::engine::{Engine, Session};
use asr_oracle::{Line, Stream, Variant};
use asr_spec::Trace;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// A stream of which lines are appended and taken back.
pub trait Follower {
    /// Adds a line, given without its line feed.
    fn append(&mut self, line: &[u8]);

    /// Takes the last line back.
    fn pop(&mut self);

    /// The stream as it is now.
    fn read(&mut self) -> Result<Box<dyn Session + '_>, String>;
}

/// Follows for an engine that knows only whole streams.
pub(crate) struct Rereading<'e> {
    engine: &'e dyn Engine,
    stream: Vec<u8>,
    /// Where each line begins.
    begins: Vec<usize>,
}

impl<'e> Rereading<'e> {
    pub(crate) fn new(engine: &'e dyn Engine) -> Self {
        Self { engine, stream: Vec::new(), begins: Vec::new() }
    }
}

impl Follower for Rereading<'_> {
    fn append(&mut self, line: &[u8]) {
        self.begins.push(self.stream.len());
        self.stream.extend_from_slice(line);
        self.stream.push(b'\n');
    }

    fn pop(&mut self) {
        self.stream.truncate(self.begins.pop().unwrap_or(0));
    }

    fn read(&mut self) -> Result<Box<dyn Session + '_>, String> {
        self.engine.read(&self.stream)
    }
}

/// How many lines that were read are kept: more than there are different ones in slices that can be exhausted, and
/// some hundred kilobytes.
const KEPT: usize = 1024;

/// The lines of a stream, each read once by the oracle or a variant of it; the stream is built anew each time.
pub(crate) struct Lines {
    variant: Option<&'static Variant>,
    lines: Vec<Line>,
    /// What was read before. An alphabet has few lines, and they come again and again.
    kept: HashMap<Box<[u8]>, Line, FixedState>,
}

impl Lines {
    pub(crate) fn of(variant: Option<&'static Variant>) -> Self {
        Self { variant, lines: Vec::new(), kept: HashMap::default() }
    }

    /// The stream of the first `length` lines.
    pub(crate) fn stream(&self, length: usize, trace: &mut impl Trace) -> Stream {
        let lines = self.lines.get(..length).unwrap_or(&self.lines);
        match self.variant {
            None => Stream::of_lines(lines, trace),
            Some(variant) => Stream::of_lines_as(variant, lines, trace),
        }
    }
}

impl Follower for Lines {
    fn append(&mut self, bytes: &[u8]) {
        // A stream may begin with a byte order mark, which is none of the first line's.
        let mark = "\u{feff}".as_bytes();
        let bytes = if self.lines.is_empty() { bytes.strip_prefix(mark).unwrap_or(bytes) } else { bytes };
        if let Some(line) = self.kept.get(bytes) {
            return self.lines.push(line.clone());
        }
        let line = match self.variant {
            None => Line::read(bytes),
            Some(variant) => Line::read_as(variant, bytes),
        };
        if self.kept.len() == KEPT {
            self.kept.clear();
        }
        self.kept.insert(bytes.into(), line.clone());
        self.lines.push(line);
    }

    fn pop(&mut self) {
        self.lines.pop();
    }

    fn read(&mut self) -> Result<Box<dyn Session + '_>, String> {
        Ok(Box::new(self.stream(self.lines.len(), &mut ())))
    }
}

/// [`asr_core::Session`], which keeps what consecutive streams share.
#[derive(Clone, Copy, Debug)]
pub struct Following;

impl Engine for Following {
    fn name(&self) -> &'static str {
        "session"
    }

    fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
        let mut session = asr_core::Session::new();
        // What follows the last line feed is a line unless it is empty.
        for line in stream.strip_suffix(b"\n").unwrap_or(stream).split(|&byte| byte == b'\n') {
            session.append(line);
        }
        Ok(Box::new(session.into_stream().map_err(|error| error.to_string())?))
    }

    fn follow(&self) -> Option<Box<dyn Follower + '_>> {
        Some(Box::<asr_core::Session>::default())
    }
}

impl Follower for asr_core::Session {
    fn append(&mut self, line: &[u8]) {
        self.append(line);
    }

    fn pop(&mut self) {
        self.pop();
    }

    fn read(&mut self) -> Result<Box<dyn Session + '_>, String> {
        match self.stream() {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare_sessions;
    use crate::{Core, Heads, Oracle, OracleAs};

    #[test]
    fn lines_come_and_go_in_any_order_without_a_trace() {
        let m = |k: u8| format!("{{\"type\":\"message\",\"seq\":{k},\"id\":\"r{k}\"}}");
        let rewind = "{\"type\":\"rewind\",\"seq\":2,\"id\":\"r2\",\"to\":null,\"reason\":\"other\"}";
        let rewrite = concat!(
            "{\"type\":\"message\",\"seq\":3,\"id\":\"r3\",\"supersedes\":\"r1\",\"assembly\":{\"mode\":\"rewrite\"},",
            "\"branchesFrom\":{\"record\":\"r2\"}}"
        );
        let (one, two, three) = (&*m(1), &*m(2), &*m(3));
        let streams: [&[&str]; 9] = [
            &[],
            &[one, two, three],
            &[one, rewind, three],
            &[one, two, rewrite],
            &[one],
            &["", two],
            &["{", "{"],
            &[two, one],
            &[],
        ];
        let blank_lines_count =
            asr_oracle::variants().iter().find(|it| it.name == "IP3-6=malformed").unwrap();
        for engine in [&Following as &dyn Engine, &Oracle, &Core, &OracleAs(blank_lines_count)] {
            let mut follower = engine.follow().unwrap_or_else(|| Box::new(Rereading::new(engine)));
            for lines in streams {
                lines.iter().for_each(|line| follower.append(line.as_bytes()));
                let stream = lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
                {
                    let sessions = [engine.read(stream.as_bytes()).unwrap(), follower.read().unwrap()];
                    let sessions = sessions.each_ref().map(|session| &**session);
                    let verdict = compare_sessions([engine; 2], sessions, Heads::Every, |_, _| ());
                    assert!(verdict.is_agreement(), "{stream}{verdict}");
                }
                lines.iter().for_each(|_| follower.pop());
            }
        }
    }
}
