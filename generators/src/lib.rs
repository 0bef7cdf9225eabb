//! Scripts of operations that render to agent session records.
//!
//! A [`Script`] is a list of operations whose operands are small integers; [`Script::render`] wraps each of
//! them onto what exists at its place and writes a stream. So every script is a stream, every deletion of an
//! operation leaves a script, and to shrink, to mutate and to enumerate are the same thing. Operands come
//! sound or odd, and a script without odd ones renders to a valid stream.
//!
//! Scripts come from a seed ([`Script::random`]), from bytes ([`Script::from_bytes`], `arbitrary`), from
//! `proptest` and `quickcheck` (features of those names), from a JSON file (`serde`), and from people.
//! [`Settings`] say how long and how odd they are.
//!
//! ```
//! use asr_generators::{BranchForm, Kind, Op, Ref, Script};
//!
//! let script = Script::from_iter([
//!     Op::plain(Kind::Message),
//!     Op::plain(Kind::Message),
//!     Op::Branch { form: BranchForm::Record, at: Ref::recent(0) },
//!     Op::plain(Kind::Message),
//! ]);
//! let stream = String::from_utf8(script.render()).unwrap();
//! // The latest node is the predecessor anyway, so the branch is wrapped onto the one before.
//! assert!(stream.lines().last().is_some_and(|line| line.contains(r#""branchesFrom":{"record":"r1"}"#)));
//! ```
//!
//! This crate sees neither of the two implementations that read its streams: what it believes about structure
//! serves to aim, never to judge.

mod broken;
mod bytes;
#[cfg(feature = "quickcheck")]
mod check;
mod choice;
mod draw;
mod form;
mod mutate;
pub mod native;
mod op;
mod operand;
mod render;
mod script;
pub mod sessions;
mod settings;
mod simplify;
#[cfg(feature = "proptest")]
mod strategy;

pub use form::{
    AuditForm, Base, BlankForm, BranchForm, CallForm, CallPick, Change, ContentForm, Damage, GapForm,
    HeadsForm, IdForm, InsertForm, KeyForm, KindForm, LineageForm, Manner, MessageForm, ReplacesForm,
    RetainsForm, RewindForm, SeqForm, SpellForm, StatusForm, WordsForm,
};
pub use mutate::Scripted;
pub use op::{Compaction, Kind, Op};
pub use operand::{Mask, Operand, Pick, Ref, Sort};
pub use script::Script;
pub use settings::{Settings, Weights};
#[cfg(feature = "proptest")]
pub use strategy::script;
