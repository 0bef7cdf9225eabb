//! What a run has shown, as data and as a sentence.
//!
//! A statement of a part is a statement too: it says which ranks of each length it is about. So it serves as the
//! checkpoint of a run that may be interrupted, and those of all shards add up to one about the whole.

use super::action::Kind;
use super::alphabet::Slice;
use super::examine::{Questions, Tally};
use super::property::Property;
use super::search::Place;
use super::{Counts, Cursor, ExploreError, Scope};
use crate::invariants::INVARIANTS;
use asr_spec::{READINGS, Requirement, Step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a run has shown.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The scope: a slice, perhaps with bounds.
    pub scope: String,
    /// What the slice is about.
    pub title: String,
    /// The greatest number of lines.
    pub n: u8,
    /// The engines that were compared, the oracle first.
    pub engines: [String; 2],
    /// Which questions each stream got.
    pub queries: Questions,
    /// How many streams were drawn, where they were drawn and not enumerated; then they are not said by ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
    /// How many streams of each length there are, and which of them this is about.
    pub lengths: Vec<Length>,
    /// How many streams it should be, counted beforehand.
    pub predicted: u64,
    /// How many it was.
    pub visited: u64,
    /// How many questions both engines answered, heads and validation included.
    pub questions: u64,
    /// Streams on which the engines differ. The first one ends the run.
    pub divergences: u64,
    /// Streams on which an engine breaks an invariant. The first one ends the run. Means nothing where none were
    /// examined.
    pub invariants_broken: u64,
    /// Whether the invariants of single engines were examined on the second one.
    pub invariants_examined: bool,
    /// On how many streams each invariant applied and held.
    pub invariants: BTreeMap<String, u64>,
    /// Streams that are not as a property has it. The first one ends the run.
    #[serde(default)]
    pub properties_broken: u64,
    /// On how many streams the condition of each property held.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, u64>,
    /// Whether it was counted on how many streams each reading matters.
    #[serde(default)]
    pub readings_examined: bool,
    /// On how many streams another answer to each open question changes a path or a view.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub readings: BTreeMap<String, u64>,
    /// What the slice promises to reach and the run did not.
    pub unreached: Vec<String>,
    /// How often the oracle took each step, on all streams.
    pub steps: BTreeMap<String, u64>,
    /// How often each requirement was found broken, warnings included.
    pub requirements: BTreeMap<String, u64>,
    /// How many streams end in each kind of line.
    pub kinds: BTreeMap<String, u64>,
    /// The least stream on which the engines differ: the shortest, and of those the one of the lowest rank.
    pub counterexample: Option<Counterexample>,
    /// How long it took, without what was done before a resumption of a run or by other shards at the same time.
    pub seconds: f64,
    /// On how many threads.
    pub threads: usize,
}

/// The streams of one length.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// How many lines they have.
    pub n: u8,
    /// How many of them there are.
    pub streams: u64,
    /// The rank of the first that this is about.
    pub from: u64,
    /// The rank after the last.
    pub to: u64,
    /// How many of them were visited, in order.
    pub visited: u64,
}

/// How streams were drawn, uniformly from all of the scope.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// How many.
    pub streams: u64,
    /// What the draws follow from.
    pub seed: u64,
    /// From how many, in decimal, since they may be very many.
    pub of: String,
}

/// A stream on which engines differ.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Counterexample {
    /// Scope, length and rank; `--replay` prints it.
    pub id: String,
    /// How many lines it has.
    pub n: u8,
    /// Its rank among the streams of that length, in decimal, since it may be large.
    pub rank: String,
    /// The lines.
    pub stream: Vec<String>,
    /// On what they differ, and what each of them says.
    pub verdict: String,
}

impl Counterexample {
    /// The stream on which a cursor stands.
    pub(crate) fn at(cursor: &Cursor<'_>, verdict: String) -> Self {
        let lines = cursor.bytes().split(|&byte| byte == b'\n').take(cursor.length().into());
        let (n, rank) = (cursor.length(), cursor.rank().to_string());
        Self {
            id: format!("{}:{n}:{rank}", cursor.scope()),
            n,
            rank,
            stream: lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
            verdict,
        }
    }

    /// The stream, byte for byte.
    pub fn bytes(&self) -> Vec<u8> {
        self.stream.iter().flat_map(|line| line.bytes().chain([b'\n'])).collect()
    }
}

