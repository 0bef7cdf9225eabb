//! Shapes: which members a record must have and may have, and of which form (ASR-354, ASR-358, ASR-370,
//! ASR-371).

use super::Validator;
use super::record::{Pointer, Record, Shown};
use crate::scan::Value;
use asr_spec::Requirement;

/// Reports a member that is missing, or whatever is in its place unless that `is_fine`.
pub(super) fn demand(
    validator: &mut Validator<'_, '_>,
    requirement: Requirement,
    record: &Record<'_>,
    key: &'static str,
    is_fine: bool,
) {
    match record.get(key) {
        _ if is_fine => {}
        value if value.is_present() => {
            validator.find(requirement, record.row, format!("/{key}"), Shown(value));
        }
        _ => validator.find(requirement, record.row, "", format!("no {key}")),
    }
}

fn is_string(value: Value<'_>) -> bool {
    matches!(value, Value::String(_))
}

/// ASR-354
pub(super) fn rewind(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let is_target = matches!(record.get("to"), Value::String(_) | Value::Null);
    demand(validator, Requirement::Asr354, record, "to", is_target);
    demand(validator, Requirement::Asr354, record, "reason", is_string(record.get("reason")));
}

/// ASR-358.a, ASR-358.b, ASR-358.c
pub(super) fn branches_from(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let branches = record.get("branchesFrom");
    let mut find =
        |requirement, pointer, found: &str| validator.find(requirement, record.row, pointer, found);
    if let Value::Absent = branches {
        return;
    }
    if branches.is_present() && !record.kind.is_context() {
        find(Requirement::Asr358B, "/branchesFrom", "a branch of a record that is not part of the context");
    }
    let Value::Object(_) = branches else {
        return find(Requirement::Asr358A, "/branchesFrom", &Shown(branches).to_string());
    };
    let (target, state) = (branches.member(b"record"), branches.member(b"state"));
    match (target, state.is_present()) {
        (Value::Absent, false) => find(Requirement::Asr358A, "/branchesFrom", "neither record nor state"),
        (Value::Absent, true) | (_, false) => {}
        (_, true) => find(Requirement::Asr358A, "/branchesFrom", "both record and state"),
    }
    if !matches!(target, Value::Absent | Value::Null | Value::String(_)) {
        find(Requirement::Asr358A, "/branchesFrom/record", &Shown(target).to_string());
    }
    if state.is_present() && !state.is(b"unknown") {
        find(Requirement::Asr358C, "/branchesFrom/state", &Shown(state).to_string());
    }
}

/// ASR-370
pub(super) fn compaction(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let is_object = matches!(record.get("replaces"), Value::Object(_));
    for (key, is_fine) in [
        ("compactionId", is_string(record.get("compactionId"))),
        ("kind", is_string(record.get("kind"))),
        ("replaces", is_object),
    ] {
        demand(validator, Requirement::Asr370, record, key, is_fine);
    }
}

/// ASR-371.a
pub(super) fn replaces(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let replaces = record.get("replaces");
    if !replaces.is_present() {
        return;
    }
    let mut find = |pointer, found: &str| validator.find(Requirement::Asr371A, record.row, pointer, found);
    let [through, ids, state] = [&b"throughId"[..], b"ids", b"state"].map(|form| replaces.member(form));
    match [through, ids, state].into_iter().filter(|form| form.is_present()).count() {
        0 => find(Pointer::to("/replaces"), "neither throughId nor ids nor state"),
        1 => {}
        forms => find(Pointer::to("/replaces"), &format!("{forms} forms at once")),
    }
    if through.is_present() && !is_string(through) {
        find(Pointer::to("/replaces/throughId"), &Shown(through).to_string());
    }
    if ids.is_present() && !matches!(ids, Value::Array(_)) {
        find(Pointer::to("/replaces/ids"), &Shown(ids).to_string());
    }
    for (at, id) in ids.elements().enumerate().filter(|(_, id)| !is_string(*id)) {
        find(Pointer::into("/replaces/ids", at, ""), &Shown(id).to_string());
    }
    if state.is_present() && !state.is(b"unknown") {
        find(Pointer::to("/replaces/state"), &Shown(state).to_string());
    }
}

/// ASR-371.b, ASR-371.c
pub(super) fn insert_at(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let insert_at = record.get("insertAt");
    if !insert_at.is_present() {
        return;
    }
    let mut find =
        |requirement, pointer, found: &str| validator.find(requirement, record.row, pointer, found);
    let [after, before] = [&b"afterId"[..], b"beforeId"].map(|place| insert_at.member(place));
    // Here null counts: afterId null is START, and beforeId null is an error of its own.
    match (insert_at, after, before) {
        (Value::Object(_), Value::Absent, Value::Absent) => {
            find(Requirement::Asr371B, "/insertAt", "neither afterId nor beforeId");
        }
        (Value::Object(_), Value::Absent, _) | (Value::Object(_), _, Value::Absent) => {}
        (Value::Object(_), ..) => find(Requirement::Asr371B, "/insertAt", "both afterId and beforeId"),
        _ => find(Requirement::Asr371B, "/insertAt", &Shown(insert_at).to_string()),
    }
    if !matches!(before, Value::Absent | Value::String(_)) {
        find(Requirement::Asr371C, "/insertAt/beforeId", &Shown(before).to_string());
    }
}

/// ASR-371.d
pub(super) fn kept_from(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let kept = record.get("keptFromId");
    if kept.is_present() && !record.get("replaces").member(b"throughId").is_present() {
        let found = format!("{} without a throughId", Shown(kept));
        validator.find(Requirement::Asr371D, record.row, "/keptFromId", found);
    }
}

/// ASR-371.e, ASR-371.f
pub(super) fn retains(validator: &mut Validator<'_, '_>, record: &Record<'_>) {
    let retains = record.get("retains");
    let mut find =
        |requirement, pointer, found: &str| validator.find(requirement, record.row, pointer, found);
    if retains.is_present() && !matches!(retains, Value::Array(_)) {
        find(Requirement::Asr371E, Pointer::to("/retains"), &Shown(retains).to_string());
    }
    for (at, entry) in retains.elements().enumerate() {
        let (target, capture) = (entry.member(b"ref"), entry.member(b"capture"));
        if !target.is_present() {
            find(Requirement::Asr371E, Pointer::into("/retains", at, ""), "no ref");
        } else if !is_string(target) {
            find(Requirement::Asr371E, Pointer::into("/retains", at, "/ref"), &Shown(target).to_string());
        }
        if capture.is_present() && !capture.is(b"full") && !capture.is(b"truncated") {
            let pointer = Pointer::into("/retains", at, "/capture");
            find(Requirement::Asr371F, pointer, &Shown(capture).to_string());
        }
    }
}
