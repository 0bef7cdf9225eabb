//! Real sessions of other people, where they are at hand: every one becomes a valid stream, with the branches
//! that a person who looked at the file says it has.

use crate::support::{branches, checked, find, heads, json_of, mechanical, outcome, samples};
use asr_registry::{Agent, ConvertError, convert};
use asr_spec::What;
use asr_spec::record::Body;

/// The one sample that is of a format that is refused.
const FORMAT_4: &str = "generated_agent-core-0.87.1_v4_lanes.jsonl";

/// Runs a test on a sample, if it is there.
fn on(agent: Agent, name: &str, test: impl FnOnce(asr_registry::Conversion)) {
    let samples = samples(agent);
    match samples.iter().find(|(sample, _)| sample == name) {
        Some((_, bytes)) => test(checked(agent, Some(name), bytes)),
        None if samples.is_empty() => {}
        None => panic!("no sample {name}, though there are others"),
    }
}

/// Also that every native line is in the stream, and that the rule can be asked again: see
/// `support::problems`.
#[test]
fn every_sample_becomes_a_valid_stream() {
    for agent in Agent::ALL {
        for (name, bytes) in samples(agent).iter().filter(|(name, _)| name != FORMAT_4) {
            let conversion = checked(agent, Some(name), bytes);
            assert_eq!(Agent::detect(bytes), Some(agent), "{name}");
            for what in [What::Path, What::View] {
                let outcome = outcome(&conversion, what);
                assert!(!outcome.contains("unresolvedRef"), "{name}: {outcome}");
            }
        }
    }
}

/// What the list of samples says of each file: units that are mechanical where it counts them, and branches.
#[test]
fn samples_branch_where_a_person_says_they_do() {
    let expected: &[(&str, Option<usize>, &[&str])] = &[
        ("entire_91b42542f24f-0.jsonl", Some(11), &[]),
        // A person's words in the record of a tool result put a human message between parallel results.
        ("entire_4a9c8e2bd824-0.jsonl", None, &["r207<-r205"]),
        ("entire_82060566ec4b-0.jsonl", None, &["r120<-r107", "r123<-r108"]),
        // The prototype that the list was made with had a branch at line 165, since it took command records
        // for prompts; they are injected.
        ("entire_601ac0eb4d69-0.jsonl", None, &[]),
        // These begin in the middle: the first parent is missing.
        ("entire_4b7d5121b42a-0.jsonl", None, &["r4<-?"]),
        ("entire_a6e4c2a0fbd1-0.jsonl", None, &["r3<-?"]),
        ("daaain_dag_compact_after_rewind.jsonl", None, &["r5<-r2"]),
        ("dkimuson_fe5e1c67.jsonl", None, &[]),
        ("dkimuson_5c0375b4.jsonl", None, &[]),
    ];
    for &(name, count, expected) in expected {
        on(Agent::ClaudeCode, name, |conversion| {
            assert_eq!(branches(&conversion), expected, "{name}");
            if let Some(count) = count {
                assert_eq!(mechanical(&conversion), count, "{name}");
            }
        });
    }
}

/// Two processes write one file: line 1609 goes on from 1570, line 1615 from 1605. At line 1628 one of them
/// says where it is, which is not the lane that was written last. Near the end, parallel results point to
/// hooks that are written later, behind results that are not there yet; the rule cannot place them
/// (`readings.md`, MS3-1).
#[test]
fn two_writers_on_one_file_make_two_lanes() {
    on(Agent::ClaudeCode, "agenttrail_real_claude-code-v1.slice_0-1825.jsonl", |conversion| {
        let branches = branches(&conversion);
        assert_eq!(branches[..3], ["r1609<-r1570", "r1615<-r1605", "r1803<-?"]);
        let heads = heads(&conversion);
        assert_eq!(heads[0], ("h1628".to_owned(), vec![Some("r1613".to_owned()), Some("r1627".to_owned())]));
        assert_eq!(heads[1], ("h1636".to_owned(), vec![]));
        let compaction = json_of(&conversion, "r1590");
        assert_eq!(compaction["replaces"]["throughId"], "r1582");
        assert_eq!(compaction["keptFromId"], "r1573");
        assert_eq!(compaction["durationMs"], 142_248);
    });
}

