//! The forms in which operations write their fields: what a file can say about one thing, sound or odd.
//!
//! Each enum is one operand. Sound values keep a stream valid, and the first of them is the plainest; odd
//! values break a rule, or write what a reader must not trip over. Types that no rule covers are written as
//! odd as well.

mod audit;
mod bend;
mod compaction;
mod context;
mod text;

pub use audit::{AuditForm, GapForm, HeadsForm, LineageForm};
pub use bend::{Base, BranchForm, Change, Manner, RewindForm};
pub use compaction::{ContentForm, InsertForm, KindForm, ReplacesForm, RetainsForm, StatusForm};
pub use context::{CallForm, CallPick, KeyForm, MessageForm, WordsForm};
pub use text::{BlankForm, Damage, EditForm, IdForm, SeqForm, SpellForm};
