//! Native sessions: every script makes one, and default ones reach what the mechanical-sibling rule decides.

#![expect(clippy::indexing_slicing, reason = "the helpers of a test may panic as it may")]

use arbitrary::{Arbitrary, Unstructured};
use asr_generators::Settings;
use asr_generators::native::{Content, NativeId, NativeOp, NativeScript};
use asr_spec::native::{Mapping, NativeRecord};
use asr_spec::record::{Body, Record};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const SEEDS: u64 = 5_000;

fn sessions() -> impl Iterator<Item = Vec<NativeRecord>> {
    (0..SEEDS).map(|seed| NativeScript::random(seed, &Settings::default()).records())
}

#[test]
fn every_script_makes_one_native_record_per_operation_always_the_same() {
    for seed in 0..1_000 {
        let script = NativeScript::random(seed, &Settings::broken());
        let records = script.records();
        assert_eq!(records.len(), script.ops.len());
        assert_eq!(records, script.records());
        for at in 0..script.ops.len() {
            let mut rest = script.clone();
            rest.ops.remove(at);
            assert_eq!(rest.records().len(), rest.ops.len());
        }
    }
}

#[test]
fn units_are_never_empty_and_their_records_have_increasing_seq_and_ids_of_their_own() {
    for session in sessions() {
        let mut ids = BTreeSet::new();
        let mut last = 0;
        for native in session {
            let Mapping::Unit(records) = native.mapping else { continue };
            assert!(!records.is_empty());
            for record in records {
                assert!(record.seq > last);
                assert!(ids.insert(record.id));
                last = record.seq;
            }
        }
    }
}

#[test]
fn any_bytes_are_a_native_session() {
    for byte in 0..=u8::MAX {
        for length in [0, 1, 15, 16, 17, 200, 5_000] {
            let bytes: Vec<u8> =
                (0..length).map(|at| byte.wrapping_mul(at as u8).wrapping_add(byte)).collect();
            NativeScript::from_bytes(&bytes).records();
            NativeScript::arbitrary(&mut Unstructured::new(&bytes)).unwrap().records();
        }
    }
}

#[test]
fn a_native_script_survives_json_and_debug_is_rust() {
    for seed in 0..500 {
        let script = NativeScript::random(seed, &Settings::broken());
        let json = serde_json::to_string(&script).unwrap();
        assert_eq!(serde_json::from_str::<NativeScript>(&json).unwrap(), script, "{json}");
    }
    let script = NativeScript::from_bytes(&[0]);
    assert_eq!(serde_json::to_string(&script).unwrap(), r#"{"ops":[{"op":"unit"}]}"#);
    let debug = format!("{script:?}");
    assert!(
        debug.starts_with("Session { ops: vec![\n    NativeOp::Unit { content: Content::Prompt"),
        "{debug}"
    );
}

#[test]
fn scripts_use_every_content_and_every_kind_of_id() {
    let mut contents = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for seed in 0..SEEDS {
        for op in NativeScript::random(seed, &Settings::default()).ops {
            ids.insert(format!("{:?}", op.turn().id));
            if let NativeOp::Unit { content, .. } = op {
                contents.insert(format!("{content:?}"));
            }
        }
    }
    assert_eq!(contents.len(), Content::ALL.len());
    assert_eq!(ids.len(), NativeId::ALL.len());
}

/// Where a parent is, seen from the record that names it.
fn parent_of(session: &[NativeRecord], at: usize, parent: Option<&str>) -> &'static str {
    let Some(parent) = parent else { return "none" };
    match session.iter().position(|record| record.id.as_deref() == Some(parent)) {
        None => "missing",
        Some(found) if found == at => "self",
        Some(found) if found > at => "later",
        Some(found) => match session[found].mapping {
            Mapping::Unit(_) if found + 1 == at => "the one before",
            Mapping::Unit(_) => "an earlier unit",
            Mapping::Nothing => "an unmapped one",
            Mapping::PartOf(_) => "a part",
            Mapping::Rewind(_) => "a rewind",
        },
    }
}

