//! Other readings of CONTEXT-VIEW.

use super::{Kind, Variant};
use crate::active_path::Item;
use crate::choices::{Choices, R1};
use crate::context_view::{
    Compaction, InsertAt, Place, Replaces, Shows, Side, Unresolved, ViewEntry, call_key, first_beyond,
    first_form, forms, has_content, in_range, index_on_path, insert_at, is_completed, is_paired,
    is_program_call, is_unseen, node_entry, node_or_summary_of, program_calls, resolved_ids, retained,
    retained_entry, smallest_place,
};
use crate::stream::{NodeId, Stream};
use asr_spec::{Entry, Json, RefStatus, Trace};

alternatives! {
    "V2-1" = no_index { in_range: in_range_unless_marker },
    "V3a-1" = not_applied { is_applied: is_completed_and_not_null },
    "V3a-2" = completing_position { preceding: before_completion, own_place: place_of_completion },
    "V3a-2" = first_record { is_applied: was_completed_at_first },
    "V3a-3" = applied { is_applied: has_no_other_listed_status },
    "VB-1" = unknown_replacement { through_index: index_or_unknown_replacement },
    "VB-1" = silent { through_index: index_or_nothing },
    "VB-1" = not_applied { is_applied: is_completed_and_throughid_resolves },
    "VB-2" = unresolved_ref { through_index: index_or_marker_off_path, kept_index: index_or_marker_off_path },
    "VB-2" = unknown_replacement {
        through_index: index_or_unknown_off_path,
        kept_index: index_or_unknown_off_path,
    },
    "VB-3" = absent { kept_index: index_or_beyond_all },
    "VB-3" = silent { kept_index: index_or_nothing },
    "VB-4" = nodes_and_summaries { in_range: in_range_if_node_or_summary },
    "VB-5" = keeps_inserted { in_range: in_range_unless_inserted_by_kept },
    "VB-6" = ignored { is_named: node_of },
    "VB-6b" = place_of_node { smallest: smallest_place_or_of_named_compactions },
    "VB-7" = removed { is_named: node_or_summary_or_retained_of },
    "VB-8" = both_go { is_named: node_or_summary_or_unknown_of },
    "VB-9" = unknown { replaces: first_form_or_unknown },
    "VB-9b" = union { replaces: forms },
    "VB-10" = not_capped { preceding: all_but_own_entry },
    "VB-11" = up_to_kept { in_range: in_range_up_to_kept },
    "VB-12" = unresolved_ref { ids: resolved_ids_and_markers },
    "VB-12" = unknown_replacement { ids: all_ids_or_unknown_replacement },
    "VB-14" = stays { in_range: in_range_unless_inherited },
    "VB-15" = removes_nothing { replaces: first_form_unless_branch_summary },
    "VB-16" = same_index { beside: same_index_after },
    "VB-17" = same_index { beside: same_index_before },
    "VD-2" = one_place { beside: between_indexes },
    "VD-3" = later_first { insert_before: first_beyond_or_front_of_start },
    "VD-3b" = before_context { start: before_first_context_entry },
    "VD-3c" = same_place { start: just_before_index_0 },
    "VD-4" = otherwise_place { anchor_index: index_if_shown },
    "VD-5" = silent { anchor_index: index_or_nothing },
    "VD-5" = unknown_replacement {
        replaces: first_form_or_unknown_without_anchor,
        anchor_index: index_or_nothing,
    },
    "VD-7" = step_4_first { enters: unless_unseen },
    "VD-9" = context_only { smallest: smallest_place_of_context },
    "VE-1" = front { unknown_replacement: unknown_replacement_in_front },
    "VF-1" = left_out { retained: retained_if_resolved },
    "VF-2" = deduplicated { retained: retained_unless_shown },
    "VF-3" = removed { node_of_step_4: node_or_retained },
    "VF-4" = own_index { retained: retained_at_own_index },
    "VF-5" = named_by_latest { retained_entry: retained_entry_named_by_latest },
    "VF-7" = unresolved_ref { retained: retained_or_marker_off_path },
    "VF-7" = left_out { retained: retained_if_on_path },
    "VF-8" = summary_entry { retained: retained_or_summary },
    "VG-1" = summary { has_content: has_content_or_empty_summary },
    "VG-1b" = content { has_content: has_content_or_empty_opaque },
    "V4-2" = path_only { program_calls: program_calls_on_path },
    "V4-2b" = view_only { program_calls: program_calls_in_view },
    "V4-3" = first_call { is_paired: is_paired_with_first_of_key },
    "V4-3" = ambiguous { is_paired: is_paired_with_only_of_key },
    "V4-4" = first_record { is_program_call: is_program_call_at_first },
    "V4-6" = any_node { is_hidden: is_hidden_of_any_type },
    "V4-7" = present { is_program_call: is_program_call_or_has_parent_key },
}

