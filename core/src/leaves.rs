//! All leaves: the path or view of every node that precedes none, in time proportional to what they hold.
//!
//! Asked one by one, the leaves of a forest walk and sweep the same trunk again and again. Here one walk over the
//! whole forest, depth first, carries the state of CONTEXT-VIEW along: entering a node adds to it what step 3 does
//! at that node, and before the next child of a branch it is taken back to what it was there.
//!
//! The sweep of `view` cannot be taken back cheaply: a range removes entries one by one, which is right on one
//! path, where each goes once, but not where a thousand children of one node each remove the same ten thousand.
//! So here the view of the path so far is one set of *slots*, [`Slots`], ordered as the view is:
//!
//! * Item i of the path has the slot 4(i + 1). What compactions inserted at the index of item i, just after it,
//!   and just before item i + 1, has the three slots behind it; what was inserted at START, slot 1.
//! * `live` holds the slots of all entries, `shown` those that step 4 leaves. A range takes a prefix of both, and
//!   the smallest index in R is the first of `live`.
//! * What one compaction inserts is a *group*. Those of one slot form a chain in order of insertion, whose last
//!   is its *top*. A chain dies with its slot; one that begins there later has a larger number.
//!
//! *Looking ahead.* Whether a compaction does is not known when it is entered, since it depends on the leaf: the
//! refs that name a node beside the path so far are noted, and a leaf below such a node gets the ordinary view.
//!
//! No node is entered twice, and nothing recurses: what is left to do is the children left at each branch.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes, path indexes and groups are numbers that these tables handed out"
)]

use crate::Stream;
use crate::graph::{Graph, Node, Predecessor};
use crate::index::{Index, Kind, Ref};
use crate::path::Item;
use crate::slots::{Slots, work};
use crate::view::{self, Place, Plan, Reader, START};
use asr_spec::{Name, Outcome, What};
use std::collections::HashMap;
use std::fmt;

/// A leaf: a node that is no node's predecessor, not even its own; with the path or view that ends at it.
#[derive(Clone, Copy)]
pub struct Leaf<'l> {
    stream: &'l Stream<'l>,
    node: Node,
    items: Result<&'l [Item], Node>,
}

impl Leaf<'_> {
    /// The first record of the leaf's chain, by which a path from it is asked for. Several nodes may have that name, or it
    /// may have none.
    pub fn head(&self) -> Name {
        self.stream.graph.name(&self.stream.index, self.node)
    }

    /// Its path or view, which [`Stream::entries`] names; none where following predecessors leads into a cycle
    /// (ASR-366).
    pub fn items(&self) -> Option<&[Item]> {
        self.items.ok()
    }

    /// Its path or view with the texts.
    pub fn named(&self) -> asr_spec::Leaf {
        let outcome = match self.items {
            Ok(items) => Outcome::Entries(self.stream.entries(items)),
            Err(at) => Outcome::Cycle { at: self.stream.graph.name(&self.stream.index, at) },
        };
        asr_spec::Leaf { head: self.head(), outcome }
    }
}

impl fmt::Debug for Leaf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.named().fmt(f)
    }
}

/// The leaves of a stream, one by one. See [`Stream::leaves`].
pub struct Leaves<'s> {
    stream: &'s Stream<'s>,
    what: What,
    forest: Forest,
    /// The branches on the way to the node at hand of which children are left.
    branches: Vec<Branch>,
    /// The node to be entered next, if it is the first child of the one before.
    next: Option<Node>,
    growth: Growth<'s>,
    /// The leaves whose paths are cycles, with the node met twice.
    cyclic: std::vec::IntoIter<(Node, Node)>,
    view: Vec<Item>,
}

/// Children that are left, in [`Forest::children`], and the state from which each is entered.
struct Branch {
    next: u32,
    end: u32,
    mark: Mark,
}

