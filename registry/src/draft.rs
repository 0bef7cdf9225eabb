//! A stream while a converter writes it: no branch points yet, and no sequence numbers.
//!
//! Records are named after the native line they come from (`r12`, `r12.2`), not after their place in the
//! stream: so a record can be named before it is known what will stand between, and whoever reads `r12` in a
//! path can look it up in the native file. The letter says what kind of record it is: `r` for what stands in
//! the native line itself, `u` for the usage of a model response, `s` for facts about the session, `h` for
//! heads, `g` for gaps.

use crate::agent::Agent;
use crate::lines::{Line, Unreadable};
use crate::object::Object;
use crate::placed::Placed;
use crate::{Note, hops::Hops};
use asr_spec::native::{Mapping, NativeRecord};
use asr_spec::record::{
    Audit, Body, Compaction, Gap, Message, Native, Record, Replaces, SessionInfo, ToolCall, ToolResult,
};
use serde_json::{Map, Value};
use std::ops::Range;

/// Where a native record stands, and when it was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    pub line: u64,
    /// The native kind, such as `system/compact_boundary`.
    pub kind: String,
    pub id: Option<String>,
    pub ts: Option<String>,
}

impl Origin {
    /// Where a record came from, for another one that it gives occasion to.
    pub fn of(record: &Record) -> Self {
        let native = record.native.clone().unwrap_or_default();
        Self {
            line: native.line.unwrap_or_default(),
            kind: native.kind.unwrap_or_default(),
            id: native.id,
            ts: record.ts.clone(),
        }
    }
}

/// The native pointers of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointers {
    pub id: Option<String>,
    pub parent: Option<String>,
    pub logical_parent: Option<String>,
}

/// What a record is called after: the letter before the line in its id.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Prefix {
    Line,
    Usage,
    Session,
    Heads,
    Gap,
}

impl Prefix {
    const fn letter(self) -> char {
        match self {
            Self::Line => 'r',
            Self::Usage => 'u',
            Self::Session => 's',
            Self::Heads => 'h',
            Self::Gap => 'g',
        }
    }
}

/// Makes records of one native file.
pub(crate) struct Writer {
    agent: Agent,
    file: Option<String>,
    /// The line of the last record, and how many records of each prefix it has.
    line: u64,
    counts: [u64; 5],
}

impl Writer {
    /// A record of `body`. Its `seq` is set when the stream is complete.
    pub fn record(&mut self, prefix: Prefix, origin: &Origin, body: impl Into<Body>) -> Record {
        if self.line != origin.line {
            self.line = origin.line;
            self.counts = [0; 5];
        }
        let mut count = 1;
        if let Some(counter) = self.counts.get_mut(prefix as usize) {
            *counter += 1;
            count = *counter;
        }
        let (letter, line) = (prefix.letter(), origin.line);
        let id = if count == 1 { format!("{letter}{line}") } else { format!("{letter}{line}.{count}") };
        let mut record = Record::new(0, id, body);
        record.ts = origin.ts.clone().filter(|ts| is_time(ts));
        record.native = Some(Native {
            agent: self.agent.as_str().to_owned(),
            file: self.file.clone(),
            line: Some(origin.line),
            id: origin.id.clone(),
            kind: Some(origin.kind.clone()),
        });
        record
    }

    /// The agent.
    pub fn agent(&self) -> Agent {
        self.agent
    }
}

/// Whether a text has the shape of an RFC 3339 time. Other texts are no `ts`; the native object keeps them.
fn is_time(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd";
    let matches = |(byte, shape): (u8, u8)| if shape == b'd' { byte.is_ascii_digit() } else { byte == shape };
    let zone = text.get(shape.len()..).unwrap_or_default();
    let zone = zone.strip_prefix('.').unwrap_or(zone).trim_start_matches(|c: char| c.is_ascii_digit());
    let offset = |zone: &str| {
        let digits = zone.strip_prefix(['+', '-']).unwrap_or_default();
        digits.len() == 5 && digits.bytes().zip(*b"dd:dd").all(matches)
    };
    text.len() > shape.len() && text.bytes().zip(shape.bytes()).all(matches) && (zone == "Z" || offset(zone))
}

/// A growing stream.
pub(crate) struct Draft {
    pub writer: Writer,
    pub records: Vec<Record>,
    pub native: Vec<NativeRecord>,
    /// For each native record, where the records of its unit stand; empty where it is none.
    pub spans: Vec<Range<usize>>,
    pub notes: Vec<Note>,
}

impl Draft {
    pub fn new(agent: Agent, file_name: Option<&str>) -> Self {
        let writer = Writer { agent, file: file_name.map(str::to_owned), line: 0, counts: [0; 5] };
        Self { writer, records: Vec::new(), native: Vec::new(), spans: Vec::new(), notes: Vec::new() }
    }

    pub fn note(&mut self, line: u64, message: impl Into<String>) {
        self.notes.push(Note { line, message: message.into() });
    }

    /// Adds a record that the rule does not see, and says where.
    pub fn push(&mut self, prefix: Prefix, origin: &Origin, body: impl Into<Body>) -> usize {
        let record = self.writer.record(prefix, origin, body);
        self.records.push(record);
        self.records.len() - 1
    }

