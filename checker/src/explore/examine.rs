//! One stream: do both engines agree on it, and what did it reach?
//!
//! The oracle is asked with a trace, so that every hit of a step is counted, on every stream. What differs is asked
//! again with [`compare`], which words the verdict; here only speed matters.

use super::action::Kind;
use super::rank::Cursor;
use crate::compare::{Heads, compare};
use crate::engine::{Engine, Oracle};
use crate::invariants::{Examination, Holding, INVARIANTS};
use crate::verdict::Verdict;
use asr_spec::{Finding, Head, Query, Report, Requirement, StepCounts, What};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Which questions a stream gets.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Questions {
    /// Those whose answer the last line can change. Appending a line changes no answer from an explicit head, unless
    /// it supersedes, is a tool call or a session_info, or is referred to already (I-23); a shorter stream of the
    /// scope got the others. That takes for granted that both engines keep I-23.
    New,
    /// All, on every stream.
    Every,
}

/// What a number of streams came to.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub visited: u64,
    pub questions: u64,
    pub steps: StepCounts,
    /// Streams that break each requirement, or probably do.
    pub broken: [u64; Requirement::ALL.len()],
    /// Streams that end in each kind of line.
    pub kinds: [u64; Kind::ALL.len()],
    /// Streams on which each invariant applied and held, in their order.
    pub held: Vec<u64>,
}

/// What is wrong on a stream.
pub(crate) enum Fault {
    /// The engines differ, or one crashed.
    Divergence(Verdict),
    /// The engine breaks an invariant: which, and how.
    Invariant(String),
}

impl Default for Tally {
    fn default() -> Self {
        let steps = StepCounts::default();
        let (broken, kinds) = ([0; Requirement::ALL.len()], [0; Kind::ALL.len()]);
        Self { visited: 0, questions: 0, steps, broken, kinds, held: vec![0; INVARIANTS.len()] }
    }
}

/// Asks the oracle and another engine about one stream after the other.
pub(crate) struct Examiner<'e> {
    engine: &'e dyn Engine,
    questions: Questions,
    invariants: bool,
    /// Path and view from each record, by line.
    of_lines: Vec<[Query; 2]>,
    of_primary: [Query; 2],
    /// From START and from an id that no record bears.
    of_none: [Query; 4],
    pub tally: Tally,
}

impl<'e> Examiner<'e> {
    pub(crate) fn new(engine: &'e dyn Engine, questions: Questions, invariants: bool, longest: u8) -> Self {
        let of = |head: Head| [What::Path, What::View].map(|what| Query { what, head: head.clone() });
        let ([a, b], [c, d]) = (of(Head::Start), of(Head::Ref("(no record bears this id)".to_owned())));
        Self {
            engine,
            questions,
            invariants,
            of_lines: (1..=longest).map(|line| of(Head::Ref(format!("r{line}")))).collect(),
            of_primary: of(Head::Primary),
            of_none: [a, b, c, d],
            tally: Tally::default(),
        }
    }

    /// Counts the stream, and says what is wrong on it, if anything is.
    pub(crate) fn examine(&mut self, cursor: &Cursor<'_>) -> Option<Fault> {
        self.tally.visited += 1;
        if let Some(last) = cursor.state().lines().next_back()
            && let Some(count) = self.tally.kinds.get_mut(last.kind() as usize)
        {
            *count += 1;
        }
        if matches!(catch_unwind(AssertUnwindSafe(|| self.agree(cursor))), Ok(true)) {
            return self.broken_invariant(cursor.bytes()).map(Fault::Invariant);
        }
        Some(Fault::Divergence(
            match compare([&Oracle, self.engine], cursor.bytes(), Heads::Every, |_, _| ()) {
                Verdict::Agree { .. } => {
                    let message = "answered otherwise when asked again".to_owned();
                    Verdict::Crashed { engine: self.engine.name(), query: None, message }
                }
                verdict => verdict,
            },
        ))
    }

    fn broken_invariant(&mut self, stream: &[u8]) -> Option<String> {
        if !self.invariants {
            return None;
        }
        let engine = self.engine;
        let examination = Examination::new(engine, stream);
        INVARIANTS.iter().zip(&mut self.tally.held).find_map(|(invariant, held)| {
            let name = engine.name();
            match catch_unwind(AssertUnwindSafe(|| examination.check(invariant))) {
                Ok(Holding::NotApplicable) => None,
                Ok(Holding::Held) => {
                    *held += 1;
                    None
                }
                Ok(Holding::Broken(breach)) => Some(format!(
                    "{name} breaks {}: {}\n  {}\n  expected  {}\n  found     {}\n  on\n{}",
                    invariant.id,
                    invariant.sentence,
                    breach.question,
                    breach.expected,
                    breach.found,
                    String::from_utf8_lossy(&breach.edited)
                )),
                Err(_) => Some(format!("{name} panicked while {} was examined", invariant.id)),
            }
        })
    }

    fn agree(&mut self, cursor: &Cursor<'_>) -> bool {
        let Self { engine, questions, of_lines, of_primary, of_none, tally, invariants: _ } = self;
        let Tally { steps, broken, questions: asked, .. } = tally;
        let stream = cursor.bytes();
        let oracle = asr_oracle::Stream::read(stream, steps);
        let Ok(other) = engine.read(stream) else { return false };

        let report = oracle.validate();
        for Finding { requirement, .. } in report.violations.iter().chain(&report.warnings) {
            // Once for each finding; a requirement broken twice in a stream counts twice.
            if let Some(count) = broken.get_mut(*requirement as usize) {
                *count += 1;
            }
        }
        *asked += 2;
        if oracle.heads(steps) != other.heads() || !is_alike(&report, &other.validate()) {
            return false;
        }

        let slice = cursor.scope().slice();
        let is_stable = |line: &super::Action| line.is_append_stable() && !slice.has_forward_refs;
        let asks_new_only = *questions == Questions::New
            && cursor.length() > 1
            && cursor.state().lines().next_back().is_some_and(is_stable);
        let length = usize::from(cursor.length());
        let from = if asks_new_only { length - 1 } else { 0 };
        let lines = of_lines.get(from..length).unwrap_or_default().iter().flatten();
        let none = of_none.iter().filter(|_| !asks_new_only);
        of_primary.iter().chain(lines).chain(none).all(|query| {
            *asked += 1;
            oracle.answer(query, steps) == other.answer(query)
        })
    }
}

/// Two validators may word a finding differently.
fn is_alike(a: &Report, b: &Report) -> bool {
    let is_alike = |a: &[Finding], b: &[Finding]| a.iter().map(Finding::key).eq(b.iter().map(Finding::key));
    is_alike(&a.violations, &b.violations) && is_alike(&a.warnings, &b.warnings)
}
