//! CONTEXT-VIEW (ASR-368): one sweep along the path.
//!
//! The chapter applies each compaction to the whole list of entries. The sweep comes to the same result in
//! O(L + C log C + ids log C + retains) for a path of L items with C compactions, because of what ASR-372
//! promises: the refs of a compaction name nodes before it. Then whatever was inserted so far lies before the
//! compaction as well, so that "the entries of V that precede c's entry" are all entries so far, and a range
//! is a *prefix* of them:
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
//! *Guard.* A marked rewrite can bend the path so that a compaction finds its refs after it, although each
//! record was in order when it was written. Such views, and invalid ones, go to [`Reader::literal`], which
//! follows the chapter word by word in O(L * C).

#![expect(
    clippy::indexing_slicing,
    reason = "path indexes and rows are numbers that the path and the index gave"
)]

use crate::graph::{Graph, Node};
use crate::index::{Compaction, Index, InsertAt, Kind, Ref, Replaces, Retained};
use crate::path::{self, Item};
use asr_spec::{Entry, RefStatus};
use std::collections::BTreeSet;
use std::ops::Range;

/// A place in the view; equal places keep the order of insertion.
type Place = i64;

const START: Place = Place::MIN;

fn at(index: u32) -> Place {
    4 * Place::from(index)
}

fn just_before(index: u32) -> Place {
    at(index) - 1
}

fn just_after(index: u32) -> Place {
    at(index) + 1
}

/// A compaction that applies, with its refs looked up on the path.
struct Plan<'i> {
    node: Node,
    index: u32,
    compaction: &'i Compaction,
    /// The path indexes of throughId and keptFromId. None if there is no range, or either gives no index.
    range: Option<(u32, Option<u32>)>,
    /// The place that insertAt gives, if it gives one.
    place: Option<Place>,
    /// The refs of range and place that identify no target, in [`Plans::unresolved`].
    unresolved: Range<usize>,
}

impl Plan<'_> {
    fn is_unknown(&self) -> bool {
        matches!(self.compaction.replaces, Replaces::Unknown)
    }
}

/// What the compactions of a path do, in path order.
struct Plans<'i> {
    applied: Vec<Plan<'i>>,
    /// The path indexes of the compactions that do not apply.
    dropped: Vec<u32>,
    unresolved: Vec<(Ref, RefStatus)>,
    /// Whether some ref names a node after its compaction.
    looks_ahead: bool,
}

/// A path, and what it takes to read it.
struct Reader<'i, 'a> {
    index: &'i Index<'a>,
    graph: &'i Graph,
    path: &'i [Item],
}

/// The context view of an active path.
pub(crate) fn view(index: &Index<'_>, graph: &Graph, path: &[Item]) -> Vec<Entry> {
    let reader = Reader { index, graph, path };
    let plans = reader.plan();
    if plans.looks_ahead { reader.literal(&plans) } else { reader.sweep(&plans) }
}

