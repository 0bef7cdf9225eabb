//! Claude Code: a tree of records by `uuid` and `parentUuid`, one content block per record.
//!
//! | the rule asks for | Claude Code says it in |
//! |---|---|
//! | native id | `uuid`; of two records with the same one the first defines it; if the second stands below a compaction, what hangs from it hangs from the compaction |
//! | native parent | `parentUuid` |
//! | logical parent | `logicalParentUuid` of a `system/compact_boundary`, whose `parentUuid` is null |
//! | response key | `message.id`, else `requestId` |
//! | hopped over | `progress`, `system`, `attachment` and everything else but the kinds below |
//! | injected | `isMeta`; `origin.kind` other than human; texts with a marker; `<synthetic>` notices |
//! | failed attempt | `isApiErrorMessage`: error; `isAbortedMidStream`: interrupted |
//! | leaf | the newest `last-prompt.leafUuid` |
//!
//! What becomes of each kind:
//!
//! * `user` and `assistant` records are units; an `attachment/queued_command` with a prompt that a person
//!   typed while the model worked is a message like any other. Other attachments stay audit facts even where
//!   the model saw their text: as messages they would stand between parallel calls and make branches that
//!   never were.
//! * `system/compact_boundary` is the compaction. The `isCompactSummary` record after it is folded into it
//!   (ASR-373) and is a part of the same unit for whatever hangs from it. `system/microcompact_boundary`
//!   masks tool results.
//! * `supersedesUuids` and `retractedMessageUuids` withdraw messages: each gets a revision with status
//!   withdrawn.
//! * `last-prompt` is where the source points (`leaf`). Everything else is an audit fact
//!   `x-claude-code-<kind>`.
//! * Records with `isSidechain` belong to a subagent. In the file of the main session they are audit facts
//!   and no part of the tree: a pointer into them leads nowhere. A file that holds nothing but a sidechain is
//!   a session of its own, named `agent-<agentId>` like the file, and its opening prompt was written by an
//!   agent.

mod compaction;
mod leaf;
mod message;
mod session;

use crate::agent::{Agent, Entry};
use crate::lines::{self, Source};
use crate::object::{Fields, Object};
use crate::{Conversion, ConvertError};

/// What a Claude Code file must hold.
const EXPECTED: &str =
    "a Claude Code record (an object with a string `type`, and a `uuid`, a `sessionId` or a `leafUuid`)";

pub(crate) const ENTRY: Entry = Entry {
    agent: Agent::ClaudeCode,
    title: "Claude Code",
    id: "uuid",
    parent: "parentUuid",
    logical_parent: Some("logicalParentUuid of system/compact_boundary"),
    response_key: "message.id, else requestId",
    hopped: "every record but user, assistant, system/compact_boundary, system/microcompact_boundary and \
             attachment/queued_command with a person's prompt",
    injected: "isMeta; origin.kind other than human; texts that begin with a marker of the program (command, \
               local command output, interruption); records of the model <synthetic> that are no error",
    failed: "isApiErrorMessage (error), isAbortedMidStream (interrupted)",
    leaf: "the newest last-prompt.leafUuid",
    recognises,
    convert,
};

/// Whether an object is a record of Claude Code. Qwen Code uses the same pointers, but writes content in
/// `parts`.
fn recognises(object: &Object) -> bool {
    let has_parts = object.object("message").is_some_and(|message| message.contains_key("parts"));
    let is_named = ["uuid", "sessionId", "leafUuid"].into_iter().any(|key| object.text(key).is_some());
    object.text("type").is_some() && is_named && !has_parts
}

fn convert(source: &Source<'_>) -> Result<Conversion, ConvertError> {
    let lines: Vec<_> = lines::lines(source.bytes).map(|line| (line, line.parse_typed())).collect();
    let mut first = None;
    let mut known = false;
    for (line, parsed) in &lines {
        if let Ok(object) = parsed {
            if lines::is_asr(object) && first.is_none() {
                return Err(ConvertError::AlreadyAsr { line: line.number });
            }
            known |= recognises(object);
        }
        first = first.or(Some((line, parsed)));
    }
    let Some((line, parsed)) = first else {
        return Err(ConvertError::Empty { agent: Agent::ClaudeCode });
    };
    if !known {
        let found = match parsed {
            Err(why) => why.to_string(),
            Ok(object) => {
                format!("a record of type `{}` without them", object.text("type").unwrap_or_default())
            }
        };
        return Err(ConvertError::NotNative { line: line.number, expected: EXPECTED, found });
    }
    Ok(session::convert(source.file_name, lines))
}
