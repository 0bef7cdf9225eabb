//! What one line of an enumerated stream is, and how it is written.
//!
//! An [`Action`] is a record without its id: everything that an alphabet chooses. Ids, seqs and entity keys follow
//! from the place (record k has id `rk` and seq k), so streams that differ in names only are one stream, and each
//! action at a place is exactly one line.

use super::state::State;
use std::fmt::Write;

/// What kind of line it is, for bounds and for the account of what was visited.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// A message.
    Message,
    /// A tool call.
    ToolCall,
    /// A tool result.
    ToolResult,
    /// A compaction.
    Compaction,
    /// A rewind.
    Rewind,
    /// A gap record.
    Gap,
    /// A session_info.
    SessionInfo,
    /// A record that is an audit fact and no more.
    Usage,
    /// A line that is no record.
    Malformed,
    /// A blank line.
    Blank,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Message,
        Self::ToolCall,
        Self::ToolResult,
        Self::Compaction,
        Self::Rewind,
        Self::Gap,
        Self::SessionInfo,
        Self::Usage,
        Self::Malformed,
        Self::Blank,
    ];

    /// The type of the record, or what the line is instead.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Compaction => "compaction",
            Self::Rewind => "rewind",
            Self::Gap => "gap",
            Self::SessionInfo => "session_info",
            Self::Usage => "usage",
            Self::Malformed => "malformed",
            Self::Blank => "blank",
        }
    }

    /// ASR-350.
    pub(crate) const fn takes_part(self) -> bool {
        matches!(self, Self::Message | Self::ToolCall | Self::ToolResult | Self::Compaction)
    }
}

/// What a ref names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Target {
    /// The record on this line, from 1.
    Record(u8),
    /// Nothing: no record bears `zz`.
    Nothing,
}

/// A record's branchesFrom.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Branch {
    None,
    Unknown,
    Start,
    From(Target),
}

/// Who made a tool call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Caller {
    Model,
    /// `requestedBy: "code"`.
    Code,
    /// A call of a program, by its `parentCallId`.
    Program,
}

