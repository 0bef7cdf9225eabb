//! ACTIVE-PATH (ASR-365).

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
    trace: &mut dyn Trace,
) -> Result<VecDeque<Item>, Cycle> {
    let choices = &stream.choices;

    // 1. If head is START, return [].
    if *head == Predecessor::Start {
        trace.step(Step::Ap1, 0, 0);
        return Ok((choices.path_of_start)(stream));
    }

    // 2. path ← []; n ← the node head resolves to; seen ← {}.
    trace.step(Step::Ap2, 0, 0);
    let mut path = VecDeque::new();
    let mut n = head.clone();
    let mut seen = BTreeSet::new();

    // 3. Loop. A head that resolves to no node is treated like such a predecessor (AP2-1, HD-10).
    loop {
        let node = match n {
            Predecessor::Node(node) => node,
            // e. If p is UNKNOWN: prepend an unknown-predecessor marker; exit the loop. (BF-2: so too for a
            //    ref that does not resolve.)
            p @ (Predecessor::Unknown | Predecessor::Unresolved { .. }) => {
                trace.step(Step::Ap3e, 0, 0);
                if let Some(marker) = (choices.in_place_of)(p) {
                    path.push_front(marker);
                }
                break;
            }
            // f. If p is START: exit the loop.
            Predecessor::Start => {
                trace.step(Step::Ap3f, 0, 0);
                break;
            }
        };
        let line = stream.line(stream.first(node));

        // a. If n ∈ seen: report a cycle; the stream is invalid; stop.
        if let Some(cycle) = (choices.cycle)(stream, &seen, node) {
            trace.step(Step::Ap3a, line, 0);
            return (choices.stop)(path, cycle);
        }

        // b. Add n to seen. Prepend n to path.
        trace.step(Step::Ap3b, line, 0);
        trace.step(Step::Nr4, line, stream.line(stream.latest(node)));
        seen.insert(node);
        path.push_front(Item::Node(node));

        // c. Prepend, in order, the gap markers recorded on the edge into n. (IP3-2: in stream order.)
        let edge = edge(stream, node, trace);
        for marker in edge.markers.into_iter().rev() {
            trace.step(Step::Ap3c, line, item_line(stream, &marker));
            path.push_front(marker);
        }

        // d. p ← predecessor(n).
        trace.step(Step::Ap3d, line, 0);
        // g. n ← p.
        trace.step(Step::Ap3g, line, 0);
        n = edge.predecessor;
    }

    // 4. If the session's lineage.inherits.mode is "referenced", prepend an inherited-context marker.
    if (choices.inherits)(stream, &path) {
        trace.step(Step::Ap4, 0, 0);
        path.push_front(Item::Inherited);
    }

    // 5. Return path.
    trace.step(Step::Ap5, 0, 0);
    Ok(path)
}

/// AP1-1: START returns before step 4, so without an inherited-context marker.
pub(crate) fn empty(_: &Stream) -> VecDeque<Item> {
    VecDeque::new()
}

/// AP3-1: UNKNOWN leaves its marker. BF-2, IP2-1, HD-4: a ref that does not resolve stands in its own place.
pub(crate) fn marker(p: Predecessor) -> Option<Item> {
    match p {
        Predecessor::Unknown => Some(Item::UnknownPredecessor),
        Predecessor::Unresolved { reference, status } => Some(Item::Unresolved { reference, status }),
        Predecessor::Node(_) | Predecessor::Start => None,
    }
}

/// AP3a-1: only what this head meets counts, as a node and not by its name.
pub(crate) fn met_again(_: &Stream, seen: &BTreeSet<NodeId>, n: NodeId) -> Option<Cycle> {
    seen.contains(&n).then_some(Cycle(n))
}

/// BF-7b: a cycle gives no path.
pub(crate) fn no_path(_: VecDeque<Item>, cycle: Cycle) -> Result<VecDeque<Item>, Cycle> {
    Err(cycle)
}

/// AP2-1, AP4-2: the mode alone decides, wherever the path begins.
pub(crate) fn is_referenced(stream: &Stream, _: &VecDeque<Item>) -> bool {
    inherits(stream, "mode").and_then(Json::as_str) == Some("referenced")
}

/// A member of the session's lineage.inherits.
pub(crate) fn inherits<'a>(stream: &'a Stream, key: &str) -> Option<&'a Json> {
    let lineage = (stream.choices.lineage)(stream)?;
    field(field(lineage.as_object()?, "inherits")?.as_object()?, key)
}

/// The physical line of an item, 0 where it has none.
pub(crate) fn item_line(stream: &Stream, item: &Item) -> u64 {
    match item {
        Item::Node(node) => stream.line(stream.first(*node)),
        Item::Gap(position) => stream.line(*position),
        Item::UnknownPredecessor | Item::Unresolved { .. } | Item::Inherited => 0,
    }
}

/// The entry of ASR-376 for an item.
pub(crate) fn entry(stream: &Stream, item: &Item) -> Entry {
    match item {
        Item::Node(node) => {
            let (id, rev) = stream.names(*node);
            Entry::Node { id, rev }
        }
        Item::Gap(gap) if stream.members(*gap).is_some() => Entry::Gap { id: stream.name(*gap) },
        Item::Gap(malformed) => Entry::Malformed { line: stream.line(*malformed) },
        Item::UnknownPredecessor => Entry::UnknownPredecessor,
        Item::Unresolved { reference, status } => {
            Entry::UnresolvedRef { reference: reference.clone(), status: *status }
        }
        Item::Inherited => (stream.choices.inherited_entry)(stream),
    }
}

/// AP4-3: all of from, throughId and throughOrdinal, as they are written.
pub(crate) fn inherited_entry(stream: &Stream) -> Entry {
    Entry::Inherited {
        session: inherits(stream, "from").cloned().unwrap_or(Json::Null),
        through_id: inherits(stream, "throughId").cloned(),
        through_ordinal: inherits(stream, "throughOrdinal").cloned(),
    }
}
