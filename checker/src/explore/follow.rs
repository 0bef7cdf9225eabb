//! The incremental core as an engine: a session that follows the walk.
//!
//! Each thread keeps a session. To read a stream it takes back what the stream before had more, and appends what it had
//! less: in a walk that goes depth first, a line or two. So a scope shows not only what the session answers, but that
//! lines come and go without leaving anything behind.

use crate::engine::{Engine, Session};
use asr_core::TooLarge;
use asr_spec::{Heads, Leaf, Outcome, Query, Report, What};
use std::cell::{Cell, RefCell};
use std::thread;

/// [`asr_core::Session`], which keeps what consecutive streams share.
#[derive(Clone, Copy, Debug)]
pub struct Following;

thread_local! {
    static KEPT: Cell<Kept> = Cell::default();
}

#[derive(Default)]
struct Kept {
    lines: Vec<Vec<u8>>,
    session: asr_core::Session,
}

impl Kept {
    fn go_to(&mut self, stream: &[u8]) -> Result<(), TooLarge> {
        // What follows the last line feed is a line unless it is empty.
        let stream = stream.strip_suffix(b"\n").unwrap_or(stream);
        let lines = || stream.split(|&byte| byte == b'\n').filter(|_| !stream.is_empty());
        let shared = self.lines.iter().zip(lines()).take_while(|(mine, its)| mine == its).count();
        for _ in self.lines.drain(shared..) {
            self.session.pop();
        }
        for line in lines().skip(shared) {
            self.session.append(line)?;
            self.lines.push(line.to_vec());
        }
        self.session.stream().map(drop)
    }
}

impl Engine for Following {
    fn name(&self) -> &'static str {
        "session"
    }

    fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
        let mut kept = KEPT.take();
        kept.go_to(stream).map_err(|error| error.to_string())?;
        Ok(Box::new(Lent { kept: RefCell::new(kept) }))
    }
}

/// What a thread keeps, until the questions about one stream are answered.
struct Lent {
    kept: RefCell<Kept>,
}

impl Lent {
    fn ask<T>(&self, question: impl FnOnce(&asr_core::Stream<'_>) -> T) -> T {
        let kept = &mut *self.kept.borrow_mut();
        #[expect(clippy::expect_used, reason = "the session was asked for its stream since the last line")]
        question(kept.session.stream().expect("a stream that was read"))
    }
}

impl Session for Lent {
    fn answer(&self, query: &Query) -> Outcome {
        self.ask(|stream| stream.answer(query))
    }

    fn heads(&self) -> Heads {
        self.ask(|stream| stream.heads())
    }

    fn leaves(&self, what: What) -> Box<dyn Iterator<Item = Leaf> + '_> {
        let all: Vec<_> = self.ask(|stream| Session::leaves(stream, what).collect());
        Box::new(all.into_iter())
    }

    fn ids(&self) -> Vec<String> {
        self.ask(|stream| stream.ids().map(|id| id.into_owned()).collect())
    }

    fn validate(&self) -> Report {
        self.ask(|stream| stream.validate())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // After a panic nobody knows what is left of it.
        if !thread::panicking() {
            KEPT.set(self.kept.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Heads, Oracle, compare};

    #[test]
    fn lines_come_and_go_in_any_order_without_a_trace() {
        let m = |k: u8| format!("{{\"type\":\"message\",\"seq\":{k},\"id\":\"r{k}\"}}\n");
        let rewind = "{\"type\":\"rewind\",\"seq\":2,\"id\":\"r2\",\"to\":null,\"reason\":\"other\"}\n";
        let rewrite = concat!(
            "{\"type\":\"message\",\"seq\":3,\"id\":\"r3\",\"supersedes\":\"r1\",\"assembly\":{\"mode\":\"rewrite\"},",
            "\"branchesFrom\":{\"record\":\"r2\"}}\n"
        );
        let (one, two, three) = (m(1), m(2), m(3));
        let streams = [
            String::new(),
            [&*one, &two, &three].concat(),
            [&*one, rewind, &three].concat(),
            [&*one, &two, rewrite].concat(),
            one.clone(),
            "\n".to_owned() + &two,
            "{\n{".to_owned(),
            [&*two, &one].concat(),
            String::new(),
        ];
        for stream in streams {
            let verdict = compare([&Oracle, &Following], stream.as_bytes(), Heads::Every, |_, _| ());
            assert!(verdict.is_agreement(), "{stream}{verdict}");
        }
    }
}
