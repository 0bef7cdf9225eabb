//! The records that converters and generators write: the fields of `records.md`, in one place.
//!
//! The *Structure* chapter defines the fields that its algorithms read. Other chapters define the rest and are not
//! available; what they leave open is our assumption, marked *(ours)*, and no algorithm reads it. Readers ignore
//! unknown fields and types. This is a vocabulary for writing; whoever reads a stream must expect anything.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// A record as it is written to one line of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Position in observation order, strictly increasing over a stream.
    pub seq: i64,
    /// Unique in its stream.
    pub id: String,
    /// RFC 3339, as the source records it.
    pub ts: Option<String>,
    /// The record that this one revises.
    pub supersedes: Option<String>,
    /// How the source wrote this revision.
    pub assembly: Option<Assembly>,
    /// Where a context-participating record branches from.
    pub branches_from: Option<BranchesFrom>,
    /// Type and fields of the type.
    pub body: Body,
    /// Where the record came from *(ours)*.
    pub native: Option<Native>,
}

impl Record {
    /// A record with a body and nothing else.
    pub fn new(seq: i64, id: impl Into<String>, body: impl Into<Body>) -> Self {
        Self {
            seq,
            id: id.into(),
            ts: None,
            supersedes: None,
            assembly: None,
            branches_from: None,
            body: body.into(),
            native: None,
        }
    }

    /// The record as one line of JSON, without the line end.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Line<'a> {
            r#type: &'a str,
            seq: i64,
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            ts: &'a Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            supersedes: &'a Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            assembly: &'a Option<Assembly>,
            #[serde(skip_serializing_if = "Option::is_none")]
            branches_from: &'a Option<BranchesFrom>,
            #[serde(flatten)]
            body: &'a Body,
            #[serde(skip_serializing_if = "Option::is_none")]
            native: &'a Option<Native>,
        }
        let Self { seq, id, ts, supersedes, assembly, branches_from, body, native } = self;
        let r#type = body.type_name();
        Line { r#type, seq: *seq, id, ts, supersedes, assembly, branches_from, body, native }
            .serialize(serializer)
    }
}

/// The type of a record with its fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// `message`
    Message(Message),
    /// `tool_call`
    ToolCall(ToolCall),
    /// `tool_result`
    ToolResult(ToolResult),
    /// `compaction`
    Compaction(Compaction),
    /// `rewind`
    Rewind(Rewind),
    /// `gap`
    Gap(Gap),
    /// `session_info`
    SessionInfo(SessionInfo),
    /// Any other type: an audit fact
    Audit(Audit),
}

impl Body {
    /// The value of `type`.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Message(_) => "message",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::Compaction(_) => "compaction",
            Self::Rewind(_) => "rewind",
            Self::Gap(_) => "gap",
            Self::SessionInfo(_) => "session_info",
            Self::Audit(audit) => &audit.r#type,
        }
    }
}

macro_rules! bodies {
    ($($variant:ident),*) => { $(
        impl From<$variant> for Body {
            fn from(body: $variant) -> Self {
                Self::$variant(body)
            }
        }
    )* };
}

bodies!(Message, ToolCall, ToolResult, Compaction, Rewind, Gap, SessionInfo, Audit);

/// How the source wrote a revision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Assembly {
    /// `rewrite` for a marked rewrite (ASR-352).
    pub mode: String,
    /// Native ids of the revision.
    pub source_ids: Vec<String>,
}

/// An explicit predecessor (ASR-358).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum BranchesFrom {
    /// `{"record": id}`
    Record(String),
    /// `{"record": null}`: START
    Start,
    /// `{"state": "unknown"}`
    Unknown,
}

impl Serialize for BranchesFrom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (key, value) = match self {
            Self::Record(id) => ("record", Some(id.as_str())),
            Self::Start => ("record", None),
            Self::Unknown => ("state", Some("unknown")),
        };
        serializer.collect_map([(key, value)])
    }
}

/// Where a record came from *(ours)*.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Native {
    /// The agent, as the registry names it.
    pub agent: String,
    /// The file, where a session has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The physical line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The native id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The native kind, such as `user` or `system/compact_boundary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// A piece of content.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ContentPart {
    /// Text
    Text {
        /// The text
        text: String,
    },
    /// What the model thought *(ours)*
    Thinking {
        /// The text, empty where the source has it only in encrypted form
        text: String,
    },
    /// A picture *(ours)*
    Image {
        /// The native object
        source: Value,
    },
    /// Any other content *(ours)*
    Json {
        /// The native object
        value: Value,
    },
}

impl ContentPart {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// A turn of the conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Native id of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// `user`, `assistant` or `system`.
    pub role: String,
    /// `human`, `model`, `harness`, `hook` or `agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// `prompt`, `injected`, `memory`, `retrieval` or `notice`; open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// `user` where the model did not see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// `completed`, `error`, `interrupted` or `withdrawn`; open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The model *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The native key of the model response *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_key: Option<String>,
    /// What was said.
    pub content: Vec<ContentPart>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The key that pairs call and result.
    pub call_id: String,
    /// The tool *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its input *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// `model`, `code` or `user`; open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<String>,
    /// The call whose program made this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_call_id: Option<String>,
    /// The native key of the model response *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_key: Option<String>,
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The key that pairs call and result.
    pub call_id: String,
    /// Whether the tool failed *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// What came out.
    pub content: Vec<ContentPart>,
}

