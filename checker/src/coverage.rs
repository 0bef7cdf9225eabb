//! What a corpus covers: which steps of the chapter it takes, and which requirements it keeps and breaks.
//!
//! Nothing here is declared by hand. The oracle runs on every case, from every head, and its trace says which steps were
//! taken; its validator says which requirements were broken. A case keeps a requirement if it is a test of it
//! (`meta.json`) and does not break it; one that binds readers only if it says what they answer, rightly.

use crate::compare::{Heads, queries};
use crate::fixtures::{Case, Expectation};
use asr_oracle::{Stream, siblings};
use asr_spec::native::NativeRecord;
use asr_spec::{Decided, Requirement, Step, StepCounts, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// What a corpus covers, so far.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// How many cases and native sessions there were.
    pub cases: u64,
    steps: StepCounts,
    step_cases: StepCounts,
    requirements: BTreeMap<Requirement, RequirementHits>,
}

/// How many cases keep and break a requirement.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RequirementHits {
    /// Cases that are a test of it and do not break it.
    pub positive: u64,
    /// Cases in which the validator finds it broken, or probably so.
    pub negative: u64,
}

/// How often a step was taken, and in how many cases.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StepHits {
    /// Times.
    pub times: u64,
    /// Cases.
    pub cases: u64,
}

impl Coverage {
    /// Adds a case: every query that its stream allows, and its validation.
    pub fn add(&mut self, case: &Case) {
        let mut counts = StepCounts::default();
        let stream = Stream::read(&case.input, &mut counts);
        let ids: Vec<_> = stream.ids().into_iter().map(str::to_owned).collect();
        for query in queries(&ids, Heads::Every) {
            stream.answer(&query, &mut counts);
        }
        self.add_steps(&counts);

        let report = stream.validate();
        let broken = report.violations.iter().chain(&report.warnings).map(|finding| finding.requirement);
        let broken: BTreeSet<_> = broken.collect();
        for &requirement in &broken {
            self.requirements.entry(requirement).or_default().negative += 1;
        }
        let is_answered = |answer: &Expectation| stream.answer(&answer.query, &mut ()) == answer.outcome;
        let is_reader_test = !case.expectations.is_empty() && case.expectations.iter().all(is_answered);
        let is_kept = |requirement: &Requirement| match requirement.decided() {
            Decided::Reader => is_reader_test,
            Decided::Stream | Decided::Necessary | Decided::Source => !broken.contains(requirement),
        };
        if let Some(kept) = case.meta.requirement.filter(is_kept) {
            self.requirements.entry(kept).or_default().positive += 1;
        }
    }

    /// Adds a native session: the mechanical-sibling rule on its records.
    pub fn add_native(&mut self, records: &[NativeRecord]) {
        let mut counts = StepCounts::default();
        siblings::place(records, &mut counts);
        self.add_steps(&counts);
    }

    fn add_steps(&mut self, counts: &StepCounts) {
        self.cases += 1;
        self.steps.add(counts);
        for step in Step::ALL.into_iter().filter(|&step| counts.of(step) > 0) {
            self.step_cases.step(step, 0, 0);
        }
    }

    /// The hits of a step.
    pub fn step(&self, step: Step) -> StepHits {
        StepHits { times: self.steps.of(step), cases: self.step_cases.of(step) }
    }

    /// The hits of a requirement.
    pub fn requirement(&self, requirement: Requirement) -> RequirementHits {
        self.requirements.get(&requirement).copied().unwrap_or_default()
    }

    /// Whether a requirement is covered: one that a stream decides is kept by a case and broken by another, one that
    /// binds readers has a test. `None` where no stream can show it, for the reason that
    /// [`Requirement::exception`] gives.
    pub fn is_covered(&self, requirement: Requirement) -> Option<bool> {
        let RequirementHits { positive, negative } = self.requirement(requirement);
        match requirement.decided() {
            Decided::Stream | Decided::Necessary => Some(positive > 0 && negative > 0),
            Decided::Reader => Some(positive > 0),
            Decided::Source => None,
        }
    }

    /// How many steps and requirements are covered, and how many there are, exceptions apart.
    pub fn score(&self) -> (u64, u64) {
        let steps = Step::ALL.into_iter().map(|step| self.steps.of(step) > 0);
        let requirements =
            Requirement::ALL.into_iter().filter_map(|requirement| self.is_covered(requirement));
        steps.chain(requirements).fold((0, 0), |(covered, all), hit| (covered + u64::from(hit), all + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::Meta;
    use asr_spec::{Head, Outcome, Query, What};

    fn covers(outcome: Option<Outcome>) -> Option<bool> {
        let query = Query { what: What::Path, head: Head::Start };
        let requirement = Some(Requirement::Asr365);
        let (chapter, reading, why, found) = (None, None, None, None);
        let meta = Meta { title: String::new(), chapter, reading, requirement, valid: true, why, found };
        let expectations = outcome.map(|outcome| Expectation { query, outcome }).into_iter().collect();
        let (id, input, report, variants) = (String::new(), Vec::new(), None, Vec::new());
        let mut coverage = Coverage::default();
        coverage.add(&Case { id, meta, input, expectations, report, variants });
        coverage.is_covered(Requirement::Asr365)
    }

    #[test]
    fn only_a_right_answer_is_a_test_of_readers() {
        assert_eq!(covers(Some(Outcome::Entries(Vec::new()))), Some(true));
        assert_eq!(covers(Some(Outcome::NoDefaultPath)), Some(false));
        assert_eq!(covers(None), Some(false));
    }
}
