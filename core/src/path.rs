//! ACTIVE-PATH (ASR-365): a walk along predecessors.
//!
//! The path index of the head says how long the path is, so it is written once, from its back to its front,
//! into the place where it belongs. Items are small copies that stand for entries; entries, which own their
//! texts, are made at the very end.

#![expect(clippy::indexing_slicing, reason = "a path index is below the length of its path")]

use crate::graph::{Graph, Node, Predecessor};
use crate::index::{Index, Kind, Row};
use asr_spec::Entry;

/// An item of an active path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Item {
    Inherited,
    UnknownPredecessor,
    /// See [`Predecessor::Unresolved`].
    Unresolved(u32),
    /// A gap record or a malformed line
    Gap(Row),
    Node(Node),
}

/// The path that ends at a node, by path index. If it is a cycle, the node that the walk meets twice first.
///
/// O(length of the path), and O(nodes) for a cycle.
pub(crate) fn walk(index: &Index<'_>, graph: &Graph, head: Node) -> Result<Vec<Item>, Node> {
    let Some(last) = graph.index(head) else { return Err(first_met_twice(graph, head)) };
    // AP4: what nothing else is written to is the marker at the front.
    let mut path = vec![Item::Inherited; last as usize + 1];
    let mut at = last as usize;
    let mut node = head;
    loop {
        path[at] = Item::Node(node);
        for &gap in graph.gaps(node).iter().rev() {
            at -= 1;
            path[at] = Item::Gap(gap);
        }
        let marker = match graph.predecessor(node) {
            Predecessor::Node(before) => {
                at -= 1;
                node = before;
                continue;
            }
            Predecessor::Start => break,
            Predecessor::Unknown => Item::UnknownPredecessor,
            Predecessor::Unresolved(unresolved) => Item::Unresolved(unresolved),
        };
        path[at - 1] = marker;
        break;
    }
    debug_assert_eq!(path.contains(&Item::Inherited), index.inherits.is_some());
    Ok(path)
}

/// AP3a, once it is known that there is such a node.
fn first_met_twice(graph: &Graph, head: Node) -> Node {
    let mut seen = vec![false; graph.nodes()];
    let mut node = head;
    while !std::mem::replace(&mut seen[node as usize], true) {
        match graph.predecessor(node) {
            Predecessor::Node(before) => node = before,
            _ => break,
        }
    }
    node
}

/// The item in the form of ASR-376.
pub(crate) fn entry(index: &Index<'_>, graph: &Graph, item: Item) -> Entry {
    match item {
        Item::Inherited => inherited(index).unwrap_or(Entry::UnknownPredecessor),
        Item::UnknownPredecessor => Entry::UnknownPredecessor,
        Item::Unresolved(at) => {
            let (reference, status) = graph.unresolved(index, at);
            Entry::UnresolvedRef { reference, status }
        }
        Item::Gap(row) if index.kinds[row as usize] == Kind::Malformed => {
            Entry::Malformed { line: index.lines[row as usize].into() }
        }
        Item::Gap(row) => Entry::Gap { id: index.name(row) },
        Item::Node(node) => Entry::Node { id: graph.name(index, node), rev: graph.revision(index, node) },
    }
}

/// The marker of inherited context, if the session has any.
pub(crate) fn inherited(index: &Index<'_>) -> Option<Entry> {
    let inherits = index.inherits.clone()?;
    Some(Entry::Inherited {
        session: inherits.session,
        through_id: inherits.through_id,
        through_ordinal: inherits.through_ordinal,
    })
}
