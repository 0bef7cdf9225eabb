//! Other readings of ACTIVE-PATH and of its output.

use super::{Kind, Variant};
use crate::active_path::{Cycle, Item, inherited_entry, is_referenced, marker, met_again};
use crate::choices::{Choices, R1};
use crate::predecessor::{Predecessor, edge};
use crate::stream::{NodeId, Stream};
use asr_spec::{Entry, Json, Name, Query};
use std::collections::{BTreeSet, VecDeque};

alternatives! {
    "BF-7b" = path_so_far { stop: path_so_far },
    "AP1-1" = inherited_marker { path_of_start: inherited_if_referenced },
    "AP2-1" = marker_alone { inherits: is_referenced_and_has_a_node },
    "AP3-1" = no_marker { in_place_of: marker_unless_unknown },
    "AP3a-1" = whole_stream { cycle: met_again_anywhere },
    "AP4-2" = not_at_explicit_start { inherits: is_referenced_and_not_explicit },
    "AP4-1" = record_wise { lineage: lineage_of_latest_info },
    "AP4-3" = through_id_only { inherited_entry: inherited_entry_of_one_key },
    "OUT-1" = by_gap { shown: without_repeated_gaps },
}

fn path_so_far(path: VecDeque<Item>, _: Cycle) -> Result<VecDeque<Item>, Cycle> {
    Ok(path)
}

pub(super) fn inherited_if_referenced(stream: &Stream) -> VecDeque<Item> {
    let path = VecDeque::new();
    if is_referenced(stream, &path) { VecDeque::from([Item::Inherited]) } else { path }
}

fn is_referenced_and_has_a_node(stream: &Stream, path: &VecDeque<Item>) -> bool {
    is_referenced(stream, path) && path.iter().any(|item| matches!(item, Item::Node(_)))
}

fn is_referenced_and_not_explicit(stream: &Stream, path: &VecDeque<Item>) -> bool {
    let first = path.iter().find_map(|item| if let Item::Node(node) = item { Some(*node) } else { None });
    is_referenced(stream, path) && !first.is_some_and(|first| starts_explicitly(stream, first))
}

/// A scan comes to START over a rewind or at the start of the stream.
fn starts_explicitly(stream: &Stream, node: NodeId) -> bool {
    let carrier = (stream.choices.carrier)(stream, node);
    let has_branch = stream.field(carrier, "branchesFrom").is_some();
    let has_rewind = (0..stream.first(node)).any(|position| stream.type_of(position) == "rewind");
    (has_branch || has_rewind) && edge(stream, node, &mut ()).predecessor == Predecessor::Start
}

fn marker_unless_unknown(p: Predecessor) -> Option<Item> {
    marker(p).filter(|marker| *marker != Item::UnknownPredecessor)
}

fn met_again_anywhere(stream: &Stream, seen: &BTreeSet<NodeId>, n: NodeId) -> Option<Cycle> {
    // The whole stream is looked at when the walk sets out.
    let anywhere =
        seen.is_empty().then(|| (0..stream.nodes.len()).find_map(|from| cycle(stream, NodeId(from))));
    anywhere.flatten().or_else(|| met_again(stream, seen, n))
}

/// The cycle into which a node leads.
fn cycle(stream: &Stream, mut n: NodeId) -> Option<Cycle> {
    let mut seen = BTreeSet::new();
    while seen.insert(n) {
        let Predecessor::Node(p) = edge(stream, n, &mut ()).predecessor else { return None };
        n = p;
    }
    Some(Cycle(n))
}

fn lineage_of_latest_info(stream: &Stream) -> Option<&Json> {
    let latest = (0..stream.items.len()).rev().find(|&at| stream.type_of(at) == "session_info")?;
    stream.field(latest, "lineage")
}

fn inherited_entry_of_one_key(stream: &Stream) -> Entry {
    match inherited_entry(stream) {
        Entry::Inherited { session, through_id: Some(through_id), .. } => {
            Entry::Inherited { session, through_id: Some(through_id), through_ordinal: None }
        }
        entry => entry,
    }
}

fn without_repeated_gaps(_: &Stream, _: &Query, mut entries: Vec<Entry>) -> Vec<Entry> {
    let mut gaps = BTreeSet::new();
    entries.retain(|entry| match entry {
        Entry::Gap { id } => gaps.insert(id.clone()),
        Entry::Malformed { .. } => gaps.insert(Name::from("malformed")),
        _ => true,
    });
    entries
}
