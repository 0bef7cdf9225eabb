//! A fixed piece of work whose instructions `.ci/instructions` counts: `workload mixed|small RECORDS [read|view]`.
//!
//! It generates a stream, reads it, and answers with its default view. What generating costs is counted without the
//! last argument, and subtracted.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "an example may panic")]

#[path = "../benches/corpus.rs"]
mod corpus;

use asr_core::Stream;
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
    if let Some("read" | "view") = arguments.get(3).map(String::as_str) {
        let stream = Stream::read(text.as_bytes()).unwrap();
        if arguments[3] == "view" {
            black_box(stream.answer(&Query { what: What::View, head: Head::Primary }));
        }
        black_box(stream.nodes());
    }
    black_box(text);
}