impl<'s> Leaves<'s> {
    pub(crate) fn new(stream: &'s Stream<'s>, what: What) -> Self {
        let Stream { index, graph } = stream;
        let forest = Forest::new(graph);
        let cyclic = forest.cyclic_leaves(graph).into_iter();
        let bound = match what {
            What::Path => 0,
            What::View => graph.nodes().filter_map(|node| graph.index(node)).max().unwrap_or(0),
        };
        let growth = Growth::new(index, graph, bound);
        let (start, end) = forest.roots();
        let branches =
            if start == end { vec![] } else { vec![Branch { next: start, end, mark: growth.mark() }] };
        Self { stream, what, forest, branches, next: None, growth, cyclic, view: Vec::new() }
    }

    /// The next leaf. O(its items), plus a share of O(n log n) for n bytes of stream that all leaves have in
    /// common. Where a compaction on its path looks ahead (ASR-372), what [`Stream::answer`] takes.
    pub fn next_leaf(&mut self) -> Option<Leaf<'_>> {
        let (node, cycle) = loop {
            let Some(node) = self.next.take().or_else(|| self.next_child()) else {
                let (leaf, at) = self.cyclic.next()?;
                break (leaf, Some(at));
            };
            self.growth.log(!self.branches.is_empty());
            self.growth.enter(node, self.what);
            let (start, end) = self.forest.children_of(node);
            let Some(&first) = self.forest.children[start as usize..end as usize].first() else {
                break (node, None);
            };
            if end - start > 1 {
                self.branches.push(Branch { next: start + 1, end, mark: self.growth.mark() });
            }
            self.next = Some(first);
        };
        let items = match (cycle, self.what) {
            (Some(at), _) => Err(at),
            (None, What::Path) => Ok(&*self.growth.path),
            (None, What::View) => {
                self.growth.put_out(&mut self.view);
                Ok(&*self.view)
            }
        };
        Some(Leaf { stream: self.stream, node, items })
    }

    /// Goes back to the nearest branch with children left, and takes the first of them.
    fn next_child(&mut self) -> Option<Node> {
        let branch = self.branches.last_mut()?;
        self.growth.rewind(&branch.mark);
        let node = self.forest.children[branch.next as usize];
        branch.next += 1;
        if branch.next == branch.end {
            self.branches.pop();
        }
        Some(node)
    }
}

impl fmt::Debug for Leaves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaves")
            .field("stream", self.stream)
            .field("what", &self.what)
            .finish_non_exhaustive()
    }
}

/// The children of every node.
struct Forest {
    /// The nodes by their predecessor, each family in stream order; at the end the roots.
    children: Vec<Node>,
    /// Where the children of a node begin; those of the next one begin where they end.
    starts: Vec<u32>,
}

