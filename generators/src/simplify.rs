//! Simplification: scripts that are a little simpler than a given one.
//!
//! A step deletes operations, many at a time first, or makes one operation plainer, or lowers the rank of one
//! operand. Since every result is a script and every script a stream, nothing has to be repaired, and each
//! step leaves less of the same kind, so that taking steps comes to an end.

use crate::op::{Kind, Op};
use crate::operand::{Operand, Sort};
use crate::script::Script;

/// What a list that can be simplified is made of.
pub trait Operation: Clone + PartialEq {
    /// The operation that the others may be replaced by.
    fn plainest() -> Self;

    /// Shows each operand, always in the same order.
    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand));
}

impl Operation for Op {
    fn plainest() -> Self {
        Self::plain(Kind::Message)
    }

    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        Self::visit(self, see);
    }
}

/// A way to make a list simpler.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    /// Deletes some operations.
    Delete { from: usize, count: usize },
    /// Replaces an operation by the plainest one.
    Replace { op: usize },
    /// Lowers the rank of an operand.
    Lower { op: usize, operand: usize, rank: u16 },
}

impl Step {
    /// The list after the step.
    pub(crate) fn apply<O: Operation>(self, ops: &[O]) -> Vec<O> {
        let mut ops = ops.to_vec();
        match self {
            Self::Delete { from, count } => {
                ops.drain(from.min(ops.len())..from.saturating_add(count).min(ops.len()));
            }
            Self::Replace { op } => {
                if let Some(op) = ops.get_mut(op) {
                    *op = O::plainest();
                }
            }
            Self::Lower { op, operand, rank } => {
                if let Some(op) = ops.get_mut(op) {
                    let mut at = 0;
                    op.visit(&mut |seen| {
                        if at == operand {
                            seen.set_rank(rank);
                        }
                        at += 1;
                    });
                }
            }
        }
        ops
    }
}

/// Every step from a list, those that take away most first.
pub(crate) fn steps<O: Operation>(ops: &[O]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut count = ops.len();
    while count > 0 {
        steps.extend((0..ops.len()).step_by(count).map(|from| Step::Delete { from, count }));
        count /= 2;
    }
    let plainest = O::plainest();
    let others = ops.iter().enumerate().filter(|(_, op)| **op != plainest);
    steps.extend(others.map(|(op, _)| Step::Replace { op }));
    for (op, operation) in ops.iter().enumerate() {
        let mut operand = 0;
        operation.clone().visit(&mut |seen| {
            let lower = |rank| Step::Lower { op, operand, rank };
            let rank = seen.rank();
            match seen.sort() {
                Sort::Form | Sort::Pick => steps.extend((0..rank).map(lower)),
                Sort::Distance if rank > 0 => {
                    let mut ranks = vec![0, rank / 2, rank - 1];
                    ranks.dedup();
                    steps.extend(ranks.into_iter().map(lower));
                }
                Sort::Mask if rank > 0 => {
                    let bits = (0..8).map(|bit| rank & !(1 << bit)).filter(|&fewer| fewer != rank);
                    steps.extend([0].into_iter().chain(bits.filter(|&fewer| fewer != 0)).map(lower));
                }
                Sort::Distance | Sort::Mask => {}
            }
            operand += 1;
        });
    }
    steps
}

impl Script {
    /// Scripts that are one step simpler, the simplest first. Following any of them again and again ends at
    /// the empty script.
    pub fn simpler(&self) -> impl Iterator<Item = Self> + use<> {
        let ops = self.ops.clone();
        steps(&ops).into_iter().map(move |step| Self { ops: step.apply(&ops) })
    }
}
