//! One pass over the records of a file, after a look at all of them.
//!
//! Some things a record alone does not tell: whether it is the last one of its response (the usage is a
//! growing snapshot, and only the last one counts), whether the file belongs to a subagent, which session it
//! was forked from. So the file is looked over first; then each record becomes what the table above says.

use super::compaction::{Boundaries, Microcompact};
use super::leaf::Leaves;
use super::message;
use crate::Conversion;
use crate::agent::Agent;
use crate::draft::{Draft, Origin, Pointers};
use crate::lines::{Line, Unreadable};
use crate::object::{Fields, Object};
use asr_spec::record::{self, Audit, Body, Inherits, Lineage, SessionInfo};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Types that the registry knows to be audit facts. A type that is not listed is kept in the same way, and
/// noted.
const AUDIT_TYPES: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "artifact-state",
    "atis-latch",
    "attachment",
    "bridge-session",
    "content-replacement",
    "cost-state",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "frame-link",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "relocated",
    "result",
    "speculation-accept",
    "started",
    "summary",
    "system",
    "tag",
    "task-summary",
    "worktree-state",
];

/// Converts the parsed lines of a file.
pub(super) fn convert(
    file_name: Option<&str>,
    lines: Vec<(Line<'_>, Result<Object, Unreadable>)>,
) -> Conversion {
    let overview = Overview::of(&lines);
    let mut session = Session {
        draft: Draft::new(Agent::ClaudeCode, file_name),
        stated: SessionInfo::default(),
        title: Title::None,
        seen: HashMap::new(),
        boundaries: Boundaries::default(),
        moved: HashMap::new(),
        results: HashMap::new(),
        withdrawn: HashSet::new(),
        leaves: Leaves::default(),
        overview,
    };
    for (line, parsed) in lines {
        session.open(line.number);
        match parsed {
            Ok(object) => {
                session.draft.note_mended(&line);
                session.record(line.number, object);
            }
            Err(why) => session.draft.unreadable(&line, &why),
        }
    }
    let Session { draft, boundaries, leaves, .. } = session;
    let mut placed = draft.place();
    boundaries.settle(&mut placed);
    leaves.point(&mut placed, &boundaries);
    placed.finish()
}

/// What only the whole file tells.
struct Overview {
    /// Whether the file is the transcript of a subagent.
    is_sidechain: bool,
    /// The first line with a fact about the session, and the facts that the file states first.
    opening: Option<(u64, SessionInfo)>,
    /// The line of the last record of each response that states its usage.
    last_lines: HashMap<String, u64>,
}

impl Overview {
    fn of(lines: &[(Line<'_>, Result<Object, Unreadable>)]) -> Self {
        let objects = || lines.iter().filter_map(|(line, parsed)| Some((line.number, parsed.as_ref().ok()?)));
        let mut talk = objects()
            .filter(|(_, object)| matches!(object.text("type"), Some("user" | "assistant")))
            .map(|(_, object)| object.flag("isSidechain"))
            .peekable();
        let is_sidechain = talk.peek().is_some() && talk.all(|is_sidechain| is_sidechain);

        let mut opening: Option<(u64, SessionInfo)> = None;
        let mut last_lines = HashMap::new();
        let mut seen = HashSet::new();
        for (number, object) in objects() {
            let is_apart = object.flag("isSidechain") && !is_sidechain;
            // A record that is written again says nothing new, least of all what its response cost.
            let is_again = !is_apart && object.text("uuid").is_some_and(|uuid| !seen.insert(uuid));
            if let Some(key) = message::response_key(object)
                && !is_again
                && message::has_usage(object)
            {
                match last_lines.get_mut(key) {
                    Some(line) => *line = number,
                    None => drop(last_lines.insert(key.to_owned(), number)),
                }
            }
            if object.flag("isSidechain") != is_sidechain {
                continue;
            }
            let facts = facts(object, is_sidechain);
            let forked = object.object("forkedFrom").and_then(|from| from.text("sessionId"));
            if facts == SessionInfo::default() && forked.is_none() {
                continue;
            }
            let (_, info) = opening.get_or_insert_with(|| (number, SessionInfo::default()));
            info.session = info.session.take().or(facts.session);
            info.cwd = info.cwd.take().or(facts.cwd);
            info.agent = info.agent.take().or(facts.agent);
            info.lineage = info.lineage.take().or_else(|| forked.map(copied_from));
        }
        Self { is_sidechain, opening, last_lines }
    }
}

/// What a record states about its session.
fn facts(object: &Object, is_sidechain: bool) -> SessionInfo {
    let version = object.text("version");
    let agent_id = object.text("agentId").filter(|_| is_sidechain);
    let session = match agent_id {
        Some(agent_id) => Some(format!("agent-{agent_id}")),
        None => object.text("sessionId").map(str::to_owned),
    };
    SessionInfo {
        session,
        agent: version.map(|version| agent(Some(version))),
        cwd: object.text("cwd").map(str::to_owned),
        ..SessionInfo::default()
    }
}

fn agent(version: Option<&str>) -> record::Agent {
    record::Agent { name: Agent::ClaudeCode.as_str().to_owned(), version: version.map(str::to_owned) }
}

/// A fork writes the records of the session before it again, so the context is here, not elsewhere.
fn copied_from(session: &str) -> Lineage {
    let from = Value::String(session.to_owned());
    Lineage {
        inherits: Inherits { mode: "copied".to_owned(), from, through_id: None, through_ordinal: None },
    }
}

/// Who gave the session its title. A later one of lower standing does not replace it.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Title {
    None,
    Summary,
    Model,
    Person,
}

/// A record that is in the stream.
pub(super) struct Seen {
    /// The id of its first ASR record.
    pub record: String,
    /// Its unit, an index into the native records, if it is one.
    pub unit: Option<usize>,
}

struct Session {
    draft: Draft,
    overview: Overview,
    /// The facts about the session that the stream has stated last.
    stated: SessionInfo,
    title: Title,
    /// By `uuid`.
    seen: HashMap<String, Seen>,
    boundaries: Boundaries,
    /// Records that were written again below a boundary, with the boundary.
    moved: HashMap<String, String>,
    /// By call, where its result stands.
    results: HashMap<String, usize>,
    /// Positions of messages that have been withdrawn.
    withdrawn: HashSet<usize>,
    leaves: Leaves,
}

impl Session {
    /// States what is known of the session, before the first line that states anything.
    fn open(&mut self, line: u64) {
        if let Some((line, mut info)) = self.overview.opening.take_if(|(first, _)| *first == line) {
            info.agent = info.agent.or_else(|| Some(agent(None)));
            self.stated.clone_from(&info);
            let origin = Origin { line, kind: "session".to_owned(), ..Origin::default() };
            self.draft.session(&origin, info);
        }
    }

    fn record(&mut self, line: u64, object: Object) {
        let r#type = object.text("type").unwrap_or_default();
        let text = |key: &str| object.text(key).map(str::to_owned);
        let mut kind = r#type.to_owned();
        let subtype = match r#type {
            "system" => object.text("subtype"),
            "attachment" => object.object("attachment").and_then(|attachment| attachment.text("type")),
            "user" | "summary" if object.flag("isCompactSummary") => Some("compact_summary"),
            _ => None,
        };
        if let Some(subtype) = subtype {
            kind = format!("{kind}/{subtype}");
        }
        let origin = Origin { line, kind, id: text("uuid"), ts: text("timestamp") };
        let pointers =
            Pointers { id: text("uuid"), parent: self.pointer(&object, "parentUuid"), logical_parent: None };

        if object.flag("isSidechain") && !self.overview.is_sidechain {
            return self.sidechain(origin, object);
        }
        if let Some(seen) = origin.id.as_deref().and_then(|uuid| self.seen.get(uuid)) {
            let (duplicate_of, unit) = (seen.record.clone(), seen.unit);
            let first = unit.and_then(|unit| self.draft.spans.get(unit)).map(|span| span.start);
            if let Some(boundary) = first.and_then(|first| self.boundaries.again(&pointers, first)) {
                self.moved.extend(origin.id.clone().map(|uuid| (uuid, boundary)));
            }
            return self.duplicate(&origin, object, duplicate_of);
        }
        self.follow(&origin, &object);

        match origin.kind.as_str() {
            "user" => self.talk(origin, pointers, object, message::user),
            "assistant" => self.talk(origin, pointers, object, message::assistant),
            "attachment/queued_command" if message::is_typed(&object) => {
                self.talk(origin, pointers, object, message::queued);
            }
            "user/compact_summary" | "summary/compact_summary" => self.summary(&origin, pointers, object),
            "system/compact_boundary" => self.boundary(&origin, pointers, object),
            "system/microcompact_boundary" => self.microcompact(&origin, pointers, object),
            _ => self.other(&origin, pointers, object),
        }
    }

    /// The record that a field points to.
    fn pointer(&self, object: &Object, key: &str) -> Option<String> {
        let id = object.pointer(key)?;
        Some(self.moved.get(&id).cloned().unwrap_or(id))
    }

    /// A record of a subagent. Its costs are the session's all the same.
    fn sidechain(&mut self, mut origin: Origin, object: Object) {
        origin.kind.insert_str(0, "sidechain/");
        let mut usage = self.usage(origin.line, &object);
        if !usage.is_empty() {
            usage.insert("sidechain".to_owned(), Value::Bool(true));
        }
        self.draft.audit(&origin, object);
        self.draft.usage(&origin, usage);
    }

    /// A record that was written again, such as one that a compaction preserved. The first one defines the
    /// node.
    fn duplicate(&mut self, origin: &Origin, object: Object, duplicate_of: String) {
        let position = self.draft.audit(origin, object);
        if let Some(Body::Audit(Audit { fields, .. })) =
            self.draft.records.get_mut(position).map(|record| &mut record.body)
        {
            fields.insert("duplicateOf".to_owned(), Value::String(duplicate_of));
        }
    }

    /// A record of the conversation: one unit, made by `read`.
    fn talk(
        &mut self,
        origin: Origin,
        pointers: Pointers,
        mut object: Object,
        read: fn(&mut Object, is_sidechain: bool) -> Option<message::Talk>,
    ) {
        let usage = self.usage(origin.line, &object);
        let superseded: Vec<String> = object.texts("supersedesUuids").map(str::to_owned).collect();
        let Some(message::Talk { bodies, facts }) = read(&mut object, self.overview.is_sidechain) else {
            self.draft.note(
                origin.line,
                format!("found a `{}` record without a message: kept as a fact", origin.kind),
            );
            return self.keep(&origin, pointers, object);
        };
        if bodies.is_empty() {
            self.hop(&origin, pointers);
        } else {
            let is_prompt = matches!(bodies.first(), Some(Body::Message(message)) if message.role == "user");
            self.boundaries.follow(&pointers, Some(is_prompt));
            let start = self.draft.records.len();
            let unit = self.draft.unit(pointers, &origin, bodies);
            self.remember(&origin, start, Some(unit));
            for (position, record) in self.draft.records.iter().enumerate().skip(start) {
                if let Body::ToolResult(result) = &record.body {
                    self.results.insert(result.call_id.clone(), position);
                }
            }
        }
        for (kind, fact) in facts {
            self.draft.audit(&Origin { kind: kind.to_owned(), ..origin.clone() }, fact);
        }
        self.draft.usage(&origin, usage);
        self.withdraw(&origin, superseded);
    }

    /// The usage of the response that the record belongs to, if it is the last one that states it.
    fn usage(&self, line: u64, object: &Object) -> Map<String, Value> {
        match message::response_key(object) {
            Some(key) if self.overview.last_lines.get(key) == Some(&line) => message::usage(key, object),
            _ => Map::new(),
        }
    }

    /// A compaction: replaced is settled when the stream is placed.
    fn boundary(&mut self, origin: &Origin, mut pointers: Pointers, object: Object) {
        pointers.logical_parent = self.pointer(&object, "logicalParentUuid");
        let body = Boundaries::body(origin, &object);
        let start = self.draft.records.len();
        let unit = self.draft.unit(pointers.clone(), origin, vec![body.into()]);
        self.boundaries.open(&pointers, start, &object);
        self.remember(origin, start, Some(unit));
        self.draft.audit(origin, object);
    }

    /// The summary of a compaction, which the source stores as a message.
    fn summary(&mut self, origin: &Origin, pointers: Pointers, mut object: Object) {
        let summary = message::summary(&mut object);
        let start = self.draft.records.len();
        if let Some(boundary) = self.boundaries.fold(&pointers) {
            if let Some(Body::Compaction(compaction)) =
                self.draft.records.get_mut(boundary.position).map(|record| &mut record.body)
            {
                compaction.summary = Some(summary);
            }
            match boundary.whole {
                Some(uuid) => {
                    self.boundaries.follow(&pointers, None);
                    self.remember(origin, start, None);
                    self.draft.part_of(pointers, uuid);
                }
                None => self.hop(origin, pointers),
            }
        } else {
            // Older versions wrote no boundary, so nothing says what the summary stands for.
            let mut body = Boundaries::body(origin, &Object::new());
            body.summary = Some(summary);
            self.boundaries.follow(&pointers, Some(false));
            let unit = self.draft.unit(pointers, origin, vec![body.into()]);
            self.remember(origin, start, Some(unit));
        }
        self.draft.audit(origin, object);
    }

    /// Tool results that were taken out of the context one by one.
    fn microcompact(&mut self, origin: &Origin, pointers: Pointers, object: Object) {
        let results = |call: &str| self.results.get(call).and_then(|&at| self.draft.records.get(at));
        let body = Microcompact::body(origin, &object, |call| results(call).map(|record| record.id.clone()));
        self.boundaries.follow(&pointers, Some(false));
        let start = self.draft.records.len();
        let unit = self.draft.unit(pointers, origin, vec![body.into()]);
        self.remember(origin, start, Some(unit));
        self.draft.audit(origin, object);
    }

    /// Everything that is not part of the context.
    fn other(&mut self, origin: &Origin, pointers: Pointers, object: Object) {
        let r#type = object.text("type").unwrap_or_default();
        if !AUDIT_TYPES.contains(&r#type) {
            self.draft.note(origin.line, format!("found the unknown type `{type}`: kept as a fact"));
        }
        let title = match r#type {
            "summary" => {
                // Summaries of other sessions stand at the top of old files; their leaf is not here.
                let is_ours = object.text("leafUuid").is_some_and(|leaf| self.seen.contains_key(leaf));
                object.text("summary").filter(|_| is_ours).map(|title| (Title::Summary, title))
            }
            "ai-title" => object.text("aiTitle").map(|title| (Title::Model, title)),
            "custom-title" => object.text("customTitle").map(|title| (Title::Person, title)),
            _ => None,
        };
        let title = title.map(|(by, title)| (by, title.to_owned()));
        let retracted: Vec<String> = object.texts("retractedMessageUuids").map(str::to_owned).collect();
        let leaf = (r#type == "last-prompt")
            .then(|| (object.pointer("leafUuid").filter(|leaf| !leaf.is_empty()), object.flag("explicit")));

        self.keep(origin, pointers, object);
        if let Some((by, title)) = title {
            self.retitle(origin, by, title);
        }
        if let Some((leaf, is_explicit)) = leaf {
            self.leaves.add(self.draft.records.len() - 1, origin.clone(), leaf, is_explicit);
        }
        self.withdraw(origin, retracted);
    }

    /// Keeps a record as an audit fact.
    fn keep(&mut self, origin: &Origin, pointers: Pointers, object: Object) {
        self.hop(origin, pointers);
        self.draft.audit(origin, object);
    }

    /// A record of the tree that the rule hops over. Its first ASR record is the next one.
    fn hop(&mut self, origin: &Origin, pointers: Pointers) {
        if pointers.id.is_some() {
            self.boundaries.follow(&pointers, None);
            self.remember(origin, self.draft.records.len(), None);
            self.draft.hop(pointers);
        }
    }

    /// Remembers the record whose first ASR record stands, or is going to stand, at `start`.
    fn remember(&mut self, origin: &Origin, start: usize, unit: Option<usize>) {
        if let Some(uuid) = &origin.id {
            let record = match self.draft.records.get(start) {
                Some(record) => record.id.clone(),
                None => format!("r{}", origin.line),
            };
            self.seen.insert(uuid.clone(), Seen { record, unit });
        }
    }

    /// Withdraws the messages of records that the source takes back.
    fn withdraw(&mut self, origin: &Origin, uuids: Vec<String>) {
        for uuid in uuids {
            let Some(Seen { unit, .. }) = self.seen.get(&uuid) else {
                self.draft.note(origin.line, format!("takes back `{uuid}`, which no earlier record bears"));
                continue;
            };
            let span = unit.and_then(|unit| self.draft.spans.get(unit)).cloned().unwrap_or_default();
            for position in span {
                match self.draft.records.get(position).map(|record| &record.body) {
                    Some(Body::Message(_)) if self.withdrawn.insert(position) => {
                        self.draft.revise(position, origin, |body| {
                            if let Body::Message(message) = body {
                                message.status = Some("withdrawn".to_owned());
                            }
                        });
                    }
                    Some(Body::ToolCall(_) | Body::ToolResult(_)) => {
                        let message = format!("takes back `{uuid}`; only its messages can be withdrawn");
                        self.draft.note(origin.line, message);
                    }
                    _ => {}
                }
            }
        }
    }

    fn retitle(&mut self, origin: &Origin, by: Title, title: String) {
        if by >= self.title && self.stated.title.as_ref() != Some(&title) {
            self.title = by;
            self.stated.title = Some(title.clone());
            self.draft.session(origin, SessionInfo { title: Some(title), ..SessionInfo::default() });
        }
    }

    /// States facts about the session that have changed.
    fn follow(&mut self, origin: &Origin, object: &Object) {
        fn changed<T: Clone + PartialEq>(stated: &mut Option<T>, found: Option<T>) -> Option<T> {
            let found = found.filter(|found| stated.as_ref() != Some(found))?;
            *stated = Some(found.clone());
            Some(found)
        }
        let SessionInfo { session, agent, cwd, .. } = facts(object, self.overview.is_sidechain);
        let change = SessionInfo {
            session: changed(&mut self.stated.session, session),
            agent: changed(&mut self.stated.agent, agent),
            cwd: changed(&mut self.stated.cwd, cwd),
            ..SessionInfo::default()
        };
        if change != SessionInfo::default() {
            self.draft.session(origin, change);
        }
    }
}
