//! The forms in which operations write their fields: what a file can say about one thing, sound or odd.
//!
//! Each enum is one operand. Sound values keep a stream valid, and the first of them is the plainest; odd values break
//! a rule, or write what a reader must not trip over. Types that no rule covers are written as odd as well.

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

operand! {
    /// What a rewind says.
    Form RewindForm {
        sound {
            /// Back to a record.
            To,
            /// Back to an empty context: `to: null`.
            Start,
            /// Back to a record, with `restoreRequested`.
            Restoring,
        }
        odd {
            /// No `to`.
            NoTarget,
            /// No `reason`.
            NoReason,
        }
    }
}

operand! {
    /// Which record of a chain a revision supersedes.
    Form Base {
        sound {
            /// The latest one.
            Latest,
            /// The first one, which forks a chain that has more.
            First,
        }
    }
}

operand! {
    /// What a revision changes in its node.
    Form Change {
        sound {
            /// Nothing that the algorithms read.
            Nothing,
            /// Hides it: a message is for the user only, a call is a program's, a compaction has no content.
            Hide,
            /// Shows it: undoes the other changes and completes a compaction.
            Show,
            /// Withdraws a message, makes a call the child of another, leaves a compaction in progress.
            Withdraw,
            /// A message or compaction that failed; a call without a parent.
            Fail,
            /// Lets the refs of a compaction name the next candidates.
            Advance,
        }
        odd {
            /// Another entity key (ASR-352.c).
            OtherKey,
        }
    }
}

operand! {
    /// How a revision comes about.
    Form Manner {
        sound {
            /// Plainly, with the branchesFrom of the record that it supersedes.
            Plain,
            /// As a marked rewrite with the same branchesFrom, or the one that a mark asks for.
            Rewrite,
            /// As a marked rewrite without branchesFrom.
            Bare,
            /// Under an assembly mode that marks nothing.
            Merge,
        }
        odd {
            /// Plainly, without the branchesFrom that it should repeat.
            Dropped,
            /// `assembly: "rewrite"`, which marks nothing.
            AssemblyText,
            /// `assembly.mode: "Rewrite"`, which marks nothing.
            Capitals,
        }
    }
}

operand! {
    /// A form of `branchesFrom`. A sound one is left out where it would break a rule.
    Form BranchForm {
        sound {
            /// `{"record": ref}`.
            Record,
            /// `{"record": null}`.
            Start,
            /// `{"state": "unknown"}`.
            Unknown,
        }
        odd {
            /// `{"record": ref}`, on any record, whatever it breaks or closes.
            Forced,
            /// `{"record": null}`, on any record.
            ForcedStart,
            /// `{}`.
            Empty,
            /// `null`.
            Null,
            /// The ref itself.
            Text,
            /// `[]`.
            List,
            /// `{"state": "lost"}`.
            OtherState,
            /// `{"state": 5}`.
            NumberState,
            /// Both keys.
            Both,
            /// A null record and a state.
            NullAndState,
        }
    }
}

operand! {
    /// A form of `replaces`, with keptFromId.
    Form ReplacesForm {
        sound {
            /// A range.
            Through,
            /// A range with a kept end.
            Kept,
            /// A set.
            Ids,
            /// `{"state": "unknown"}`.
            Unknown,
        }
        odd {
            /// `{}`.
            Nothing,
            /// No `replaces`.
            Absent,
            /// `null`.
            Null,
            /// A range and a set.
            Several,
            /// A range and an unknown state.
            ThroughAndState,
            /// `{"state": "lost"}`.
            OtherState,
            /// A string.
            Text,
            /// `ids` is a string.
            IdsText,
            /// A set with elements that are no strings.
            IdsMixed,
            /// `throughId: null`.
            ThroughNull,
            /// keptFromId after throughId.
            KeptAfter,
            /// keptFromId with a set.
            KeptWithIds,
            /// keptFromId names nothing.
            KeptNowhere,
        }
    }
}

operand! {
    /// A form of `insertAt`.
    Form InsertForm {
        sound {
            /// None.
            Absent,
            /// `{"afterId": ref}`.
            After,
            /// `{"beforeId": ref}`.
            Before,
            /// `{"afterId": null}`.
            Start,
        }
        odd {
            /// Both keys.
            Both,
            /// `afterId: null` and a beforeId.
            StartAndBefore,
            /// `{}`.
            Empty,
            /// `{"beforeId": null}`.
            BeforeNull,
            /// `null`.
            Null,
            /// A string.
            Text,
        }
    }
}

