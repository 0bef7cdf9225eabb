//! Edits that change how a stream is written and nothing that it means.

use super::entries::{but_line, but_rev, exactly};
use super::layout::Layout;
use super::lines::{Line, field, for_each_ref, seq, text};
use super::subject::{Examined, Given, Subject, Unchanged, given};
use asr_spec::{Entry, Head, Json, Name, Outcome, What};
use serde_json::{Value, json};

pub(super) fn unknown_fields(s: &Subject<'_>) -> Examined {
    let mut lines = s.lines();
    lines.add_member(r#""x-note":{"supersedes":"r1","type":"gap","heads":[null]}"#);
    s.require_no_change(&lines.bytes(), Unchanged::All, exactly)
}

pub(super) fn key_order(s: &Subject<'_>) -> Examined {
    fn reverse(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                Value::Object(members.into_iter().rev().map(|(key, member)| (key, reverse(member))).collect())
            }
            Value::Array(items) => items.into_iter().map(reverse).collect(),
            other => other,
        }
    }
    let mut lines = s.lines();
    lines.edit_all(|members| {
        if let Value::Object(reversed) = reverse(Value::Object(std::mem::take(members))) {
            *members = reversed;
        }
    });
    s.require_no_change(&lines.bytes(), Unchanged::All, exactly)
}

/// The other name of an id.
fn renamed(id: &str) -> String {
    format!("{}/{id}", id.len())
}

/// An outcome under the other names.
fn rename(outcome: Outcome) -> Outcome {
    let name = |Name(id): Name| Name(id.map(|id| renamed(&id).into()));
    let entry = |entry| match entry {
        Entry::Node { id, rev } => Entry::Node { id: name(id), rev: rev.map(name) },
        Entry::Summary { id, rev } => Entry::Summary { id: name(id), rev: rev.map(name) },
        Entry::Gap { id } => Entry::Gap { id: name(id) },
        Entry::UnresolvedRef { reference: Json::String(id), status } => {
            Entry::UnresolvedRef { reference: Json::String(renamed(&id)), status }
        }
        Entry::UnknownReplacement { id } => Entry::UnknownReplacement { id: name(id) },
        Entry::Retained { id, by, truncated } => Entry::Retained { id: name(id), by: name(by), truncated },
        Entry::UnresolvedRef { .. }
        | Entry::Malformed { .. }
        | Entry::UnknownPredecessor
        | Entry::Inherited { .. } => entry,
    };
    match outcome {
        Outcome::Entries(entries) => Outcome::Entries(entries.into_iter().map(entry).collect()),
        Outcome::Cycle { at } => Outcome::Cycle { at: name(at) },
        Outcome::NoDefaultPath => Outcome::NoDefaultPath,
    }
}

pub(super) fn renaming(s: &Subject<'_>) -> Examined {
    let mut lines = s.lines();
    lines.edit_all(|members| {
        for_each_ref(members, |reference| *reference = renamed(reference));
        for key in ["id", "supersedes"] {
            if let Some(Value::String(id)) = members.get_mut(key) {
                *id = renamed(id);
            }
        }
    });
    let edited = lines.bytes();
    let after = s.read(&edited)?;
    for what in [What::Path, What::View] {
        let ids = s.layout.ids().map(|id| (Head::Ref(id.to_owned()), Head::Ref(renamed(id))));
        for (old, new) in ids.chain([(Head::Primary, Head::Primary), (Head::Start, Head::Start)]) {
            let question = asr_spec::Query { what, head: new.clone() };
            after.require(question, &rename(s.base.ask(what, old)), &after.ask(what, new))?;
        }
    }
    Ok(())
}

/// Beyond this a renumbered seq might not fit.
const MOST_SEQ: i64 = i64::MAX / 4;

pub(super) fn renumbering(s: &Subject<'_>) -> Examined {
    let mut seqs = s.layout.lines.records().filter_map(|(_, members)| seq(members));
    given(seqs.all(|seq| seq.unsigned_abs() < MOST_SEQ.unsigned_abs()))?;
    let mut lines = s.lines();
    lines.edit_all(|members| {
        if let Some(seq) = seq(members) {
            // Steps of seven bring numbers of one, two and three digits next to each other.
            members.insert("seq".to_owned(), (seq.saturating_mul(3).saturating_add(7)).into());
        }
    });
    s.require_no_change(&lines.bytes(), Unchanged::All, exactly)
}

