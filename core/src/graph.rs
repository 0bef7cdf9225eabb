//! The graph: which records form a node, and which node precedes which.
//!
//! Two forward passes over the rows. The first builds the chains, since a ref may name a later record. The
//! second carries what the backward scan of the chapter would find at each place (the last node or rewind
//! target, and the gaps since), which turns a scan per node into an assignment. A third step numbers each
//! node by its path index, which is the same on every path through it (I-22), so that whether a node is on a
//! path is one comparison later on.
//!
//! Cycles need a marked rewrite or a ref to a later record: without those a predecessor is a lower number.
//! O(rows) time and space in all.

#![expect(clippy::indexing_slicing, reason = "rows and nodes are numbers that these tables handed out")]

use crate::index::{Index, Kind, NONE, Ref, Row, Target};
use asr_spec::{Json, Name, RefStatus};

/// A node, by its place in stream order.
pub(crate) type Node = u32;

/// What precedes a node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Predecessor {
    Start,
    Unknown,
    /// A place in [`Graph::unresolved`].
    Unresolved(u32),
    Node(Node),
}

/// A [`Predecessor`] in four bytes. There are at most [`MAX_ROWS`](crate::index::MAX_ROWS) nodes.
#[derive(Clone, Copy)]
struct Packed(u32);

impl Packed {
    const START: u32 = u32::MAX;
    const UNKNOWN: u32 = u32::MAX - 1;
    const UNRESOLVED: u32 = 1 << 31;

    fn pack(predecessor: Predecessor) -> Self {
        Self(match predecessor {
            Predecessor::Start => Self::START,
            Predecessor::Unknown => Self::UNKNOWN,
            Predecessor::Unresolved(at) => Self::UNRESOLVED | at,
            Predecessor::Node(node) => node,
        })
    }

    fn unpack(self) -> Predecessor {
        match self.0 {
            Self::START => Predecessor::Start,
            Self::UNKNOWN => Predecessor::Unknown,
            at if at & Self::UNRESOLVED != 0 => Predecessor::Unresolved(at & !Self::UNRESOLVED),
            node => Predecessor::Node(node),
        }
    }
}

/// The path index of a node from which the predecessors run into a cycle.
const CYCLIC: u32 = NONE;

/// Nodes and their predecessors.
#[derive(Default)]
pub(crate) struct Graph {
    /// One element per row: the node that contains the record.
    node_of: Vec<Node>,

    // One element per node.
    /// The first record of the chain.
    firsts: Vec<Row>,
    /// The latest revision.
    latests: Vec<Row>,
    predecessors: Vec<Packed>,
    /// Where the gaps of the edge into the node end; they begin where those of the node before it end.
    gap_ends: Vec<u32>,
    /// The path index.
    indexes: Vec<u32>,

    /// The gap markers on edges, in stream order: gap records and malformed lines.
    gaps: Vec<Row>,
    unresolved: Vec<(Ref, RefStatus)>,
    default_head: u32,
}

impl Graph {
    /// Builds the graph of a stream.
    pub(crate) fn build(index: &Index<'_>) -> Self {
        let mut graph = Self::default();
        let (superseding_gaps, rewrites) = graph.chain(index);
        graph.precede(index, &superseding_gaps, &rewrites);
        graph.number(u32::from(index.inherits.is_some()));
        graph
    }

    pub(crate) fn nodes(&self) -> usize {
        self.firsts.len()
    }

    /// The first record of the chain of a node.
    pub(crate) fn first(&self, node: Node) -> Row {
        self.firsts[node as usize]
    }

    /// The latest revision of a node.
    pub(crate) fn latest(&self, node: Node) -> Row {
        self.latests[node as usize]
    }

    pub(crate) fn predecessor(&self, node: Node) -> Predecessor {
        self.predecessors[node as usize].unpack()
    }

