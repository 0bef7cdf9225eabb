//! How an implementation reports the steps it takes.

use crate::Step;

/// Receives the steps of the chapter's algorithms in the order in which an implementation takes them.
///
/// `line` is the physical line of the record that the step is about, counted from 1; 0 where it is about none.
/// The unit type receives nothing and costs nothing.
pub trait Trace {
    /// The implementation takes `step`.
    fn step(&mut self, step: Step, line: u64);
}

impl Trace for () {
    #[inline(always)]
    fn step(&mut self, _: Step, _: u64) {}
}

/// All steps, in order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct StepLog(pub Vec<(Step, u64)>);

impl Trace for StepLog {
    fn step(&mut self, step: Step, line: u64) {
        self.0.push((step, line));
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
    fn step(&mut self, step: Step, _: u64) {
        if let Some(count) = self.0.get_mut(step as usize) {
            *count = count.saturating_add(1);
        }
    }
}