operand! {
    /// A form of `retains`.
    Form RetainsForm {
        sound {
            /// None.
            Absent,
            /// One record.
            One,
            /// One, shortened.
            Cut,
            /// One, in full.
            Full,
            /// Two records, the earlier one shortened.
            Two,
            /// The same record twice.
            Twice,
            /// `[]`.
            Empty,
        }
        odd {
            /// An entry without ref.
            NoRef,
            /// Another capture.
            OtherCapture,
            /// A capture that is no string.
            NumberCapture,
            /// An entry that is no object, before one that is.
            Mixed,
            /// `retains` is an object.
            NotList,
            /// `retains` is null.
            Null,
        }
    }
}

operand! {
    /// The content of a compaction.
    Form ContentForm {
        sound {
            /// A summary.
            Summary,
            /// None.
            Absent,
            /// An opaque state.
            Opaque,
            /// Both.
            Both,
            /// `summary: []`.
            EmptySummary,
            /// `opaque: {}`.
            EmptyOpaque,
            /// An opaque state of which only the format is known.
            FormatOnly,
        }
        odd {
            /// `summary` is a string.
            SummaryText,
            /// `opaque` is a string.
            OpaqueText,
            /// Both are null.
            Nulls,
            /// `summary` is a string beside an opaque state.
            TextAndOpaque,
        }
    }
}

operand! {
    /// The status of a compaction.
    Form StatusForm {
        sound {
            /// None.
            Absent,
            /// `completed`.
            Completed,
            /// `failed`.
            Failed,
            /// `in_progress`.
            InProgress,
            /// `cancelled`.
            Cancelled,
            /// A value of somebody's own.
            Partial,
            /// `Completed`, which is not `completed`.
            Capitals,
        }
        odd {
            /// `null`.
            Null,
            /// `5`.
            Number,
            /// `{}`.
            Object,
        }
    }
}

operand! {
    /// The kind of a compaction, which no algorithm reads.
    Form KindForm {
        sound {
            /// `summary`.
            Summary,
            /// `prune`.
            Prune,
            /// `mask`.
            Mask,
            /// `provider_native`.
            ProviderNative,
            /// `reset`, with `historyRetained: false` where a gap record stands for the history.
            Reset,
            /// `branch_summary`.
            BranchSummary,
            /// A value of somebody's own.
            Other,
        }
        odd {
            /// `reset` with `historyRetained: false`, gap or no gap.
            Destroyed,
            /// No kind.
            Absent,
            /// A number.
            Number,
            /// No compactionId.
            NoId,
        }
    }
}

operand! {
    /// What a gap record does.
    Form GapForm {
        sound {
            /// Stands for itself.
            Fresh,
            /// Supersedes the latest gap record.
            Revising,
        }
    }
}

operand! {
    /// A form of `heads`.
    Form HeadsForm {
        sound {
            /// None.
            Absent,
            /// One head.
            One,
            /// Two heads.
            Two,
            /// `[null, ref]`.
            NoPrimary,
            /// `[null]`.
            Nobody,
            /// `[]`.
            Empty,
        }
        odd {
            /// `null`.
            Null,
            /// The ref itself.
            Text,
            /// `{"0": ref}`.
            Object,
            /// A first element that is no string.
            Mixed,
            /// A null head after the first.
            LaterNull,
        }
    }
}

operand! {
    /// A form of `lineage`.
    Form LineageForm {
        sound {
            /// None.
            Absent,
            /// Referenced, through a record.
            ThroughId,
            /// Referenced, through an ordinal.
            Ordinal,
            /// Referenced, through an ordinal that is written as a fraction.
            OrdinalFraction,
            /// Referenced, through an ordinal beyond any machine number.
            OrdinalHuge,
            /// Referenced, through both.
            Both,
            /// Referenced as a whole, from a session that is named by an object.
            Whole,
            /// Copied.
            Copied,
            /// A mode of somebody's own.
            OtherMode,
        }
        odd {
            /// `null`.
            Null,
            /// `{"inherits": null}`.
            NullInherits,
            /// A string.
            Text,
            /// `inherits` is a string.
            InheritsText,
            /// Referenced, through nulls.
            ThroughNulls,
            /// Referenced, from nowhere.
            NoFrom,
            /// A mode that is no string.
            NumberMode,
        }
    }
}

operand! {
    /// An audit-only record.
    Form AuditForm {
        sound {
            /// A usage report.
            Usage,
            /// A vendor's own type.
            Vendor,
            /// A file change.
            FileChange,
            /// A file change that the latest rewind caused.
            Restored,
            /// A permission decision.
            Permission,
            /// A tombstone for the latest node.
            Tombstone,
            /// A type that differs from `message` by a capital.
            Capitals,
        }
        odd {
            /// A file change that no rewind caused.
            RestoredByNobody,
            /// No type.
            NoType,
            /// A type that is no string.
            NumberType,
            /// A null type.
            NullType,
        }
    }
}

