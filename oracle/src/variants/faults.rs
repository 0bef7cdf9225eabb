//! Planted faults: mistakes of a line that someone who implements the chapter would make.
//!
//! A check that tells a fault from the default would notice the mistake in an implementation. Some faults
//! repeat an alternative reading: what its label asks in good faith is a slip where the text is clear.

use super::predecessors::{
    first_record, gaps_back_to_a_node, gaps_unless_a_rewind_stops, missing_to_is_start, passed_in_scan_order,
    superseding_audit_record, with_gaps_of_scan,
};
use super::views::{
    all_but_own_entry, index_if_shown, node_of, node_or_retained, node_or_summary_or_retained_of,
    same_index_after, same_index_before, unless_unseen,
};
use super::{Kind, Variant, paths::inherited_if_referenced};
use crate::active_path::{Cycle, Item, inherits, marker};
use crate::choices::{Choices, R1};
use crate::context_view::{
    Compaction, InsertAt, Place, Shows, Side, ViewEntry, first_beyond, has_content, in_path_order, in_range,
    insert_at, is_completed, is_hidden, is_paired, is_program_call, is_unseen, program_calls, resolved_ids,
    retained_entry, smallest_place,
};
use crate::heads::{default_head, first_head};
use crate::line::{Line, members, numbered_then_not_blank};
use crate::predecessor::{
    Branch, Edge, Passed, Predecessor, branch, is_superseding, passed_in_stream_order, rewind_target,
};
use crate::stream::{self, NodeId, Stream, is_one_of_the_four, only_bearer};
use asr_spec::{Entry, Json, Name, RefStatus, Trace};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

macro_rules! faults {
    ($($name:ident: $summary:literal { $($choice:ident: $function:expr),+ $(,)? },)*) => {
        /// Every fault.
        pub(super) const FAULTS: &[Variant] = &[$(Variant {
            name: concat!("fault:", stringify!($name)),
            kind: Kind::Fault { summary: $summary },
            choices: Choices { $($choice: $function,)+ ..R1 },
        }),*];
    };
}

