//! Compactions of three kinds: summaries of the beginning, summaries of an abandoned branch, edits of one
//! entry.
//!
//! * `compaction` keeps the end of the path from `firstKeptEntryId` on, which may name an entry that takes no
//!   part in the context. The summary comes first (`insertAt` START), also when nothing stands before what is
//!   kept.
//! * `branch_summary` replaces nothing on its own path; it names the end of the abandoned branch. Older
//!   versions wrote the point that was returned to instead, which says nothing about the branch: then what it
//!   summarises is unknown.
//! * `context_edit` removes one entry, or puts other content in its place.
//!
//! An entry that is missing or lies on another path makes the replacement unknown (ASR-372, ASR-377).

use crate::content;
use crate::draft::Origin;
use crate::hops::Reached;
use crate::object::{Fields, Object};
use crate::paths::Predecessor;
use crate::placed::{Placed, Settled};
use asr_spec::record::{Compaction, ContentPart, InsertAt, Replaces, Tokens};
use serde_json::Value;

/// How many records branch summaries may name, for each record of the stream. Each branch is summarised once,
/// so one would do for real files; a file that names one long branch again and again would otherwise make a
/// stream quadratic in its size. What goes beyond is unknown, and noted.
const NAMED_PER_RECORD: usize = 16;

/// A compaction whose replacement is settled when the stream is placed.
pub(super) struct Pending {
    /// Where it stands.
    pub position: usize,
    pub what: What,
}

/// What an entry says it replaces.
pub(super) enum What {
    /// The path up to the parent, but for what is kept.
    Beginning { parent: Option<String>, kept: Kept },
    /// The branch that ends at an entry.
    Branch { from: Option<String> },
    /// One entry.
    Entry { target: Option<String> },
    /// Nothing that the source names.
    Unknown,
}

/// The part of the path that a compaction keeps.
pub(super) enum Kept {
    Nothing,
    From(String),
    /// From an entry that is not there.
    Lost,
}

impl What {
    /// What the entry `id` of this type says. `entries` are the ids of all entries before it, and its own.
    pub fn of(
        r#type: &str,
        id: &str,
        parent: Option<String>,
        object: &Object,
        entries: &[Option<String>],
    ) -> Self {
        match r#type {
            "compaction" => {
                let index = || object.get("firstKeptEntryIndex").and_then(Value::as_u64);
                let indexed = |index| entries.get(usize::try_from(index).ok()?)?.clone();
                let kept = match (object.pointer("firstKeptEntryId"), index()) {
                    (Some(kept), _) => Some(kept),
                    (None, Some(index)) => indexed(index),
                    // Not said.
                    (None, None) => return Self::Unknown,
                };
                let kept = match kept {
                    Some(kept) if kept == id => Kept::Nothing,
                    Some(kept) => Kept::From(kept),
                    None => Kept::Lost,
                };
                Self::Beginning { parent, kept }
            }
            "branch_summary" => {
                let from = object.pointer("fromId");
                let is_point_returned_to =
                    from == parent || (parent.is_none() && from.as_deref() == Some("root"));
                Self::Branch { from: from.filter(|_| !is_point_returned_to) }
            }
            "context_edit" => Self::Entry { target: object.pointer("targetId") },
            _ => Self::Unknown,
        }
    }
}

/// The compaction that an entry makes, as far as the entry itself tells.
pub(super) fn body(r#type: &str, origin: &Origin, id: &str, object: &mut Object) -> Compaction {
    let summary = |value: Option<Value>| value.map(content::parts).filter(|summary| !summary.is_empty());
    let (kind, summary): (_, Option<Vec<ContentPart>>) = match r#type {
        "branch_summary" => ("branch_summary", summary(object.take("summary"))),
        "context_edit" => match object.take("replacement") {
            None | Some(Value::Null) => ("prune", None),
            replacement => ("mask", summary(replacement)),
        },
        _ => ("summary", summary(object.take("summary"))),
    };
    let mut compaction = Compaction::new(id, kind, Replaces::Unknown);
    compaction.id_source = origin.id.is_none().then(|| "derived".to_owned());
    compaction.summary = summary;
    // Zero is what Pi writes when it does not know.
    let before = object.number("tokensBefore").filter(|before| before.as_u64() != Some(0)).cloned();
    compaction.tokens = before.map(|before| Tokens { before: Some(before), after: None });
    compaction
}

