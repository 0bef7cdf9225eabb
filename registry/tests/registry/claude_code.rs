//! Claude Code, row by row of its tables.

use crate::support::{
    answer, block, branches, call, claude, converted, file, find, heads, ids, json_of, mechanical, outcome,
    own, problems, result, user, with,
};
use asr_registry::{Agent, Conversion, ConvertError, convert};
use asr_spec::What;
use asr_spec::record::Body;
use serde_json::{Value, json};

fn session(lines: &[Value]) -> Conversion {
    converted(Agent::ClaudeCode, lines)
}

fn attachment(uuid: &str, parent: &str, attachment: Value) -> Value {
    claude("attachment", uuid, parent, json!({"attachment": attachment}))
}

fn boundary(uuid: &str, logical_parent: &str, metadata: Value) -> Value {
    let fields = json!({"subtype": "compact_boundary", "logicalParentUuid": logical_parent,
                        "compactMetadata": metadata});
    claude("system", uuid, "", fields)
}

fn summary(uuid: &str, parent: &str) -> Value {
    with(user(uuid, parent, "What happened."), json!({"isCompactSummary": true}))
}

fn last_prompt(leaf: Value) -> Value {
    json!({"type": "last-prompt", "sessionId": "s", "leafUuid": leaf})
}

fn speaker(conversion: &Conversion, id: &str) -> (String, String) {
    let record = json_of(conversion, id);
    let text = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
    (text("author"), text("origin"))
}

// What people and models say.

#[test]
fn a_prompt_is_a_message_of_a_human() {
    let prompt = with(user("u", "", "Hello."), json!({"timestamp": "2026-04-12T08:00:00.000Z"}));
    let conversion = converted(Agent::ClaudeCode, &[prompt]);
    let expected = json!({
        "type": "message", "seq": 2, "id": "r1", "ts": "2026-04-12T08:00:00.000Z", "messageId": "u",
        "role": "user", "author": "human", "origin": "prompt",
        "content": [{"type": "text", "text": "Hello."}],
        "native": {"agent": "claude-code", "line": 1, "id": "u", "kind": "user"}
    });
    assert_eq!(json_of(&conversion, "r1"), expected);
}

#[test]
fn the_file_name_is_in_every_record() {
    let conversion = convert(Agent::ClaudeCode, Some("s.jsonl"), &file(&[user("u", "", "Hello.")])).unwrap();
    for record in &conversion.records {
        assert_eq!(record.native.as_ref().unwrap().file.as_deref(), Some("s.jsonl"));
    }
}

#[test]
fn content_keeps_pictures_and_documents() {
    let picture = json!({"type": "image", "source": {"type": "base64", "data": "AA=="}});
    let document = json!({"type": "document", "source": {"type": "text", "data": "x"}});
    let content = json!([{"type": "text", "text": "Look."}, picture, document]);
    let conversion =
        session(&[claude("user", "u", "", json!({"message": {"role": "user", "content": content}}))]);
    let expected = json!([{"type": "text", "text": "Look."}, {"type": "image", "source": picture},
                          {"type": "json", "value": document}]);
    assert_eq!(json_of(&conversion, "r1")["content"], expected);
}

#[test]
fn results_are_paired_and_say_whether_they_failed() {
    let blocks = json!([
        {"type": "tool_result", "tool_use_id": "A", "content": "out"},
        {"type": "tool_result", "tool_use_id": "B", "is_error": true,
         "content": [{"type": "text", "text": "no"}, {"type": "image", "source": {}}]},
    ]);
    let conversion = session(&[
        user("u", "", "Go."),
        call("a", "u", "X", "A"),
        call("b", "a", "X", "B"),
        claude("user", "t", "b", json!({"message": {"role": "user", "content": blocks}})),
    ]);
    let (first, second) = (json_of(&conversion, "r4"), json_of(&conversion, "r4.2"));
    assert_eq!((&first["callId"], &first["isError"]), (&json!("A"), &Value::Null));
    assert_eq!((&second["callId"], &second["isError"]), (&json!("B"), &json!(true)));
    assert_eq!(second["content"].as_array().unwrap().len(), 2);
    assert_eq!(branches(&conversion), Vec::<String>::new());
}

/// Decided literally (D2): the unit's first record is the result, and its message is a human's.
#[test]
fn words_in_the_record_of_a_result_displace_the_next_result() {
    let blocks = json!([{"type": "tool_result", "tool_use_id": "A", "content": "out"},
                        {"type": "text", "text": "And mind the roses."}]);
    let conversion = session(&[
        user("u", "", "Go."),
        call("a", "u", "X", "A"),
        call("b", "a", "X", "B"),
        claude("user", "t", "a", json!({"message": {"role": "user", "content": blocks}})),
        result("t2", "b", "B"),
    ]);
    assert_eq!(speaker(&conversion, "r4.2"), ("human".into(), "prompt".into()));
    assert_eq!(branches(&conversion), ["r5<-r3"]);
}

