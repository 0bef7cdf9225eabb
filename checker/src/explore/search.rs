//! All streams of a scope on all cores, shortest first, with a result that does not depend on how many there are.
//!
//! The work is cut into pieces of consecutive ranks, in order. Threads take the next piece when they are done with one,
//! and results are added up in the order of the pieces. A piece ends at its first counterexample, and every piece
//! before one with a counterexample is finished; so the first that is met in the sum is the least.
//!
//! A piece ends where the next begins, not after so many streams: what is counted on the way is what the walk met, and
//! can differ from what was predicted if either is wrong.

use super::examine::{Examiner, Fault, Questions, Tally};
use super::property::{Lookout, Property};
use super::statement::{Counterexample, Drawn, Length, Statement};
use super::{Counts, Cursor, ExploreError};
use crate::engine::Engine;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{self, AtomicU64};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

/// How many streams a thread takes at a time: some hundredths of a second.
const PIECE: u64 = 1024;

/// How a scope is explored.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Settings {
    /// On how many threads.
    pub threads: NonZero<usize>,
    /// Which questions each stream gets.
    pub questions: Questions,
    /// Whether the invariants of single engines are examined too. That takes some twenty times as long.
    pub invariants: bool,
    /// What is expected of the streams besides.
    pub properties: Vec<Property>,
    /// Whether it is counted on how many streams each reading matters. That takes some hundred times as long.
    pub readings: bool,
    /// Which part of the scope.
    pub part: Part,
    /// What an earlier run of the same was stated to have done.
    pub so_far: Option<Statement>,
}

/// The new questions of every stream, on one thread.
impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: NonZero::<usize>::MIN,
            questions: Questions::New,
            invariants: false,
            properties: Vec::new(),
            readings: false,
            part: Part::All,
            so_far: None,
        }
    }
}

/// Which streams of a scope are visited.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Part {
    /// All.
    All,
    /// One of several shares of each length: `Share(1, 4)` to `Share(4, 4)`.
    Share(NonZero<u32>, NonZero<u32>),
    /// From this rank of this length on.
    From(u8, u64),
    /// So many, drawn uniformly, with a seed.
    Sample(u64, u64),
}

/// Consecutive streams: of one length by rank, or draws by their number.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// `None` for draws.
    length: Option<u8>,
    from: u64,
    to: u64,
}

/// A stream by its place in a run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Place {
    /// `None` for a draw.
    pub(crate) length: Option<u8>,
    /// The rank, or the number of the draw.
    number: u64,
}

/// Length and rank of the stream at a place.
pub(crate) fn place_of(counts: &Counts, part: Part, place: Place) -> Option<(u8, u128)> {
    match (place.length, part) {
        (Some(length), _) => Some((length, place.number.into())),
        (None, Part::Sample(_, seed)) => Some(draw(counts, seed, place.number)),
        (None, _) => None,
    }
}

/// Who is told of each stream before it is examined.
type Announce<'a> = Option<&'a (dyn Fn(Place) + Sync)>;

/// What cuts a run short, and who is told of each stream before it is examined.
#[derive(Default)]
pub(crate) struct Limits<'a> {
    /// At most so many pieces.
    pub most: Option<usize>,
    /// Only what comes before.
    pub stop: Option<Place>,
    pub announce: Announce<'a>,
}

/// What is wrong, and on which stream.
type Found = (Fault, Counterexample);

/// What a piece came to.
struct Outcome {
    tally: Tally,
    held: Vec<u64>,
    mattered: Vec<u64>,
    found: Option<Found>,
}

/// Explores a scope, up to its least counterexample. `so_far` gets the statement about what is done, now and then.
///
/// # Errors
///
/// Where there are more streams than could ever be visited, or where the walk meets another number of streams than was
/// predicted.
pub fn explore(
    counts: &Counts,
    engine: &dyn Engine,
    settings: &Settings,
    so_far: impl FnMut(&Statement),
) -> Result<Statement, ExploreError> {
    explore_within(counts, engine, settings, &Limits::default(), so_far)
}

