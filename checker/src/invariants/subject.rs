//! A stream under examination, and an engine to ask about it and about what becomes of it.

use super::layout::Layout;
use super::lines::Lines;
use crate::compare::{self, queries};
use crate::engine::{Engine, Session};
use asr_spec::{Entry, Head, HeadState, Heads, Name, Outcome, Query, What};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Why an examination stops before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The stream does not meet the condition.
    NotApplicable,
    /// The claim does not hold.
    Broken(Box<Breach>),
}

/// What breaks an invariant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Breach {
    /// The stream that was asked about: the given one, or what an edit made of it.
    pub edited: Vec<u8>,
    /// What was asked.
    pub question: String,
    /// What the invariant requires.
    pub expected: String,
    /// What the engine says.
    pub found: String,
}

/// The outcome of an examination.
pub(super) type Examined = Result<(), Stop>;

/// Whether a condition is met.
pub(super) fn given(condition: bool) -> Examined {
    if condition { Ok(()) } else { Err(Stop::NotApplicable) }
}

/// What there must be for an invariant to apply.
pub(super) trait Given<T> {
    fn given(self) -> Result<T, Stop>;
}

impl<T> Given<T> for Option<T> {
    fn given(self) -> Result<T, Stop> {
        self.ok_or(Stop::NotApplicable)
    }
}

/// A stream that the engine has read. Each question is put once.
pub(super) struct Reading<'s> {
    stream: &'s [u8],
    session: Box<dyn Session + 's>,
    answers: RefCell<BTreeMap<Query, Outcome>>,
}

impl<'s> Reading<'s> {
    pub(super) fn ask(&self, what: What, head: Head) -> Outcome {
        let query = Query { what, head };
        if let Some(answer) = self.answers.borrow().get(&query) {
            return answer.clone();
        }
        let answer = self.session.answer(&query);
        self.answers.borrow_mut().insert(query, answer.clone());
        answer
    }

    /// The path or view of a record, where it is no cycle.
    pub(super) fn entries(&self, what: What, id: &str) -> Result<Vec<Entry>, Stop> {
        match self.ask(what, Head::Ref(id.to_owned())) {
            Outcome::Entries(entries) => Ok(entries),
            Outcome::NoDefaultPath | Outcome::Cycle { .. } => Err(Stop::NotApplicable),
        }
    }

    pub(super) fn path(&self, id: &str) -> Result<Vec<Entry>, Stop> {
        self.entries(What::Path, id)
    }

    pub(super) fn view(&self, id: &str) -> Result<Vec<Entry>, Stop> {
        self.entries(What::View, id)
    }

    pub(super) fn heads(&self) -> Heads {
        self.session.heads()
    }

    pub(super) fn is_valid(&self) -> bool {
        self.session.validate().is_valid()
    }

    /// The name of the default head, where that is a node with a path.
    pub(super) fn default_node(&self) -> Result<String, Stop> {
        let HeadState::Node(Name(Some(id))) = self.heads().default else { return Err(Stop::NotApplicable) };
        self.path(&id)?;
        Ok(id.as_ref().to_owned())
    }

    /// That a question has a certain answer.
    pub(super) fn require(&self, question: impl ToString, expected: &Outcome, found: &Outcome) -> Examined {
        if expected == found {
            return Ok(());
        }
        self.breach(question, expected, found)
    }

    /// That the path or view of a record is as given.
    pub(super) fn require_entries(&self, what: What, id: &str, expected: Vec<Entry>) -> Examined {
        self.require_told(what, id, expected, |entries| entries)
    }

    /// That the path or view of a record is as given, in what `tell` leaves of both.
    pub(super) fn require_told(
        &self,
        what: What,
        id: &str,
        expected: Vec<Entry>,
        tell: impl Fn(Vec<Entry>) -> Vec<Entry>,
    ) -> Examined {
        let head = Head::Ref(id.to_owned());
        let found = told(self.ask(what, head.clone()), &tell);
        self.require(Query { what, head }, &Outcome::Entries(tell(expected)), &found)
    }

    /// That a claim about an answer holds.
    pub(super) fn claim(
        &self,
        holds: bool,
        question: impl ToString,
        expected: impl ToString,
        found: impl ToString,
    ) -> Examined {
        if holds { Ok(()) } else { self.breach(question, expected, found) }
    }

    pub(super) fn breach(
        &self,
        question: impl ToString,
        expected: impl ToString,
        found: impl ToString,
    ) -> Examined {
        Err(Stop::Broken(Box::new(Breach {
            edited: self.stream.to_owned(),
            question: question.to_string(),
            expected: expected.to_string(),
            found: found.to_string(),
        })))
    }
}

/// An outcome after its entries were changed.
pub(super) fn told(outcome: Outcome, tell: impl Fn(Vec<Entry>) -> Vec<Entry>) -> Outcome {
    match outcome {
        Outcome::Entries(entries) => Outcome::Entries(tell(entries)),
        other @ (Outcome::NoDefaultPath | Outcome::Cycle { .. }) => other,
    }
}