// Step a.

fn status_of<'a>(c: &Compaction<'a>, record: usize) -> Option<&'a Json> {
    c.stream.members(record)?.get("status")
}

fn is_completed_and_not_null(c: &Compaction<'_>) -> bool {
    is_completed(c) && status_of(c, c.stream.latest(c.node)) != Some(&Json::Null)
}

fn was_completed_at_first(c: &Compaction<'_>) -> bool {
    let status = c.stream.field(c.stream.first(c.node), "status");
    status.is_none_or(|status| status.as_str() == Some("completed"))
}

fn has_no_other_listed_status(c: &Compaction<'_>) -> bool {
    let status = c.field("status").and_then(Json::as_str);
    !matches!(status, Some("failed" | "cancelled" | "in_progress"))
}

fn is_completed_and_throughid_resolves(c: &Compaction<'_>) -> bool {
    let is_lost =
        |form: &Replaces<'_>| matches!(form, Replaces::Through(t) if c.resolve(t, &mut ()).is_err());
    is_completed(c) && !first_form(c).iter().any(is_lost)
}

/// The index on P of the last item before the record that completed c.
fn completion(c: &Compaction<'_>) -> usize {
    let latest = c.stream.latest(c.node);
    let is_before = |item: &Item| match item {
        Item::Node(node) => c.stream.first(*node) < latest,
        Item::Gap(gap) => *gap < latest,
        Item::UnknownPredecessor | Item::Unresolved { .. } | Item::Inherited => false,
    };
    c.path.iter().rposition(is_before).unwrap_or(0).max(c.index)
}

fn place_of_completion(c: &Compaction<'_>) -> Place {
    let completion = completion(c);
    Place::Index(completion, if completion == c.index { Side::At } else { Side::JustAfter })
}

fn before_completion(c: &Compaction<'_>, view: &[ViewEntry]) -> Vec<usize> {
    let end = place_of_completion(c);
    let before = view.iter().enumerate().filter(|(_, entry)| entry.place <= end && !c.is_own(entry));
    before.map(|(at, _)| at).collect()
}

// Step b.

fn first_form_or_unknown<'a>(c: &Compaction<'a>) -> Vec<Replaces<'a>> {
    let form = first_form(c);
    if form.is_empty() { vec![Replaces::Unknown] } else { form }
}

fn first_form_unless_branch_summary<'a>(c: &Compaction<'a>) -> Vec<Replaces<'a>> {
    let is_branch_summary = c.field("kind").and_then(Json::as_str) == Some("branch_summary");
    if is_branch_summary { Vec::new() } else { first_form(c) }
}

fn first_form_or_unknown_without_anchor<'a>(c: &Compaction<'a>) -> Vec<Replaces<'a>> {
    match insert_at(c) {
        Some(InsertAt::After(anchor) | InsertAt::Before(anchor)) if c.resolve(anchor, &mut ()).is_err() => {
            vec![Replaces::Unknown]
        }
        _ => first_form(c),
    }
}

pub(super) fn all_but_own_entry(c: &Compaction<'_>, view: &[ViewEntry]) -> Vec<usize> {
    view.iter().enumerate().filter(|(_, entry)| !c.is_own(entry)).map(|(at, _)| at).collect()
}

