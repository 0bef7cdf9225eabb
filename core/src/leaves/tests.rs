//! All leaves against each of them alone, and what they cost.

use super::*;
use crate::path;
use crate::random::Random;
use std::fmt::Write as _;

/// The leaves by their definition, in the promised order, with what a walk from each finds.
fn one_by_one(stream: &Stream<'_>, what: What) -> Vec<(Node, Result<Vec<Item>, Node>)> {
    let Stream { index, graph } = stream;
    let nodes: Vec<Node> = graph.nodes().collect();
    let precedes =
        |node: Node| nodes.iter().any(|&other| graph.predecessor(other) == Predecessor::Node(node));
    let leaves = nodes.iter().copied().filter(|&node| !precedes(node));
    let mut found: Vec<_> = leaves.map(|leaf| (leaf, path::walk(index, graph, leaf, &mut ()))).collect();
    found.sort_by_key(|(leaf, path)| match path {
        Ok(path) => {
            let nodes =
                path.iter().filter_map(|item| if let Item::Node(node) = item { Some(*node) } else { None });
            (0, nodes.collect())
        }
        Err(_) => (1, vec![*leaf]),
    });
    if what == What::View {
        for (_, path) in &mut found {
            *path = path.clone().map(|path| view::view(index, graph, &path, &mut ()));
        }
    }
    found
}

fn all(stream: &Stream<'_>, what: What) -> Vec<(Node, Result<Vec<Item>, Node>)> {
    let mut all = Vec::new();
    let mut leaves = stream.leaves(what);
    while let Some(leaf) = leaves.next_leaf() {
        all.push((leaf.node, leaf.items.map(<[Item]>::to_vec)));
    }
    all
}

#[test]
fn all_leaves_are_what_each_leaf_is_alone() {
    let (mut branched, mut cyclic, mut guarded) = (0, 0, 0);
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        let length = 2 + random.below(60);
        let text = random.stream(length, seed % 3 == 0);
        let stream = &Stream::read(text.as_bytes()).unwrap();
        for what in [What::Path, What::View] {
            assert_eq!(all(stream, what), one_by_one(stream, what), "seed {seed}, {what:?}\n{text}");
        }
        let mut leaves = stream.leaves(What::View);
        while let Some(leaf) = leaves.next_leaf() {
            *(if leaf.items().is_some() { &mut branched } else { &mut cyclic }) += 1;
            guarded += usize::from(leaves.growth.ahead > 0);
        }
    }
    assert!(branched > 20_000 && cyclic > 200 && guarded > 200, "{branched} {cyclic} {guarded}");
}

/// Forests whose trunk is long and whose branches are many and short, so that what was done on the trunk is taken
/// back and done again for every leaf by whoever is careless. All lines are about as long.
fn forests(n: u64) -> Vec<(&'static str, String)> {
    let half = n / 2;
    let mut forests = Vec::new();
    let mut add = |name, line: &dyn Fn(u64) -> (&'static str, String)| {
        let mut text = String::new();
        for id in 1..=n {
            let (kind, rest) = line(id);
            writeln!(text, r#"{{"type":"{kind}","seq":{id},"id":"r{id}"{rest}}}"#).unwrap();
        }
        forests.push((name, text));
    };
    let through_all = |half: u64| {
        format!(
            r#","branchesFrom":{{"record":"r{half}"}},"replaces":{{"throughId":"r{half}"}},"summary":[0]"#
        )
    };
    add("each leaf replaces the whole trunk", &|id| match id {
        id if id <= half => ("message", String::new()),
        _ => ("compaction", through_all(half)),
    });
    add("each leaf replaces all summaries on the trunk", &|id| match id {
        id if id <= half => ("compaction", r#","replaces":{"state":"unknown"},"summary":[0]"#.to_owned()),
        _ => ("compaction", through_all(half)),
    });
    add("a trunk that nobody sees", &|id| match id {
        id if id <= half => ("message", r#","audience":"user""#.to_owned()),
        _ => ("message", format!(r#","branchesFrom":{{"record":"r{half}"}}"#)),
    });
    add("a trunk whose entries went one by one", &|id| match id {
        1 => ("message", String::new()),
        id if id <= half => ("compaction", format!(r#","replaces":{{"ids":["r{}"]}},"summary":[0]"#, id - 1)),
        _ => ("message", format!(r#","branchesFrom":{{"record":"r{half}"}}"#)),
    });
    add("empty groups in one place", &|id| match id {
        1 => ("message", String::new()),
        id if id <= half => (
            "compaction",
            format!(r#","replaces":{{"ids":["r{}"]}},"insertAt":{{"afterId":null}},"summary":[0]"#, id - 1),
        ),
        _ => ("message", format!(r#","branchesFrom":{{"record":"r{half}"}}"#)),
    });
    add("a comb: a leaf at every node of the trunk, which is replaced again and again", &|id| match id % 4 {
        1 => (
            "message",
            if id > 4 { format!(r#","branchesFrom":{{"record":"r{}"}}"#, id - 2) } else { String::new() },
        ),
        3 => (
            "compaction",
            format!(
                r#","branchesFrom":{{"record":"r{}"}},"replaces":{{"throughId":"r{}"}},"summary":[0]"#,
                id - 2,
                id - 2
            ),
        ),
        _ => ("message", String::new()),
    });
    add("a star", &|id| match id {
        1 => ("message", String::new()),
        _ => ("message", r#","branchesFrom":{"record":"r1"}"#.to_owned()),
    });
    add("roots", &|_| ("message", r#","branchesFrom":{"record":null}"#.to_owned()));
    add("leaves behind one cycle", &|id| match id {
        1 => ("message", r#","branchesFrom":{"record":"r2"}"#.to_owned()),
        2 => ("message", String::new()),
        _ => ("message", r#","branchesFrom":{"record":"r2"}"#.to_owned()),
    });
    add("a long way to a cycle", &|id| match id {
        1 => ("message", r#","branchesFrom":{"record":"r2"}"#.to_owned()),
        id if id <= half => ("message", String::new()),
        _ => ("message", format!(r#","branchesFrom":{{"record":"r{half}"}}"#)),
    });
    forests
}

/// The work of all views, and how many items these have in all.
fn cost(text: &str) -> (u64, u64, u64) {
    let stream = Stream::read(text.as_bytes()).unwrap();
    let (mut leaves, mut items) = (0, 0);
    work::take();
    let mut views = stream.leaves(What::View);
    while let Some(leaf) = views.next_leaf() {
        leaves += 1;
        items += leaf.items().map_or(1, <[Item]>::len) as u64;
        assert_eq!(views.growth.ahead, 0, "the ordinary view counts no work");
    }
    (work::take() + items, leaves, items)
}

#[test]
fn all_leaves_cost_what_they_hold() {
    const RECORDS: u64 = 4000;
    for ((name, small), (_, large)) in forests(RECORDS).into_iter().zip(forests(4 * RECORDS)) {
        for (text, records) in [(small, RECORDS), (large, 4 * RECORDS)] {
            let (work, leaves, items) = cost(&text);
            assert!(leaves >= records / 4, "{name}: {leaves} leaves");
            // Some words per level and record, of which there are three for as many records.
            let bound = 40 * (records + items);
            assert!(work <= bound, "{name}: {work} for {records} records and {items} items");
            // Leaf by leaf, the trunk alone would cost more than that.
            assert!(items < records * 3, "{name}: {items} items would hide the cost of the rest");
        }
    }
}
