//! Pi, formats 1 to 3: a header, and a tree of entries by `id` and `parentId`.

mod render;

use super::{Noise, Phrased, Pointer, Recorded, Turn};
use crate::operand::{Operand, is_plain, operand};
use crate::simplify::Operation;
use serde::{Deserialize, Serialize};

/// A line of a session. The header stands on the first line, whatever the operations are.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Deserialize, Serialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "`turn` and `form` mean the same everywhere")]
pub enum Op {
    /// Changes the header; the first one counts. It writes no line.
    Header {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: HeaderForm,
    },
    /// A message of the role `user`.
    Prompt {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: PromptForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A message of the role `assistant`.
    Answer {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: AnswerForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A message of the role `toolResult`.
    Result {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: ResultForm,
        /// How many calls lie between.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// What extensions, the shell and the program add.
    Added {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: AddedForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A compaction.
    Compaction {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: CompactionForm,
        /// The first entry kept.
        #[serde(default, skip_serializing_if = "is_plain")]
        kept: Pointer,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// The summary of an abandoned branch.
    Branch {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: BranchForm,
        /// The end of the branch.
        #[serde(default, skip_serializing_if = "is_plain")]
        from: Pointer,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// An edit of an entry.
    Edit {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: EditForm,
        /// The entry.
        #[serde(default, skip_serializing_if = "is_plain")]
        target: Pointer,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// An entry that says where Pi is.
    Leaf {
        /// Where.
        #[serde(default, skip_serializing_if = "is_plain")]
        target: Pointer,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// An entry beside the conversation.
    Fact {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: FactForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A line that is no entry.
    Noise {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: Noise,
    },
}

impl Phrased for Op {
    const NAME: &'static str = "Op";

    fn drawn(byte: u8) -> Self {
        let turn = Turn::default();
        match byte {
            0..56 => Self::plainest(),
            56..104 => Self::Answer { form: Default::default(), turn },
            104..136 => Self::Result { form: Default::default(), n: 0, turn },
            136..156 => Self::Added { form: Default::default(), turn },
            156..180 => Self::Compaction { form: Default::default(), kept: Pointer::default(), turn },
            180..196 => Self::Branch { form: Default::default(), from: Pointer::default(), turn },
            196..208 => Self::Edit { form: Default::default(), target: Pointer::default(), turn },
            208..220 => Self::Leaf { target: Pointer::default(), turn },
            220..242 => Self::Fact { form: Default::default(), turn },
            242..250 => Self::Header { form: Default::default() },
            250.. => Self::Noise { form: Default::default() },
        }
    }
}

impl Recorded for Op {
    fn render(ops: &[Self]) -> Vec<u8> {
        render::render(ops)
    }
}

impl Operation for Op {
    fn plainest() -> Self {
        Self::Prompt { form: PromptForm::default(), turn: Turn::default() }
    }

    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Operand)) {
        match self {
            Self::Header { form } => see(form),
            Self::Prompt { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::Answer { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::Result { form, n, turn } => {
                see(form);
                see(n);
                turn.visit(see);
            }
            Self::Added { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::Compaction { form, kept, turn } => {
                see(form);
                kept.visit(see);
                turn.visit(see);
            }
            Self::Branch { form, from, turn } => {
                see(form);
                from.visit(see);
                turn.visit(see);
            }
            Self::Edit { form, target, turn } => {
                see(form);
                target.visit(see);
                turn.visit(see);
            }
            Self::Leaf { target, turn } => {
                target.visit(see);
                turn.visit(see);
            }
            Self::Fact { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::Noise { form } => see(form),
        }
    }
}

operand! {
    /// What the header says.
    Form HeaderForm {
        sound {
            /// Format 3.
            Three,
            /// Format 2.
            Two,
            /// Format 1: entries have no ids and no parents.
            One,
            /// Format 1, which it does not say.
            Unsaid,
            /// Format 3, forked from another session.
            Forked,
        }
        odd {
            /// Format 4.
            Four,
            /// A format that is a string.
            Text,
            /// No id.
            NoId,
        }
    }
}

operand! {
    /// A message of the role `user`.
    Form PromptForm {
        sound {
            /// A text.
            Text,
            /// A list of one text.
            List,
            /// A text and a picture.
            Picture,
            /// No content in the list.
            Nothing,
            /// A text that equals the text of summaries.
            LikeSummary,
        }
        odd {
            /// No message.
            NoMessage,
            /// A message that is a string.
            MessageText,
            /// Content that is a number.
            Number,
            /// Blocks that are no objects, or have no type.
            Blocks,
            /// No role.
            NoRole,
            /// A role that nobody knows.
            OtherRole,
            /// No id.
            NoId,
            /// An id that is a number.
            IdNumber,
            /// The id of the entry before.
            IdAgain,
        }
    }
}

operand! {
    /// A message of the role `assistant`.
    Form AnswerForm {
        sound {
            /// A text.
            Text,
            /// A thought and a text.
            Thinking,
            /// A call.
            Call,
            /// A text and two calls.
            TextAndCalls,
            /// A call between two texts.
            CallBetween,
            /// No content in the list.
            Nothing,
            /// An error.
            Error,
            /// An error after a call.
            ErrorAndCall,
            /// An answer that was cut off.
            Aborted,
        }
        odd {
            /// A call without an id.
            CallWithoutId,
            /// A call whose id is a number.
            CallNumber,
            /// `usage` and `stopReason` of other types.
            Usage,
        }
    }
}

operand! {
    /// A message of the role `toolResult`.
    Form ResultForm {
        sound {
            /// The result of a call.
            Plain,
            /// The result of a call that failed.
            Failed,
        }
        odd {
            /// A result of no call.
            Nobody,
            /// A result that names no call.
            NoId,
            /// Content that is an object.
            ContentObject,
        }
    }
}

operand! {
    /// What extensions, the shell and the program add.
    Form AddedForm {
        sound {
            /// A `custom_message`.
            Custom,
            /// A message of the role `custom`.
            CustomRole,
            /// A message of the role `hookMessage`.
            Hook,
            /// A message of the role `system`.
            System,
            /// A command that a person ran.
            Shell,
            /// A command that the model is not told of.
            ShellExcluded,
            /// A command that failed, with output cut.
            ShellFailed,
            /// A message of the role `compactionSummary`.
            CompactionSummary,
            /// A message of the role `branchSummary`.
            BranchSummary,
        }
        odd {
            /// A command of other types.
            ShellNumbers,
        }
    }
}

operand! {
    /// How a compaction says what it kept.
    Form CompactionForm {
        sound {
            /// By the id of the first entry.
            Id,
            /// By its own id: nothing.
            Own,
            /// By the number of an entry, as format 1 did.
            Index,
        }
        odd {
            /// Not at all.
            Unsaid,
            /// By a number beyond the file.
            IndexBeyond,
            /// Without a summary.
            NoSummary,
            /// With a summary of another type.
            SummaryNumber,
        }
    }
}

operand! {
    /// How the summary of a branch names it.
    Form BranchForm {
        sound {
            /// By its end.
            End,
            /// By the point that was returned to, as older versions did.
            Point,
            /// By `root`, as older versions did.
            Root,
        }
        odd {
            /// Not at all.
            Unsaid,
        }
    }
}

operand! {
    /// What an edit does.
    Form EditForm {
        sound {
            /// Removes the entry.
            Remove,
            /// Replaces its content.
            Replace,
        }
        odd {
            /// Replaces it by a number.
            Number,
            /// Does not say.
            Unsaid,
        }
    }
}

operand! {
    /// An entry beside the conversation.
    Form FactForm {
        sound {
            /// Another model.
            Model,
            /// Another level of thinking.
            Level,
            /// A label.
            Label,
            /// The name of the session.
            Name,
            /// What an extension remembers.
            Custom,
        }
        odd {
            /// Of an unknown type.
            Unknown,
            /// A name that is no string.
            NameNumber,
        }
    }
}
