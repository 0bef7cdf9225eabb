//! The graph: which records form a node, and which node precedes which.
//!
//! A node is called by the row of its first record, so that most rows need no table to be a node. Revisions are rare and
//! come first, since a ref may name a later record. Then one forward pass carries what the backward scan of the chapter
//! would find at each place (the last node or rewind target, and the gaps since), which turns a scan per node into an
//! assignment. It also numbers each node by its path index, which is the same on every path through it (I-22), so that
//! whether a node is on a path is one comparison later on.
//!
//! Cycles, and nodes that are numbered only in the end, need a marked rewrite or a ref to a later record: without those a
//! predecessor is a lower number. O(rows) time and space in all; O(log n) more for each row with details.

#![expect(clippy::indexing_slicing, reason = "rows and nodes are numbers that these tables handed out")]

use crate::index::{Index, Kind, NONE, Ref, Row, Target};
use crate::steps::Steps;
use asr_spec::{Json, Name, RefStatus, Step};
use std::collections::{HashMap, HashSet};

/// A node, by the row of the first record of its chain.
pub(crate) type Node = Row;

/// What precedes a node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Predecessor {
    Start,
    Unknown,
    /// A place in [`Graph::unresolved`].
    Unresolved(u32),
    Node(Node),
}

/// A [`Predecessor`] in four bytes. There are at most [`MAX_ROWS`](crate::limits::MAX_ROWS) rows.
#[derive(Clone, Copy, Eq, PartialEq)]
struct Packed(u32);

impl Packed {
    const START: u32 = u32::MAX;
    const UNKNOWN: u32 = u32::MAX - 1;
    /// What a row has that is no node.
    const NO_NODE: Self = Self(u32::MAX - 2);
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

/// How far a graph had come, to take it back to that.
pub(crate) struct Mark {
    rows: usize,
    unresolved: usize,
    dropped: usize,
    revised: usize,
    default_head: u32,
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

/// The path index of a node that has none yet.
const UNSEEN: u32 = CYCLIC - 1;

/// Nodes and their predecessors.
#[derive(Default)]
pub(crate) struct Graph {
    // One element per row.
    predecessors: Vec<Packed>,
    /// The path index.
    indexes: Vec<u32>,
    /// Of a node its latest revision, of a revision its node. Empty if there are no revisions, and the row itself where
    /// there are none of it.
    chains: Vec<Row>,
    /// Where the gaps of the edge into the node end; they begin where those of the row before it end. Empty if no edge
    /// has gaps.
    gap_ends: Vec<u32>,

    /// The gap markers on edges, in stream order: gap records and malformed lines. At the end those that no edge
    /// has taken yet.
    gaps: Vec<Row>,
    /// In a session, the gaps that rewinds and branches took off the edge to come.
    dropped: Vec<Row>,
    /// In a session, the nodes that were revised, and what was their latest revision before.
    revised: Vec<(Node, Row)>,
    unresolved: Vec<Ref>,
    /// The nodes that are compactions, ascending.
    compactions: Vec<Node>,
    default_head: u32,
}

impl Graph {
    /// Builds the graph of a stream.
    pub(crate) fn build<S: Steps>(index: &Index<'_>, steps: &mut S) -> Self {
        let mut graph = Self::default();
        let rewrites = graph.chain(index, steps);
        if graph.precede(index, &rewrites, steps) {
            graph.number();
        }
        if S::ARE_HEARD {
            for node in graph.nodes() {
                steps.tell(Step::Nr4, || (index.line(node), index.line(graph.latest(node))));
                steps.tell(Step::Nr8, || (index.line(node), 0));
            }
        }
        graph
    }

    /// How the predecessors of nodes, given by their lines, came about, and the default head, given by 0: BF0 to
    /// IP4 once more. O(rows).
    pub(crate) fn explain(index: &Index<'_>, lines: impl Iterator<Item = u64>, steps: &mut impl Steps) {
        let abouts: HashSet<u64> = lines.collect();
        let mut graph = Self::default();
        let rewrites = graph.chain(index, &mut ());
        graph.precede(index, &rewrites, &mut Only { abouts, steps });
    }

    /// The nodes, in stream order. O(rows) for all.
    pub(crate) fn nodes(&self) -> impl DoubleEndedIterator<Item = Node> {
        (0..self.bound() as Node).filter(|&row| self.is_node(row))
    }

