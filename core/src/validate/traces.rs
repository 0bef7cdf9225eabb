//! Traces of what a converter should not have done, or has forgotten. The deed itself is not in the stream:
//! these are necessary conditions (ASR-357, ASR-375) and suspicions (ASR-373, ASR-374).

#![expect(clippy::indexing_slicing, reason = "rows are numbers that the index handed out")]

use super::Validator;
use super::record::Pointer;
use super::record::{Record, Shown, pointer_to};
use crate::index::{Index, Kind};
use crate::scan::Value;
use asr_spec::{RefStatus, Requirement};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What the stream has somewhere, possibly behind the record at hand.
pub(crate) struct Traces<'a> {
    has_gap: bool,
    /// The texts of the summaries.
    summaries: HashSet<Vec<u8>>,
    /// The ids that branch summaries replace.
    summarized: HashSet<Cow<'a, [u8]>>,
}

impl<'a> Traces<'a> {
    pub(crate) fn of(index: &'a Index<'_>) -> Self {
        let has_gap = index.kinds.contains(&Kind::Gap);
        let (mut summaries, mut summarized) = (HashSet::new(), HashSet::new());
        let mut record = Record::default();
        for (row, _) in (0..).zip(&index.kinds).filter(|(_, kind)| **kind == Kind::Compaction) {
            record.read(index, row);
            summaries.extend(Some(text(record.get("summary"))).filter(|text| !text.is_empty()));
            for id in summarized_by(&record).into_iter().flat_map(Value::elements) {
                if let Value::String(id) = id {
                    summarized.insert(id.decode());
                }
            }
        }
        Self { has_gap, summaries, summarized }
    }

    /// Whether the content of a message matters.
    pub(crate) fn has_summaries(&self) -> bool {
        !self.summaries.is_empty()
    }
}

/// The text parts of a content, joined by line feeds.
fn text(content: Value<'_>) -> Vec<u8> {
    let mut joined = Vec::new();
    let mut is_first = true;
    for part in content.elements().filter(|part| part.member(b"type").is(b"text")) {
        if let Value::String(text) = part.member(b"text") {
            if !std::mem::take(&mut is_first) {
                joined.push(b'\n');
            }
            joined.extend_from_slice(&text.decode());
        }
    }
    joined
}

/// The ids of a branch summary.
fn summarized_by<'a>(compaction: &Record<'a>) -> Option<Value<'a>> {
    let is_branch_summary = compaction.get("kind").is(b"branch_summary");
    is_branch_summary.then(|| compaction.get("replaces").member(b"ids"))
}

/// ASR-357.b
pub(super) fn restoration(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let restore = record.get("cause").member(b"restore");
    if !record.get("type").is(b"file_change") || !restore.is_present() {
        return;
    }
    let is_rewind = |row| validator.index.kinds[row as usize] == Kind::Rewind;
    if !validator.bearer(restore).is_ok_and(is_rewind) {
        let found = format!("{}, which names no rewind", Shown(restore));
        validator.find(Requirement::Asr357B, record.row, "/cause/restore", found);
    }
}

/// ASR-373.a
pub(super) fn repeated_summary(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    if validator.traces.has_summaries() && validator.traces.summaries.contains(&text(record.get("content"))) {
        validator.find(Requirement::Asr373A, record.row, "/content", "the text of a compaction's summary");
    }
}

/// ASR-374.a
pub(super) fn erased_branch(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let Some(ids) = summarized_by(record) else { return };
    for (at, id) in ids.elements().enumerate() {
        if validator.bearer(id) == Err(RefStatus::Unresolved) {
            let found = format!("{}, which is not in the stream", Shown(id));
            validator.find(Requirement::Asr374A, record.row, Pointer::into("/replaces/ids", at, ""), found);
        }
    }
}

/// ASR-374.b
pub(super) fn tombstone(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    if !record.get("type").is(b"tombstone") || validator.traces.summarized.is_empty() {
        return;
    }
    // Of equal keys the last one wins.
    let members: HashMap<_, _> = record.members.iter().map(|&(key, value)| (key.decode(), value)).collect();
    for (key, value) in members {
        let Value::String(id) = value else { continue };
        if !matches!(&*key, b"type" | b"id") && validator.traces.summarized.contains(&*id.decode()) {
            let found = format!("{}, which a branch summary replaces", Shown(value));
            validator.find(Requirement::Asr374B, record.row, pointer_to(&key), found);
        }
    }
}

/// ASR-375.b
pub(super) fn destroyed_history(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let is_false = matches!(record.get("historyRetained"), Value::Plain(b"false"));
    if is_false && !validator.traces.has_gap {
        validator.find(Requirement::Asr375B, record.row, "/historyRetained", "false, without a gap record");
    }
}
