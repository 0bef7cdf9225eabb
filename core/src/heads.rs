//! Heads (ASR-363): where active paths end.

use crate::graph::{Graph, Node, Predecessor};
use crate::index::Index;
use crate::steps::Steps;
use asr_spec::{HeadState, Heads, Json, RefStatus, Step};

/// What a head turns out to be.
pub(crate) enum Head {
    Start,
    Unknown,
    Node(Node),
    Unresolved { reference: Json, status: RefStatus },
}

/// The first effective head; none where it is null. O(1).
pub(crate) fn primary<S: Steps>(index: &Index<'_>, graph: &Graph, steps: &mut S) -> Option<Head> {
    let head = match index.heads.first() {
        None => {
            steps.tell(Step::Hd1, || (0, 0));
            if S::ARE_HEARD {
                Graph::explain(index, [0].into_iter(), steps);
            }
            Some(default(index, graph))
        }
        Some(head) => {
            steps.tell(Step::Hd2, || (0, 0));
            stated(index, graph, head, steps)
        }
    };
    steps.tell(Step::Hd3, || (0, 0));
    match head {
        None => steps.tell(Step::Hd4, || (0, 0)),
        Some(Head::Unresolved { .. } | Head::Unknown) => steps.tell(Step::Hd5, || (0, 0)),
        Some(Head::Start | Head::Node(_)) => {}
    }
    head
}

/// The head that a caller names by a record id. O(length of the id).
pub(crate) fn named(index: &Index<'_>, graph: &Graph, id: &str, steps: &mut impl Steps) -> Head {
    let node = match index.find(id.as_bytes()) {
        Some(symbol) => graph.resolve_told(index, symbol, steps),
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
        heads => heads.iter().map(|head| stated(index, graph, head, &mut ()).map(state)).collect(),
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
            let (reference, status) = graph.failed(index, graph.unresolved(at));
            Head::Unresolved { reference, status }
        }
    }
}

fn stated(index: &Index<'_>, graph: &Graph, head: &Json, steps: &mut impl Steps) -> Option<Head> {
    match head {
        Json::Null => None,
        Json::String(id) => Some(named(index, graph, id, steps)),
        // Neither a string nor null: names nothing, and is printed as it was written (HD-7).
        odd => Some(Head::Unresolved { reference: odd.clone(), status: RefStatus::Unresolved }),
    }
}