/// Says what each compaction replaced.
pub(super) fn settle(placed: &mut Placed, pending: Vec<Pending>) {
    let mut budget = placed.records.len().saturating_mul(NAMED_PER_RECORD);
    for Pending { position, what } in pending {
        let settled = match what {
            What::Beginning { parent, kept } => beginning(placed, position, parent.as_deref(), &kept),
            What::Branch { from } => branch(placed, position, from.as_deref(), &mut budget),
            What::Entry { target } => entry(placed, position, target.as_deref()),
            What::Unknown => None,
        };
        if let Some(settled) = settled {
            placed.settle(position, settled);
        }
    }
}

fn beginning(placed: &Placed, position: usize, parent: Option<&str>, kept: &Kept) -> Option<Settled> {
    let parent = match parent.map_or(Reached::Start, |parent| placed.hops.reach(parent)) {
        Reached::Unit(unit) => placed.span(unit).next_back()?,
        Reached::Start => {
            let settled = Settled::replacing(Replaces::Ids(Vec::new()));
            return Some(Settled { insert_at: Some(InsertAt::Start), ..settled });
        }
        Reached::Nowhere => return None,
    };
    let through = placed.range_end(parent, position)?;
    let kept_from = match kept {
        Kept::Nothing => None,
        Kept::Lost => return None,
        // An entry after the last one of the conversation: nothing of the conversation is kept.
        Kept::From(id) if leads_past(placed, id, parent) => None,
        Kept::From(id) => Some(placed.id(placed.first_from(id, through)?)),
    };
    let settled = Settled::replacing(Replaces::Through(placed.id(through)));
    Some(Settled { kept_from, insert_at: Some(InsertAt::Start), ..settled })
}

/// Whether an entry takes no part in the context and comes after the record at `end` on its path.
fn leads_past(placed: &Placed, id: &str, end: usize) -> bool {
    placed.own(id).is_some_and(|own| own.is_empty()) && placed.attachment(id) == Some(end)
}

/// The records of the branch that ends at `from`, back to where it left the path of the summary.
fn branch(placed: &mut Placed, position: usize, from: Option<&str>, budget: &mut usize) -> Option<Settled> {
    let end = match placed.hops.reach(from?) {
        Reached::Unit(unit) => placed.span(unit).next_back().filter(|&end| end < position)?,
        Reached::Start => return Some(Settled::replacing(Replaces::Ids(Vec::new()))),
        Reached::Nowhere => return None,
    };
    if placed.paths.before(position) == Some(Predecessor::Unknown) {
        return None;
    }
    let abandoned = placed.back_from(end).take_while(|&at| !placed.is_before(at, position));
    let named: Vec<usize> = abandoned.take(budget.saturating_add(1)).collect();
    match budget.checked_sub(named.len()) {
        Some(left) => *budget = left,
        None => {
            *budget = 0;
            let line = placed.records.get(position).and_then(|record| record.native.as_ref()?.line);
            let message = "summarises more records than can be named: what it replaces is unknown".to_owned();
            placed.notes.push(crate::Note { line: line.unwrap_or_default(), message });
            return None;
        }
    }
    let ids = named.into_iter().rev().map(|at| placed.id(at)).collect();
    Some(Settled::replacing(Replaces::Ids(ids)))
}

/// The records of one entry.
fn entry(placed: &Placed, position: usize, target: Option<&str>) -> Option<Settled> {
    let own = placed.own(target?)?;
    if own.end > position {
        return None;
    }
    Some(Settled::replacing(Replaces::Ids(own.map(|at| placed.id(at)).collect())))
}
