//! Compactions.

use crate::operand::operand;

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
            /// A summary of two parts.
            TwoParts,
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
            /// A summary whose part has no type.
            PartWithoutType,
            /// A summary whose part is a thought.
            Thought,
            /// A summary whose text is no string.
            TextNumber,
            /// A summary with parts that are no objects.
            Bare,
            /// `summary` is an object.
            SummaryObject,
            /// `opaque` is a list.
            OpaqueList,
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
