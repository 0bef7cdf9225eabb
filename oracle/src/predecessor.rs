//! Explicit and implicit predecessors (ASR-353).

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
    /// Positions of the gap records and malformed lines on the edge, in stream order.
    pub gaps: VecDeque<usize>,
}

/// The edge into `node`, from its branchesFrom or from the backward scan.
pub(crate) fn edge(stream: &Stream, node: NodeId, trace: &mut impl Trace) -> Edge {
    let first = stream.first(node);
    match branches_from(stream, node, trace) {
        // A gap before a record that says where it branches from lies on no edge (BF-6).
        Some(b) => Edge { predecessor: explicit_predecessor(stream, first, b, trace), gaps: VecDeque::new() },
        None => scan(stream, first, trace),
    }
}

/// BF0. Let b be the branchesFrom of the chain's latest marked rewrite, if the chain has one; otherwise b is the
/// branchesFrom of the first record, if any.
///
/// A marked rewrite without branchesFrom leaves the chain without one (BF-1). "Latest" is by seq over the whole
/// chain (BF-8), and no other revision has a say (BF-1b).
fn branches_from<'a>(stream: &'a Stream, node: NodeId, trace: &mut impl Trace) -> Option<&'a Json> {
    let chain = stream.nodes.get(node.0)?;
    let rewrite = chain.revisions.iter().rev().find(|&&revision| stream.is_marked_rewrite(revision));
    let carrier = rewrite.copied().unwrap_or(chain.first);
    trace.step(Step::Bf0, stream.line(carrier));
    stream.field(carrier, "branchesFrom")
}

fn explicit_predecessor(stream: &Stream, first: usize, b: &Json, trace: &mut impl Trace) -> Predecessor {
    let line = stream.line(first);
    match b.as_object().and_then(|b| b.get("record")) {
        // 1. {"record": <ref>}: the predecessor is the node the ref resolves to.
        Some(reference) if *reference != Json::Null => {
            trace.step(Step::Bf1, line);
            resolved(stream, reference, trace)
        }
        // 2. {"record": null}: the predecessor is START.
        Some(_) => {
            trace.step(Step::Bf2, line);
            Predecessor::Start
        }
        // 3. {"state": "unknown"}: the predecessor is UNKNOWN. So is any other form (BF-4): a branch is asserted,
        //    its origin is not established.
        None => {
            trace.step(Step::Bf3, line);
            Predecessor::Unknown
        }
    }
}

/// Scans the stream backwards from `from`, ignoring superseding records. From a record this gives its implicit
/// predecessor, from the end of the stream the default head.
pub(crate) fn scan(stream: &Stream, from: usize, trace: &mut impl Trace) -> Edge {
    let mut gaps = VecDeque::new();
    for (position, item) in stream.items.iter().enumerate().take(from).rev() {
        trace.step(Step::Ip0, item.line);
        if item.supersedes.is_some() {
            continue;
        }
        // 1. On reaching the first record of a context-participating chain m, the predecessor is m's node.
        if let Some(node) = item.node {
            trace.step(Step::Ip1, item.line);
            return Edge { predecessor: Predecessor::Node(node), gaps };
        }
        // 2. On reaching a rewind record w, the predecessor is the node w.to resolves to, or START if w.to is null.
        if stream.type_of(position) == "rewind" {
            trace.step(Step::Ip2, item.line);
            return Edge { predecessor: rewind_target(stream, position, trace), gaps };
        }
        // 3. On passing a gap record, or a malformed line, record a gap marker on the edge and continue scanning.
        if item.members.is_none() || stream.type_of(position) == "gap" {
            trace.step(Step::Ip3, item.line);
            gaps.push_front(position);
        }
    }
    // 4. On reaching the start of the stream, the predecessor is START.
    trace.step(Step::Ip4, 0);
    Edge { predecessor: Predecessor::Start, gaps }
}

/// A missing `to` is missing data, not null (IP2-3).
fn rewind_target(stream: &Stream, position: usize, trace: &mut impl Trace) -> Predecessor {
    match stream.members(position).and_then(|rewind| rewind.get("to")) {
        None => Predecessor::Unknown,
        Some(Json::Null) => Predecessor::Start,
        Some(to) => resolved(stream, to, trace),
    }
}

fn resolved(stream: &Stream, reference: &Json, trace: &mut impl Trace) -> Predecessor {
    match stream.resolve(reference, trace) {
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
