//! What the mechanical-sibling rule reads: a native session, stripped to what decides where its records branch.
//!
//! A registry entry makes these of native records; both implementations of the rule take them and answer with one
//! [`Placement`] each. Decisions that the rule leaves open are those of `readings.md` 0.5.

use crate::record::{BranchesFrom, Record};

/// One native record of a tree-stored source, in observation order.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeRecord {
    /// The native id, where the record has one. Of records with the same id the first defines it.
    pub id: Option<String>,
    /// The native id of the context predecessor; `None` where the native parent is empty.
    pub parent: Option<String>,
    /// The parent that the registry documents for a record whose native parent is empty.
    pub logical_parent: Option<String>,
    /// What became of the record.
    pub mapping: Mapping,
}

/// What became of a native record.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapping {
    /// No context-participating record: children attach to its own parent.
    Nothing,
    /// One unit: its context-participating records in seq order, never empty, under unique ids. The rule reads type,
    /// id, supersedes, assembly.mode, author, origin, role, status, callId and responseKey; it ignores branchesFrom.
    ///
    /// Revisions stand aside. The rule is about the other records of the unit, and its attachment point is the last of
    /// those; where there are none, the last revision. A marked rewrite whose parent leads back to the node that it
    /// revises would close a cycle: its parent counts as unknown.
    Unit(Vec<Record>),
    /// A part of the context record that another native record became: children attach to that one's unit, as they
    /// would attach to the record itself. (Claude Code writes a compaction as two records.)
    PartOf(String),
    /// A rewind to the attachment point of a native record, resolved like a native parent; to START where that is
    /// empty. A rewind whose target cannot be found is none. Children attach to the record's own parent.
    Rewind(Option<String>),
}

/// Where the rule puts a native record: the branchesFrom of each of its records, in order. Empty for native records
/// that are no unit.
pub type Placement = Vec<Option<BranchesFrom>>;
