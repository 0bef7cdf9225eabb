//! CONTEXT-VIEW (ASR-368): one sweep along the path.
//!
//! The chapter applies each compaction to the whole list of entries. The sweep comes to the same result in
//! O(L + C log C + ids log C + retains) for a path of L items with C compactions, because the list is in order of place at
//! all times: what is inserted comes behind everything of the same place. The entry of a compaction is the first of its
//! place, so what precedes it is what has a smaller one, and a range is a *prefix* of the list:
//!
//! * Items of the path never come back. Those still there are the ones from `floor` on, less the tombstones.
//! * What one compaction inserts shares one place, so it forms a *group* that a range takes whole or not at
//!   all. Only replaces.ids can split one, and takes nothing but its summary. Groups lie in an ordered set by
//!   place and order of insertion; a range takes them from its front.
//!
//! *Places.* Item i has place 4i, "just before b" 4b - 1, "just after a" 4a + 1, and START comes before all
//! (VB-16, VB-17, VD-2, VD-3). Step 4 hides entries only when they are put out, since hidden entries still
//! count for what is replaced and where (VD-7).
//!
//! *Looking ahead.* A marked rewrite can bend the path so that a compaction finds its refs after it, although each
//! record was in order when it was written. A range then ends before the compaction, and what was inserted far ahead
//! (no range, and no summary of it) is taken only from behind.

#![expect(
    clippy::indexing_slicing,
    reason = "path indexes and rows are numbers that the path and the index gave"
)]

use crate::graph::{Graph, Node};
use crate::index::{Compaction, Index, InsertAt, Kind, Ref, Replaces};
use crate::path::{self, Item};
use crate::steps::Steps;
use asr_spec::Step;
use std::collections::BTreeSet;
use std::ops::Range;

/// A place in the view; equal places keep the order of insertion.
pub(crate) type Place = i64;

pub(crate) const START: Place = Place::MIN;

pub(crate) fn at(index: u32) -> Place {
    4 * Place::from(index)
}

pub(crate) fn just_before(index: u32) -> Place {
    at(index) - 1
}

fn just_after(index: u32) -> Place {
    at(index) + 1
}

/// A compaction that applies, with its refs looked up on the path.
pub(crate) struct Plan<'i> {
    pub node: Node,
    pub index: u32,
    pub compaction: &'i Compaction,
    /// The path indexes of throughId and keptFromId. None if there is no range, or either gives no index.
    range: Option<(u32, Option<u32>)>,
    /// The place that insertAt gives, if it gives one.
    pub place: Option<Place>,
    /// The refs of range and place that identify no target, in [`Plans::unresolved`].
    unresolved: Range<usize>,
}

impl Plan<'_> {
    fn is_unknown(&self) -> bool {
        matches!(self.compaction.replaces, Replaces::Unknown)
    }

    /// The last place of the range, if there is one. It is before the compaction.
    pub(crate) fn last_place(&self) -> Option<Place> {
        let (through, kept) = self.range?;
        let last = kept.map_or(at(through), |kept| at(through).min(just_before(kept)));
        Some(last.min(just_before(self.index)))
    }

    /// Whether it inserts anything besides its summary.
    pub(crate) fn has_others(&self) -> bool {
        self.is_unknown() || !self.unresolved.is_empty() || !self.retains().is_empty()
    }

    /// In [`Index::retains`].
    fn retains(&self) -> Range<u32> {
        let (start, end) = self.compaction.retains;
        start..end
    }
}

/// What the compactions of a path do, in path order.
#[derive(Default)]
pub(crate) struct Plans<'i> {
    pub applied: Vec<Plan<'i>>,
    /// The path indexes of the compactions that do not apply.
    dropped: Vec<u32>,
    pub unresolved: Vec<Ref>,
}

/// A path, and what it takes to read it.
pub(crate) struct Reader<'i, 'p, 'a> {
    pub index: &'i Index<'a>,
    pub graph: &'i Graph,
    pub path: &'p [Item],
}

/// The context view of an active path.
pub(crate) fn view(index: &Index<'_>, graph: &Graph, path: &[Item], steps: &mut impl Steps) -> Vec<Item> {
    steps.tell(Step::V1, || (0, 0));
    steps.tell(Step::V2, || (0, 0));
    let reader = Reader { index, graph, path };
    let plans = reader.plan(steps);
    let view = reader.sweep(&plans, steps);
    steps.tell(Step::V5, || (0, 0));
    view
}