impl Statement {
    /// Nothing yet, about these lengths.
    pub(crate) fn new(counts: &Counts, engine: &str, queries: Questions, lengths: Vec<Length>) -> Self {
        let slice = counts.scope().slice();
        let mut statement = Self {
            scope: counts.scope().to_string(),
            title: slice.title.to_owned(),
            n: counts.longest(),
            engines: ["oracle".to_owned(), engine.to_owned()],
            queries,
            drawn: None,
            predicted: lengths.iter().map(|length| length.to - length.from).sum(),
            lengths,
            visited: 0,
            questions: 0,
            divergences: 0,
            invariants_broken: 0,
            invariants_examined: false,
            invariants: BTreeMap::new(),
            properties_broken: 0,
            properties: BTreeMap::new(),
            readings_examined: false,
            readings: BTreeMap::new(),
            unreached: Vec::new(),
            steps: Step::ALL.iter().map(|step| (step.label().to_owned(), 0)).collect(),
            requirements: BTreeMap::new(),
            kinds: BTreeMap::new(),
            counterexample: None,
            seconds: 0.0,
            threads: 0,
        };
        statement.note_unreached(slice);
        statement
    }

    /// Whether it is about every stream of the scope.
    pub fn is_about_all(&self) -> bool {
        let is_all = |length: &Length| length.from == 0 && length.to == length.streams;
        self.drawn.is_none() && self.lengths.iter().all(is_all) && self.visited == self.predicted
    }

    pub(crate) fn add(&mut self, tally: &Tally, slice: &Slice) {
        let Tally { visited, questions, steps, broken, kinds, held } = tally;
        self.visited += visited;
        self.questions += questions;
        let steps = Step::ALL.into_iter().map(|step| (step.label(), steps.of(step)));
        add(&mut self.steps, steps);
        add(&mut self.requirements, Requirement::ALL.iter().map(|r| r.id()).zip(broken.iter().copied()));
        add(&mut self.kinds, Kind::ALL.iter().map(|kind| kind.label()).zip(kinds.iter().copied()));
        add(&mut self.invariants, INVARIANTS.iter().map(|invariant| invariant.id).zip(held.iter().copied()));
        self.note_unreached(slice);
    }

    /// On how many more streams the condition of each property held, and each reading mattered.
    pub(crate) fn add_watched(&mut self, properties: &[Property], held: &[u64], mattered: &[u64]) {
        for (property, held) in properties.iter().zip(held) {
            *self.properties.entry(property.to_string()).or_default() += held;
        }
        add(&mut self.readings, READINGS.iter().map(|reading| reading.label).zip(mattered.iter().copied()));
    }

    /// What should be so sometimes and was never.
    pub fn unmet(&self) -> impl Iterator<Item = &str> {
        let is_unmet = |(name, held): &(&String, &u64)| **held == 0 && name.starts_with("sometimes ");
        self.properties.iter().filter(is_unmet).map(|(name, _)| name.as_str())
    }

    /// Joins the statements of all shares into one about the whole.
    ///
    /// # Errors
    ///
    /// Where they are not about the same scope, or where ranks are missing or there twice.
    pub fn merge(mut parts: Vec<Self>) -> Result<Self, ExploreError> {
        let refuse = |why: &str| ExploreError::Merge { why: why.to_owned() };
        // Of short streams a share may have none, so the places among the longest tell the order.
        parts.sort_by_key(|part| part.lengths.iter().map(|length| (length.from, length.to)).next_back());
        let mut parts = parts.into_iter();
        let mut whole = parts.next().ok_or_else(|| refuse("there are none"))?;
        let mut is_finished = whole.is_finished();
        for part in parts {
            is_finished &= part.is_finished();
            whole.join(part)?;
        }
        let is_all = |length: &Length| length.from == 0 && length.to == length.streams;
        if !is_finished || !whole.lengths.iter().all(is_all) {
            return Err(refuse("streams are missing"));
        }
        whole.note_unreached(Scope::parse(&whole.scope)?.0.slice());
        Ok(whole)
    }

    fn join(&mut self, part: Self) -> Result<(), ExploreError> {
        let Self {
            scope,
            title: _,
            n,
            engines,
            queries,
            drawn,
            lengths,
            predicted,
            visited,
            questions,
            divergences,
            invariants_broken,
            invariants_examined,
            invariants,
            properties_broken,
            properties,
            readings_examined,
            readings,
            unreached: _,
            steps,
            requirements,
            kinds,
            counterexample,
            seconds,
            threads,
        } = part;
        let examined = (invariants_examined, readings_examined);
        let is_same = (&scope, n, &engines, queries, examined)
            == (
                &self.scope,
                self.n,
                &self.engines,
                self.queries,
                (self.invariants_examined, self.readings_examined),
            )
            && properties.keys().eq(self.properties.keys());
        if !is_same || drawn.is_some() || self.drawn.is_some() || lengths.len() != self.lengths.len() {
            let why = "they are not about shares of one scope, with the same engines and questions";
            return Err(ExploreError::Merge { why: why.to_owned() });
        }
        for (mine, its) in self.lengths.iter_mut().zip(lengths) {
            if (its.n, its.streams, its.from) != (mine.n, mine.streams, mine.to) {
                let why = format!("after rank {} of length {} comes {}", mine.to, mine.n, its.from);
                return Err(ExploreError::Merge { why });
            }
            mine.to = its.to;
            mine.visited += its.visited;
        }
        self.predicted += predicted;
        self.visited += visited;
        self.questions += questions;
        self.divergences += divergences;
        self.invariants_broken += invariants_broken;
        self.properties_broken += properties_broken;
        for (held, more) in self.properties.values_mut().zip(properties.values()) {
            *held += more;
        }
        for (mine, its) in [
            (&mut self.steps, steps),
            (&mut self.requirements, requirements),
            (&mut self.kinds, kinds),
            (&mut self.invariants, invariants),
            (&mut self.readings, readings),
        ] {
            add(mine, its.iter().map(|(label, count)| (label.as_str(), *count)));
        }
        let found = self.counterexample.take().into_iter().chain(counterexample);
        self.counterexample =
            found.min_by_key(|found| (found.n, found.rank.parse::<u128>().unwrap_or(u128::MAX)));
        self.seconds += seconds;
        self.threads = self.threads.max(threads);
        Ok(())
    }

