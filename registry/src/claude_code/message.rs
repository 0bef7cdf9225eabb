//! What people and models said: `user` and `assistant` records, and prompts typed while the model worked.
//!
//! Claude Code writes into the conversation itself: command output, reminders, notices of interruption. It
//! mostly says so in a field; where it does not, its texts begin with a marker of its own, and that marker is
//! a kind of record, not content: nothing else of a text is ever looked at (ASR-362).

use crate::content;
use crate::object::{Fields, Object};
use crate::unit::Unit;
use asr_spec::record::{Body, ContentPart, Message, ToolCall, ToolResult};
use serde_json::{Map, Value};

/// The model that Claude Code names where no model spoke.
const SYNTHETIC: &str = "<synthetic>";

/// Texts that the program marks as no prompt, by their beginning, and who is behind them.
const MARKERS: &[(&str, &str)] = &[
    ("<command-name>", "human"),
    ("<command-message>", "human"),
    ("<bash-input>", "human"),
    ("<bash-stdout>", "harness"),
    ("<bash-stderr>", "harness"),
    ("<local-command-stdout>", "harness"),
    ("<local-command-stderr>", "harness"),
    ("Caveat:", "harness"),
    ("[Request interrupted by user]", "harness"),
    ("[Request interrupted by user for tool use]", "harness"),
];

