//! CONTEXT-VIEW (ASR-368).

use crate::active_path::{self, Cycle, Item, active_path, item_line};
use crate::predecessor::{Predecessor, printed, reference};
use crate::stream::{NodeId, Stream};
use asr_spec::{Entry, Json, RefStatus, Step, Trace};

/// Where an entry stands: its path index.
///
/// "Just after" and "just before" an index are places of their own (VB-16, VB-17, VD-2), and START comes
/// before them all (VD-3). Every item of the path has an index, markers included (V2-1).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Place {
    Start,
    Index(usize, Side),
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Side {
    JustBefore,
    At,
    JustAfter,
}

/// An entry of V with its path index.
#[derive(Clone)]
pub(crate) struct ViewEntry {
    pub place: Place,
    pub shows: Shows,
}

impl ViewEntry {
    /// The node of a node entry.
    pub(crate) fn node(&self) -> Option<NodeId> {
        if let Shows::Item(Item::Node(node)) = self.shows { Some(node) } else { None }
    }
}

#[derive(Clone)]
pub(crate) enum Shows {
    Item(Item),
    Summary(NodeId),
    UnknownReplacement(NodeId),
    Retained { node: NodeId, by: NodeId, truncated: bool },
}

/// CONTEXT-VIEW(stream, head).
pub(crate) fn context_view(
    stream: &Stream,
    head: &Predecessor,
    trace: &mut dyn Trace,
) -> Result<Vec<Entry>, Cycle> {
    let choices = &stream.choices;

    // 1. P ← ACTIVE-PATH(stream, head).
    trace.step(Step::V1, 0, 0);
    let path = Vec::from(active_path(stream, head, trace)?);

    // 2. V ← one entry per item of P, in order.
    let mut view = Vec::new();
    for (index, item) in path.iter().enumerate() {
        let line = item_line(stream, item);
        trace.step(Step::Nr8, line, 0);
        trace.step(Step::V2, line, 0);
        if (choices.enters)(stream, &path, item) {
            view.push(ViewEntry { place: Place::Index(index, Side::At), shows: Shows::Item(item.clone()) });
        }
    }

    // 3. For each compaction node c in P, in path order:
    for (node, index) in (choices.compactions)(stream, &path) {
        let compaction = Compaction { stream, path: &path, node, index };
        compaction.apply(&mut view, trace);
    }

    // 4. Remove every node entry that the model did not see.
    let program_calls = (choices.program_calls)(stream, &path, &view);
    view.retain(|entry| {
        let node = (choices.node_of_step_4)(entry);
        let unseen = node.is_some_and(|node| is_unseen(stream, node, &program_calls));
        if unseen {
            trace.step(Step::V4, entry_line(stream, entry), 0);
        }
        !unseen
    });

    // 5. Return V.
    trace.step(Step::V5, 0, 0);
    Ok(view.iter().map(|entry| output(stream, &entry.shows)).collect())
}

/// VD-7: what step 4 will drop enters V as well.
pub(crate) fn every_item(_: &Stream, _path: &[Item], _: &Item) -> bool {
    true
}

/// The compaction nodes of P with their indexes, in path order.
pub(crate) fn in_path_order(stream: &Stream, path: &[Item]) -> Vec<(NodeId, usize)> {
    let mut compactions = Vec::new();
    for (index, item) in path.iter().enumerate() {
        if let Item::Node(node) = item
            && stream.type_of(stream.first(*node)) == "compaction"
        {
            compactions.push((*node, index));
        }
    }
    compactions
}

/// A compaction node on the path; its content is its latest revision.
pub(crate) struct Compaction<'a> {
    pub stream: &'a Stream,
    pub path: &'a [Item],
    pub node: NodeId,
    /// Its index in the path.
    pub index: usize,
}

