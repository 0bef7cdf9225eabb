//! Messages, calls and results.

use crate::operand::operand;

operand! {
    /// What kind of message is written.
    Form MessageForm {
        sound {
            /// A prompt.
            Prompt,
            /// An answer of the model.
            Answer,
            /// For the user only: `audience: "user"`.
            Aside,
            /// `status: "withdrawn"`.
            Withdrawn,
            /// An answer with `status: "error"`.
            Failed,
            /// For the model: an audience that hides nothing.
            ForModel,
            /// `audience: "User"` and `status: "Withdrawn"`: no value that the algorithms know.
            Capitals,
        }
        odd {
            /// `audience: ["user"]`.
            AudienceList,
            /// `status: {"withdrawn": true}`.
            StatusObject,
            /// `audience` and `status` null.
            Nulls,
        }
    }
}

operand! {
    /// What a message says.
    Form WordsForm {
        sound {
            /// Nothing: it has no content.
            Absent,
            /// A text of its own.
            Own,
            /// The text of summaries.
            Summary,
            /// The text of summaries and one more.
            SummaryAndMore,
            /// The text of summaries in two parts.
            SummaryInParts,
            /// The text of summaries, in a part that is a thought.
            Thought,
            /// No parts.
            Empty,
        }
        odd {
            /// The text of summaries, in a part without type.
            NoType,
            /// The text of summaries, in a part whose type is no string.
            TypeNumber,
            /// A part whose text is no string.
            TextNumber,
            /// The text of summaries, in parts that are no objects.
            Bare,
            /// The text of summaries, as a string.
            Text,
            /// The text of summaries, in one part that is not in a list.
            Part,
            /// `null`.
            Null,
        }
    }
}

operand! {
    /// Who made a call.
    Form CallForm {
        sound {
            /// The model.
            Model,
            /// A program: `requestedBy: "code"`.
            Code,
            /// A program, as `parentCallId` says.
            Child,
            /// `parentCallId: null`: no program.
            NullParent,
            /// The user.
            User,
            /// `requestedBy: "Code"`: no value that the algorithms know.
            Capitals,
            /// For the user only and withdrawn, which means something on messages only.
            Aside,
        }
        odd {
            /// `requestedBy: ["code"]`.
            List,
            /// `parentCallId: 5`.
            ParentNumber,
        }
    }
}

operand! {
    /// How a call or a result states the key that pairs them.
    Form KeyForm {
        sound {
            /// `callId`.
            CallId,
            /// `toolCallId`, its synonym.
            ToolCallId,
            /// Both, with different keys: `callId` counts.
            Both,
            /// `callId`, and a call has the key of the call before.
            Shared,
        }
        odd {
            /// `callId` is a number and `toolCallId` a string.
            NumberFirst,
            /// `callId` is null and `toolCallId` a string.
            NullFirst,
            /// Only a number.
            Number,
            /// No key at all.
            Absent,
        }
    }
}

operand! {
    /// Which call a result belongs to.
    Form CallPick {
        sound {
            /// The n-th latest call.
            Recent,
            /// The n-th next call.
            Later,
            /// No call.
            Nobody,
        }
    }
}