/// The records of one native record, and facts that came with them, by native kind.
pub(super) struct Talk {
    pub bodies: Vec<Body>,
    pub facts: Vec<(&'static str, Object)>,
}

/// The key of the model response that a record belongs to.
pub(super) fn response_key(object: &Object) -> Option<&str> {
    if object.text("type") != Some("assistant") {
        return None;
    }
    object.object("message").and_then(|message| message.text("id")).or_else(|| object.text("requestId"))
}

/// A `user` record: a prompt, results of tools, or both.
pub(super) fn user(object: &mut Object, is_sidechain: bool) -> Option<Talk> {
    let mut message = take_message(object)?;
    let content = message.take("content").unwrap_or(Value::Null);
    let id = object.text("uuid");
    let mut unit = Unit::new(id, Message { role: "user".to_owned(), ..Message::default() });
    for (number, block) in (1..).zip(blocks(content)) {
        match block {
            Value::Object(block) if block.text("type") == Some("tool_result") => {
                // Old records name the call in the envelope only.
                let call = block.text("tool_use_id").or_else(|| object.text("sourceToolUseID"));
                let call_id = call.map_or_else(|| made_up_call(id, number), str::to_owned);
                unit.result(result(call_id, block));
            }
            block => unit.part(content::part(block)),
        }
    }
    let mut bodies = unit.finish();
    let kind = object.object("origin").and_then(|origin| origin.text("kind"));
    for body in &mut bodies {
        if let Body::Message(message) = body {
            let (author, origin) =
                speaker(object.flag("isMeta"), kind, message.content.first(), is_sidechain);
            message.author = Some(author.to_owned());
            message.origin = Some(origin.to_owned());
        }
    }
    Some(Talk { bodies, facts: Vec::new() })
}

/// Who wrote a message of role user, and why it is there.
fn speaker(
    is_meta: bool,
    kind: Option<&str>,
    first: Option<&ContentPart>,
    is_sidechain: bool,
) -> (&'static str, &'static str) {
    if is_meta {
        return ("harness", "injected");
    }
    match kind {
        None | Some("human") => {}
        Some("task-notification") => return ("harness", "notice"),
        Some("peer" | "coordinator") => return ("agent", "injected"),
        Some(_) => return ("harness", "injected"),
    }
    if let Some(ContentPart::Text { text }) = first
        && let Some((_, author)) = MARKERS.iter().find(|(marker, _)| text.starts_with(marker))
    {
        return (author, "notice");
    }
    if is_sidechain { ("agent", "prompt") } else { ("human", "prompt") }
}

/// Whether an `attachment/queued_command` is a prompt that a person typed.
pub(super) fn is_typed(object: &Object) -> bool {
    object.object("attachment").is_some_and(|attachment| {
        let kind = attachment.object("origin").and_then(|origin| origin.text("kind"));
        attachment.text("commandMode") == Some("prompt")
            && matches!(kind, None | Some("human"))
            && !attachment.flag("isMeta")
    })
}

/// A prompt that was typed while the model worked.
pub(super) fn queued(object: &mut Object, _: bool) -> Option<Talk> {
    let Some(Value::Object(mut attachment)) = object.take("attachment") else { return None };
    let message = Message {
        message_id: object.text("uuid").map(str::to_owned),
        role: "user".to_owned(),
        author: Some("human".to_owned()),
        origin: Some("prompt".to_owned()),
        content: content::parts(attachment.take("prompt").unwrap_or(Value::Null)),
        ..Message::default()
    };
    Some(Talk { bodies: vec![message.into()], facts: Vec::new() })
}

/// An `assistant` record: one block of a response, sometimes several.
pub(super) fn assistant(object: &mut Object, _: bool) -> Option<Talk> {
    let response_key = response_key(object).map(str::to_owned);
    let mut message = take_message(object)?;
    let content = message.take("content").unwrap_or(Value::Null);
    let model = message.text("model");
    let is_error = object.flag("isApiErrorMessage");
    let status = match (is_error, object.flag("isAbortedMidStream")) {
        (true, _) => Some("error"),
        (_, true) => Some("interrupted"),
        _ => None,
    };
    // A synthetic record that is no error is a notice, such as the one after a local command. An error has no
    // author: the model did not write it, and if the program had, it would count as injected.
    let (author, origin) = match (model, is_error) {
        (_, true) => (None, None),
        (Some(SYNTHETIC), false) => (Some("harness"), Some("notice")),
        _ => (Some("model"), None),
    };
    let id = object.text("uuid");
    let template = Message {
        role: "assistant".to_owned(),
        author: author.map(str::to_owned),
        origin: origin.map(str::to_owned),
        status: status.map(str::to_owned),
        model: model.map(str::to_owned),
        response_key,
        ..Message::default()
    };
    let mut unit = Unit::new(id, template);
    let mut facts = Vec::new();
    let mut is_context = false;
    let blocks = blocks(content);
    let is_empty = blocks.is_empty();
    for (number, block) in (1..).zip(blocks) {
        let kind = block.as_object().and_then(|block| block.text("type")).unwrap_or_default().to_owned();
        is_context |= kind != "fallback";
        match (kind.as_str(), block) {
            ("fallback", Value::Object(block)) => facts.push(("assistant/fallback", block)),
            ("thinking", Value::Object(mut block)) => {
                unit.part(ContentPart::Thinking { text: block.take_text("thinking").unwrap_or_default() });
            }
            ("redacted_thinking", _) => unit.part(ContentPart::Thinking { text: String::new() }),
            ("tool_use" | "server_tool_use" | "mcp_tool_use", Value::Object(mut block)) => {
                unit.call(ToolCall {
                    call_id: block.take_text("id").unwrap_or_else(|| made_up_call(id, number)),
                    name: block.take_text("name"),
                    input: block.take("input"),
                    requested_by: Some("model".to_owned()),
                    ..ToolCall::default()
                })
            }
            // Tools that ran at the provider answer within the response.
            (kind, Value::Object(block)) if kind.ends_with("_tool_result") => {
                let call = block.text("tool_use_id").map(str::to_owned);
                unit.result(result(call.unwrap_or_else(|| made_up_call(id, number)), block));
            }
            (_, block) => unit.part(content::part(block)),
        }
    }
    let bodies = if is_context || is_empty { unit.finish() } else { Vec::new() };
    if is_error {
        facts.push(("assistant/error", std::mem::take(object)));
    }
    Some(Talk { bodies, facts })
}

/// The text of a summary that is stored as a message, or in a record of type `summary`.
pub(super) fn summary(object: &mut Object) -> Vec<ContentPart> {
    let content = match take_message(object) {
        Some(mut message) => message.take("content"),
        None => object.take("summary"),
    };
    content::parts(content.unwrap_or(Value::Null))
}

/// Whether a record states the usage of its response.
pub(super) fn has_usage(object: &Object) -> bool {
    object.object("message").is_some_and(|message| message.object("usage").is_some())
}

/// What the source states about the usage of a response. Nothing for a response that no model gave.
pub(super) fn usage(key: &str, object: &Object) -> Map<String, Value> {
    let message = object.object("message");
    let model = message.and_then(|message| message.text("model"));
    let (Some(message), Some(usage)) = (message, message.and_then(|message| message.object("usage"))) else {
        return Map::new();
    };
    if model == Some(SYNTHETIC) {
        return Map::new();
    }
    let tokens = [
        ("input", "input_tokens"),
        ("output", "output_tokens"),
        ("cacheRead", "cache_read_input_tokens"),
        ("cacheWrite", "cache_creation_input_tokens"),
    ];
    let tokens = tokens.into_iter().filter_map(|(ours, theirs)| {
        usage.number(theirs).map(|number| (ours.to_owned(), Value::Number(number.clone())))
    });
    let text = |text: Option<&str>| text.map(|text| Value::String(text.to_owned()));
    let fields = [
        ("responseKey", text(Some(key))),
        ("model", text(model)),
        ("requestId", text(object.text("requestId"))),
        ("stopReason", text(message.text("stop_reason"))),
        ("tokens", Some(Value::Object(tokens.collect()))),
        ("data", Some(Value::Object(usage.clone()))),
    ];
    fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn take_message(object: &mut Object) -> Option<Object> {
    match object.get_mut("message")?.take() {
        Value::Object(message) => {
            object.take("message");
            Some(message)
        }
        other => {
            object.insert("message".to_owned(), other);
            None
        }
    }
}

fn blocks(content: Value) -> Vec<Value> {
    match content {
        Value::Null => Vec::new(),
        Value::Array(blocks) => blocks,
        other => vec![other],
    }
}

fn result(call_id: String, mut block: Object) -> ToolResult {
    let is_error = block.get("is_error").and_then(Value::as_bool);
    ToolResult { call_id, is_error, content: content::parts(block.take("content").unwrap_or(Value::Null)) }
}

/// A call id where the source has none, so that the record is a record; it pairs with nothing.
fn made_up_call(uuid: Option<&str>, number: usize) -> String {
    format!("{}#{number}", uuid.unwrap_or_default())
}
