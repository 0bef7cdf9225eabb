//! A fixed piece of work whose instructions `.ci/instructions` counts: `workload mixed|small RECORDS [scan|read|view]`.
//!
//! It generates a stream, and scans its lines, or reads it, or reads it and answers with its default view. What
//! generating costs is counted without the last argument, and subtracted.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "an example may panic")]

#[path = "../benches/corpus.rs"]
mod corpus;

use asr_core::{Stream, Tally};
use asr_spec::{Head, Query, What};
use corpus::Shape;
use std::hint::black_box;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let shape = match arguments[1].as_str() {
        "small" => Shape::Small,
        _ => Shape::Mixed,
    };
    let text = corpus::stream(shape, arguments[2].parse().unwrap());
    match arguments.get(3).map(String::as_str) {
        None => {}
        Some("scan") => drop(black_box(Tally::of(text.as_bytes()))),
        Some(work) => {
            let stream = Stream::read(text.as_bytes()).unwrap();
            if work == "view" {
                black_box(stream.answer(&Query { what: What::View, head: Head::Primary }));
            }
            black_box(stream.nodes());
        }
    }
    black_box(text);
}