    /// No node has this number or one above.
    pub(crate) fn bound(&self) -> usize {
        self.predecessors.len()
    }

    /// Whether a row is the first record of a chain.
    pub(crate) fn is_node(&self, row: Row) -> bool {
        self.predecessors[row as usize] != Packed::NO_NODE
    }

    /// The latest revision of a node.
    pub(crate) fn latest(&self, node: Node) -> Row {
        self.chains.get(node as usize).copied().unwrap_or(node)
    }

    pub(crate) fn predecessor(&self, node: Node) -> Predecessor {
        self.predecessors[node as usize].unpack()
    }

    /// The gap markers on the edge into a node, in order.
    pub(crate) fn gaps(&self, node: Node) -> &[Row] {
        let Some(&end) = self.gap_ends.get(node as usize) else { return &[] };
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
        let row = index.bearer(target)?;
        // Which rows are nodes is not known yet while predecessors are looked for.
        if index.is_context(row) {
            Ok(self.node_revised_by(row).unwrap_or(row))
        } else {
            Err(RefStatus::WrongType)
        }
    }

    pub(crate) fn resolve_told(
        &self,
        index: &Index<'_>,
        target: Ref,
        steps: &mut impl Steps,
    ) -> Result<Node, RefStatus> {
        let node = self.resolve(index, target);
        if let (Ok(node), Ok(row)) = (node, index.bearer(target)) {
            steps.tell(Step::Nr5, || (index.line(row), index.line(node)));
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
        index.name(node)
    }

    /// The latest revision's id, where it is another record.
    pub(crate) fn revision(&self, index: &Index<'_>, node: Node) -> Option<Name> {
        let latest = self.latest(node);
        (latest != node).then(|| index.name(latest))
    }

    /// The node that contains a record; none where it is audit-only.
    pub(crate) fn node(&self, row: Row) -> Option<Node> {
        if self.is_node(row) { Some(row) } else { self.node_revised_by(row) }
    }

    /// The node of which a record is a revision.
    fn node_revised_by(&self, row: Row) -> Option<Node> {
        self.chains.get(row as usize).copied().filter(|&node| node < row)
    }

    /// Whether a record is the latest revision of its node.
    pub(crate) fn is_latest(&self, row: Row) -> bool {
        self.node(row).is_some_and(|node| self.latest(node) == row)
    }

    /// Makes one of so many rows a revision of the node that another row belongs to. Returns that node, and what was
    /// its latest revision before.
    fn revise(&mut self, rows: u32, other: Row, row: Row) -> (Node, Row) {
        if self.chains.is_empty() {
            self.chains = (0..rows).collect();
        }
        let node = self.node_revised_by(other).unwrap_or(other);
        self.chains[row as usize] = node;
        (node, std::mem::replace(&mut self.chains[node as usize], row))
    }

    /// Builds the chains, for which only rows with details matter. Returns the latest marked rewrite of each node that
    /// has one.
    fn chain<S: Steps>(&mut self, index: &Index<'_>, steps: &mut S) -> HashMap<Node, Row> {
        let mut rewrites = HashMap::new();
        for (row, detail) in index.details() {
            let kind = index.kinds[row as usize];
            if !kind.is_context() {
                continue;
            }
            if let Some(other) = superseded(index, row, kind) {
                let (node, _) = self.revise(index.rows(), other, row);
                if detail.is_rewrite {
                    rewrites.insert(node, row);
                }
            }
        }
        if S::ARE_HEARD {
            for row in (0..index.rows()).filter(|&row| index.is_context(row)) {
                if let Some(node) = self.node_revised_by(row) {
                    steps.tell(Step::Nr6, || (index.line(node), index.line(row)));
                    if index.detail(row).is_rewrite {
                        steps.tell(Step::Nr7, || (index.line(node), index.line(row)));
                    }
                } else {
                    steps.tell(Step::Nr2, || (index.line(row), 0));
                    steps.tell(Step::Nr3, || (index.line(row), 0));
                }
            }
        }
        rewrites
    }

    /// Finds the predecessors, and the path indexes of all nodes behind those that have one. Returns whether some are
    /// left without.
    fn precede<S: Steps>(&mut self, index: &Index<'_>, rewrites: &HashMap<Node, Row>, steps: &mut S) -> bool {
        self.predecessors = vec![Packed::NO_NODE; index.kinds.len()];
        self.indexes = vec![CYCLIC; index.kinds.len()];
        let markers = markers(index);
        let mut is_any_unseen = false;
        // The tip, and the path index of what comes right behind it.
        let (mut tip, mut next) = (Packed(Packed::START), markers);
        let mut tip_of = TipOf::Start;
        // Gaps of the edge to come are pushed at once and taken back if no node takes them.
        let mut taken = 0;
        for (row, &kind) in (0..).zip(&index.kinds) {
            match kind {
                // One branch for what most rows are, since none foresees which of the four.
                kind if kind.is_context() => {
                    if self.node_revised_by(row).is_some() {
                        continue;
                    }
                    let about = || index.line(row);
                    // BF0: the branchesFrom of the latest marked rewrite counts, also where it has none (BF-1).
                    let deciding = match rewrites.is_empty() {
                        true => row,
                        false => rewrites.get(&row).copied().unwrap_or(row),
                    };
                    steps.tell(Step::Bf0, || (about(), index.line(deciding)));
                    match index.detail(deciding).target {
                        None => self.tell_scan(index, about, &tip_of, taken, steps),
                        Some(target) => {
                            self.gaps.truncate(taken);
                            let before = self.follow(index, target, steps);
                            (tip, next) = (Packed::pack(before), self.behind(before, markers));
                            match target {
                                Target::Ref(_) => steps.tell(Step::Bf1, || (about(), line_of(index, before))),
                                Target::Start => steps.tell(Step::Bf2, || (about(), 0)),
                                Target::Unknown => steps.tell(Step::Bf3, || (about(), 0)),
                            }
                        }
                    }
                    self.predecessors[row as usize] = tip;
                    let gaps = self.gaps.len() - taken;
                    if gaps > 0 {
                        self.gap_ends.resize(row as usize, taken as u32);
                        taken += gaps;
                        self.gap_ends.push(taken as u32);
                    }
                    if next == UNSEEN {
                        is_any_unseen = true;
                        self.indexes[row as usize] = UNSEEN;
                    } else {
                        self.indexes[row as usize] = next + gaps as u32;
                        next += gaps as u32 + 1;
                    }
                    if kind == Kind::Compaction {
                        self.compactions.push(row);
                    }
                    (tip, tip_of) = (Packed(row), TipOf::First(row));
                }
                Kind::Rewind => {
                    self.gaps.truncate(taken);
                    let target = index.detail(row).target.unwrap_or(Target::Unknown);
                    let before = self.follow(index, target, steps);
                    (tip, next) = (Packed::pack(before), self.behind(before, markers));
                    tip_of = TipOf::Rewind(row);
                }
                Kind::Gap if superseded(index, row, kind).is_some() => {}
                Kind::Gap | Kind::Malformed => self.gaps.push(row),
                // What is audit-only.
                _ => {}
            }
        }
        if taken > 0 {
            self.gap_ends.resize(self.predecessors.len(), taken as u32);
        }
        self.tell_scan(index, || 0, &tip_of, taken, steps);
        // Gaps at the end of the stream lie on no edge (HD-5), but may come to.
        self.default_head = tip.0;
        is_any_unseen
    }

    /// The path index of what comes right behind a predecessor; [`UNSEEN`] if that has none, or none yet.
    fn behind(&self, predecessor: Predecessor, markers: u32) -> u32 {
        match predecessor {
            Predecessor::Start => markers,
            Predecessor::Unknown | Predecessor::Unresolved(_) => markers + 1,
            Predecessor::Node(before) => match self.indexes[before as usize] {
                UNSEEN | CYCLIC => UNSEEN,
                index => index + 1,
            },
        }
    }

    /// Adds the last row, which must change nothing about those before: a marked rewrite does, and what some ref
    /// has been waiting for. O(1), besides the search for the nodes that its refs name.
    pub(crate) fn append(&mut self, index: &Index<'_>) {
        let row = self.predecessors.len() as Row;
        let kind = index.kinds[row as usize];
        let taken = self.taken();
        self.predecessors.push(Packed::NO_NODE);
        self.indexes.push(CYCLIC);
        if !self.chains.is_empty() {
            self.chains.push(row);
        }
        match kind {
            Kind::Message | Kind::ToolCall | Kind::ToolResult | Kind::Compaction => {
                if let Some(other) = superseded(index, row, kind) {
                    let noted = self.revise(row + 1, other, row);
                    self.revised.push(noted);
                } else {
                    if kind == Kind::Compaction {
                        self.compactions.push(row);
                    }
                    if let Some(target) = index.detail(row).target {
                        self.dropped.extend(self.gaps.drain(taken as usize..));
                        self.default_head = Packed::pack(self.follow(index, target, &mut ())).0;
                    }
                    let gaps = self.gaps.len() as u32 - taken;
                    let before = Packed(self.default_head);
                    self.predecessors[row as usize] = before;
                    self.indexes[row as usize] = match self.behind(before.unpack(), markers(index)) {
                        // Only a node that precedes itself, or comes behind a cycle, has no path index.
                        UNSEEN => CYCLIC,
                        index => index + gaps,
                    };
                    self.default_head = row;
                }
            }
            Kind::Rewind => {
                self.dropped.extend(self.gaps.drain(taken as usize..));
                let target = index.detail(row).target.unwrap_or(Target::Unknown);
                self.default_head = Packed::pack(self.follow(index, target, &mut ())).0;
            }
            Kind::Gap if superseded(index, row, kind).is_some() => {}
            Kind::Gap | Kind::Malformed => self.gaps.push(row),
            Kind::SessionInfo | Kind::Audit => {}
        }
        let taken = if self.is_node(row) { self.gaps.len() as u32 } else { taken };
        if taken > 0 || !self.gap_ends.is_empty() {
            self.gap_ends.resize(row as usize, 0);
            self.gap_ends.push(taken);
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            rows: self.bound(),
            unresolved: self.unresolved.len(),
            dropped: self.dropped.len(),
            revised: self.revised.len(),
            default_head: self.default_head,
        }
    }

    /// Takes the rows since a mark back.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        let &Mark { rows, unresolved, dropped, revised, default_head } = mark;
        for (node, latest) in self.revised.drain(revised..).rev() {
            self.chains[node as usize] = latest;
        }
        self.predecessors.truncate(rows);
        self.indexes.truncate(rows);
        self.chains.truncate(rows);
        self.gap_ends.truncate(rows);
        // All of these ascend.
        let is_later = |row: &mut Row| *row as usize >= rows;
        while self.compactions.pop_if(is_later).is_some() {}
        while self.gaps.pop_if(is_later).is_some() {}
        self.gaps.extend(self.dropped.drain(dropped..).filter(|&row| (row as usize) < rows));
        self.unresolved.truncate(unresolved);
        self.default_head = default_head;
    }