impl<'i, 'a> Reader<'i, 'a> {
    /// Looks up the refs of every compaction on the path. O(L).
    fn plan(&self) -> Plans<'i> {
        let mut plans =
            Plans { applied: Vec::new(), dropped: Vec::new(), unresolved: Vec::new(), looks_ahead: false };
        for (index, &item) in (0..).zip(self.path) {
            let Item::Node(node) = item else { continue };
            let latest = self.graph.latest(node);
            if self.index.kinds[latest as usize] != Kind::Compaction {
                continue;
            }
            let compaction = &self.index.compactions[self.index.detail(latest).compaction as usize];
            if !compaction.is_applied {
                plans.dropped.push(index);
                continue;
            }
            let first = plans.unresolved.len();
            let mut look_up = |target| match self.locate(target) {
                Ok(found) => {
                    plans.looks_ahead |= found.is_some_and(|found| found > index);
                    found
                }
                Err(status) => {
                    plans.unresolved.push((target, status));
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
            let unresolved = first..plans.unresolved.len();
            plans.applied.push(Plan { node, index, compaction, range, place, unresolved });
        }
        plans
    }

    /// The path index of the node that a ref resolves to; none if that node is not on the path (VB-2).
    fn locate(&self, target: Ref) -> Result<Option<u32>, RefStatus> {
        let node = self.graph.resolve(self.index, target)?;
        let index = self.graph.index(node);
        Ok(index.filter(|&index| self.path.get(index as usize) == Some(&Item::Node(node))))
    }

    /// Steps 2 to 4 under the guard.
    fn sweep(&self, plans: &Plans<'_>) -> Vec<Entry> {
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
        for plan in &plans.applied {
            let replaced = match (plan.range, &plan.compaction.replaces) {
                (Some((through, kept)), _) => {
                    let last = kept.map_or(at(through), |kept| at(through).min(just_before(kept)));
                    sweep.replace_range(last, plan.index)
                }
                (None, &Replaces::Ids(start, end)) => {
                    let ids = &self.index.replaced[start as usize..end as usize];
                    let indexes = ids.iter().filter_map(|&id| self.locate(id).ok().flatten());
                    indexes.filter_map(|index| sweep.replace(index, plan.index)).min()
                }
                (None, _) => None,
            };
            sweep.is_gone[plan.index as usize] = true;
            let place = plan.place.or(replaced).unwrap_or(at(plan.index));
            let has_others =
                plan.is_unknown() || !plan.unresolved.is_empty() || !self.retains(plan).is_empty();
            sweep.insert(plan.index, place, has_others, plan.compaction.has_content);
        }
        self.put_out(plans, &sweep)
    }

    /// Merges what is left of the path with what was inserted. O(entries + L - floor).
    fn put_out(&self, plans: &Plans<'_>, sweep: &Sweep) -> Vec<Entry> {
        let mut view = Vec::new();
        let mut groups = sweep.order.iter().peekable();
        let put_group = |view: &mut Vec<Entry>, group: u32| {
            let plan = &plans.applied[group as usize];
            self.put_inserted(plans, plan, sweep.groups[group as usize].has_summary, |entry| {
                view.push(entry)
            });
        };
        for index in sweep.floor..self.path.len() as u32 {
            if sweep.is_gone[index as usize] {
                continue;
            }
            while let Some((_, group)) = groups.next_if(|(place, _)| *place < at(index)) {
                put_group(&mut view, *group);
            }
            let item = self.path[index as usize];
            if !self.is_hidden(item) {
                view.push(path::entry(self.index, self.graph, item));
            }
        }
        for (_, group) in groups {
            put_group(&mut view, *group);
        }
        view
    }

    /// Steps 3e to 3g: what a compaction inserts, in order. Refs that identify no target come first (VB-1,
    /// VD-5).
    fn put_inserted(
        &self,
        plans: &Plans<'_>,
        plan: &Plan<'_>,
        has_summary: bool,
        mut put: impl FnMut(Entry),
    ) {
        let unresolved =
            |target, status| Entry::UnresolvedRef { reference: self.index.spelled(target), status };
        let name = || self.graph.name(self.index, plan.node);
        for &(target, status) in &plans.unresolved[plan.unresolved.clone()] {
            put(unresolved(target, status));
        }
        if plan.is_unknown() {
            put(Entry::UnknownReplacement { id: name() });
        }
        for retained in self.retains(plan) {
            put(match self.graph.resolve(self.index, retained.target) {
                Ok(node) => Entry::Retained {
                    id: self.graph.name(self.index, node),
                    by: name(),
                    truncated: retained.is_truncated,
                },
                Err(status) => unresolved(retained.target, status),
            });
        }
        if has_summary {
            put(Entry::Summary { id: name(), rev: self.graph.revision(self.index, plan.node) });
        }
    }

    fn retains(&self, plan: &Plan<'_>) -> &'i [Retained] {
        let (start, end) = plan.compaction.retains;
        &self.index.retains[start as usize..end as usize]
    }

    /// Step 4: only nodes are hidden, and their latest revisions decide.
    fn is_hidden(&self, item: Item) -> bool {
        matches!(item, Item::Node(node) if self.index.is_hidden[self.graph.latest(node) as usize])
    }

    /// Steps 2 to 4 word by word, for paths on which a compaction looks ahead. O(L * C).
    fn literal(&self, plans: &Plans<'_>) -> Vec<Entry> {
        let items = (0..).zip(self.path);
        let mut view: Vec<Kept> =
            items.map(|(index, &item)| Kept { place: at(index), what: What::Item(item) }).collect();
        // Nothing is inserted yet, so a place names an item.
        view.retain(|entry| plans.dropped.binary_search_by_key(&entry.place, |&index| at(index)).is_err());
        for plan in &plans.applied {
            let own = What::Item(Item::Node(plan.node));
            let own = view.iter().position(|entry| entry.what == own).unwrap_or(view.len());
            let is_replaced: Vec<bool> = match (plan.range, &plan.compaction.replaces) {
                (Some((through, kept)), _) => {
                    let is_kept = |place| kept.is_some_and(|kept| place >= at(kept));
                    let is_replaced = |entry: &Kept| entry.place <= at(through) && !is_kept(entry.place);
                    view.iter().take(own).map(is_replaced).collect()
                }
                (None, &Replaces::Ids(start, end)) => {
                    let ids = &self.index.replaced[start as usize..end as usize];
                    let nodes: BTreeSet<Node> =
                        ids.iter().filter_map(|&id| self.graph.resolve(self.index, id).ok()).collect();
                    let is_replaced = |entry: &Kept| match entry.what {
                        What::Item(Item::Node(node)) | What::Summary(node) => nodes.contains(&node),
                        _ => false,
                    };
                    view.iter().take(own).map(is_replaced).collect()
                }
                (None, _) => Vec::new(),
            };
            let is_replaced = |position: usize| is_replaced.get(position).is_some_and(|&replaced| replaced);
            let replaced = (0..own).filter(|&position| is_replaced(position));
            let smallest = replaced.map(|position| view[position].place).min();
            let mut position = 0..;
            view.retain(|_| {
                !position.next().is_some_and(|position| position == own || is_replaced(position))
            });

            let place = plan.place.or(smallest).unwrap_or(at(plan.index));
            let end = view.partition_point(|entry| entry.place <= place);
            let mut inserted = Vec::new();
            self.put_inserted(plans, plan, plan.compaction.has_content, |entry| {
                let what = match entry {
                    Entry::Summary { .. } => What::Summary(plan.node),
                    entry => What::Inserted(Box::new(entry)),
                };
                inserted.push(Kept { place, what });
            });
            view.splice(end..end, inserted);
        }
        let mut entries = Vec::new();
        for Kept { what, .. } in view {
            match what {
                What::Item(item) if self.is_hidden(item) => {}
                What::Item(item) => entries.push(path::entry(self.index, self.graph, item)),
                What::Inserted(entry) => entries.push(*entry),
                What::Summary(node) => entries.push(Entry::Summary {
                    id: self.graph.name(self.index, node),
                    rev: self.graph.revision(self.index, node),
                }),
            }
        }
        entries
    }
}

/// An entry of V in the literal algorithm.
struct Kept {
    place: Place,
    what: What,
}

#[derive(PartialEq)]
enum What {
    Item(Item),
    Summary(Node),
    /// What replaces.ids cannot name.
    Inserted(Box<Entry>),
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
    /// Replaces every entry whose place is at most `last` and that precedes the compaction at path index
    /// `own`. Returns the smallest place among them.
    fn replace_range(&mut self, last: Place, own: u32) -> Option<Place> {
        // Groups so far lie before `own`, whatever their place; items need not.
        let end = u32::try_from(last.div_euclid(4) + 1).unwrap_or(0).min(own);
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
        if !std::mem::take(&mut group.has_summary) {
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
