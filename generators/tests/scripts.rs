//! What holds of every script: it renders, always to the same stream, and so does whatever is left of it.

use arbitrary::{Arbitrary, Unstructured};
use asr_generators::{
    BranchForm, CallForm, Compaction, Damage, InsertForm, KeyForm, Kind, Manner, MessageForm, Op, Pick, Ref,
    ReplacesForm, Script, Settings, SpellForm, WordsForm,
};
use asr_spec::record;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

fn presets() -> impl Iterator<Item = Settings> {
    (0..5).map(Settings::of_case)
}

fn scripts(seeds: u64) -> impl Iterator<Item = Script> {
    (0..5)
        .map(Settings::of_case)
        .flat_map(move |settings| (0..seeds).map(move |seed| Script::random(seed, &settings)))
}

/// Bytes that look random.
fn noise(length: usize, salt: u64) -> Vec<u8> {
    let mut state = salt;
    let step = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u8
    };
    (0..length).map(step).collect()
}

#[test]
fn rendering_is_deterministic_and_writes_the_lines_that_the_script_counts() {
    for script in scripts(300) {
        let stream = script.render();
        assert_eq!(stream, script.render());
        let ends = stream.iter().filter(|&&byte| byte == b'\n').count();
        let unended = usize::from(stream.last().is_some_and(|&byte| byte != b'\n'));
        assert_eq!(ends + unended, script.lines(), "{script:?}");
    }
}

#[test]
fn settings_for_valid_streams_draw_nothing_odd() {
    for settings in presets().filter(Settings::is_valid) {
        assert!((0..1_000).all(|seed| Script::random(seed, &settings).odd() == 0));
    }
}

#[test]
fn any_bytes_are_a_script_that_renders() {
    for length in (0..400).chain([4_000, 40_000]) {
        let bytes = noise(length, length as u64);
        for settings in presets() {
            let script = Script::from_bytes_with(&bytes, &settings);
            script.render();
            assert!(script.lines() <= usize::from(settings.lines));
            assert!(!settings.is_valid() || script.odd() == 0, "{script:?}");
        }
        Script::arbitrary(&mut Unstructured::new(&bytes)).unwrap().render();
        let rest = Script::arbitrary_take_rest(Unstructured::new(&bytes)).unwrap();
        assert_eq!(rest, Script::from_bytes(&bytes));
    }
    for byte in 0..=u8::MAX {
        Script::from_bytes(&vec![byte; 600]).render();
    }
}

/// Bytes that run out mean plain operations: a fuzzer that only appends zeros appends messages.
#[test]
fn zeros_are_messages() {
    let script = Script::from_bytes(&[0; 48]);
    assert_eq!(script.ops, [Op::plain(Kind::Message), Op::plain(Kind::Message)]);
}

#[test]
fn what_is_left_after_any_deletion_renders_and_is_odd_only_where_it_was() {
    for script in scripts(60) {
        for at in 0..script.ops.len() {
            let mut rest = script.clone();
            rest.ops.remove(at);
            rest.render();
            assert!(rest.odd() <= script.odd());
        }
    }
}

#[test]
fn every_simpler_script_is_simpler_and_renders() {
    fn size(script: &Script) -> (usize, usize, u64) {
        let plain = Op::plain(Kind::Message);
        let others = script.ops.iter().filter(|op| **op != plain).count();
        let mut ranks = 0;
        for op in &mut script.ops.clone() {
            op.visit(&mut |operand| ranks += u64::from(operand.rank()));
        }
        (script.ops.len(), others, ranks)
    }
    for script in scripts(8) {
        for simpler in script.simpler() {
            assert!(size(&simpler) < size(&script), "{script:?} became {simpler:?}");
            simpler.render();
        }
    }
    assert_eq!(Script::default().simpler().count(), 0);
}

