//! Everything that makes the two implementations disagree, if they can be made to.
//!
//! An [`Engine`] answers queries about a stream. [`compare`] puts every query that a stream allows to two engines and
//! gives a [`Verdict`]. A panic in an engine is a finding like a difference, never a pass. [`fixtures`] are streams
//! with the right answers, as plain data for implementations in any language.

mod compare;
pub mod coverage;
mod engine;
pub mod explore;
pub mod fixtures;
pub mod hunt;
pub mod invariants;
mod siblings;
pub mod targets;
pub mod traces;
mod verdict;

pub use compare::{Heads, compare, queries};
pub use engine::{Core, Engine, Oracle, OracleAs, Session, core_log, oracle_log, variant_log};
pub use siblings::compare_siblings;
pub use verdict::{Difference, Verdict};
