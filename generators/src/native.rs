//! Native sessions for the mechanical-sibling rule.
//!
//! A [`NativeScript`] is a [`Session`] of no format: each operation makes a native record as a converter hands it
//! to the rule. Nothing here is invalid: a native session may be as strange as it likes, and *odd* only means
//! rare.

mod op;
mod records;

pub use op::{
    Content, LogicalForm, NativeId, NativeOp, NativeRevision, Parent, ParentPick, ResponsePick, Stale, Tail,
    Turn,
};

use crate::sessions::Session;

/// A list of operations, each of which makes a native record.
pub type NativeScript = Session<NativeOp>;