/// Greedy simplification comes to an end, and at something small: here, one rewrite of the only node.
#[test]
fn simplification_finds_the_one_operation_that_matters() {
    let matters = |script: &Script| {
        String::from_utf8_lossy(&script.render()).contains(r#""assembly":{"mode":"rewrite""#)
    };
    let mut found = 0;
    for mut script in scripts(20).filter(matters) {
        while let Some(simpler) = script.simpler().find(matters) {
            script = simpler;
        }
        assert_eq!(script.lines(), 2, "{script:?}");
        assert_eq!(script.ops.len(), 2, "{script:?}");
        found += 1;
    }
    assert!(found > 20, "only {found} scripts had one");
}

#[test]
fn a_script_survives_json() {
    for script in scripts(200) {
        let json = serde_json::to_string(&script).unwrap();
        assert_eq!(serde_json::from_str::<Script>(&json).unwrap(), script, "{json}");
    }
}

#[test]
fn a_script_in_a_file_is_readable_and_leaves_out_what_is_plain() {
    let script = Script::from_iter([
        Op::plain(Kind::Message),
        Op::Branch { form: BranchForm::Forced, at: Ref { to: Pick::Nowhere, n: 0 } },
        Op::Call { form: CallForm::Code, key: KeyForm::CallId },
        Op::Compaction(Compaction {
            replaces: ReplacesForm::Kept,
            kept: Ref::path(1),
            ..Compaction::default()
        }),
    ]);
    let json = concat!(
        r#"{"ops":[{"op":"message"},{"op":"branch","form":"forced","at":{"to":"nowhere"}},"#,
        r#"{"op":"call","form":"code"},{"op":"compaction","replaces":"kept","kept":{"n":1}}]}"#
    );
    assert_eq!(serde_json::to_string(&script).unwrap(), json);
    assert_eq!(serde_json::from_str::<Script>(json).unwrap(), script);
    for typo in [
        r#"{"ops":[{"op":"mesage"}]}"#,
        r#"{"ops":[{"op":"message","from":"aside"}]}"#,
        r#"{"ops":[{"op":"compaction","keep":{"n":1}}]}"#,
        r#"{"ops":[{"op":"rewind","to":{"m":1}}]}"#,
        r#"{"oops":[]}"#,
    ] {
        assert!(serde_json::from_str::<Script>(typo).is_err(), "{typo}");
    }
}

/// What `Debug` prints below is pasted back above it.
#[test]
fn debug_is_rust() {
    let script = Script {
        ops: vec![
            Op::Message { form: MessageForm::Prompt, words: WordsForm::Absent },
            Op::Branch { form: BranchForm::Record, at: Ref { to: Pick::Recent, n: 2 } },
            Op::Compaction(Compaction {
                replaces: ReplacesForm::Kept,
                kept: Ref { to: Pick::Path, n: 1 },
                ..Compaction::default()
            }),
        ],
    };
    assert_eq!(
        format!("{script:?}"),
        "Script { ops: vec![\n    Op::Message { form: MessageForm::Prompt, words: WordsForm::Absent },\n    \
         Op::Branch { form: BranchForm::Record, at: Ref { to: Pick::Recent, n: 2 } },\n    \
         Op::Compaction(Compaction { replaces: ReplacesForm::Kept, kept: Ref { to: Pick::Path, n: 1 }, \
         ..Compaction::default() }),\n] }"
    );
}

#[test]
fn a_kind_is_that_of_its_plain_operation() {
    for &kind in Kind::ALL {
        assert_eq!(Op::plain(kind).kind(), kind);
        assert_eq!(Op::plain(kind).is_odd(), matches!(kind, Kind::Supersede | Kind::Edit));
    }
}

#[test]
fn an_operand_takes_each_of_its_ranks() {
    for &kind in Kind::ALL {
        Op::plain(kind).visit(&mut |operand| {
            assert!(operand.sound() <= operand.values() && operand.sound() > 0);
            for rank in 0..operand.values() {
                operand.set_rank(rank);
                assert_eq!(operand.rank(), rank);
            }
            operand.set_rank(operand.values());
            assert_eq!(operand.rank(), 0, "ranks are wrapped");
        });
    }
}

#[test]
fn the_plain_stream_is_that_of_the_exhaustive_alphabet() {
    let script = Script::from_iter([
        Op::plain(Kind::Message),
        Op::plain(Kind::Gap),
        Op::plain(Kind::Rewind),
        Op::plain(Kind::Message),
        Op::Compaction(Compaction { insert: InsertForm::Before, at: Ref::path(1), ..Compaction::default() }),
        Op::Branch { form: BranchForm::Start, at: Ref::default() },
        Op::Revise {
            of: Ref::path(1),
            base: Default::default(),
            change: Default::default(),
            manner: Manner::Rewrite,
        },
    ]);
    // The rewrite may not take r4 away from r1: the compaction relies on it.
    let expected = [
        r#"{"type":"message","seq":1,"id":"r1","messageId":"m1","role":"user"}"#,
        r#"{"type":"gap","seq":2,"id":"r2","reason":"unreadable"}"#,
        r#"{"type":"rewind","seq":3,"id":"r3","to":"r1","reason":"other"}"#,
        r#"{"type":"message","seq":4,"id":"r4","messageId":"m4","role":"user"}"#,
        concat!(
            r#"{"type":"compaction","seq":5,"id":"r5","compactionId":"c5","kind":"summary","#,
            r#""replaces":{"throughId":"r4"},"insertAt":{"beforeId":"r1"},"#,
            r#""summary":[{"type":"text","text":"s"}]}"#
        ),
        concat!(
            r#"{"type":"message","seq":6,"id":"r6","supersedes":"r4","#,
            r#""assembly":{"mode":"rewrite","sourceIds":["x"]},"messageId":"m4","role":"user"}"#
        ),
    ];
    let stream = String::from_utf8(script.render()).unwrap();
    assert_eq!(stream.lines().collect::<Vec<_>>(), expected);
}

/// The fields of a record, parsed where `serde_json` can; none if it is no record.
fn fields(line: &[u8]) -> BTreeMap<String, Value> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let raw: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(line).unwrap_or_default();
    raw.into_iter()
        .map(|(key, value)| (key, serde_json::from_str(value.get()).unwrap_or(Value::Null)))
        .collect()
}