faults! {
    // Lines and order.
    lines_from_zero: "the first line has the number 0" { written: numbered_from_zero },
    huge_numbers_malformed: "a number beyond a double makes a line malformed" {
        members: members_of_finite_numbers,
    },
    seq_as_text: "seq is compared as text" { order: in_order_of_text },
    malformed_lines_first: "lines without a seq are sorted to the front" { order: in_order_of_seq_alone },

    // Nodes, revisions and refs.
    unknown_types_take_part: "records of types unknown to the chapter take part" {
        takes_part: unless_known_audit,
    },
    results_take_no_part: "tool results take no part in the context" { takes_part: unless_tool_result },
    content_of_first_record: "the content of a node is its first record" { latest: Stream::first },
    first_records_only: "refs resolve to the first records of chains only" {
        bearer: bearer_of_first_records,
    },
    rev_missing: "no entry has a rev" { names: first_alone },
    named_by_latest: "a node is named by its latest revision" { names: latest_alone },

    // Predecessors.
    first_branches_from: "only the first record's branchesFrom is read" { carrier: first_record },
    first_rewrite: "the first marked rewrite decides, not the latest" { carrier: first_rewrite_or_first },
    any_branches_from: "the latest revision's branchesFrom counts, rewrite or not" {
        carrier: Stream::latest,
    },
    any_assembly_rewrites: "a revision with any assembly is a marked rewrite" {
        carrier: latest_assembly_or_first,
    },
    record_null_is_missing: "branchesFrom.record null is taken for a missing key" {
        branch: record_null_is_unknown,
    },
    gaps_before_branches: "an edge from branchesFrom collects the gaps before the record" {
        explicit_edge: with_gaps_of_scan,
    },
    revisions_stop_scan: "the scan stops on superseding records" { is_ignored: superseding_audit_record },
    revisions_move_nodes: "a node stands where its latest revision does" {
        is_ignored: unless_latest_of_node,
    },
    rewinds_ignored: "the scan ignores rewinds" { rewind_target: no_rewind },
    rewind_to_null_ignored: "a rewind to null is no rewind" { rewind_target: rewind_target_unless_null },
    missing_to_is_null: "a rewind without to is one to null" { rewind_target: missing_to_is_start },
    gaps_reversed: "the gaps of an edge stand in the order of the scan" { edge_gaps: passed_in_scan_order },
    gaps_lost_at_rewinds: "an edge over a rewind has no gaps" { edge_gaps: gaps_unless_a_rewind_stops },
    gaps_past_rewinds: "an edge over a rewind has the gaps before it as well" {
        edge_gaps: gaps_back_to_a_node,
    },
    one_gap_per_edge: "of several gaps only the one next to the node is kept" {
        edge_gaps: gap_next_to_the_node,
    },
    malformed_lines_dropped: "malformed lines are no gaps" { edge_gaps: gap_records },

    // Heads.
    last_record_is_default_head: "the default head is the last context record" { default_head: last_node },
    earliest_heads: "the earliest heads win" { stated_heads: heads_of_earliest_info },
    last_head_is_primary: "the last head is the primary one" { primary: last_head },
    null_head_is_default: "a first head that is null stands for the default head" {
        primary: first_head_or_default,
    },
    null_head_is_start: "a first head that is null gives an empty path" { primary: first_head_or_start },

    // Active path.
    seen_by_id: "nodes of the same name are taken for one" { cycle: met_the_same_name },
    cycle_gives_empty_path: "a cycle gives an empty path" { stop: empty_path },
    unresolved_as_unknown: "a ref that does not resolve shows as an unknown predecessor" {
        in_place_of: unknown_marker,
    },
    inherited_at_start: "the path of START has the inherited marker" {
        path_of_start: inherited_if_referenced,
    },
    inherited_whatever_mode: "the inherited marker stands whatever the mode is" { inherits: has_a_mode },

    // Compactions.
    compactions_reversed: "compactions apply from the last to the first" {
        compactions: in_reverse_path_order,
    },
    failed_applied: "compactions apply whatever their status is" { is_applied: always_applied },
    completed_not_applied: "a compaction with a status does not apply" { is_applied: has_no_status },
    status_required: "a compaction without a status does not apply" { is_applied: is_completed_by_status },
    status_ignoring_case: "the status is compared without case" { is_applied: is_completed_in_any_case },
    range_exclusive: "the range ends before throughId" { in_range: in_range_before_t },
    range_past_compaction: "the range reaches past the compaction" { preceding: all_but_own_entry },
    range_by_seq: "ranges compare records by position in the stream, not on the path" {
        in_range: in_range_by_position,
    },
    range_needs_shown_nodes: "throughId and keptFromId count only while V shows their nodes" {
        through_index: index_if_shown,
        kept_index: index_if_shown,
    },
    kept_exclusive: "what keptFromId names is replaced as well" { in_range: in_range_through_k },
    kept_ignored: "keptFromId is ignored" { in_range: in_range_without_k },
    only_first_id: "only the first of replaces.ids counts" { ids: first_resolved_id },
    ids_spare_summaries: "ids remove no summaries" { is_named: node_of },
    ids_take_retained: "ids remove retained entries" { is_named: node_or_summary_or_retained_of },

    // Insertion.
    insert_at_ignored: "insertAt is ignored" { insert_at: nowhere },
    after_null_ignored: "afterId null is taken for a missing key" { insert_at: insert_at_unless_start },
    sides_swapped: "afterId inserts before, beforeId after" { beside: other_side },
    after_same_index: "afterId inserts at the index itself" { beside: same_index_after },
    before_same_index: "beforeId inserts at the index itself" { beside: same_index_before },
    largest_index: "x is the largest index of R" { smallest: largest_place },
    first_named_gives_place: "x is the index of the first of replaces.ids" { smallest: place_of_first_named },
    unseen_give_no_place: "entries that step 4 will drop give no place" { smallest: smallest_place_of_seen },
    own_index_always: "x is the index of the compaction whatever R is" { smallest: no_place },
    insert_before_equal: "new entries go before those of the same index" { insert_before: first_not_before },
    new_entries_at_end: "new entries go to the end of V" { insert_before: end_of_view },
    summary_before_retained: "the summary goes before the retained entries" { insert_before: summary_first },
    retained_reversed: "the retained entries stand in reverse" { insert_before: retained_in_reverse },
    unknown_marker_missing: "there is no unknown-replacement marker" { unknown_replacement: no_marker },
    capture_dropped: "a truncated capture is not shown" { retained_entry: retained_entry_without_capture },
    opaque_is_no_content: "opaque content shows no summary entry" { has_content: has_summary },
    prune_has_no_summary: "a compaction of kind prune shows no summary" {
        has_content: has_content_unless_prune,
    },

    // Step 4.
    step_4_first: "step 4 runs before step 3" { enters: unless_unseen },
    step_4_on_retained: "step 4 removes retained entries" { node_of_step_4: node_or_retained },
    step_4_skips_results: "results of program calls stay" { is_paired: never_paired },
    user_audience_kept: "messages with audience user stay" { is_hidden: is_withdrawn },
    withdrawn_kept: "withdrawn messages stay" { is_hidden: is_for_users },
    any_audience_hides: "a message with any audience is removed" { is_hidden: is_hidden_or_has_audience },
    requested_by_ignored: "only parentCallId makes a program call" { is_program_call: has_parent_call },
    parent_call_ignored: "only requestedBy code makes a program call" {
        is_program_call: is_requested_by_code,
    },
    pairing_by_position: "a result pairs with the call before it" { is_paired: is_paired_with_call_before },
    pairing_looks_back_only: "a result pairs with earlier calls only" {
        is_paired: is_paired_with_earlier_call,
    },
}

