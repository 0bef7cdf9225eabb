//! Operations: what a script is made of.
//!
//! An operation either writes a line, or is a *mark* that colours the next line: a branch, an id, a seq, a
//! spelling. So every combination can be said with few operations, and what does not matter to a failure can
//! be deleted one mark at a time. A mark that the next line has no use for has no effect; of two of a kind
//! the later one counts.

use crate::form::{
    AuditForm, Base, BlankForm, BranchForm, CallForm, CallPick, Change, ContentForm, Damage, EditForm,
    GapForm, HeadsForm, IdForm, InsertForm, KeyForm, KindForm, LineageForm, Manner, MessageForm,
    ReplacesForm, RetainsForm, RewindForm, SeqForm, SpellForm, StatusForm, WordsForm,
};
use crate::operand::{Mask, Operand, Ref, is_plain, operand};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Deserialize, Serialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Op {
    /// Writes a message, a new node.
    Message {
        /// What kind of message.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: MessageForm,
        /// What it says.
        #[serde(default, skip_serializing_if = "is_plain")]
        words: WordsForm,
    },
    /// Writes a tool_call, a new node.
    Call {
        /// Who made it.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: CallForm,
        /// How it states its key.
        #[serde(default, skip_serializing_if = "is_plain")]
        key: KeyForm,
    },
    /// Writes a tool_result, a new node.
    Result {
        /// Whose result it is.
        #[serde(default, skip_serializing_if = "is_plain")]
        of: CallPick,
        /// How many calls lie between.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
        /// How it states its key.
        #[serde(default, skip_serializing_if = "is_plain")]
        key: KeyForm,
    },
    /// Writes a compaction, a new node.
    Compaction(Compaction),
    /// Writes a rewind.
    Rewind {
        /// What it says.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: RewindForm,
        /// The last record that remains.
        #[serde(default, skip_serializing_if = "is_plain")]
        to: Ref,
    },
    /// Writes a record that supersedes an earlier one of its type; where there is none to supersede, a
    /// message.
    Revise {
        /// The node that it revises.
        #[serde(default, skip_serializing_if = "is_plain")]
        of: Ref,
        /// The record of that node's chain.
        #[serde(default, skip_serializing_if = "is_plain")]
        base: Base,
        /// What changes.
        #[serde(default, skip_serializing_if = "is_plain")]
        change: Change,
        /// How it comes about.
        #[serde(default, skip_serializing_if = "is_plain")]
        manner: Manner,
    },
    /// Writes a gap record.
    Gap {
        /// What it does.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: GapForm,
    },
    /// Writes a session_info record.
    Info {
        /// What it says of heads.
        #[serde(default, skip_serializing_if = "is_plain")]
        heads: HeadsForm,
        /// The head.
        #[serde(default, skip_serializing_if = "is_plain")]
        at: Ref,
        /// What it says of lineage.
        #[serde(default, skip_serializing_if = "is_plain")]
        lineage: LineageForm,
    },
    /// Writes another audit-only record.
    Audit {
        /// Which one.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: AuditForm,
    },
    /// Writes a malformed line.
    Malformed {
        /// What is wrong with it.
        #[serde(default, skip_serializing_if = "is_plain")]
        damage: Damage,
    },
    /// Writes a blank line.
    Blank {
        /// What it is made of.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: BlankForm,
    },
    /// Marks the next record: it branches.
    Branch {
        /// How it says so.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: BranchForm,
        /// From where.
        #[serde(default, skip_serializing_if = "is_plain")]
        at: Ref,
    },
    /// Marks the next record: it carries `supersedes`, whatever it is and whatever that names.
    Supersede {
        /// What it supersedes.
        #[serde(default, skip_serializing_if = "is_plain")]
        at: Ref,
    },
    /// Marks the next record: it has another id.
    Id {
        /// Which one.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: IdForm,
        /// How many candidates are passed over.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
    },
    /// Marks the next record: it has another seq.
    Seq {
        /// Which one.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: SeqForm,
        /// By how much it is off.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
    },
    /// Marks the next line: it is spelled in an unusual way.
    Spell {
        /// In which way.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: SpellForm,
    },
    /// Marks the next record: one of its values is another one, wherever it stands.
    Edit {
        /// What happens to the value.
        #[serde(default, skip_serializing_if = "is_plain")]
        form: EditForm,
        /// How many values lie behind it.
        #[serde(default, skip_serializing_if = "is_plain")]
        at: u8,
        /// Which other value or key.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
    },
}