#[test]
fn a_spelling_changes_no_field_that_anybody_reads() {
    let line = Op::Compaction(Compaction {
        replaces: ReplacesForm::Kept,
        insert: InsertForm::Start,
        ..Compaction::default()
    });
    let plain = Script::from_iter([Op::plain(Kind::Message), line]).render();
    let expected = fields(plain.split(|&byte| byte == b'\n').nth(1).unwrap());
    for &form in SpellForm::ALL {
        let spelled = Script::from_iter([Op::plain(Kind::Message), Op::Spell { form }, line]).render();
        let mut actual = fields(spelled.split(|&byte| byte == b'\n').nth(1).unwrap());
        actual.retain(|key, _| expected.contains_key(key));
        assert_eq!(actual, expected, "{form:?}");

        let is_plain = plain == spelled;
        assert_eq!(is_plain, form == SpellForm::Bom, "{form:?}");
    }
}

#[test]
fn every_damage_makes_a_line_that_is_no_record() {
    for &damage in Damage::ALL {
        let stream = Script::from_iter([Op::Malformed { damage }]).render();
        let line = stream.strip_suffix(b"\n").unwrap();
        assert!(!line.contains(&b'\n') && !line.is_empty());
        assert!(serde_json::from_slice::<serde_json::Map<String, Value>>(line).is_err(), "{damage:?}");
    }
}

/// But for a synonym that only readers know, and for calls that bear what means something on messages only.
#[test]
fn sound_records_have_no_fields_but_those_of_the_vocabulary() {
    let text = Some(String::from("x"));
    let number = || Some(serde_json::Number::from(1));
    let parts = vec![record::ContentPart::text("x")];
    let message = record::Message {
        message_id: text.clone(),
        audience: text.clone(),
        status: text.clone(),
        ..record::Message::default()
    };
    let call = record::ToolCall {
        requested_by: text.clone(),
        parent_call_id: text.clone(),
        ..record::ToolCall::default()
    };
    let mut compaction = record::Compaction::new("x", "x", record::Replaces::Unknown);
    compaction.status = text.clone();
    compaction.summary = Some(parts);
    compaction.opaque = Some(Value::Null);
    compaction.kept_from_id = text.clone();
    compaction.insert_at = Some(record::InsertAt::Start);
    compaction.retains = vec![record::Retained { r#ref: String::from("x"), capture: text.clone() }];
    compaction.history_retained = Some(false);
    let inherits = record::Inherits {
        mode: String::from("x"),
        from: Value::Null,
        through_id: text.clone(),
        through_ordinal: number(),
    };
    let info = record::SessionInfo {
        heads: Some(Vec::new()),
        lineage: Some(record::Lineage { inherits }),
        ..record::SessionInfo::default()
    };
    let rewind = record::Rewind { restore_requested: Some(true), ..record::Rewind::default() };
    let bodies: [record::Body; 7] = [
        message.into(),
        call.into(),
        record::ToolResult::default().into(),
        compaction.into(),
        rewind.into(),
        record::Gap::default().into(),
        info.into(),
    ];
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for body in bodies {
        let mut record = record::Record::new(1, "x", body);
        record.supersedes = text.clone();
        record.assembly = Some(record::Assembly { mode: String::from("x"), source_ids: Vec::new() });
        record.branches_from = Some(record::BranchesFrom::Start);
        let value: BTreeMap<String, Value> = serde_json::from_str(&record.to_line().unwrap()).unwrap();
        known.insert(record.body.type_name().to_owned(), value.into_keys().collect());
    }

    let settings = Settings { spellings: 0, ..Settings::valid() };
    for seed in 0..2_000 {
        let stream = Script::random(seed, &settings).render();
        for line in stream.split(|&byte| byte == b'\n') {
            let Ok(record) = serde_json::from_slice::<serde_json::Map<String, Value>>(line) else { continue };
            let Some(fields) = record["type"].as_str().and_then(|name| known.get(name)) else { continue };
            for field in record.keys() {
                let is_ours = ["toolCallId", "audience", "status"].contains(&field.as_str())
                    && record["type"].as_str().is_some_and(|name| name.starts_with("tool_"));
                assert!(is_ours || fields.contains(field), "{field} in {record:?}");
            }
        }
    }
}

/// Work is linear in the script: one of a hundred thousand lines renders while one waits.
#[test]
fn long_scripts_render() {
    let settings = Settings { lines: u16::MAX, swarm: false, ..Settings::mixed() };
    let mut script = Script::random(7, &settings);
    while script.lines() < 100_000 {
        script.ops.extend(Script::random(script.lines() as u64, &settings).ops);
    }
    let start = std::time::Instant::now();
    script.render();
    assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
}