// Lines and order.

fn numbered_from_zero(lines: &[Line]) -> Vec<stream::Item> {
    let items = numbered_then_not_blank(lines).into_iter();
    items.map(|item| stream::Item { line: item.line.saturating_sub(1), ..item }).collect()
}

fn members_of_finite_numbers(line: &[u8]) -> Option<BTreeMap<String, Json>> {
    let members = members(line)?;
    let mut values: Vec<&Json> = members.values().collect();
    while let Some(value) = values.pop() {
        match value {
            Json::Number(number) if number.literal().parse().is_ok_and(f64::is_infinite) => return None,
            Json::Array(items) => values.extend(items),
            Json::Object(members) => values.extend(members.values()),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    Some(members)
}

fn in_order_of_text(items: Vec<stream::Item>) -> Vec<stream::Item> {
    let mut latest = String::new();
    let mut keyed = Vec::new();
    for item in items {
        if let Some(seq) = item.seq() {
            latest = seq.to_string();
        }
        keyed.push((latest.clone(), item));
    }
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    keyed.into_iter().map(|(_, item)| item).collect()
}

fn in_order_of_seq_alone(mut items: Vec<stream::Item>) -> Vec<stream::Item> {
    items.sort_by_key(stream::Item::seq);
    items
}

// Nodes, revisions and refs.

fn unless_known_audit(stream: &Stream, position: usize) -> bool {
    let is_record = stream.members(position).is_some();
    is_record && !matches!(stream.type_of(position), "rewind" | "gap" | "session_info" | "")
}

fn unless_tool_result(stream: &Stream, position: usize) -> bool {
    is_one_of_the_four(stream, position) && stream.type_of(position) != "tool_result"
}

fn bearer_of_first_records(stream: &Stream, carrier: usize, bearers: &[usize]) -> Result<usize, RefStatus> {
    let first: Vec<_> = bearers.iter().copied().filter(|&bearer| !is_superseding(stream, bearer)).collect();
    only_bearer(stream, carrier, &first)
}

fn first_alone(stream: &Stream, node: NodeId) -> (Name, Option<Name>) {
    (stream.name(stream.first(node)), None)
}

fn latest_alone(stream: &Stream, node: NodeId) -> (Name, Option<Name>) {
    (stream.name(stream.latest(node)), None)
}

// Predecessors.

fn revisions(stream: &Stream, node: NodeId) -> &[usize] {
    stream.nodes.get(node.0).map_or(&[], |chain| &chain.revisions)
}

fn first_rewrite_or_first(stream: &Stream, node: NodeId) -> usize {
    let mut revisions = revisions(stream, node).iter().copied();
    revisions.find(|&revision| stream.is_marked_rewrite(revision)).unwrap_or(stream.first(node))
}

fn latest_assembly_or_first(stream: &Stream, node: NodeId) -> usize {
    let mut revisions = revisions(stream, node).iter().copied().rev();
    let assembled = revisions.find(|&revision| stream.field(revision, "assembly").is_some());
    assembled.unwrap_or(stream.first(node))
}

fn record_null_is_unknown(b: &Json) -> Option<Branch<'_>> {
    branch(b).map(|form| if form == Branch::Start { Branch::Unknown } else { form })
}

fn unless_latest_of_node(stream: &Stream, position: usize) -> bool {
    match stream.items.get(position).and_then(|item| item.node) {
        Some(node) => position != stream.latest(node),
        None => is_superseding(stream, position),
    }
}

fn no_rewind(_: &Stream, _: usize, _: &mut dyn Trace) -> Option<Edge> {
    None
}

fn rewind_target_unless_null(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    rewind_target(stream, rewind, trace).filter(|edge| edge.predecessor != Predecessor::Start)
}

fn gap_next_to_the_node(_: &Stream, passed: &Passed) -> Vec<usize> {
    passed.gaps.first().copied().into_iter().collect()
}

fn gap_records(stream: &Stream, passed: &Passed) -> Vec<usize> {
    let mut gaps = passed_in_stream_order(stream, passed);
    gaps.retain(|&gap| stream.members(gap).is_some());
    gaps
}

// Heads.

fn last_node(stream: &Stream, _: &mut dyn Trace) -> Predecessor {
    stream.nodes.len().checked_sub(1).map_or(Predecessor::Start, |last| Predecessor::Node(NodeId(last)))
}

fn heads_of_earliest_info(stream: &Stream) -> Option<&[Json]> {
    let infos = (0..stream.items.len()).filter(|&at| stream.type_of(at) == "session_info");
    infos.filter_map(|at| stream.field(at, "heads")?.as_array()).next()
}

fn last_head(_: &Stream, heads: Vec<Option<Predecessor>>) -> Option<Predecessor> {
    heads.into_iter().next_back().flatten()
}

fn first_head_or_default(stream: &Stream, heads: Vec<Option<Predecessor>>) -> Option<Predecessor> {
    first_head(stream, heads).or_else(|| Some(default_head(stream, &mut ())))
}

fn first_head_or_start(stream: &Stream, heads: Vec<Option<Predecessor>>) -> Option<Predecessor> {
    first_head(stream, heads).or(Some(Predecessor::Start))
}

// Active path.

fn met_the_same_name(stream: &Stream, seen: &BTreeSet<NodeId>, n: NodeId) -> Option<Cycle> {
    let name = |node| stream.name(stream.first(node));
    seen.iter().any(|&other| name(other) == name(n)).then_some(Cycle(n))
}

fn empty_path(_: VecDeque<Item>, _: Cycle) -> Result<VecDeque<Item>, Cycle> {
    Ok(VecDeque::new())
}

fn unknown_marker(p: Predecessor) -> Option<Item> {
    marker(p).map(|_| Item::UnknownPredecessor)
}

fn has_a_mode(stream: &Stream, _: &VecDeque<Item>) -> bool {
    inherits(stream, "mode").is_some()
}

// Compactions.

fn in_reverse_path_order(stream: &Stream, path: &[Item]) -> Vec<(NodeId, usize)> {
    let mut compactions = in_path_order(stream, path);
    compactions.reverse();
    compactions
}

fn always_applied(_: &Compaction<'_>) -> bool {
    true
}

fn has_no_status(c: &Compaction<'_>) -> bool {
    c.field("status").is_none()
}

fn is_completed_by_status(c: &Compaction<'_>) -> bool {
    is_completed(c) && c.field("status").is_some()
}

fn is_completed_in_any_case(c: &Compaction<'_>) -> bool {
    let status = c.field("status").and_then(Json::as_str);
    is_completed(c) || status.is_some_and(|status| status.eq_ignore_ascii_case("completed"))
}

fn in_range_before_t(c: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    in_range(c, entry, t, k) && entry.place < Place::Index(t, Side::At)
}

fn in_range_by_position(c: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    let position = |index: usize| match c.path.get(index)? {
        Item::Node(node) => Some(c.stream.first(*node)),
        _ => None,
    };
    match (entry.node().map(|node| c.stream.first(node)), position(t)) {
        (Some(it), Some(t)) => it <= t && k.and_then(position).is_none_or(|k| it < k),
        _ => in_range(c, entry, t, k),
    }
}

fn in_range_through_k(c: &Compaction<'_>, entry: &ViewEntry, t: usize, k: Option<usize>) -> bool {
    in_range(c, entry, t, k.map(|k| k.saturating_add(1)))
}

fn in_range_without_k(c: &Compaction<'_>, entry: &ViewEntry, t: usize, _: Option<usize>) -> bool {
    in_range(c, entry, t, None)
}

fn first_resolved_id(
    c: &Compaction<'_>,
    ids: &[Json],
    lost: &mut Vec<Shows>,
    trace: &mut dyn Trace,
) -> Vec<NodeId> {
    resolved_ids(c, ids.get(..1).unwrap_or_default(), lost, trace)
}

// Insertion.

fn nowhere<'a>(_: &Compaction<'a>) -> Option<InsertAt<'a>> {
    None
}