    /// Whether both are about the same streams, engines and questions.
    pub(crate) fn is_of_the_same_run(&self, other: &Self) -> bool {
        let what = |it: &Self| {
            let lengths: Vec<_> = it.lengths.iter().map(|l| (l.n, l.streams, l.from, l.to)).collect();
            (
                it.scope.clone(),
                it.n,
                it.engines.clone(),
                it.queries,
                (
                    it.invariants_examined,
                    it.readings_examined,
                    it.properties.keys().cloned().collect::<Vec<_>>(),
                ),
                it.drawn.clone(),
                lengths,
            )
        };
        what(self) == what(other)
    }

    /// Ends the run with a stream that no engine came back from, which comes after what was visited.
    pub(crate) fn conclude(&mut self, found: Counterexample, at: Place) {
        self.visited += 1;
        if let Some(length) = self.lengths.iter_mut().find(|length| Some(length.n) == at.length) {
            length.visited += 1;
        }
        self.divergences += 1;
        self.counterexample = Some(found);
    }

    /// Whether there is nothing left to do.
    pub fn is_finished(&self) -> bool {
        self.visited == self.predicted || self.counterexample.is_some()
    }

    fn note_unreached(&mut self, slice: &Slice) {
        let never =
            |counts: &BTreeMap<String, u64>, label: &str| counts.get(label).is_none_or(|&count| count == 0);
        let steps = slice.steps.iter().map(|step| step.label()).filter(|label| never(&self.steps, label));
        let requirements = slice.requirements.iter().map(|requirement| requirement.id());
        let requirements = requirements.filter(|label| never(&self.requirements, label));
        self.unreached = steps.chain(requirements).map(str::to_owned).collect();
    }
}

fn add<'a>(counts: &mut BTreeMap<String, u64>, more: impl Iterator<Item = (&'a str, u64)>) {
    for (label, count) in more.filter(|(_, count)| *count > 0) {
        match counts.get_mut(label) {
            Some(sum) => *sum += count,
            None => {
                counts.insert(label.to_owned(), count);
            }
        }
    }
}

/// The sentence to quote.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scope, title, n, engines: [left, right], .. } = self;
        let count = Grouped(self.visited);
        if let Some(found) = &self.counterexample {
            if self.properties_broken > 0 {
                return write!(f, "{}, stream {count} of scope {scope}, {}.", found.id, found.verdict);
            }
            let what = if self.divergences > 0 { "differ on" } else { "do not both keep the invariants on" };
            return write!(f, "{left} and {right} {what} {}, stream {count} of scope {scope}.", found.id);
        }
        match (&self.drawn, self.is_about_all()) {
            (Some(Drawn { of, .. }), _) => write!(f, "{count} streams drawn from the {of}")?,
            (None, true) => write!(f, "All {count} streams")?,
            (None, false) => write!(f, "{count} streams, a part,")?,
        }
        write!(f, " of scope {scope} ({title}) with at most {n} lines: 0 divergences of {left} and {right}")?;
        write!(f, " on {} questions, ", Grouped(self.questions))?;
        if self.invariants_examined {
            write!(f, "0 broken invariants of {right}, ")?;
        }
        match &*self.unreached {
            [] => write!(f, "every promised step and requirement reached.")?,
            unreached => write!(f, "not reached: {}.", unreached.join(", "))?,
        }
        self.unmet().try_for_each(|property| write!(f, " Never seen: {property}."))
    }
}

/// A number with thin groups of three digits.
struct Grouped(u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (digit, left) in digits.chars().zip((0..digits.len()).rev()) {
            write!(f, "{digit}{}", if left > 0 && left % 3 == 0 { " " } else { "" })?;
        }
        Ok(())
    }
}