/// The forms of replaces.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Replaces<'a> {
    Through(&'a Json),
    Ids(&'a [Json]),
    Unknown,
}

/// The forms of insertAt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum InsertAt<'a> {
    Start,
    After(&'a Json),
    Before(&'a Json),
}

/// A ref whose target could not be identified.
pub(crate) struct Unresolved {
    pub reference: Json,
    pub status: RefStatus,
}

impl From<Unresolved> for Shows {
    fn from(Unresolved { reference, status }: Unresolved) -> Self {
        Self::Item(Item::Unresolved { reference, status })
    }
}

impl<'a> Compaction<'a> {
    /// Step 3 for this compaction.
    fn apply(&self, view: &mut Vec<ViewEntry>, trace: &mut dyn Trace) {
        let (choices, line) = (&self.stream.choices, self.line());
        trace.step(Step::V3, line, 0);

        // a. If c's latest revision has a status and it is not "completed", remove c's entry from V and
        //    continue with the next compaction.
        if !(choices.is_applied)(self) {
            trace.step(Step::V3a, line, 0);
            view.retain(|entry| !self.is_own(entry));
            return;
        }

        // b. Determine R, the entries c replaces, among the entries of V that precede c's entry.
        let replaces = (choices.replaces)(self);
        let preceding = (choices.preceding)(self, view);
        let mut lost = Vec::new();
        let mut r = Vec::new();
        for form in &replaces {
            let replaced = self.replaced(form, view, &mut lost, trace);
            r.extend(replaced.into_iter().filter(|at| preceding.contains(at)));
        }

        // c. Remove the entries in R, and c's own entry, from V.
        let mut replaced = Vec::new();
        for (at, entry) in std::mem::take(view).into_iter().enumerate() {
            if r.contains(&at) {
                trace.step(Step::V3c, line, entry_line(self.stream, &entry));
                replaced.push(entry);
            } else if self.is_own(&entry) {
                trace.step(Step::V3c, line, line);
            } else {
                view.push(entry);
            }
        }

        // d. Determine the insertion index x.
        let x = self.insertion_place(view, &replaced, &mut lost, trace);

        // What refs without an index leave stands at x, before what steps e to g insert.
        for shows in lost {
            self.insert(view, ViewEntry { place: x, shows });
        }

        // e. If replaces.state is "unknown", insert an unknown-replacement marker naming c at x.
        if replaces.contains(&Replaces::Unknown) {
            trace.step(Step::V3e, line, 0);
            if let Some(marker) = (choices.unknown_replacement)(self, x) {
                self.insert(view, marker);
            }
        }

        // f. For each entry of c's retains, in order, insert a retained entry for the node its ref resolves
        //    to at x.
        for retained in self.field("retains").and_then(Json::as_array).unwrap_or_default() {
            if let Some(retained) = (choices.retained)(self, view, retained, x, trace) {
                trace.step(Step::V3f, line, entry_line(self.stream, &retained));
                self.insert(view, retained);
            }
        }

        // g. If c has a summary or opaque content, insert a summary entry for c at x.
        if (choices.has_content)(self) {
            trace.step(Step::V3g, line, 0);
            self.insert(view, ViewEntry { place: x, shows: Shows::Summary(self.node) });
        }
    }

    /// The positions in V of the entries that one form of replaces names, and what its refs leave that have
    /// no index.
    fn replaced(
        &self,
        form: &Replaces<'_>,
        view: &[ViewEntry],
        lost: &mut Vec<Shows>,
        trace: &mut dyn Trace,
    ) -> Vec<usize> {
        let (choices, line) = (&self.stream.choices, self.line());
        let all = |is_replaced: &dyn Fn(&ViewEntry) -> bool| {
            let entries = view.iter().enumerate().filter(|(_, entry)| is_replaced(entry));
            entries.map(|(at, _)| at).collect()
        };
        match form {
            // replaces.throughId = t: every entry whose path index is at most the index of t's node. If
            // keptFromId = k, exclude every entry whose path index is at least the index of k's node.
            Replaces::Through(t) => {
                trace.step(Step::V3bThrough, line, 0);
                let t = (choices.through_index)(self, view, t, lost, trace);
                let k = self.field("keptFromId").map(|k| {
                    trace.step(Step::V3bKept, line, 0);
                    (choices.kept_index)(self, view, k, lost, trace)
                });
                match (t, k) {
                    // Without one of the indexes there is no range (VB-1, VB-2, VB-3).
                    (None, _) | (_, Some(None)) => Vec::new(),
                    (Some(t), k) => all(&|entry| (choices.in_range)(self, entry, t, k.flatten())),
                }
            }
            // replaces.ids: every node entry whose node one of the refs resolves to, and the summary entry of
            // every compaction node a ref resolves to. Refs that resolve to no entry of V are ignored.
            Replaces::Ids(ids) => {
                trace.step(Step::V3bIds, line, 0);
                let nodes = (choices.ids)(self, ids, lost, trace);
                all(&|entry| (choices.is_named)(entry, &nodes))
            }
            // replaces.state = "unknown": R is empty.
            Replaces::Unknown => {
                trace.step(Step::V3bUnknown, line, 0);
                Vec::new()
            }
        }
    }

    /// x of step d.
    fn insertion_place(
        &self,
        view: &[ViewEntry],
        r: &[ViewEntry],
        lost: &mut Vec<Shows>,
        trace: &mut dyn Trace,
    ) -> Place {
        let (choices, line) = (&self.stream.choices, self.line());
        let mut beside = |reference, side, step| {
            let index = (choices.anchor_index)(self, view, reference, lost, trace)?;
            trace.step(step, line, self.path.get(index).map_or(0, |item| item_line(self.stream, item)));
            Some((choices.beside)(index, side))
        };
        let place = match (choices.insert_at)(self) {
            // - insertAt.afterId = null: before the first context entry;
            Some(InsertAt::Start) => {
                trace.step(Step::V3dNull, line, 0);
                Some((choices.start)(self, view))
            }
            // - insertAt.afterId = a: just after the index of a's node;
            Some(InsertAt::After(a)) => beside(a, Side::JustAfter, Step::V3dAfter),
            // - insertAt.beforeId = b: just before the index of b's node;
            Some(InsertAt::Before(b)) => beside(b, Side::JustBefore, Step::V3dBefore),
            None => None,
        };
        if let Some(place) = place {
            return place;
        }
        // - otherwise, if R is not empty: the smallest path index in R;
        if let Some(smallest) = (choices.smallest)(self, r) {
            let first = r.iter().find(|entry| entry.place == smallest);
            trace.step(Step::V3dMin, line, first.map_or(0, |entry| entry_line(self.stream, entry)));
            return smallest;
        }
        // - otherwise: the index of c.
        trace.step(Step::V3dOwn, line, 0);
        (choices.own_place)(self)
    }

    fn insert(&self, view: &mut Vec<ViewEntry>, entry: ViewEntry) {
        let at = (self.stream.choices.insert_before)(view, &entry);
        view.insert(at.min(view.len()), entry);
    }

    /// The index on P of a node.
    pub(crate) fn index_of(&self, node: NodeId) -> Option<usize> {
        self.path.iter().position(|item| *item == Item::Node(node))
    }

    pub(crate) fn resolve(&self, reference: &Json, trace: &mut dyn Trace) -> Result<NodeId, Unresolved> {
        let node = self.stream.resolve_from(self.stream.latest(self.node), reference, trace);
        node.map_err(|status| Unresolved { reference: printed(reference), status })
    }

    /// A member of c's latest revision; a null counts as absent.
    pub(crate) fn field(&self, key: &str) -> Option<&'a Json> {
        self.stream.field(self.stream.latest(self.node), key)
    }

    /// Whether an entry is c's own node entry.
    pub(crate) fn is_own(&self, entry: &ViewEntry) -> bool {
        entry.node() == Some(self.node)
    }

    fn line(&self) -> u64 {
        self.stream.line(self.stream.first(self.node))
    }
}

/// Step a. V3a-1: a null status is none. V3a-2: the latest revision decides. V3a-3: any other value is not
/// "completed".
pub(crate) fn is_completed(c: &Compaction<'_>) -> bool {
    c.field("status").is_none_or(|status| status.as_str() == Some("completed"))
}

/// Step b. Of several forms of replaces the first in the order of the chapter counts (VB-9b); no form names
/// nothing (VB-9). The kind has no effect (VB-15).
pub(crate) fn first_form<'a>(c: &Compaction<'a>) -> Vec<Replaces<'a>> {
    forms(c).into_iter().take(1).collect()
}