    /// Adds the native object as an audit fact of the vendor type that its kind makes.
    pub fn audit(&mut self, origin: &Origin, object: Object) -> usize {
        let r#type = format!("x-{}-{}", self.writer.agent(), origin.kind.replace('/', "-"));
        let fields = Map::from_iter([("data".to_owned(), Value::Object(object))]);
        self.push(Prefix::Line, origin, Audit { r#type, fields })
    }

    /// Adds facts about the session.
    pub fn session(&mut self, origin: &Origin, info: SessionInfo) {
        self.push(Prefix::Session, origin, info);
    }

    /// Adds the usage of a model response. Nothing is added where the source states nothing.
    pub fn usage(&mut self, origin: &Origin, fields: Map<String, Value>) {
        if !fields.is_empty() {
            self.push(Prefix::Usage, origin, Audit { r#type: "usage".to_owned(), fields });
        }
    }

    /// Adds a native record that takes no part in the context.
    pub fn hop(&mut self, pointers: Pointers) {
        self.map(pointers, Mapping::Nothing, 0..0);
    }

    /// Adds a native record that is a part of the unit of another one.
    pub fn part_of(&mut self, pointers: Pointers, whole: String) {
        self.map(pointers, Mapping::PartOf(whole), 0..0);
    }

    /// Adds the context-participating records of one native record, and says where in `native` they stand.
    pub fn unit(&mut self, pointers: Pointers, origin: &Origin, bodies: Vec<Body>) -> usize {
        let start = self.records.len();
        let mut skeletons = Vec::with_capacity(bodies.len());
        for body in bodies {
            let skeleton = skeleton(&body);
            let position = self.push(Prefix::Line, origin, body);
            let id = self.records.get(position).map(|record| record.id.clone()).unwrap_or_default();
            skeletons.push(Record::new(0, id, skeleton));
        }
        let span = start..self.records.len();
        self.map(pointers, Mapping::Unit(skeletons), span)
    }

    /// Adds a revision: a copy of the record at `position` as it is now, changed by `change`. It is a unit
    /// without native pointers, so that nothing hangs from it and the rule leaves it aside.
    pub fn revise(&mut self, position: usize, origin: &Origin, change: impl FnOnce(&mut Body)) {
        let Some(revised) = self.records.get(position) else { return };
        let (mut body, supersedes) = (revised.body.clone(), revised.id.clone());
        change(&mut body);
        let index = self.unit(Pointers::default(), origin, vec![body]);
        if let Some(record) = self.records.last_mut() {
            record.supersedes = Some(supersedes.clone());
        }
        if let Some(NativeRecord { mapping: Mapping::Unit(skeletons), .. }) = self.native.get_mut(index) {
            for skeleton in skeletons {
                skeleton.supersedes = Some(supersedes.clone());
            }
        }
    }

    /// Reports that a line could only be read with a change.
    pub fn note_mended(&mut self, line: &Line<'_>) {
        for note in line.mended().map(|mended| mended.notes).unwrap_or_default() {
            self.note(line.number, note);
        }
    }

    /// Adds a line that could not be read, as a gap with its text, and reports it.
    pub fn unreadable(&mut self, line: &Line<'_>, why: &Unreadable) {
        let origin = Origin { line: line.number, kind: "unreadable".to_owned(), ..Origin::default() };
        let gap =
            Gap { reason: "unreadable".to_owned(), count: None, data: Some(Value::String(line.text())) };
        self.push(Prefix::Gap, &origin, gap);
        self.note(line.number, format!("found {why}: kept as a gap"));
    }

    fn map(&mut self, pointers: Pointers, mapping: Mapping, span: Range<usize>) -> usize {
        let Pointers { id, parent, logical_parent } = pointers;
        self.native.push(NativeRecord { id, parent, logical_parent, mapping });
        self.spans.push(span);
        self.native.len() - 1
    }

    /// Lets the mechanical-sibling rule decide where the records branch.
    pub fn place(self) -> Placed {
        let placements = asr_core::siblings::place(&self.native);
        let hops = Hops::of(&self.native);
        Placed::new(self, placements, hops)
    }
}

/// A body with what the mechanical-sibling rule reads, and no content.
fn skeleton(body: &Body) -> Body {
    match body {
        Body::Message(Message {
            message_id, role, author, origin, audience, status, response_key, ..
        }) => Body::Message(Message {
            message_id: message_id.clone(),
            role: role.clone(),
            author: author.clone(),
            origin: origin.clone(),
            audience: audience.clone(),
            status: status.clone(),
            response_key: response_key.clone(),
            ..Message::default()
        }),
        Body::ToolCall(ToolCall { call_id, response_key, .. }) => Body::ToolCall(ToolCall {
            call_id: call_id.clone(),
            response_key: response_key.clone(),
            ..ToolCall::default()
        }),
        Body::ToolResult(ToolResult { call_id, .. }) => {
            Body::ToolResult(ToolResult { call_id: call_id.clone(), ..ToolResult::default() })
        }
        Body::Compaction(Compaction { compaction_id, kind, .. }) => {
            Body::Compaction(Compaction::new(compaction_id.clone(), kind.clone(), Replaces::Unknown))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_rfc_3339_time_is_a_ts() {
        for time in ["2026-05-13T12:26:04.449Z", "2026-05-13T12:26:04Z", "2026-05-13T12:26:04.4+02:00"] {
            assert!(is_time(time), "{time}");
        }
        for text in
            ["", "[trimmed]", "2026-05-13", "2026-05-13T12:26:04", "2026-05-13T12:26:04.4+2", "1765233665292"]
        {
            assert!(!is_time(text), "{text}");
        }
    }

    #[test]
    fn ids_name_the_line_and_are_unique() {
        let mut draft = Draft::new(Agent::Pi, None);
        let at = |line| Origin { line, ..Origin::default() };
        for (line, prefix) in [
            (1, Prefix::Line),
            (1, Prefix::Line),
            (1, Prefix::Usage),
            (2, Prefix::Line),
            (2, Prefix::Session),
        ] {
            draft.push(prefix, &at(line), SessionInfo::default());
        }
        let ids: Vec<&str> = draft.records.iter().map(|record| record.id.as_str()).collect();
        assert_eq!(ids, ["r1", "r1.2", "u1", "r2", "s2"]);
    }
}
