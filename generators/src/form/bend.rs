//! What bends a path: rewinds, revisions, branches.

use crate::operand::operand;

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
