//! Compactions: a boundary record, a summary record that belongs to it, and lists of what was kept.
//!
//! The boundary points to the last record before it (`logicalParentUuid`): everything on its path up to there
//! is replaced. Newer versions keep some messages and list them; when these are exactly the end of the path
//! and the summary was put before them (`anchorUuid` names the summary), they are the kept part of the range.
//! A list of another form is carried over as it is (`retains`). Whatever cannot be established, because a
//! record is missing or lies on another path, makes the replacement unknown rather than partly guessed
//! (ASR-372, ASR-377).

use crate::draft::{Origin, Pointers};
use crate::hops::Reached;
use crate::object::{Fields, Object};
use crate::placed::{Placed, Settled};
use asr_spec::record::{Body, Compaction, InsertAt, Replaces, Retained, Tokens};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// How many records of the path there may be for each one that a boundary lists. A response has been seen to
/// have up to seven records, and a list may name one of them for all; a path that needs more is not the
/// listed one.
const RECORDS_PER_RESPONSE: usize = 8;

/// A `compact_boundary`.
struct Boundary {
    /// Where its compaction stands.
    position: usize,
    uuid: Option<String>,
    /// The record before it.
    link: Option<String>,
    kept: Option<Kept>,
    /// The summary that has been folded into it.
    summary: Option<Summary>,
}

/// The summary record of a boundary.
struct Summary {
    uuid: Option<String>,
}

/// What a boundary says it kept.
struct Kept {
    anchor: Option<String>,
    what: KeptWhat,
}

enum KeptWhat {
    /// Single records, and all that stand for them.
    Listed { uuids: Vec<String>, all: Vec<String> },
    /// Everything from one record to another.
    Segment { head: String, tail: String },
    /// Records that are not named by strings.
    Unreadable,
}

/// The boundary that a summary is folded into.
pub(super) struct Folded {
    /// Where its compaction stands.
    pub position: usize,
    /// The boundary's id, if what hangs from the summary hangs from the boundary.
    pub whole: Option<String>,
}

/// How a record stands to the nearest boundary up its native parents.
#[derive(Clone, Copy)]
struct Since {
    boundary: usize,
    between: Between,
}

/// What lies between a boundary and a record.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    /// Nothing that takes part in the context.
    Nothing,
    /// Prompts that were queued while the summary was written.
    Prompts,
    /// A conversation.
    Talk,
}

/// The boundaries of a file.
#[derive(Default)]
pub(super) struct Boundaries {
    all: Vec<Boundary>,
    /// By the `anchorUuid` that they name.
    anchors: HashMap<String, usize>,
    since: HashMap<String, Since>,
}

impl Boundaries {
    /// The compaction that a boundary or a lone summary makes, as far as the record itself tells.
    pub fn body(origin: &Origin, object: &Object) -> Compaction {
        let (id, id_source) = compaction_id(origin);
        let mut compaction = Compaction::new(id, "summary", Replaces::Unknown);
        compaction.id_source = id_source;
        if let Some(metadata) = object.object("compactMetadata") {
            compaction.trigger = metadata.text("trigger").map(str::to_owned);
            compaction.tokens = tokens(metadata);
            compaction.duration_ms = metadata.number("durationMs").cloned();
        }
        compaction
    }

    /// Follows the native parents to `pointers`: a unit that is a prompt or not, or a record that is no unit.
    pub fn follow(&mut self, pointers: &Pointers, is_prompt: Option<bool>) {
        let Some(id) = &pointers.id else { return };
        let since = pointers.parent.as_ref().and_then(|parent| self.since.get(parent)).copied();
        if let Some(Since { boundary, between }) = since {
            let between = match (is_prompt, between) {
                (None, between) => between,
                (Some(true), Between::Nothing | Between::Prompts) => Between::Prompts,
                (Some(_), _) => Between::Talk,
            };
            self.since.insert(id.clone(), Since { boundary, between });
        }
    }

    /// A boundary, whose compaction stands at `position`.
    pub fn open(&mut self, pointers: &Pointers, position: usize, object: &Object) {
        let boundary = self.all.len();
        let kept = object.object("compactMetadata").and_then(Kept::of);
        if let Some(anchor) = kept.as_ref().and_then(|kept| kept.anchor.clone()) {
            self.anchors.entry(anchor).or_insert(boundary);
        }
        if let Some(id) = &pointers.id {
            self.since.insert(id.clone(), Since { boundary, between: Between::Nothing });
        }
        let link = pointers.parent.clone().or_else(|| pointers.logical_parent.clone());
        self.all.push(Boundary { position, uuid: pointers.id.clone(), link, kept, summary: None });
    }