/// Whether hopping from unmapped parent to unmapped parent comes back.
fn hops_in_a_circle(session: &[NativeRecord], at: usize) -> bool {
    let by_id: HashMap<&str, usize> = session
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(at, record)| Some((record.id.as_deref()?, at)))
        .collect();
    let mut at = at;
    for _ in 0..=session.len() {
        match session[at].parent.as_deref().and_then(|parent| by_id.get(parent)) {
            Some(&next) if matches!(session[next].mapping, Mapping::Nothing) => at = next,
            _ => return false,
        }
    }
    true
}

#[test]
fn default_sessions_reach_every_kind_of_parent_response_and_revision() {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut see = |name: String| *counts.entry(name).or_default() += 1;
    for session in sessions() {
        let mut responses: BTreeMap<String, usize> = BTreeMap::new();
        for (at, native) in session.iter().enumerate() {
            see(format!("parent: {}", parent_of(&session, at, native.parent.as_deref())));
            if native.logical_parent.is_some() {
                let logical = parent_of(&session, at, native.logical_parent.as_deref());
                let beside = if native.parent.is_some() { "beside a parent" } else { "alone" };
                see(format!("logical parent, {beside}: {logical}"));
            }
            match &native.mapping {
                Mapping::Nothing => {}
                Mapping::PartOf(of) => see(format!("part of {}", parent_of(&session, at, Some(of)))),
                Mapping::Rewind(to) => see(format!("rewind to {}", parent_of(&session, at, to.as_deref()))),
                Mapping::Unit(records) => {
                    if hops_in_a_circle(&session, at) {
                        see("a unit below a circle of unmapped ones".to_owned());
                    }
                    see(format!("unit of {}", records.len()));
                    records.iter().filter_map(response).for_each(|key| {
                        let earlier = responses.insert(key.to_owned(), at);
                        see(format!("response {}", if earlier.is_some() { "again" } else { "anew" }));
                    });
                    if let Some(supersedes) = &records[0].supersedes {
                        let marked = records[0].assembly.as_ref().map(|assembly| assembly.mode.as_str());
                        let old = earlier(&session[..at], supersedes);
                        let kind = match old {
                            None => "nothing",
                            Some(old) if old.body.type_name() != records[0].body.type_name() => {
                                "another type"
                            }
                            Some(old) if old.supersedes.is_some() => "a revision",
                            Some(_) => "a first record",
                        };
                        see(format!("revision of {kind}, {marked:?}"));
                    }
                }
            }
        }
    }
    for name in [
        "parent: none",
        "parent: missing",
        "parent: self",
        "parent: later",
        "parent: the one before",
        "parent: an earlier unit",
        "parent: an unmapped one",
        "parent: a part",
        "parent: a rewind",
        "logical parent, alone: an earlier unit",
        "logical parent, alone: missing",
        "logical parent, beside a parent: an earlier unit",
        "part of an earlier unit",
        "part of missing",
        "part of later",
        "part of self",
        "part of a part",
        "part of an unmapped one",
        "rewind to none",
        "rewind to an earlier unit",
        "rewind to missing",
        "rewind to an unmapped one",
        "a unit below a circle of unmapped ones",
        "unit of 1",
        "unit of 2",
        "response anew",
        "response again",
        "revision of nothing, Some(\"rewrite\")",
        "revision of another type, Some(\"rewrite\")",
        "revision of a revision, Some(\"rewrite\")",
        "revision of a first record, Some(\"rewrite\")",
        "revision of a first record, Some(\"merge\")",
        "revision of a first record, None",
    ] {
        assert!(counts.contains_key(name), "never generated: {name}\nof {counts:#?}");
    }
}

fn response(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Message(message) => message.response_key.as_deref(),
        Body::ToolCall(call) => call.response_key.as_deref(),
        _ => None,
    }
}

fn earlier<'a>(session: &'a [NativeRecord], id: &str) -> Option<&'a Record> {
    session.iter().find_map(|native| match &native.mapping {
        Mapping::Unit(records) => records.iter().find(|record| record.id == id),
        _ => None,
    })
}