impl Forest {
    /// O(rows).
    fn new(graph: &Graph) -> Self {
        let bound = graph.bound() as Node;
        let parent = |node| match graph.predecessor(node) {
            Predecessor::Node(before) => before,
            Predecessor::Start | Predecessor::Unknown | Predecessor::Unresolved(_) => bound,
        };
        // Two ahead, so that it is the end of a family once the family is filled in.
        let mut starts = vec![0; bound as usize + 3];
        for node in graph.nodes() {
            starts[parent(node) as usize + 2] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut children = vec![0; starts.last().map_or(0, |&nodes| nodes as usize)];
        for node in graph.nodes() {
            let place = &mut starts[parent(node) as usize + 1];
            children[*place as usize] = node;
            *place += 1;
        }
        Self { children, starts }
    }

    /// Where the children of a node are.
    fn children_of(&self, node: Node) -> (u32, u32) {
        (self.starts[node as usize], self.starts[node as usize + 1])
    }

    /// Where the nodes are that no node precedes.
    fn roots(&self) -> (u32, u32) {
        self.children_of(self.starts.len() as Node - 3)
    }

    /// The leaves that no root leads to, in stream order, each with the node of its cycle that the walk from it
    /// meets twice. O(nodes), and nothing where there is no cycle.
    fn cyclic_leaves(&self, graph: &Graph) -> Vec<(Node, Node)> {
        let cyclic: Vec<Node> = graph.nodes().filter(|&node| graph.index(node).is_none()).collect();
        let before = |node| match graph.predecessor(node) {
            Predecessor::Node(before) => before,
            // A path that begins is no cycle.
            Predecessor::Start | Predecessor::Unknown | Predecessor::Unresolved(_) => node,
        };
        // Leaves are taken off until the cycles alone are left.
        let mut left: HashMap<Node, u32> = HashMap::with_capacity(cyclic.len());
        for &node in &cyclic {
            let (start, end) = self.children_of(node);
            left.insert(node, end - start);
        }
        let is_leaf = |node: &Node| self.children_of(*node).0 == self.children_of(*node).1;
        let mut off: Vec<Node> = cyclic.iter().copied().filter(is_leaf).collect();
        let mut done = 0;
        while let Some(&node) = off.get(done) {
            done += 1;
            if let Some(children) = left.get_mut(&before(node)) {
                *children -= 1;
                if *children == 0 {
                    off.push(before(node));
                }
            }
        }
        let mut met_twice = HashMap::with_capacity(off.len());
        for &node in off.iter().rev() {
            // What stays, lies on a cycle.
            let before = before(node);
            let at = met_twice.get(&before).copied().unwrap_or(before);
            met_twice.insert(node, at);
        }
        cyclic.into_iter().filter(is_leaf).filter_map(|leaf| Some((leaf, *met_twice.get(&leaf)?))).collect()
    }
}

/// The slot of an item.
fn item_slot(index: u32) -> u64 {
    4 * (u64::from(index) + 1)
}

/// The slot of what is inserted at a place.
fn group_slot(place: Place) -> u64 {
    if place == START {
        return 1;
    }
    // 4i is the item's own, and what is inserted there comes right behind it; 4i - 1 and 4i + 1 keep their order.
    let is_before = place.rem_euclid(4) == 3;
    (place + if is_before { 4 } else { 5 }) as u64
}

/// Stands for no group.
const NONE: u32 = u32::MAX;

/// What one compaction inserted.
#[derive(Clone, Copy)]
struct Group {
    /// The path index of the compaction.
    index: u32,
    slot: u64,
    /// Whether there are entries besides the summary.
    has_others: bool,
    has_summary: bool,
    /// Its neighbours in its chain.
    before: u32,
    after: u32,
    /// The group that began its chain.
    base: u32,
}

/// What was changed since a mark, besides what lies at the end of a list.
enum Change {
    Group(u32, Group),
    Top(u64, Option<u32>),
    Awaited(Node),
}

/// How long everything was, and what was not a list.
#[derive(Clone, Copy)]
struct Mark {
    path: usize,
    live: usize,
    shown: usize,
    plans: usize,
    unresolved: usize,
    changes: usize,
    ahead: u32,
}

/// A path that grows at its end, and its view.
struct Growth<'s> {
    index: &'s Index<'s>,
    graph: &'s Graph,
    path: Vec<Item>,
    live: Slots,
    shown: Slots,
    /// The compactions of the path that apply, and for each what it inserted.
    plans: Vec<Plan<'s>>,
    groups: Vec<Group>,
    unresolved: Vec<Ref>,
    /// The last group of each slot that ever had one.
    tops: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// How many compactions on the path name this node, which was not on it then.
    awaited: HashMap<Node, u32>,
    /// How many nodes of the path were awaited when they came.
    ahead: u32,
    changes: Vec<Change>,
    is_logging: bool,
    /// The groups of one slot, on their way out.
    chain: Vec<u32>,
}

