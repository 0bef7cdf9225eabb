//! One pass over the entries of a file, and what follows from all of them together.

use super::compaction::{self, Pending};
use super::message;
use crate::Conversion;
use crate::agent::Agent;
use crate::draft::{Draft, Origin, Pointers};
use crate::heads::{HeadsWriter, Pointing};
use crate::hops::Reached;
use crate::lines::Line;
use crate::object::{Fields, Object};
use crate::placed::{Placed, is_node};
use asr_spec::record::{self, Body, Inherits, Lineage, SessionInfo};
use serde_json::{Map, Value};

/// Types that the registry knows to be audit facts. A type that is not listed is kept in the same way, and
/// noted.
const AUDIT_TYPES: &[&str] = &[
    "active_tools_change",
    "custom",
    "label",
    "leaf",
    "model_change",
    "session_info",
    "thinking_level_change",
    "usage",
];

/// Converts the entries of a file with this header.
pub(super) fn convert<'a>(
    file_name: Option<&str>,
    line: u64,
    header: Object,
    lines: impl Iterator<Item = Line<'a>>,
) -> Conversion {
    let mut session = Session {
        draft: Draft::new(Agent::Pi, file_name),
        entries: Vec::new(),
        pending: Vec::new(),
        leaves: Vec::new(),
    };
    session.header(line, header);
    for line in lines {
        match line.parse_typed() {
            Ok(object) => {
                session.draft.note_mended(&line);
                session.entry(line.number, object);
            }
            Err(why) => session.draft.unreadable(&line, &why),
        }
    }
    let Session { draft, pending, leaves, .. } = session;
    let mut placed = draft.place();
    compaction::settle(&mut placed, pending);
    point(&mut placed, leaves);
    placed.finish()
}

struct Session {
    draft: Draft,
    /// The ids of all entries, the header included, as `firstKeptEntryIndex` counts them.
    entries: Vec<Option<String>>,
    pending: Vec<Pending>,
    leaves: Vec<Leaf>,
}

/// Where Pi is after an entry.
struct Leaf {
    /// The last record of the entry.
    position: usize,
    origin: Origin,
    /// The entry that it is at; `None` where it is at none.
    entry: Option<String>,
}

impl Session {
    fn header(&mut self, line: u64, header: Object) {
        let text = |key: &str| header.text(key).map(str::to_owned);
        let origin = Origin { line, kind: "session".to_owned(), id: text("id"), ts: text("timestamp") };
        // A fork begins with a copy of what it was forked from. Format 1 had another name for it.
        let parent = header.text("parentSession").or_else(|| header.text("branchedFrom"));
        let lineage = parent.map(|parent| Lineage {
            inherits: Inherits {
                mode: "copied".to_owned(),
                from: Value::String(parent.to_owned()),
                through_id: None,
                through_ordinal: None,
            },
        });
        let info = SessionInfo {
            session: text("id"),
            agent: Some(record::Agent { name: Agent::Pi.as_str().to_owned(), version: None }),
            cwd: text("cwd"),
            lineage,
            ..SessionInfo::default()
        };
        self.draft.session(&origin, info);
        self.draft.audit(&origin, header);
        self.entries.push(None);
    }

