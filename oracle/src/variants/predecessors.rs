//! Other readings of predecessors, explicit and implicit.

use super::{Kind, Variant};
use crate::active_path::{Item, active_path};
use crate::choices::{Choices, R1};
use crate::predecessor::{
    Branch, Edge, Passed, Predecessor, branch, branch_target, is_superseding, latest_rewrite_or_first,
    passed_in_stream_order, rewind_target, scan,
};
use crate::stream::{NodeId, Stream, highest_seq};
use asr_spec::{Json, RefStatus, Trace};
use std::collections::VecDeque;

alternatives! {
    "BF-1" = first_record { carrier: latest_rewrite_that_branches_or_first },
    "BF-1b" = latest_revision { carrier: highest_seq },
    "BF-1c" = first_record_only { carrier: first_record },
    "BF-2" = unknown { branch_target: branch_target_or_unknown },
    "BF-2" = both_markers { branch_target: branch_target_or_both_markers },
    "BF-2" = scan { branch_target: branch_target_or_scan },
    "BF-2b" = scan_from_target { branch_target: branch_target_or_scan_from_it },
    "BF-4" = absent { branch: known_form },
    "BF-5" = unknown { branch: null_is_unknown },
    "BF-5" = start { branch: null_is_start },
    "BF-6" = gap_on_edge { explicit_edge: with_gaps_of_scan },
    "BF-7" = lower_than_node { branch_target: branch_target_below_the_node },
    "IP1-1" = stops_scan { is_ignored: superseding_audit_record },
    "IP2-1" = unknown { rewind_target: rewind_target_or_unknown },
    "IP2-1" = both_markers { rewind_target: rewind_target_or_both_markers },
    "IP2-1" = skipped { rewind_target: rewind_target_or_none },
    "IP2-3" = start { rewind_target: missing_to_is_start },
    "IP2-3" = no_rewind { rewind_target: missing_to_is_no_rewind },
    "IP2-4" = ignored { is_ignored: superseding_or_rewind_with_supersedes },
    "IP2-5" = first_decides { rewind_target: target_of_the_first_rewind },
    "IP2-6" = current_path_only { rewind_target: rewind_target_on_current_path },
    "IP3-1" = between_nodes { edge_gaps: gaps_back_to_a_node },
    "IP3-1" = none { edge_gaps: gaps_unless_a_rewind_stops },
    "IP3-2" = scan_order { edge_gaps: passed_in_scan_order },
    "IP3-3" = two_markers { is_ignored: superseding_context_record },
    "IP3-7" = hidden { edge_gaps: gaps_behind_the_last_revision },
    "IP3-5" = no_edge { edge_gaps: gaps_unless_the_stream_starts },
}

fn latest_rewrite_that_branches_or_first(stream: &Stream, node: NodeId) -> usize {
    let rewrite = latest_rewrite_or_first(stream, node);
    if stream.field(rewrite, "branchesFrom").is_some() { rewrite } else { stream.first(node) }
}

pub(super) fn first_record(stream: &Stream, node: NodeId) -> usize {
    stream.first(node)
}

/// Replaces an edge that begins at a ref that identifies no node.
fn or_else(edge: Edge, other: impl FnOnce(Item) -> Edge) -> Edge {
    match edge.predecessor {
        Predecessor::Unresolved { reference, status } => other(Item::Unresolved { reference, status }),
        _ => edge,
    }
}

fn unknown(_: Item) -> Edge {
    Edge::from(Predecessor::Unknown)
}

fn both_markers(unresolved: Item) -> Edge {
    Edge { predecessor: Predecessor::Unknown, markers: VecDeque::from([unresolved]) }
}

fn branch_target_or_unknown(
    stream: &Stream,
    node: NodeId,
    carrier: usize,
    reference: &Json,
    trace: &mut dyn Trace,
) -> Edge {
    or_else(branch_target(stream, node, carrier, reference, trace), unknown)
}

fn branch_target_or_both_markers(
    stream: &Stream,
    node: NodeId,
    carrier: usize,
    reference: &Json,
    trace: &mut dyn Trace,
) -> Edge {
    or_else(branch_target(stream, node, carrier, reference, trace), both_markers)
}

fn branch_target_or_scan(
    stream: &Stream,
    node: NodeId,
    carrier: usize,
    reference: &Json,
    trace: &mut dyn Trace,
) -> Edge {
    let edge = branch_target(stream, node, carrier, reference, trace);
    or_else(edge, |_| scan(stream, stream.first(node), trace))
}

fn branch_target_or_scan_from_it(
    stream: &Stream,
    node: NodeId,
    carrier: usize,
    reference: &Json,
    trace: &mut dyn Trace,
) -> Edge {
    match (branch_target(stream, node, carrier, reference, trace), stream.bearer(reference)) {
        (Edge { predecessor: Predecessor::Unresolved { .. }, .. }, Ok(bearer)) => scan(stream, bearer, trace),
        (edge, _) => edge,
    }
}

fn branch_target_below_the_node(
    stream: &Stream,
    node: NodeId,
    carrier: usize,
    reference: &Json,
    trace: &mut dyn Trace,
) -> Edge {
    if stream.bearer(reference).is_ok_and(|bearer| bearer >= stream.first(node)) {
        return Edge::from(unresolved(reference));
    }
    branch_target(stream, node, carrier, reference, trace)
}

fn unresolved(reference: &Json) -> Predecessor {
    Predecessor::Unresolved { reference: reference.clone(), status: RefStatus::Unresolved }
}

fn known_form(b: &Json) -> Option<Branch<'_>> {
    let state = b.as_object().and_then(|b| b.get("state")).and_then(Json::as_str);
    branch(b).filter(|form| *form != Branch::Unknown || state == Some("unknown"))
}

