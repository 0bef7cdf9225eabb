//! One stream: do both engines agree on it, and what did it reach?
//!
//! The oracle is asked with a trace, so that every hit of a step is counted, on every stream. What differs is asked
//! again with [`compare`], which words the verdict; here only speed matters.

use super::action::{Action, Kind, bit};
use super::follow::{Follower, Lines, Rereading};
use super::property::Property;
use super::rank::Cursor;
use super::state::Reach;
use crate::compare::{Heads, compare, compare_sessions};
use crate::engine::{Engine, Oracle};
use crate::invariants::{Examination, Holding, INVARIANTS};
use crate::verdict::Verdict;
use asr_spec::{Entry, Finding, Head, Name, Outcome, Query, Report, Requirement, StepCounts, What};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Which questions a stream gets.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Questions {
    /// Those whose answer the last line can change; a shorter stream of the scope got the others. Appending a line
    /// changes no answer from an explicit head, unless it is a tool call or a session_info, or is referred to already
    /// (I-23), or it is a revision of a node through which the path of that head leads. That takes for granted that
    /// both engines keep to this.
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
    /// The stream is not as a property has it: which.
    Property(Property),
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
    /// The lines that both have read.
    actions: Vec<Action>,
    oracle: Lines,
    follower: Box<dyn Follower + 'e>,
    /// By line as a head: the nodes on its path, by the lines of their first records, in the stream without its last
    /// line. Empty while nobody has asked.
    paths: Vec<u16>,
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
            actions: Vec::new(),
            oracle: Lines::of(None),
            follower: engine.follow().unwrap_or_else(|| Box::new(Rereading::new(engine))),
            paths: Vec::new(),
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
        match catch_unwind(AssertUnwindSafe(|| self.agree(cursor))) {
            Ok(true) => self.broken_invariant(cursor.bytes()).map(Fault::Invariant),
            found => Some(Fault::Divergence(self.verdict(cursor.bytes(), found.is_err()))),
        }
    }

    /// What they differ on.
    fn verdict(&mut self, stream: &[u8], has_panicked: bool) -> Verdict {
        let engines = [&Oracle as &dyn Engine, self.engine];
        // First as they have it now, since what came before may be to blame. After a panic nobody knows what is left.
        let oracle = self.oracle.stream(self.actions.len(), &mut ());
        if !has_panicked
            && let Ok(other) = self.follower.read()
            && let verdict = compare_sessions(engines, [&oracle, &*other], Heads::Every, |_, _| ())
            && !verdict.is_agreement()
        {
            return verdict;
        }
        match compare(engines, stream, Heads::Every, |_, _| ()) {
            Verdict::Agree { .. } => {
                let message = "answered otherwise when asked again".to_owned();
                Verdict::Crashed { engine: self.engine.name(), query: None, message }
            }
            verdict => verdict,
        }
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

    /// Appends and takes back what makes the stream before this one.
    fn go_to(&mut self, cursor: &Cursor<'_>) {
        let shared =
            self.actions.iter().zip(cursor.state().lines()).take_while(|(mine, its)| mine == its).count();
        if shared + 1 < usize::from(cursor.length()) {
            self.paths.clear();
        }
        for _ in self.actions.drain(shared..) {
            self.oracle.pop();
            self.follower.pop();
        }
        for (at, &action) in cursor.state().lines().enumerate().skip(shared) {
            self.actions.push(action);
            self.oracle.append(cursor.line(at));
            self.follower.append(cursor.line(at));
        }
    }

    fn agree(&mut self, cursor: &Cursor<'_>) -> bool {
        self.go_to(cursor);
        let asked = self.heads(cursor);
        let Self { oracle, follower, of_lines, of_primary, of_none, tally, .. } = self;
        let Tally { steps, broken, questions, .. } = tally;
        let oracle = oracle.stream(usize::from(cursor.length()), steps);
        let Ok(other) = follower.read() else { return false };

        let report = oracle.validate();
        for Finding { requirement, .. } in report.violations.iter().chain(&report.warnings) {
            // Once for each finding; a requirement broken twice in a stream counts twice.
            if let Some(count) = broken.get_mut(*requirement as usize) {
                *count += 1;
            }
        }
        *questions += 2;
        if oracle.heads(steps) != other.heads() || !is_alike(&report, &other.validate()) {
            return false;
        }

        let lines = (1..=cursor.length()).zip(&*of_lines);
        let lines = lines.filter(|(line, _)| asked.is_none_or(|asked| asked & bit(*line) != 0));
        let none = of_none.iter().filter(|_| asked.is_none());
        of_primary.iter().chain(lines.flat_map(|(_, queries)| queries)).chain(none).all(|query| {
            *questions += 1;
            oracle.answer(query, steps) == other.answer(query)
        })
    }

    /// From which lines as heads there are questions, `None` for all and from elsewhere too.
    fn heads(&mut self, cursor: &Cursor<'_>) -> Option<u16> {
        let own = bit(cursor.length());
        if self.questions == Questions::Every
            || cursor.length() == 1
            || cursor.scope().slice().has_forward_refs
        {
            return None;
        }
        match cursor.state().reach() {
            Reach::Every => None,
            Reach::Own => Some(own),
            Reach::Through(node) => {
                if self.paths.is_empty() {
                    let before = self.oracle.stream(usize::from(cursor.length()) - 1, &mut ());
                    let heads = self.of_lines.iter().take(usize::from(cursor.length()) - 1);
                    self.paths.extend(heads.map(|[path, _]| nodes(&before.answer(path, &mut ()))));
                }
                let heads = (1..).zip(&self.paths).filter(|(_, path)| *path & bit(node) != 0);
                Some(heads.fold(own, |asked, (head, _)| asked | bit(head)))
            }
        }
    }
}

/// The nodes on a path, by the lines of their first records. What is no path may have met any.
fn nodes(path: &Outcome) -> u16 {
    let Outcome::Entries(path) = path else { return u16::MAX };
    path.iter().fold(0, |nodes, entry| match entry {
        Entry::Node { id: Name(Some(id)), .. } => {
            nodes | id.strip_prefix('r').and_then(|line| line.parse().ok()).map_or(u16::MAX, bit)
        }
        _ => nodes,
    })
}

/// Two validators may word a finding differently.
fn is_alike(a: &Report, b: &Report) -> bool {
    let is_alike = |a: &[Finding], b: &[Finding]| a.iter().map(Finding::key).eq(b.iter().map(Finding::key));
    is_alike(&a.violations, &b.violations) && is_alike(&a.warnings, &b.warnings)
}