impl<'i> Reader<'i, '_, '_> {
    /// The compactions on the path, in path order. All of the stream or all of the path are looked at, whatever
    /// is less.
    fn compactions(&self) -> Vec<(u32, Node)> {
        let all = self.graph.compactions();
        if all.len() <= self.path.len() {
            let mut found: Vec<_> =
                all.iter().filter_map(|&node| Some((self.index_on_path(node)?, node))).collect();
            found.sort_unstable();
            return found;
        }
        let is_compaction = |node: Node| self.index.kinds[node as usize] == Kind::Compaction;
        let items = (0..).zip(self.path);
        let found = items.filter_map(|(index, &item)| match item {
            Item::Node(node) if is_compaction(node) => Some((index, node)),
            _ => None,
        });
        found.collect()
    }

    /// The path index of a node; none if it is not on the path.
    fn index_on_path(&self, node: Node) -> Option<u32> {
        let index = self.graph.index(node)?;
        (self.path.get(index as usize) == Some(&Item::Node(node))).then_some(index)
    }

    /// Looks up the refs of every compaction on the path.
    fn plan(&self, steps: &mut impl Steps) -> Plans<'i> {
        let mut plans = Plans::default();
        for (index, node) in self.compactions() {
            match self.plan_one(index, node, &mut plans.unresolved, |_| (), steps) {
                None => plans.dropped.push(index),
                Some(plan) => plans.applied.push(plan),
            }
        }
        plans
    }

    /// Looks up the refs of the compaction at a path index; none if it does not apply. Refs of range and place that
    /// identify no target go to `unresolved`, and those that name a node beside the path to `beside`.
    pub(crate) fn plan_one(
        &self,
        index: u32,
        node: Node,
        unresolved: &mut Vec<Ref>,
        mut beside: impl FnMut(Node),
        steps: &mut impl Steps,
    ) -> Option<Plan<'i>> {
        let detail = self.index.detail(self.graph.latest(node));
        let compaction = &self.index.compactions[detail.compaction as usize];
        steps.tell(Step::V3, || (self.index.line(node), 0));
        if !compaction.is_applied {
            steps.tell(Step::V3a, || (self.index.line(node), 0));
            return None;
        }
        let first = unresolved.len();
        let mut look_up = |target| match self.graph.resolve_told(self.index, target, steps) {
            Ok(node) => {
                let found = self.index_on_path(node);
                if found.is_none() {
                    beside(node);
                }
                found
            }
            Err(_) => {
                unresolved.push(target);
                None
            }
        };
        let range = match compaction.replaces {
            Replaces::Through { through, kept } => {
                let through = look_up(through);
                let kept = kept.map(&mut look_up);
                match (through, kept) {
                    (Some(through), None) => Some((through, None)),
                    (Some(through), Some(Some(kept))) => Some((through, Some(kept))),
                    _ => None,
                }
            }
            Replaces::Ids(..) | Replaces::Unknown | Replaces::Nothing => None,
        };
        let place = match compaction.insert_at {
            None => None,
            Some(InsertAt::Start) => Some(START),
            Some(InsertAt::After(target)) => look_up(target).map(just_after),
            Some(InsertAt::Before(target)) => look_up(target).map(just_before),
        };
        let unresolved = first..unresolved.len();
        Some(Plan { node, index, compaction, range, place, unresolved })
    }

    /// The path index of the node that a ref resolves to; none if that node is not on the path (VB-2).
    fn locate(&self, target: Ref) -> Option<u32> {
        self.index_on_path(self.graph.resolve(self.index, target).ok()?)
    }

    /// The path indexes of the nodes on the path that replaces.ids names.
    pub(crate) fn replaced(&self, compaction: &Compaction) -> impl Iterator<Item = u32> {
        let (start, end) = match compaction.replaces {
            Replaces::Ids(start, end) => (start, end),
            Replaces::Through { .. } | Replaces::Unknown | Replaces::Nothing => (0, 0),
        };
        let ids = &self.index.replaced[start as usize..end as usize];
        ids.iter().filter_map(|&id| self.locate(id))
    }

    /// Steps 2 to 4.
    fn sweep<S: Steps>(&self, plans: &Plans<'_>, steps: &mut S) -> Vec<Item> {
        let mut sweep = Sweep {
            floor: 0,
            first: 0,
            is_gone: vec![false; self.path.len()],
            groups: Vec::with_capacity(plans.applied.len()),
            order: BTreeSet::new(),
        };
        for &index in &plans.dropped {
            sweep.is_gone[index as usize] = true;
        }
        // Only for those who listen.
        let mut removed = Vec::new();
        for plan in &plans.applied {
            let replaced = match plan.last_place() {
                Some(last) => {
                    if S::ARE_HEARD {
                        self.list_range(plans, &sweep, last, &mut removed);
                    }
                    sweep.replace_range(last)
                }
                None => {
                    let replaced = self.replaced(plan.compaction).filter_map(|index| {
                        let place = sweep.replace(index, plan.index)?;
                        if S::ARE_HEARD {
                            removed.push((place, index, self.path[index as usize]));
                        }
                        Some(place)
                    });
                    replaced.min()
                }
            };
            self.tell(plan, &mut removed, steps);
            sweep.is_gone[plan.index as usize] = true;
            let place = plan.place.or(replaced).unwrap_or(at(plan.index));
            sweep.insert(plan.index, place, plan.has_others(), plan.compaction.has_content);
        }
        self.put_out(plans, &sweep, steps)
    }

    /// What [`Sweep::replace_range`] will replace, in the order of V.
    fn list_range(
        &self,
        plans: &Plans<'_>,
        sweep: &Sweep,
        last: Place,
        removed: &mut Vec<(Place, u32, Item)>,
    ) {
        let items = (sweep.floor..Sweep::end_of_range(last)).filter(|&index| !sweep.is_gone[index as usize]);
        removed.extend(items.map(|index| (at(index), 0, self.path[index as usize])));
        for &(place, group) in sweep.order.range(..=(last, u32::MAX)) {
            let has_summary = sweep.groups[group as usize].has_summary;
            let plan = &plans.applied[group as usize];
            self.put_inserted(&plans.unresolved, plan, has_summary, |item| removed.push((place, 0, item)));
        }
    }

    /// What step 3 does for one compaction, given what it removes besides its own entry: V3b to V3g.
    fn tell<S: Steps>(&self, plan: &Plan<'_>, removed: &mut Vec<(Place, u32, Item)>, steps: &mut S) {
        if !S::ARE_HEARD {
            return;
        }
        let line = |item| path::line(self.index, self.graph, item);
        let about = self.index.line(plan.node);
        match plan.compaction.replaces {
            Replaces::Through { kept, .. } => {
                steps.tell(Step::V3bThrough, || (about, 0));
                if kept.is_some() {
                    steps.tell(Step::V3bKept, || (about, 0));
                }
            }
            Replaces::Ids(..) => steps.tell(Step::V3bIds, || (about, 0)),
            Replaces::Unknown => steps.tell(Step::V3bUnknown, || (about, 0)),
            Replaces::Nothing => {}
        }
        for &(_, _, item) in &*removed {
            steps.tell(Step::V3c, || (about, line(item)));
        }
        steps.tell(Step::V3c, || (about, about));
        let beside = |place: Place| line(self.path[place.saturating_add(1).div_euclid(4) as usize]);
        let first = removed.iter().min_by_key(|(place, order, _)| (*place, *order));
        match (plan.compaction.insert_at, plan.place, first) {
            (_, Some(START), _) => steps.tell(Step::V3dNull, || (about, 0)),
            (Some(InsertAt::After(_)), Some(place), _) => {
                steps.tell(Step::V3dAfter, || (about, beside(place)));
            }
            (_, Some(place), _) => steps.tell(Step::V3dBefore, || (about, beside(place))),
            (_, None, Some(&(_, _, item))) => steps.tell(Step::V3dMin, || (about, line(item))),
            (_, None, None) => steps.tell(Step::V3dOwn, || (about, 0)),
        }
        if plan.is_unknown() {
            steps.tell(Step::V3e, || (about, 0));
        }
        for retained in plan.retains() {
            steps.tell(Step::V3f, || (about, line(Item::Retained(retained))));
        }
        if plan.compaction.has_content {
            steps.tell(Step::V3g, || (about, 0));
        }
        removed.clear();
    }

    /// Merges what is left of the path with what was inserted. O(entries + L - floor).
    fn put_out(&self, plans: &Plans<'_>, sweep: &Sweep, steps: &mut impl Steps) -> Vec<Item> {
        let mut view = Vec::new();
        let mut groups = sweep.order.iter().peekable();
        let put_group = |view: &mut Vec<Item>, group: u32| {
            let plan = &plans.applied[group as usize];
            let has_summary = sweep.groups[group as usize].has_summary;
            self.put_inserted(&plans.unresolved, plan, has_summary, |item| view.push(item));
        };
        for index in sweep.floor..self.path.len() as u32 {
            if sweep.is_gone[index as usize] {
                continue;
            }
            while let Some((_, group)) = groups.next_if(|(place, _)| *place < at(index)) {
                put_group(&mut view, *group);
            }
            let item = self.path[index as usize];
            if self.is_hidden(item) {
                steps.tell(Step::V4, || (path::line(self.index, self.graph, item), 0));
            } else {
                view.push(item);
            }
        }
        for (_, group) in groups {
            put_group(&mut view, *group);
        }
        view
    }

    /// Steps 3e to 3g: what a compaction inserts, in order. Refs that identify no target come first (VB-1,
    /// VD-5).
    pub(crate) fn put_inserted(
        &self,
        unresolved: &[Ref],
        plan: &Plan<'_>,
        has_summary: bool,
        mut put: impl FnMut(Item),
    ) {
        for at in plan.unresolved.clone() {
            put(Item::Unresolved(unresolved[at]));
        }
        if plan.is_unknown() {
            put(Item::UnknownReplacement(plan.node));
        }
        plan.retains().map(Item::Retained).for_each(&mut put);
        if has_summary {
            put(Item::Summary(plan.node));
        }
    }

    /// Step 4: only nodes are hidden, and their latest revisions decide.
    pub(crate) fn is_hidden(&self, item: Item) -> bool {
        matches!(item, Item::Node(node) if self.index.is_hidden[self.graph.latest(node) as usize])
    }
}

