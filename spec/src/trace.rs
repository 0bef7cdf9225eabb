//! How an implementation reports the steps it takes.

use crate::Step;

/// Receives the steps of the chapter's algorithms in the order in which an implementation takes them.
///
/// A step is about one record and may refer to another, each given by its physical line, counted from 1; 0 stands for
/// none, and a node for its first record. What a step refers to:
///
/// | steps | about | refers to |
/// |---|---|---|
/// | NR4, NR6, NR7 | the first record of a chain | the revision |
/// | NR5 | the record that a ref names | the first record of its node |
/// | BF0 | the node | the record whose branchesFrom applies |
/// | BF1, IP1 | the node, 0 for the default head | its predecessor |
/// | IP0, IP2, IP3 | the node, 0 for the default head | the record passed, the rewind, the gap |
/// | AP3c | the node | the gap |
/// | V3c | the compaction | an entry that is removed |
/// | V3d-after, V3d-before, V3d-min | the compaction | the entry beside which, or in whose place, it inserts |
/// | V3f | the compaction | the retained node |
///
/// The mechanical-sibling rule counts native records instead of lines. The unit type receives nothing and costs nothing.
pub trait Trace {
    /// The implementation takes `step`.
    fn step(&mut self, step: Step, about: u64, refers_to: u64);
}

impl Trace for () {
    #[inline(always)]
    fn step(&mut self, _: Step, _: u64, _: u64) {}
}

/// All steps, in order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct StepLog(pub Vec<(Step, u64, u64)>);

impl Trace for StepLog {
    fn step(&mut self, step: Step, about: u64, refers_to: u64) {
        self.0.push((step, about, refers_to));
    }
}

/// How often each step was taken.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StepCounts([u64; Step::ALL.len()]);

impl Default for StepCounts {
    fn default() -> Self {
        Self([0; Step::ALL.len()])
    }
}

impl StepCounts {
    /// The count of one step.
    pub fn of(&self, step: Step) -> u64 {
        self.0.get(step as usize).copied().unwrap_or(0)
    }

    /// The steps that were never taken.
    pub fn unreached(&self) -> impl Iterator<Item = Step> {
        Step::ALL.into_iter().filter(|&step| self.of(step) == 0)
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }
}

impl Trace for StepCounts {
    fn step(&mut self, step: Step, _: u64, _: u64) {
        if let Some(count) = self.0.get_mut(step as usize) {
            *count = count.saturating_add(1);
        }
    }
}
