//! The phases one by one, measured by criterion, beside what `serde_json` takes for ingest alone.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark may panic")]

#[path = "corpus.rs"]
mod corpus;
#[path = "ingest.rs"]
mod ingest;

use asr_core::Stream;
use asr_spec::{Head, Query, What};
use corpus::Shape;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn phases(criterion: &mut Criterion) {
    for (name, shape, records) in [("mixed", Shape::Mixed, 20_000), ("small", Shape::Small, 100_000)] {
        let text = corpus::stream(shape, records);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("read", |bencher| bencher.iter(|| Stream::read(text.as_bytes()).unwrap()));
        group.bench_function("serde_json typed", |bencher| {
            bencher.iter(|| {
                let (records, ids) = ingest::typed(&text);
                (records.iter().map(|record| record.weight()).sum::<usize>(), ids)
            });
        });
        group.bench_function("serde_json value", |bencher| bencher.iter(|| ingest::values(&text)));
        let stream = Stream::read(text.as_bytes()).unwrap();
        for (name, what) in [("path", What::Path), ("view", What::View)] {
            let query = Query { what, head: Head::Primary };
            let items = stream.items(&Query { what: What::Path, head: Head::Primary }).unwrap().len();
            group.throughput(Throughput::Elements(items as u64));
            group.bench_function(name, |bencher| bencher.iter(|| stream.items(&query)));
            group.bench_function(format!("{name}, named"), |bencher| bencher.iter(|| stream.answer(&query)));
        }
    }
}

criterion_group!(benches, phases);
criterion_main!(benches);
