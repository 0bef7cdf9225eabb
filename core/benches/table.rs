//! Prints the table of targets with what this machine reaches: `cargo bench -p asr-core --bench table`.
//!
//! Ratios are taken within the run: all contenders take turns, and of each the fastest turn counts.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark may panic")]

#[path = "corpus.rs"]
mod corpus;
#[path = "ingest.rs"]
mod ingest;

use asr_core::{Item, Session, Stream, Tally};
use asr_spec::{Head, Query, What};
use corpus::Shape;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

fn query(what: What) -> Query {
    Query { what, head: Head::Primary }
}

/// Seconds that have passed.
fn passed() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Seconds that this thread has run, to some milliseconds. Where the system does not tell, those that have passed.
fn worked() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|stat| stat.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(passed, |nanoseconds| nanoseconds / 1e9)
}

/// Seconds of the fastest of some turns of each contender, by a clock.
fn race<const N: usize>(turns: u32, now: fn() -> f64, mut contenders: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::MAX; N];
    for _ in 0..turns {
        for (contender, best) in contenders.iter_mut().zip(&mut best) {
            let start = now();
            contender();
            *best = best.min(now() - start);
        }
    }
    best
}

/// The lines in a buffer that grows, which is the least that a session can do.
fn copied(lines: &[&[u8]]) -> Vec<u8> {
    let mut copy = Vec::new();
    for line in lines {
        copy.extend_from_slice(line);
        copy.push(b'\n');
    }
    copy
}

/// All leaves at once against one by one, of which only a sample is asked.
fn all_leaves(stream: &Stream<'_>) {
    const SAMPLE: usize = 40;
    let (mut heads, mut entries) = (Vec::new(), 0);
    let mut leaves = stream.leaves(What::View);
    while let Some(leaf) = leaves.next_leaf() {
        heads.extend(leaf.head().0);
        entries += leaf.items().map_or(0, <[Item]>::len);
    }
    let sample: Vec<_> = heads.iter().step_by(heads.len() / SAMPLE).collect();
    let queries: Vec<_> =
        sample.iter().map(|id| Query { what: What::View, head: Head::Ref(id.as_ref().to_owned()) }).collect();
    let [all, some] = race(
        3,
        worked,
        [
            &mut || {
                let mut leaves = stream.leaves(What::View);
                while let Some(leaf) = leaves.next_leaf() {
                    black_box(leaf.items());
                }
            },
            &mut || queries.iter().for_each(|query| drop(black_box(stream.items(query)))),
        ],
    );
    let each = some * heads.len() as f64 / queries.len() as f64;
    println!(
        "| views of all {} leaves of its forest, {entries} entries | {:.0} ms, {:.0}x leaf by leaf ({:.1} s, from {} leaves) | >= 50x |",
        heads.len(),
        all * 1e3,
        each / all,
        each,
        queries.len(),
    );
}

fn main() {
    println!("| what | reached | target |\n|---|---|---|");
    for (shape, records, target) in [(Shape::Mixed, 100_000, 4), (Shape::Small, 500_000, 7)] {
        let text = corpus::stream(shape, records);
        let bytes = text.as_bytes();
        let [core, typed, values] = race(
            5,
            worked,
            [
                &mut || drop(black_box(Stream::read(bytes).unwrap().answer(&query(What::View)))),
                &mut || {
                    let (records, ids) = ingest::typed(&text);
                    black_box((records.iter().map(|record| record.weight()).sum::<usize>(), ids));
                },
                &mut || drop(black_box(ingest::values(&text))),
            ],
        );
        let rate = |seconds: f64| {
            format!(
                "{:.0} MB/s, {:.2} Mrec/s",
                bytes.len() as f64 / seconds / 1e6,
                records as f64 / seconds / 1e6
            )
        };
        println!(
            "| bytes to default view, {shape:?} ({} B) | {} = {:.1}x `Value` + `HashMap` ({}), {:.1}x typed ({}) | >= {target}x |",
            bytes.len() as u64 / records,
            rate(core),
            values / core,
            rate(values),
            typed / core,
            rate(typed),
        );
    }

    let text = corpus::stream(Shape::Small, 1_250_000);
    let mut stream = Stream::read(text.as_bytes()).unwrap();
    let [predecessors] = race(150, passed, [&mut || stream.find_predecessors()]);
    println!(
        "| predecessor pass, {} nodes | {:.0} M records/s | >= 100 M |",
        stream.nodes(),
        stream.records() as f64 / predecessors / 1e6
    );
    let nodes = stream.items(&query(What::Path)).unwrap().len();
    let [path, view] = race(
        40,
        passed,
        [&mut || drop(black_box(stream.items(&query(What::Path)))), &mut || {
            drop(black_box(stream.items(&query(What::View))))
        }],
    );
    let per_node = |seconds: f64| seconds * 1e9 / nodes as f64;
    println!("| active path, {nodes} items | {:.2} ns per item | <= 2 ns |", per_node(path));
    println!("| context view of that path | {:.2} ns per item | <= 3 ns |", per_node(view));
    all_leaves(&stream);

    let text = corpus::stream(Shape::Small, 500_000);
    let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    let appended = || {
        let mut session = Session::new();
        lines.iter().for_each(|line| session.append(line));
        session
    };
    let [append, asked, copy, scan, read] = race(
        5,
        worked,
        [
            &mut || drop(black_box(appended())),
            &mut || _ = black_box(appended().stream().unwrap().nodes()),
            &mut || drop(black_box(copied(&lines))),
            &mut || _ = black_box(Tally::of(text.as_bytes())),
            &mut || drop(black_box(Stream::read(text.as_bytes()))),
        ],
    );
    let per_line = |seconds: f64| seconds * 1e9 / lines.len() as f64;
    println!(
        "| append to a session | {:.0} ns per record, {:.0} more than copying it; with the question that takes it in {:.0} ns, {:.0} more than copying and scanning ({:.0}) | <= 10 ns more |",
        per_line(append),
        per_line(append - copy),
        per_line(asked),
        per_line(asked - copy - scan),
        per_line(copy + scan)
    );
    println!(
        "| reading the same at once | {:.0} ns per record, {:.0} more than scanning | |",
        per_line(read),
        per_line(read - scan)
    );
}