fn index_or_nothing(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    reference: &Json,
    _: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Option<usize> {
    index_on_path(c, view, reference, &mut Vec::new(), trace)
}

fn index_or_unknown_replacement(
    c: &Compaction<'_>,
    _: &[ViewEntry],
    reference: &Json,
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Option<usize> {
    match c.resolve(reference, trace) {
        Ok(node) => c.index_of(node),
        Err(_) => {
            lost.push(Shows::UnknownReplacement(c.node));
            None
        }
    }
}

fn index_or_marker_off_path(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    reference: &Json,
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Option<usize> {
    let index = index_on_path(c, view, reference, lost, trace);
    if index.is_none() && c.resolve(reference, &mut ()).is_ok() {
        lost.push(unresolved(reference));
    }
    index
}

fn unresolved(reference: &Json) -> Shows {
    Unresolved { reference: reference.clone(), status: RefStatus::Unresolved }.into()
}

fn index_or_unknown_off_path(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    reference: &Json,
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Option<usize> {
    let index = index_on_path(c, view, reference, lost, trace);
    if index.is_none() && c.resolve(reference, &mut ()).is_ok() {
        lost.push(Shows::UnknownReplacement(c.node));
    }
    index
}

fn index_or_beyond_all(
    c: &Compaction<'_>,
    _: &[ViewEntry],
    reference: &Json,
    _: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Option<usize> {
    c.resolve(reference, trace).map_or(Some(usize::MAX), |node| c.index_of(node))
}

fn is_marker_of_path(entry: &ViewEntry) -> bool {
    matches!(&entry.shows, Shows::Item(item) if !matches!(item, Item::Node(_)))
}

fn in_range_unless_marker(c: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    in_range(c, entry, t, k) && !is_marker_of_path(entry)
}

fn in_range_unless_inherited(c: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    in_range(c, entry, t, k) && !matches!(entry.shows, Shows::Item(Item::Inherited))
}

fn in_range_if_node_or_summary(c: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    in_range(c, entry, t, k) && (entry.node().is_some() || matches!(entry.shows, Shows::Summary(_)))
}

fn in_range_unless_inserted_by_kept(
    c: &Compaction<'_>,
    entry: &ViewEntry,
    t: usize,
    k: Option<usize>,
) -> bool {
    let is_kept = |by| k.and_then(|k| c.path.get(k)) == Some(&Item::Node(by));
    in_range(c, entry, t, k) && !inserted_by(entry).is_some_and(is_kept)
}

/// The compaction that inserted an entry.
fn inserted_by(entry: &ViewEntry) -> Option<NodeId> {
    match entry.shows {
        Shows::Summary(by) | Shows::UnknownReplacement(by) | Shows::Retained { by, .. } => Some(by),
        Shows::Item(_) => None,
    }
}

fn in_range_up_to_kept(c: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    match k {
        Some(k) if k > t => entry.place < Place::Index(k, Side::At),
        _ => in_range(c, entry, t, k),
    }
}

fn resolved_ids_and_markers(
    c: &Compaction<'_>,
    ids: &[Json],
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for id in ids {
        match c.resolve(id, trace) {
            Ok(node) => nodes.push(node),
            Err(unresolved) => lost.push(unresolved.into()),
        }
    }
    nodes
}

fn all_ids_or_unknown_replacement(
    c: &Compaction<'_>,
    ids: &[Json],
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Vec<NodeId> {
    let nodes = resolved_ids(c, ids, lost, trace);
    if nodes.len() == ids.len() {
        return nodes;
    }
    lost.push(Shows::UnknownReplacement(c.node));
    Vec::new()
}

pub(super) fn node_of(entry: &ViewEntry, nodes: &[NodeId]) -> bool {
    entry.node().is_some_and(|node| nodes.contains(&node))
}

pub(super) fn node_or_summary_or_retained_of(entry: &ViewEntry, nodes: &[NodeId]) -> bool {
    let is_retained = matches!(&entry.shows, Shows::Retained { node, .. } if nodes.contains(node));
    node_or_summary_of(entry, nodes) || is_retained
}

fn node_or_summary_or_unknown_of(entry: &ViewEntry, nodes: &[NodeId]) -> bool {
    let is_unknown = matches!(&entry.shows, Shows::UnknownReplacement(node) if nodes.contains(node));
    node_or_summary_of(entry, nodes) || is_unknown
}

// Step d.

/// A node, summary or retained entry: context, not a marker.
fn is_context(entry: &ViewEntry) -> bool {
    match &entry.shows {
        Shows::Item(item) => matches!(item, Item::Node(_)),
        Shows::Summary(_) | Shows::Retained { .. } => true,
        Shows::UnknownReplacement(_) => false,
    }
}

fn before_first_context_entry(c: &Compaction<'_>, view: &[ViewEntry]) -> Place {
    match view.iter().find(|entry| is_context(entry)).map(|entry| entry.place) {
        None => Place::Index(c.index, Side::At),
        Some(Place::Index(index, Side::JustAfter)) => Place::Index(index, Side::At),
        Some(Place::Index(index, Side::At | Side::JustBefore)) => Place::Index(index, Side::JustBefore),
        Some(Place::Start) => Place::Start,
    }
}

fn just_before_index_0(_: &Compaction<'_>, _: &[ViewEntry]) -> Place {
    Place::Index(0, Side::JustBefore)
}

pub(super) fn index_if_shown(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    reference: &Json,
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Option<usize> {
    let index = index_on_path(c, view, reference, lost, trace)?;
    let item = c.path.get(index);
    let is_shown = view.iter().any(|entry| matches!(&entry.shows, Shows::Item(shown) if Some(shown) == item));
    is_shown.then_some(index)
}

pub(super) fn same_index_after(index: usize, side: Side) -> Place {
    Place::Index(index, if side == Side::JustAfter { Side::At } else { side })
}

pub(super) fn same_index_before(index: usize, side: Side) -> Place {
    Place::Index(index, if side == Side::JustBefore { Side::At } else { side })
}

fn between_indexes(index: usize, side: Side) -> Place {
    match (side, index.checked_sub(1)) {
        (Side::JustBefore, Some(before)) => Place::Index(before, Side::JustAfter),
        _ => Place::Index(index, side),
    }
}

fn smallest_place_of_context(_: &Compaction<'_>, r: &[ViewEntry]) -> Option<Place> {
    r.iter().filter(|entry| is_context(entry)).map(|entry| entry.place).min()
}

fn smallest_place_or_of_named_compactions(c: &Compaction<'_>, r: &[ViewEntry]) -> Option<Place> {
    let forms = first_form(c);
    let ids = forms.iter().flat_map(|form| if let Replaces::Ids(ids) = form { ids } else { &[][..] });
    let compactions = ids
        .filter_map(|id| c.resolve(id, &mut ()).ok())
        .filter(|&node| c.stream.type_of(c.stream.first(node)) == "compaction");
    let smallest = compactions.filter_map(|node| c.index_of(node)).min();
    smallest_place(c, r).or(smallest.map(|index| Place::Index(index, Side::At)))
}

/// What one compaction inserts keeps its order.
fn first_beyond_or_front_of_start(view: &[ViewEntry], new: &ViewEntry) -> usize {
    if new.place != Place::Start {
        return first_beyond(view, new);
    }
    let is_of_same = |entry: &ViewEntry| match &entry.shows {
        Shows::Item(item) => matches!(item, Item::Unresolved { .. }) && entry.place == Place::Start,
        _ => inserted_by(entry) == inserted_by(new),
    };
    view.iter().take_while(|entry| is_of_same(entry)).count()
}

// Steps e to g.

fn unknown_replacement_in_front(c: &Compaction<'_>, _: Place) -> Option<ViewEntry> {
    Some(ViewEntry { place: Place::Start, shows: Shows::UnknownReplacement(c.node) })
}

/// The retained node of an entry that step f inserts.
fn retained_node(entry: &ViewEntry) -> Option<NodeId> {
    if let Shows::Retained { node, .. } = entry.shows { Some(node) } else { None }
}

fn retained_if_resolved(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    element: &Json,
    x: Place,
    trace: &mut dyn Trace,
) -> Option<ViewEntry> {
    retained(c, view, element, x, trace).filter(|entry| retained_node(entry).is_some())
}

fn retained_unless_shown(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    element: &Json,
    x: Place,
    trace: &mut dyn Trace,
) -> Option<ViewEntry> {
    let is_shown = |node| view.iter().any(|entry| entry.node() == Some(node));
    retained(c, view, element, x, trace).filter(|entry| !retained_node(entry).is_some_and(is_shown))
}

fn retained_at_own_index(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    element: &Json,
    x: Place,
    trace: &mut dyn Trace,
) -> Option<ViewEntry> {
    let entry = retained(c, view, element, x, trace)?;
    let index = retained_node(&entry).and_then(|node| c.index_of(node));
    Some(ViewEntry { place: index.map_or(x, |index| Place::Index(index, Side::At)), ..entry })
}

fn retained_or_marker_off_path(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    element: &Json,
    x: Place,
    trace: &mut dyn Trace,
) -> Option<ViewEntry> {
    let entry = retained(c, view, element, x, trace)?;
    let is_off_path = retained_node(&entry).is_some_and(|node| c.index_of(node).is_none());
    let reference = element.as_object().and_then(|element| element.get("ref")).unwrap_or(&Json::Null);
    Some(if is_off_path { ViewEntry { place: x, shows: unresolved(reference) } } else { entry })
}

fn retained_if_on_path(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    element: &Json,
    x: Place,
    trace: &mut dyn Trace,
) -> Option<ViewEntry> {
    let is_off_path = |entry: &ViewEntry| retained_node(entry).is_some_and(|node| c.index_of(node).is_none());
    retained(c, view, element, x, trace).filter(|entry| !is_off_path(entry))
}

fn retained_or_summary(
    c: &Compaction<'_>,
    view: &[ViewEntry],
    element: &Json,
    x: Place,
    trace: &mut dyn Trace,
) -> Option<ViewEntry> {
    let entry = retained(c, view, element, x, trace)?;
    let is_compaction = |node: &NodeId| c.stream.type_of(c.stream.first(*node)) == "compaction";
    Some(match retained_node(&entry).filter(is_compaction) {
        Some(compaction) => ViewEntry { place: x, shows: Shows::Summary(compaction) },
        None => entry,
    })
}

fn has_content_or_empty_summary(c: &Compaction<'_>) -> bool {
    has_content(c) || c.field("summary").is_some()
}

fn has_content_or_empty_opaque(c: &Compaction<'_>) -> bool {
    has_content(c) || c.field("opaque").is_some()
}

// Step 4.

pub(super) fn unless_unseen(stream: &Stream, path: &[Item], item: &Item) -> bool {
    let Item::Node(node) = item else { return true };
    !is_unseen(stream, *node, &program_calls(stream, path, &[]))
}

pub(super) fn node_or_retained(entry: &ViewEntry) -> Option<NodeId> {
    node_entry(entry).or(retained_node(entry))
}

fn program_calls_on_path(stream: &Stream, path: &[Item], view: &[ViewEntry]) -> Vec<NodeId> {
    let mut calls = program_calls(stream, path, view);
    calls.retain(|call| path.contains(&Item::Node(*call)));
    calls
}

fn program_calls_in_view(stream: &Stream, path: &[Item], view: &[ViewEntry]) -> Vec<NodeId> {
    let mut calls = program_calls(stream, path, view);
    calls.retain(|call| view.iter().any(|entry| entry.node() == Some(*call)));
    calls
}

/// The calls of the stream that have the key of a call, in order.
fn calls_of_same_key(stream: &Stream, call: NodeId) -> Vec<NodeId> {
    let key = |node| call_key(stream, stream.latest(node));
    let is_call = |node: &NodeId| stream.type_of(stream.latest(*node)) == "tool_call";
    (0..stream.nodes.len()).map(NodeId).filter(is_call).filter(|node| key(*node) == key(call)).collect()
}

fn is_paired_with_first_of_key(stream: &Stream, result: NodeId, call: NodeId) -> bool {
    is_paired(stream, result, call) && calls_of_same_key(stream, call).first() == Some(&call)
}

fn is_paired_with_only_of_key(stream: &Stream, result: NodeId, call: NodeId) -> bool {
    is_paired(stream, result, call) && calls_of_same_key(stream, call) == [call]
}

fn is_program_call_at_first(stream: &Stream, node: NodeId) -> bool {
    let first = stream.first(node);
    let requested_by = stream.field(first, "requestedBy").and_then(Json::as_str);
    stream.type_of(first) == "tool_call"
        && (requested_by == Some("code") || stream.field(first, "parentCallId").is_some())
}

fn is_program_call_or_has_parent_key(stream: &Stream, node: NodeId) -> bool {
    let latest = stream.latest(node);
    let has_key = stream.members(latest).is_some_and(|call| call.contains_key("parentCallId"));
    is_program_call(stream, node) || stream.type_of(latest) == "tool_call" && has_key
}

fn is_hidden_of_any_type(stream: &Stream, node: NodeId) -> bool {
    let text = |key| stream.field(stream.latest(node), key).and_then(Json::as_str);
    text("audience") == Some("user") || text("status") == Some("withdrawn")
}

// Output.

fn retained_entry_named_by_latest(stream: &Stream, node: NodeId, by: NodeId, truncated: bool) -> Entry {
    match retained_entry(stream, node, by, truncated) {
        Entry::Retained { by, truncated, .. } => {
            Entry::Retained { id: stream.name(stream.latest(node)), by, truncated }
        }
        entry => entry,
    }
}
