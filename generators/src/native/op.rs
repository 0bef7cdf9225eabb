//! The operations of a native session.

use crate::form::Base;
use crate::operand::{Operand, is_plain, operand};
use crate::sessions::Phrased;
use crate::simplify::Operation;
use serde::{Deserialize, Serialize};

/// An operation: one native record.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Deserialize, Serialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum NativeOp {
    /// Maps to one or two new context-participating records.
    Unit {
        /// Which ones.
        #[serde(default, skip_serializing_if = "is_plain")]
        content: Content,
        /// The response that they belong to, where they are the model's.
        #[serde(default, skip_serializing_if = "is_plain")]
        response: ResponsePick,
        /// How many responses or calls lie between.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
        /// Where it hangs.
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// Maps to a revision of an earlier record; where there is none, to a prompt.
    Revise {
        /// How many records that start a unit lie between.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
        /// The record of its chain.
        #[serde(default, skip_serializing_if = "is_plain")]
        base: Base,
        /// How it says so, and what changes.
        #[serde(default, skip_serializing_if = "is_plain")]
        revision: NativeRevision,
        /// What else is in the unit.
        #[serde(default, skip_serializing_if = "is_plain")]
        tail: Tail,
        /// Where it hangs.
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// Maps to no context-participating record.
    Nothing {
        /// Where it hangs.
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// Is a part of what another native record became.
    PartOf {
        /// The other one.
        #[serde(default, skip_serializing_if = "is_plain")]
        of: Parent,
        /// Where it hangs.
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// Is a rewind.
    Rewind {
        /// Back to where.
        #[serde(default, skip_serializing_if = "is_plain")]
        to: Parent,
        /// Where it hangs.
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
}

impl Phrased for NativeOp {
    const NAME: &'static str = "NativeOp";

    /// Mostly units, as in native sessions.
    fn drawn(byte: u8) -> Self {
        let turn = Turn::default();
        match byte {
            0..150 => Self::plainest(),
            150..180 => Self::Revise {
                n: 0,
                base: Base::default(),
                revision: NativeRevision::default(),
                tail: Tail::default(),
                turn,
            },
            180..216 => Self::Nothing { turn },
            216..236 => Self::PartOf { of: Parent::default(), turn },
            236.. => Self::Rewind { to: Parent::default(), turn },
        }
    }
}

impl NativeOp {
    /// How the native record hangs in the tree.
    pub fn turn(&self) -> &Turn {
        match self {
            Self::Unit { turn, .. }
            | Self::Revise { turn, .. }
            | Self::Nothing { turn }
            | Self::PartOf { turn, .. }
            | Self::Rewind { turn, .. } => turn,
        }
    }
}

impl Operation for NativeOp {
    fn plainest() -> Self {
        Self::Unit {
            content: Content::default(),
            response: ResponsePick::default(),
            n: 0,
            turn: Turn::default(),
        }
    }

    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        match self {
            Self::Unit { content, response, n, turn } => {
                see(content);
                see(response);
                see(n);
                turn.visit(see);
            }
            Self::Revise { n, base, revision, tail, turn } => {
                see(n);
                see(base);
                see(revision);
                see(tail);
                turn.visit(see);
            }
            Self::Nothing { turn } => turn.visit(see),
            Self::PartOf { of, turn } => {
                of.visit(see);
                turn.visit(see);
            }
            Self::Rewind { to, turn } => {
                to.visit(see);
                turn.visit(see);
            }
        }
    }
}

/// How a native record hangs in the tree.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// Its native parent.
    #[serde(skip_serializing_if = "is_plain")]
    pub parent: Parent,
    /// Whether it has a logical parent.
    #[serde(skip_serializing_if = "is_plain")]
    pub has_logical: LogicalForm,
    /// The logical parent.
    #[serde(skip_serializing_if = "is_plain")]
    pub logical: Parent,
    /// Its id.
    #[serde(skip_serializing_if = "is_plain")]
    pub id: NativeId,
    /// What its records say of branches before the rule.
    #[serde(skip_serializing_if = "is_plain")]
    pub stale: Stale,
}

impl Turn {
    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        let Self { parent, has_logical, logical, id, stale } = self;
        parent.visit(see);
        see(has_logical);
        logical.visit(see);
        see(id);
        see(stale);
    }
}

/// A native record that another one names.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parent {
    /// How it is found.
    #[serde(skip_serializing_if = "is_plain")]
    pub to: ParentPick,
    /// How many candidates are passed over first.
    #[serde(skip_serializing_if = "is_plain")]
    pub n: u8,
}

