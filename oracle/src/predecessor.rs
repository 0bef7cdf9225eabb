//! Explicit and implicit predecessors (ASR-353).

use crate::active_path::Item;
use crate::stream::{NodeId, Stream, field};
use asr_spec::{Json, RefStatus, Step, Trace};
use std::collections::VecDeque;

/// What precedes a node, or what a head turns out to be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Predecessor {
    /// A node.
    Node(NodeId),
    /// START: a new path begins with an empty context.
    Start,
    /// UNKNOWN.
    Unknown,
    /// A ref that identifies no node stands in its place (BF-2, IP2-1).
    Unresolved { reference: Json, status: RefStatus },
}

/// The edge into a node.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Edge {
    pub predecessor: Predecessor,
    /// The markers on the edge, in stream order.
    pub markers: VecDeque<Item>,
}

/// An edge without markers.
impl From<Predecessor> for Edge {
    fn from(predecessor: Predecessor) -> Self {
        Self { predecessor, markers: VecDeque::new() }
    }
}

impl Edge {
    /// The line of the predecessor, 0 where it is no node.
    fn line(&self, stream: &Stream) -> u64 {
        match self.predecessor {
            Predecessor::Node(node) => stream.line(stream.first(node)),
            Predecessor::Start | Predecessor::Unknown | Predecessor::Unresolved { .. } => 0,
        }
    }
}

/// The forms of branchesFrom.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Branch<'a> {
    Record(&'a Json),
    Start,
    Unknown,
}

/// The edge into `node`, from its branchesFrom or from the backward scan.
pub(crate) fn edge(stream: &Stream, node: NodeId, trace: &mut dyn Trace) -> Edge {
    let choices = &stream.choices;
    let first = stream.first(node);
    let line = stream.line(first);

    // Let b be the branchesFrom of the chain's latest marked rewrite, if the chain has one; otherwise b is the
    // branchesFrom of r, if any.
    let carrier = (choices.carrier)(stream, node);
    trace.step(Step::Bf0, line, stream.line(carrier));
    let b = stream.members(carrier).and_then(|carrier| carrier.get("branchesFrom"));

    // If b is present:
    let explicit = match b.and_then(choices.branch) {
        // 1. {"record": <ref>}: the predecessor is the node the ref resolves to.
        Some(Branch::Record(reference)) => {
            let edge = (choices.branch_target)(stream, node, carrier, reference, trace);
            trace.step(Step::Bf1, line, edge.line(stream));
            edge
        }
        // 2. {"record": null}: the predecessor is START.
        Some(Branch::Start) => {
            trace.step(Step::Bf2, line, 0);
            Edge::from(Predecessor::Start)
        }
        // 3. {"state": "unknown"}: the predecessor is UNKNOWN.
        Some(Branch::Unknown) => {
            trace.step(Step::Bf3, line, 0);
            Edge::from(Predecessor::Unknown)
        }
        // Otherwise, scan the stream backwards from r.
        None => return scan(stream, first, trace),
    };
    (choices.explicit_edge)(stream, first, explicit)
}

/// A marked rewrite without branchesFrom leaves the chain without one (BF-1). "Latest" is by seq over the
/// whole chain (BF-8). The first record has a say only where there is no rewrite (BF-1c), other revisions
/// have none (BF-1b).
pub(crate) fn latest_rewrite_or_first(stream: &Stream, node: NodeId) -> usize {
    let revisions = stream.nodes.get(node.0).map_or(&[][..], |chain| &chain.revisions);
    let rewrite = revisions.iter().rev().find(|&&revision| stream.is_marked_rewrite(revision));
    rewrite.copied().unwrap_or(stream.first(node))
}

/// BF-5: a null is no branchesFrom. BF-4: any other form is UNKNOWN: a branch is asserted, its origin is not
/// established.
pub(crate) fn branch(b: &Json) -> Option<Branch<'_>> {
    if *b == Json::Null {
        return None;
    }
    Some(match b.as_object().and_then(|b| b.get("record")) {
        Some(Json::Null) => Branch::Start,
        Some(reference) => Branch::Record(reference),
        None => Branch::Unknown,
    })
}

/// A ref that identifies no node stands in the place of the predecessor (BF-2, BF-2b). The carrier of b may
/// be a rewrite and its target lie behind the node (BF-7), so that a cycle is possible (BF-7b).
pub(crate) fn branch_target(
    stream: &Stream,
    _: NodeId,
    carrier: usize,
    reference: &Json,
    trace: &mut dyn Trace,
) -> Edge {
    Edge::from(resolved(stream, carrier, reference, trace))
}

/// BF-6: a gap before a record that says where it branches from lies on no edge.
pub(crate) fn without_gaps(_: &Stream, _first: usize, explicit: Edge) -> Edge {
    explicit
}