    /// The gap markers on the edge into a node, in order.
    pub(crate) fn gaps(&self, node: Node) -> &[Row] {
        let end = self.gap_ends[node as usize];
        let start = node.checked_sub(1).map_or(0, |before| self.gap_ends[before as usize]);
        self.gaps.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The zero-based position of a node in every path that contains it (NR8). None where its path is a
    /// cycle.
    pub(crate) fn index(&self, node: Node) -> Option<u32> {
        Some(self.indexes[node as usize]).filter(|&index| index != CYCLIC)
    }

    /// The predecessor that a record appended now would have.
    pub(crate) fn default_head(&self) -> Predecessor {
        Packed(self.default_head).unpack()
    }

    /// The node that contains the record that a ref names (NR5). It does not matter whether that is a later
    /// one.
    pub(crate) fn resolve(&self, index: &Index<'_>, target: Ref) -> Result<Node, RefStatus> {
        self.node(index.bearer(target)?).ok_or(RefStatus::WrongType)
    }

    /// The ref of an unresolved predecessor, as it was written.
    pub(crate) fn unresolved(&self, index: &Index<'_>, at: u32) -> (Json, RefStatus) {
        let (target, status) = self.unresolved[at as usize];
        (index.spelled(target), status)
    }

    /// The first record's id.
    pub(crate) fn name(&self, index: &Index<'_>, node: Node) -> Name {
        index.name(self.first(node))
    }

    /// The latest revision's id, where it is another record.
    pub(crate) fn revision(&self, index: &Index<'_>, node: Node) -> Option<Name> {
        let latest = self.latest(node);
        (latest != self.first(node)).then(|| index.name(latest))
    }

    /// The node that contains a record; none where it is audit-only.
    pub(crate) fn node(&self, row: Row) -> Option<Node> {
        Some(self.node_of[row as usize]).filter(|&node| node != NONE)
    }

    /// Whether a record is the latest revision of its node.
    pub(crate) fn is_latest(&self, row: Row) -> bool {
        self.node(row).is_some_and(|node| self.latest(node) == row)
    }

    /// Builds the chains. Returns which gap records supersede another (ascending), and the latest marked
    /// rewrite of each node that has one (in the order of the rewrites).
    fn chain(&mut self, index: &Index<'_>) -> (Vec<Row>, Vec<(Node, Row)>) {
        self.node_of = vec![NONE; index.kinds.len()];
        let (mut gaps, mut rewrites) = (Vec::new(), Vec::new());
        for (row, &kind) in (0..).zip(&index.kinds) {
            if !kind.is_context() && kind != Kind::Gap {
                continue;
            }
            let detail = index.detail(row);
            // Only an earlier record of the same type can be superseded; without such a one there is no link
            // (NR-1, NR-2).
            let bearer = index.bearer(detail.supersedes).ok();
            let superseded = bearer.filter(|&other| other < row && index.kinds[other as usize] == kind);
            if kind == Kind::Gap {
                gaps.extend(superseded.map(|_| row));
                continue;
            }
            self.node_of[row as usize] = match superseded {
                Some(other) => {
                    let node = self.node_of[other as usize];
                    self.latests[node as usize] = row;
                    if detail.is_rewrite {
                        rewrites.push((node, row));
                    }
                    node
                }
                None => {
                    self.firsts.push(row);
                    self.latests.push(row);
                    self.firsts.len() as Node - 1
                }
            };
        }
        (gaps, rewrites)
    }

    fn precede(&mut self, index: &Index<'_>, superseding_gaps: &[Row], rewrites: &[(Node, Row)]) {
        // BF0: the branchesFrom of the latest marked rewrite counts, also where it has none (BF-1).
        let mut deciding = self.firsts.clone();
        for &(node, row) in rewrites {
            deciding[node as usize] = row;
        }
        let mut superseding_gaps = superseding_gaps.iter().peekable();
        let mut tip = Predecessor::Start;
        // Gaps of the edge to come are pushed at once and taken back if no node takes them.
        let mut taken = 0;
        for (row, &kind) in (0..).zip(&index.kinds) {
            match kind {
                Kind::Message | Kind::ToolCall | Kind::ToolResult | Kind::Compaction => {
                    let node = self.node_of[row as usize];
                    if self.first(node) != row {
                        continue;
                    }
                    let predecessor = match index.detail(deciding[node as usize]).target {
                        None => tip,
                        Some(target) => {
                            self.gaps.truncate(taken);
                            self.follow(index, target)
                        }
                    };
                    taken = self.gaps.len();
                    self.predecessors.push(Packed::pack(predecessor));
                    self.gap_ends.push(taken as u32);
                    tip = Predecessor::Node(node);
                }
                Kind::Rewind => {
                    self.gaps.truncate(taken);
                    tip = self.follow(index, index.detail(row).target.unwrap_or(Target::Unknown));
                }
                Kind::Gap if superseding_gaps.next_if_eq(&&row).is_some() => {}
                Kind::Gap | Kind::Malformed => self.gaps.push(row),
                Kind::SessionInfo | Kind::Audit => {}
            }
        }
        // Gaps at the end of the stream lie on no edge (HD-5).
        self.gaps.truncate(taken);
        self.default_head = Packed::pack(tip).0;
    }

    fn follow(&mut self, index: &Index<'_>, target: Target) -> Predecessor {
        match target {
            Target::Start => Predecessor::Start,
            Target::Unknown => Predecessor::Unknown,
            Target::Ref(target) => match self.resolve(index, target) {
                Ok(node) => Predecessor::Node(node),
                Err(status) => {
                    self.unresolved.push((target, status));
                    // There is at most one per row.
                    Predecessor::Unresolved(self.unresolved.len() as u32 - 1)
                }
            },
        }
    }

    /// Numbers the nodes along their paths, which begin with `markers` inherited-context markers.
    fn number(&mut self, markers: u32) {
        const UNSEEN: u32 = CYCLIC - 1;
        const ON_WAY: u32 = CYCLIC - 2;
        self.indexes = vec![UNSEEN; self.nodes()];
        let mut way = Vec::new();
        for node in 0..self.nodes() as Node {
            // Go back to what is numbered already. Most nodes have it right before them.
            let mut at = node;
            let mut next = loop {
                match self.indexes[at as usize] {
                    UNSEEN => {}
                    ON_WAY | CYCLIC => break None,
                    index => break Some(index + 1),
                }
                self.indexes[at as usize] = ON_WAY;
                way.push(at);
                match self.predecessor(at) {
                    Predecessor::Node(before) => at = before,
                    Predecessor::Start => break Some(markers),
                    Predecessor::Unknown | Predecessor::Unresolved(_) => break Some(markers + 1),
                }
            };
            while let Some(at) = way.pop() {
                let index = next.map(|next| next + self.gaps(at).len() as u32);
                self.indexes[at as usize] = index.unwrap_or(CYCLIC);
                next = index.map(|index| index + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests;
