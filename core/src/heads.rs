//! Heads (ASR-363): where active paths end.

use crate::graph::{Graph, Node, Predecessor};
use crate::index::{Index, Ref};
use asr_spec::{HeadState, Heads, Json, RefStatus};

/// An element of session_info.heads.
#[derive(Clone, Debug)]
pub(crate) enum StatedHead {
    /// No head. In the first place: no default path.
    Null,
    Ref(Ref),
    /// Neither a string nor null: names nothing, and is printed as it was written (HD-7).
    Odd(Json),
}

/// What a head turns out to be.
pub(crate) enum Head {
    Start,
    Unknown,
    Node(Node),
    Unresolved { reference: Json, status: RefStatus },
}

/// The first effective head; none where it is null. O(1).
pub(crate) fn primary(index: &Index<'_>, graph: &Graph) -> Option<Head> {
    match index.heads.first() {
        None => Some(default(index, graph)),
        Some(head) => stated(index, graph, head),
    }
}

/// The head that a caller names by a record id. O(length of the id).
pub(crate) fn named(index: &Index<'_>, graph: &Graph, id: &str) -> Head {
    let node = match index.strings.find(id.as_bytes()) {
        Some(symbol) => graph.resolve(index, symbol),
        None => Err(RefStatus::Unresolved),
    };
    match node {
        Ok(node) => Head::Node(node),
        Err(status) => Head::Unresolved { reference: id.into(), status },
    }
}

/// The default head and all effective heads. O(heads).
pub(crate) fn all(index: &Index<'_>, graph: &Graph) -> Heads {
    let state = |head| match head {
        Head::Start => HeadState::Start,
        Head::Unknown => HeadState::Unknown,
        Head::Node(node) => HeadState::Node(graph.name(index, node)),
        Head::Unresolved { reference, status } => HeadState::Unresolved { reference, status },
    };
    let default = state(default(index, graph));
    let effective = match &*index.heads {
        [] => vec![Some(default.clone())],
        heads => heads.iter().map(|head| stated(index, graph, head).map(state)).collect(),
    };
    Heads { default, effective }
}

/// The default head. O(1).
pub(crate) fn default(index: &Index<'_>, graph: &Graph) -> Head {
    match graph.default_head() {
        Predecessor::Start => Head::Start,
        Predecessor::Unknown => Head::Unknown,
        Predecessor::Node(node) => Head::Node(node),
        Predecessor::Unresolved(at) => {
            let (reference, status) = graph.unresolved(index, at);
            Head::Unresolved { reference, status }
        }
    }
}

fn stated(index: &Index<'_>, graph: &Graph, head: &StatedHead) -> Option<Head> {
    Some(match head {
        StatedHead::Null => return None,
        StatedHead::Odd(reference) => {
            Head::Unresolved { reference: reference.clone(), status: RefStatus::Unresolved }
        }
        StatedHead::Ref(target) => match graph.resolve(index, *target) {
            Ok(node) => Head::Node(node),
            Err(status) => Head::Unresolved { reference: index.spelled(*target), status },
        },
    })
}