/// Which answers an edit must leave alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Unchanged {
    /// Those of every record, the primary head, START, and of an id that nobody bears; and the heads
    /// themselves.
    All,
    /// Those of every record.
    Records,
}

/// A stream, read by the engine under test and laid out.
pub(super) struct Subject<'s> {
    engine: &'s dyn Engine,
    pub base: Reading<'s>,
    pub layout: Layout,
    fresh: String,
    seed: u64,
    choices: Cell<u64>,
}

impl<'s> Subject<'s> {
    /// `None` where the stream cannot be edited faithfully or the engine does not read it.
    pub(super) fn new(engine: &'s dyn Engine, stream: &'s [u8]) -> Option<Self> {
        let layout = Layout::of(Lines::read(stream)?);
        let base = read(engine, stream)?;
        let mut fresh = "fresh".to_owned();
        while stream.windows(fresh.len()).any(|window| window == fresh.as_bytes()) {
            fresh.push('+');
        }
        let seed = stream.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Some(Self { engine, base, layout, fresh, seed, choices: Cell::new(seed) })
    }

    /// Lets the choices that follow depend on the stream and on `what` only.
    pub(super) fn choose_for(&self, what: &str) {
        let salt = what.bytes().fold(self.seed, |hash, byte| hash.rotate_left(7) ^ u64::from(byte));
        self.choices.set(salt);
    }

    /// One of the elements, if there are any.
    pub(super) fn pick<T: Copy>(&self, of: &[T]) -> Result<T, Stop> {
        let state =
            self.choices.get().wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.choices.set(state);
        let at = usize::try_from(state >> 33).unwrap_or(0).checked_rem(of.len());
        at.and_then(|at| of.get(at).copied()).given()
    }

    /// The lines, to be edited.
    pub(super) fn lines(&self) -> Lines {
        self.layout.lines.clone()
    }

    /// An id that nobody bears and nothing refers to, one for each number.
    pub(super) fn fresh(&self, number: u32) -> String {
        format!("{}{number}", self.fresh)
    }

    /// A plain message.
    pub(super) fn message(&self, number: u32) -> Value {
        json!({"type": "message", "id": self.fresh(number)})
    }

    /// A compaction with some more members.
    pub(super) fn compaction(&self, number: u32, replaces: Value, more: Value) -> Value {
        let id = self.fresh(number);
        let mut record = json!({"type": "compaction", "id": id, "compactionId": id, "kind": "summary"});
        if let Some(members) = record.as_object_mut() {
            members.insert("replaces".to_owned(), replaces);
        }
        if let (Value::Object(members), Value::Object(more)) = (&mut record, more) {
            members.extend(more);
        }
        record
    }

    /// The stream with some records appended.
    pub(super) fn with(&self, records: impl IntoIterator<Item = Value>) -> Result<Vec<u8>, Stop> {
        let mut lines = self.lines();
        for record in records {
            lines.append(record).given()?;
        }
        Ok(lines.bytes())
    }

    /// Another stream, read by the engine under test.
    pub(super) fn read<'e>(&self, edited: &'e [u8]) -> Result<Reading<'e>, Stop>
    where
        's: 'e,
    {
        read(self.engine, edited).given()
    }

    /// That the answers to old questions are the same for `after`, in what `tell` leaves of both.
    pub(super) fn require_same(
        &self,
        after: &Reading<'_>,
        which: Unchanged,
        tell: impl Fn(Vec<Entry>) -> Vec<Entry>,
    ) -> Examined {
        let ids = self.base.session.ids();
        if which == Unchanged::All {
            let (before, now) = (self.base.heads(), after.heads());
            after.claim(before == now, "heads", format!("{before:?}"), format!("{now:?}"))?;
        }
        for query in queries(&ids, compare::Heads::Every) {
            if which == Unchanged::Records && !matches!(&query.head, Head::Ref(id) if ids.contains(id)) {
                continue;
            }
            let expected = told(self.base.ask(query.what, query.head.clone()), &tell);
            let found = told(after.ask(query.what, query.head.clone()), &tell);
            after.require(&query, &expected, &found)?;
        }
        Ok(())
    }

    /// That an edit changes nothing, in what `tell` leaves.
    pub(super) fn require_no_change(
        &self,
        edited: &[u8],
        which: Unchanged,
        tell: impl Fn(Vec<Entry>) -> Vec<Entry>,
    ) -> Examined {
        self.require_same(&self.read(edited)?, which, tell)
    }
}

fn read<'e>(engine: &'e dyn Engine, stream: &'e [u8]) -> Option<Reading<'e>> {
    let session = engine.read(stream).ok()?;
    Some(Reading { stream, session, answers: RefCell::default() })
}
