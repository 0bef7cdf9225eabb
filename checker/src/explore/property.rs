//! What a user expects of the streams of a scope: that something is always so, never, or sometimes.
//!
//! A condition is about one stream and about the oracle alone, which is asked everything once more: so it does not
//! depend on which questions the comparison puts, and costs nothing where no property is stated.

use super::action::Kind;
use super::state::State;
use super::witness::Asked;
use asr_oracle::{Kind as VariantKind, Stream, Variant, variants};
use asr_spec::{Outcome, READINGS, Requirement, Step, StepCounts};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Something that is so of a stream or not.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(into = "String", try_from = "String")]
pub enum Condition {
    /// The oracle takes this step when it reads the stream and answers about it.
    Step(Step),
    /// The stream breaks this requirement, or probably does.
    Requirement(Requirement),
    /// Another answer to this open question changes a path or a view, by its place among [`READINGS`].
    Reading(usize),
    /// A line of this kind is in it.
    Kind(Kind),
    /// Some path or view comes out so.
    Outcome(Form),
}

/// A form of outcome.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// A cycle is reported.
    Cycle,
    /// There is no default path.
    NoDefaultPath,
    /// No entries.
    Empty,
}

impl Form {
    const ALL: [Self; 3] = [Self::Cycle, Self::NoDefaultPath, Self::Empty];

    const fn label(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::NoDefaultPath => "no_default_path",
            Self::Empty => "empty",
        }
    }

    fn is_of(self, outcome: &Outcome) -> bool {
        match (self, outcome) {
            (Self::Cycle, Outcome::Cycle { .. }) | (Self::NoDefaultPath, Outcome::NoDefaultPath) => true,
            (Self::Empty, Outcome::Entries(entries)) => entries.is_empty(),
            (Self::Cycle | Self::NoDefaultPath | Self::Empty, _) => false,
        }
    }
}

/// No such condition.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`{text}` is no condition: expected step=LABEL, requirement=ID, reading=LABEL, kind=KIND, or outcome=cycle, \
     no_default_path or empty"
)]
pub struct UnknownCondition {
    text: String,
}

impl FromStr for Condition {
    type Err = UnknownCondition;

    fn from_str(text: &str) -> Result<Self, UnknownCondition> {
        let find = || match text.split_once('=')? {
            ("step", label) => Step::ALL.into_iter().find(|step| step.label() == label).map(Self::Step),
            ("requirement", id) => {
                Requirement::ALL.into_iter().find(|requirement| requirement.id() == id).map(Self::Requirement)
            }
            ("reading", label) => {
                READINGS.iter().position(|reading| reading.label == label).map(Self::Reading)
            }
            ("kind", label) => Kind::ALL.into_iter().find(|kind| kind.label() == label).map(Self::Kind),
            ("outcome", label) => Form::ALL.into_iter().find(|form| form.label() == label).map(Self::Outcome),
            _ => None,
        };
        find().ok_or_else(|| UnknownCondition { text: text.to_owned() })
    }
}

impl TryFrom<String> for Condition {
    type Error = UnknownCondition;

    fn try_from(text: String) -> Result<Self, UnknownCondition> {
        text.parse()
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.to_string()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(step) => write!(f, "step={}", step.label()),
            Self::Requirement(requirement) => write!(f, "requirement={}", requirement.id()),
            Self::Reading(at) => {
                write!(f, "reading={}", READINGS.get(*at).map_or("", |reading| reading.label))
            }
            Self::Kind(kind) => write!(f, "kind={}", kind.label()),
            Self::Outcome(form) => write!(f, "outcome={}", form.label()),
        }
    }
}

/// What is expected of the streams of a scope.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Property {
    /// Of each. A stream of which it is not so is a counterexample.
    Always(Condition),
    /// Of none. A stream of which it is so is a counterexample: the least one, where that is what one looks for.
    Never(Condition),
    /// Of some. A run that meets none is incomplete.
    Sometimes(Condition),
}

impl Property {
    /// The condition.
    pub fn condition(self) -> Condition {
        match self {
            Self::Always(condition) | Self::Never(condition) | Self::Sometimes(condition) => condition,
        }
    }

    fn is_broken_by(self, holds: bool) -> bool {
        match self {
            Self::Always(_) => !holds,
            Self::Never(_) => holds,
            Self::Sometimes(_) => false,
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Always(_) => "always",
            Self::Never(_) => "never",
            Self::Sometimes(_) => "sometimes",
        };
        write!(f, "{word} {}", self.condition())
    }
}

/// Looks at one stream after the other, and counts.
pub(crate) struct Lookout<'p> {
    properties: &'p [Property],
    readings: bool,
    /// On how many streams the condition of each property held.
    pub held: Vec<u64>,
    /// On how many streams each reading mattered, where that is asked for.
    pub mattered: Vec<u64>,
}

impl<'p> Lookout<'p> {
    pub(crate) fn new(properties: &'p [Property], readings: bool) -> Self {
        let mattered = if readings { vec![0; READINGS.len()] } else { Vec::new() };
        Self { properties, readings, held: vec![0; properties.len()], mattered }
    }

    /// Counts the stream, and gives the first property that it breaks.
    pub(crate) fn look(&mut self, state: &State, stream: &[u8]) -> Option<Property> {
        if self.readings {
            let asked = Asked::new(stream);
            for (at, count) in self.mattered.iter_mut().enumerate() {
                *count += u64::from(others(at).any(|variant| asked.told_apart(variant).is_some()));
            }
        }
        if self.properties.is_empty() {
            return None;
        }
        let seen = Seen::new(stream);
        let mut broken = None;
        for (property, held) in self.properties.iter().zip(&mut self.held) {
            let holds = seen.is(property.condition(), state);
            *held += u64::from(holds);
            broken = broken.or(Some(*property).filter(|property| property.is_broken_by(holds)));
        }
        broken
    }
}

/// The variants that answer an open question otherwise.
fn others(reading: usize) -> impl Iterator<Item = &'static Variant> {
    let label = READINGS.get(reading).map_or("", |reading| reading.label);
    variants().iter().filter(
        move |variant| matches!(variant.kind, VariantKind::Alternative { label: its, .. } if its == label),
    )
}

/// What the oracle says of a stream.
struct Seen<'s> {
    asked: Asked<'s>,
    steps: StepCounts,
    broken: Vec<Requirement>,
}

impl<'s> Seen<'s> {
    fn new(stream: &'s [u8]) -> Self {
        let mut steps = StepCounts::default();
        let asked = Asked::traced(stream, &mut steps);
        let oracle = Stream::read(stream, &mut ());
        oracle.heads(&mut steps);
        let report = oracle.validate();
        let findings = report.violations.into_iter().chain(report.warnings);
        Self { asked, steps, broken: findings.map(|finding| finding.requirement).collect() }
    }

    fn is(&self, condition: Condition, state: &State) -> bool {
        match condition {
            Condition::Step(step) => self.steps.of(step) > 0,
            Condition::Requirement(requirement) => self.broken.contains(&requirement),
            Condition::Reading(at) => others(at).any(|variant| self.asked.told_apart(variant).is_some()),
            Condition::Kind(kind) => state.tally(kind) > 0,
            Condition::Outcome(form) => self.asked.outcomes().any(|outcome| form.is_of(outcome)),
        }
    }
}
