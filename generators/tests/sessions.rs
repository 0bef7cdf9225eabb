//! Native sessions of each agent: every script is a file, and default ones reach every form.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of a test may panic as it may"
)]

use arbitrary::{Arbitrary, Unstructured};
use asr_generators::sessions::{ClaudeCode, Pi, Recorded, Session, claude_code};
use asr_generators::{Operand, Scripted, Settings, Sort};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

fn lines(file: &[u8]) -> usize {
    file.iter().filter(|&&byte| byte == b'\n').count()
}

fn every_script_is_a_file<O: Recorded>(header: usize, writes: impl Fn(&O) -> bool)
where
    Session<O>: Scripted,
{
    for seed in 0..1_000 {
        let session: Session<O> = Session::random(seed, &Settings::broken());
        let file = session.render();
        assert_eq!(file, session.render());
        assert_eq!(lines(&file), header + session.ops.iter().filter(|op| writes(op)).count(), "{session:?}");
        for at in 0..session.ops.len() {
            let mut rest = session.clone();
            rest.ops.remove(at);
            rest.render();
            assert!(rest.is_sound() || !session.is_sound());
        }
        Scripted::mutated(&session, seed).render();
    }
    for byte in 0..=u8::MAX {
        for length in [0, 1, 15, 16, 17, 5_000] {
            let bytes: Vec<u8> =
                (0..length).map(|at| byte.wrapping_mul(at as u8).wrapping_add(byte)).collect();
            Session::<O>::from_bytes(&bytes).render();
            Session::<O>::arbitrary(&mut Unstructured::new(&bytes)).unwrap().render();
        }
    }
}

#[test]
fn every_script_is_a_file_always_the_same_with_a_line_for_each_operation() {
    every_script_is_a_file::<claude_code::Op>(0, |_| true);
    every_script_is_a_file::<asr_generators::sessions::pi::Op>(1, |op| {
        !matches!(op, asr_generators::sessions::pi::Op::Header { .. })
    });
}

/// Values of operands, by the name of their type, and how many there are.
fn reached<O: Recorded>() -> BTreeMap<String, (BTreeSet<u16>, u16)> {
    let mut reached: BTreeMap<String, (BTreeSet<u16>, u16)> = BTreeMap::new();
    for seed in 0..20_000 {
        let mut session: Session<O> = Session::random(seed, &Settings::default());
        for op in &mut session.ops {
            let kind = format!("{op:?}").split_whitespace().next().unwrap_or_default().to_owned();
            let mut at = 0;
            op.visit(&mut |operand: &mut dyn Operand| {
                if !matches!(operand.sort(), Sort::Form | Sort::Pick) {
                    return;
                }
                let entry = reached.entry(format!("{kind} {at}")).or_default();
                entry.0.insert(operand.rank());
                entry.1 = operand.values();
                at += 1;
            });
        }
    }
    reached
}

#[test]
fn default_sessions_reach_every_value_of_every_operand() {
    for reached in [reached::<claude_code::Op>(), reached::<asr_generators::sessions::pi::Op>()] {
        for (operand, (values, all)) in reached {
            assert_eq!(
                values.len(),
                usize::from(all),
                "{operand} is never of some of its values: {values:?}"
            );
        }
    }
}

fn survives_json<O: Recorded + DeserializeOwned + Serialize>() {
    for seed in 0..500 {
        let session: Session<O> = Session::random(seed, &Settings::broken());
        let json = serde_json::to_string(&session).unwrap();
        assert_eq!(serde_json::from_str::<Session<O>>(&json).unwrap(), session, "{json}");
    }
}

#[test]
fn a_session_survives_json_and_plain_operands_are_left_out() {
    survives_json::<claude_code::Op>();
    survives_json::<asr_generators::sessions::pi::Op>();
    let prompts = ClaudeCode::from_bytes(&[0; 32]);
    assert_eq!(serde_json::to_string(&prompts).unwrap(), r#"{"ops":[{"op":"prompt"},{"op":"prompt"}]}"#);
}

/// A line of a session as a JSON reader sees it, and what is wrong if it cannot.
fn sound_lines_are_records<O: Recorded>(must_have: &str) {
    for seed in 0..2_000 {
        let session: Session<O> = Session::random(seed, &Settings::valid());
        assert!(session.is_sound());
        for line in
            String::from_utf8(session.render()).unwrap().lines().filter(|line| !line.trim().is_empty())
        {
            // JSON readers differ about numbers out of range, half surrogates and these keys.
            if line.contains("1e999") || line.contains(r"\ud83d") || line.contains("$serde_json") {
                continue;
            }
            let record: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            assert!(record[must_have].is_string(), "{line}");
        }
    }
}

#[test]
fn every_line_of_a_sound_session_is_a_record() {
    sound_lines_are_records::<claude_code::Op>("type");
    sound_lines_are_records::<asr_generators::sessions::pi::Op>("type");
}

#[test]
fn a_plain_session_reads_as_the_agents_write_it() {
    let call = r#"{"ops":[{"op":"prompt"},{"op":"answer","form":"call"},{"op":"result"}]}"#;
    let claude: ClaudeCode = serde_json::from_str(call).unwrap();
    let expected = [
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","message":{"role":"user","content":"t"}}"#,
        concat!(
            r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1","requestId":"q2","message":"#,
            r#"{"id":"m2","role":"assistant","model":"claude-a","content":[{"type":"tool_use","id":"c2","#,
            r#""name":"Read","input":{"path":"f"}}],"usage":{"input_tokens":9,"output_tokens":2}}}"#
        ),
        concat!(
            r#"{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s1","message":{"role":"user","#,
            r#""content":[{"type":"tool_result","tool_use_id":"c2","content":"t"}]}}"#
        ),
    ];
    assert_eq!(String::from_utf8(claude.render()).unwrap().lines().collect::<Vec<_>>(), expected);

    let pi: Pi =
        serde_json::from_str(r#"{"ops":[{"op":"prompt"},{"op":"compaction","form":"own"}]}"#).unwrap();
    let expected = [
        r#"{"type":"session","version":3,"id":"s1","cwd":"/w"}"#,
        r#"{"type":"message","id":"e2","parentId":null,"message":{"role":"user","content":"t"}}"#,
        r#"{"type":"compaction","id":"e3","parentId":"e2","summary":"s","firstKeptEntryId":"e3","tokensBefore":3}"#,
    ];
    assert_eq!(String::from_utf8(pi.render()).unwrap().lines().collect::<Vec<_>>(), expected);
}
