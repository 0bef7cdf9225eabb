//! The rows of `readings.md` B.8, the worked example, and what the speed rests on.

use super::*;
use crate::random::Random;
use asr_spec::record::{Assembly, Compaction, Message, Replaces, ToolCall, ToolResult};

fn record(id: &str, body: impl Into<Body>) -> Record {
    Record::new(0, id, body)
}

fn prompt(id: &str) -> Record {
    record(id, Message { role: "user".into(), author: Some("human".into()), ..Message::default() })
}

fn reply(id: &str, key: &str) -> Record {
    let response_key = Some(key.into());
    record(id, Message { role: "assistant".into(), response_key, ..Message::default() })
}

fn failed(id: &str, key: &str) -> Record {
    let mut record = reply(id, key);
    if let Body::Message(message) = &mut record.body {
        message.status = Some("error".into());
    }
    record
}

fn injected(id: &str) -> Record {
    record(id, Message { role: "user".into(), origin: Some("injected".into()), ..Message::default() })
}

fn call(id: &str, call: &str, key: &str) -> Record {
    let response_key = Some(key.into());
    record(id, ToolCall { call_id: call.into(), response_key, ..ToolCall::default() })
}

fn result(id: &str, call: &str) -> Record {
    record(id, ToolResult { call_id: call.into(), ..ToolResult::default() })
}

fn compaction(id: &str) -> Record {
    record(id, Compaction::new(id, "summary", Replaces::Ids(Vec::new())))
}

fn rewrite(mut record: Record, of: &str) -> Record {
    record.supersedes = Some(of.into());
    record.assembly = Some(Assembly { mode: "rewrite".into(), source_ids: Vec::new() });
    record
}

fn revision(record: Record, of: &str) -> Record {
    Record { supersedes: Some(of.into()), ..record }
}

fn native(id: &str, parent: &str, mapping: Mapping) -> NativeRecord {
    let parent = (!parent.is_empty()).then(|| parent.to_owned());
    NativeRecord { id: Some(id.into()), parent, logical_parent: None, mapping }
}

fn unit(id: &str, parent: &str, records: impl Into<Vec<Record>>) -> NativeRecord {
    native(id, parent, Mapping::Unit(records.into()))
}

fn nothing(id: &str, parent: &str) -> NativeRecord {
    native(id, parent, Mapping::Nothing)
}

fn logically(parent: &str, record: NativeRecord) -> NativeRecord {
    NativeRecord { logical_parent: Some(parent.into()), ..record }
}

