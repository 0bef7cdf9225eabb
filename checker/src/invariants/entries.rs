//! Entries of paths and views, as invariants look at them.

use asr_spec::{Entry, Name};

/// Entries as they are.
pub(super) fn exactly(entries: Vec<Entry>) -> Vec<Entry> {
    entries
}

/// Without the numbers of malformed lines, which an insertion shifts.
pub(super) fn but_line(entries: Vec<Entry>) -> Vec<Entry> {
    let tell = |entry| if let Entry::Malformed { .. } = entry { Entry::Malformed { line: 0 } } else { entry };
    entries.into_iter().map(tell).collect()
}

/// Without revisions.
pub(super) fn but_rev(entries: Vec<Entry>) -> Vec<Entry> {
    let tell = |entry| match entry {
        Entry::Node { id, rev: _ } => Entry::Node { id, rev: None },
        Entry::Summary { id, rev: _ } => Entry::Summary { id, rev: None },
        other => other,
    };
    entries.into_iter().map(tell).collect()
}

/// Without the marker of inherited context.
pub(super) fn but_inherited(entries: Vec<Entry>) -> Vec<Entry> {
    entries.into_iter().filter(|entry| !matches!(entry, Entry::Inherited { .. })).collect()
}

/// The inherited marker, where there is one.
pub(super) fn inherited(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().filter(|entry| matches!(entry, Entry::Inherited { .. })).cloned().collect()
}

pub(super) fn is_gap(entry: &Entry) -> bool {
    matches!(entry, Entry::Gap { .. } | Entry::Malformed { .. })
}

/// Whether a view takes the entry over from the path.
pub(super) fn is_of_path(entry: &Entry) -> bool {
    matches!(entry, Entry::Node { .. } | Entry::Inherited { .. } | Entry::UnknownPredecessor) || is_gap(entry)
}

/// A node without revision.
pub(super) fn node(id: &str) -> Entry {
    Entry::Node { id: id.into(), rev: None }
}

/// A summary without revision.
pub(super) fn summary(id: &str) -> Entry {
    Entry::Summary { id: id.into(), rev: None }
}

/// The name of a node entry.
pub(super) fn node_name(entry: &Entry) -> Option<&Name> {
    if let Entry::Node { id, .. } = entry { Some(id) } else { None }
}

/// Whether a compaction inserted the entry.
pub(super) fn is_by(entry: &Entry, compaction: &str) -> bool {
    match entry {
        Entry::Summary { id, .. } | Entry::UnknownReplacement { id } | Entry::Retained { by: id, .. } => {
            id.0.as_deref() == Some(compaction)
        }
        Entry::Node { .. }
        | Entry::Gap { .. }
        | Entry::Malformed { .. }
        | Entry::UnresolvedRef { .. }
        | Entry::UnknownPredecessor
        | Entry::Inherited { .. } => false,
    }
}

/// The path to a node without the node itself, and without the gaps on the edge into it; and those gaps.
pub(super) fn edge(path: &[Entry]) -> Option<(&[Entry], &[Entry])> {
    let (_, before) = path.split_last()?;
    let end = before.iter().rposition(|entry| !is_gap(entry)).map_or(0, |last| last + 1);
    before.split_at_checked(end)
}

/// Whether all of `some` occur in `all`, in their order.
pub(super) fn is_subsequence(some: &[Entry], all: &[Entry]) -> bool {
    let mut rest = all.iter();
    some.iter().all(|entry| rest.any(|other| other == entry))
}

/// Entries as text, for reports.
pub(super) fn shown(entries: &[Entry]) -> String {
    asr_spec::Outcome::Entries(entries.to_vec()).to_string()
}
