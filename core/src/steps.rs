//! How the parts of this crate report the steps that they take.
//!
//! [`Trace`] is for those who listen. The parts are generic over [`Steps`], which also says, at compile time,
//! whether anybody does: what a step is about is looked up only then, and what takes a search to list (the
//! entries that a range removes at one stroke) is searched only then.

use asr_spec::{Step, Trace};

/// Receives steps, as a [`Trace`] does.
pub(crate) trait Steps {
    /// Whether anybody listens.
    const ARE_HEARD: bool;

    /// This step is taken. `lines` says what it is about and what it refers to.
    fn tell(&mut self, step: Step, lines: impl FnOnce() -> (u64, u64));
}

/// Nobody listens.
impl Steps for () {
    const ARE_HEARD: bool = false;

    #[inline(always)]
    fn tell(&mut self, _: Step, _: impl FnOnce() -> (u64, u64)) {}
}

/// A trace listens.
pub(crate) struct Told<'t, T>(pub &'t mut T);

impl<T: Trace> Steps for Told<'_, T> {
    const ARE_HEARD: bool = true;

    fn tell(&mut self, step: Step, lines: impl FnOnce() -> (u64, u64)) {
        let (about, refers_to) = lines();
        self.0.step(step, about, refers_to);
    }
}
