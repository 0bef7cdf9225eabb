//! The vocabulary that every part of asr-check speaks, and nothing else.
//!
//! Two implementations of the *Structure* chapter, `asr-oracle` and `asr-core`, share this crate and share no
//! code besides. It therefore holds types and tables only: whoever looks here for an algorithm (what a line
//! is, which record precedes which, what a compaction removes) should find none.
//!
//! * [`Query`] asks, [`Outcome`] answers with [`Entry`]s in the forms of ASR-376.
//! * [`Requirement`], [`Step`] and [`Reading`] are the chapter as data: its rules, the steps of its algorithms,
//!   and the questions it leaves open with our answers.
//! * [`Trace`] is how an implementation reports the steps it takes.
//! * [`record`] is what converters and generators write; [`native`] is what the mechanical-sibling rule reads.

mod entry;
mod finding;
mod heads;
pub mod json;
pub mod native;
mod outcome;
mod query;
mod reading;
pub mod record;
mod requirement;
mod step;
mod trace;

pub use entry::{Entry, MalformedEntry, Name, RefStatus};
pub use finding::{Finding, Report};
pub use heads::{HeadState, Heads};
pub use json::Json;
pub use outcome::{Leaf, Outcome};
pub use query::{Head, Query, What};
pub use reading::{Alternative, READINGS, Reading};
pub use requirement::{Bound, Decided, Level, Requirement, UnknownRequirement};
pub use step::Step;
pub use trace::{StepCounts, StepLog, Trace};
