//! Other readings of lines, order, nodes, revisions and refs.

use super::{Kind, Variant};
use crate::choices::{Choices, R1};
use crate::context_view::call_key;
use crate::line::Line;
use crate::predecessor::{is_superseding, lower_positions};
use crate::stream::{
    Item, NodeId, Stream, highest_seq, is_one_of_the_four, is_revision, only_bearer, superseded,
};
use asr_spec::{Json, RefStatus};
use std::collections::BTreeMap;

alternatives! {
    "NR-1a" = not_a_node { takes_part: unless_it_supersedes_nothing },
    "NR-1a" = ignored_by_scan { is_ignored: carries_supersedes },
    "NR-1b" = first_bearer { supersedes: first_bearer_superseded },
    "NR-1b" = last_bearer { supersedes: last_bearer_superseded },
    "NR-2a" = link_holds { supersedes: superseded_of_any_type },
    "NR-2a" = dropped { takes_part: unless_it_crosses_types },
    "NR-2b" = dropped { takes_part: unless_it_points_forward },
    "NR-2c" = dropped { takes_part: unless_it_supersedes_audit },
    "NR-3" = tip_of_first { latest: tip_of_first },
    "NR-3b" = deepest { latest: deepest },
    "NR-5" = own_node { supersedes: superseded_of_same_key },
    "NR-7" = first_bearer { bearer: first_bearer },
    "NR-7" = last_bearer { bearer: last_bearer },
    "NR-7b" = same_node { bearer: bearer_of_same_node },
    "NR-8" = lower_seq_only { bearer: lower_bearer },
    "NR-10a" = file_order { order: file_order },
    "NR-10b" = strictly_lower { before: strictly_lower },
    "NR-11" = implicit_revision { supersedes: superseded_or_last_of_key },
    "IP3-6" = malformed { written: every_line },
    "IP3-6" = not_counted { written: numbered_unless_blank },
}

/// What the `supersedes` of a context-participating record names.
fn named(stream: &Stream, position: usize) -> Option<Result<usize, RefStatus>> {
    let supersedes = stream.field(position, "supersedes").filter(|_| is_one_of_the_four(stream, position))?;
    Some(stream.bearer(supersedes))
}

fn unless_it_supersedes_nothing(stream: &Stream, position: usize) -> bool {
    is_one_of_the_four(stream, position) && named(stream, position) != Some(Err(RefStatus::Unresolved))
}

fn unless_it_crosses_types(stream: &Stream, position: usize) -> bool {
    let crosses =
        |target| is_one_of_the_four(stream, target) && stream.type_of(target) != stream.type_of(position);
    is_one_of_the_four(stream, position)
        && !matches!(named(stream, position), Some(Ok(target)) if crosses(target))
}

fn unless_it_points_forward(stream: &Stream, position: usize) -> bool {
    is_one_of_the_four(stream, position)
        && !matches!(named(stream, position), Some(Ok(target)) if target >= position)
}

fn unless_it_supersedes_audit(stream: &Stream, position: usize) -> bool {
    let is_audit = |target| !is_one_of_the_four(stream, target);
    is_one_of_the_four(stream, position)
        && !matches!(named(stream, position), Some(Ok(target)) if is_audit(target))
}

fn carries_supersedes(stream: &Stream, position: usize) -> bool {
    is_superseding(stream, position) || named(stream, position).is_some()
}

fn bearers_superseded(stream: &Stream, position: usize) -> Vec<usize> {
    stream.field(position, "supersedes").map_or(Vec::new(), |supersedes| stream.bearers(supersedes))
}

fn first_bearer_superseded(stream: &Stream, position: usize) -> Option<usize> {
    let target = bearers_superseded(stream, position).first().copied();
    target.filter(|&target| is_revision(stream, position, target))
}

fn last_bearer_superseded(stream: &Stream, position: usize) -> Option<usize> {
    let target = bearers_superseded(stream, position).last().copied();
    target.filter(|&target| is_revision(stream, position, target))
}

fn superseded_of_any_type(stream: &Stream, position: usize) -> Option<usize> {
    match named(stream, position) {
        Some(Ok(target)) if target < position && is_one_of_the_four(stream, target) => Some(target),
        _ => superseded(stream, position),
    }
}