    /// The boundary that a summary belongs to: the one that names it, or the nearest one above it that has
    /// none.
    pub fn fold(&mut self, pointers: &Pointers) -> Option<Folded> {
        let named = pointers.id.as_ref().and_then(|id| self.anchors.get(id)).copied();
        let since = pointers.parent.as_ref().and_then(|parent| self.since.get(parent)).copied();
        let above = since.filter(|since| since.between != Between::Talk).map(|since| since.boundary);
        let is_direct = since.is_none_or(|since| since.between == Between::Nothing);
        let mut candidates = [named, above].into_iter().flatten();
        let found =
            candidates.find(|&at| self.all.get(at).is_some_and(|boundary| boundary.summary.is_none()))?;
        let boundary = self.all.get_mut(found)?;
        boundary.summary = Some(Summary { uuid: pointers.id.clone() });
        Some(Folded { position: boundary.position, whole: boundary.uuid.clone().filter(|_| is_direct) })
    }

    /// A record that stands already, and is written again with these pointers: the boundary that the new place
    /// is below, if the old one, at `position`, is above it. Then what hangs from the record hangs from the
    /// boundary, as in the file's own reader, for which the later line counts.
    pub fn again(&mut self, pointers: &Pointers, position: usize) -> Option<String> {
        let since = pointers.parent.as_ref().and_then(|parent| self.since.get(parent)).copied()?;
        let boundary = self.all.get(since.boundary).filter(|boundary| position < boundary.position)?;
        self.since.insert(pointers.id.clone()?, since);
        boundary.uuid.clone()
    }

    /// Whether the record at a position is a boundary's compaction.
    pub fn contains(&self, position: usize) -> bool {
        self.all.binary_search_by_key(&position, |boundary| boundary.position).is_ok()
    }

    /// Says what each compaction replaced.
    pub fn settle(&self, placed: &mut Placed) {
        let mut keys = None;
        for boundary in &self.all {
            if let Some(settled) = boundary.settle(placed, &mut keys) {
                placed.settle(boundary.position, settled);
            }
        }
    }
}

/// The response key of each call.
type CallKeys = HashMap<String, String>;