fn insert_at_unless_start<'a>(c: &Compaction<'a>) -> Option<InsertAt<'a>> {
    insert_at(c).filter(|insert_at| *insert_at != InsertAt::Start)
}

fn other_side(index: usize, side: Side) -> Place {
    let other = match side {
        Side::JustBefore => Side::JustAfter,
        Side::At => Side::At,
        Side::JustAfter => Side::JustBefore,
    };
    Place::Index(index, other)
}

fn largest_place(_: &Compaction<'_>, r: &[ViewEntry]) -> Option<Place> {
    r.iter().map(|entry| entry.place).max()
}

fn place_of_first_named(c: &Compaction<'_>, r: &[ViewEntry]) -> Option<Place> {
    let ids = c.field("replaces").and_then(|replaces| replaces.as_object()?.get("ids")?.as_array());
    let first = ids.and_then(|ids| c.resolve(ids.first()?, &mut ()).ok());
    let named = r.iter().find(|entry| first.is_some() && entry.node() == first);
    named.map(|entry| entry.place).or(smallest_place(c, r))
}

fn smallest_place_of_seen(c: &Compaction<'_>, r: &[ViewEntry]) -> Option<Place> {
    let calls = program_calls(c.stream, c.path, r);
    let is_seen = |entry: &&ViewEntry| !entry.node().is_some_and(|node| is_unseen(c.stream, node, &calls));
    r.iter().filter(is_seen).map(|entry| entry.place).min()
}