fn superseded_of_same_key(stream: &Stream, position: usize) -> Option<usize> {
    let is_same = |target| match (entity_key(stream, position), entity_key(stream, target)) {
        (Some(mine), Some(theirs)) => mine == theirs,
        _ => true,
    };
    superseded(stream, position).filter(|&target| is_same(target))
}

fn superseded_or_last_of_key(stream: &Stream, position: usize) -> Option<usize> {
    if stream.field(position, "supersedes").is_some() {
        return superseded(stream, position);
    }
    let key = entity_key(stream, position)?;
    let r#type = stream.type_of(position);
    let is_same = |&it: &usize| stream.type_of(it) == r#type && entity_key(stream, it) == Some(key);
    (0..position).rev().find(is_same)
}

/// The entity key of ASR-352 (`readings.md` 0.3).
fn entity_key(stream: &Stream, position: usize) -> Option<&str> {
    match stream.type_of(position) {
        "message" => stream.field(position, "messageId").and_then(Json::as_str),
        "compaction" => stream.field(position, "compactionId").and_then(Json::as_str),
        "tool_call" | "tool_result" => call_key(stream, position),
        _ => None,
    }
}

fn tip_of_first(stream: &Stream, node: NodeId) -> usize {
    let mut tip = stream.first(node);
    while let Some(next) =
        stream.items.iter().position(|item| item.node == Some(node) && item.supersedes == Some(tip))
    {
        tip = next;
    }
    tip
}

fn deepest(stream: &Stream, node: NodeId) -> usize {
    let revisions = stream.nodes.get(node.0).map_or(&[][..], |chain| &chain.revisions);
    let mut depths = BTreeMap::from([(stream.first(node), 0)]);
    for &revision in revisions {
        let superseded = stream.items.get(revision).and_then(|item| item.supersedes);
        let depth = superseded.and_then(|superseded| depths.get(&superseded)).copied().unwrap_or(0);
        depths.insert(revision, depth + 1);
    }
    let deepest = depths.into_iter().max_by_key(|&(position, depth)| (depth, position));
    deepest.map_or(highest_seq(stream, node), |(position, _)| position)
}

pub(super) fn first_bearer(_: &Stream, _: usize, bearers: &[usize]) -> Result<usize, RefStatus> {
    bearers.first().copied().ok_or(RefStatus::Unresolved)
}

fn last_bearer(_: &Stream, _: usize, bearers: &[usize]) -> Result<usize, RefStatus> {
    bearers.last().copied().ok_or(RefStatus::Unresolved)
}

fn bearer_of_same_node(stream: &Stream, carrier: usize, bearers: &[usize]) -> Result<usize, RefStatus> {
    let node = |bearer: &usize| stream.items.get(*bearer).and_then(|item| item.node);
    match bearers.split_first() {
        Some((first, others)) if node(first).is_some() && others.iter().all(|it| node(it) == node(first)) => {
            Ok(*first)
        }
        _ => only_bearer(stream, carrier, bearers),
    }
}

fn lower_bearer(stream: &Stream, carrier: usize, bearers: &[usize]) -> Result<usize, RefStatus> {
    let lower: Vec<_> = bearers.iter().copied().filter(|&bearer| bearer < carrier).collect();
    only_bearer(stream, carrier, &lower)
}

fn file_order(items: Vec<Item>) -> Vec<Item> {
    items
}

fn strictly_lower(stream: &Stream, from: usize) -> Vec<usize> {
    let seq = |position: usize| stream.items.get(position).and_then(Item::seq);
    let is_equal = |&position: &usize| seq(position).is_some() && seq(position) == seq(from);
    lower_positions(stream, from).into_iter().filter(|position| !is_equal(position)).collect()
}

fn every_line(lines: &[Line]) -> Vec<Item> {
    (1..).zip(lines).map(|(number, line)| Item::new(number, line)).collect()
}

fn numbered_unless_blank(lines: &[Line]) -> Vec<Item> {
    let written = lines.iter().filter(|line| !line.is_blank);
    (1..).zip(written).map(|(number, line)| Item::new(number, line)).collect()
}
