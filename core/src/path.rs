//! ACTIVE-PATH (ASR-365): a walk along predecessors.
//!
//! The path index of the head says how long the path is, so it is written once, from its back to its front,
//! into the place where it belongs. Items are small copies that stand for entries; entries, which own their
//! texts, are made at the very end.

#![expect(clippy::indexing_slicing, reason = "a path index is below the length of its path")]

use crate::graph::{Graph, Node, Predecessor};
use crate::index::{Index, Kind, Ref, Row};
use crate::steps::Steps;
use asr_spec::{Entry, Name, Step};
use std::collections::{HashMap, HashSet};

/// An item of an active path or of a context view. Nodes, rows and refs are numbers of the stream at hand.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Item {
    /// The marker of inherited context
    Inherited,
    /// The marker of an unknown predecessor
    UnknownPredecessor,
    /// A ref that identifies no target
    Unresolved(Ref),
    /// A gap record or a malformed line
    Gap(Row),
    /// A node
    Node(Node),
    /// Of a view only: the marker of an unknown replacement
    UnknownReplacement(Node),
    /// Of a view only: a retained node, by its place among all elements of retains
    Retained(u32),
    /// Of a view only: the summary of a compaction
    Summary(Node),
}

/// The path that ends at a node, by path index. If it is a cycle, the node that the walk meets twice first.
///
/// O(length of the path), and O(nodes) for a cycle.
pub(crate) fn walk(
    index: &Index<'_>,
    graph: &Graph,
    head: Node,
    steps: &mut impl Steps,
) -> Result<Vec<Item>, Node> {
    let Some(last) = graph.index(head) else { return Err(first_met_twice(index, graph, head, steps)) };
    // AP4: what nothing else is written to is the marker at the front.
    let mut path = vec![Item::Inherited; last as usize + 1];
    let mut places = path.iter_mut().rev();
    let mut put = |item| {
        if let Some(place) = places.next() {
            *place = item;
        }
    };
    let mut node = head;
    loop {
        put(Item::Node(node));
        let about = move || index.line(node);
        steps.tell(Step::Ap3b, || (about(), 0));
        for &gap in graph.gaps(node).iter().rev() {
            put(Item::Gap(gap));
            steps.tell(Step::Ap3c, || (about(), index.line(gap)));
        }
        steps.tell(Step::Ap3d, || (about(), 0));
        let marker = match graph.predecessor(node) {
            Predecessor::Node(before) => {
                steps.tell(Step::Ap3g, || (about(), 0));
                node = before;
                continue;
            }
            Predecessor::Start => {
                steps.tell(Step::Ap3f, || (about(), 0));
                break;
            }
            Predecessor::Unknown => Item::UnknownPredecessor,
            Predecessor::Unresolved(unresolved) => Item::Unresolved(graph.unresolved(unresolved)),
        };
        steps.tell(Step::Ap3e, || (about(), 0));
        put(marker);
        break;
    }
    debug_assert_eq!(path.contains(&Item::Inherited), index.inherits.is_some());
    if index.inherits.is_some() {
        steps.tell(Step::Ap4, || (0, 0));
    }
    steps.tell(Step::Ap5, || (0, 0));
    Ok(path)
}

/// AP3a, once it is known that there is such a node.
fn first_met_twice(index: &Index<'_>, graph: &Graph, head: Node, steps: &mut impl Steps) -> Node {
    let mut seen = vec![false; graph.bound()];
    let mut node = head;
    while !std::mem::replace(&mut seen[node as usize], true) {
        let about = move || index.line(node);
        steps.tell(Step::Ap3b, || (about(), 0));
        for &gap in graph.gaps(node).iter().rev() {
            steps.tell(Step::Ap3c, || (about(), index.line(gap)));
        }
        steps.tell(Step::Ap3d, || (about(), 0));
        match graph.predecessor(node) {
            Predecessor::Node(before) => node = before,
            _ => break,
        }
        steps.tell(Step::Ap3g, || (about(), 0));
    }
    steps.tell(Step::Ap3a, || (index.line(node), 0));
    node
}

/// How the predecessors of the nodes on the path came about, or of those walked before a cycle is found.
pub(crate) fn explain(index: &Index<'_>, graph: &Graph, head: Node, steps: &mut impl Steps) {
    let mut seen = HashSet::new();
    let before = |&node: &Node| match graph.predecessor(node) {
        Predecessor::Node(before) => Some(before),
        _ => None,
    };
    let nodes = std::iter::successors(Some(head), before).take_while(|&node| seen.insert(node));
    Graph::explain(index, nodes.map(|node| index.line(node)), steps);
}

/// Items in the form of ASR-376. Short refs can retain a node again and again, and a compaction many of them, and names
/// are as long as somebody made them: copies share them.
pub(crate) fn entries(index: &Index<'_>, graph: &Graph, items: &[Item]) -> Vec<Entry> {
    let mut names: HashMap<Node, Name> = HashMap::new();
    let mut shared = |node| names.entry(node).or_insert_with(|| graph.name(index, node)).clone();
    items.iter().map(|&item| entry(index, graph, item, &mut shared)).collect()
}

fn entry(index: &Index<'_>, graph: &Graph, item: Item, mut shared: impl FnMut(Node) -> Name) -> Entry {
    let name = |node| graph.name(index, node);
    let unresolved = |target| {
        let (reference, status) = graph.failed(index, target);
        Entry::UnresolvedRef { reference, status }
    };
    match item {
        Item::Inherited => inherited(index).unwrap_or(Entry::UnknownPredecessor),
        Item::UnknownPredecessor => Entry::UnknownPredecessor,
        Item::Unresolved(target) => unresolved(target),
        Item::Gap(row) if index.kinds[row as usize] == Kind::Malformed => {
            Entry::Malformed { line: index.line(row) }
        }
        Item::Gap(row) => Entry::Gap { id: index.name(row) },
        Item::Node(node) => Entry::Node { id: name(node), rev: graph.revision(index, node) },
        Item::UnknownReplacement(node) => Entry::UnknownReplacement { id: name(node) },
        Item::Retained(at) => {
            let retained = index.retains[at as usize];
            match (graph.resolve(index, retained.target), graph.node(retained.by)) {
                (Ok(node), Some(by)) => {
                    Entry::Retained { id: shared(node), by: shared(by), truncated: retained.is_truncated }
                }
                _ => unresolved(retained.target),
            }
        }
        Item::Summary(node) => Entry::Summary { id: name(node), rev: graph.revision(index, node) },
    }
}

/// The line of the record that an item stands for, 0 for none, as traces have it.
pub(crate) fn line(index: &Index<'_>, graph: &Graph, item: Item) -> u64 {
    match item {
        Item::Inherited | Item::UnknownPredecessor | Item::Unresolved(_) => 0,
        Item::Gap(row) => index.line(row),
        Item::Node(node) | Item::Summary(node) | Item::UnknownReplacement(node) => index.line(node),
        Item::Retained(at) => {
            graph.resolve(index, index.retains[at as usize].target).map_or(0, |node| index.line(node))
        }
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
