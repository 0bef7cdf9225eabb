//! The walk beside a model checker for any graph of states, and the explorer itself: `cargo bench -p asr-checker`.
//!
//! Both get the same small model: append one of eight kinds of record, up to seven. Its states are the streams, and
//! both must count (8⁸ - 1) / 7 of them, the empty one included. The first property is trivial and shows what the
//! search costs. The second compares two algorithms on every stream: the length of the active path by a backward scan
//! as the chapter has it, and by one pass forwards; a miniature of what the project does. There the walk carries the pass
//! along, as the explorer carries the core's session, and takes it back; a graph of states has nothing to carry it in.
//! Of some turns of each contender the fastest counts, in processor time, so that the ratios hold on a busy machine too.
//!
//! The figure for two processors compares times that have passed, and means nothing where others use the machine.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use asr_checker::explore::{Counts, Following, Settings, Statement, Tree, Walk, explore};
use mimalloc::MiMalloc;
use stateright::{Checker, Model, Property};
use std::hint::black_box;
use std::num::NonZero;
use std::time::Instant;

/// As in the command.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const KINDS: u8 = 8;
const LONGEST: usize = 7;
const STATES: usize = (8_usize.pow(LONGEST as u32 + 1) - 1) / 7;

// The kinds of record. What is none of these is a message or a call.
const AUDIT: u8 = 2;
const GAP: u8 = 3;
const REWIND_TO_START: u8 = 4;
const REWIND_TO_FIRST: u8 = 5;
const REWIND_TO_LATEST: u8 = 6;
const BRANCH_TO_FIRST: u8 = 7;

fn is_node(kind: u8) -> bool {
    matches!(kind, 0 | 1 | BRANCH_TO_FIRST)
}

/// The place of the predecessor of a record appended at `from`.
fn scan(stream: &[u8], from: usize) -> Option<usize> {
    let first = || stream.iter().position(|&kind| is_node(kind)).filter(|&first| first < from);
    for at in (0..from).rev() {
        match stream.get(at) {
            Some(&kind) if is_node(kind) => return Some(at),
            Some(&REWIND_TO_START) => return None,
            Some(&REWIND_TO_FIRST) => return first().filter(|&first| first < at),
            Some(&REWIND_TO_LATEST) => {
                return (0..at).rev().find(|&at| stream.get(at).copied().is_some_and(is_node));
            }
            _ => {}
        }
    }
    None
}

/// The length of the active path, a scan for each node on it.
fn backward(stream: &[u8]) -> usize {
    let mut length = 0;
    let mut head = scan(stream, stream.len());
    while let Some(node) = head {
        length += 1;
        head = match stream.get(node) {
            Some(&BRANCH_TO_FIRST) => {
                stream.iter().position(|&kind| is_node(kind)).filter(|&first| first < node)
            }
            _ => scan(stream, node),
        };
    }
    length
}

/// The same in one pass: the lengths of the paths of the first and of the latest node, and of the tip.
#[derive(Clone, Copy, Default)]
struct Pass {
    first: usize,
    latest: usize,
    tip: usize,
}

impl Pass {
    fn over(self, kind: u8) -> Self {
        let Self { first, latest, tip } = self;
        match kind {
            GAP | AUDIT => self,
            REWIND_TO_START => Self { tip: 0, ..self },
            REWIND_TO_FIRST => Self { tip: first, ..self },
            REWIND_TO_LATEST => Self { tip: latest, ..self },
            _ => {
                let tip = if kind == BRANCH_TO_FIRST { first + 1 } else { tip + 1 };
                Self { first: if first == 0 { tip } else { first }, latest: tip, tip }
            }
        }
    }
}

/// The properties, each true of every stream.
type Holds = fn(&[u8]) -> bool;

fn is_short(stream: &[u8]) -> bool {
    black_box(stream.len()) <= LONGEST
}

fn is_one_length(stream: &[u8]) -> bool {
    backward(stream) == stream.iter().fold(Pass::default(), |pass, &kind| pass.over(kind)).tip
}

/// The model as a tree. What `T` keeps of a stream is made from what it kept of the stream without its last record.
struct Grown<T> {
    stream: Vec<u8>,
    kept: Vec<T>,
    over: fn(T, u8) -> T,
}

impl<T: Copy + Default> Grown<T> {
    fn kept(&self) -> T {
        self.kept.last().copied().unwrap_or_default()
    }
}

impl<T: Copy + Default> Tree for Grown<T> {
    type Step = u8;

    fn steps(&self, _left: usize, out: &mut Vec<u8>) {
        out.extend(0..KINDS);
    }

    fn push(&mut self, kind: u8) {
        self.kept.push((self.over)(self.kept(), kind));
        self.stream.push(kind);
    }

