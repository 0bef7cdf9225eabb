//! What a validator reports, and where.
//!
//! A finding points at the value that breaks the requirement, or at the record as a whole where a member is missing or
//! where no single value is to blame. Where one value breaks several requirements each is reported. What the chapter
//! does not settle about reporting is settled here:
//!
//! * A member that is null counts as absent, except where a null has a meaning, and except that `branchesFrom: null`
//!   breaks ASR-358.a (and nothing else).
//! * Structural refs (ASR-351, ASR-080) are rewind.to, branchesFrom.record of any record, session_info.heads, and of a
//!   compaction replaces.throughId, replaces.ids, keptFromId, insertAt.afterId, insertAt.beforeId and retains.ref.
//!   ASR-080 is about `supersedes` as well. A ref that is no string names no record.
//! * "Earlier" compares the place in stream order of the record that carries the ref with that of the one record that
//!   the ref names, whatever its type.
//! * ASR-014 looks at the records as they stand in the file: a seq must exceed that of the nearest record before it that
//!   has one. U-13 reports every later bearer of an id.
//! * ASR-352 is not about rewinds (ASR-356.d is), and ASR-352.c only about records of the same type; an entity key that
//!   is no string counts as absent, and the pointer is the key that was compared (`/messageId`, `/compactionId`,
//!   `/callId` or `/toolCallId`), or the record without one.
//!   ASR-352.b points at the record, and a type that is no string is none; ASR-352.d points at `/branchesFrom`, or at
//!   the record without one. ASR-356.e is broken by any `supersedes` that is the id of a rewind.
//! * ASR-359 is about the first record of a chain and every marked rewrite; it points at `/branchesFrom`.
//! * ASR-366.a is reported once for each cycle, at the first record of the member that comes first.
//! * ASR-371.a: with none or several of the three forms it points at `/replaces`; besides, each value of a wrong type
//!   is reported (a throughId or an element of ids that is no string, ids that is no array, a state that is not
//!   `unknown`). ASR-371.b counts keys, null or not, and points at `/insertAt`, also where that is no object.
//!   ASR-371.e points at `/retains` where that is no array, at the element where it has no ref, at its ref otherwise.
//! * ASR-372 is about the latest revision of each compaction, and its ASR-372.c about targets that are earlier, where
//!   the compaction's own path is no cycle; ASR-372.d points at `/keptFromId`.
//! * ASR-375.b is reported at `/historyRetained` of every compaction record that says false, where the stream has no
//!   gap record.
//! * Warnings: ASR-009 at each malformed line. ASR-364.b at `/heads` of the session_info whose heads are in force, where
//!   the first of them is a node, some node begins after that session_info, and the default head is another. ASR-373.a
//!   at `/content` of a message whose parts of type `text`, joined by line feeds, equal those of some compaction's
//!   summary and are not empty. ASR-374.a at each element of a branch_summary's ids that no record bears. ASR-374.b at each member
//!   of a `tombstone` record, except type and id, whose value is an element of some branch_summary's ids.

use crate::{Name, Requirement};

/// A place in a stream where a requirement is broken, or probably is.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Finding {
    /// What is broken.
    pub requirement: Requirement,
    /// The physical line, counted from 1.
    pub line: u64,
    /// The record on that line.
    pub record: Name,
    /// The offending value as a JSON Pointer (RFC 6901) into the record: empty for the record as a whole, as where a
    /// member is missing.
    pub pointer: String,
    /// What was found there, in a few words. What was expected is the text of the requirement.
    pub found: String,
}

impl Finding {
    /// What identifies the finding. Two validators must agree on this; they may word it differently.
    pub fn key(&self) -> (u64, Requirement, &str, &Name) {
        (self.line, self.requirement, &self.pointer, &self.record)
    }
}

/// Everything that a validator found in a stream, by line.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Serialize)]
pub struct Report {
    /// What makes the stream invalid (`readings.md` 0.6).
    pub violations: Vec<Finding>,
    /// What is allowed and yet probably wrong: malformed lines (ASR-009), heads that look stale (ASR-364.b), a message
    /// that repeats a summary (ASR-373.a), a summarised branch that lost records (ASR-374.a) or has tombstones
    /// (ASR-374.b).
    pub warnings: Vec<Finding>,
}

impl Report {
    /// Whether the stream is valid.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Puts the findings into the order of a report: by line, requirement and pointer.
    pub fn sort(&mut self) {
        let Self { violations, warnings } = self;
        for findings in [violations, warnings] {
            findings.sort_by(|a, b| a.key().cmp(&b.key()));
        }
    }
}