impl<'s> Growth<'s> {
    /// The empty path, of which none will have an index above `last`.
    fn new(index: &'s Index<'s>, graph: &'s Graph, last: u32) -> Self {
        let bound = item_slot(last) + 4;
        Self {
            index,
            graph,
            path: Vec::new(),
            live: Slots::below(bound),
            shown: Slots::below(bound),
            plans: Vec::new(),
            groups: Vec::new(),
            unresolved: Vec::new(),
            tops: HashMap::default(),
            awaited: HashMap::new(),
            ahead: 0,
            changes: Vec::new(),
            is_logging: false,
            chain: Vec::new(),
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            path: self.path.len(),
            live: self.live.mark(),
            shown: self.shown.mark(),
            plans: self.plans.len(),
            unresolved: self.unresolved.len(),
            changes: self.changes.len(),
            ahead: self.ahead,
        }
    }

    /// Whether there is a mark to come back to.
    fn log(&mut self, is_logging: bool) {
        self.live.log(is_logging);
        self.shown.log(is_logging);
        self.is_logging = is_logging;
    }

    fn rewind(&mut self, mark: &Mark) {
        let &Mark { path, live, shown, plans, unresolved, changes, ahead } = mark;
        for change in self.changes.drain(changes..).rev() {
            work::count();
            match change {
                Change::Group(at, group) => self.groups[at as usize] = group,
                Change::Top(slot, Some(top)) => drop(self.tops.insert(slot, top)),
                Change::Top(slot, None) => drop(self.tops.remove(&slot)),
                Change::Awaited(node) => {
                    if let Some(count) = self.awaited.get_mut(&node) {
                        *count -= 1;
                    }
                }
            }
        }
        self.path.truncate(path);
        self.live.rewind(live);
        self.shown.rewind(shown);
        self.plans.truncate(plans);
        self.groups.truncate(plans);
        self.unresolved.truncate(unresolved);
        self.ahead = ahead;
    }

    /// Adds a node whose predecessor is the last one of the path, or that begins a path.
    fn enter(&mut self, node: Node, what: What) {
        work::count();
        let (index, graph) = (self.index, self.graph);
        if let before @ (Predecessor::Start | Predecessor::Unknown | Predecessor::Unresolved(_)) =
            graph.predecessor(node)
        {
            if index.inherits.is_some() {
                self.push(Item::Inherited, what);
            }
            match before {
                Predecessor::Unknown => self.push(Item::UnknownPredecessor, what),
                Predecessor::Unresolved(at) => self.push(Item::Unresolved(graph.unresolved(at)), what),
                Predecessor::Start | Predecessor::Node(_) => {}
            }
        }
        for &gap in graph.gaps(node) {
            self.push(Item::Gap(gap), what);
        }
        debug_assert_eq!(graph.index(node), Some(self.path.len() as u32));
        if what == What::View && index.kinds[node as usize] == Kind::Compaction {
            // Its own entry would be removed again at once.
            self.path.push(Item::Node(node));
            self.apply(node);
        } else {
            self.push(Item::Node(node), what);
        }
        self.ahead += u32::from(self.awaited.get(&node).is_some_and(|&count| count > 0));
    }

    fn push(&mut self, item: Item, what: What) {
        let slot = item_slot(self.path.len() as u32);
        self.path.push(item);
        if what == What::View {
            self.live.insert(slot);
            if !self.reader().is_hidden(item) {
                self.shown.insert(slot);
            }
        }
    }