#[test]
fn a_compaction_after_a_rewind_replaces_the_branch_that_was_taken() {
    on(Agent::ClaudeCode, "daaain_dag_compact_after_rewind.jsonl", |conversion| {
        assert_eq!(json_of(&conversion, "r9")["replaces"]["throughId"], "r8");
        assert_eq!(outcome(&conversion, What::View), r#"[{"summary":"r9"},{"id":"r11"},{"id":"r12"}]"#);
    });
}

#[test]
fn a_subagent_in_the_file_of_its_session_is_no_part_of_the_conversation() {
    on(Agent::ClaudeCode, "dkimuson_fe5e1c67.jsonl", |conversion| {
        let is_sidechain =
            |kind: &Option<String>| kind.as_ref().is_some_and(|kind| kind.starts_with("sidechain/"));
        let sidechain = conversion.records.iter().filter(|record| {
            matches!(record.body, Body::Audit(_))
                && record.native.as_ref().is_some_and(|native| is_sidechain(&native.kind))
                && record.id.starts_with('r')
        });
        assert_eq!(sidechain.count(), 405);
    });
}

#[test]
fn a_session_of_pi_has_its_branches_and_what_their_summaries_stand_for() {
    on(Agent::Pi, "generated_1.6.0_v3_branches_edit_compaction.jsonl", |conversion| {
        assert_eq!(branches(&conversion), ["r12<-r8", "r22<-r18", "r26<-START"]);
        let summary = json_of(&conversion, "r12");
        assert_eq!(summary["kind"], "branch_summary");
        assert_eq!(summary["replaces"], serde_json::json!({"ids": ["r9", "r10", "r11"]}));
        let edit = json_of(&conversion, "r21");
        assert_eq!((&edit["kind"], &edit["replaces"]["ids"][0]), (&"prune".into(), &"r14".into()));
        assert_eq!(outcome(&conversion, What::View), r#"[{"id":"r26"},{"id":"r27"}]"#);
    });
}

#[test]
fn a_branch_summary_of_an_older_pi_does_not_say_what_it_stands_for() {
    on(Agent::Pi, "generated_0.74.2_v3_legacy_fromId.jsonl", |conversion| {
        assert_eq!(branches(&conversion), ["r12<-r8", "r21<-r18", "r25<-START"]);
        assert_eq!(json_of(&conversion, "r12")["replaces"], serde_json::json!({"state": "unknown"}));
    });
}

#[test]
fn a_linear_session_of_pi_counts_its_kept_entries() {
    on(Agent::Pi, "pimono_before-compaction.v1.slice_0-499.jsonl", |conversion| {
        assert_eq!(branches(&conversion), Vec::<String>::new());
        let compaction = json_of(&conversion, "r360");
        // Index 293 counts from the header: line 294.
        assert_eq!(compaction["keptFromId"], "r294");
        assert_eq!(compaction["tokens"]["before"], 175_004);
    });
}

#[test]
fn an_entry_of_an_unknown_type_is_kept_and_noted() {
    on(Agent::Pi, "agenttrail_quarantine.jsonl", |conversion| {
        assert_eq!(find(&conversion, "r3").body.type_name(), "x-pi-plugin_blob");
        assert_eq!(conversion.notes.len(), 1);
        assert_eq!(conversion.notes[0].line, 3);
    });
}

#[test]
fn format_4_of_pi_is_refused_by_name() {
    for (_, bytes) in samples(Agent::Pi).iter().filter(|(name, _)| name == FORMAT_4) {
        let error = convert(Agent::Pi, None, bytes).unwrap_err();
        assert!(matches!(error, ConvertError::Unsupported { line: 1, .. }));
        assert!(error.to_string().contains("format 4"), "{error}");
        assert_eq!(Agent::detect(bytes), Some(Agent::Pi), "it is Pi's all the same");
    }
}