/// The source replaced a part of the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// Native or derived id.
    pub compaction_id: String,
    /// `derived` where the source has no id of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_source: Option<String>,
    /// `summary`, `prune`, `mask`, `provider_native`, `reset` or `branch_summary`; open.
    pub kind: String,
    /// `auto`, `manual` or `model`; open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Why the source compacted, in its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `completed`, `failed`, `cancelled` or `in_progress`; open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The readable summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Vec<ContentPart>>,
    /// State that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Value>,
    /// What was replaced.
    pub replaces: Replaces,
    /// The first record kept at the end of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_from_id: Option<String>,
    /// Where the summary goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert_at: Option<InsertAt>,
    /// Records carried into the new context.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retains: Vec<Retained>,
    /// Context size before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<serde_json::Number>,
    /// `false` where the source destroyed what it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_retained: Option<bool>,
}

impl Compaction {
    /// A compaction with the three required fields.
    pub fn new(compaction_id: impl Into<String>, kind: impl Into<String>, replaces: Replaces) -> Self {
        Self {
            compaction_id: compaction_id.into(),
            id_source: None,
            kind: kind.into(),
            trigger: None,
            reason: None,
            status: None,
            summary: None,
            opaque: None,
            replaces,
            kept_from_id: None,
            insert_at: None,
            retains: Vec::new(),
            tokens: None,
            duration_ms: None,
            history_retained: None,
        }
    }
}

/// What a compaction replaced (ASR-371).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Replaces {
    /// `{"throughId"}`: a range.
    Through(String),
    /// `{"ids"}`: a set.
    Ids(Vec<String>),
    /// `{"state": "unknown"}`
    Unknown,
}

impl Serialize for Replaces {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Through(id) => serializer.collect_map([("throughId", id)]),
            Self::Ids(ids) => serializer.collect_map([("ids", ids)]),
            Self::Unknown => serializer.collect_map([("state", "unknown")]),
        }
    }
}

/// Where a summary enters the context (ASR-371).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InsertAt {
    /// `{"afterId": null}`
    Start,
    /// `{"afterId"}`
    After(String),
    /// `{"beforeId"}`
    Before(String),
}

impl Serialize for InsertAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (key, value) = match self {
            Self::Start => ("afterId", None),
            Self::After(id) => ("afterId", Some(id)),
            Self::Before(id) => ("beforeId", Some(id)),
        };
        serializer.collect_map([(key, value)])
    }
}

/// A record carried into the new context (ASR-378).
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Retained {
    /// The record.
    pub r#ref: String,
    /// `full` or `truncated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<String>,
}

/// Context sizes in tokens, as recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tokens {
    /// Before the compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<serde_json::Number>,
    /// After it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<serde_json::Number>,
}

/// The source moved the conversation back (ASR-354).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rewind {
    /// The last record that remains, or null.
    pub to: Option<String>,
    /// `user_rewind`, `edit`, `retry`, `rollback` or `other`; open.
    pub reason: String,
    /// Whether files were to be restored along with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore_requested: Option<bool>,
}

/// Something is missing from the stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gap {
    /// `missing_parent`, `destroyed`, `truncated` or `unreadable` *(ours)*; open.
    pub reason: String,
    /// How many records are missing *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// What there was instead, such as the text of an unreadable line *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Facts about the session as a whole. A later record updates single fields (HD-1).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionInfo {
    /// Native session id *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Working directory *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Title *(ours)*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The current heads, the primary one first; `None` is an explicit null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<Vec<Option<String>>>,
    /// Where the session comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Lineage>,
}

/// Name and version of an agent *(ours)*.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Agent {
    /// As the registry names it.
    pub name: String,
    /// As the agent calls its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Where a session comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lineage {
    /// What it inherits.
    pub inherits: Inherits,
}

/// Context taken over from another session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inherits {
    /// `referenced` or `copied`; open.
    pub mode: String,
    /// The other session.
    pub from: Value,
    /// The last record taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through_id: Option<String>,
    /// Its ordinal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through_ordinal: Option<serde_json::Number>,
}

/// A fact that takes no part in the context: `usage`, `file_change`, `permission`, or `x-<agent>-<kind>`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The type of the record.
    #[serde(skip)]
    pub r#type: String,
    /// Its fields; for a vendor type the native object under `data` *(ours)*.
    #[serde(flatten)]
    pub fields: serde_json::Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chapter's first compaction example has this shape.
    #[test]
    fn a_record_is_written_with_the_fields_of_the_chapter_in_its_order() {
        let mut compaction = Compaction::new("cmp_7", "summary", Replaces::Through("r118".into()));
        compaction.insert_at = Some(InsertAt::After("r111".into()));
        compaction.kept_from_id = Some("r112".into());
        compaction.retains = vec![Retained { r#ref: "r5".into(), capture: None }];
        let mut record = Record::new(120, "r120", compaction);
        record.branches_from = Some(BranchesFrom::Start);
        assert_eq!(
            record.to_line().unwrap(),
            r#"{"type":"compaction","seq":120,"id":"r120","branchesFrom":{"record":null},"compactionId":"cmp_7","#
                .to_owned()
                + r#""kind":"summary","replaces":{"throughId":"r118"},"keptFromId":"r112","#
                + r#""insertAt":{"afterId":"r111"},"retains":[{"ref":"r5"}]}"#
        );
    }

    #[test]
    fn a_rewind_to_nothing_says_so() {
        let rewind = Rewind { to: None, reason: "other".into(), restore_requested: None };
        let line = Record::new(2, "r2", rewind).to_line().unwrap();
        assert_eq!(line, r#"{"type":"rewind","seq":2,"id":"r2","to":null,"reason":"other"}"#);
    }
}
