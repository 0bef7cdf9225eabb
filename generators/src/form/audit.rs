//! Audit-only records.

use crate::operand::operand;

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