impl Boundary {
    /// What the compaction replaced; `None` where that cannot be established.
    fn settle(&self, placed: &Placed, keys: &mut Option<CallKeys>) -> Option<Settled> {
        let parent = match placed.hops.reach(self.link.as_deref()?) {
            Reached::Unit(unit) => placed.span(unit).next_back()?,
            Reached::Start => return Some(Settled::replacing(Replaces::Ids(Vec::new()))),
            Reached::Nowhere => return None,
        };
        let through = placed.range_end(parent, self.position)?;
        let mut settled = Settled::replacing(Replaces::Through(placed.id(through)));
        let Some(kept) = &self.kept else { return Some(settled) };

        let summary = self.summary.as_ref().and_then(|summary| summary.uuid.as_ref());
        let is_before_kept = kept.anchor.is_some() && kept.anchor.as_ref() == summary;
        match &kept.what {
            KeptWhat::Unreadable => return None,
            KeptWhat::Segment { head, tail } => {
                let first = placed.first_from(head, through)?;
                if !is_before_kept || placed.attachment(tail) != Some(parent) {
                    return None;
                }
                settled.kept_from = Some(placed.id(first));
                settled.insert_at = Some(InsertAt::Start);
            }
            KeptWhat::Listed { uuids, all } => {
                let listed = positions(placed, uuids)?;
                let allowed = positions(placed, all)?;
                let Some(&oldest) = listed.iter().min() else { return Some(settled) };
                if !listed.iter().all(|&position| placed.is_before(position, self.position)) {
                    return None;
                }
                let keys = keys.get_or_insert_with(|| call_keys(placed));
                if is_before_kept && is_end_of_path(placed, through, &listed, &allowed, keys) {
                    settled.kept_from = Some(placed.id(oldest));
                    settled.insert_at = Some(InsertAt::Start);
                } else {
                    let mut listed: Vec<usize> = listed.into_iter().collect();
                    listed.sort_unstable();
                    let retained = |position| Retained { r#ref: placed.id(position), capture: None };
                    settled.retains = listed.into_iter().map(retained).collect();
                }
            }
        }
        Some(settled)
    }
}

impl Kept {
    fn of(metadata: &Object) -> Option<Self> {
        let anchor = |kept: &Object| kept.text("anchorUuid").map(str::to_owned);
        // Without a list of messages the segment says what was kept.
        let messages = metadata.object("preservedMessages");
        if let Some(messages) = messages.filter(|messages| messages.contains_key("uuids")) {
            let uuids = all_texts(messages.get("uuids"));
            let all = messages.texts("allUuids").map(str::to_owned).collect();
            let what = uuids.map_or(KeptWhat::Unreadable, |uuids| KeptWhat::Listed { uuids, all });
            return Some(Self { anchor: anchor(messages), what });
        }
        let segment = metadata.object("preservedSegment")?;
        let head = segment.text("headUuid").unwrap_or_default().to_owned();
        let tail = segment.text("tailUuid").unwrap_or_default().to_owned();
        Some(Self { anchor: anchor(segment), what: KeptWhat::Segment { head, tail } })
    }
}

/// The strings of a list that holds nothing else.
fn all_texts(list: Option<&Value>) -> Option<Vec<String>> {
    list?.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Where the records that a list names stand, if all of them are there. Records that take no part in the
/// context have none.
fn positions(placed: &Placed, uuids: &[String]) -> Option<HashSet<usize>> {
    let mut positions = HashSet::new();
    for uuid in uuids {
        positions.extend(placed.own(uuid)?);
    }
    Some(positions)
}

/// Whether the path that ends at `end` ends in the listed records: every one of them, and between them
/// nothing but what stands for them or belongs to one response with one of them, and earlier compactions whose
/// summaries stand before all that was kept then.
fn is_end_of_path(
    placed: &Placed,
    end: usize,
    listed: &HashSet<usize>,
    allowed: &HashSet<usize>,
    keys: &CallKeys,
) -> bool {
    let listed_keys: HashSet<&str> =
        listed.iter().filter_map(|&position| response_key(placed, position, keys)).collect();
    let limit = RECORDS_PER_RESPONSE.saturating_mul(listed.len() + allowed.len());
    let mut missing = listed.len();
    for position in placed.back_from(end).take(limit) {
        let is_listed = listed.contains(&position);
        let belongs = || response_key(placed, position, keys).is_some_and(|key| listed_keys.contains(key));
        let is_elsewhere = || is_before_what_it_kept(placed, position);
        if !is_listed && !allowed.contains(&position) && !belongs() && !is_elsewhere() {
            return false;
        }
        missing -= usize::from(is_listed);
        if missing == 0 {
            return true;
        }
    }
    false
}

/// Whether a record is a compaction whose summary stands before what it kept, and so not where its record is.
fn is_before_what_it_kept(placed: &Placed, position: usize) -> bool {
    let body = placed.records.get(position).map(|record| &record.body);
    matches!(body, Some(Body::Compaction(compaction)) if compaction.insert_at == Some(InsertAt::Start))
}

fn response_key<'a>(placed: &'a Placed, position: usize, keys: &'a CallKeys) -> Option<&'a str> {
    match &placed.records.get(position)?.body {
        Body::Message(message) => message.response_key.as_deref(),
        Body::ToolCall(call) => call.response_key.as_deref(),
        Body::ToolResult(result) => keys.get(&result.call_id).map(String::as_str),
        _ => None,
    }
}

fn call_keys(placed: &Placed) -> CallKeys {
    let calls = placed.records.iter().filter_map(|record| match &record.body {
        Body::ToolCall(call) => Some((call.call_id.clone(), call.response_key.clone()?)),
        _ => None,
    });
    calls.collect()
}

/// A `microcompact_boundary`.
pub(super) struct Microcompact;

impl Microcompact {
    /// The compaction that masks the results of `compactedToolIds`. `result` finds the record of a result; a
    /// result that is not there makes the replacement unknown.
    pub fn body(origin: &Origin, object: &Object, result: impl Fn(&str) -> Option<String>) -> Compaction {
        let (id, id_source) = compaction_id(origin);
        let mut compaction = Compaction::new(id, "mask", Replaces::Unknown);
        compaction.id_source = id_source;
        if let Some(metadata) = object.object("microcompactMetadata") {
            compaction.trigger = metadata.text("trigger").map(str::to_owned);
            compaction.tokens = tokens(metadata);
            if let Some(calls) = metadata.get("compactedToolIds").and_then(Value::as_array) {
                let ids: Option<Vec<String>> = calls.iter().map(|call| result(call.as_str()?)).collect();
                compaction.replaces = ids.map_or(Replaces::Unknown, Replaces::Ids);
            }
        }
        compaction
    }
}

fn compaction_id(origin: &Origin) -> (String, Option<String>) {
    match &origin.id {
        Some(uuid) => (uuid.clone(), None),
        None => (format!("line-{}", origin.line), Some("derived".to_owned())),
    }
}

fn tokens(metadata: &Object) -> Option<Tokens> {
    let tokens = Tokens {
        before: metadata.number("preTokens").cloned(),
        after: metadata.number("postTokens").cloned(),
    };
    (tokens != Tokens::default()).then_some(tokens)
}
