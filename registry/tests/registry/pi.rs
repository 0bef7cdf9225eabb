//! Pi, row by row of its tables.

use crate::support::{
    branches, converted, entry, file, find, header, heads, ids, json_of, message, outcome, own, problems,
    with,
};
use asr_registry::{Agent, Conversion, ConvertError, convert};
use asr_spec::What;
use asr_spec::record::{Body, Replaces};
use serde_json::{Value, json};

/// A session with the header and these entries. The first entry is line 2.
fn session(entries: &[Value]) -> Conversion {
    let mut lines = vec![header()];
    lines.extend_from_slice(entries);
    converted(Agent::Pi, &lines)
}

fn assistant(id: &str, parent: &str, content: Value, fields: Value) -> Value {
    let message =
        with(json!({"role": "assistant", "provider": "p", "model": "m", "content": content}), fields);
    entry("message", id, parent, json!({"message": message}))
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn four() -> Vec<Value> {
    vec![
        message("u1", "", "user", "Go."),
        assistant("a1", "u1", text("Gone."), json!({"stopReason": "stop"})),
        message("u2", "a1", "user", "On."),
        assistant("a2", "u2", text("Done."), json!({"stopReason": "stop"})),
    ]
}

fn after_four(more: &[Value]) -> Conversion {
    let mut entries = four();
    entries.extend_from_slice(more);
    session(&entries)
}

#[test]
fn the_header_introduces_the_session() {
    let parent = json!({"parentSession": "before.jsonl", "version": 3});
    let conversion = converted(Agent::Pi, &[with(header(), parent)]);
    let info = json_of(&conversion, "s1");
    assert_eq!((&info["session"], &info["cwd"]), (&json!("s"), &json!("/garden")));
    assert_eq!(info["agent"], json!({"name": "pi"}), "the version of the format is not the agent's");
    assert_eq!(info["lineage"]["inherits"], json!({"mode": "copied", "from": "before.jsonl"}));
    assert_eq!(find(&conversion, "r1").body.type_name(), "x-pi-session");
}

#[test]
fn an_answer_is_one_unit_of_text_and_calls() {
    let content = json!([
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "So."},
        {"type": "toolCall", "id": "A", "name": "read", "arguments": {"path": "a"}},
        {"type": "toolCall", "id": "B", "name": "read", "arguments": {"path": "b"}},
    ]);
    let usage = json!({"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.5}});
    let result = json!({"role": "toolResult", "toolCallId": "B", "isError": true, "content": text("no")});
    let conversion = session(&[
        message("u", "", "user", "Go."),
        assistant("a", "u", content, json!({"stopReason": "toolUse", "usage": usage, "responseId": "msg"})),
        entry("message", "t", "a", json!({"message": result})),
    ]);
    let answer = json_of(&conversion, "r3");
    assert_eq!((&answer["responseKey"], &answer["model"]), (&json!("a"), &json!("m")));
    assert_eq!(
        answer["content"],
        json!([{"type": "thinking", "text": "Hm."}, {"type": "text", "text": "So."}])
    );
    let call = json_of(&conversion, "r3.3");
    assert_eq!(
        (&call["callId"], &call["name"], &call["input"]),
        (&json!("B"), &json!("read"), &json!({"path": "b"}))
    );
    assert_eq!(call["responseKey"], "a");
    let result = json_of(&conversion, "r4");
    assert_eq!((&result["callId"], &result["isError"]), (&json!("B"), &json!(true)));
    let usage = json_of(&conversion, "u3");
    assert_eq!(usage["tokens"], json!({"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0}));
    assert_eq!((&usage["cost"], &usage["responseId"]), (&json!(0.5), &json!("msg")));
}

#[test]
fn an_error_and_its_retry_are_one_path() {
    let conversion = session(&[
        message("u", "", "user", "Go."),
        assistant("e", "u", json!([]), json!({"stopReason": "error", "errorMessage": "529"})),
        assistant("a", "u", json!([]), json!({"stopReason": "aborted"})),
        assistant("b", "u", text("Gone."), json!({"stopReason": "stop"})),
    ]);
    assert_eq!(json_of(&conversion, "r3")["status"], "error");
    assert_eq!(json_of(&conversion, "u3")["error"], "529");
    assert_eq!(json_of(&conversion, "r4")["status"], "interrupted");
    assert_eq!(json_of(&conversion, "r5")["status"], Value::Null);
    assert_eq!(branches(&conversion), Vec::<String>::new());
}

#[test]
fn what_extensions_add_is_injected() {
    let custom = json!({"role": "custom", "customType": "x", "content": "Mind."});
    let system = json!({"role": "system", "sections": [{"name": "tools"}]});
    let conversion = session(&[
        entry("custom_message", "c", "", json!({"customType": "x", "content": "Mind.", "display": false})),
        entry("message", "d", "c", json!({"message": custom})),
        entry("message", "h", "d", json!({"message": with(custom.clone(), json!({"role": "hookMessage"}))})),
        entry("message", "s", "h", json!({"message": system})),
    ]);
    for id in ["r2", "r3", "r4", "r5"] {
        let record = json_of(&conversion, id);
        assert_eq!((&record["author"], &record["origin"]), (&json!("harness"), &json!("injected")), "{id}");
    }
    assert_eq!(json_of(&conversion, "r3")["content"], text("Mind."));
    let system = json_of(&conversion, "r5");
    assert_eq!(system["role"], "system");
    assert_eq!(system["content"], json!([{"type": "json", "value": {"sections": [{"name": "tools"}]}}]));
}

#[test]
fn a_command_of_a_person_is_told_as_the_agent_tells_it() {
    let bash = |fields: Value| {
        let message =
            with(json!({"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}), fields);
        entry("message", "b", "", json!({"message": message}))
    };
    let told = |fields: Value| {
        let record = json_of(&session(&[bash(fields)]), "r2");
        assert_eq!((&record["author"], &record["origin"]), (&json!("human"), &json!("command")));
        (record["content"][0]["text"].as_str().unwrap().to_owned(), record["audience"].clone())
    };
    assert_eq!(told(json!({})), ("Ran `ls`\n```\na\n```".to_owned(), Value::Null));
    assert_eq!(
        told(json!({"output": "", "exitCode": 2})).0,
        "Ran `ls`\n(no output)\n\nCommand exited with code 2"
    );
    let hidden =
        json!({"cancelled": true, "truncated": true, "fullOutputPath": "f", "excludeFromContext": true});
    let (text, audience) = told(hidden);
    assert!(text.ends_with("\n\n(command cancelled)\n\n[Output truncated. Full output: f]"), "{text}");
    assert_eq!(audience, "user");
}

#[test]
fn entries_beside_the_conversation_are_facts_and_hopped_over() {
    let conversion = session(&[
        entry("model_change", "m", "", json!({"modelId": "m"})),
        message("u", "m", "user", "Go."),
        entry("label", "l", "u", json!({"targetId": "u", "label": "x"})),
        entry("session_info", "n", "l", json!({"name": "Going"})),
        entry("custom", "c", "n", json!({"customType": "x", "data": {"n": 1}})),
        assistant("a", "c", text("Gone."), json!({})),
    ]);
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!(json_of(&conversion, "s5")["title"], "Going");
    assert_eq!(json_of(&conversion, "r6")["data"]["data"]["n"], 1);
    assert_eq!(conversion.notes, []);
}

// The tree.

#[test]
fn a_new_root_starts_anew_and_an_edit_branches() {
    let conversion = after_four(&[
        message("u2b", "a1", "user", "Not on."),
        message("u1b", "", "user", "Come."),
        message("lost", "nobody", "user", "Where?"),
    ]);
    assert_eq!(branches(&conversion), ["r6<-r3", "r7<-START", "r8<-?"]);
}

#[test]
fn a_label_on_an_earlier_entry_shows_that_somebody_went_back() {
    let conversion = after_four(&[
        entry("label", "l", "a1", json!({"targetId": "u1"})),
        entry("custom", "c", "l", json!({})),
        message("u3", "c", "user", "Again."),
    ]);
    assert_eq!(heads(&conversion), [("h6".into(), vec![Some("r3".into())]), ("h8".into(), vec![])]);
    assert_eq!(branches(&conversion), ["r8<-r3"]);
}

#[test]
fn a_leaf_entry_says_where_pi_is() {
    let leaf = |id: &str, target: Value| entry("leaf", id, "a2", json!({"targetId": target}));
    let conversion = after_four(&[
        leaf("l", json!("u1")),
        leaf("m", Value::Null),
        leaf("n", json!("a2")),
        leaf("o", json!("lost")),
    ]);
    let expected = [("h6".into(), vec![Some("r2".into())]), ("h7".into(), vec![None]), ("h8".into(), vec![])];
    assert_eq!(heads(&conversion), expected);
    assert_eq!(conversion.notes[0].line, 9);
}

/// A pointer that cannot be read is not the same as none.
#[test]
fn a_pointer_that_is_no_string_leads_to_something_unknown() {
    let odd = json!(5);
    let prompt = with(message("u3", "a2", "user", "Next."), json!({"parentId": odd}));
    assert_eq!(branches(&after_four(&[prompt])), ["r6<-?"]);
    let leaf = entry("leaf", "l", "a2", json!({"targetId": odd}));
    assert_eq!(heads(&after_four(&[leaf])), []);
    let kept = with(compaction("c", "a2", ""), json!({"firstKeptEntryId": odd, "firstKeptEntryIndex": 1}));
    assert_eq!(json_of(&after_four(&[kept]), "r6")["replaces"], json!({"state": "unknown"}));
}

#[test]
fn before_the_first_message_there_is_no_leaf_to_state() {
    let conversion = session(&[entry("model_change", "m", "", json!({})), message("u", "m", "user", "Go.")]);
    assert_eq!(heads(&conversion), []);
}

// Compactions.

fn compaction(id: &str, parent: &str, kept: &str) -> Value {
    let fields = json!({"summary": "What happened.", "firstKeptEntryId": kept, "tokensBefore": 900});
    entry("compaction", id, parent, fields)
}

#[test]
fn a_compaction_replaces_the_path_but_for_what_is_kept() {
    let conversion = after_four(&[compaction("c", "a2", "u2"), message("u3", "c", "user", "Next.")]);
    let record = json_of(&conversion, "r6");
    assert_eq!((&record["kind"], &record["compactionId"]), (&json!("summary"), &json!("c")));
    assert_eq!(record["replaces"], json!({"throughId": "r5"}));
    assert_eq!((&record["keptFromId"], &record["insertAt"]), (&json!("r4"), &json!({"afterId": null})));
    assert_eq!(record["tokens"], json!({"before": 900}));
    assert_eq!(outcome(&conversion, What::View), r#"[{"summary":"r6"},{"id":"r4"},{"id":"r5"},{"id":"r7"}]"#);
}

/// The error was in the context that overflowed, and the retry hangs beside it.
#[test]
fn a_compaction_replaces_a_failed_attempt_beside_it() {
    let mut failed = message("e", "u2", "assistant", "");
    failed["message"]["stopReason"] = json!("error");
    let conversion = session(&[message("u2", "", "user", "Go."), failed, compaction("c", "u2", "c")]);
    assert_eq!(branches(&conversion), Vec::<String>::new());
    assert_eq!(json_of(&conversion, "r4")["replaces"], json!({"throughId": "r3"}));
}

/// D12: nothing is replaced, and the summary still comes first.
#[test]
fn a_compaction_that_keeps_everything_puts_its_summary_first() {
    let conversion = after_four(&[compaction("c", "a2", "u1")]);
    let view = outcome(&conversion, What::View);
    assert_eq!(view, r#"[{"summary":"r6"},{"id":"r2"},{"id":"r3"},{"id":"r4"},{"id":"r5"}]"#);
}

#[test]
fn what_is_kept_may_begin_beside_the_conversation() {
    let entries = [
        message("u1", "", "user", "Go."),
        entry("model_change", "m", "u1", json!({})),
        entry("custom", "x", "m", json!({})),
        assistant("a1", "x", text("Gone."), json!({})),
        entry("custom", "y", "a1", json!({})),
    ];
    let kept = |kept: &str| {
        let mut entries = entries.to_vec();
        entries.push(compaction("c", "y", kept));
        json_of(&session(&entries), "r7")
    };
    assert_eq!(kept("m")["keptFromId"], "r5");
    assert_eq!(kept("y")["keptFromId"], Value::Null, "nothing of the conversation comes after it");
    assert_eq!(kept("y")["replaces"], json!({"throughId": "r5"}));
    assert_eq!(kept("c")["keptFromId"], Value::Null, "its own id: nothing is kept");
    assert_eq!(kept("lost")["replaces"], json!({"state": "unknown"}));
}

#[test]
fn what_is_kept_on_another_path_makes_the_replacement_unknown() {
    let conversion = after_four(&[message("u2b", "a1", "user", "Not on."), compaction("c", "u2b", "u2")]);
    assert_eq!(json_of(&conversion, "r7")["replaces"], json!({"state": "unknown"}));
}

#[test]
fn a_compaction_of_nothing_replaces_nothing() {
    let conversion = session(&[entry("model_change", "m", "", json!({})), compaction("c", "m", "m")]);
    assert_eq!(json_of(&conversion, "r3")["replaces"], json!({"ids": []}));
}

fn branch_summary(parent: &str, from: &str) -> Value {
    entry("branch_summary", "b", parent, json!({"fromId": from, "summary": "Tried."}))
}

#[test]
fn a_branch_summary_names_the_branch_that_was_left() {
    let conversion = after_four(&[branch_summary("a1", "a2"), message("u3", "b", "user", "Else.")]);
    let record = json_of(&conversion, "r6");
    assert_eq!(
        (&record["kind"], &record["branchesFrom"]),
        (&json!("branch_summary"), &json!({"record": "r3"}))
    );
    assert_eq!(record["replaces"], json!({"ids": ["r4", "r5"]}));
    assert_eq!(outcome(&conversion, What::View), r#"[{"id":"r2"},{"id":"r3"},{"summary":"r6"},{"id":"r7"}]"#);
}

/// D11: up to some version `fromId` is the point that was returned to.
#[test]
fn a_branch_summary_that_names_its_parent_stands_for_something_unknown() {
    let at_root = entry("branch_summary", "b", "", json!({"fromId": "root", "summary": "Tried."}));
    for summary in [branch_summary("a1", "a1"), at_root, branch_summary("a1", "lost")] {
        let conversion = after_four(&[summary]);
        assert_eq!(json_of(&conversion, "r6")["replaces"], json!({"state": "unknown"}));
    }
}

/// A stream that lists one long branch for every summary would be quadratic in the size of its file.
#[test]
fn summaries_that_name_too_much_are_noted() {
    let mut entries = four();
    entries.truncate(2);
    for n in 0..400 {
        let parent = if n == 0 { "a1".to_owned() } else { format!("x{}", n - 1) };
        entries.push(message(&format!("x{n}"), &parent, "user", "x"));
    }
    for n in 0..400 {
        entries.push(entry(
            "branch_summary",
            &format!("b{n}"),
            "a1",
            json!({"fromId": "x399", "summary": "s"}),
        ));
    }
    let conversion = session(&entries);
    let unknown = conversion.records.iter().filter(|record| {
        matches!(&record.body, Body::Compaction(compaction) if compaction.replaces == Replaces::Unknown)
    });
    assert_eq!(unknown.count(), conversion.notes.len());
    assert!((300..400).contains(&conversion.notes.len()), "{}", conversion.notes.len());
}

/// D14.
#[test]
fn a_context_edit_removes_or_replaces_one_entry() {
    let edit = |replacement: Value| {
        entry("context_edit", "e", "a2", json!({"targetId": "a1", "replacement": replacement}))
    };
    let removed = after_four(&[edit(Value::Null)]);
    assert_eq!(json_of(&removed, "r6")["kind"], "prune");
    assert_eq!(outcome(&removed, What::View), r#"[{"id":"r2"},{"id":"r4"},{"id":"r5"}]"#);
    let replaced = after_four(&[edit(text("Short."))]);
    assert_eq!(json_of(&replaced, "r6")["kind"], "mask");
    assert_eq!(json_of(&replaced, "r6")["summary"], text("Short."));
    assert_eq!(outcome(&replaced, What::View), r#"[{"id":"r2"},{"summary":"r6"},{"id":"r4"},{"id":"r5"}]"#);
}

#[test]
fn summaries_that_are_stored_as_messages_are_compactions() {
    let summary = |role: &str, id: &str, parent: &str| {
        let message = json!({"role": role, "summary": "What happened.", "tokensBefore": 5, "fromId": "u2"});
        entry("message", id, parent, json!({"message": message}))
    };
    let conversion =
        after_four(&[summary("compactionSummary", "c", "a2"), summary("branchSummary", "b", "a1")]);
    let (compaction, branch) = (json_of(&conversion, "r6"), json_of(&conversion, "r7"));
    assert_eq!(
        (&compaction["kind"], &compaction["replaces"]),
        (&json!("summary"), &json!({"state": "unknown"}))
    );
    assert_eq!((&branch["kind"], &branch["replaces"]), (&json!("branch_summary"), &json!({"ids": ["r4"]})));
}

// Format 1.

#[test]
fn entries_of_format_1_follow_each_other() {
    let line = |fields: Value| with(json!({"timestamp": "2026-04-13T07:00:01.000Z"}), fields);
    let said = |role: &str| line(json!({"type": "message", "message": {"role": role, "content": "x"}}));
    let conversion = converted(
        Agent::Pi,
        &[
            json!({"type": "session", "id": "s", "cwd": "/garden", "branchedFrom": "before.jsonl"}),
            said("user"),
            said("assistant"),
            line(json!({"type": "model_change", "modelId": "m"})),
            said("user"),
            line(json!({"type": "compaction", "summary": "s", "firstKeptEntryIndex": 3, "tokensBefore": 0})),
            said("user"),
        ],
    );
    assert_eq!(branches(&conversion), Vec::<String>::new());
    let compaction = json_of(&conversion, "r6");
    assert_eq!((&compaction["keptFromId"], &compaction["tokens"]), (&json!("r5"), &Value::Null));
    assert_eq!(compaction["idSource"], "derived");
    assert_eq!(json_of(&conversion, "r3")["messageId"], Value::Null, "there is no native id");
    assert_eq!(json_of(&conversion, "s1")["lineage"]["inherits"]["from"], "before.jsonl");
}

/// As in the later formats, where the entry names its own id.
#[test]
fn a_compaction_of_format_1_that_counts_to_itself_keeps_nothing() {
    let said = json!({"type": "message", "message": {"role": "user", "content": "x"}});
    let compaction = |index: u64| json!({"type": "compaction", "summary": "s", "firstKeptEntryIndex": index});
    let header = json!({"type": "session", "id": "s"});
    let with_index =
        |index| converted(Agent::Pi, &[header.clone(), said.clone(), said.clone(), compaction(index)]);
    let nothing = json_of(&with_index(3), "r4");
    assert_eq!((&nothing["replaces"], &nothing["keptFromId"]), (&json!({"throughId": "r3"}), &Value::Null));
    let later = json_of(&with_index(4), "r4");
    assert_eq!(later["replaces"], json!({"state": "unknown"}), "no entry stands there");
}

// What is not as expected.

/// Content that is one object becomes a part of a list, so its record nests deeper than the native one.
#[test]
fn what_nests_too_deeply_for_its_record_is_a_gap() {
    let nested = |levels: usize| {
        let content = format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        let entry = format!(r#"{{"type":"custom_message","id":"c","parentId":null,"content":{content}}}"#);
        convert(Agent::Pi, None, &[file(&[header()]), entry.into_bytes()].concat()).unwrap()
    };
    assert_eq!(outcome(&nested(124), What::Path), r#"[{"id":"r2"}]"#);
    assert_eq!(ids(&nested(125)).last(), Some(&"g2"));
}

#[test]
fn unknown_roles_types_and_bad_lines_are_kept_and_noted() {
    let mut bytes = file(&[header(), message("u", "", "user", "Go.")]);
    bytes.extend_from_slice(b"noise\n");
    bytes.extend(file(&[
        entry("message", "n", "u", json!({"message": {"role": "novelty", "content": "x"}})),
        entry("message", "o", "n", json!({"message": 5})),
        entry("novelty", "p", "o", json!({})),
        message("v", "p", "user", "On."),
    ]));
    let conversion = convert(Agent::Pi, None, &bytes).unwrap();
    assert_eq!(problems(&conversion, &bytes), Vec::<String>::new());
    assert_eq!(conversion.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert_eq!(json_of(&conversion, "r4")["data"]["message"]["role"], "novelty");
    assert_eq!(find(&conversion, "r6").body.type_name(), "x-pi-novelty");
    assert_eq!(outcome(&conversion, What::Path), r#"[{"id":"r2"},{"gap":"g3"},{"id":"r7"}]"#);
    assert!(ids(&conversion).contains(&"g3"));
}

#[test]
fn a_file_that_is_something_else_is_refused() {
    let refused = |bytes: &[u8]| convert(Agent::Pi, None, bytes).unwrap_err();
    assert_eq!(refused(b""), ConvertError::Empty { agent: Agent::Pi });
    let text = refused(b"\nnoise").to_string();
    assert!(text.starts_with("line 2: expected the header of a Pi session"), "{text}");
    assert!(
        refused(br#"{"type":"message","id":"a"}"#).to_string().ends_with("found a record of type `message`")
    );
    assert_eq!(refused(br#"{"type":"message","seq":1,"id":"r1"}"#), ConvertError::AlreadyAsr { line: 1 });
    for header in [r#"{"v":4,"kind":"header","id":"s"}"#, r#"{"type":"session","id":"s","version":4}"#] {
        let text = refused(header.as_bytes()).to_string();
        assert_eq!(
            text,
            "line 1: format 4 of Pi sessions is not supported: expected a Pi session of format 1, 2 or 3"
        );
    }
}

// Our own sessions.

#[test]
fn the_garden_session_goes_two_ways() {
    let bytes = own("pi/garden.jsonl");
    let conversion = convert(Agent::Pi, Some("garden.jsonl"), &bytes).unwrap();
    assert_eq!(problems(&conversion, &bytes), Vec::<String>::new());
    assert_eq!(conversion.notes, []);
    assert_eq!(branches(&conversion), ["r12<-r8"]);
    assert_eq!(json_of(&conversion, "r12")["replaces"], json!({"ids": ["r9", "r10", "r11"]}));
    let view: Vec<Value> = serde_json::from_str(&outcome(&conversion, What::View)).unwrap();
    assert_eq!(view[0], json!({"summary": "r16"}));
    let rest = ["r13", "r14", "r15", "r17", "r18", "r19", "r20"].map(|id| json!({"id": id}));
    assert_eq!(view[1..], rest);
}

#[test]
fn the_linear_session_keeps_its_end() {
    let bytes = own("pi/linear-v1.jsonl");
    let conversion = convert(Agent::Pi, Some("linear-v1.jsonl"), &bytes).unwrap();
    assert_eq!(problems(&conversion, &bytes), Vec::<String>::new());
    assert_eq!(branches(&conversion), Vec::<String>::new());
    let view = r#"[{"summary":"r9"},{"id":"r7"},{"id":"r8"},{"id":"r10"},{"id":"r11"}]"#;
    assert_eq!(outcome(&conversion, What::View), view);
}
