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
use crate::steps::Steps;
use asr_spec::{Json, Name, RefStatus, Step};
use std::collections::{HashMap, HashSet};

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

/// Where the tip of the forward pass is from.
enum TipOf {
    Start,
    /// The first record of a node.
    First(Row),
    Rewind(Row),
}

/// What [`Graph::append`] changed, to be taken back.
pub(crate) struct Undo {
    unresolved: u32,
    default_head: u32,
    /// How many gaps no edge takes any more, the last of [`Graph::dropped`].
    dropped: u32,
    /// The latest revision so far of the node of which the row is a revision.
    latest: Row,
}

/// The record that a record supersedes. Only an earlier one of the same type can be superseded; without such a
/// one there is no link (NR-1, NR-2).
fn superseded(index: &Index<'_>, row: Row, kind: Kind) -> Option<Row> {
    let bearer = index.bearer(index.detail(row).supersedes).ok();
    bearer.filter(|&other| other < row && index.kinds[other as usize] == kind)
}

/// Lets pass the steps about some lines.
struct Only<'s, S> {
    abouts: HashSet<u64>,
    steps: &'s mut S,
}

impl<S: Steps> Steps for Only<'_, S> {
    const ARE_HEARD: bool = S::ARE_HEARD;

    fn tell(&mut self, step: Step, lines: impl FnOnce() -> (u64, u64)) {
        let lines = lines();
        if self.abouts.contains(&lines.0) {
            self.steps.tell(step, || lines);
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

    /// The gap markers on edges, in stream order: gap records and malformed lines. At the end those that no edge
    /// has taken yet.
    gaps: Vec<Row>,
    /// In a session, the gaps that rewinds and branches took off the edge to come.
    dropped: Vec<Row>,
    unresolved: Vec<Ref>,
    /// The nodes that are compactions, ascending.
    compactions: Vec<Node>,
    default_head: u32,
}

impl Graph {
    /// Builds the graph of a stream.
    pub(crate) fn build<S: Steps>(index: &Index<'_>, steps: &mut S) -> Self {
        let mut graph = Self::default();
        let (superseding_gaps, rewrites) = graph.chain(index, steps);
        graph.precede(index, &superseding_gaps, &rewrites, steps);
        graph.number(u32::from(index.inherits.is_some()));
        if S::ARE_HEARD {
            for node in 0..graph.nodes() as Node {
                steps.tell(Step::Nr4, || (graph.line(index, node), index.line(graph.latest(node))));
                steps.tell(Step::Nr8, || (graph.line(index, node), 0));
            }
        }
        graph
    }

    /// How the predecessors of nodes, given by their lines, came about, and the default head, given by 0: BF0 to
    /// IP4 once more. O(rows).
    pub(crate) fn explain(index: &Index<'_>, lines: impl Iterator<Item = u64>, steps: &mut impl Steps) {
        let abouts: HashSet<u64> = lines.collect();
        let mut graph = Self::default();
        let (superseding_gaps, rewrites) = graph.chain(index, &mut ());
        graph.precede(index, &superseding_gaps, &rewrites, &mut Only { abouts, steps });
    }

    /// The line of the first record of the chain, by which traces call a node.
    pub(crate) fn line(&self, index: &Index<'_>, node: Node) -> u64 {
        index.line(self.first(node))
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
        if start == end {
            // The rule, and a walk asks for every node.
            return &[];
        }
        self.gaps.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The zero-based position of a node in every path that contains it (NR8). None where its path is a
    /// cycle.
    pub(crate) fn index(&self, node: Node) -> Option<u32> {
        Some(self.indexes[node as usize]).filter(|&index| index != CYCLIC)
    }

    /// The nodes that are compactions, ascending.
    pub(crate) fn compactions(&self) -> &[Node] {
        &self.compactions
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

    pub(crate) fn resolve_told(
        &self,
        index: &Index<'_>,
        target: Ref,
        steps: &mut impl Steps,
    ) -> Result<Node, RefStatus> {
        let node = self.resolve(index, target);
        if let (Ok(node), Ok(row)) = (node, index.bearer(target)) {
            steps.tell(Step::Nr5, || (index.line(row), self.line(index, node)));
        }
        node
    }

    /// The ref of an unresolved predecessor.
    pub(crate) fn unresolved(&self, at: u32) -> Ref {
        self.unresolved[at as usize]
    }

    /// A ref that identifies no node: as it was written, and why.
    pub(crate) fn failed(&self, index: &Index<'_>, target: Ref) -> (Json, RefStatus) {
        let status = self.resolve(index, target).err();
        (index.spelled(target), status.unwrap_or(RefStatus::Unresolved))
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
    fn chain(&mut self, index: &Index<'_>, steps: &mut impl Steps) -> (Vec<Row>, Vec<(Node, Row)>) {
        self.node_of = vec![NONE; index.kinds.len()];
        let nodes = index.kinds.iter().filter(|kind| kind.is_context()).count();
        for column in [&mut self.firsts, &mut self.latests, &mut self.gap_ends] {
            column.reserve_exact(nodes);
        }
        self.predecessors.reserve_exact(nodes);
        let (mut gaps, mut rewrites) = (Vec::new(), Vec::new());
        for (row, &kind) in (0..).zip(&index.kinds) {
            if !kind.is_context() && kind != Kind::Gap {
                continue;
            }
            let superseded = superseded(index, row, kind);
            if kind == Kind::Gap {
                gaps.extend(superseded.map(|_| row));
                continue;
            }
            self.node_of[row as usize] = match superseded {
                Some(other) => {
                    let node = self.node_of[other as usize];
                    self.latests[node as usize] = row;
                    steps.tell(Step::Nr6, || (self.line(index, node), index.line(row)));
                    if index.detail(row).is_rewrite {
                        rewrites.push((node, row));
                        steps.tell(Step::Nr7, || (self.line(index, node), index.line(row)));
                    }
                    node
                }
                None => {
                    steps.tell(Step::Nr2, || (index.line(row), 0));
                    steps.tell(Step::Nr3, || (index.line(row), 0));
                    let node = self.firsts.len() as Node;
                    self.firsts.push(row);
                    self.latests.push(row);
                    if kind == Kind::Compaction {
                        self.compactions.push(node);
                    }
                    node
                }
            };
        }
        (gaps, rewrites)
    }

    fn precede<S: Steps>(
        &mut self,
        index: &Index<'_>,
        superseding_gaps: &[Row],
        rewrites: &[(Node, Row)],
        steps: &mut S,
    ) {
        // BF0: the branchesFrom of the latest marked rewrite counts, also where it has none (BF-1).
        let deciding: HashMap<Node, Row> = rewrites.iter().copied().collect();
        let mut superseding_gaps = superseding_gaps.iter().peekable();
        let mut tip = Predecessor::Start;
        let mut tip_of = TipOf::Start;
        // Gaps of the edge to come are pushed at once and taken back if no node takes them.
        let mut taken = 0;
        for (row, &kind) in (0..).zip(&index.kinds) {
            match kind {
                Kind::Message | Kind::ToolCall | Kind::ToolResult | Kind::Compaction => {
                    let node = self.node_of[row as usize];
                    if self.first(node) != row {
                        continue;
                    }
                    let about = || index.line(row);
                    let deciding = deciding.get(&node).copied().unwrap_or(row);
                    steps.tell(Step::Bf0, || (about(), index.line(deciding)));
                    let predecessor = match index.detail(deciding).target {
                        None => {
                            self.tell_scan(index, about, &tip_of, taken, steps);
                            tip
                        }
                        Some(target) => {
                            self.gaps.truncate(taken);
                            let predecessor = self.follow(index, target, steps);
                            match target {
                                Target::Ref(_) => {
                                    steps.tell(Step::Bf1, || (about(), self.line_of(index, predecessor)));
                                }
                                Target::Start => steps.tell(Step::Bf2, || (about(), 0)),
                                Target::Unknown => steps.tell(Step::Bf3, || (about(), 0)),
                            }
                            predecessor
                        }
                    };
                    taken = self.gaps.len();
                    self.predecessors.push(Packed::pack(predecessor));
                    self.gap_ends.push(taken as u32);
                    (tip, tip_of) = (Predecessor::Node(node), TipOf::First(row));
                }
                Kind::Rewind => {
                    self.gaps.truncate(taken);
                    tip = self.follow(index, index.detail(row).target.unwrap_or(Target::Unknown), steps);
                    tip_of = TipOf::Rewind(row);
                }
                Kind::Gap if superseding_gaps.next_if_eq(&&row).is_some() => {}
                Kind::Gap | Kind::Malformed => self.gaps.push(row),
                Kind::SessionInfo | Kind::Audit => {}
            }
        }
        self.tell_scan(index, || 0, &tip_of, taken, steps);
        // Gaps at the end of the stream lie on no edge (HD-5), but may come to.
        self.default_head = Packed::pack(tip).0;
    }

    /// Adds the last row, which must change nothing about those before: a marked rewrite does, and what some ref
    /// has been waiting for. O(1), besides the search for the nodes that its refs name.
    pub(crate) fn append(&mut self, index: &Index<'_>) -> Undo {
        let row = self.node_of.len() as Row;
        let kind = index.kinds[row as usize];
        self.node_of.push(NONE);
        let unresolved = self.unresolved.len() as u32;
        let mut undo = Undo { unresolved, default_head: self.default_head, dropped: 0, latest: NONE };
        let detail = index.detail(row);
        match kind {
            Kind::Message | Kind::ToolCall | Kind::ToolResult | Kind::Compaction => {
                if let Some(other) = superseded(index, row, kind) {
                    let node = self.node_of[other as usize];
                    self.node_of[row as usize] = node;
                    undo.latest = self.latest(node);
                    self.latests[node as usize] = row;
                    return undo;
                }
                let node = self.firsts.len() as Node;
                self.node_of[row as usize] = node;
                self.firsts.push(row);
                self.latests.push(row);
                if kind == Kind::Compaction {
                    self.compactions.push(node);
                }
                if let Some(target) = detail.target {
                    undo.dropped = self.drop_gaps();
                    self.default_head = Packed::pack(self.follow(index, target, &mut ())).0;
                }
                self.predecessors.push(Packed(self.default_head));
                self.gap_ends.push(self.gaps.len() as u32);
                let markers = u32::from(index.inherits.is_some());
                let before = match Packed(self.default_head).unpack() {
                    Predecessor::Start => Some(markers),
                    Predecessor::Unknown | Predecessor::Unresolved(_) => Some(markers + 1),
                    // Only a node that precedes itself has none yet.
                    Predecessor::Node(before) if before == node => None,
                    Predecessor::Node(before) => self.index(before).map(|index| index + 1),
                };
                let gaps = self.gaps(node).len() as u32;
                self.indexes.push(before.map_or(CYCLIC, |before| before + gaps));
                self.default_head = node;
            }
            Kind::Rewind => {
                undo.dropped = self.drop_gaps();
                let target = self.follow(index, detail.target.unwrap_or(Target::Unknown), &mut ());
                self.default_head = Packed::pack(target).0;
            }
            Kind::Gap if superseded(index, row, kind).is_some() => {}
            Kind::Gap | Kind::Malformed => self.gaps.push(row),
            Kind::SessionInfo | Kind::Audit => {}
        }
        undo
    }

    /// Takes the last row back.
    pub(crate) fn pop(&mut self, undo: Undo) {
        let Undo { unresolved, default_head, dropped, latest } = undo;
        let row = self.node_of.len().saturating_sub(1) as Row;
        let node = self.node_of.pop();
        let node = node.filter(|&node| node != NONE);
        if let (Some(node), true) = (node, latest != NONE) {
            self.latests[node as usize] = latest;
        } else if let Some(node) = node {
            self.firsts.pop();
            self.latests.pop();
            self.predecessors.pop();
            self.gap_ends.pop();
            self.indexes.pop();
            self.compactions.pop_if(|compaction| *compaction == node);
        }
        self.gaps.pop_if(|gap| *gap == row);
        let kept = self.dropped.len().saturating_sub(dropped as usize);
        self.gaps.extend(self.dropped.drain(kept..));
        self.unresolved.truncate(unresolved as usize);
        self.default_head = default_head;
    }

    /// Takes the gaps that no edge has taken off the edge to come, and returns how many there are.
    fn drop_gaps(&mut self) -> u32 {
        let taken = self.gap_ends.last().map_or(0, |&end| end as usize);
        let before = self.dropped.len();
        self.dropped.extend(self.gaps.drain(taken..));
        (self.dropped.len() - before) as u32
    }

    /// What the scan of the chapter does backwards from here: it passes the gaps that no edge has taken yet,
    /// and stops where the tip is from.
    fn tell_scan<S: Steps>(
        &self,
        index: &Index<'_>,
        about: impl Fn() -> u64,
        tip_of: &TipOf,
        taken: usize,
        steps: &mut S,
    ) {
        if !S::ARE_HEARD {
            return;
        }
        for &gap in self.gaps.iter().skip(taken).rev() {
            steps.tell(Step::Ip3, || (about(), index.line(gap)));
        }
        match *tip_of {
            TipOf::Start => steps.tell(Step::Ip4, || (about(), 0)),
            TipOf::First(row) => steps.tell(Step::Ip1, || (about(), index.line(row))),
            TipOf::Rewind(row) => steps.tell(Step::Ip2, || (about(), index.line(row))),
        }
    }

    fn line_of(&self, index: &Index<'_>, predecessor: Predecessor) -> u64 {
        match predecessor {
            Predecessor::Node(node) => self.line(index, node),
            Predecessor::Start | Predecessor::Unknown | Predecessor::Unresolved(_) => 0,
        }
    }

    fn follow(&mut self, index: &Index<'_>, target: Target, steps: &mut impl Steps) -> Predecessor {
        match target {
            Target::Start => Predecessor::Start,
            Target::Unknown => Predecessor::Unknown,
            Target::Ref(target) => match self.resolve_told(index, target, steps) {
                Ok(node) => Predecessor::Node(node),
                Err(_) => {
                    self.unresolved.push(target);
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
