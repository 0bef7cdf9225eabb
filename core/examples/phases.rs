//! How long each phase takes, on the corpora of the benchmarks.
#[path = "../benches/corpus.rs"]
mod corpus;
use asr_core::Stream;
use asr_spec::{Head, Query, What};
use std::time::Instant;

fn best<T>(runs: u32, mut f: impl FnMut() -> T) -> f64 {
    (0..runs)
        .map(|_| {
            let t = Instant::now();
            std::hint::black_box(f());
            t.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min)
}

fn main() {
    for (shape, n) in [(corpus::Shape::Mixed, 100_000), (corpus::Shape::Small, 1_000_000)] {
        let text = corpus::stream(shape, n);
        let bytes = text.as_bytes();
        let read = best(5, || Stream::read(bytes).unwrap().nodes());
        let stream = Stream::read(bytes).unwrap();
        let q = |what| Query { what, head: Head::Primary };
        let len = |what| match stream.answer(&q(what)) {
            asr_spec::Outcome::Entries(e) => e.len(),
            _ => 0,
        };
        let path = best(5, || stream.answer(&q(What::Path)));
        let view = best(5, || stream.answer(&q(What::View)));
        let ip = best(9, || stream.items(&q(What::Path)));
        let iv = best(9, || stream.items(&q(What::View)));
        println!(
            "items path {:.2} ns, view {:.2} ns",
            ip * 1e9 / len(What::Path) as f64,
            iv * 1e9 / len(What::Path) as f64
        );
        println!(
            "{shape:?}: {} B/rec; read {:.0} MB/s {:.2} Mrec/s; path {} entries {:.1} ns/entry; view {} entries, {:.1} ns/path entry",
            bytes.len() as u64 / n,
            bytes.len() as f64 / read / 1e6,
            n as f64 / read / 1e6,
            len(What::Path),
            path * 1e9 / len(What::Path) as f64,
            len(What::View),
            view * 1e9 / len(What::Path) as f64
        );
    }
}