operand! {
    /// The id of the next record.
    Form IdForm {
        sound {
            /// `malformed`, which names a gap marker of its own.
            Malformed,
            /// The entity key of the n-th latest node.
            Key,
            /// Quotes, a backslash, a control character, letters beyond ASCII.
            Awkward,
            /// The empty string.
            Empty,
        }
        odd {
            /// The id of the n-th latest record.
            Again,
            /// None.
            Missing,
            /// A number.
            Number,
            /// Null.
            Null,
            /// A list that holds the id.
            List,
        }
    }
}

operand! {
    /// The seq of the next record.
    Form SeqForm {
        sound {
            /// Some are left out before it.
            Skip,
        }
        odd {
            /// That of the record before.
            Again,
            /// Less than that of the record before.
            Lower,
            /// None.
            Missing,
            /// Null.
            Null,
            /// Its value as a fraction.
            Fraction,
            /// Its value with an exponent.
            Exponent,
            /// Its value as a string.
            Text,
            /// `true`.
            Bool,
            /// `-0`.
            MinusZero,
            /// The largest one.
            Largest,
            /// The smallest one.
            Smallest,
            /// One more than the largest one.
            TooLarge,
            /// A number beyond any machine number.
            Huge,
        }
    }
}

operand! {
    /// How the next line is spelled. The record stays the same.
    Form SpellForm {
        sound {
            /// Space around every token, a carriage return among it.
            Spaced,
            /// A carriage return before the line end.
            Crlf,
            /// Every letter as an escape.
            Escapes,
            /// Every key twice, at the second level as well; the last one counts.
            Twice,
            /// Keys in reverse order.
            Reversed,
            /// A field of 126 nested lists, so that the record has 127 levels.
            Deep,
            /// A field of numbers beyond any machine number.
            Numbers,
            /// Fields with the names that a JSON library keeps for itself.
            Private,
            /// A field of surrogate pairs and other escapes.
            Surrogates,
            /// Fields whose content looks like structure.
            Decoys,
            /// A byte order mark, where the line is the first one.
            Bom,
            /// No line end, where the line is the last one.
            Unended,
        }
    }
}

operand! {
    /// A line with nothing in it.
    Form BlankForm {
        sound {
            /// Empty.
            Empty,
            /// A space and a tab.
            Spaces,
            /// A carriage return.
            Return,
        }
    }
}

operand! {
    /// What is wrong with a line that would have been a message.
    Form Damage {
        sound {
            /// Cut off before the last brace.
            Cut,
            /// Cut off within a string.
            CutString,
            /// Within a list.
            List,
            /// Only a number.
            Scalar,
            /// Only `null`.
            Null,
            /// Within a string.
            Text,
            /// A comma after the last field.
            TrailingComma,
            /// A letter after the last brace.
            Garbage,
            /// A second object on the same line.
            TwoObjects,
            /// A comment.
            Comment,
            /// A brace of another kind at the end.
            WrongBrace,
            /// Single quotes.
            SingleQuotes,
            /// A key without quotes.
            BareKey,
            /// A byte that UTF-8 does not have, in a field that nobody reads.
            InvalidUtf8,
            /// An overlong form of a slash.
            Overlong,
            /// A surrogate in UTF-8.
            EncodedSurrogate,
            /// An unpaired surrogate escape in a value.
            LoneSurrogate,
            /// An unpaired surrogate escape in a key.
            LoneSurrogateKey,
            /// A surrogate pair in the wrong order.
            SwappedSurrogates,
            /// 128 levels.
            TooDeep,
            /// A zero before a number.
            LeadingZero,
            /// A point with nothing after it.
            BarePoint,
            /// A point with nothing before it.
            PointFirst,
            /// An exponent with nothing after it.
            BareExponent,
            /// A plus before a number.
            Plus,
            /// `NaN`.
            NotANumber,
            /// `-Infinity`.
            Infinity,
            /// A tab within a string.
            RawTab,
            /// An escape that JSON does not have.
            BadEscape,
            /// A Unicode escape of two digits.
            ShortEscape,
            /// A form feed for white space.
            FormFeed,
            /// A space that is not JSON white space.
            WideSpace,
            /// Two byte order marks.
            TwoBoms,
            /// A zero byte after the record.
            ZeroByte,
        }
    }
}