/// As [`explore`], within limits; a run that these end is not finished.
pub(crate) fn explore_within(
    counts: &Counts,
    engine: &dyn Engine,
    settings: &Settings,
    limits: &Limits<'_>,
    mut so_far: impl FnMut(&Statement),
) -> Result<Statement, ExploreError> {
    let began = Instant::now();
    let mut statement = plan(counts, engine, settings)?;
    let earlier = statement.seconds;
    statement.threads = settings.threads.get();
    let slice = counts.scope().slice();
    if statement.counterexample.is_some() {
        return Ok(statement);
    }

    let pieces = pieces(&statement).map_while(|piece| piece.before(limits.stop));
    let queue = Mutex::new((0..).zip(pieces.take(limits.most.unwrap_or(usize::MAX))));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    // What is new is new against the beginnings of a stream, which have to be streams.
    let questions = if counts.scope().has_beginnings() { settings.questions } else { Questions::Every };
    // The lowest piece with a counterexample.
    let last = AtomicU64::new(u64::MAX);
    let draws = statement.drawn.clone();
    let (results, done) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..settings.threads.get() {
            let (results, next, last, draws) = (results.clone(), &next, &last, draws.as_ref());
            scope.spawn(move || {
                let mut examiner = Examiner::new(engine, questions, settings.invariants, counts.longest());
                while let Some((number, piece)) = next() {
                    if number > last.load(atomic::Ordering::Relaxed) {
                        break;
                    }
                    let outcome = run(counts, &mut examiner, settings, piece, draws, limits.announce);
                    if outcome.found.is_some() {
                        last.fetch_min(number, atomic::Ordering::Relaxed);
                    }
                    if results.send((number, piece, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(results);
        let mut waiting = BTreeMap::new();
        let mut number = 0_u64;
        for (of, piece, outcome) in done {
            waiting.insert(of, (piece, outcome));
            while let Some((piece, outcome)) = waiting.remove(&number) {
                number += 1;
                if statement.counterexample.is_some() {
                    continue;
                }
                statement.add(&outcome.tally, slice);
                let length = statement.lengths.iter_mut().find(|length| Some(length.n) == piece.length);
                if let Some(length) = length {
                    length.visited += outcome.tally.visited;
                }
                statement.add_watched(&settings.properties, &outcome.held, &outcome.mattered);
                if let Some((fault, counterexample)) = outcome.found {
                    match fault {
                        Fault::Divergence(_) => statement.divergences += 1,
                        Fault::Invariant(_) => statement.invariants_broken += 1,
                        Fault::Property(_) => statement.properties_broken += 1,
                    }
                    statement.counterexample = Some(counterexample);
                }
                statement.seconds = earlier + began.elapsed().as_secs_f64();
                so_far(&statement);
            }
        }
    });
    statement.seconds = earlier + began.elapsed().as_secs_f64();
    match statement.counterexample {
        None if !statement.is_finished() && limits.most.is_none() && limits.stop.is_none() => {
            let (predicted, visited) = (statement.predicted, statement.visited);
            Err(ExploreError::Miscounted { predicted, visited })
        }
        _ => Ok(statement),
    }
}

/// Which streams there are to visit, and nothing said of them yet.
pub(crate) fn plan(
    counts: &Counts,
    engine: &dyn Engine,
    settings: &Settings,
) -> Result<Statement, ExploreError> {
    let mut lengths = Vec::new();
    if !matches!(settings.part, Part::Sample(..)) {
        for n in 1..=counts.longest() {
            let streams = u64::try_from(counts.of_length(n)).map_err(|_| ExploreError::TooMany)?;
            let at = |share: u32, of: u32| (u128::from(streams) * u128::from(share) / u128::from(of)) as u64;
            let (from, to) = match settings.part {
                Part::Share(share, of) if share > of => {
                    return Err(ExploreError::Share(share.get(), of.get()));
                }
                Part::Share(share, of) => (at(share.get() - 1, of.get()), at(share.get(), of.get())),
                Part::From(length, rank) if length == n && rank >= streams || length > counts.longest() => {
                    return Err(ExploreError::NoStream { id: format!("{}:{length}:{rank}", counts.scope()) });
                }
                Part::From(length, rank) => match n.cmp(&length) {
                    Ordering::Less => (streams, streams),
                    Ordering::Equal => (rank, streams),
                    Ordering::Greater => (0, streams),
                },
                _ => (0, streams),
            };
            lengths.push(Length { n, streams, from, to, visited: 0 });
        }
    }
    if !lengths.is_empty() && u64::try_from(counts.total()).is_err() {
        return Err(ExploreError::TooMany);
    }
    let mut statement = Statement::new(counts, engine.name(), settings.questions, lengths);
    statement.invariants_examined = settings.invariants;
    statement.readings_examined = settings.readings;
    statement.add_watched(&settings.properties, &vec![0; settings.properties.len()], &[]);
    if let Part::Sample(streams, seed) = settings.part {
        statement.drawn = Some(Drawn { streams, seed, of: counts.total().to_string() });
        statement.predicted = streams;
    }
    match &settings.so_far {
        None => Ok(statement),
        Some(so_far) if so_far.is_of_the_same_run(&statement) => Ok(so_far.clone()),
        Some(_) => Err(ExploreError::Merge { why: "an earlier run was another".to_owned() }),
    }
}

/// What is left to visit, in order.
fn pieces(statement: &Statement) -> impl Iterator<Item = Piece> + Send + use<> {
    let (visited, lengths) = (statement.visited, statement.lengths.clone());
    let drawn = statement.drawn.as_ref().map(|drawn| (None, visited, drawn.streams)).into_iter();
    let lengths = lengths.into_iter().map(|length| (Some(length.n), length.from + length.visited, length.to));
    drawn.chain(lengths).flat_map(|(length, from, to)| {
        let starts = (from..to).step_by(PIECE as usize);
        starts.map(move |from| Piece { length, from, to: to.min(from.saturating_add(PIECE)) })
    })
}

impl Piece {
    /// What of it comes before a place, unless that is nothing.
    fn before(self, stop: Option<Place>) -> Option<Self> {
        let Some(stop) = stop else { return Some(self) };
        let to = if self.length == stop.length { self.to.min(stop.number) } else { self.to };
        (self.length <= stop.length && self.from < to).then_some(Self { to, ..self })
    }
}

fn run(
    counts: &Counts,
    examiner: &mut Examiner<'_>,
    settings: &Settings,
    piece: Piece,
    drawn: Option<&Drawn>,
    announce: Announce<'_>,
) -> Outcome {
    let mut lookout = Lookout::new(&settings.properties, settings.readings);
    let found = match (piece.length, drawn) {
        (Some(length), _) => walk(counts, examiner, &mut lookout, length, piece, announce),
        (None, Some(drawn)) => (piece.from..piece.to).find_map(|number| {
            if let Some(announce) = announce {
                announce(Place { length: None, number });
            }
            let (length, rank) = draw(counts, drawn.seed, number);
            let cursor = Cursor::new(counts, length, rank)?;
            examine(examiner, &mut lookout, &cursor)
        }),
        (None, None) => None,
    };
    let tally = std::mem::take(&mut examiner.tally);
    Outcome { tally, held: lookout.held, mattered: lookout.mattered, found }
}

/// From the first stream of the piece to the first of the next, or to the end.
fn walk(
    counts: &Counts,
    examiner: &mut Examiner<'_>,
    lookout: &mut Lookout<'_>,
    length: u8,
    piece: Piece,
    announce: Announce<'_>,
) -> Option<Found> {
    let mut cursor = Cursor::new(counts, length, piece.from.into())?;
    let end = Cursor::new(counts, length, piece.to.into());
    let mut number = piece.from;
    loop {
        if let Some(announce) = announce {
            announce(Place { length: Some(length), number });
        }
        number += 1;
        let found = examine(examiner, lookout, &cursor);
        if found.is_some() || !cursor.advance() || end.as_ref().is_some_and(|end| cursor.is_at(end)) {
            return found;
        }
    }
}

fn examine(examiner: &mut Examiner<'_>, lookout: &mut Lookout<'_>, cursor: &Cursor<'_>) -> Option<Found> {
    let broken = lookout.look(cursor.state(), cursor.bytes());
    let fault = examiner.examine(cursor).or(broken.map(Fault::Property))?;
    let verdict = match &fault {
        Fault::Divergence(verdict) => verdict.to_string(),
        Fault::Invariant(verdict) => verdict.clone(),
        Fault::Property(property) => format!("it is not so: {property}"),
    };
    Some((fault, Counterexample::at(cursor, verdict)))
}

/// Length and rank of a draw, each stream of the scope equally likely.
fn draw(counts: &Counts, seed: u64, number: u64) -> (u8, u128) {
    let total = counts.total().max(1);
    // The largest multiple of the total that 128 bits hold; what lies above it would favour low ranks.
    let fair = u128::MAX - u128::MAX % total;
    let mut state = mix(seed ^ mix(number));
    let mut rank = loop {
        let high = mix(state);
        let low = mix(high ^ state);
        state = mix(low);
        let drawn = u128::from(high) << 64 | u128::from(low);
        if drawn < fair {
            break drawn % total;
        }
    };
    for length in 1..=counts.longest() {
        match rank.checked_sub(counts.of_length(length)) {
            Some(beyond) => rank = beyond,
            None => return (length, rank),
        }
    }
    (counts.longest(), 0)
}

/// One round of SplitMix64.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Core, Oracle, OracleAs, Session};
    use crate::explore::alphabet::whole_slices;
    use crate::explore::{Condition, Following};

    fn counts(scope: &str, longest: u8) -> Counts {
        Counts::new(scope.parse().unwrap(), longest).unwrap()
    }

    fn settings(threads: usize, part: Part) -> Settings {
        Settings { threads: NonZero::new(threads).unwrap(), part, ..Settings::default() }
    }

    fn variant(name: &str) -> OracleAs {
        OracleAs(name.parse().unwrap())
    }

    fn run(counts: &Counts, engine: &dyn Engine, settings: &Settings) -> Statement {
        explore(counts, engine, settings, |_| ()).unwrap()
    }

    /// What does not depend on the machine.
    fn timeless(statement: Statement) -> Statement {
        Statement { seconds: 0.0, threads: 1, ..statement }
    }

    #[test]
    fn the_engines_agree_on_small_scopes_and_every_stream_is_visited() {
        for scope in whole_slices() {
            let counts = counts(&scope, 2);
            for engine in [&Core as &dyn Engine, &Following] {
                let statement = run(&counts, engine, &settings(2, Part::All));
                assert_eq!(statement.counterexample, None);
                assert_eq!(u128::from(statement.visited), counts.total());
                assert!(statement.is_about_all());
            }
        }
    }

    #[test]
    fn the_counterexample_is_the_least_one_and_the_same_on_any_number_of_threads() {
        for (scope, name) in
            [("A", "fault:rewinds_ignored"), ("R", "NR-3b=deepest"), ("A", "fault:seen_by_id")]
        {
            let (counts, variant) = (counts(scope, 4), variant(name));
            let one = timeless(run(&counts, &variant, &settings(1, Part::All)));
            for threads in [2, 3, 8] {
                assert_eq!(timeless(run(&counts, &variant, &settings(threads, Part::All))), one, "{name}");
            }
            let Some(found) = &one.counterexample else {
                assert_eq!(name, "fault:seen_by_id", "two ids alike are not in the slice");
                continue;
            };
            // By hand: the first stream in order that the two do not answer alike.
            let rank = found.rank.parse().unwrap();
            let shorter = (1..found.n).flat_map(|n| (0..counts.of_length(n)).map(move |rank| (n, rank)));
            for (n, rank) in shorter.chain((0..=rank).map(|rank| (found.n, rank))) {
                let cursor = Cursor::new(&counts, n, rank).unwrap();
                let verdict =
                    crate::compare([&Oracle, &variant], cursor.bytes(), crate::Heads::Every, |_, _| ());
                assert_eq!(verdict.is_agreement(), cursor.bytes() != found.bytes(), "{name}");
            }
        }
    }

    #[test]
    fn the_new_questions_alone_tell_the_same_variants_apart() {
        let every = Settings { questions: Questions::Every, ..settings(2, Part::All) };
        for (counts, least) in [(counts("Z", 2), 60), (counts("A", 3), 20), (counts("R", 4), 8)] {
            let mut told = 0;
            for variant in asr_oracle::variants() {
                let engine = OracleAs(variant);
                let [new, every] = [&settings(2, Part::All), &every]
                    .map(|settings| run(&counts, &engine, settings).counterexample.map(|found| found.id));
                assert_eq!(new, every, "{}", variant.name);
                told += usize::from(new.is_some());
            }
            assert!(told > least, "{told} variants differ in {}", counts.scope());
        }
    }

    #[test]
    fn shares_add_up_to_the_whole() {
        let counts = counts("X", 4);
        let whole = timeless(run(&counts, &Core, &settings(2, Part::All)));
        let share = |share| Part::Share(NonZero::new(share).unwrap(), NonZero::new(3).unwrap());
        let mut shares: Vec<_> =
            [3, 1, 2].map(|number| run(&counts, &Core, &settings(1, share(number)))).into();
        assert!(shares.iter().all(|share| !share.is_about_all()));
        assert_eq!(timeless(Statement::merge(shares.clone()).unwrap()), whole);
        shares.pop();
        assert!(Statement::merge(shares.clone()).is_err(), "one is missing");
        shares.push(shares[0].clone());
        assert!(Statement::merge(shares).is_err(), "one is there twice");
    }

    #[test]
    fn a_run_goes_on_from_wherever_it_was_when_it_was_stopped() {
        let counts = counts("X", 5);
        let mut stops = Vec::new();
        let whole = explore(&counts, &Core, &settings(2, Part::All), |so_far| stops.push(so_far.clone()));
        let whole = timeless(whole.unwrap());
        assert!(stops.len() > 10);
        let other = Settings { so_far: stops.pop(), ..settings(1, Part::Sample(5, 0)) };
        assert!(explore(&counts, &Core, &other, |_| ()).is_err(), "another run");
        for stop in stops.into_iter().step_by(4) {
            let rest = Settings { so_far: Some(stop), ..settings(2, Part::All) };
            let rest = run(&counts, &Core, &rest);
            assert_eq!(timeless(rest), whole);
        }
    }

    #[test]
    fn draws_are_uniform_and_follow_from_the_seed() {
        let counts = counts("A", 2);
        let draws = |seed| (0..8_400).map(|number| draw(&counts, seed, number)).collect::<Vec<_>>();
        let mut hits = BTreeMap::new();
        draws(1).into_iter().for_each(|drawn| *hits.entry(drawn).or_insert(0) += 1);
        assert_eq!(hits.len() as u128, counts.total());
        assert!(hits.values().all(|&count| (50..=150).contains(&count)), "{hits:?}");
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
        let sample = run(&counts, &variant("fault:rewinds_ignored"), &settings(3, Part::Sample(500, 1)));
        assert_eq!(sample.divergences, 1);
    }

    fn expecting(properties: &[Property]) -> Settings {
        Settings { properties: properties.to_vec(), ..settings(2, Part::All) }
    }

    #[test]
    fn what_should_never_be_so_gives_the_least_stream_of_which_it_is() {
        let counts = counts("A", 3);
        let never = |condition: &str| {
            let never = [Property::Never(condition.parse().unwrap())];
            run(&counts, &Core, &expecting(&never)).counterexample.map(|found| (found.id, found.verdict))
        };
        let cycle = "it is not so: never outcome=cycle".to_owned();
        assert_eq!(never("outcome=cycle"), Some(("A:2:7".to_owned(), cycle)));
        assert_eq!(never("reading=BF-7b").unwrap().0, "A:2:7", "where that question matters a cycle is");
        assert_eq!(never("step=HD4"), None, "no stream of the slice states heads");
        let always = [Property::Always("kind=message".parse().unwrap())];
        assert_eq!(run(&counts, &Core, &expecting(&always)).counterexample.unwrap().id, "A:1:4", "a rewind");
    }

    #[test]
    fn what_should_be_so_sometimes_is_counted_and_missed_where_it_never_is() {
        let conditions = ["outcome=cycle", "step=V3b-kept", "requirement=ASR-366.a", "reading=NR-3"];
        let sometimes = conditions.map(|condition| Property::Sometimes(condition.parse().unwrap()));
        let statement = run(&counts("A", 2), &Core, &expecting(&sometimes));
        assert_eq!(statement.counterexample, None);
        assert_eq!(
            statement.unmet().collect::<Vec<_>>(),
            ["sometimes reading=NR-3", "sometimes step=V3b-kept"]
        );
        assert_eq!(
            statement.properties["sometimes outcome=cycle"],
            statement.properties["sometimes requirement=ASR-366.a"]
        );
        let wrong = "step=V3b".parse::<Condition>().unwrap_err().to_string();
        assert!(wrong.starts_with("`step=V3b` is no condition: expected step=LABEL"), "{wrong}");
        let names = sometimes.map(|property| property.condition().to_string());
        assert_eq!(names, conditions);
    }

    #[test]
    fn a_reading_matters_on_as_many_streams_as_a_witness_can_be_taken_from() {
        let counts = counts("R", 4);
        let counted = Settings { readings: true, ..settings(2, Part::All) };
        let statement = run(&counts, &Core, &counted);
        for label in ["NR-3", "NR-3b", "BF-1c"] {
            let condition = Property::Sometimes(format!("reading={label}").parse().unwrap());
            let watched = run(&counts, &Core, &expecting(&[condition]));
            assert_eq!(statement.readings[label], watched.properties[&condition.to_string()], "{label}");
        }
        assert!(!statement.readings.contains_key("HD-3"), "the slice states no heads");
    }

    #[test]
    fn a_run_can_begin_anywhere() {
        let counts = counts("X", 4);
        let from = run(&counts, &Core, &settings(2, Part::From(4, 600)));
        assert_eq!((from.visited, from.predicted, from.is_about_all()), (31, 31, false));
        let beyond = explore(&counts, &Core, &settings(1, Part::From(4, 631)), |_| ()).unwrap_err();
        assert_eq!(beyond, ExploreError::NoStream { id: "X:4:631".to_owned() });
    }

    /// Panics on streams that end in a gap.
    struct Fragile;

    impl Engine for Fragile {
        fn name(&self) -> &'static str {
            "fragile"
        }

        fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
            let last = stream.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
            assert!(!last.unwrap().starts_with(b"{\"type\":\"gap\""), "planted");
            Oracle.read(stream)
        }
    }

    #[test]
    fn a_panic_of_an_engine_is_a_counterexample() {
        let statement = run(&counts("A", 3), &Fragile, &settings(2, Part::All));
        let found = statement.counterexample.unwrap();
        assert_eq!(found.stream, [r#"{"type":"gap","seq":1,"id":"r1"}"#]);
        assert_eq!(found.verdict, "fragile panicked on reading the stream: planted");
    }

    #[test]
    fn what_a_slice_promises_is_reached_and_a_bound_too_small_is_noticed() {
        for (scope, longest) in [
            ("A", 3),
            ("H", 3),
            ("v", 3),
            ("T", 3),
            ("R", 3),
            ("X", 4),
            ("I", 3),
            ("O", 4),
            ("L", 3),
            ("N", 2),
            ("F", 3),
        ] {
            let statement = run(&counts(scope, longest), &Oracle, &settings(2, Part::All));
            assert_eq!(statement.unreached, [""; 0], "{scope} at {longest}");
        }
        let unreached = run(&counts("A", 1), &Oracle, &settings(1, Part::All)).unreached;
        assert_eq!(unreached, ["NR6", "NR7", "AP3a", "AP3c"]);
    }

    /// Right on streams of two lines, and blind to longer ones.
    struct Shortsighted;

    impl Engine for Shortsighted {
        fn name(&self) -> &'static str {
            "shortsighted"
        }

        fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
            let read = if stream.split(|&byte| byte == b'\n').count() > 3 { &b""[..] } else { stream };
            Oracle.read(read)
        }
    }

    #[test]
    fn what_a_scope_cannot_show_of_an_engine_its_invariants_can() {
        let counts = counts("A", 2);
        let examined = Settings { invariants: true, ..settings(2, Part::All) };
        assert_eq!(run(&counts, &Shortsighted, &settings(2, Part::All)).counterexample, None);
        let broken = run(&counts, &Shortsighted, &examined);
        assert_eq!((broken.divergences, broken.invariants_broken), (0, 1));
        let core = run(&counts, &Core, &examined);
        assert_eq!((core.invariants_broken, core.counterexample), (0, None));
        assert!(core.invariants.len() > 30, "{:?}", core.invariants.keys());
    }
}