    fn entry(&mut self, line: u64, mut object: Object) {
        let r#type = object.text("type").unwrap_or_default().to_owned();
        let native_id = object.text("id").map(str::to_owned);
        let mut kind = r#type.clone();
        if let Some(role) = object.object("message").and_then(|message| message.text("role")) {
            kind = format!("{kind}/{role}");
        }
        let ts = object.text("timestamp").map(str::to_owned);
        let origin = Origin { line, kind, id: native_id.clone(), ts };
        let id = native_id.unwrap_or_else(|| format!("line-{line}"));
        let parent = match object.contains_key("parentId") {
            true => object.pointer("parentId"),
            false => self.entries.last().cloned().flatten(),
        };
        let pointers = Pointers { id: Some(id.clone()), parent: parent.clone(), logical_parent: None };
        self.entries.push(Some(id.clone()));
        let mut leaf = Some(id.clone());

        match r#type.as_str() {
            "message" => self.message(&origin, pointers, object),
            "custom_message" => {
                let body = message::custom(&id, &mut object);
                self.draft.unit(pointers, &origin, vec![body.into()]);
            }
            "compaction" | "branch_summary" | "context_edit" => {
                let body = compaction::body(&r#type, &origin, &id, &mut object);
                let what = compaction::What::of(&r#type, &id, parent, &object, &self.entries);
                self.compaction(&origin, pointers, body.into(), what);
                let usage = object.object("usage").map(|usage| message::tokens_of(&id, None, usage));
                self.draft.audit(&origin, object);
                self.draft.usage(&origin, usage.unwrap_or_default());
            }
            _ => {
                if r#type == "leaf" {
                    leaf = object.pointer("targetId");
                }
                if !AUDIT_TYPES.contains(&r#type.as_str()) {
                    let message = format!("found the unknown type `{type}`: kept as a fact");
                    self.draft.note(line, message);
                }
                let name = object.text("name").filter(|_| r#type == "session_info").map(str::to_owned);
                self.draft.hop(pointers);
                self.draft.audit(&origin, object);
                if let Some(name) = name {
                    self.draft.session(&origin, SessionInfo { title: Some(name), ..SessionInfo::default() });
                }
            }
        }
        self.leaves.push(Leaf { position: self.draft.records.len() - 1, origin, entry: leaf });
    }

    fn message(&mut self, origin: &Origin, pointers: Pointers, mut object: Object) {
        let id = pointers.id.clone().unwrap_or_default();
        let parent = pointers.parent.clone();
        let message = match object.get_mut("message") {
            Some(Value::Object(message)) => Some(std::mem::take(message)),
            _ => None,
        };
        let Some(mut message) = message else {
            self.draft.note(origin.line, "found a `message` entry without a message: kept as a fact");
            self.draft.hop(pointers);
            self.draft.audit(origin, object);
            return;
        };
        let role = message.text("role").unwrap_or_default().to_owned();
        if let "compactionSummary" | "branchSummary" = role.as_str() {
            let r#type = if role == "branchSummary" { "branch_summary" } else { "compaction" };
            let body = compaction::body(r#type, origin, &id, &mut message);
            let what = compaction::What::of(r#type, &id, parent, &message, &self.entries);
            self.compaction(origin, pointers, body.into(), what);
            object.insert("message".to_owned(), Value::Object(message));
            self.draft.audit(origin, object);
            return;
        }
        let usage = if role == "assistant" { message::usage(&id, &message) } else { Map::new() };
        match message::bodies(&role, &id, &mut message) {
            Some(mut bodies) => {
                // What an entry is called here only because it has no id is no native id of its message.
                if origin.id.is_none() {
                    for body in &mut bodies {
                        if let Body::Message(message) = body {
                            message.message_id = None;
                        }
                    }
                }
                self.draft.unit(pointers, origin, bodies);
                self.draft.usage(origin, usage);
            }
            None => {
                self.draft.note(origin.line, format!("found the unknown role `{role}`: kept as a fact"));
                object.insert("message".to_owned(), Value::Object(message));
                self.draft.hop(pointers);
                self.draft.audit(origin, object);
            }
        }
    }

    fn compaction(&mut self, origin: &Origin, pointers: Pointers, body: Body, what: compaction::What) {
        let position = self.draft.records.len();
        self.draft.unit(pointers, origin, vec![body]);
        self.pending.push(Pending { position, what });
    }
}

/// States heads wherever Pi is somewhere else than at the default head.
///
/// After an entry of the conversation it is there by definition. An entry that takes no part in it, such as a
/// label, may hang from an earlier one: then somebody has gone back, and has not said anything yet.
fn point(placed: &mut Placed, leaves: Vec<Leaf>) {
    let mut heads = HeadsWriter::default();
    let mut default = None;
    let mut seen = 0;
    for Leaf { position, origin, entry } in leaves {
        while seen <= position {
            default = if placed.records.get(seen).is_some_and(is_node) { Some(seen) } else { default };
            seen += 1;
        }
        let reached = entry.as_deref().map_or(Reached::Start, |entry| placed.hops.reach(entry));
        let pointing = match (reached, default) {
            (Reached::Start, None) => Pointing::Default,
            (Reached::Start, Some(_)) => Pointing::Nothing,
            (Reached::Unit(unit), default) => match placed.span(unit).next_back() {
                Some(leaf) if Some(leaf) == default => Pointing::Default,
                Some(leaf) if leaf <= position => Pointing::Record(leaf),
                _ => missing(placed, &origin),
            },
            (Reached::Nowhere, _) => missing(placed, &origin),
        };
        heads.point(placed, position, &origin, pointing);
    }
}

/// A leaf that is not there. The audit fact keeps the evidence (ASR-363).
fn missing(placed: &mut Placed, origin: &Origin) -> Pointing {
    let message = "leads to an entry that no earlier line holds".to_owned();
    placed.notes.push(crate::Note { line: origin.line, message });
    Pointing::Default
}