/// Scans the stream backwards from `from`, ignoring superseding records. From a record this gives its
/// implicit predecessor, from the end of the stream the default head.
pub(crate) fn scan(stream: &Stream, from: usize, trace: &mut dyn Trace) -> Edge {
    let choices = &stream.choices;
    let on_edge = |gaps, stop| Passed { from, gaps, stop }.markers(stream);
    let about = stream.line(from);
    let mut passed = Vec::new();
    for position in (choices.before)(stream, from) {
        let Some(item) = stream.items.get(position) else { continue };
        trace.step(Step::Ip0, about, item.line);
        if (choices.is_ignored)(stream, position) {
            continue;
        }
        // 1. On reaching the first record of a context-participating chain m, the predecessor is m's node.
        if let Some(node) = item.node {
            trace.step(Step::Ip1, about, item.line);
            return Edge { predecessor: Predecessor::Node(node), markers: on_edge(passed, Some(position)) };
        }
        // 2. On reaching a rewind record w, the predecessor is the node w.to resolves to, or START if w.to is
        //    null.
        if stream.type_of(position) == "rewind" {
            trace.step(Step::Ip2, about, item.line);
            if let Some(mut edge) = (choices.rewind_target)(stream, position, trace) {
                edge.markers.extend(on_edge(passed, Some(position)));
                return edge;
            }
        }
        // 3. On passing a gap record, or a malformed line, record a gap marker on the edge and continue
        //    scanning.
        if item.record.is_none() || stream.type_of(position) == "gap" {
            trace.step(Step::Ip3, about, item.line);
            passed.push(position);
        }
    }
    // 4. On reaching the start of the stream, the predecessor is START.
    trace.step(Step::Ip4, about, 0);
    Edge { predecessor: Predecessor::Start, markers: on_edge(passed, None) }
}

/// NR-10b: of records with equal seq the one on the earlier line counts as lower.
pub(crate) fn lower_positions(stream: &Stream, from: usize) -> Vec<usize> {
    (0..from.min(stream.items.len())).rev().collect()
}

/// Superseding records of any type are ignored (IP1-1, IP3-3), and only they: not a record whose `supersedes`
/// makes no revision (NR-1a, IP2-4).
pub(crate) fn is_superseding(stream: &Stream, position: usize) -> bool {
    stream.items.get(position).is_some_and(|item| item.supersedes.is_some())
}

/// Every rewind counts, the one next to the record first (IP2-5), wherever it leads (IP2-6). A missing `to`
/// is missing data, not null (IP2-3). A ref that identifies no node stands in the place of the predecessor
/// (IP2-1).
pub(crate) fn rewind_target(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    Some(Edge::from(match stream.members(rewind).and_then(|rewind| rewind.get("to")) {
        None => Predecessor::Unknown,
        Some(Json::Null) => Predecessor::Start,
        Some(to) => resolved(stream, rewind, to, trace),
    }))
}

/// What a scan from one position to another has passed.
pub(crate) struct Passed {
    /// The position from which it started.
    pub from: usize,
    /// The positions of the gap records and malformed lines, in the order of the scan.
    pub gaps: Vec<usize>,
    /// The position of the record on which it stopped, or `None` at the start of the stream.
    pub stop: Option<usize>,
}

impl Passed {
    fn markers(&self, stream: &Stream) -> VecDeque<Item> {
        (stream.choices.edge_gaps)(stream, self).into_iter().map(Item::Gap).collect()
    }
}

/// The gaps on the edge are those that the scan has passed (IP3-1, IP3-7), also where it ends at START
/// (IP3-5), in stream order (IP3-2).
pub(crate) fn passed_in_stream_order(_: &Stream, passed: &Passed) -> Vec<usize> {
    passed.gaps.iter().rev().copied().collect()
}

/// What a ref in the record at `carrier` makes the predecessor.
pub(crate) fn resolved(
    stream: &Stream,
    carrier: usize,
    reference: &Json,
    trace: &mut dyn Trace,
) -> Predecessor {
    match stream.resolve_from(carrier, reference, trace) {
        Ok(node) => Predecessor::Node(node),
        Err(status) => Predecessor::Unresolved { reference: printed(reference), status },
    }
}

/// A ref that is not a string prints as null (`readings.md` B.9).
pub(crate) fn printed(reference: &Json) -> Json {
    if reference.as_str().is_some() { reference.clone() } else { Json::Null }
}

/// The ref under `key`, unless it is absent.
pub(crate) fn reference<'a>(object: Option<&'a Json>, key: &str) -> Option<&'a Json> {
    field(object?.as_object()?, key)
}
