//! The sweep against the literal algorithm, and the stream that the guard is there for.

use super::*;
use crate::Stream;
use crate::random::Random;
use asr_spec::{Head, Query, What};

/// The views of every node of random streams. Those on which the sweep may be used must not depend on it.
fn agree(bent: bool) -> (usize, usize) {
    let (mut swept, mut guarded) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let length = 2 + random.below(40);
        let text = random.stream(length, bent);
        let Stream { index, graph, .. } = &Stream::read(text.as_bytes()).unwrap();
        for node in graph.nodes() {
            let Ok(path) = path::walk(index, graph, node, &mut ()) else { continue };
            let reader = Reader { index, graph, path: &path };
            let plans = reader.plan(&mut ());
            if plans.looks_ahead {
                guarded += 1;
            } else {
                swept += usize::from(!plans.applied.is_empty());
                let (sweep, literal) = (reader.sweep(&plans, &mut ()), reader.literal(&plans, &mut ()));
                assert_eq!(sweep, literal, "seed {seed}, node {node}\n{text}");
            }
        }
    }
    (swept, guarded)
}

#[test]
fn the_sweep_is_the_literal_algorithm() {
    // Some compactions look ahead here as well: a revision may name what came after the record it revises.
    let (swept, guarded) = agree(false);
    assert!(swept > 10_000 && guarded < swept / 50, "{swept} {guarded}");
}

#[test]
fn the_sweep_is_the_literal_algorithm_on_bent_paths_too() {
    let (swept, guarded) = agree(true);
    assert!(swept > 1000 && guarded > 1000, "{swept} {guarded}");
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