#[test]
fn a_response_is_thinking_text_and_calls_under_one_key() {
    let conversion = session(&[
        user("u", "", "Go."),
        block("a", "u", "X", json!({"type": "thinking", "thinking": "Hm.", "signature": "s"})),
        block("b", "a", "X", json!({"type": "redacted_thinking", "data": "s"})),
        answer("c", "b", "X", "So."),
        call("d", "c", "X", "A"),
        block(
            "e",
            "d",
            "X",
            json!({"type": "server_tool_use", "id": "B", "name": "web_search", "input": {}}),
        ),
        block(
            "f",
            "e",
            "X",
            json!({"type": "web_search_tool_result", "tool_use_id": "B", "content": [{"n": 1}]}),
        ),
    ]);
    for (id, r#type) in [
        ("r2", "message"),
        ("r3", "message"),
        ("r4", "message"),
        ("r5", "tool_call"),
        ("r6", "tool_call"),
        ("r7", "tool_result"),
    ] {
        assert_eq!(find(&conversion, id).body.type_name(), r#type, "{id}");
        if r#type != "tool_result" {
            assert_eq!(json_of(&conversion, id)["responseKey"], "X", "{id}");
        }
    }
    assert_eq!(json_of(&conversion, "r2")["content"], json!([{"type": "thinking", "text": "Hm."}]));
    assert_eq!(json_of(&conversion, "r3")["content"], json!([{"type": "thinking", "text": ""}]));
    let call = json_of(&conversion, "r5");
    let expected = (&json!("A"), &json!("Read"), &json!({"n": 1}), &json!("model"));
    assert_eq!((&call["callId"], &call["name"], &call["input"], &call["requestedBy"]), expected);
    assert_eq!(json_of(&conversion, "r4")["model"], "m");
}

#[test]
fn a_request_id_is_the_key_where_a_response_has_no_id() {
    let message = json!({"role": "assistant", "content": [{"type": "text", "text": "a"}]});
    let fields = json!({"message": message, "requestId": "req"});
    let conversion = session(&[user("u", "", "Go."), claude("assistant", "a", "u", fields)]);
    assert_eq!(json_of(&conversion, "r2")["responseKey"], "req");
}

/// Each record of a response repeats the usage so far.
#[test]
fn the_usage_of_a_response_is_that_of_its_last_record() {
    let mut last = answer("b", "a", "X", "So.");
    last["message"]["usage"] = json!({"input_tokens": 1, "output_tokens": 9, "cache_read_input_tokens": 5});
    last["message"]["stop_reason"] = json!("end_turn");
    let conversion =
        session(&[user("u", "", "Go."), answer("a", "u", "X", "Hm."), last, answer("c", "b", "Y", "Bye.")]);
    let usages: Vec<&str> = ids(&conversion).into_iter().filter(|id| id.starts_with('u')).collect();
    assert_eq!(usages, ["u3", "u4"]);
    let usage = json_of(&conversion, "u3");
    assert_eq!(usage["tokens"], json!({"input": 1, "output": 9, "cacheRead": 5}));
    assert_eq!((&usage["responseKey"], &usage["stopReason"]), (&json!("X"), &json!("end_turn")));
}

/// What is written again repeats the usage, or has lost it.
#[test]
fn the_usage_of_a_response_is_stated_once_also_if_its_record_is_written_again() {
    let mut bare = answer("b", "a", "X", "So.");
    bare["message"].as_object_mut().unwrap().remove("usage");
    let again = answer("a", "u", "X", "Hm.");
    let conversion = session(&[user("u", "", "Go."), answer("a", "u", "X", "Hm."), bare, again]);
    let usages: Vec<&str> = ids(&conversion).into_iter().filter(|id| id.starts_with('u')).collect();
    assert_eq!(usages, ["u2"]);
}

#[test]
fn an_error_of_the_service_is_a_failed_attempt_and_its_retry_is_mechanical() {
    let message = json!({"id": "E", "role": "assistant", "model": "<synthetic>",
                         "content": "API Error: 529", "usage": {"input_tokens": 0}});
    let error = claude(
        "assistant",
        "e",
        "u",
        json!({"message": message, "isApiErrorMessage": true, "error": "overloaded"}),
    );
    let conversion = session(&[user("u", "", "Go."), error, answer("a", "u", "X", "Here.")]);
    let record = json_of(&conversion, "r2");
    assert_eq!((&record["status"], &record["author"]), (&json!("error"), &Value::Null));
    assert_eq!(json_of(&conversion, "r2.2")["data"]["error"], "overloaded");
    assert!(!ids(&conversion).contains(&"u2"), "no model was asked");
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!(mechanical(&conversion), 1);
}

#[test]
fn an_answer_that_was_cut_off_is_interrupted() {
    let cut = with(answer("a", "u", "X", "He"), json!({"isAbortedMidStream": true}));
    let conversion = session(&[user("u", "", "Go."), cut, answer("b", "u", "Y", "Here.")]);
    assert_eq!(json_of(&conversion, "r2")["status"], "interrupted");
    assert_eq!(branches(&conversion), Vec::<String>::new());
}

#[test]
fn what_the_program_writes_into_the_conversation_is_injected() {
    let meta = with(user("m", "u", "<reminder>"), json!({"isMeta": true}));
    let task = with(user("t", "m", "done"), json!({"origin": {"kind": "task-notification"}}));
    let peer = with(user("p", "t", "hi"), json!({"origin": {"kind": "peer"}}));
    let synthetic = json!({"id": "N", "role": "assistant", "model": "<synthetic>",
                           "content": [{"type": "text", "text": "No response requested."}]});
    let conversion = session(&[
        user("u", "", "Go."),
        meta,
        task,
        peer,
        user("c", "p", "<command-name>/model</command-name>"),
        user("o", "c", "<local-command-stdout>ok</local-command-stdout>"),
        user("i", "o", "[Request interrupted by user for tool use]"),
        claude("assistant", "n", "i", json!({"message": synthetic})),
        with(user("h", "n", "Typed."), json!({"origin": {"kind": "human"}})),
    ]);
    for (id, author, origin) in [
        ("r2", "harness", "injected"),
        ("r3", "harness", "notice"),
        ("r4", "agent", "injected"),
        ("r5", "human", "notice"),
        ("r6", "harness", "notice"),
        ("r7", "harness", "notice"),
        ("r8", "harness", "notice"),
        ("r9", "human", "prompt"),
    ] {
        assert_eq!(speaker(&conversion, id), (author.into(), origin.into()), "{id}");
    }
}