    fn pop(&mut self) {
        self.kept.pop();
        self.stream.pop();
    }
}

/// The model as a graph.
#[derive(Clone)]
struct Small {
    holds: Holds,
}

impl Model for Small {
    type State = Vec<u8>;
    type Action = u8;

    fn init_states(&self) -> Vec<Vec<u8>> {
        vec![Vec::new()]
    }

    fn actions(&self, stream: &Vec<u8>, actions: &mut Vec<u8>) {
        if stream.len() < LONGEST {
            actions.extend(0..KINDS);
        }
    }

    fn next_state(&self, stream: &Vec<u8>, kind: u8) -> Option<Vec<u8>> {
        let mut next = Vec::with_capacity(stream.len() + 1);
        next.extend_from_slice(stream);
        next.push(kind);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("holds", |model: &Self, stream: &Vec<u8>| (model.holds)(stream))]
    }
}

/// Visits all streams, shortest first, as the explorer does, and returns how many hold.
fn by_walk<T: Copy + Default>(over: fn(T, u8) -> T, holds: impl Fn(&Grown<T>) -> bool) -> usize {
    let empty = || Grown { stream: Vec::new(), kept: Vec::new(), over };
    let of_length = |length| {
        let mut walk = Walk::new(empty(), length);
        let mut count = 0;
        let mut is_there = walk.start();
        while is_there {
            count += usize::from(holds(walk.tree()));
            is_there = walk.advance();
        }
        count
    };
    usize::from(holds(&empty())) + (1..=LONGEST).map(of_length).sum::<usize>()
}

fn by_stateright(holds: Holds) -> usize {
    let checker = Small { holds }.checker().threads(1).spawn_dfs().join();
    checker.assert_properties();
    checker.unique_state_count()
}

fn trivial() -> usize {
    by_walk(|(), _| (), |grown| is_short(&grown.stream))
}

fn two_algorithms() -> usize {
    by_walk(Pass::over, |grown| backward(&grown.stream) == grown.kept().tip)
}

/// Seconds that this process has run, all threads together, to a hundredth. Where the system does not tell, those that
/// have passed.
fn worked(since: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").ok();
    let ticks = stat.and_then(|stat| {
        let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
        Some(fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?)
    });
    ticks.map_or_else(|| since.elapsed().as_secs_f64(), |ticks| ticks / 100.0)
}

/// Streams per second of processor time, in the fastest of some turns. Runs often enough in a turn to be measured.
fn rate(turns: u32, mut visit: impl FnMut() -> usize) -> f64 {
    const LEAST: f64 = 0.5;
    let began = Instant::now();
    let mut best = 0.0_f64;
    for _ in 0..turns {
        let start = worked(began);
        let mut streams = 0;
        while worked(began) - start < LEAST {
            streams += visit();
        }
        best = best.max(streams as f64 / (worked(began) - start));
    }
    best
}

fn beside_stateright(property: &str, walked: fn() -> usize, holds: Holds, target: u32) {
    assert_eq!((walked(), by_stateright(holds)), (STATES, STATES), "the counts are equal");
    let (walk, stateright) = (rate(3, walked), rate(3, || by_stateright(holds)));
    println!(
        "| walk / stateright (DFS), {property} | {:.1} M / {:.2} M | {:.0}x | {target}x |",
        walk / 1e6,
        stateright / 1e6,
        walk / stateright
    );
}

fn explored(slice: &str, longest: u8, threads: usize) -> Statement {
    let counts = Counts::new(slice.parse().unwrap(), longest).unwrap();
    let settings = Settings { threads: NonZero::new(threads).unwrap(), ..Settings::default() };
    let statement = explore(&counts, &Following, &settings, |_| ()).unwrap();
    assert_eq!((statement.divergences, u128::from(statement.visited)), (0, counts.total()));
    statement
}

fn main() {
    println!("| what | streams per second of processor time | reached | target |\n|---|---|---|---|");
    beside_stateright("trivial", trivial, is_short, 50);
    beside_stateright("two algorithms", two_algorithms, is_one_length, 10);
    let real = rate(3, || explored("A", 4, 1).visited as usize);
    println!("| explorer, oracle and session, A -n 4 | {:.0} k | {:.2} M | 0.5 M |", real / 1e3, real / 1e6);
    let passed = |threads| (0..3).map(|_| explored("A", 4, threads).seconds).fold(f64::MAX, f64::min);
    let (one, two) = (passed(1), passed(2));
    println!("| explorer, two threads / one, time passed | | {:.2}x | 1.8x |", one / two);
    if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
        println!("\nload average: {}", load.trim());
    }
}
