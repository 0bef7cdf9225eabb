//! CONTEXT-VIEW (ASR-368).

use crate::active_path::{self, Cycle, Item, active_path};
use crate::predecessor::{Predecessor, printed, reference};
use crate::stream::{NodeId, Stream};
use asr_spec::{Entry, Json, RefStatus, Step, Trace};

/// Where an entry stands: its path index.
///
/// "Just after" and "just before" an index are places of their own (VB-16, VB-17, VD-2), and START comes before them
/// all (VD-3). Every item of the path has an index, markers included (V2-1).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Place {
    Start,
    Index(usize, Side),
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Side {
    JustBefore,
    At,
    JustAfter,
}

/// An entry of V with its path index.
#[derive(Clone)]
struct ViewEntry {
    place: Place,
    shows: Shows,
}

#[derive(Clone)]
enum Shows {
    Item(Item),
    Summary(NodeId),
    UnknownReplacement(NodeId),
    Retained { node: NodeId, by: NodeId, truncated: bool },
}

/// CONTEXT-VIEW(stream, head).
pub(crate) fn context_view(
    stream: &Stream,
    head: &Predecessor,
    trace: &mut impl Trace,
) -> Result<Vec<Entry>, Cycle> {
    // 1. P ← ACTIVE-PATH(stream, head).
    trace.step(Step::V1, 0);
    let path = Vec::from(active_path(stream, head, trace)?);

    // 2. V ← one entry per item of P, in order.
    let mut view = Vec::new();
    for (index, item) in path.iter().enumerate() {
        let line = line(stream, item);
        trace.step(Step::Nr8, line);
        trace.step(Step::V2, line);
        view.push(ViewEntry { place: Place::Index(index, Side::At), shows: Shows::Item(item.clone()) });
    }

    // 3. For each compaction node c in P, in path order:
    for (index, item) in path.iter().enumerate() {
        if let Item::Node(node) = item
            && stream.type_of(stream.first(*node)) == "compaction"
        {
            let compaction = Compaction { stream, path: &path, node: *node, index };
            compaction.apply(&mut view, trace);
        }
    }

    // 4. Remove every node entry that the model did not see.
    let program_calls = program_call_keys(stream);
    view.retain(|entry| {
        let unseen =
            matches!(entry.shows, Shows::Item(Item::Node(node)) if is_unseen(stream, node, &program_calls));
        if unseen {
            trace.step(Step::V4, entry_line(stream, entry));
        }
        !unseen
    });

    // 5. Return V.
    trace.step(Step::V5, 0);
    Ok(view.iter().map(|entry| output(stream, &entry.shows)).collect())
}

/// A compaction node on the path; its content is its latest revision.
struct Compaction<'a> {
    stream: &'a Stream,
    path: &'a [Item],
    node: NodeId,
    /// Its index in the path.
    index: usize,
}

/// A ref whose target could not be identified: what stands in its place (VB-1, VB-3, VD-5, VF-1).
struct Unresolved {
    reference: Json,
    status: RefStatus,
}

impl From<Unresolved> for Shows {
    fn from(Unresolved { reference, status }: Unresolved) -> Self {
        Self::Item(Item::Unresolved { reference, status })
    }
}

impl<'a> Compaction<'a> {
    /// Step 3 for this compaction.
    fn apply(&self, view: &mut Vec<ViewEntry>, trace: &mut impl Trace) {
        let line = self.stream.line(self.stream.first(self.node));
        trace.step(Step::V3, line);
        let is_own = |entry: &ViewEntry| matches!(entry.shows, Shows::Item(Item::Node(n)) if n == self.node);

        // a. If c's latest revision has a status and it is not "completed", remove c's entry from V and continue
        //    with the next compaction. (V3a-1: a null status is none. V3a-3: any other value is not "completed".)
        if let Some(status) = self.field("status")
            && status.as_str() != Some("completed")
        {
            trace.step(Step::V3a, line);
            view.retain(|entry| !is_own(entry));
            return;
        }

        // b. Determine R, the entries c replaces, among the entries of V that precede c's entry.
        let mut unresolved = Vec::new();
        let is_replaced = self.replaced(&mut unresolved, trace);
        let own = view.iter().position(is_own).unwrap_or(view.len());
        let in_r = |at: usize, entry: &ViewEntry| at < own && is_replaced(entry);
        let smallest =
            view.iter().enumerate().find(|(at, entry)| in_r(*at, entry)).map(|(_, entry)| entry.place);

        // c. Remove the entries in R, and c's own entry, from V.
        trace.step(Step::V3c, line);
        let mut at = 0..;
        view.retain(|entry| !(in_r(at.next().unwrap_or(usize::MAX), entry) || is_own(entry)));

        // d. Determine the insertion index x.
        let x = self.insertion_place(smallest, &mut unresolved, trace);

        // Refs that identified no target leave a marker at x, before what steps e to g insert.
        let mut inserted: Vec<Shows> = unresolved.into_iter().map(Shows::from).collect();

        // e. If replaces.state is "unknown", insert an unknown-replacement marker naming c at x. (VE-1)
        if matches!(self.replaces(), Some(Replaces::Unknown)) {
            trace.step(Step::V3e, line);
            inserted.push(Shows::UnknownReplacement(self.node));
        }

        // f. For each entry of c's retains, in order, insert a retained entry for the node its ref resolves to.
        //    (VF-2: also for a node still in V. VF-7: also for a node off the path.)
        for retained in self.field("retains").and_then(Json::as_array).unwrap_or_default() {
            trace.step(Step::V3f, line);
            inserted.push(self.retained(retained, trace));
        }

        // g. If c has a summary or opaque content, insert a summary entry for c at x.
        if self.has_content() {
            trace.step(Step::V3g, line);
            inserted.push(Shows::Summary(self.node));
        }

        // Entries with the same index stay in insertion order.
        let after = view.iter().position(|entry| entry.place > x).unwrap_or(view.len());
        view.splice(after..after, inserted.into_iter().map(|shows| ViewEntry { place: x, shows }));
    }