/// The forms of replaces that are there, in the order of the chapter.
pub(crate) fn forms<'a>(c: &Compaction<'a>) -> Vec<Replaces<'a>> {
    let replaces = c.field("replaces");
    let through = reference(replaces, "throughId").map(Replaces::Through);
    let ids = reference(replaces, "ids").map(|ids| Replaces::Ids(ids.as_array().unwrap_or_default()));
    let state = reference(replaces, "state").and_then(Json::as_str);
    let unknown = (state == Some("unknown")).then_some(Replaces::Unknown);
    [through, ids, unknown].into_iter().flatten().collect()
}

/// Step b. V3a-2, VB-10: the entries before c's own, which stands where its first record does.
pub(crate) fn before_own_entry(c: &Compaction<'_>, view: &[ViewEntry]) -> Vec<usize> {
    let own = view.iter().position(|entry| c.is_own(entry)).unwrap_or(view.len());
    (0..own).collect()
}

/// The index on P of the node that a ref resolves to. A ref that identifies no node leaves a marker (VB-1,
/// VB-3, VD-5); one whose node is not on P did identify its target and leaves none (VB-2). What V still shows
/// does not matter (VD-4).
pub(crate) fn index_on_path(
    c: &Compaction<'_>,
    _view: &[ViewEntry],
    reference: &Json,
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Option<usize> {
    match c.resolve(reference, trace) {
        Ok(node) => c.index_of(node),
        Err(unresolved) => {
            lost.push(unresolved.into());
            None
        }
    }
}

/// Step b: the test of a range. Every entry has a path index, of whatever kind it is (VB-4, VB-14, V2-1), and
/// the index alone decides (VB-5), also where k comes after t (VB-11).
pub(crate) fn in_range(_: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    let at_most_t = entry.place <= Place::Index(t, Side::At);
    let at_least_k = k.is_some_and(|k| entry.place >= Place::Index(k, Side::At));
    at_most_t && !at_least_k
}

/// Step b: the nodes that replaces.ids names. VB-12: refs that resolve to none are ignored.
pub(crate) fn resolved_ids(
    c: &Compaction<'_>,
    ids: &[Json],
    _: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Vec<NodeId> {
    ids.iter().filter_map(|id| c.resolve(id, trace).ok()).collect()
}

/// Step b: node and summary entries (VB-6), and no others (VB-7, VB-8).
pub(crate) fn node_or_summary_of(entry: &ViewEntry, nodes: &[NodeId]) -> bool {
    match &entry.shows {
        Shows::Item(Item::Node(node)) | Shows::Summary(node) => nodes.contains(node),
        Shows::Item(_) | Shows::UnknownReplacement(_) | Shows::Retained { .. } => false,
    }
}

/// Step d. A null `beforeId` is none. With both keys, afterId is tried first.
pub(crate) fn insert_at<'a>(c: &Compaction<'a>) -> Option<InsertAt<'a>> {
    let insert_at = c.field("insertAt");
    match insert_at.and_then(Json::as_object).and_then(|insert_at| insert_at.get("afterId")) {
        Some(Json::Null) => Some(InsertAt::Start),
        Some(after) => Some(InsertAt::After(after)),
        None => reference(insert_at, "beforeId").map(InsertAt::Before),
    }
}

