//! Claude Code: a tree by `uuid` and `parentUuid`, one content block per record.

mod render;

use super::{Noise, Phrased, Pointer, Recorded, Spelling, Turn};
use crate::native::ResponsePick;
use crate::operand::{Mask, Operand, is_plain, operand};
use crate::simplify::Operation;
use serde::{Deserialize, Serialize};

/// A line of a session.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Deserialize, Serialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "`form`, `turn` and `spelling` mean the same everywhere")]
pub enum Op {
    /// A `user` record without results.
    Prompt {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: PromptForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// An `assistant` record: a block of a response, or several.
    Answer {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: AnswerForm,
        /// The response that it belongs to.
        #[serde(default, skip_serializing_if = "is_plain")]
        response: ResponsePick,
        /// How many responses lie between, and how many records before one that is superseded.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A `user` record with results.
    Result {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: ResultForm,
        /// How many calls lie between.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// An `attachment`.
    Attachment {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: AttachmentForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A `system` record that is no boundary, or a `progress` record.
    System {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: SystemForm,
        /// Which records a refusal takes back.
        #[serde(default, skip_serializing_if = "is_plain")]
        taken_back: Mask,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A `compact_boundary`.
    Boundary {
        #[serde(default, skip_serializing_if = "is_plain")]
        link: LinkForm,
        /// The record before it.
        #[serde(default, skip_serializing_if = "is_plain")]
        before: Pointer,
        #[serde(default, skip_serializing_if = "is_plain")]
        kept: KeptForm,
        /// Which of the latest records it keeps.
        #[serde(default, skip_serializing_if = "is_plain")]
        which: Mask,
        #[serde(default, skip_serializing_if = "is_plain")]
        spelling: Spelling,
    },
    /// The summary of a compaction.
    Summary {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: SummaryForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A `microcompact_boundary`.
    Microcompact {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: MicroForm,
        /// The results of which of the latest calls it clears.
        #[serde(default, skip_serializing_if = "is_plain")]
        which: Mask,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A `last-prompt`.
    LastPrompt {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: LeafForm,
        /// The leaf that it names.
        #[serde(default, skip_serializing_if = "is_plain")]
        leaf: Pointer,
    },
    /// A record without an id, beside the tree.
    Fact {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: FactForm,
    },
    /// A record of the conversation that is written again, under the same id.
    Again {
        /// How many records of the conversation lie between.
        #[serde(default, skip_serializing_if = "is_plain")]
        n: u8,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A record of a subagent.
    Apart {
        #[serde(default, skip_serializing_if = "is_plain")]
        form: ApartForm,
        #[serde(default, skip_serializing_if = "is_plain")]
        turn: Turn,
    },
    /// A line that is no native record.
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
            0..48 => Self::plainest(),
            48..104 => Self::Answer { form: Default::default(), response: Default::default(), n: 0, turn },
            104..144 => Self::Result { form: Default::default(), n: 0, turn },
            144..160 => Self::Attachment { form: Default::default(), turn },
            160..172 => Self::System { form: Default::default(), taken_back: Mask::default(), turn },
            172..188 => Self::Boundary {
                link: Default::default(),
                before: Default::default(),
                kept: Default::default(),
                which: Mask::default(),
                spelling: Spelling::default(),
            },
            188..204 => Self::Summary { form: Default::default(), turn },
            204..212 => Self::Microcompact { form: Default::default(), which: Mask::default(), turn },
            212..226 => Self::LastPrompt { form: Default::default(), leaf: Default::default() },
            226..236 => Self::Fact { form: Default::default() },
            236..244 => Self::Again { n: 0, turn },
            244..250 => Self::Apart { form: Default::default(), turn },
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
            Self::Prompt { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::Answer { form, response, n, turn } => {
                see(form);
                see(response);
                see(n);
                turn.visit(see);
            }
            Self::Result { form, n, turn } => {
                see(form);
                see(n);
                turn.visit(see);
            }
            Self::Attachment { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::System { form, taken_back, turn } => {
                see(form);
                see(taken_back);
                turn.visit(see);
            }
            Self::Boundary { link, before, kept, which, spelling } => {
                see(link);
                before.visit(see);
                see(kept);
                see(which);
                see(spelling);
            }
            Self::Summary { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::Microcompact { form, which, turn } => {
                see(form);
                see(which);
                turn.visit(see);
            }
            Self::LastPrompt { form, leaf } => {
                see(form);
                leaf.visit(see);
            }
            Self::Fact { form } => see(form),
            Self::Again { n, turn } => {
                see(n);
                turn.visit(see);
            }
            Self::Apart { form, turn } => {
                see(form);
                turn.visit(see);
            }
            Self::Noise { form } => see(form),
        }
    }
}

operand! {
    /// A `user` record without results.
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
            /// `isMeta`.
            Meta,
            /// A command.
            Command,
            /// The output of a command.
            Output,
            /// A notice that the user has interrupted.
            Interrupted,
            /// From a person, as `origin.kind` says.
            Human,
            /// A notice that a task is done.
            Task,
            /// From another agent.
            Peer,
            /// From somewhere else.
            Channel,
            /// A text that equals the text of summaries.
            LikeSummary,
        }
        odd {
            /// No message.
            NoMessage,
            /// A message that is a string.
            MessageText,
            /// No content.
            NoContent,
            /// Content that is a number.
            Number,
            /// Blocks that are no objects, or have no type.
            Blocks,
            /// A text that is no string.
            TextNumber,
            /// `origin` is a string.
            OriginText,
            /// `isMeta` is a string.
            MetaText,
            /// No uuid.
            NoId,
            /// A uuid that is a number.
            IdNumber,
        }
    }
}

operand! {
    /// An `assistant` record.
    Form AnswerForm {
        sound {
            /// A text.
            Text,
            /// A thought.
            Thinking,
            /// A thought that cannot be read.
            Redacted,
            /// A call.
            Call,
            /// A text and a call.
            TextAndCall,
            /// Two calls.
            Calls,
            /// A call that the provider answers.
            ServerCall,
            /// A call and its answer by the provider.
            ServerCallAndResult,
            /// A switch to another model.
            Fallback,
            /// A switch to another model, and a text.
            FallbackAndText,
            /// No content in the list.
            Nothing,
            /// A text that no model wrote.
            Synthetic,
            /// An error of the service.
            Error,
            /// An error of the service, in a record with a call.
            ErrorAndCall,
            /// A text that was cut off.
            Aborted,
            /// A text that supersedes the n-th latest record of the conversation.
            Superseding,
        }
        odd {
            /// No message.
            NoMessage,
            /// Content that is a string.
            ContentText,
            /// A call without an id.
            CallWithoutId,
            /// A call whose id is a number.
            CallNumber,
            /// `message.id` is a number.
            ResponseNumber,
            /// `usage` of other types.
            Usage,
            /// `supersedesUuids` with a record that is not there, and with numbers.
            SupersedingMissing,
            /// `supersedesUuids` is a string.
            SupersedingText,
            /// No uuid.
            NoId,
        }
    }
}

operand! {
    /// A `user` record with results.
    Form ResultForm {
        sound {
            /// The result of a call.
            Plain,
            /// The result of a call that failed.
            Failed,
            /// A result, and what the user typed meanwhile.
            WithText,
            /// What the user typed, and a result.
            AfterText,
            /// The results of two calls.
            Two,
            /// A result whose call only the envelope names.
            Enveloped,
            /// A result without content.
            Empty,
        }
        odd {
            /// A result of no call.
            Nobody,
            /// A result that names no call.
            NoId,
            /// A result whose call is a number.
            IdNumber,
            /// Content that is an object.
            ContentObject,
        }
    }
}

operand! {
    /// An `attachment`.
    Form AttachmentForm {
        sound {
            /// What a hook said.
            Hook,
            /// A reminder.
            Reminder,
            /// A prompt that a person typed while the model worked.
            Queued,
            /// A notice that was queued.
            QueuedNotice,
            /// A prompt that another agent sent.
            QueuedPeer,
        }
        odd {
            /// No attachment.
            Absent,
            /// An attachment that is a string.
            Text,
            /// A queued prompt without words.
            QueuedNothing,
        }
    }
}

operand! {
    /// A `system` or `progress` record.
    Form SystemForm {
        sound {
            /// How long a turn took.
            Duration,
            /// An error of the service, to be tried again.
            ApiError,
            /// The progress of a tool.
            Progress,
            /// A refusal that takes records back.
            Refusal,
            /// Of a subtype of somebody's own.
            Other,
        }
        odd {
            /// No subtype.
            NoSubtype,
            /// A refusal that takes back a record that is not there.
            RefusalOfNothing,
        }
    }
}

operand! {
    /// How a boundary names the record before it.
    Form LinkForm {
        sound {
            /// As its logical parent; it has no parent.
            Logical,
            /// As its parent.
            Parent,
            /// As both.
            Both,
        }
        odd {
            /// Not at all.
            Neither,
            /// As its parent, beside a logical parent that is not there.
            LogicalMissing,
        }
    }
}

operand! {
    /// What a boundary says that it kept. The kept records go before the summary where the summary is on the
    /// next line.
    Form KeptForm {
        sound {
            /// Nothing.
            Unsaid,
            /// A list of records, behind the summary.
            List,
            /// A list of records, and all that stand for them.
            ListWithAll,
            /// A segment, behind the summary.
            Segment,
            /// A list and a segment.
            Both,
            /// A list of records before the summary.
            Before,
            /// A list of nothing.
            Empty,
        }
        odd {
            /// A list with a record that is not there.
            Missing,
            /// A list with something that is no string.
            Mixed,
            /// A list that is none.
            NoList,
            /// A segment whose ends are numbers.
            SegmentNumbers,
            /// A segment that ends before it begins.
            SegmentReversed,
            /// `compactMetadata` is a string.
            Text,
        }
    }
}

operand! {
    /// The summary of a compaction.
    Form SummaryForm {
        sound {
            /// A `user` record with a text.
            Message,
            /// A `user` record with a list.
            List,
            /// A `summary` record, as older versions wrote.
            Old,
        }
        odd {
            /// No message.
            NoMessage,
            /// Content that is a number.
            Number,
        }
    }
}

operand! {
    /// A `microcompact_boundary`.
    Form MicroForm {
        sound {
            /// Names the calls whose results it clears.
            Calls,
        }
        odd {
            /// Names a call without a result.
            Missing,
            /// Names numbers.
            Numbers,
            /// Names nothing.
            Nothing,
        }
    }
}

operand! {
    /// A `last-prompt`.
    Form LeafForm {
        sound {
            /// Names a leaf.
            Leaf,
            /// Pins the conversation to a leaf.
            Explicit,
            /// Names none.
            Nothing,
            /// Unpins the conversation.
            ExplicitNothing,
        }
        odd {
            /// `explicit` is a string.
            ExplicitText,
        }
    }
}

operand! {
    /// A record beside the tree.
    Form FactForm {
        sound {
            /// A snapshot of files.
            Snapshot,
            /// A mode.
            Mode,
            /// A queue operation.
            Queue,
            /// The title of a session, by a model.
            Title,
            /// The title of a session, by a person.
            CustomTitle,
            /// The summary of a conversation, as a title.
            SummaryTitle,
            /// Another version, in another folder.
            Moved,
            /// What the session was forked from.
            Forked,
        }
        odd {
            /// Of an unknown type.
            Unknown,
            /// Titles that are no strings.
            TitleNumber,
        }
    }
}

operand! {
    /// A record of a subagent.
    Form ApartForm {
        sound {
            /// Its prompt.
            Prompt,
            /// Its answer.
            Answer,
        }
        odd {
            /// `isSidechain` is a string, which is no flag.
            Text,
        }
    }
}
