//! Pi: a tree of entries by `id` and `parentId`, formats 1 to 3.
//!
//! | the rule asks for | Pi says it in |
//! |---|---|
//! | native id | `id`; format 1 has none, and an entry is called after its line |
//! | native parent | `parentId`; where the key is missing, as in format 1, the entry before |
//! | logical parent | none |
//! | response key | the entry's own id: one entry holds one response. `message.responseId` may repeat |
//! | hopped over | all but `message`, `custom_message`, `compaction`, `branch_summary`, `context_edit` |
//! | injected | `custom_message`; messages of the roles `custom`, `hookMessage` and `system` |
//! | failed attempt | `stopReason` `error`: error; `aborted`: interrupted |
//! | leaf | the last entry of the file, whatever its type; a `leaf` entry names another one |
//!
//! What becomes of each kind:
//!
//! * An assistant message is one unit: its text and thinking, and a call for each `toolCall`. Answers that
//!   failed stay in the context with their status: newer versions leave them out of requests, but the file
//!   does not say which version wrote it.
//! * A `bashExecution` is what a person ran in the shell of the agent, in the words that the agent sends.
//! * `compaction`, `branch_summary` and `context_edit` are compactions, see `compaction`. Messages of the
//!   roles `compactionSummary` and `branchSummary` hold the same and are no messages either (ASR-373).
//! * Everything else is an audit fact `x-pi-<type>`.

mod compaction;
mod message;
mod session;

use crate::agent::{Agent, Entry};
use crate::lines::{self, Source};
use crate::object::{Fields, Object};
use crate::{Conversion, ConvertError};
use serde_json::Value;

/// What the first line of a Pi file must hold.
const EXPECTED: &str = "the header of a Pi session (`{\"type\":\"session\", …}`)";

/// The formats that can be converted.
const SUPPORTED: &str = "a Pi session of format 1, 2 or 3";

pub(crate) const ENTRY: Entry = Entry {
    agent: Agent::Pi,
    title: "Pi",
    id: "id",
    parent: "parentId; where the key is missing, the entry before",
    logical_parent: None,
    response_key: "the id of the entry",
    hopped: "every entry but message, custom_message, compaction, branch_summary and context_edit",
    injected: "custom_message; message.role custom, hookMessage, system",
    failed: "message.stopReason error (error), aborted (interrupted)",
    leaf: "the last entry of the file; leaf.targetId",
    recognises: |object| is_header(object) || is_format_4(object),
    convert,
};

fn is_header(object: &Object) -> bool {
    object.text("type") == Some("session") && object.text("id").is_some()
}

/// Format 4 was written by the agent core for a while: lanes in one file, and several entries on one line.
fn is_format_4(object: &Object) -> bool {
    object.text("kind") == Some("header") && object.contains_key("v")
}

fn convert(source: &Source<'_>) -> Result<Conversion, ConvertError> {
    let mut lines = lines::lines(source.bytes);
    let Some(first) = lines.next() else { return Err(ConvertError::Empty { agent: Agent::Pi }) };
    let line = first.number;
    let not_native = |found: String| ConvertError::NotNative { line, expected: EXPECTED, found };
    let header = first.parse().map_err(|why| not_native(why.to_string()))?;
    if lines::is_asr(&header) {
        return Err(ConvertError::AlreadyAsr { line });
    }
    let unsupported = |version: &Value| {
        let format = format!("format {version} of Pi sessions");
        ConvertError::Unsupported { line, format, supported: SUPPORTED }
    };
    if is_format_4(&header) {
        return Err(unsupported(header.get("v").unwrap_or(&Value::Null)));
    }
    if !is_header(&header) {
        let found = match header.text("type") {
            Some("session") => "a header without an `id`".to_owned(),
            Some(r#type) => format!("a record of type `{type}`"),
            None => "an object without a string `type`".to_owned(),
        };
        return Err(not_native(found));
    }
    match header.get("version") {
        Some(version) if !version.as_u64().is_some_and(|version| (1..=3).contains(&version)) => {
            Err(unsupported(version))
        }
        _ => Ok(session::convert(source.file_name, line, header, lines)),
    }
}
