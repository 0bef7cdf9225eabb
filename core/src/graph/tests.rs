//! The forward pass against the backward scan of the chapter.

use super::*;
use crate::Stream;
use crate::random::Random;

/// The implicit predecessor of a place in the stream, and the gaps that the scan passes, in stream order.
fn scan_backwards(index: &Index<'_>, graph: &Graph, end: Row) -> (Predecessor, Vec<Row>) {
    let mut gaps = Vec::new();
    for row in (0..end).rev() {
        match index.kinds[row as usize] {
            Kind::Message | Kind::ToolCall | Kind::ToolResult | Kind::Compaction => {
                if graph.node(row) == Some(row) {
                    gaps.reverse();
                    return (Predecessor::Node(row), gaps);
                }
            }
            Kind::Rewind => {
                gaps.reverse();
                return (follow(index, graph, index.detail(row).target), gaps);
            }
            Kind::Gap => {
                let superseded = index.bearer(index.detail(row).supersedes).ok();
                let is_gap = |other: Row| other < row && index.kinds[other as usize] == Kind::Gap;
                if !superseded.is_some_and(is_gap) {
                    gaps.push(row);
                }
            }
            Kind::Malformed => gaps.push(row),
            Kind::SessionInfo | Kind::Audit => {}
        }
    }
    gaps.reverse();
    (Predecessor::Start, gaps)
}

/// Unresolved targets all count as the first one here.
fn follow(index: &Index<'_>, graph: &Graph, target: Option<Target>) -> Predecessor {
    match target {
        Some(Target::Start) => Predecessor::Start,
        Some(Target::Unknown) | None => Predecessor::Unknown,
        Some(Target::Ref(target)) => {
            graph.resolve(index, target).map_or(Predecessor::Unresolved(0), Predecessor::Node)
        }
    }
}

fn first_unresolved(predecessor: Predecessor) -> Predecessor {
    match predecessor {
        Predecessor::Unresolved(_) => Predecessor::Unresolved(0),
        other => other,
    }
}

#[test]
fn the_forward_pass_finds_what_the_backward_scan_finds() {
    let (mut implicit, mut explicit, mut on_edges) = (0, 0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(40);
        let text = random.stream(length, seed % 2 == 0);
        let Stream { index, graph, .. } = &Stream::read(text.as_bytes()).unwrap();
        for node in graph.nodes() {
            let members: Vec<Row> = (0..index.rows()).filter(|&row| graph.node(row) == Some(node)).collect();
            assert_eq!((members.first(), members.last()), (Some(&node), Some(&graph.latest(node))));
            let rewrite = members.iter().skip(1).rev().find(|&&row| index.detail(row).is_rewrite);
            let (predecessor, gaps) = match index.detail(*rewrite.unwrap_or(&node)).target {
                None => scan_backwards(index, graph, node),
                target => (follow(index, graph, target), Vec::new()),
            };
            *(if index.detail(node).target.is_none() { &mut implicit } else { &mut explicit }) += 1;
            on_edges += gaps.len();
            assert_eq!(first_unresolved(graph.predecessor(node)), predecessor, "node {node}\n{text}");
            assert_eq!(graph.gaps(node), gaps, "node {node}\n{text}");
        }
        let (default, _) = scan_backwards(index, graph, index.rows());
        assert_eq!(first_unresolved(graph.default_head()), default, "{text}");
    }
    assert!(implicit > 10_000 && explicit > 1000 && on_edges > 1000, "{implicit} {explicit} {on_edges}");
}

#[test]
fn a_path_index_counts_what_the_walk_passes() {
    let (mut paths, mut cycles) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(40);
        let text = random.stream(length, true);
        let Stream { index, graph, .. } = &Stream::read(text.as_bytes()).unwrap();
        for head in graph.nodes() {
            let mut seen = vec![false; graph.bound()];
            let (mut node, mut items) = (head, u32::from(index.inherits.is_some()));
            let is_cycle = loop {
                if std::mem::replace(&mut seen[node as usize], true) {
                    break true;
                }
                items += 1 + graph.gaps(node).len() as u32;
                match graph.predecessor(node) {
                    Predecessor::Node(before) => node = before,
                    Predecessor::Start => break false,
                    Predecessor::Unknown | Predecessor::Unresolved(_) => {
                        items += 1;
                        break false;
                    }
                }
            };
            assert_eq!(graph.index(head), (!is_cycle).then(|| items - 1), "node {head}\n{text}");
            *(if is_cycle { &mut cycles } else { &mut paths }) += 1;
        }
    }
    assert!(paths > 10_000 && cycles > 100, "{paths} {cycles}");
}
