//! The sweep against the chapter word by word, and the streams in which compactions look ahead.

use super::*;
use crate::Stream;
use crate::random::Random;
use asr_spec::{Head, Query, What};

/// An entry of V.
struct Kept {
    place: Place,
    item: Item,
}

/// Steps 2 to 4 as they are written. O(L * C).
fn literal(reader: &Reader<'_, '_, '_>, plans: &Plans<'_>) -> Vec<Item> {
    let items = (0..).zip(reader.path);
    let mut view: Vec<Kept> = items.map(|(index, &item)| Kept { place: at(index), item }).collect();
    // Nothing is inserted yet, so a place names an item.
    view.retain(|entry| plans.dropped.binary_search_by_key(&entry.place, |&index| at(index)).is_err());
    for plan in &plans.applied {
        let own = view.iter().position(|entry| entry.item == Item::Node(plan.node)).unwrap();
        let replaced_ids: BTreeSet<Node> = match (plan.range, &plan.compaction.replaces) {
            (None, &Replaces::Ids(start, end)) => {
                let ids = &reader.index.replaced[start as usize..end as usize];
                ids.iter().filter_map(|&id| reader.graph.resolve(reader.index, id).ok()).collect()
            }
            _ => BTreeSet::new(),
        };
        let is_replaced = |entry: &Kept| match (plan.range, entry.item) {
            (Some((through, kept)), _) => {
                entry.place <= at(through) && kept.is_none_or(|kept| entry.place < at(kept))
            }
            (None, Item::Node(node) | Item::Summary(node)) => replaced_ids.contains(&node),
            (None, _) => false,
        };
        let mut smallest = None;
        let mut position = 0..;
        view.retain(|entry| {
            let position = position.next().unwrap();
            let is_removed = position < own && is_replaced(entry);
            if is_removed {
                smallest = Some(smallest.map_or(entry.place, |smallest| entry.place.min(smallest)));
            }
            !is_removed && position != own
        });
        let place = plan.place.or(smallest).unwrap_or(at(plan.index));
        let end = view.partition_point(|entry| entry.place <= place);
        let mut inserted = Vec::new();
        reader.put_inserted(&plans.unresolved, plan, plan.compaction.has_content, |item| {
            inserted.push(Kept { place, item });
        });
        view.splice(end..end, inserted);
    }
    view.into_iter().map(|entry| entry.item).filter(|&item| !reader.is_hidden(item)).collect()
}

/// Whether a ref of a compaction names a node after it.
fn looks_ahead(reader: &Reader<'_, '_, '_>, plan: &Plan<'_>) -> bool {
    let (through, kept) = plan.range.unwrap_or_default();
    let named = reader.replaced(plan.compaction).chain([through]).chain(kept);
    named.max() > Some(plan.index) || plan.place.is_some_and(|place| place > just_after(plan.index))
}

/// The views of every node of random streams. Counts those with compactions, and those of which one looks ahead.
fn agree(bent: bool) -> (usize, usize) {
    let (mut swept, mut ahead) = (0, 0);
    for seed in 0..8000 {
        let mut random = Random::new(seed);
        let length = 2 + random.below(40);
        let text = random.stream(length, bent);
        let Stream { index, graph, .. } = &Stream::read(text.as_bytes()).unwrap();
        for node in graph.nodes() {
            let Ok(path) = path::walk(index, graph, node, &mut ()) else { continue };
            let reader = Reader { index, graph, path: &path };
            let plans = reader.plan(&mut ());
            swept += usize::from(!plans.applied.is_empty());
            ahead += usize::from(plans.applied.iter().any(|plan| looks_ahead(&reader, plan)));
            let (sweep, literal) = (reader.sweep(&plans, &mut ()), literal(&reader, &plans));
            assert_eq!(sweep, literal, "seed {seed}, node {node}\n{text}");
        }
    }
    (swept, ahead)
}

#[test]
fn the_sweep_is_the_literal_algorithm() {
    // Some compactions look ahead here as well: a revision may name what came after the record it revises.
    let (swept, ahead) = agree(false);
    assert!(swept > 20_000 && ahead < swept / 10, "{swept} {ahead}");
}

#[test]
fn the_sweep_is_the_literal_algorithm_on_bent_paths_too() {
    let (swept, ahead) = agree(true);
    assert!(swept > 10_000 && ahead > 5000, "{swept} {ahead}");
}

/// Every record obeyed ASR-372 when it was written. Two rewrites turn the path into r2, r0, r1, so that the
/// range of the compaction now ends after it: the literal algorithm finds nothing before the compaction to
/// replace. A sweep that took the range for a prefix dropped r0 and r1. Paths were not affected.
#[test]
fn a_compaction_that_a_rewrite_moved_before_its_range_replaces_nothing() {
    let text = [
        r#"{"type":"message","id":"r0"}"#,
        r#"{"type":"message","id":"r1"}"#,
        r#"{"type":"compaction","id":"r2","replaces":{"throughId":"r1"},"summary":[{"type":"text"}]}"#,
        r#"{"type":"rewind","id":"r3","to":"r1"}"#,
        r#"{"type":"message","id":"r4","supersedes":"r0","branchesFrom":{"record":"r2"},"#,
        r#" "assembly":{"mode":"rewrite"}}"#,
        r#"{"type":"compaction","id":"r5","supersedes":"r2","branchesFrom":{"record":null},"#,
        r#" "assembly":{"mode":"rewrite"},"replaces":{"throughId":"r1"},"summary":[{"type":"text"}]}"#,
    ];
    let text = text.join("\n").replace(",\n ", ",");
    let stream = Stream::read(text.as_bytes()).unwrap();
    let answer = |what| stream.answer(&Query { what, head: Head::Primary }).to_string();
    assert_eq!(answer(What::Path), r#"[{"id":"r2","rev":"r5"},{"id":"r0","rev":"r4"},{"id":"r1"}]"#);
    assert_eq!(answer(What::View), r#"[{"summary":"r2","rev":"r5"},{"id":"r0","rev":"r4"},{"id":"r1"}]"#);
}

/// A hundred thousand compactions, each of which replaces the summary of the one before.
#[test]
fn many_compactions_take_no_search() {
    let mut text = String::from("{\"type\":\"message\",\"id\":\"r0\"}\n");
    for number in 1..100_000 {
        let before = number - 1;
        let replaces = format!(r#""replaces":{{"ids":["r{before}","r0"]}}"#);
        let insert_at = format!(r#""insertAt":{{"beforeId":"r{before}"}}"#);
        let line = format!(r#""type":"compaction","id":"r{number}",{replaces},{insert_at},"summary":[0]"#);
        text += &format!("{{{line}}}\n");
    }
    let stream = Stream::read(text.as_bytes()).unwrap();
    let view = stream.answer(&Query { what: What::View, head: Head::Primary });
    assert_eq!(view.to_string(), r#"[{"summary":"r99999"}]"#);
}
