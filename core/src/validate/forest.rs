//! The predecessors as a forest: whether a node is on the path that ends at another, in O(1).
//!
//! Each node gets an interval of numbers that contains those of all that come after it on some path. No walk
//! is needed for that, hence no recursion: path indexes increase along every path, so the nodes by path index
//! have each one behind its predecessor. Backwards, they tell the size of every interval, and forwards its
//! place. The paths of valid streams may lead from a later node to an earlier one (BF-7), which is why the
//! order of the stream would not do.
//!
//! Nodes whose path is a cycle are in no tree; [`cycles`] finds those.

#![expect(clippy::indexing_slicing, reason = "nodes are numbers that the graph handed out")]

use crate::graph::{Graph, Node, Predecessor};
use crate::index::NONE;

/// The nodes whose paths have a beginning.
pub(crate) struct Forest {
    /// Where the interval of each node begins.
    starts: Vec<u32>,
    /// How long it is: how many paths the node is on; 0 where its own is a cycle.
    sizes: Vec<u32>,
}

impl Forest {
    /// O(nodes log nodes), and O(nodes) where the order of the stream is that of the paths.
    pub(crate) fn of(graph: &Graph) -> Self {
        let bound = graph.bound();
        let mut order: Vec<Node> = graph.nodes().filter(|&node| graph.index(node).is_some()).collect();
        order.sort_by_key(|&node| graph.index(node));
        let mut sizes = vec![0; bound];
        for &node in order.iter().rev() {
            sizes[node as usize] += 1;
            if let Predecessor::Node(before) = graph.predecessor(node) {
                sizes[before as usize] += sizes[node as usize];
            }
        }
        let mut starts = vec![0; bound];
        // What is left of each interval, and of all numbers.
        let (mut rest, mut all) = (vec![0; bound], 0);
        for &node in &order {
            let free = match graph.predecessor(node) {
                Predecessor::Node(before) => &mut rest[before as usize],
                _ => &mut all,
            };
            let start = *free;
            *free += sizes[node as usize];
            starts[node as usize] = start;
            rest[node as usize] = start + 1;
        }
        Self { starts, sizes }
    }

    /// Whether a node is on the path that ends at a head, whose path is no cycle.
    pub(crate) fn is_on_path(&self, node: Node, head: Node) -> bool {
        self.starts[head as usize].wrapping_sub(self.starts[node as usize]) < self.sizes[node as usize]
    }
}

/// The cycles: of each the node that comes first, and how many nodes there are. O(nodes).
pub(crate) fn cycles(graph: &Graph) -> Vec<(Node, u32)> {
    let mut found = Vec::new();
    // From where each node was met first.
    let mut met_from = vec![NONE; graph.bound()];
    let predecessor = |node| match graph.predecessor(node) {
        Predecessor::Node(before) => Some(before),
        _ => None,
    };
    for start in graph.nodes().filter(|&node| graph.index(node).is_none()) {
        let mut met = Some(start);
        while let Some(node) = met.filter(|&node| met_from[node as usize] == NONE) {
            met_from[node as usize] = start;
            met = predecessor(node);
        }
        // A node that this very walk had met begins a cycle; any other belongs to one that is found already.
        let Some(twice) = met.filter(|&node| met_from[node as usize] == start) else { continue };
        let rest = std::iter::successors(predecessor(twice), |&node| predecessor(node));
        let (mut first, mut length) = (twice, 1);
        for node in rest.take_while(|&node| node != twice) {
            first = first.min(node);
            length += 1;
        }
        found.push((first, length));
    }
    found
}
