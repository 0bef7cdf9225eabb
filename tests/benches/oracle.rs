//! The rows of the table of targets that need both engines: `cargo bench -p asr-tests --bench oracle`.
//!
//! The view of the core against the literal method of the oracle, from the same head of the same stream. Both have read
//! it before; the fastest of some turns counts.

#[path = "../../core/benches/corpus.rs"]
mod corpus;

use asr_core::Stream;
use asr_spec::{Head, Query, What};
use corpus::Shape;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

/// Messages, of which every hundredth is a compaction of what came before the ten last ones.
fn compacted(nodes: u64) -> String {
    let mut text = String::new();
    for number in 1..=nodes {
        let (kind, rest) = match number % 100 {
            0 => ("compaction", format!(r#","replaces":{{"throughId":"r{}"}},"summary":[0]"#, number - 10)),
            _ => ("message", String::new()),
        };
        writeln!(text, r#"{{"type":"{kind}","seq":{number},"id":"r{number}"{rest}}}"#).unwrap();
    }
    text
}

fn fastest(turns: u32, mut work: impl FnMut()) -> f64 {
    let turn = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..turns).map(turn).fold(f64::MAX, f64::min)
}

fn main() {
    let query = Query { what: What::View, head: Head::Primary };
    let streams = [
        ("of 10,000 nodes with 100 compactions", compacted(10_000)),
        ("of the corpus of 12,000 records", corpus::stream(Shape::Small, 12_000)),
    ];
    for (name, text) in streams {
        let core = Stream::read(text.as_bytes()).unwrap();
        let oracle = asr_oracle::Stream::read(text.as_bytes(), &mut ());
        assert_eq!(core.answer(&query), oracle.answer(&query, &mut ()), "{name}");
        let items = fastest(200, || drop(black_box(core.items(&query))));
        let named = fastest(200, || drop(black_box(core.answer(&query))));
        let literal = fastest(5, || drop(black_box(oracle.answer(&query, &mut ()))));
        println!(
            "| view {name} | {:.0} us = {:.0}x the oracle ({:.1} ms); with names {:.0} us = {:.0}x | >= 50x |",
            items * 1e6,
            literal / items,
            literal * 1e3,
            named * 1e6,
            literal / named,
        );
    }
}