operand! {
    /// Which operation an [`Op`] is.
    Form Kind {
        sound {
            /// [`Op::Message`]
            Message,
            /// [`Op::Call`]
            Call,
            /// [`Op::Result`]
            Result,
            /// [`Op::Compaction`]
            Compaction,
            /// [`Op::Rewind`]
            Rewind,
            /// [`Op::Revise`]
            Revise,
            /// [`Op::Gap`]
            Gap,
            /// [`Op::Info`]
            Info,
            /// [`Op::Audit`]
            Audit,
            /// [`Op::Malformed`]
            Malformed,
            /// [`Op::Blank`]
            Blank,
            /// [`Op::Branch`]
            Branch,
            /// [`Op::Id`]
            Id,
            /// [`Op::Seq`]
            Seq,
            /// [`Op::Spell`]
            Spell,
        }
        odd {
            /// [`Op::Supersede`]
            Supersede,
            /// [`Op::Edit`]
            Edit,
        }
    }
}

impl Kind {
    /// The kinds that write a line; the others are marks.
    pub const LINES: [Self; 11] = [
        Self::Message,
        Self::Call,
        Self::Result,
        Self::Compaction,
        Self::Rewind,
        Self::Revise,
        Self::Gap,
        Self::Info,
        Self::Audit,
        Self::Malformed,
        Self::Blank,
    ];
}

impl Op {
    /// The plainest operation of a kind.
    pub fn plain(kind: Kind) -> Self {
        match kind {
            Kind::Message => Self::Message { form: Default::default(), words: Default::default() },
            Kind::Call => Self::Call { form: Default::default(), key: Default::default() },
            Kind::Result => {
                Self::Result { of: Default::default(), n: Default::default(), key: Default::default() }
            }
            Kind::Compaction => Self::Compaction(Compaction::default()),
            Kind::Rewind => Self::Rewind { form: Default::default(), to: Default::default() },
            Kind::Revise => Self::Revise {
                of: Default::default(),
                base: Default::default(),
                change: Default::default(),
                manner: Default::default(),
            },
            Kind::Gap => Self::Gap { form: Default::default() },
            Kind::Info => {
                Self::Info { heads: Default::default(), at: Default::default(), lineage: Default::default() }
            }
            Kind::Audit => Self::Audit { form: Default::default() },
            Kind::Malformed => Self::Malformed { damage: Default::default() },
            Kind::Blank => Self::Blank { form: Default::default() },
            Kind::Branch => Self::Branch { form: Default::default(), at: Default::default() },
            Kind::Supersede => Self::Supersede { at: Default::default() },
            Kind::Id => Self::Id { form: Default::default(), n: Default::default() },
            Kind::Seq => Self::Seq { form: Default::default(), n: Default::default() },
            Kind::Spell => Self::Spell { form: Default::default() },
            Kind::Edit => {
                Self::Edit { form: Default::default(), at: Default::default(), n: Default::default() }
            }
        }
    }