    /// How many gaps the edges so far take.
    fn taken(&self) -> u32 {
        self.gap_ends.last().copied().unwrap_or(0)
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

    /// Numbers the nodes that have no path index yet, along their paths. A node at which a path begins has one.
    fn number(&mut self) {
        const ON_WAY: u32 = UNSEEN - 1;
        let mut way = Vec::new();
        for row in 0..self.bound() as Row {
            // Go back to what is numbered already.
            let mut at = row;
            let mut next = loop {
                match self.indexes[at as usize] {
                    UNSEEN => {}
                    ON_WAY | CYCLIC => break None,
                    index => break Some(index + 1),
                }
                self.indexes[at as usize] = ON_WAY;
                way.push(at);
                let Predecessor::Node(before) = self.predecessor(at) else { break None };
                at = before;
            };
            while let Some(at) = way.pop() {
                let index = next.map(|next| next + self.gaps(at).len() as u32);
                self.indexes[at as usize] = index.unwrap_or(CYCLIC);
                next = index.map(|index| index + 1);
            }
        }
    }
}

/// How many inherited-context markers paths begin with.
fn markers(index: &Index<'_>) -> u32 {
    index.inherits.is_some().into()
}

fn line_of(index: &Index<'_>, predecessor: Predecessor) -> u64 {
    match predecessor {
        Predecessor::Node(node) => index.line(node),
        Predecessor::Start | Predecessor::Unknown | Predecessor::Unresolved(_) => 0,
    }
}

#[cfg(test)]
mod tests;