/// The placements of all records: `-` for none, `0` for START, `?` for unknown, otherwise the id.
fn placed(records: &[NativeRecord]) -> String {
    let placements = place(records);
    assert_eq!(placements.len(), records.len());
    let each = placements.iter().flatten().map(|placement| match placement {
        None => "-",
        Some(BranchesFrom::Start) => "0",
        Some(BranchesFrom::Unknown) => "?",
        Some(BranchesFrom::Record(id)) => id,
    });
    each.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_worked_example_of_the_chapter_branches_once() {
    let records = [
        unit("u1", "", [prompt("r10")]),
        unit("a1", "u1", [reply("r20", "X"), call("r21", "T1", "X")]),
        unit("a2", "a1", [call("r30", "T2", "X")]),
        unit("t1", "a1", [result("r40", "T1")]),
        unit("t2", "t1", [result("r50", "T2")]),
        unit("a3", "t2", [reply("r60", "Y")]),
        unit("u2", "a3", [prompt("r70")]),
        unit("a4", "u2", [reply("r80", "Z")]),
        unit("u2b", "a3", [prompt("r90")]),
        unit("a5", "u2b", [reply("r100", "W")]),
    ];
    assert_eq!(placed(&records), "- - - - - - - - - r60 -");
}

/// MS7-1: `c` was dropped by the edit and must not come back.
#[test]
fn a_revision_stands_aside_and_its_children_attach_to_the_node() {
    let mut records = vec![
        unit("a", "", [prompt("r1")]),
        unit("b", "a", [prompt("r2")]),
        unit("c", "b", [reply("r3", "X")]),
        unit("b2", "a", [rewrite(prompt("r4"), "r2")]),
        unit("d", "b2", [reply("r5", "Y")]),
    ];
    assert_eq!(placed(&records), "- - - - r4");
    // When `c` is rewritten too, `d` stays linear.
    records.insert(4, unit("c2", "b2", [rewrite(reply("r6", "X"), "r3")]));
    records[5].parent = Some("c2".into());
    assert_eq!(placed(&records), "- - - - - -");
}

#[test]
fn a_rewrite_that_hangs_elsewhere_takes_its_chain_along() {
    let old = || {
        vec![unit("a", "", [prompt("r1")]), unit("b", "a", [prompt("r2")]), unit("c", "b", [prompt("r3")])]
    };
    let placed_with = |parent: &str| {
        let mut records = old();
        records.push(unit("c2", parent, [rewrite(prompt("r4"), "r3")]));
        // The path is now r1, r3 or r3 alone or cut: is r2 still on it?
        records.push(unit("d", "b", [injected("r5")]));
        placed(&records)
    };
    assert_eq!(placed_with("b"), "- - - - -");
    assert_eq!(placed_with("a"), "- - - r1 r2");
    assert_eq!(placed_with(""), "- - - 0 r2");
    assert_eq!(placed_with("lost"), "- - - ? r2");
}

#[test]
fn a_rewrite_back_to_the_implicit_predecessor_writes_nothing() {
    let records = [
        unit("a", "", [prompt("r1")]),
        unit("b", "a", [prompt("r2")]),
        unit("c", "a", [prompt("r3")]),
        unit("c2", "b", [rewrite(prompt("r4"), "r3")]),
        unit("c3", "b", [rewrite(prompt("r5"), "r4")]),
        unit("c4", "a", [rewrite(prompt("r6"), "r5")]),
        unit("c5", "a", [rewrite(prompt("r7"), "r6")]),
    ];
    assert_eq!(placed(&records), "- - r1 - - r1 r1");
}

#[test]
fn a_plain_revision_repeats_the_branch_of_what_it_supersedes() {
    let records = [
        unit("a", "", [prompt("r1")]),
        unit("b", "a", [prompt("r2")]),
        unit("c", "a", [prompt("r3")]),
        unit("c2", "b", [revision(prompt("r4"), "r3")]),
        unit("b2", "lost", [revision(prompt("r5"), "r2")]),
        unit("d", "c", [prompt("r6")]),
    ];
    assert_eq!(placed(&records), "- - r1 r1 - -");
}

/// MS6-1
#[test]
fn a_call_of_a_failed_response_is_no_failed_attempt() {
    let records = |retried: &[Record]| {
        [unit("u", "", [prompt("r1")]), unit("a1", "u", retried), unit("a2", "u", [reply("r4", "Y")])]
    };
    assert_eq!(placed(&records(&[failed("r2", "X")])), "- - -");
    assert_eq!(placed(&records(&[failed("r2", "X"), call("r3", "T", "X")])), "- - - r1");
}

/// MS6-2
#[test]
fn a_compaction_has_no_response_key_and_is_not_mechanical() {
    let records = [
        unit("u", "", [prompt("r1")]),
        unit("c", "u", [compaction("r2")]),
        unit("a", "u", [reply("r3", "X")]),
    ];
    assert_eq!(placed(&records), "- - r1");
}

/// MS6-4
#[test]
fn two_missing_response_keys_are_not_the_same() {
    let records =
        [unit("u", "", [prompt("r1")]), unit("v", "u", [prompt("r2")]), unit("w", "u", [prompt("r3")])];
    assert_eq!(placed(&records), "- - r1");
}

/// MS6-5: streaming, so what a later revision says comes too late, and what an earlier one says does not.
#[test]
fn a_failed_attempt_counts_as_it_is_known_at_the_time() {
    let u = unit("u", "", [prompt("r1")]);
    let a = unit("a", "u", [failed("r2", "X")]);
    let completed = unit("x", "", [revision(reply("r3", "X"), "r2")]);
    let b = unit("b", "u", [reply("r4", "Y")]);
    assert_eq!(placed(&[u.clone(), a.clone(), b.clone(), completed.clone()]), "- - - -");
    assert_eq!(placed(&[u, a, completed, b]), "- - - r1");
}

/// MS1-1, and MS1-2 with logical parents at every record met.
#[test]
fn an_unmapped_record_hands_its_children_to_its_parent() {
    let u = unit("u", "", [prompt("r1")]);
    let v = unit("v", "x", [prompt("r2")]);
    assert_eq!(placed(&[u.clone(), nothing("x", ""), v.clone()]), "- 0");
    assert_eq!(placed(&[u.clone(), nothing("x", "u"), v.clone()]), "- -");
    assert_eq!(placed(&[u.clone(), logically("u", nothing("x", "")), v.clone()]), "- -");
    let v = logically("x", unit("v", "", [prompt("r2")]));
    assert_eq!(placed(&[u.clone(), logically("u", nothing("x", "")), v.clone()]), "- -");
    // Written later, but it maps to nothing: its own parent counts.
    assert_eq!(placed(&[u.clone(), v.clone(), nothing("x", "u")]), "- -");
    assert_eq!(placed(&[u, v, nothing("x", "y")]), "- ?");
}

/// MS1-3
#[test]
fn parents_that_go_round_are_unknown() {
    let records = [nothing("x", "y"), nothing("y", "x"), unit("u", "x", [prompt("r1")])];
    assert_eq!(placed(&records), "?");
    assert_eq!(placed(&[unit("u", "u", [prompt("r1")])]), "?");
    assert_eq!(placed(&[nothing("x", "u"), unit("u", "x", [prompt("r1")])]), "?");
    assert_eq!(placed(&[nothing("x", "x"), unit("u", "x", [prompt("r1")])]), "?");
}

/// MS2-1
#[test]
fn an_injected_record_without_a_parent_starts_a_path() {
    let records = [unit("u", "", [prompt("r1")]), unit("i", "", [injected("r2")])];
    assert_eq!(placed(&records), "- 0");
}

/// MS3-1
#[test]
fn a_parent_that_is_placed_later_is_unknown() {
    let records = [unit("u", "v", [prompt("r1")]), unit("v", "", [prompt("r2")])];
    assert_eq!(placed(&records), "? 0");
}

/// MS5-1
#[test]
fn an_injected_record_of_an_abandoned_branch_goes_there() {
    let records = [
        unit("u", "", [prompt("r1")]),
        unit("a", "u", [reply("r2", "X")]),
        unit("v", "u", [prompt("r3")]),
        unit("i", "a", [injected("r4")]),
    ];
    assert_eq!(placed(&records), "- - r1 r2");
}

/// MS0-2
#[test]
fn behind_an_unknown_predecessor_every_earlier_record_is_off_the_path() {
    let records =
        [unit("u", "", [prompt("r1")]), unit("v", "lost", [prompt("r2")]), unit("i", "u", [injected("r3")])];
    assert_eq!(placed(&records), "- ? r1");
}

#[test]
fn a_rewind_moves_the_tip() {
    let start = [unit("u", "", [prompt("r1")]), unit("a", "u", [reply("r2", "X")])];
    let after = |to: Option<&str>, parent: &str| {
        let mut records = start.to_vec();
        records.push(native("w", "a", Mapping::Rewind(to.map(Into::into))));
        records.push(unit("v", parent, [prompt("r3")]));
        placed(&records)
    };
    assert_eq!(after(Some("u"), "u"), "- - -");
    assert_eq!(after(Some("u"), "a"), "- - r2");
    assert_eq!(after(None, ""), "- - -");
    assert_eq!(after(None, "u"), "- - r1");
    // One that goes nowhere moves nothing.
    assert_eq!(after(Some("lost"), "a"), "- - -");
    assert_eq!(after(Some("v"), "a"), "- - -");
    // The rewind is no context record, so its child hangs from its parent.
    assert_eq!(after(Some("u"), "w"), "- - r2");
}

#[test]
fn a_part_of_another_record_attaches_its_children_there() {
    let records = [
        unit("u", "", [prompt("r1")]),
        native("boundary", "u", Mapping::PartOf("summary".into())),
        unit("summary", "boundary", [compaction("r2")]),
        unit("v", "boundary", [prompt("r3")]),
    ];
    // The parent of the compaction is a part of itself, which is why registries give a logical parent.
    assert_eq!(placed(&records), "- ? -");
}

#[test]
fn of_natives_with_the_same_id_the_first_counts() {
    let records =
        [unit("u", "", [prompt("r1")]), unit("u", "u", [prompt("r2")]), unit("v", "u", [prompt("r3")])];
    assert_eq!(placed(&records), "- - r1");
}

#[test]
fn a_result_takes_the_key_of_its_call_also_of_a_call_that_comes_later() {
    let records = |middle: Vec<NativeRecord>| {
        let mut records = vec![unit("a", "", [reply("r1", "X")])];
        records.extend(middle);
        records.push(unit("b", "a", [reply("r9", "X")]));
        records
    };
    let early = vec![unit("c", "a", [call("r2", "T", "X")]), unit("t", "c", [result("r3", "T")])];
    assert_eq!(placed(&records(early)), "- - - -");
    let late = vec![unit("t", "a", [result("r3", "T")]), unit("c", "t", [call("r2", "T", "X")])];
    assert_eq!(placed(&records(late)), "- - - -");
    let none = vec![unit("t", "a", [result("r3", "T")])];
    assert_eq!(placed(&records(none)), "- - r1");
}

#[test]
fn a_rewrite_that_would_close_a_cycle_has_an_unknown_parent() {
    let records = [
        unit("a", "", [prompt("r1")]),
        unit("b", "a", [prompt("r2")]),
        unit("a2", "b", [rewrite(prompt("r3"), "r1")]),
        unit("c", "a", [injected("r4")]),
        unit("d", "c", [prompt("r5")]),
        unit("e", "b", [prompt("r6")]),
    ];
    // r2 leads back to r1. r4 is linear, since it is injected; r6 is not, since r5 is in between.
    assert_eq!(placed(&records), "- - ? - - r2");
}

#[test]
fn links_that_are_none_make_nodes() {
    let records = [
        unit("a", "", [prompt("r1")]),
        unit("b", "a", [rewrite(prompt("r2"), "lost")]),
        unit("c", "a", [rewrite(compaction("r3"), "r1")]),
        unit("d", "c", [rewrite(prompt("r4"), "r4")]),
    ];
    assert_eq!(placed(&records), "- - r1 -");
}

#[test]
fn spots_tell_what_a_walk_would_tell() {
    let mut random = Random::new(1);
    let (mut on, mut off) = (0, 0);
    for round in 0..3000 {
        let mut tree = Tree::default();
        let mut calls = vec![Call::default(); 2];
        let content = |random: &mut Random| Content {
            excuse: random.once_in(3).then_some(Step::M2),
            key: match random.below(6) {
                0 => Key::None,
                1 => Key::OfCall(random.below(2) as u32),
                key => Key::Own(key as u32 % 3),
            },
        };
        for node in 0..2 + random.below(30) {
            let before = match random.below(12) {
                0 => Place::Start,
                1 => Place::Unknown,
                2 if node > 0 => Place::Node(random.below(node)),
                _ => node.checked_sub(1).map_or(Place::Start, Place::Node),
            };
            let new = content(&mut random);
            tree.add(before, new, &calls);
            if let (Key::Own(_), 0) = (new.key, random.below(4)) {
                calls[0].node.get_or_insert(node);
                tree.is_stale = true;
            }
            // Half of the rounds change nodes in the middle.
            if round % 2 == 1 && random.below(4) == 0 {
                let (at, to) = (random.below(node + 1), random.below(node + 1));
                if segment(&tree, at, to).is_none() {
                    tree.set_predecessor(at, Place::Node(to));
                }
                let new = content(&mut random);
                tree.set_content(at, Content { key: tree.contents[at].key, ..new });
            }
            let (tip, at) = (random.below(node + 1), random.below(node + 1));
            let own = content(&mut random).key;
            let segment = segment(&tree, at, tip);
            let allowed = [tree.key(at, &calls), resolve(own, &tree.contents, &calls)];
            let passed = segment.as_ref().map(|segment| tree.is_passed(segment, allowed, &calls));
            assert_eq!(tree.is_on_path(at, tip, &calls), segment.is_some());
            assert_eq!(tree.is_mechanical(at, tip, own, &calls), passed == Some(true));
            *(if passed == Some(true) { &mut on } else { &mut off }) += 1;
        }
    }
    assert!(on > 1000 && off > 1000, "{on} {off}");
}

/// The displaced segment, node by node: what the walk from `tip` meets before `node`; none if it does not meet it.
fn segment(tree: &Tree, node: Node, tip: Node) -> Option<Vec<Node>> {
    let (mut segment, mut at) = (Vec::new(), tip);
    while at != node {
        segment.push(at);
        match tree.predecessors[at] {
            Place::Node(before) => at = before,
            Place::Start | Place::Unknown => return None,
        }
    }
    Some(segment)
}

/// Ten thousand parallel results, prompts and switches between two deep branches: a rule that walks would
/// take minutes.
#[test]
fn wide_and_deep_sessions_take_no_walk() {
    let count = 100_000;
    let mut records = vec![unit("a", "", [reply("r", "X")])];
    for number in 0..count {
        let id = format!("c{number}");
        records.push(unit(&id, "a", [call(&id, &id, "X")]));
    }
    assert!(place(&records).iter().flatten().all(Option::is_none));

    let mut records = vec![unit("a0", "", [prompt("a0")]), unit("b0", "", [prompt("b0")])];
    for number in 0..count {
        for branch in ["a", "b"] {
            let id = format!("{branch}{}", number + 1);
            records.push(unit(&id, &format!("{branch}{number}"), [prompt(&id)]));
        }
    }
    assert_eq!(place(&records).iter().flatten().filter(|placement| placement.is_none()).count(), 1);
}
