//! Messages: what people typed, what models answered, what tools and extensions added.

use crate::content;
use crate::object::{Fields, Object};
use crate::unit::Unit;
use asr_spec::record::{Body, ContentPart, Message, ToolCall, ToolResult};
use serde_json::{Map, Value};

/// The records of a message, if its role is known.
pub(super) fn bodies(role: &str, id: &str, message: &mut Object) -> Option<Vec<Body>> {
    match role {
        "user" => {
            let message = Message {
                author: Some("human".to_owned()),
                origin: Some("prompt".to_owned()),
                ..simple("user", id, message)
            };
            Some(vec![message.into()])
        }
        "assistant" => Some(assistant(id, message)),
        "toolResult" => {
            let call_id = message.take_text("toolCallId").unwrap_or_else(|| format!("{id}#1"));
            let is_error = message.get("isError").and_then(Value::as_bool);
            let content = content::parts(message.take("content").unwrap_or(Value::Null));
            Some(vec![ToolResult { call_id, is_error, content }.into()])
        }
        "bashExecution" => Some(vec![bash(id, message).into()]),
        "custom" | "hookMessage" => Some(vec![custom(id, message).into()]),
        "system" => Some(vec![system(id, message).into()]),
        _ => None,
    }
}

/// A message with its content and nothing else.
fn simple(role: &str, id: &str, message: &mut Object) -> Message {
    Message {
        message_id: Some(id.to_owned()),
        role: role.to_owned(),
        content: content::parts(message.take("content").unwrap_or(Value::Null)),
        ..Message::default()
    }
}

fn injected(message: Message) -> Message {
    Message { author: Some("harness".to_owned()), origin: Some("injected".to_owned()), ..message }
}

/// What an extension put into the context: a `custom_message` entry, or a message of role `custom`.
pub(super) fn custom(id: &str, object: &mut Object) -> Message {
    injected(simple("user", id, object))
}

/// A change of the system prompt. Its sections have no common form and stay as they are.
fn system(id: &str, message: &mut Object) -> Message {
    let mut system = injected(simple("system", id, message));
    let mut change = std::mem::take(message);
    for key in ["role", "timestamp"] {
        change.take(key);
    }
    if !change.is_empty() {
        system.content.push(ContentPart::Json { value: Value::Object(change) });
    }
    system
}

/// A command that a person ran, in the words in which the agent passes it on.
fn bash(id: &str, message: &Object) -> Message {
    let mut text = format!("Ran `{}`\n", message.text("command").unwrap_or_default());
    match message.text("output").filter(|output| !output.is_empty()) {
        Some(output) => text.extend(["```\n", output, "\n```"]),
        None => text.push_str("(no output)"),
    }
    match message.number("exitCode") {
        _ if message.flag("cancelled") => text.push_str("\n\n(command cancelled)"),
        Some(code) if code.as_i64() != Some(0) => {
            text.push_str(&format!("\n\nCommand exited with code {code}"))
        }
        _ => {}
    }
    if let (true, Some(path)) = (message.flag("truncated"), message.text("fullOutputPath")) {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    Message {
        message_id: Some(id.to_owned()),
        role: "user".to_owned(),
        author: Some("human".to_owned()),
        origin: Some("command".to_owned()),
        audience: message.flag("excludeFromContext").then(|| "user".to_owned()),
        content: vec![ContentPart::text(text)],
        ..Message::default()
    }
}

fn assistant(id: &str, message: &mut Object) -> Vec<Body> {
    let content = message.take("content").unwrap_or(Value::Null);
    let status = match message.text("stopReason") {
        Some("error") => Some("error"),
        Some("aborted") => Some("interrupted"),
        _ => None,
    };
    let template = Message {
        role: "assistant".to_owned(),
        author: Some("model".to_owned()),
        status: status.map(str::to_owned),
        model: message.text("model").map(str::to_owned),
        response_key: Some(id.to_owned()),
        ..Message::default()
    };
    let mut unit = Unit::new(Some(id), template);
    let blocks = match content {
        Value::Null => Vec::new(),
        Value::Array(blocks) => blocks,
        other => vec![other],
    };
    for (number, block) in (1..).zip(blocks) {
        match block {
            Value::Object(mut block) if block.text("type") == Some("thinking") => {
                unit.part(ContentPart::Thinking { text: block.take_text("thinking").unwrap_or_default() });
            }
            Value::Object(mut block) if block.text("type") == Some("toolCall") => unit.call(ToolCall {
                call_id: block.take_text("id").unwrap_or_else(|| format!("{id}#{number}")),
                name: block.take_text("name"),
                input: block.take("arguments"),
                requested_by: Some("model".to_owned()),
                ..ToolCall::default()
            }),
            block => unit.part(content::part(block)),
        }
    }
    unit.finish()
}

/// What the source states about the usage of a response, and about its failure.
pub(super) fn usage(key: &str, message: &Object) -> Map<String, Value> {
    let has_failed = matches!(message.text("stopReason"), Some("error" | "aborted"));
    let usage = message.object("usage");
    if usage.is_none() && !has_failed {
        return Map::new();
    }
    let mut fields = tokens_of(key, message.text("model"), usage.unwrap_or(&Object::new()));
    for (ours, theirs) in [
        ("provider", "provider"),
        ("responseId", "responseId"),
        ("stopReason", "stopReason"),
        ("error", "errorMessage"),
    ] {
        if let Some(text) = message.text(theirs) {
            fields.insert(ours.to_owned(), Value::String(text.to_owned()));
        }
    }
    fields
}

/// The fields of a usage record.
pub(super) fn tokens_of(key: &str, model: Option<&str>, usage: &Object) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("responseKey".to_owned(), Value::String(key.to_owned()));
    if let Some(model) = model {
        fields.insert("model".to_owned(), Value::String(model.to_owned()));
    }
    if usage.is_empty() {
        return fields;
    }
    let tokens = ["input", "output", "cacheRead", "cacheWrite"]
        .into_iter()
        .filter_map(|key| usage.number(key).map(|number| (key.to_owned(), Value::Number(number.clone()))));
    fields.insert("tokens".to_owned(), Value::Object(tokens.collect()));
    if let Some(cost) = usage.object("cost").and_then(|cost| cost.number("total")) {
        fields.insert("cost".to_owned(), Value::Number(cost.clone()));
    }
    fields.insert("data".to_owned(), Value::Object(usage.clone()));
    fields
}