    fn reader(&self) -> Reader<'s, '_, 's> {
        Reader { index: self.index, graph: self.graph, path: &self.path }
    }

    /// Step 3 for the compaction that the path ends with.
    fn apply(&mut self, node: Node) {
        let own = self.path.len() as u32 - 1;
        let Self { index, graph, path, unresolved, awaited, changes, is_logging, .. } = self;
        let reader = Reader { index, graph, path };
        let note = |node| {
            *awaited.entry(node).or_default() += 1;
            if *is_logging {
                changes.push(Change::Awaited(node));
            }
        };
        let Some(plan) = reader.plan_one(own, node, unresolved, note, &mut ()) else { return };
        let replaced = match plan.last_place() {
            Some(last) => {
                let last = group_slot(last);
                let first = self.live.first().filter(|&first| first <= last);
                self.live.remove_through(last);
                self.shown.remove_through(last);
                first
            }
            None => {
                let indexes: Vec<u32> = self.reader().replaced(plan.compaction).collect();
                indexes.into_iter().filter_map(|index| self.replace(index, own)).min()
            }
        };
        let slot = match (plan.place, replaced) {
            (Some(place), _) => group_slot(place),
            // Of an item, what is inserted at the same index comes right behind.
            (None, Some(slot)) => slot + u64::from(is_item(slot)),
            (None, None) => group_slot(view::at(own)),
        };
        self.insert(own, slot, plan.has_others(), plan.compaction.has_content);
        self.plans.push(plan);
    }

    /// Removes the entry of the node at a path index, or its summary, for the compaction at the index `own`.
    /// Returns its slot, if there was such an entry.
    fn replace(&mut self, index: u32, own: u32) -> Option<u64> {
        work::count();
        if index >= own {
            return None;
        }
        if self.live.remove(item_slot(index)) {
            self.shown.remove(item_slot(index));
            return Some(item_slot(index));
        }
        let at = self.groups.binary_search_by_key(&index, |group| group.index).ok()? as u32;
        let Group { slot, has_summary, has_others, before, after, .. } = self.groups[at as usize];
        if !has_summary || !self.live.contains(slot) {
            return None;
        }
        // Its slot may live again without it.
        self.tops.get(&slot).filter(|&&top| self.groups[top as usize].base <= at)?;
        self.change(at, |group| group.has_summary = false);
        if has_others {
            return Some(slot);
        }
        // It leaves its chain.
        if after != NONE {
            self.change(after, |group| group.before = before);
        } else if before != NONE {
            self.set_top(slot, before);
        } else {
            self.live.remove(slot);
            self.shown.remove(slot);
        }
        if before != NONE {
            self.change(before, |group| group.after = after);
        }
        Some(slot)
    }

    /// Adds what the compaction at a path index inserts, behind what has the same slot.
    fn insert(&mut self, index: u32, slot: u64, has_others: bool, has_summary: bool) {
        let own = self.groups.len() as u32;
        let mut group = Group { index, slot, has_others, has_summary, before: NONE, after: NONE, base: own };
        if has_others || has_summary {
            if self.live.contains(slot)
                && let Some(&top) = self.tops.get(&slot)
            {
                (group.before, group.base) = (top, self.groups[top as usize].base);
                self.change(top, |top| top.after = own);
            } else {
                self.live.insert(slot);
                self.shown.insert(slot);
            }
            self.set_top(slot, own);
        }
        self.groups.push(group);
    }

    fn change(&mut self, at: u32, change: impl FnOnce(&mut Group)) {
        let group = &mut self.groups[at as usize];
        if self.is_logging {
            self.changes.push(Change::Group(at, *group));
        }
        change(group);
    }

    fn set_top(&mut self, slot: u64, top: u32) {
        let before = self.tops.insert(slot, top);
        if self.is_logging {
            self.changes.push(Change::Top(slot, before));
        }
    }

    /// The view of the path.
    fn put_out(&mut self, view: &mut Vec<Item>) {
        view.clear();
        if self.ahead > 0 {
            *view = view::view(self.index, self.graph, &self.path, &mut ());
            return;
        }
        let reader = Reader { index: self.index, graph: self.graph, path: &self.path };
        for slot in self.shown.iter() {
            if is_item(slot) {
                view.push(self.path[(slot / 4 - 1) as usize]);
                continue;
            }
            let top = self.tops.get(&slot).copied();
            let before = |&at: &u32| Some(self.groups[at as usize].before).filter(|&before| before != NONE);
            self.chain.extend(std::iter::successors(top, before));
            for at in self.chain.drain(..).rev() {
                let has_summary = self.groups[at as usize].has_summary;
                let plan = &self.plans[at as usize];
                reader.put_inserted(&self.unresolved, plan, has_summary, |item| view.push(item));
            }
        }
    }
}

fn is_item(slot: u64) -> bool {
    slot.is_multiple_of(4)
}

#[cfg(test)]
mod tests;
