//! ACTIVE-PATH (ASR-365).

use crate::heads::current_info;
use crate::predecessor::{Predecessor, edge};
use crate::stream::{NodeId, Stream, field};
use asr_spec::{Entry, Json, RefStatus, Step, Trace};
use std::collections::{BTreeSet, VecDeque};

/// An item of an active path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Item {
    Node(NodeId),
    /// The position of a gap record or malformed line.
    Gap(usize),
    UnknownPredecessor,
    Unresolved {
        reference: Json,
        status: RefStatus,
    },
    Inherited,
}

/// Following predecessors came back to this node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Cycle(pub NodeId);

/// ACTIVE-PATH(stream, head).
pub(crate) fn active_path(
    stream: &Stream,
    head: &Predecessor,
    trace: &mut impl Trace,
) -> Result<VecDeque<Item>, Cycle> {
    // 1. If head is START, return []. (AP1-1: before step 4, so without an inherited-context marker.)
    if *head == Predecessor::Start {
        trace.step(Step::Ap1, 0);
        return Ok(VecDeque::new());
    }

    // 2. path ← []; n ← the node head resolves to; seen ← {}.
    trace.step(Step::Ap2, 0);
    let mut path = VecDeque::new();
    let mut n = head.clone();
    let mut seen = BTreeSet::new();

    // 3. Loop. A head that resolves to no node is treated like such a predecessor (AP2-1, HD-10).
    loop {
        let node = match n {
            Predecessor::Node(node) => node,
            // e. If p is UNKNOWN: prepend an unknown-predecessor marker; exit the loop. A ref that does not resolve
            //    stands in its own place (BF-2).
            Predecessor::Unknown => {
                trace.step(Step::Ap3e, 0);
                path.push_front(Item::UnknownPredecessor);
                break;
            }
            Predecessor::Unresolved { reference, status } => {
                trace.step(Step::Ap3e, 0);
                path.push_front(Item::Unresolved { reference, status });
                break;
            }
            // f. If p is START: exit the loop.
            Predecessor::Start => {
                trace.step(Step::Ap3f, 0);
                break;
            }
        };
        let line = stream.line(stream.first(node));

        // a. If n ∈ seen: report a cycle; the stream is invalid; stop. (AP3a-1: only what this head meets counts.)
        if seen.contains(&node) {
            trace.step(Step::Ap3a, line);
            return Err(Cycle(node));
        }

        // b. Add n to seen. Prepend n to path.
        trace.step(Step::Ap3b, line);
        seen.insert(node);
        path.push_front(Item::Node(node));

        // c. Prepend, in order, the gap markers recorded on the edge into n. (IP3-2: in stream order.)
        let edge = edge(stream, node, trace);
        for &gap in edge.gaps.iter().rev() {
            trace.step(Step::Ap3c, stream.line(gap));
            path.push_front(Item::Gap(gap));
        }

        // d. p ← predecessor(n).
        trace.step(Step::Ap3d, line);
        // g. n ← p.
        trace.step(Step::Ap3g, line);
        n = edge.predecessor;
    }

    // 4. If the session's lineage.inherits.mode is "referenced", prepend an inherited-context marker.
    if let Some(mode) = inherits(stream, "mode")
        && mode.as_str() == Some("referenced")
    {
        trace.step(Step::Ap4, 0);
        path.push_front(Item::Inherited);
    }

    // 5. Return path.
    trace.step(Step::Ap5, 0);
    Ok(path)
}

/// A member of the session's lineage.inherits.
fn inherits<'a>(stream: &'a Stream, key: &str) -> Option<&'a Json> {
    let lineage = current_info(stream, "lineage", |lineage| lineage.as_object().is_some())?;
    field(field(lineage.as_object()?, "inherits")?.as_object()?, key)
}

/// The entry of ASR-376 for an item.
pub(crate) fn entry(stream: &Stream, item: &Item) -> Entry {
    match item {
        Item::Node(node) => {
            let (first, latest) = (stream.first(*node), stream.latest(*node));
            Entry::Node { id: stream.name(first), rev: (latest != first).then(|| stream.name(latest)) }
        }
        Item::Gap(gap) if stream.members(*gap).is_some() => Entry::Gap { id: stream.name(*gap) },
        Item::Gap(malformed) => Entry::Malformed { line: stream.line(*malformed) },
        Item::UnknownPredecessor => Entry::UnknownPredecessor,
        Item::Unresolved { reference, status } => {
            Entry::UnresolvedRef { reference: reference.clone(), status: *status }
        }
        Item::Inherited => Entry::Inherited {
            session: inherits(stream, "from").cloned().unwrap_or(Json::Null),
            through_id: inherits(stream, "throughId").cloned(),
            through_ordinal: inherits(stream, "throughOrdinal").cloned(),
        },
    }
}
