//! What is examined in each case, and what makes two findings the same.

use super::Input;
use crate::compare::{self, compare};
use crate::engine::{Core, Engine, Oracle, OracleAs};
use crate::invariants::{Examination, Holding, INVARIANTS, Invariant};
use crate::siblings::compare_siblings;
use crate::verdict::{Difference, Verdict};
use asr_generators::Script;
use asr_generators::native::NativeScript;
use asr_oracle::Variant;
use asr_spec::{Entry, Finding, Outcome, What};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many invariants are examined in each case, in turn: a full round is about as dear as ten
/// differentials.
const INVARIANTS_PER_CASE: u64 = 4;

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// Two engines answer differently.
    Differs,
    /// An invariant does not hold.
    Breaks,
    /// An engine panicked.
    Crashes,
    /// The two implementations of the mechanical-sibling rule place a unit differently, or one panicked.
    Siblings,
}

/// What identifies a finding, so that each is reported once.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Signature {
    /// What kind it is.
    pub kind: Kind,
    /// The invariant, the requirement, or the kind of question.
    pub about: String,
    /// The first difference.
    pub at: String,
}

/// In words that serve as the name of a file, too.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Differs => "differs",
            Kind::Breaks => "breaks",
            Kind::Crashes => "crashes",
            Kind::Siblings => "siblings",
        };
        write!(f, "{kind}-{}", self.about)?;
        if self.at.is_empty() { Ok(()) } else { write!(f, "-{}", self.at) }
    }
}

/// One examination, to be done again on a simpler input.
#[derive(Clone, Copy)]
pub(super) enum Probe {
    /// Both engines on every question.
    Differential,
    /// One invariant on the engine that is hunted, or on the oracle.
    Invariant(&'static Invariant, Whom),
    /// The mechanical-sibling rule.
    Siblings,
}

/// Which engine an invariant is put to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Whom {
    Hunted,
    Oracle,
}

/// The engine that is hunted; the oracle is the measure.
pub(super) struct Engines {
    hunted: Box<dyn Engine + Send>,
}

impl Engines {
    pub(super) fn of(variant: Option<&'static Variant>) -> Self {
        match variant {
            Some(variant) => Self { hunted: Box::new(OracleAs(variant)) },
            None => Self { hunted: Box::new(Core) },
        }
    }

    /// Everything that a case shows.
    pub(super) fn examine(
        &self,
        case: u64,
        script: &Script,
        native: &NativeScript,
    ) -> Vec<(Signature, Probe)> {
        let count = INVARIANTS.len() as u64;
        let invariant = |at: u64| usize::try_from(at % count.max(1)).ok().and_then(|at| INVARIANTS.get(at));
        let turn = case.wrapping_mul(INVARIANTS_PER_CASE);
        let hunted = (turn..turn.saturating_add(INVARIANTS_PER_CASE))
            .filter_map(|at| Some(Probe::Invariant(invariant(at)?, Whom::Hunted)));
        let oracle = invariant(case).map(|invariant| Probe::Invariant(invariant, Whom::Oracle));
        let stream = script.render();
        let on_stream = [Probe::Differential].into_iter().chain(hunted).chain(oracle);
        let on_stream = on_stream.filter_map(|probe| Some((self.on_stream(probe, &stream)?.0, probe)));
        let siblings = on_native(native).map(|(signature, _)| (signature, Probe::Siblings));
        on_stream.chain(siblings).collect()
    }

    /// What one examination of a stream shows, with a text for people.
    fn on_stream(&self, probe: Probe, stream: &[u8]) -> Option<(Signature, String)> {
        match probe {
            Probe::Differential => {
                let verdict = compare([&Oracle, &*self.hunted], stream, compare::Heads::Every, |_, _| ());
                Some((of_verdict(&verdict)?, verdict.to_string()))
            }
            Probe::Invariant(invariant, whom) => {
                let engine: &dyn Engine = match whom {
                    Whom::Hunted => &*self.hunted,
                    Whom::Oracle => &Oracle,
                };
                let check = || Examination::new(engine, stream).check(invariant);
                let at = engine.name().to_owned();
                let about = invariant.id.to_owned();
                match catch_unwind(AssertUnwindSafe(check)) {
                    Ok(Holding::Held | Holding::NotApplicable) => None,
                    Ok(Holding::Broken(breach)) => {
                        let signature = Signature { kind: Kind::Breaks, about, at };
                        let edited = String::from_utf8_lossy(&breach.edited);
                        let text = format!(
                            "{}: {}\non the stream\n{edited}`{}`\n  expected  {}\n  found     {}",
                            invariant.id, invariant.sentence, breach.question, breach.expected, breach.found
                        );
                        Some((signature, text))
                    }
                    Err(_) => Some((
                        Signature { kind: Kind::Crashes, about, at },
                        format!("a panic while {} is examined", invariant.id),
                    )),
                }
            }
            Probe::Siblings => None,
        }
    }

