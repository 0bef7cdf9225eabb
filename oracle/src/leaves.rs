//! Leaves: "A head is a leaf from which an active path is followed."

use crate::active_path::{Item, active_path};
use crate::predecessor::{Predecessor, edge};
use crate::stream::{NodeId, Stream};

/// The nodes that are no node's predecessor. Those whose paths begin with the same nodes stand together: they are
/// ordered by their paths, node by node from the first, and nodes by their position. Those whose path is a cycle come
/// last, by their position.
pub(crate) fn leaves(stream: &Stream) -> Vec<NodeId> {
    let nodes = || (0..stream.nodes.len()).map(NodeId);
    let predecessors: Vec<_> = nodes().map(|node| edge(stream, node, &mut ()).predecessor).collect();
    let mut leaves: Vec<_> =
        nodes().filter(|node| !predecessors.contains(&Predecessor::Node(*node))).collect();
    leaves.sort_by_cached_key(|&leaf| match active_path(stream, &Predecessor::Node(leaf), &mut ()) {
        Ok(path) => {
            let nodes = path.into_iter().filter_map(|item| match item {
                Item::Node(node) => Some(node),
                Item::Gap(_) | Item::UnknownPredecessor | Item::Unresolved { .. } | Item::Inherited => None,
            });
            (false, nodes.collect::<Vec<_>>())
        }
        Err(_) => (true, vec![leaf]),
    });
    leaves
}
