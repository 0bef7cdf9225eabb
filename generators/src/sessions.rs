//! Session files as agents write them: scripts of operations that render to the lines of a native format.
//!
//! A [`Session`] is to a native file what a [`Script`](crate::Script) is to a stream: one operation per line,
//! operands that are small integers and are wrapped onto what exists, sound or odd. So it renders whatever it
//! holds, and is drawn, simplified and written to a file in the same way. [`native`](crate::native) has
//! sessions as they are once a converter has taken the format away.
//!
//! A session without odd operands is one that the agent could have written: every line is a record of the
//! format, and every pointer names a record of the conversation that stands on an earlier line.

pub mod claude_code;
pub mod pi;
mod pointer;

#[cfg(feature = "proptest")]
pub use crate::strategy::session;
pub use pointer::{Noise, Pointer, PointerPick, Spelling, Turn};

use crate::choice::{Choices, Given, Seeded};
use crate::draw::draw;
use crate::operand::Operand;
use crate::settings::Settings;
use crate::simplify::{Operation, steps};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A session of Claude Code.
pub type ClaudeCode = Session<claude_code::Op>;

/// A session of Pi.
pub type Pi = Session<pi::Op>;

/// The bytes of an operation: a kind and its operands, zeros for those that are drawn last and rarely matter.
pub(crate) const PHRASE: usize = 16;

/// A list of operations, each of which writes a line.
#[derive(Clone, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Session<O> {
    /// The operations, in the order of their lines.
    pub ops: Vec<O>,
}

/// An operation of a session.
pub trait Phrased: Operation + Copy + fmt::Debug {
    /// What an operation is called in Rust.
    const NAME: &'static str;

    /// The plainest operation of the kind that a byte stands for; 0 stands for a prompt.
    fn drawn(byte: u8) -> Self;
}

/// An operation of a native format.
pub trait Recorded: Phrased {
    /// The file that operations write.
    fn render(ops: &[Self]) -> Vec<u8>;
}

impl<O: Phrased> Session<O> {
    /// The session of a seed. Of the settings, `lines`, `odd_forms`, `odd_refs` and `sound` apply.
    pub fn random(seed: u64, settings: &Settings) -> Self {
        let mut choices = Seeded::new(seed);
        let mut settings = *settings;
        if choices.share(settings.sound) || settings.is_valid() {
            settings = Settings { odd_forms: 0, odd_refs: 0, ..settings };
        }
        let most = usize::from(settings.lines);
        let lines = (1 + choices.below(most)).min(most);
        Self { ops: (0..lines).map(|_| filled(&mut choices, &settings)).collect() }
    }

    /// The session of any bytes, with the default settings.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let settings = Settings::default();
        let stretches = bytes.chunks(PHRASE).take(settings.lines.into());
        Self { ops: stretches.map(|stretch| filled(&mut Given(stretch), &settings)).collect() }
    }

    /// Whether the agent could have written it.
    pub fn is_sound(&self) -> bool {
        let mut is_sound = true;
        for mut op in self.ops.iter().copied() {
            op.visit(&mut |operand: &mut dyn Operand| is_sound &= operand.rank() < operand.sound());
        }
        is_sound
    }

    /// Sessions that are one step simpler, the simplest first.
    pub fn simpler(&self) -> impl Iterator<Item = Self> + use<O> {
        let ops = self.ops.clone();
        steps(&ops).into_iter().map(move |step| Self { ops: step.apply(&ops) })
    }
}

impl<O: Recorded> Session<O> {
    /// The native file.
    pub fn render(&self) -> Vec<u8> {
        O::render(&self.ops)
    }
}

fn filled<O: Phrased>(choices: &mut impl Choices, settings: &Settings) -> O {
    let mut op = O::drawn(choices.byte());
    op.visit(&mut |operand| draw(choices, settings, operand));
    op
}

/// Rust, to be pasted into a test.
impl<O: Phrased> fmt::Debug for Session<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session { ops: vec![\n")?;
        for op in &self.ops {
            writeln!(f, "    {}::{op:?},", O::NAME)?;
        }
        f.write_str("] }")
    }
}