    fn on(&self, probe: Probe, input: &Input) -> Option<(Signature, String)> {
        match input {
            Input::Stream(script) => self.on_stream(probe, &script.render()),
            Input::Native(script) => on_native(script),
        }
    }

    /// The simplest input that shows the same, and what it shows.
    pub(super) fn simplify(&self, probe: Probe, signature: &Signature, mut input: Input) -> (Input, String) {
        let shows = |input: &Input| self.on(probe, input).filter(|(found, _)| found == signature);
        loop {
            let simpler = match &input {
                Input::Stream(script) => {
                    script.simpler().map(Input::Stream).find(|simpler| shows(simpler).is_some())
                }
                Input::Native(script) => {
                    script.simpler().map(Input::Native).find(|simpler| shows(simpler).is_some())
                }
            };
            match simpler {
                Some(simpler) => input = simpler,
                None => break,
            }
        }
        let text = shows(&input).map(|(_, text)| text).unwrap_or_default();
        (input, text)
    }
}

/// Both implementations of the mechanical-sibling rule.
fn on_native(script: &NativeScript) -> Option<(Signature, String)> {
    let signature =
        |at: &str| Signature { kind: Kind::Siblings, about: "place".to_owned(), at: at.to_owned() };
    match catch_unwind(AssertUnwindSafe(|| compare_siblings(&script.records()))) {
        Ok(Ok(_)) => None,
        Ok(Err((at, oracle, core))) => {
            let text =
                format!("native record {at} is placed differently\n  oracle  {oracle:?}\n  core    {core:?}");
            Some((signature(""), text))
        }
        Err(_) => Some((signature("panic"), "a panic while native records are placed".to_owned())),
    }
}

/// The signature of a verdict, unless the engines agree or one will not read.
fn of_verdict(verdict: &Verdict) -> Option<Signature> {
    let (kind, about, at) = match verdict {
        Verdict::Agree { .. } | Verdict::Skipped { .. } => return None,
        Verdict::Crashed { engine, query, message: _ } => {
            let what = query.as_ref().map_or("read", |query| name(query.what));
            (Kind::Crashes, what.to_owned(), (*engine).to_owned())
        }
        Verdict::Diverge { engines: _, difference } => match &**difference {
            Difference::Ids(_) => (Kind::Differs, "ids".to_owned(), String::new()),
            Difference::Heads([a, b]) => {
                let at = if a.default == b.default { "effective" } else { "default" };
                (Kind::Differs, "heads".to_owned(), at.to_owned())
            }
            Difference::Report([a, b]) => {
                let all = |report: &asr_spec::Report| -> Vec<Finding> {
                    report.violations.iter().chain(&report.warnings).cloned().collect()
                };
                let (a, b) = (all(a), all(b));
                let pair = a.iter().zip(&b).find(|(a, b)| a.key() != b.key());
                let first = pair.map(|(a, b)| if a.key() < b.key() { a } else { b });
                let first = first.or(a.get(b.len())).or(b.get(a.len()));
                let at = first.map_or(String::new(), |finding| finding.requirement.to_string());
                (Kind::Differs, "validate".to_owned(), at)
            }
            Difference::Outcome(query, outcomes) => {
                (Kind::Differs, name(query.what).to_owned(), first_difference(outcomes))
            }
        },
    };
    Some(Signature { kind, about, at })
}

fn name(what: What) -> &'static str {
    match what {
        What::Path => "path",
        What::View => "view",
    }
}

/// Which kinds of entries stand where two outcomes first differ: `summary-for-node`.
fn first_difference(outcomes: &[Outcome; 2]) -> String {
    match outcomes {
        [Outcome::Entries(a), Outcome::Entries(b)] => {
            let differ = |at: &usize| a.get(*at) != b.get(*at);
            let at = (0..a.len().max(b.len())).find(differ).unwrap_or(0);
            let kind = |entry: Option<&Entry>| entry.map_or("nothing", entry_kind);
            format!("{}-for-{}", kind(b.get(at)), kind(a.get(at)))
        }
        [a, b] => {
            let kind = |outcome: &Outcome| match outcome {
                Outcome::Entries(_) => "entries",
                Outcome::NoDefaultPath => "null",
                Outcome::Cycle { .. } => "cycle",
            };
            format!("{}-for-{}", kind(b), kind(a))
        }
    }
}

fn entry_kind(entry: &Entry) -> &'static str {
    match entry {
        Entry::Node { rev: None, .. } => "node",
        Entry::Node { rev: Some(_), .. } => "revised",
        Entry::Summary { .. } => "summary",
        Entry::Gap { .. } => "gap",
        Entry::Malformed { .. } => "malformed",
        Entry::UnresolvedRef { .. } => "unresolved",
        Entry::UnknownPredecessor => "unknown",
        Entry::UnknownReplacement { .. } => "replacement",
        Entry::Retained { .. } => "retained",
        Entry::Inherited { .. } => "inherited",
    }
}
