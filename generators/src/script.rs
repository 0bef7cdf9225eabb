//! Scripts: lists of operations, each of which is a stream.

use crate::op::Op;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A list of operations.
///
/// Every list is a script and every script renders to a stream, so operations can be deleted, moved and
/// changed at will. A script without odd operands renders to a valid stream. In a file it is JSON, one object
/// per operation, operands with their plainest value left out.
#[derive(Clone, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The operations, in order.
    pub ops: Vec<Op>,
}

impl Script {
    /// How many operations may break a rule of the chapter. Without any, the stream is valid.
    pub fn odd(&self) -> usize {
        self.ops.iter().filter(|op| op.is_odd()).count()
    }

    /// How many lines the stream has.
    pub fn lines(&self) -> usize {
        self.ops.iter().filter(|op| op.is_line()).count()
    }
}

impl FromIterator<Op> for Script {
    fn from_iter<I: IntoIterator<Item = Op>>(ops: I) -> Self {
        Self { ops: ops.into_iter().collect() }
    }
}

/// Rust, to be pasted into a test.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script { ops: vec![\n")?;
        for op in &self.ops {
            writeln!(f, "    Op::{op:?},")?;
        }
        f.write_str("] }")
    }
}