pub(super) fn audit_record(s: &Subject<'_>) -> Examined {
    let mut lines = s.lines();
    let places: Vec<usize> = (0..=lines.lines.len()).collect();
    for (number, r#type) in (0..).zip(["x-note", "usage", "x-note"]) {
        let record = json!({"type": r#type, "id": s.fresh(number)});
        if let Value::Object(members) = record {
            lines.insert(s.pick(&places)?, members);
        }
    }
    s.require_no_change(&lines.bytes(), Unchanged::All, but_line)
}

pub(super) fn alias(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let chains: Vec<_> = s.layout.nodes.iter().filter(|node| node.records.len() > 1).collect();
    let records = &s.pick(&chains)?.records;
    let names: Vec<&str> = records.iter().filter_map(|&record| s.layout.id(record)).collect();
    let mut lines = s.lines();
    let mut replaced = 0;
    lines.edit_all(|members| {
        for_each_ref(members, |reference| {
            if let Some(at) = names.iter().position(|name| name == reference) {
                let other = names.get(at + 1).or(names.first()).copied().unwrap_or_default();
                *reference = other.to_owned();
                replaced += 1;
            }
        });
    });
    given(replaced > 0)?;
    s.require_no_change(&lines.bytes(), Unchanged::All, exactly)
}

pub(super) fn place_of_revision(s: &Subject<'_>) -> Examined {
    let Layout { lines, items, nodes, is_named, .. } = &s.layout;
    let has_seq = |line: &Line| match line {
        Line::Record { members, .. } => seq(members).is_some(),
        Line::Malformed(_) => false,
        Line::Blank(_) => true,
    };
    given(*is_named && lines.lines.iter().all(has_seq))?;
    let latest = nodes.iter().filter_map(|node| node.records.split_first()?.1.last().copied());
    let moved = s.pick(&latest.collect::<Vec<_>>())?;
    let line = items.get(moved).given()?.line;
    let members = s.layout.record(moved).given()?.clone();
    let mut edited = s.lines();
    let seq = edited.next_seq().given()?;
    edited.retain(|at| at != line);
    let end = edited.lines.len();
    edited.insert(end, members);
    edited.edit(end, |members| {
        members.insert("seq".to_owned(), seq.into());
    });
    s.require_no_change(&edited.bytes(), Unchanged::All, exactly)
}

pub(super) fn order_of_ids(s: &Subject<'_>) -> Examined {
    let mut lines = s.lines();
    let mut changed = 0;
    lines.edit_all(|members| {
        let ids = members.get_mut("replaces").and_then(|replaces| replaces.get_mut("ids"));
        if let Some(ids) = ids.and_then(Value::as_array_mut).filter(|ids| !ids.is_empty()) {
            let mut reversed: Vec<_> = ids.iter().rev().cloned().collect();
            reversed.extend(ids.iter().cloned());
            *ids = reversed;
            changed += 1;
        }
    });
    given(changed > 0)?;
    s.require_no_change(&lines.bytes(), Unchanged::All, exactly)
}

pub(super) fn what_compactions_are_called(s: &Subject<'_>) -> Examined {
    let mut lines = s.lines();
    let mut changed = 0;
    lines.edit_all(|members| {
        if text(members, "type") != Some("compaction") {
            return;
        }
        changed += 1;
        for (key, value) in [
            ("kind", json!("prune")),
            ("trigger", json!("manual")),
            ("reason", json!("idle")),
            ("tokens", json!({"before": 5})),
            ("durationMs", json!(7)),
            ("historyRetained", json!(false)),
            ("compactionId", json!("another")),
        ] {
            members.insert(key.to_owned(), value);
        }
        match field(members, "status") {
            None => {
                members.insert("status".to_owned(), "completed".into());
            }
            Some(status) if status == "completed" => {
                members.remove("status");
            }
            Some(_) => {}
        }
    });
    given(changed > 0)?;
    s.require_no_change(&lines.bytes(), Unchanged::All, exactly)
}

pub(super) fn copied_revision(s: &Subject<'_>) -> Examined {
    given(s.layout.is_named)?;
    let nodes: Vec<usize> = (0..s.layout.nodes.len()).collect();
    let node = s.pick(&nodes)?;
    let superseded = s.pick(&s.layout.nodes.get(node).given()?.records)?;
    let mut copy = s.layout.content(node).given()?.clone();
    copy.insert("id".to_owned(), s.fresh(0).into());
    copy.insert("supersedes".to_owned(), s.layout.id(superseded).given()?.into());
    // The first record of a chain marks nothing, whatever its assembly says.
    given(
        s.layout.nodes.get(node).is_some_and(|node| node.records.len() > 1) || !copy.contains_key("assembly"),
    )?;
    s.require_no_change(&s.with([Value::Object(copy)])?, Unchanged::All, but_rev)
}