/// The state of the sweep after a prefix of the path.
struct Sweep {
    /// Every item below this path index is gone.
    floor: u32,
    /// No item between `floor` and this one is left.
    first: u32,
    /// Single items that are gone.
    is_gone: Vec<bool>,
    /// One per applied compaction so far, by increasing path index.
    groups: Vec<Group>,
    /// The groups of which something is left.
    order: BTreeSet<(Place, u32)>,
}

/// What one compaction inserted.
struct Group {
    /// The path index of the compaction.
    index: u32,
    place: Place,
    /// Whether there are entries besides the summary.
    has_others: bool,
    has_summary: bool,
}

impl Sweep {
    /// Where the items end whose place is at most `last`.
    fn end_of_range(last: Place) -> u32 {
        u32::try_from(last.div_euclid(4) + 1).unwrap_or(0)
    }

    /// Replaces every entry whose place is at most `last`. Returns the smallest place among them.
    fn replace_range(&mut self, last: Place) -> Option<Place> {
        let end = Self::end_of_range(last);
        self.first = self.first.max(self.floor);
        while self.first < end && self.is_gone[self.first as usize] {
            self.first += 1;
        }
        let mut smallest = (self.first < end).then(|| at(self.first));
        self.floor = self.floor.max(end);
        while let Some(&(place, group)) = self.order.first().filter(|(place, _)| *place <= last) {
            self.order.pop_first();
            self.groups[group as usize].has_summary = false;
            smallest = Some(smallest.map_or(place, |smallest| smallest.min(place)));
        }
        smallest
    }

    /// Replaces the node entry or the summary of the node at a path index, for the compaction at path index
    /// `own`. Returns its place, if there was such an entry.
    fn replace(&mut self, index: u32, own: u32) -> Option<Place> {
        if index >= own {
            return None;
        }
        if index >= self.floor && !self.is_gone[index as usize] {
            self.is_gone[index as usize] = true;
            return Some(at(index));
        }
        // The entry of a compaction is gone, but not its summary.
        let number = self.groups.binary_search_by_key(&index, |group| group.index).ok()?;
        let group = &mut self.groups[number];
        if group.place >= at(own) || !std::mem::take(&mut group.has_summary) {
            return None;
        }
        if !group.has_others {
            self.order.remove(&(group.place, number as u32));
        }
        Some(group.place)
    }

    /// Adds the group of the compaction at a path index, behind those that have the same place.
    fn insert(&mut self, index: u32, place: Place, has_others: bool, has_summary: bool) {
        if has_others || has_summary {
            self.order.insert((place, self.groups.len() as u32));
        }
        self.groups.push(Group { index, place, has_others, has_summary });
    }
}

#[cfg(test)]
mod tests;