/// Step d. START is one fixed place (VD-3) before everything, markers included (VD-3b, VD-3c).
pub(crate) fn fixed_start(_: &Compaction<'_>, _view: &[ViewEntry]) -> Place {
    Place::Start
}

/// Step d. A place of its own: just after an index comes before just before the next (VD-2, VB-16, VB-17).
pub(crate) fn own_side(index: usize, side: Side) -> Place {
    Place::Index(index, side)
}

/// Step d. Markers in R count (VD-9), entries that are not in V do not (VB-6b).
pub(crate) fn smallest_place(_: &Compaction<'_>, r: &[ViewEntry]) -> Option<Place> {
    r.iter().map(|entry| entry.place).min()
}

/// Step d. V3a-2: the index of c, whose position is that of its first record.
pub(crate) fn own_place(c: &Compaction<'_>) -> Place {
    Place::Index(c.index, Side::At)
}

/// Entries are kept in order of path index; entries with the same index stay in insertion order.
pub(crate) fn first_beyond(view: &[ViewEntry], new: &ViewEntry) -> usize {
    view.iter().position(|entry| entry.place > new.place).unwrap_or(view.len())
}

/// Step e. VE-1: at x, not before the entries that it puts in doubt.
pub(crate) fn unknown_replacement(c: &Compaction<'_>, x: Place) -> Option<ViewEntry> {
    Some(ViewEntry { place: x, shows: Shows::UnknownReplacement(c.node) })
}

/// Step f. At x, whatever the index of the node (VF-4). Also for a node still in V (VF-2) or off the path
/// (VF-7), and for a compaction (VF-8). A ref that identifies no node leaves a marker in its place (VF-1); an
/// element without a ref names nothing.
pub(crate) fn retained(
    c: &Compaction<'_>,
    _view: &[ViewEntry],
    retained: &Json,
    x: Place,
    trace: &mut dyn Trace,
) -> Option<ViewEntry> {
    let shows = match c.resolve(reference(Some(retained), "ref").unwrap_or(&Json::Null), trace) {
        Ok(node) => {
            let capture = reference(Some(retained), "capture").and_then(Json::as_str);
            Shows::Retained { node, by: c.node, truncated: capture == Some("truncated") }
        }
        Err(unresolved) => unresolved.into(),
    };
    Some(ViewEntry { place: x, shows })
}

