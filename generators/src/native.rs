//! Native sessions for the mechanical-sibling rule.
//!
//! A [`NativeScript`] is to native records what a [`Script`](crate::Script) is to a stream: a list of
//! operations, one per native record, whose operands are wrapped onto what exists. So it is drawn, simplified
//! and written to a file in the same way. Nothing here is invalid: a native session may be as strange as it
//! likes, and *odd* only means rare.

mod op;
mod records;

pub use op::{
    Content, LogicalForm, NativeId, NativeOp, NativeRevision, Parent, ParentPick, ResponsePick, Stale, Tail,
    Turn,
};

#[cfg(feature = "proptest")]
pub use crate::strategy::native_script;

use crate::choice::{Choices, Given, Seeded};
use crate::draw::draw;
use crate::settings::Settings;
use crate::simplify::{Operation, steps};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The bytes of an operation: a kind and its operands, the rarest ones excepted, for which zeros stand in.
pub(crate) const PHRASE: usize = 16;

/// A list of operations, each of which makes a native record.
#[derive(Clone, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NativeScript {
    /// The operations, in observation order.
    pub ops: Vec<NativeOp>,
}

impl NativeScript {
    /// The script of a seed. Of the settings, `lines`, `odd_forms`, `odd_refs` and `sound` apply.
    pub fn random(seed: u64, settings: &Settings) -> Self {
        let mut choices = Seeded::new(seed);
        let mut settings = *settings;
        if choices.share(settings.sound) || settings.is_valid() {
            settings = Settings { odd_forms: 0, odd_refs: 0, ..settings };
        }
        let most = usize::from(settings.lines);
        let records = (1 + choices.below(most)).min(most);
        Self { ops: (0..records).map(|_| filled(&mut choices, &settings)).collect() }
    }

    /// The script of any bytes, with the default settings.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let settings = Settings::default();
        let stretches = bytes.chunks(PHRASE).take(settings.lines.into());
        Self { ops: stretches.map(|stretch| filled(&mut Given(stretch), &settings)).collect() }
    }

    /// Scripts that are one step simpler, the simplest first.
    pub fn simpler(&self) -> impl Iterator<Item = Self> + use<> {
        let ops = self.ops.clone();
        steps(&ops).into_iter().map(move |step| Self { ops: step.apply(&ops) })
    }
}

fn filled(choices: &mut impl Choices, settings: &Settings) -> NativeOp {
    let mut op = NativeOp::drawn(choices.byte());
    op.visit(&mut |operand| draw(choices, settings, operand));
    op
}

/// Rust, to be pasted into a test.
impl fmt::Debug for NativeScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NativeScript { ops: vec![\n")?;
        for op in &self.ops {
            writeln!(f, "    NativeOp::{op:?},")?;
        }
        f.write_str("] }")
    }
}