#[test]
fn a_local_command_does_not_make_a_branch() {
    let synthetic =
        json!({"id": "N", "role": "assistant", "model": "<synthetic>", "content": "No response requested."});
    let conversion = session(&[
        user("u", "", "Go."),
        answer("a", "u", "X", "Gone."),
        with(user("v", "a", "Caveat"), json!({"isMeta": true})),
        user("c", "v", "<command-name>/model</command-name>"),
        claude("assistant", "n", "v", json!({"message": synthetic})),
        user("w", "n", "On."),
    ]);
    assert_eq!(branches(&conversion), Vec::<String>::new());
}

#[test]
fn a_fallback_to_another_model_is_a_fact() {
    let fallback = json!({"type": "fallback", "from": "a", "to": "b"});
    let conversion =
        session(&[user("u", "", "Go."), block("f", "u", "X", fallback), answer("a", "f", "X", "Here.")]);
    assert_eq!(find(&conversion, "r2").body.type_name(), "x-claude-code-assistant-fallback");
    assert_eq!(outcome(&conversion, What::Path), r#"[{"id":"r1"},{"id":"r3"}]"#);
}

// The tree.

/// The worked example of the chapter, as Claude Code writes it.
#[test]
fn parallel_calls_are_one_path_and_an_edited_prompt_is_a_branch() {
    let conversion = session(&[
        user("u1", "", "Fix it."),
        call("a1", "u1", "X", "T1"),
        call("a2", "a1", "X", "T2"),
        result("t1", "a1", "T1"),
        result("t2", "a2", "T2"),
        answer("a3", "t2", "Y", "Done."),
        user("u2", "a3", "Now the docs."),
        answer("a4", "u2", "Z", "Done too."),
        user("u2b", "a3", "Leave the docs."),
        answer("a5", "u2b", "W", "Left."),
    ]);
    assert_eq!(branches(&conversion), ["r9<-r6"]);
    assert_eq!(mechanical(&conversion), 2);
    let path: Vec<Value> = serde_json::from_str(&outcome(&conversion, What::Path)).unwrap();
    assert_eq!(path, ["r1", "r2", "r3", "r4", "r5", "r6", "r9", "r10"].map(|id| json!({"id": id})));
}

#[test]
fn an_edit_of_the_first_prompt_starts_anew() {
    let conversion = session(&[user("u", "", "Go."), answer("a", "u", "X", "Gone."), user("v", "", "Come.")]);
    assert_eq!(branches(&conversion), ["r3<-START"]);
}

#[test]
fn records_that_take_no_part_in_the_conversation_are_hopped_over() {
    let conversion = session(&[
        user("u", "", "Go."),
        claude("progress", "p", "u", json!({"data": {"type": "hook_progress"}})),
        attachment("h", "p", json!({"type": "hook_success", "content": ""})),
        claude("system", "s", "h", json!({"subtype": "turn_duration", "durationMs": 5})),
        answer("a", "s", "X", "Gone."),
    ]);
    assert_eq!(branches(&conversion), Vec::<String>::new());
    let types: Vec<&str> = ["r2", "r3", "r4"].map(|id| find(&conversion, id).body.type_name()).to_vec();
    let expected = [
        "x-claude-code-progress",
        "x-claude-code-attachment-hook_success",
        "x-claude-code-system-turn_duration",
    ];
    assert_eq!(types, expected);
    assert_eq!(json_of(&conversion, "r4")["data"]["durationMs"], 5);
}

/// Decided (D3): as a message the reminder would break the response apart, and `t2` would branch.
#[test]
fn a_reminder_between_parallel_results_makes_no_branch() {
    let conversion = session(&[
        user("u", "", "Go."),
        call("a", "u", "X", "A"),
        call("b", "a", "X", "B"),
        result("t1", "a", "A"),
        attachment("r", "a", json!({"type": "task_reminder", "content": []})),
        result("t2", "r", "B"),
    ]);
    assert_eq!(branches(&conversion), Vec::<String>::new());
}

#[test]
fn a_prompt_typed_while_the_model_works_is_a_message() {
    let queued = |uuid: &str, parent: &str, fields: Value| {
        attachment(uuid, parent, with(json!({"type": "queued_command", "prompt": "And water."}), fields))
    };
    let conversion = session(&[
        user("u", "", "Go."),
        queued("q", "u", json!({"commandMode": "prompt"})),
        queued("t", "q", json!({"commandMode": "task-notification"})),
        queued("p", "t", json!({"commandMode": "prompt", "origin": {"kind": "peer"}})),
    ]);
    assert_eq!(speaker(&conversion, "r2"), ("human".into(), "prompt".into()));
    assert_eq!(json_of(&conversion, "r2")["content"][0]["text"], "And water.");
    for id in ["r3", "r4"] {
        assert!(matches!(find(&conversion, id).body, Body::Audit(_)), "{id}");
    }
}

#[test]
fn a_parent_that_is_missing_is_unknown() {
    let conversion = session(&[user("u", "lost", "Go."), answer("a", "u", "X", "Gone.")]);
    assert_eq!(branches(&conversion), ["r1<-?"]);
}

/// D1: a hook that is written after the call that hangs from it leads back to where it hangs itself. Behind a
/// unit that is not there yet, nothing can be known.
#[test]
fn a_parent_that_is_written_later_is_hopped_over_unless_it_is_a_unit() {
    let conversion = session(&[
        user("u", "", "Go."),
        answer("a", "h", "X", "Gone."),
        attachment("h", "u", json!({"type": "hook_success"})),
        answer("b", "v", "Y", "Here?"),
        user("v", "a", "Where?"),
    ]);
    assert_eq!(branches(&conversion), ["r4<-?", "r5<-r2"]);
}

/// D9: a compaction writes what it preserved again.
#[test]
fn a_record_that_is_written_again_is_not_a_second_node() {
    let conversion = session(&[user("u", "", "Go."), answer("a", "u", "X", "Gone."), user("u", "a", "Go.")]);
    let again = json_of(&conversion, "r3");
    assert_eq!((&again["type"], &again["duplicateOf"]), (&json!("x-claude-code-user"), &json!("r1")));
    assert_eq!(outcome(&conversion, What::Path), r#"[{"id":"r1"},{"id":"r2"}]"#);
}

#[test]
fn a_subagent_in_the_file_is_a_fact_and_costs() {
    let sidechain = |record: Value| with(record, json!({"isSidechain": true, "agentId": "x"}));
    let conversion = session(&[
        user("u", "", "Go."),
        call("a", "u", "X", "A"),
        sidechain(user("s1", "", "Search.")),
        sidechain(answer("s2", "s1", "S", "Found.")),
        result("t", "a", "A"),
        user("lost", "s2", "Hm?"),
    ]);
    assert_eq!(find(&conversion, "r3").body.type_name(), "x-claude-code-sidechain-user");
    assert_eq!(json_of(&conversion, "u4")["sidechain"], true);
    assert_eq!(branches(&conversion), ["r6<-?"], "a pointer into the sidechain leads nowhere");
}

#[test]
fn the_file_of_a_subagent_is_a_session_of_its_own() {
    let sidechain = |record: Value| with(record, json!({"isSidechain": true, "agentId": "x"}));
    let conversion = session(&[
        sidechain(user("s1", "", "Search.")),
        sidechain(answer("s2", "s1", "S", "Found.")),
        attachment("h", "s2", json!({"type": "hook_success"})),
    ]);
    assert_eq!(json_of(&conversion, "s1")["session"], "agent-x");
    assert_eq!(speaker(&conversion, "r1"), ("agent".into(), "prompt".into()));
    assert_eq!(outcome(&conversion, What::Path), r#"[{"id":"r1"},{"id":"r2"}]"#);
}

// Compactions.

fn long(lines: &[Value]) -> Vec<Value> {
    let mut all = vec![
        user("u1", "", "Go."),
        answer("a1", "u1", "X", "Gone."),
        user("u2", "a1", "On."),
        answer("a2", "u2", "Y", "Done."),
    ];
    all.extend_from_slice(lines);
    all
}

#[test]
fn a_boundary_and_its_summary_are_one_compaction() {
    let metadata = json!({"trigger": "auto", "preTokens": 1000, "postTokens": 100, "durationMs": 7});
    let conversion = session(&long(&[
        attachment("h", "a2", json!({"type": "hook_success"})),
        boundary("b", "h", metadata),
        summary("s", "b"),
        user("u3", "s", "Next."),
    ]));
    let compaction = json_of(&conversion, "r6");
    let expected = json!({
        "type": "compaction", "seq": 9, "id": "r6", "compactionId": "b", "kind": "summary", "trigger": "auto",
        "summary": [{"type": "text", "text": "What happened."}], "replaces": {"throughId": "r4"},
        "tokens": {"before": 1000, "after": 100}, "durationMs": 7,
        "native": {"agent": "claude-code", "line": 6, "id": "b", "kind": "system/compact_boundary"}
    });
    assert_eq!(compaction, expected);
    assert!(matches!(find(&conversion, "r7").body, Body::Audit(_)), "the summary is no message (ASR-373)");
    assert_eq!(json_of(&conversion, "r6.2")["data"]["compactMetadata"]["trigger"], "auto");
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!(outcome(&conversion, What::View), r#"[{"summary":"r6"},{"id":"r8"}]"#);
}

#[test]
fn what_hangs_from_a_summary_hangs_from_its_boundary() {
    let conversion = session(&long(&[
        boundary("b", "a2", json!({})),
        summary("s", "b"),
        user("u3", "s", "Next."),
        answer("a3", "u3", "Z", "Done."),
        user("u4", "s", "Another."),
    ]));
    assert_eq!(branches(&conversion), ["r9<-r5"]);
}

/// The SDK says that a prompt may be queued while the summary is written.
#[test]
fn a_prompt_between_a_boundary_and_its_summary_stays_on_the_path() {
    let conversion = session(&long(&[
        boundary("b", "a2", json!({})),
        user("q", "b", "Wait."),
        summary("s", "q"),
        user("u3", "s", "Next."),
    ]));
    assert_eq!(json_of(&conversion, "r5")["summary"][0]["text"], "What happened.");
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!(outcome(&conversion, What::View), r#"[{"summary":"r5"},{"id":"r6"},{"id":"r8"}]"#);
}

#[test]
fn a_boundary_without_a_summary_is_a_compaction_without_one() {
    let conversion =
        session(&long(&[boundary("b", "a2", json!({"trigger": "manual"})), user("u3", "b", "Next.")]));
    let compaction = json_of(&conversion, "r5");
    assert_eq!((&compaction["trigger"], &compaction["summary"]), (&json!("manual"), &Value::Null));
    assert_eq!(outcome(&conversion, What::View), r#"[{"id":"r6"}]"#);
}

#[test]
fn a_summary_without_a_boundary_replaces_something_unknown() {
    let conversion = session(&[summary("s", ""), user("u", "s", "Next.")]);
    assert_eq!(json_of(&conversion, "r1")["replaces"], json!({"state": "unknown"}));
    assert_eq!(json_of(&conversion, "r1")["compactionId"], "s");
}

/// Claude Code's own reader takes the later of two records with one id, so what is said after a compaction to a
/// message that it preserved is said after the compaction. Attached to the first writing it would go round it.
#[test]
fn what_hangs_from_a_record_written_again_below_a_boundary_hangs_from_the_boundary() {
    let conversion = session(&long(&[
        boundary("b", "a2", preserved("s", &["u2", "a2"])),
        summary("s", "b"),
        user("u2", "s", "On."),
        answer("a2", "u2", "Y", "Done."),
        user("u3", "a2", "Next."),
        boundary("c", "u3", json!({})),
    ]));
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!(json_of(&conversion, "r10")["replaces"], json!({"throughId": "r9"}));
    let path = outcome(&conversion, What::Path);
    assert_eq!(
        path,
        r#"[{"id":"r1"},{"id":"r2"},{"id":"r3"},{"id":"r4"},{"id":"r5"},{"id":"r9"},{"id":"r10"}]"#
    );
}

/// The second result hangs from its own call and not from the first result, so the boundary that names the first
/// result stands behind both: the model had both, and the summary is of both.
#[test]
fn a_compaction_replaces_what_stands_mechanically_between_its_parent_and_itself() {
    let conversion = session(&[
        user("u", "", "Go."),
        call("a", "u", "X", "T1"),
        call("b", "a", "X", "T2"),
        result("t1", "a", "T1"),
        result("t2", "b", "T2"),
        boundary("c", "t1", json!({})),
        summary("s", "c"),
    ]);
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!(json_of(&conversion, "r6")["replaces"], json!({"throughId": "r5"}));
    assert_eq!(outcome(&conversion, What::View), r#"[{"summary":"r6"}]"#);
}

/// A parent that cannot be read is not the same as none: with none, the record would be a new beginning.
#[test]
fn a_pointer_that_is_no_string_leads_to_something_unknown() {
    for parent in [json!(5), json!(true), json!({"uuid": "u"}), json!(["u"])] {
        let lines = [user("u", "", "Go."), with(user("v", "", "On."), json!({"parentUuid": parent}))];
        assert_eq!(branches(&session(&lines)), ["r2<-?"]);
        let bounded = with(boundary("b", "", json!({})), json!({"logicalParentUuid": parent}));
        let conversion = session(&[user("u", "", "Go."), bounded]);
        assert_eq!(json_of(&conversion, "r2")["replaces"], json!({"state": "unknown"}));
        let conversion = session(&[user("u", "", "Go."), last_prompt(parent)]);
        assert_eq!((heads(&conversion).len(), conversion.notes.len()), (0, 1));
    }
}

/// D8: about a third of all real boundaries point to a record that is not in the file.
#[test]
fn a_boundary_whose_logical_parent_is_missing_replaces_something_unknown() {
    let conversion =
        session(&long(&[boundary("b", "lost", json!({})), summary("s", "b"), user("u3", "s", "Next.")]));
    assert_eq!(branches(&conversion), ["r5<-?"]);
    assert_eq!(json_of(&conversion, "r5")["replaces"], json!({"state": "unknown"}));
}

fn preserved(anchor: &str, uuids: &[&str]) -> Value {
    json!({"preservedMessages": {"anchorUuid": anchor, "uuids": uuids, "allUuids": uuids}})
}

#[test]
fn messages_preserved_behind_the_summary_are_the_kept_end_of_the_range() {
    let conversion = session(&long(&[
        boundary("b", "a2", preserved("s", &["u2", "a2"])),
        summary("s", "b"),
        user("u3", "s", "Next."),
    ]));
    let compaction = json_of(&conversion, "r5");
    assert_eq!(compaction["replaces"], json!({"throughId": "r4"}));
    assert_eq!(
        (&compaction["keptFromId"], &compaction["insertAt"]),
        (&json!("r3"), &json!({"afterId": null}))
    );
    assert_eq!(outcome(&conversion, What::View), r#"[{"summary":"r5"},{"id":"r3"},{"id":"r4"},{"id":"r7"}]"#);
}

#[test]
fn a_preserved_segment_is_the_kept_end_of_the_range() {
    let segment = json!({"preservedSegment": {"headUuid": "h", "anchorUuid": "s", "tailUuid": "a2"}});
    let without_list = with(segment.clone(), json!({"preservedMessages": {"anchorUuid": "s"}}));
    for metadata in [segment, without_list] {
        let conversion = session(&[
            user("u1", "", "Go."),
            answer("a1", "u1", "X", "Gone."),
            attachment("h", "a1", json!({"type": "hook_success"})),
            user("u2", "h", "On."),
            answer("a2", "u2", "Y", "Done."),
            boundary("b", "a2", metadata),
            summary("s", "b"),
        ]);
        assert_eq!(json_of(&conversion, "r6")["keptFromId"], "r4", "the first record at or after the hook");
    }
}

/// The list names one call of a response; the path holds the whole response.
#[test]
fn a_response_is_preserved_as_a_whole() {
    let conversion = session(&[
        user("u1", "", "Go."),
        answer("a1", "u1", "W", "Gone."),
        call("a", "a1", "X", "A"),
        call("b", "a", "X", "B"),
        result("t1", "a", "A"),
        result("t2", "b", "B"),
        boundary("c", "t2", preserved("s", &["a", "t2"])),
        summary("s", "c"),
    ]);
    assert_eq!(json_of(&conversion, "r7")["keptFromId"], "r3");
}

/// A second compaction keeps what the first one had kept, and a prompt since. Both summaries stand before what
/// is kept, so the boundary that lies between on the path is no part of it.
#[test]
fn messages_that_were_preserved_before_are_preserved_again() {
    let conversion = session(&long(&[
        boundary("b", "a2", preserved("s", &["a2"])),
        summary("s", "b"),
        user("u3", "s", "Next."),
        boundary("c", "u3", preserved("t", &["a2", "u3"])),
        summary("t", "c"),
    ]));
    let compaction = json_of(&conversion, "r8");
    assert_eq!((&compaction["keptFromId"], &compaction["retains"]), (&json!("r4"), &Value::Null));
    assert_eq!(outcome(&conversion, What::View), r#"[{"summary":"r8"},{"id":"r4"},{"id":"r7"}]"#);
}

#[test]
fn messages_preserved_before_the_summary_or_apart_are_retained() {
    let before = session(&long(&[boundary("b", "a2", preserved("b", &["u1", "a1"])), summary("s", "b")]));
    let apart = session(&long(&[boundary("b", "a2", preserved("s", &["u1", "a2"])), summary("s", "b")]));
    for (conversion, expected) in [(before, ["r1", "r2"]), (apart, ["r1", "r4"])] {
        let compaction = json_of(&conversion, "r5");
        assert_eq!(compaction["replaces"], json!({"throughId": "r4"}));
        assert_eq!(compaction["retains"], json!([{"ref": expected[0]}, {"ref": expected[1]}]));
        assert_eq!(compaction["keptFromId"], Value::Null);
    }
}

#[test]
fn a_preserved_message_that_is_missing_makes_the_replacement_unknown() {
    let conversion =
        session(&long(&[boundary("b", "a2", preserved("s", &["a2", "lost"])), summary("s", "b")]));
    assert_eq!(json_of(&conversion, "r5")["replaces"], json!({"state": "unknown"}));
}

/// D1 with D9: the last message before the boundary is only written behind it.
/// A list of which a part cannot be read is no list of the rest.
#[test]
fn a_preserved_message_that_is_named_by_no_string_makes_the_replacement_unknown() {
    for uuids in [json!(["u2", 5]), json!("u2"), json!({"u2": true})] {
        let kept = json!({"preservedMessages": {"anchorUuid": "s", "uuids": uuids}});
        let conversion = session(&long(&[boundary("b", "a2", kept), summary("s", "b")]));
        assert_eq!(json_of(&conversion, "r5")["replaces"], json!({"state": "unknown"}));
    }
}

#[test]
fn a_boundary_whose_logical_parent_is_written_later_replaces_something_unknown() {
    let conversion = session(&[
        user("u1", "", "Go."),
        answer("a1", "u1", "X", "Gone."),
        boundary("b", "a2", preserved("s", &["a1", "a2"])),
        summary("s", "b"),
        answer("a2", "a1", "Y", "Done."),
    ]);
    assert_eq!(branches(&conversion), ["r3<-?", "r5<-r2"]);
    assert_eq!(json_of(&conversion, "r3")["replaces"], json!({"state": "unknown"}));
}

#[test]
fn a_microcompact_masks_results() {
    let micro = |calls: Value| {
        let metadata = json!({"trigger": "auto", "preTokens": 50, "compactedToolIds": calls});
        claude(
            "system",
            "m",
            "t",
            json!({"subtype": "microcompact_boundary", "microcompactMetadata": metadata}),
        )
    };
    let lines = [user("u", "", "Go."), call("a", "u", "X", "A"), result("t", "a", "A")];
    let with_boundary =
        |boundary: Value| session(&[lines[0].clone(), lines[1].clone(), lines[2].clone(), boundary]);
    let conversion = with_boundary(micro(json!(["A"])));
    let compaction = json_of(&conversion, "r4");
    assert_eq!((&compaction["kind"], &compaction["replaces"]), (&json!("mask"), &json!({"ids": ["r3"]})));
    assert_eq!(outcome(&conversion, What::View), r#"[{"id":"r1"},{"id":"r2"}]"#);
    for calls in [json!(["A", "lost"]), json!(["A", 5])] {
        let missing = with_boundary(micro(calls));
        assert_eq!(json_of(&missing, "r4")["replaces"], json!({"state": "unknown"}), "not only a part of it");
    }
}

// Withdrawals.

/// D10: many messages may be replaced by one, so they are withdrawn one by one.
#[test]
fn superseded_messages_are_withdrawn() {
    let retry = with(answer("b", "u", "Y", "Better."), json!({"supersedesUuids": ["a"]}));
    let conversion = session(&[user("u", "", "Go."), answer("a", "u", "X", "Bad."), retry]);
    let revision = json_of(&conversion, "r3.2");
    assert_eq!((&revision["supersedes"], &revision["status"]), (&json!("r2"), &json!("withdrawn")));
    assert_eq!((&revision["messageId"], &revision["branchesFrom"]), (&json!("a"), &Value::Null));
    assert_eq!(outcome(&conversion, What::View), r#"[{"id":"r1"},{"id":"r3"}]"#);
}

#[test]
fn a_refusal_takes_back_what_it_names_once() {
    let refusal = |uuid: &str, parent: &str| {
        let fields = json!({"subtype": "model_refusal_fallback", "retractedMessageUuids": ["a", "lost"]});
        claude("system", uuid, parent, fields)
    };
    let conversion = session(&[
        user("u", "", "Go."),
        answer("a", "u", "X", "No."),
        refusal("f", "a"),
        refusal("g", "f"),
        answer("b", "g", "Y", "Yes."),
    ]);
    let revisions = conversion.records.iter().filter(|record| record.supersedes.is_some());
    assert_eq!(revisions.count(), 1);
    assert_eq!(outcome(&conversion, What::View), r#"[{"id":"r1"},{"id":"r5"}]"#);
    assert_eq!(conversion.notes.len(), 2, "each time for the record that is lost");
}

#[test]
fn a_withdrawn_record_keeps_its_branch() {
    let retry = with(answer("b", "v", "Y", "Better."), json!({"supersedesUuids": ["v"]}));
    let conversion =
        session(&[user("u", "", "Go."), answer("a", "u", "X", "Gone."), user("v", "", "Come."), retry]);
    assert_eq!(json_of(&conversion, "r4.2")["branchesFrom"], json!({"record": null}));
}

#[test]
fn calls_cannot_be_withdrawn_and_that_is_noted() {
    let retry = with(answer("b", "u", "Y", "Better."), json!({"supersedesUuids": ["a"]}));
    let conversion = session(&[user("u", "", "Go."), call("a", "u", "X", "A"), retry]);
    assert_eq!(conversion.notes[0].message, "takes back `a`; only its messages can be withdrawn");
}

// Leaves.

#[test]
fn a_leaf_on_the_default_path_needs_no_heads() {
    let conversion = session(&[
        user("u", "", "Go."),
        attachment("h", "u", json!({"type": "hook_success"})),
        last_prompt(json!("h")),
        answer("a", "h", "X", "Gone."),
        last_prompt(json!("u")),
        last_prompt(json!("a")),
    ]);
    assert_eq!(heads(&conversion), []);
    assert_eq!(json_of(&conversion, "r3")["data"]["leafUuid"], "h");
}

#[test]
fn a_leaf_on_another_lane_is_a_head_until_its_lane_goes_on() {
    let some = |id: &str| Some(id.to_owned());
    let conversion = session(&[
        user("u", "", "Go."),
        answer("a", "u", "X", "Gone."),
        user("v", "u", "Come."),
        last_prompt(json!("a")),
        last_prompt(json!("a")),
        answer("b", "v", "Y", "Here."),
        user("w", "a", "On."),
        last_prompt(json!("b")),
        last_prompt(json!("w")),
    ]);
    let expected = [
        ("h4".to_owned(), vec![some("r2"), some("r3")]),
        ("h7".to_owned(), vec![]),
        ("h8".to_owned(), vec![some("r6"), some("r7")]),
        ("h9".to_owned(), vec![]),
    ];
    assert_eq!(heads(&conversion), expected);
    assert_eq!(outcome(&conversion, What::Path), r#"[{"id":"r1"},{"id":"r2"},{"id":"r7"}]"#);
}

#[test]
fn the_lane_that_was_written_last_has_its_head_at_its_end() {
    let conversion = session(&[
        user("u", "", "Go."),
        answer("a", "u", "X", "Gone."),
        user("v", "u", "Come."),
        last_prompt(json!("a")),
        answer("b", "v", "Y", "Here."),
    ]);
    let lanes = |id: &str| vec![Some("r2".to_owned()), Some(id.to_owned())];
    assert_eq!(heads(&conversion), [("h4".to_owned(), lanes("r3")), ("h5".to_owned(), lanes("r5"))]);
}

#[test]
fn an_explicit_leaf_pins_the_conversation_to_an_earlier_record() {
    let explicit = |leaf: Value| with(last_prompt(leaf), json!({"explicit": true}));
    let lines = [user("u", "", "Go."), answer("a", "u", "X", "Gone."), explicit(json!("u"))];
    let pinned = session(&lines);
    assert_eq!(heads(&pinned), [("h3".to_owned(), vec![Some("r1".to_owned())])]);
    assert_eq!(outcome(&pinned, What::Path), r#"[{"id":"r1"}]"#);
    let mut lines = lines.to_vec();
    lines.push(explicit(Value::Null));
    assert_eq!(heads(&session(&lines)).last(), Some(&("h4".to_owned(), vec![])));
}

#[test]
fn a_compaction_wipes_the_leaf() {
    let conversion = session(&[
        user("u", "", "Go."),
        answer("a", "u", "X", "Gone."),
        user("v", "u", "Come."),
        last_prompt(json!("a")),
        boundary("b", "v", json!({})),
    ]);
    assert_eq!(heads(&conversion).last(), Some(&("h5".to_owned(), vec![])));
}

#[test]
fn a_leaf_that_is_missing_is_noted() {
    let conversion = session(&[user("u", "", "Go."), last_prompt(json!("lost"))]);
    assert_eq!(heads(&conversion), []);
    assert_eq!(conversion.notes[0].line, 2);
}

// The session.

#[test]
fn the_session_is_introduced_and_followed() {
    let conversion = session(&[
        json!({"type": "mode", "mode": "normal", "sessionId": "s"}),
        user("u", "", "Go."),
        with(answer("a", "u", "X", "Gone."), json!({"version": "2.1.1"})),
        json!({"type": "summary", "summary": "Of another session", "leafUuid": "other"}),
        json!({"type": "summary", "summary": "Going", "leafUuid": "a"}),
        json!({"type": "custom-title", "customTitle": "Gone", "sessionId": "s"}),
        json!({"type": "ai-title", "aiTitle": "Went", "sessionId": "s"}),
    ]);
    let first = json_of(&conversion, "s1");
    assert_eq!((&first["session"], &first["cwd"]), (&json!("s"), &json!("/garden")));
    assert_eq!(first["agent"], json!({"name": "claude-code", "version": "2.1.0"}));
    assert_eq!(json_of(&conversion, "s3")["agent"]["version"], "2.1.1");
    let titles: Vec<Value> =
        conversion.records.iter().map(|record| json_of(&conversion, &record.id)["title"].clone()).collect();
    let titles: Vec<&Value> = titles.iter().filter(|title| !title.is_null()).collect();
    assert_eq!(titles, ["Going", "Gone"]);
}

#[test]
fn a_fork_says_what_it_was_copied_from() {
    let forked =
        with(user("u", "", "Go."), json!({"forkedFrom": {"sessionId": "before", "messageUuid": "m"}}));
    let conversion = session(&[forked]);
    assert_eq!(
        json_of(&conversion, "s1")["lineage"],
        json!({"inherits": {"mode": "copied", "from": "before"}})
    );
}

#[test]
fn bookkeeping_is_kept_as_facts() {
    let kinds = [
        "file-history-snapshot",
        "queue-operation",
        "permission-mode",
        "pr-link",
        "agent-name",
        "worktree-state",
        "cost-state",
    ];
    let lines: Vec<Value> =
        kinds.iter().map(|kind| json!({"type": kind, "sessionId": "s", "n": 1})).collect();
    let conversion = session(&lines);
    for (number, kind) in (1..).zip(kinds) {
        let record = json_of(&conversion, &format!("r{number}"));
        assert_eq!(
            (&record["type"], &record["data"]["n"]),
            (&json!(format!("x-claude-code-{kind}")), &json!(1))
        );
    }
    assert_eq!(conversion.notes, []);
}

// What is not as expected.

#[test]
fn an_unknown_type_and_a_record_without_a_message_are_kept_and_noted() {
    let conversion = session(&[
        user("u", "", "Go."),
        claude("novelty", "n", "u", json!({"n": 1})),
        claude("user", "m", "n", json!({"message": 5})),
    ]);
    assert_eq!(find(&conversion, "r2").body.type_name(), "x-claude-code-novelty");
    assert_eq!(json_of(&conversion, "r3")["data"]["message"], 5);
    assert_eq!(conversion.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_bad_line_is_a_gap_and_the_rest_is_converted() {
    let mut bytes = file(&[user("u", "", "Go.")]);
    bytes.extend_from_slice(b"{\"type\":\"user\",\n\n[1]\n");
    bytes.extend(file(&[answer("a", "u", "X", "Gone.")]));
    let conversion = convert(Agent::ClaudeCode, None, &bytes).unwrap();
    assert_eq!(problems(&conversion, &bytes), Vec::<String>::new());
    let gap = json_of(&conversion, "g2");
    assert_eq!((&gap["reason"], &gap["data"]), (&json!("unreadable"), &json!("{\"type\":\"user\",")));
    assert_eq!(conversion.notes[1].message, "found an array: kept as a gap");
    assert_eq!(outcome(&conversion, What::Path), r#"[{"id":"r1"},{"gap":"g2"},{"gap":"g4"},{"id":"r5"}]"#);
}

/// A text that was cut in the middle of a character is still a text, and its record still has its children.
#[test]
fn half_a_surrogate_pair_costs_a_character_and_not_the_record() {
    let mut bytes = file(&[user("u", "", "Go."), answer("a", "u", "X", "half"), user("v", "a", "On.")]);
    let at = bytes.windows(4).position(|window| window == b"half").unwrap();
    bytes.splice(at..at + 4, *b"Sun \\ud83d");
    let conversion = convert(Agent::ClaudeCode, None, &bytes).unwrap();
    assert_eq!(problems(&conversion, &bytes), Vec::<String>::new());
    assert_eq!(json_of(&conversion, "r2")["content"][0]["text"], "Sun \u{fffd}");
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!((conversion.notes.len(), conversion.notes[0].line), (1, 2));
}

/// JavaScript reads a number out of range, and writes null in its place; and it knows no private keys.
#[test]
fn a_number_out_of_range_or_a_private_key_does_not_cost_the_record() {
    let mut bytes = file(&[user("u", "", "Go."), answer("a", "u", "X", "Gone."), user("v", "a", "On.")]);
    let at = bytes.windows(9).position(|window| window == b"\"message\"").unwrap();
    bytes.splice(
        at..at,
        *br#""x":[1e400,12345678901234567890123],"y":{"$serde_json::private::RawValue":"{"},"#,
    );
    let conversion = convert(Agent::ClaudeCode, None, &bytes).unwrap();
    assert_eq!(problems(&conversion, &bytes), Vec::<String>::new());
    assert_eq!(outcome(&conversion, What::Path), r#"[{"id":"r1"},{"id":"r2"},{"id":"r3"}]"#);
    assert_eq!((conversion.notes.len(), conversion.notes[0].line), (1, 1));
}

#[test]
fn a_file_that_is_something_else_is_refused() {
    let refused = |bytes: &[u8]| convert(Agent::ClaudeCode, None, bytes).unwrap_err();
    assert_eq!(refused(b"\n \n"), ConvertError::Empty { agent: Agent::ClaudeCode });
    let array = refused(b"\n\n[1]\n").to_string();
    assert!(
        array.starts_with("line 3: expected a Claude Code record (an object with a string `type`"),
        "{array}"
    );
    assert!(array.ends_with("found an array"), "{array}");
    let asr = refused(br#"{"type":"message","seq":1,"id":"r1"}"#);
    assert_eq!(asr, ConvertError::AlreadyAsr { line: 1 });
    let pi = refused(br#"{"type":"session","id":"s","version":3}"#).to_string();
    assert!(pi.contains("`session`"), "{pi}");
    let qwen =
        br#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","parts":[{"text":"x"}]}}"#;
    assert!(matches!(refused(qwen), ConvertError::NotNative { line: 1, .. }));
}

// Our own session.

#[test]
fn the_garden_session_shows_what_a_path_is() {
    let bytes = own("claude-code/garden.jsonl");
    let conversion = convert(Agent::ClaudeCode, Some("garden.jsonl"), &bytes).unwrap();
    assert_eq!(problems(&conversion, &bytes), Vec::<String>::new());
    assert_eq!(conversion.notes, []);
    assert_eq!(branches(&conversion), ["r37<-r30"], "the edited prompt");
    assert_eq!(mechanical(&conversion), 2, "the results of two parallel calls");
    let view: Vec<Value> = serde_json::from_str(&outcome(&conversion, What::View)).unwrap();
    assert_eq!(view[0], json!({"summary": "r20"}), "in place of the old turns");
    assert_eq!(view[1], json!({"id": "r16"}), "the kept turn");
    for id in ["r26", "r27", "r28", "r29"] {
        assert!(view.contains(&json!({"id": id})), "{id}: both parallel calls with their results");
    }
    for id in ["r33", "r34", "r35", "r36"] {
        assert!(!view.contains(&json!({"id": id})), "{id}: the abandoned turn");
    }
    assert_eq!(heads(&conversion), []);
}