impl Parent {
    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        let Self { to, n } = self;
        see(to);
        see(n);
    }
}

operand! {
    /// How a native record names another.
    Pick ParentPick {
        sound {
            /// The n-th latest unit.
            Unit,
            /// The n-th latest native record of any kind.
            Record,
            /// The n-th latest native record that is no unit.
            Unmapped,
            /// Not at all.
            Empty,
        }
        odd {
            /// The n-th next native record.
            Later,
            /// Itself.
            Itself,
            /// A native record that is not there.
            Missing,
        }
    }
}

operand! {
    /// Whether a native record has a logical parent.
    Form LogicalForm {
        sound {
            /// It has none.
            Absent,
            /// It has one beside whatever parent it has.
            Present,
            /// It has one in the place of its parent.
            Instead,
        }
    }
}

operand! {
    /// The id of a native record.
    Form NativeId {
        sound {
            /// One of its own.
            Own,
        }
        odd {
            /// None.
            Absent,
            /// That of the native record before.
            Again,
        }
    }
}

operand! {
    /// What records say of branches before the rule, which overwrites it.
    Form Stale {
        sound {
            /// Nothing.
            Absent,
            /// That they start anew.
            Start,
        }
    }
}

operand! {
    /// The records of a unit.
    Form Content {
        sound {
            /// A prompt.
            Prompt,
            /// An answer.
            Answer,
            /// An answer and a call.
            AnswerAndCall,
            /// A call.
            Call,
            /// Two calls.
            Calls,
            /// A result.
            Result,
            /// A result and a prompt.
            ResultAndPrompt,
            /// A compaction.
            Compaction,
            /// An answer that failed.
            Failed,
            /// An answer that was interrupted.
            Interrupted,
            /// An answer that failed, and a call.
            FailedAndCall,
            /// A prompt with the status of a failure, which is no failed attempt.
            FailedPrompt,
            /// A message of the harness.
            Harness,
            /// A message of a hook.
            Hook,
            /// A message that was injected.
            Injected,
            /// A message from memory.
            Memory,
            /// A message that was retrieved.
            Retrieval,
            /// A notice.
            Notice,
            /// A prompt and, after it, a message of the harness.
            PromptAndHarness,
            /// A message whose author differs from `harness` by a capital.
            Capitals,
        }
    }
}

operand! {
    /// The response that records of the model belong to.
    Form ResponsePick {
        sound {
            /// A new one.
            Fresh,
            /// The n-th latest one.
            Recent,
            /// None that the source names.
            Absent,
        }
    }
}

operand! {
    /// How a native record says that it revises, and what changes.
    Form NativeRevision {
        sound {
            /// A marked rewrite.
            Rewrite,
            /// A marked rewrite that failed.
            RewriteFailed,
            /// A plain revision.
            Plain,
            /// A plain revision that failed.
            PlainFailed,
            /// A plain revision that completes.
            PlainCompleted,
            /// Under an assembly mode that marks nothing.
            Merge,
        }
        odd {
            /// A marked rewrite of a record that is not there.
            Dangling,
            /// A marked rewrite of a record of another type.
            OtherType,
        }
    }
}

operand! {
    /// What else is in a unit that revises.
    Form Tail {
        sound {
            /// Nothing.
            Absent,
            /// A new call.
            Call,
        }
    }
}
