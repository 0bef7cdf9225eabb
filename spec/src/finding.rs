//! What a validator reports.

use crate::{Name, Requirement};

/// A place in a stream where a requirement is broken, or probably is.
#[derive(Clone, Debug, Eq, PartialEq)]
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
#[derive(Clone, Debug, Default, Eq, PartialEq)]
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