fn null_is_unknown(b: &Json) -> Option<Branch<'_>> {
    branch(b).or(Some(Branch::Unknown))
}

fn null_is_start(b: &Json) -> Option<Branch<'_>> {
    branch(b).or(Some(Branch::Start))
}

pub(super) fn with_gaps_of_scan(stream: &Stream, first: usize, explicit: Edge) -> Edge {
    let gaps = scan(stream, first, &mut ()).markers.into_iter().filter(|item| matches!(item, Item::Gap(_)));
    Edge { markers: explicit.markers.into_iter().chain(gaps).collect(), predecessor: explicit.predecessor }
}

pub(super) fn superseding_audit_record(stream: &Stream, position: usize) -> bool {
    is_superseding(stream, position) && !is_in_a_node(stream, position)
}

fn superseding_context_record(stream: &Stream, position: usize) -> bool {
    is_superseding(stream, position) && is_in_a_node(stream, position)
}

fn is_in_a_node(stream: &Stream, position: usize) -> bool {
    stream.items.get(position).is_some_and(|item| item.node.is_some())
}

fn is_first_of_a_node(stream: &Stream, position: usize) -> bool {
    is_in_a_node(stream, position) && !is_superseding(stream, position)
}

fn superseding_or_rewind_with_supersedes(stream: &Stream, position: usize) -> bool {
    let is_rewind = stream.type_of(position) == "rewind";
    is_superseding(stream, position) || is_rewind && stream.field(position, "supersedes").is_some()
}

fn rewind_target_or_unknown(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    Some(or_else(rewind_target(stream, rewind, trace)?, unknown))
}

fn rewind_target_or_both_markers(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    Some(or_else(rewind_target(stream, rewind, trace)?, both_markers))
}

fn rewind_target_or_none(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    let is_lost = |edge: &Edge| matches!(edge.predecessor, Predecessor::Unresolved { .. });
    rewind_target(stream, rewind, trace).filter(|edge| !is_lost(edge))
}

fn has_to(stream: &Stream, rewind: usize) -> bool {
    stream.members(rewind).is_some_and(|rewind| rewind.contains_key("to"))
}

pub(super) fn missing_to_is_start(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    if has_to(stream, rewind) {
        rewind_target(stream, rewind, trace)
    } else {
        Some(Edge::from(Predecessor::Start))
    }
}

fn missing_to_is_no_rewind(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    if has_to(stream, rewind) { rewind_target(stream, rewind, trace) } else { None }
}

fn target_of_the_first_rewind(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    let since_a_node = (0..=rewind).rev().take_while(|&position| !is_first_of_a_node(stream, position));
    let first = since_a_node.filter(|&position| stream.type_of(position) == "rewind").last();
    rewind_target(stream, first.unwrap_or(rewind), trace)
}

fn rewind_target_on_current_path(stream: &Stream, rewind: usize, trace: &mut dyn Trace) -> Option<Edge> {
    let edge = rewind_target(stream, rewind, trace)?;
    let Predecessor::Node(target) = edge.predecessor else { return Some(edge) };
    // The path before the rewind is computed under R1, since under this reading each rewind asks for the one
    // before.
    let stream = Stream { choices: R1, ..stream.clone() };
    let head = scan(&stream, rewind, &mut ()).predecessor;
    let is_on_path =
        active_path(&stream, &head, &mut ()).is_ok_and(|path| path.contains(&Item::Node(target)));
    let to = stream.members(rewind).and_then(|rewind| rewind.get("to"));
    Some(if is_on_path { edge } else { Edge::from(unresolved(to.unwrap_or(&Json::Null))) })
}

fn stops_at_a_rewind(stream: &Stream, passed: &Passed) -> bool {
    passed.stop.is_some_and(|stop| stream.type_of(stop) == "rewind")
}

pub(super) fn gaps_back_to_a_node(stream: &Stream, passed: &Passed) -> Vec<usize> {
    let mut gaps = passed.gaps.clone();
    if stops_at_a_rewind(stream, passed) {
        let before = (0..passed.stop.unwrap_or(0)).rev();
        let before = before.take_while(|&position| !is_first_of_a_node(stream, position));
        gaps.extend(before.filter(|&position| !is_superseding(stream, position) && is_gap(stream, position)));
    }
    gaps.reverse();
    gaps
}

fn is_gap(stream: &Stream, position: usize) -> bool {
    stream.members(position).is_none() || stream.type_of(position) == "gap"
}

pub(super) fn gaps_unless_a_rewind_stops(stream: &Stream, passed: &Passed) -> Vec<usize> {
    if stops_at_a_rewind(stream, passed) { Vec::new() } else { passed_in_stream_order(stream, passed) }
}

pub(super) fn passed_in_scan_order(_: &Stream, passed: &Passed) -> Vec<usize> {
    passed.gaps.clone()
}

fn gaps_behind_the_last_revision(stream: &Stream, passed: &Passed) -> Vec<usize> {
    let mut gaps = passed_in_stream_order(stream, passed);
    let edge = passed.stop.map_or(0, |stop| stop + 1)..passed.from;
    let is_revision = |&position: &usize| is_superseding(stream, position) && is_in_a_node(stream, position);
    if let Some(revision) = edge.rev().find(is_revision) {
        gaps.retain(|&gap| gap > revision);
    }
    gaps
}

fn gaps_unless_the_stream_starts(stream: &Stream, passed: &Passed) -> Vec<usize> {
    if passed.stop.is_none() { Vec::new() } else { passed_in_stream_order(stream, passed) }
}