/// What hides a message from the model.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Hidden {
    No,
    Audience,
    Withdrawn,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Replaces {
    Through(Target),
    /// A set of lines: bit k - 1 for record k.
    Ids(u16),
    /// Two lines, in this order.
    Pair(u8, u8),
    Unknown,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Insert {
    Unsaid,
    Start,
    After(Target),
    Before(Target),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Retains {
    Nothing,
    One(u8),
    /// The first is a shortened copy.
    Two(u8, u8),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Status {
    Unsaid,
    Completed,
    Failed,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Compaction {
    pub replaces: Replaces,
    pub kept: Option<u8>,
    pub insert: Insert,
    pub retains: Retains,
    pub summary: bool,
    pub status: Status,
}

/// The value of session_info.heads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Heads {
    Empty,
    Null,
    NullThenFirst,
    One(Target),
}

/// The content of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Body {
    Message(Hidden),
    Call(Caller),
    Result,
    Compaction(Compaction),
    Rewind(Option<Target>),
    Gap,
    Heads(Heads),
    BareInfo,
    Lineage,
    Usage,
    Malformed,
    Blank,
    /// Members as they stand, for what no well-formed record has.
    Raw(Kind, &'static str),
    /// The line as it stands.
    Line(Kind, &'static str),
}

/// What is odd about a record besides its members.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Oddity {
    /// The id of the record on this line.
    IdOf(u8),
    /// The id `malformed`, which names a gap marker of its own.
    IdMalformed,
    NoId,
    RepeatedSeq,
    DecreasingSeq,
    /// Eight more than the place, so that the second is the first of two digits.
    LateSeq,
    /// A byte order mark before it.
    Marked,
    /// A carriage return behind it.
    Returned,
    /// A member nested so deep that the record has this many levels.
    Nested(u8),
}

/// One line of a stream, but for what follows from its place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Action {
    pub(crate) body: Body,
    pub(crate) supersedes: Option<Target>,
    pub(crate) is_rewrite: bool,
    pub(crate) branch: Branch,
    pub(crate) oddity: Option<Oddity>,
}

impl From<Body> for Action {
    fn from(body: Body) -> Self {
        Self { body, supersedes: None, is_rewrite: false, branch: Branch::None, oddity: None }
    }
}

impl From<Compaction> for Action {
    fn from(compaction: Compaction) -> Self {
        Body::Compaction(compaction).into()
    }
}

impl Compaction {
    /// One that says what it replaces and how, and nothing else.
    pub(crate) fn of(replaces: Replaces) -> Self {
        Self {
            replaces,
            kept: None,
            insert: Insert::Unsaid,
            retains: Retains::Nothing,
            summary: true,
            status: Status::Unsaid,
        }
    }
}

impl Action {
    pub(crate) fn branching(self, branch: Branch) -> Self {
        Self { branch, ..self }
    }

    pub(crate) fn superseding(self, target: Target) -> Self {
        Self { supersedes: Some(target), ..self }
    }

    pub(crate) fn odd(self, oddity: Oddity) -> Self {
        Self { oddity: Some(oddity), ..self }
    }

    /// What kind of line it is.
    pub fn kind(&self) -> Kind {
        match self.body {
            Body::Message(_) => Kind::Message,
            Body::Call(_) => Kind::ToolCall,
            Body::Result => Kind::ToolResult,
            Body::Compaction(_) => Kind::Compaction,
            Body::Rewind(_) => Kind::Rewind,
            Body::Gap => Kind::Gap,
            Body::Heads(_) | Body::BareInfo | Body::Lineage => Kind::SessionInfo,
            Body::Usage => Kind::Usage,
            Body::Malformed => Kind::Malformed,
            Body::Blank => Kind::Blank,
            Body::Raw(kind, _) | Body::Line(kind, _) => kind,
        }
    }

    /// Whether the line can change answers that have nothing to do with its place: a tool call can hide results
    /// anywhere, and a session_info is about all paths.
    pub(crate) fn is_global(&self) -> bool {
        self.oddity.is_some() || matches!(self.kind(), Kind::ToolCall | Kind::SessionInfo)
    }

    /// Appends the line, with its line feed, as it stands after the lines of `state`.
    pub(crate) fn render(&self, state: &State, out: &mut String) {
        match self.body {
            Body::Malformed => out.push('{'),
            Body::Blank => {}
            Body::Line(_, line) => out.push_str(line),
            _ => self.render_record(state, out),
        }
        out.push_str(if self.oddity == Some(Oddity::Returned) { "\r\n" } else { "\n" });
    }

    fn render_record(&self, state: &State, out: &mut String) {
        let place = state.place();
        let seq = match self.oddity {
            Some(Oddity::RepeatedSeq) => i16::from(place) - 1,
            Some(Oddity::DecreasingSeq) => i16::from(place) - 2,
            Some(Oddity::LateSeq) => i16::from(place) + 8,
            _ => i16::from(place),
        };
        if self.oddity == Some(Oddity::Marked) {
            out.push('\u{feff}');
        }
        // Writing to a string cannot fail.
        let _ = write!(out, r#"{{"type":"{}","seq":{seq}"#, self.kind().label());
        let _ = match self.oddity {
            Some(Oddity::NoId) => Ok(()),
            Some(Oddity::IdOf(record)) => write!(out, r#","id":"r{record}""#),
            Some(Oddity::IdMalformed) => write!(out, r#","id":"malformed""#),
            _ => write!(out, r#","id":"r{place}""#),
        };
        if let Some(target) = self.supersedes {
            out.push_str(r#","supersedes":"#);
            name(target, out);
        }
        if self.is_rewrite {
            out.push_str(r#","assembly":{"mode":"rewrite"}"#);
        }
        match self.branch {
            Branch::None => {}
            Branch::Unknown => out.push_str(r#","branchesFrom":{"state":"unknown"}"#),
            Branch::Start => out.push_str(r#","branchesFrom":{"record":null}"#),
            Branch::From(target) => {
                out.push_str(r#","branchesFrom":{"record":"#);
                name(target, out);
                out.push('}');
            }
        }
        self.render_body(state, out);
        if let Some(Oddity::Nested(levels)) = self.oddity {
            let inner = usize::from(levels).saturating_sub(1);
            let _ = write!(out, r#","x":{}{}"#, "[".repeat(inner), "]".repeat(inner));
        }
        out.push('}');
    }

    fn render_body(&self, state: &State, out: &mut String) {
        match self.body {
            Body::Message(Hidden::No)
            | Body::Gap
            | Body::BareInfo
            | Body::Usage
            | Body::Malformed
            | Body::Blank
            | Body::Line(..) => {}
            Body::Message(Hidden::Audience) => out.push_str(r#","audience":"user""#),
            Body::Message(Hidden::Withdrawn) => out.push_str(r#","status":"withdrawn""#),
            // One key for all: every result is a result of every call.
            Body::Call(Caller::Model) | Body::Result => out.push_str(r#","callId":"A""#),
            Body::Call(Caller::Code) => out.push_str(r#","callId":"A","requestedBy":"code""#),
            Body::Call(Caller::Program) => out.push_str(r#","callId":"A","parentCallId":"B""#),
            Body::Compaction(compaction) => {
                let _ = write!(out, r#","compactionId":"c{}","kind":"summary""#, state.first_of(self));
                compaction.render(out);
            }
            Body::Rewind(to) => {
                out.push_str(r#","to":"#);
                match to {
                    Some(target) => name(target, out),
                    None => out.push_str("null"),
                }
                out.push_str(r#","reason":"other""#);
            }
            Body::Heads(heads) => {
                out.push_str(r#","heads":["#);
                match heads {
                    Heads::Empty => {}
                    Heads::Null => out.push_str("null"),
                    Heads::NullThenFirst => out.push_str(r#"null,"r1""#),
                    Heads::One(target) => name(target, out),
                }
                out.push(']');
            }
            Body::Lineage => {
                out.push_str(r#","lineage":{"inherits":{"mode":"referenced","from":"s","throughId":"t"}}"#);
            }
            Body::Raw(_, members) => out.push_str(members),
        }
    }
}

impl Compaction {
    fn render(&self, out: &mut String) {
        out.push_str(r#","replaces":{"#);
        match self.replaces {
            Replaces::Through(target) => {
                out.push_str(r#""throughId":"#);
                name(target, out);
            }
            Replaces::Ids(set) => {
                out.push_str(r#""ids":["#);
                let mut comma = "";
                for record in (1..=16).filter(|record| set & bit(*record) != 0) {
                    out.push_str(comma);
                    name(Target::Record(record), out);
                    comma = ",";
                }
                out.push(']');
            }
            Replaces::Pair(a, b) => {
                let _ = write!(out, r#""ids":["r{a}","r{b}"]"#);
            }
            Replaces::Unknown => out.push_str(r#""state":"unknown""#),
        }
        out.push('}');
        if let Some(kept) = self.kept {
            out.push_str(r#","keptFromId":"#);
            name(Target::Record(kept), out);
        }
        match self.insert {
            Insert::Unsaid => {}
            Insert::Start => out.push_str(r#","insertAt":{"afterId":null}"#),
            Insert::After(target) | Insert::Before(target) => {
                let is_after = matches!(self.insert, Insert::After(_));
                out.push_str(if is_after {
                    r#","insertAt":{"afterId":"#
                } else {
                    r#","insertAt":{"beforeId":"#
                });
                name(target, out);
                out.push('}');
            }
        }
        let _ = match self.retains {
            Retains::Nothing => Ok(()),
            Retains::One(record) => write!(out, r#","retains":[{{"ref":"r{record}"}}]"#),
            Retains::Two(a, b) => {
                write!(out, r#","retains":[{{"ref":"r{a}","capture":"truncated"}},{{"ref":"r{b}"}}]"#)
            }
        };
        if self.summary {
            out.push_str(r#","summary":[{"type":"text","text":"s"}]"#);
        }
        match self.status {
            Status::Unsaid => {}
            Status::Completed => out.push_str(r#","status":"completed""#),
            Status::Failed => out.push_str(r#","status":"failed""#),
        }
    }
}

/// The place of a record in a set of records.
pub(crate) fn bit(record: u8) -> u16 {
    1_u16.checked_shl(u32::from(record).saturating_sub(1)).unwrap_or(0)
}

fn name(target: Target, out: &mut String) {
    let _ = match target {
        Target::Record(record) => write!(out, r#""r{record}""#),
        Target::Nothing => write!(out, r#""zz""#),
    };
}