    /// The test for R of step b, and the refs in it that identify no target.
    fn replaced(
        &self,
        unresolved: &mut Vec<Unresolved>,
        trace: &mut impl Trace,
    ) -> Box<dyn Fn(&ViewEntry) -> bool + 'a> {
        let line = self.stream.line(self.stream.first(self.node));
        let nothing = Box::new(|_: &ViewEntry| false);
        match self.replaces() {
            // replaces.throughId = t: every entry whose path index is at most the index of t's node. If
            // keptFromId = k, exclude every entry whose path index is at least the index of k's node.
            // (VB-2: a node that is not on P has no index, so R is empty.)
            Some(Replaces::Through(t)) => {
                trace.step(Step::V3bThrough, line);
                let t = self.index_of(t, unresolved, trace);
                let k = self.field("keptFromId").map(|k| {
                    trace.step(Step::V3bKept, line);
                    self.index_of(k, unresolved, trace)
                });
                match (t, k) {
                    (Some(t), None) => Box::new(move |entry| entry.place <= t),
                    (Some(t), Some(Some(k))) => Box::new(move |entry| entry.place <= t && entry.place < k),
                    (None, _) | (_, Some(None)) => nothing,
                }
            }
            // replaces.ids: every node entry whose node one of the refs resolves to, and the summary entry of every
            // compaction node a ref resolves to. Refs that resolve to no entry of V are ignored. (VB-7, VB-8: no
            // other entries.)
            Some(Replaces::Ids(ids)) => {
                trace.step(Step::V3bIds, line);
                let nodes: Vec<_> = ids.iter().filter_map(|id| self.stream.resolve(id, trace).ok()).collect();
                Box::new(move |entry| match &entry.shows {
                    Shows::Item(Item::Node(node)) | Shows::Summary(node) => nodes.contains(node),
                    Shows::Item(_) | Shows::UnknownReplacement(_) | Shows::Retained { .. } => false,
                })
            }
            // replaces.state = "unknown": R is empty.
            Some(Replaces::Unknown) => {
                trace.step(Step::V3bUnknown, line);
                nothing
            }
            None => nothing,
        }
    }

    /// x of step d. A node that is not on P, or a ref that identifies none, gives no place (VD-5).
    fn insertion_place(
        &self,
        smallest: Option<Place>,
        unresolved: &mut Vec<Unresolved>,
        trace: &mut impl Trace,
    ) -> Place {
        let line = self.stream.line(self.stream.first(self.node));
        let insert_at = self.field("insertAt").and_then(Json::as_object);
        let after = insert_at.and_then(|insert_at| insert_at.get("afterId"));
        let before = reference(self.field("insertAt"), "beforeId");

        // - insertAt.afterId = null: before the first context entry; (VD-3, VD-3b: START is one fixed place.)
        if after == Some(&Json::Null) {
            trace.step(Step::V3dNull, line);
            return Place::Start;
        }
        // - insertAt.afterId = a: just after the index of a's node;
        // - insertAt.beforeId = b: just before the index of b's node; (With both, afterId is tried first.)
        let (anchor, side, step) = match after {
            Some(_) => (after, Side::JustAfter, Step::V3dAfter),
            None => (before, Side::JustBefore, Step::V3dBefore),
        };
        if let Some(anchor) = anchor
            && let Some(Place::Index(index, _)) = self.index_of(anchor, unresolved, trace)
        {
            trace.step(step, line);
            return Place::Index(index, side);
        }
        // - otherwise, if R is not empty: the smallest path index in R;
        if let Some(smallest) = smallest {
            trace.step(Step::V3dMin, line);
            return smallest;
        }
        // - otherwise: the index of c.
        trace.step(Step::V3dOwn, line);
        Place::Index(self.index, Side::At)
    }

    /// What step f inserts for one element of retains. VF-5: no rev. An element without a ref names nothing.
    fn retained(&self, retained: &Json, trace: &mut impl Trace) -> Shows {
        let target = reference(Some(retained), "ref").unwrap_or(&Json::Null);
        match self.resolve(target, trace) {
            Ok(node) => {
                let capture = reference(Some(retained), "capture").and_then(Json::as_str);
                Shows::Retained { node, by: self.node, truncated: capture == Some("truncated") }
            }
            Err(unresolved) => unresolved.into(),
        }
    }

    /// VG-1, VG-1b: an empty array is no summary, an empty object no opaque content.
    fn has_content(&self) -> bool {
        let summary = self.field("summary").and_then(Json::as_array);
        let opaque = self.field("opaque").and_then(Json::as_object);
        summary.is_some_and(|parts| !parts.is_empty()) || opaque.is_some_and(|members| !members.is_empty())
    }

    /// VB-9, VB-9b: of several forms the first in the order of the chapter counts.
    fn replaces(&self) -> Option<Replaces<'a>> {
        let replaces = self.field("replaces");
        if let Some(through) = reference(replaces, "throughId") {
            Some(Replaces::Through(through))
        } else if let Some(ids) = reference(replaces, "ids") {
            Some(Replaces::Ids(ids.as_array().unwrap_or_default()))
        } else {
            let state = reference(replaces, "state").and_then(Json::as_str);
            (state == Some("unknown")).then_some(Replaces::Unknown)
        }
    }

    /// The index on P of the node that a ref resolves to.
    fn index_of(
        &self,
        reference: &Json,
        unresolved: &mut Vec<Unresolved>,
        trace: &mut impl Trace,
    ) -> Option<Place> {
        match self.resolve(reference, trace) {
            Ok(node) => {
                let index = self.path.iter().position(|item| *item == Item::Node(node))?;
                Some(Place::Index(index, Side::At))
            }
            Err(no_target) => {
                unresolved.push(no_target);
                None
            }
        }
    }

    fn resolve(&self, reference: &Json, trace: &mut impl Trace) -> Result<NodeId, Unresolved> {
        let node = self.stream.resolve(reference, trace);
        node.map_err(|status| Unresolved { reference: printed(reference), status })
    }

    /// A member of c's latest revision; a null counts as absent.
    fn field(&self, key: &str) -> Option<&'a Json> {
        self.stream.field(self.stream.latest(self.node), key)
    }
}