/// Step g. VG-1, VG-1b: an empty array is no summary, an empty object no opaque content.
pub(crate) fn has_content(c: &Compaction<'_>) -> bool {
    let summary = c.field("summary").and_then(Json::as_array);
    let opaque = c.field("opaque").and_then(Json::as_object);
    summary.is_some_and(|parts| !parts.is_empty()) || opaque.is_some_and(|members| !members.is_empty())
}

/// Step 4: whether the model did not see a node, by its latest revision.
pub(crate) fn is_unseen(stream: &Stream, node: NodeId, program_calls: &[NodeId]) -> bool {
    (stream.choices.is_hidden)(stream, node)
        || (stream.choices.is_program_call)(stream, node)
        || program_calls.iter().any(|&call| (stream.choices.is_paired)(stream, node, call))
}

/// Step 4 looks at node entries; a retained one stays (VF-3).
pub(crate) fn node_entry(entry: &ViewEntry) -> Option<NodeId> {
    entry.node()
}

/// A message with audience "user" or status "withdrawn". V4-6: no other type.
pub(crate) fn is_hidden(stream: &Stream, node: NodeId) -> bool {
    let latest = stream.latest(node);
    let text = |key| stream.field(latest, key).and_then(Json::as_str);
    stream.type_of(latest) == "message"
        && (text("audience") == Some("user") || text("status") == Some("withdrawn"))
}

/// A tool_call with requestedBy "code" or with parentCallId, by its latest revision (V4-4). V4-7: a null
/// parentCallId is none.
pub(crate) fn is_program_call(stream: &Stream, node: NodeId) -> bool {
    let latest = stream.latest(node);
    let requested_by = stream.field(latest, "requestedBy").and_then(Json::as_str);
    stream.type_of(latest) == "tool_call"
        && (requested_by == Some("code") || stream.field(latest, "parentCallId").is_some())
}

/// All program calls of the stream, on the path (V4-2) and in V (V4-2b) or not.
pub(crate) fn program_calls(stream: &Stream, _path: &[Item], _view: &[ViewEntry]) -> Vec<NodeId> {
    let nodes = (0..stream.nodes.len()).map(NodeId);
    nodes.filter(|&node| (stream.choices.is_program_call)(stream, node)).collect()
}

/// A tool_result paired with a call. V4-3: with any call that has its key.
pub(crate) fn is_paired(stream: &Stream, result: NodeId, call: NodeId) -> bool {
    let (result, call) = (stream.latest(result), stream.latest(call));
    let key = call_key(stream, result);
    stream.type_of(result) == "tool_result" && key.is_some() && key == call_key(stream, call)
}

/// V4-1: call and result pair by callId, or by toolCallId where callId is absent or no string.
pub(crate) fn call_key(stream: &Stream, position: usize) -> Option<&str> {
    let key = |key| stream.field(position, key).and_then(Json::as_str);
    key("callId").or_else(|| key("toolCallId"))
}

/// The entry of ASR-376.
fn output(stream: &Stream, shows: &Shows) -> Entry {
    match shows {
        Shows::Item(item) => active_path::entry(stream, item),
        Shows::Summary(node) => {
            let (id, rev) = stream.names(*node);
            Entry::Summary { id, rev }
        }
        Shows::UnknownReplacement(node) => Entry::UnknownReplacement { id: stream.name(stream.first(*node)) },
        Shows::Retained { node, by, truncated } => {
            (stream.choices.retained_entry)(stream, *node, *by, *truncated)
        }
    }
}

/// VF-5: no rev.
pub(crate) fn retained_entry(stream: &Stream, node: NodeId, by: NodeId, truncated: bool) -> Entry {
    let name = |node| stream.name(stream.first(node));
    Entry::Retained { id: name(node), by: name(by), truncated }
}

/// The line of what an entry shows, 0 where that is no record.
fn entry_line(stream: &Stream, entry: &ViewEntry) -> u64 {
    match &entry.shows {
        Shows::Item(item) => item_line(stream, item),
        Shows::Summary(node) | Shows::UnknownReplacement(node) | Shows::Retained { node, .. } => {
            stream.line(stream.first(*node))
        }
    }
}