    /// The kind of the operation.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Message { .. } => Kind::Message,
            Self::Call { .. } => Kind::Call,
            Self::Result { .. } => Kind::Result,
            Self::Compaction(_) => Kind::Compaction,
            Self::Rewind { .. } => Kind::Rewind,
            Self::Revise { .. } => Kind::Revise,
            Self::Gap { .. } => Kind::Gap,
            Self::Info { .. } => Kind::Info,
            Self::Audit { .. } => Kind::Audit,
            Self::Malformed { .. } => Kind::Malformed,
            Self::Blank { .. } => Kind::Blank,
            Self::Branch { .. } => Kind::Branch,
            Self::Supersede { .. } => Kind::Supersede,
            Self::Id { .. } => Kind::Id,
            Self::Seq { .. } => Kind::Seq,
            Self::Spell { .. } => Kind::Spell,
            Self::Edit { .. } => Kind::Edit,
        }
    }

    /// Whether it writes a line. A mark does not.
    pub fn is_line(&self) -> bool {
        Kind::LINES.contains(&self.kind())
    }

    /// Shows each operand, always in the same order.
    pub fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        match self {
            Self::Message { form, words } => {
                see(form);
                see(words);
            }
            Self::Call { form, key } => {
                see(form);
                see(key);
            }
            Self::Result { of, n, key } => {
                see(of);
                see(n);
                see(key);
            }
            Self::Compaction(compaction) => compaction.visit(see),
            Self::Rewind { form, to } => {
                see(form);
                to.visit(see);
            }
            Self::Revise { of, base, change, manner } => {
                of.visit(see);
                see(base);
                see(change);
                see(manner);
            }
            Self::Gap { form } => see(form),
            Self::Info { heads, at, lineage } => {
                see(heads);
                at.visit(see);
                see(lineage);
            }
            Self::Audit { form } => see(form),
            Self::Malformed { damage } => see(damage),
            Self::Blank { form } => see(form),
            Self::Branch { form, at } => {
                see(form);
                at.visit(see);
            }
            Self::Supersede { at } => at.visit(see),
            Self::Id { form, n } => {
                see(form);
                see(n);
            }
            Self::Seq { form, n } => {
                see(form);
                see(n);
            }
            Self::Spell { form } => see(form),
            Self::Edit { form, at, n } => {
                see(form);
                see(at);
                see(n);
            }
        }
    }

    /// Whether it may break a rule of the chapter.
    pub fn is_odd(&self) -> bool {
        let kind = self.kind();
        let mut odd = kind.rank() >= kind.sound();
        let mut op = *self;
        op.visit(&mut |operand| odd |= operand.rank() >= operand.sound());
        odd
    }
}

/// The fields of a compaction.
///
/// Its refs are wrapped onto the nodes of its own active path, and a revision wraps them again, onto the path
/// that the node has by then.
#[derive(Clone, Copy, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compaction {
    /// What it replaces.
    #[serde(skip_serializing_if = "is_plain")]
    pub replaces: ReplacesForm,
    /// The end of the range, or the first candidate of the set. As [`Recent`](crate::Pick::Recent) candidates
    /// of a set may lie off the path.
    #[serde(skip_serializing_if = "is_plain")]
    pub through: Ref,
    /// The first record kept, counted back from the end of the range.
    #[serde(skip_serializing_if = "is_plain")]
    pub kept: Ref,
    /// Which of the candidates are in the set.
    #[serde(skip_serializing_if = "is_plain")]
    pub ids: Mask,
    /// Where the summary goes.
    #[serde(skip_serializing_if = "is_plain")]
    pub insert: InsertForm,
    /// The node beside which it goes.
    #[serde(skip_serializing_if = "is_plain")]
    pub at: Ref,
    /// What is carried along.
    #[serde(skip_serializing_if = "is_plain")]
    pub retains: RetainsForm,
    /// The record carried along.
    #[serde(skip_serializing_if = "is_plain")]
    pub carried: Ref,
    /// Its content.
    #[serde(skip_serializing_if = "is_plain")]
    pub content: ContentForm,
    /// Its status.
    #[serde(skip_serializing_if = "is_plain")]
    pub status: StatusForm,
    /// Its kind.
    #[serde(skip_serializing_if = "is_plain")]
    pub kind: KindForm,
}

impl Compaction {
    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        let Self { replaces, through, kept, ids, insert, at, retains, carried, content, status, kind } = self;
        see(replaces);
        through.visit(see);
        kept.visit(see);
        see(ids);
        see(insert);
        at.visit(see);
        see(retains);
        carried.visit(see);
        see(content);
        see(status);
        see(kind);
    }
}

/// Only the fields that are not plain, to be pasted into a test.
impl fmt::Debug for Compaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn field<T: fmt::Debug + Default + PartialEq>(
            f: &mut fmt::Formatter<'_>,
            name: &str,
            value: &T,
        ) -> fmt::Result {
            if is_plain(value) { Ok(()) } else { write!(f, "{name}: {value:?}, ") }
        }
        let Self { replaces, through, kept, ids, insert, at, retains, carried, content, status, kind } = self;
        f.write_str("Compaction { ")?;
        field(f, "replaces", replaces)?;
        field(f, "through", through)?;
        field(f, "kept", kept)?;
        field(f, "ids", ids)?;
        field(f, "insert", insert)?;
        field(f, "at", at)?;
        field(f, "retains", retains)?;
        field(f, "carried", carried)?;
        field(f, "content", content)?;
        field(f, "status", status)?;
        field(f, "kind", kind)?;
        f.write_str("..Compaction::default() }")
    }
}