/// The forms of replaces.
enum Replaces<'a> {
    Through(&'a Json),
    Ids(&'a [Json]),
    Unknown,
}

/// Step 4: whether the model did not see a node, by its latest revision.
fn is_unseen(stream: &Stream, node: NodeId, program_calls: &[&str]) -> bool {
    let latest = stream.latest(node);
    let text = |key| stream.field(latest, key).and_then(Json::as_str);
    match stream.type_of(latest) {
        "message" => text("audience") == Some("user") || text("status") == Some("withdrawn"),
        "tool_call" => is_program_call(stream, latest),
        "tool_result" => call_key(stream, latest).is_some_and(|key| program_calls.contains(&key)),
        _ => false,
    }
}

/// A tool_call with requestedBy "code" or with parentCallId. (V4-7: a null parentCallId is none.)
fn is_program_call(stream: &Stream, call: usize) -> bool {
    let requested_by = stream.field(call, "requestedBy").and_then(Json::as_str);
    requested_by == Some("code") || stream.field(call, "parentCallId").is_some()
}

/// The keys of all program calls of the stream, on the path or not, by their latest revisions (V4-2b, V4-3, V4-4).
fn program_call_keys(stream: &Stream) -> Vec<&str> {
    let contents = stream.nodes.iter().map(|node| node.latest());
    let calls =
        contents.filter(|&latest| stream.type_of(latest) == "tool_call" && is_program_call(stream, latest));
    calls.filter_map(|call| call_key(stream, call)).collect()
}

/// V4-1: call and result pair by callId, or by toolCallId where callId is absent or no string.
pub(crate) fn call_key(stream: &Stream, position: usize) -> Option<&str> {
    let key = |key| stream.field(position, key).and_then(Json::as_str);
    key("callId").or_else(|| key("toolCallId"))
}

/// The entry of ASR-376.
fn output(stream: &Stream, shows: &Shows) -> Entry {
    let name = |node: &NodeId| stream.name(stream.first(*node));
    match shows {
        Shows::Item(item) => active_path::entry(stream, item),
        Shows::Summary(node) => {
            let (first, latest) = (stream.first(*node), stream.latest(*node));
            Entry::Summary { id: stream.name(first), rev: (latest != first).then(|| stream.name(latest)) }
        }
        Shows::UnknownReplacement(node) => Entry::UnknownReplacement { id: name(node) },
        Shows::Retained { node, by, truncated } => {
            Entry::Retained { id: name(node), by: name(by), truncated: *truncated }
        }
    }
}

fn line(stream: &Stream, item: &Item) -> u64 {
    match item {
        Item::Node(node) => stream.line(stream.first(*node)),
        Item::Gap(position) => stream.line(*position),
        Item::UnknownPredecessor | Item::Unresolved { .. } | Item::Inherited => 0,
    }
}

fn entry_line(stream: &Stream, entry: &ViewEntry) -> u64 {
    if let Shows::Item(item) = &entry.shows { line(stream, item) } else { 0 }
}
