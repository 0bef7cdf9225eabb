//! What a stream holds beside its input, as the allocator counts it. One test, since the allocator counts for all.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

#[path = "../benches/corpus.rs"]
mod corpus;

use asr_core::Stream;
use corpus::Shape;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The bytes per record that stay, and those at the peak of reading.
fn beside_the_input(shape: Shape, records: u64) -> (u64, u64) {
    let text = corpus::stream(shape, records);
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let stream = Stream::read(text.as_bytes()).unwrap();
    let (stays, peak) = (ALLOCATOR.current_usage() - before, ALLOCATOR.peak_usage() - before);
    assert_eq!(stream.records() as u64, records);
    (stays as u64 / records, peak as u64 / records)
}

#[test]
fn a_stream_holds_at_most_48_bytes_per_record_beside_its_input() {
    for (shape, records) in [(Shape::Mixed, 20_000), (Shape::Small, 100_000), (Shape::Small, 150_000)] {
        let (stays, peak) = beside_the_input(shape, records);
        println!("{shape:?}, {records} records: {stays} bytes per record, {peak} at the peak");
        assert!(stays <= 48 && peak <= 64, "{shape:?}, {records} records: {stays}, at the peak {peak}");
    }
}
