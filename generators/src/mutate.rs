//! Mutation: a list of operations after one random change.
//!
//! What a fuzzer does to bytes, done to operations: so what is kept decoded can be mutated as it is.

use crate::choice::{Choices, Seeded};
use crate::draw::{self, draw};
use crate::script::Script;
use crate::sessions::{self, Phrased, Session};
use crate::settings::Settings;
use crate::simplify::Operation;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A list of operations that a fuzzer takes apart: as bytes, or as the JSON in which a corpus keeps it.
pub trait Scripted: DeserializeOwned + Serialize {
    /// How many bytes stand for an operation that writes a line, and for what belongs to it. Stretches of this
    /// length can be moved, copied and cut out whole.
    const PHRASE: usize;

    /// The list that any bytes stand for.
    fn from_bytes(bytes: &[u8]) -> Self;

    /// The list after one change that follows from `seed`.
    fn mutated(&self, seed: u64) -> Self;
}

/// A mutated operand is odd more often than a drawn one: a corpus is plain already.
const SETTINGS: Settings = Settings { odd_forms: 64, odd_refs: 64, ..Settings::mixed() };

/// Deletes, copies or moves an operation, adds a plain one, or draws an operand anew; which one follows from
/// the seed.
pub(crate) fn mutated<O: Operation>(ops: &[O], seed: u64) -> Vec<O> {
    let mut choices = Seeded::new(seed);
    let mut ops = ops.to_vec();
    let (from, to) = (choices.below(ops.len()), choices.below(ops.len()));
    match (choices.byte() % 8, ops.get(from).cloned()) {
        (_, None) | (0, _) => ops.insert(to, O::plainest()),
        (1, _) => drop(ops.remove(from)),
        (2, Some(op)) => ops.insert(to, op),
        (3, Some(op)) => {
            ops.remove(from);
            ops.insert(to.min(ops.len()), op);
        }
        (_, Some(mut op)) => {
            let mut operands = 0;
            op.visit(&mut |_| operands += 1);
            let mut chosen = choices.below(operands);
            op.visit(&mut |operand| {
                if chosen == 0 {
                    draw(&mut choices, &SETTINGS, operand);
                }
                chosen = chosen.wrapping_sub(1);
            });
            if let Some(slot) = ops.get_mut(from) {
                *slot = op;
            }
        }
    }
    ops
}

impl Scripted for Script {
    const PHRASE: usize = draw::PHRASE;

    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_bytes(bytes)
    }

    fn mutated(&self, seed: u64) -> Self {
        Self { ops: mutated(&self.ops, seed) }
    }
}

impl<O: Phrased + DeserializeOwned + Serialize> Scripted for Session<O> {
    const PHRASE: usize = sessions::PHRASE;

    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_bytes(bytes)
    }

    fn mutated(&self, seed: u64) -> Self {
        Self { ops: mutated(&self.ops, seed) }
    }
}