fn no_place(_: &Compaction<'_>, _: &[ViewEntry]) -> Option<Place> {
    None
}

fn first_not_before(view: &[ViewEntry], new: &ViewEntry) -> usize {
    view.iter().position(|entry| entry.place >= new.place).unwrap_or(view.len())
}

fn end_of_view(view: &[ViewEntry], _: &ViewEntry) -> usize {
    view.len()
}

/// The position of the first entry that a compaction retains.
fn first_retained_by(view: &[ViewEntry], compaction: NodeId) -> Option<usize> {
    view.iter().position(|entry| matches!(entry.shows, Shows::Retained { by, .. } if by == compaction))
}

fn summary_first(view: &[ViewEntry], new: &ViewEntry) -> usize {
    let Shows::Summary(of) = new.shows else { return first_beyond(view, new) };
    first_retained_by(view, of).unwrap_or(first_beyond(view, new))
}

fn retained_in_reverse(view: &[ViewEntry], new: &ViewEntry) -> usize {
    let Shows::Retained { by, .. } = new.shows else { return first_beyond(view, new) };
    first_retained_by(view, by).unwrap_or(first_beyond(view, new))
}

fn no_marker(_: &Compaction<'_>, _: Place) -> Option<ViewEntry> {
    None
}

fn retained_entry_without_capture(stream: &Stream, node: NodeId, by: NodeId, _: bool) -> Entry {
    retained_entry(stream, node, by, false)
}

fn has_summary(c: &Compaction<'_>) -> bool {
    has_content(c) && c.field("summary").is_some()
}

fn has_content_unless_prune(c: &Compaction<'_>) -> bool {
    has_content(c) && c.field("kind").and_then(Json::as_str) != Some("prune")
}

// Step 4.

fn text<'a>(stream: &'a Stream, node: NodeId, key: &str) -> Option<&'a str> {
    stream.field(stream.latest(node), key).and_then(Json::as_str)
}

fn never_paired(_: &Stream, _result: NodeId, _call: NodeId) -> bool {
    false
}

fn is_withdrawn(stream: &Stream, node: NodeId) -> bool {
    is_hidden(stream, node) && text(stream, node, "status") == Some("withdrawn")
}

fn is_for_users(stream: &Stream, node: NodeId) -> bool {
    is_hidden(stream, node) && text(stream, node, "audience") == Some("user")
}

fn is_hidden_or_has_audience(stream: &Stream, node: NodeId) -> bool {
    let is_message = stream.type_of(stream.latest(node)) == "message";
    is_hidden(stream, node) || is_message && text(stream, node, "audience").is_some()
}

fn has_parent_call(stream: &Stream, node: NodeId) -> bool {
    is_program_call(stream, node) && stream.field(stream.latest(node), "parentCallId").is_some()
}

fn is_requested_by_code(stream: &Stream, node: NodeId) -> bool {
    is_program_call(stream, node) && text(stream, node, "requestedBy") == Some("code")
}

fn is_paired_with_call_before(stream: &Stream, result: NodeId, call: NodeId) -> bool {
    let is_call = |node: &NodeId| stream.type_of(stream.latest(*node)) == "tool_call";
    let is_result = stream.type_of(stream.latest(result)) == "tool_result";
    is_result && (0..result.0).rev().map(NodeId).find(is_call) == Some(call)
}

fn is_paired_with_earlier_call(stream: &Stream, result: NodeId, call: NodeId) -> bool {
    is_paired(stream, result, call) && stream.first(call) < stream.first(result)
}
