//! `asr explore`: every stream of a scope, by both implementations.

#[cfg(feature = "planted")]
mod planted;
mod progress;
mod witness;

use crate::Status;
use crate::describe::say;
use crate::output::stdout;
use asr_checker::explore::{
    Condition, Counts, ExploreError, Following, Part, Property, Questions, SLICES, Scope, Settings,
    Statement, Symmetry, WatchError, watch, work,
};
use asr_checker::fixtures::FixtureError;
use asr_checker::{Core, Engine, Oracle, OracleAs};
use asr_oracle::{UnknownVariant, Variant};
use progress::Progress;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::Duration;
use std::{env, fs, thread};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The scope: a slice by its letter (see `--list`), with bounds if you like: `Z, compaction<=1, gap<=0`
    #[arg(required_unless_present_any = ["scope", "replay", "merge", "list", "witness"], conflicts_with = "scope")]
    slice: Option<String>,

    /// As the argument; without a slice it is Z, and `records<=N` is as good as `-n N`
    #[arg(long, value_name = "BOUNDS")]
    scope: Option<String>,

    /// The greatest number of lines
    #[arg(short = 'n', long = "lines", value_name = "N")]
    lines: Option<u8>,

    /// Of streams that answer alike by a symmetry visit one: `Q5,Q6`; also as part of the scope: `A, Q5, Q6`
    #[arg(long, value_name = "SYMMETRIES", value_delimiter = ',', value_parser = symmetry)]
    quotient: Vec<Symmetry>,

    /// What to compare the oracle with: `session` (the core, which follows the walk line by line), `core` (which
    /// reads each stream anew), or a variant of the oracle such as `fault:seen_by_id`
    #[arg(long, value_name = "NAME", default_value = "session")]
    engine: String,

    /// Put every question to every stream, not only those whose answer the last line can change
    #[arg(long)]
    all_queries: bool,

    /// Examine the invariants of the engine as well, on every stream; takes some twenty times as long
    #[arg(long)]
    invariants: bool,

    /// A condition that must be so of every stream: `step=V3b-kept`, `requirement=ASR-366.a`, `reading=NR-3`,
    /// `kind=gap`, `outcome=cycle`
    #[arg(long, value_name = "CONDITION")]
    always: Vec<Condition>,

    /// A condition that must be so of no stream; the least of which it is so is the counterexample
    #[arg(long, value_name = "CONDITION")]
    never: Vec<Condition>,

    /// A condition that must be so of some stream; otherwise the run is incomplete (status 3)
    #[arg(long, value_name = "CONDITION")]
    sometimes: Vec<Condition>,

    /// Count on how many streams each open question matters; takes some hundred times as long
    #[arg(long)]
    readings: bool,

    /// On how many threads; as many as there are processors, unless you say
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,

    /// After how long without an answer an engine counts as hanging, and the stream as a counterexample
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    patience: NonZero<u32>,

    /// One of M equal shares of the streams, from 1/M to M/M; `--merge` adds their statements up
    #[arg(long, value_name = "I/M", value_parser = share)]
    shard: Option<(NonZero<u32>, NonZero<u32>)>,

    /// Begin at a stream, by length and rank
    #[arg(long, value_name = "N:RANK", value_parser = place, conflicts_with_all = ["shard", "sample"])]
    from: Option<(u8, u64)>,

    /// So many streams of the scope, drawn uniformly, instead of all
    #[arg(long, value_name = "K", conflicts_with = "shard")]
    sample: Option<u64>,

    /// What the draws of `--sample` follow from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Note in this file how far the run is, and go on from there where it exists
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Print one stream: `A:3:17` is the one of rank 17, from 0, among those of scope A with 3 lines
    #[arg(long, value_name = "SCOPE:N:RANK", conflicts_with_all = ["slice", "scope"])]
    replay: Option<String>,

    /// Add up the statements of all shards
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["slice", "scope", "replay"])]
    merge: Vec<PathBuf>,

    /// For every variant of the oracle the least stream on which it answers otherwise, in all slices or in the scope
    #[arg(long, conflicts_with_all = ["shard", "sample", "resume", "engine", "invariants"])]
    witness: bool,

    /// Write the streams of `--witness`, with both answers, as cases of the conformance suite in this folder
    #[arg(long, value_name = "FOLDER", requires = "witness")]
    write: Option<PathBuf>,

    /// List the slices and how many streams they have
    #[arg(long)]
    list: bool,

    /// Where to save a counterexample
    #[arg(long, value_name = "FILE", default_value = "counterexample.asr.jsonl")]
    save: PathBuf,

    /// One JSON object per line: how far the run is, every second, and the statement at the end
    #[arg(long)]
    json: bool,
}

/// Why a run cannot be.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Explore(#[from] ExploreError),
    #[error(transparent)]
    Watch(WatchError),
    #[error(transparent)]
    Engine(#[from] UnknownVariant),
    #[error("give the greatest number of lines: -n 4")]
    NoLength,
    #[error("{file}: {why}")]
    File { file: String, why: String },
    #[error(transparent)]
    Suite(#[from] FixtureError),
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl From<WatchError> for Refusal {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::Explore(error) => Self::Explore(error),
            error => Self::Watch(error),
        }
    }
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    let outcome = if args.list {
        list()
    } else if let Some(id) = &args.replay {
        replay(id)
    } else if !args.merge.is_empty() {
        merge(args)
    } else if args.witness {
        witness::run(args)
    } else {
        search(args)
    };
    match outcome {
        Ok(status) => Ok(status),
        Err(Refusal::Output(error)) => Err(error),
        Err(refusal) => {
            say(&format!("error: {refusal}"));
            let is_ours = matches!(
                refusal,
                Refusal::Explore(ExploreError::Miscounted { .. })
                    | Refusal::Watch(WatchError::Lost(_) | WatchError::Refused(_) | WatchError::Child(_))
            );
            Ok(if is_ours { Status::Internal } else { Status::Unusable })
        }
    }
}

fn search(args: &Args) -> Result<Status, Refusal> {
    let text = args.slice.as_ref().or(args.scope.as_ref()).map_or("", String::as_str);
    let (scope, bound) = Scope::parse(text)?;
    let scope = args.quotient.iter().try_fold(scope, |scope, &symmetry| scope.divided_by(symmetry))?;
    let counts = Counts::new(scope, args.lines.or(bound).ok_or(Refusal::NoLength)?)?;
    let engine = engine(&args.engine)?;
    let threads = threads(args);
    let questions = if args.all_queries { Questions::Every } else { Questions::New };
    let part = match (args.shard, args.sample, args.from) {
        (Some((share, of)), ..) => Part::Share(share, of),
        (None, Some(streams), _) => Part::Sample(streams, args.seed),
        (None, None, Some((length, rank))) => Part::From(length, rank),
        (None, None, None) => Part::All,
    };
    let always = args.always.iter().copied().map(Property::Always);
    let never = args.never.iter().copied().map(Property::Never);
    let sometimes = args.sometimes.iter().copied().map(Property::Sometimes);
    let properties = always.chain(never).chain(sometimes).collect();
    let so_far = match &args.resume {
        Some(file) if file.exists() => Some(read(file)?),
        _ => None,
    };
    let (invariants, readings) = (args.invariants, args.readings);
    let settings = Settings { threads, questions, invariants, properties, readings, part, so_far };
    let mut out = stdout();
    if !args.json {
        for length in 1..=counts.longest() {
            writeln!(out, "{:>24} streams of {length} lines", counts.of_length(length))?;
        }
    }
    let mut progress = Progress::new(args, counts.scope());
    let patience = Duration::from_secs(args.patience.get().into());
    let program = env::current_exe()?;
    let child = || {
        let mut child = Command::new(&program);
        child.arg(CHILD);
        child
    };
    let statement = watch(&counts, &*engine, &settings, patience, &child, |so_far| progress.at(so_far));
    progress.end()?;
    let statement = statement?;
    if let Some(file) = &args.resume {
        write(file, &statement)?;
    }
    conclude(args, &statement, &mut out)
}

/// The verb of a child, which people have no use for.
pub(crate) const CHILD: &str = "explore-child";

/// What a child of [`search`] does.
pub(crate) fn child() -> io::Result<Status> {
    let say = |line: &str| {
        let mut out = io::stdout().lock();
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            // Nobody listens any more.
            process::exit(Status::Unusable as i32);
        }
    };
    work(io::stdin().lock(), &say, |name| engine(name).map_err(|error| error.to_string()))?;
    Ok(Status::Fine)
}

fn threads(args: &Args) -> NonZero<usize> {
    args.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// Prints the statement, saves the counterexample, and says how it went.
fn conclude(args: &Args, statement: &Statement, out: &mut impl Write) -> Result<Status, Refusal> {
    if args.json {
        writeln!(out, "{}", json(statement))?;
    } else {
        table(statement, out)?;
        writeln!(out, "{statement}")?;
    }
    if let Some(found) = &statement.counterexample {
        let bytes = found.bytes();
        fs::write(&args.save, &bytes).map_err(|error| file(&args.save, error))?;
        if !args.json {
            out.write_all(&bytes)?;
            writeln!(out, "{}\nsaved as {}", found.verdict, args.save.display())?;
        }
        return Ok(Status::Finding);
    }
    // A part need not reach what the whole promises.
    let is_unreached = statement.is_about_all() && !statement.unreached.is_empty();
    let is_unmet = statement.is_about_all() || statement.drawn.is_some();
    let is_vacuous = is_unreached || is_unmet && statement.unmet().next().is_some();
    Ok(if is_vacuous { Status::Incomplete } else { Status::Fine })
}

/// What was reached, and how often.
fn table(statement: &Statement, out: &mut impl Write) -> io::Result<()> {
    for (what, counts) in [
        ("steps, by the oracle on all streams", &statement.steps),
        ("requirements found broken", &statement.requirements),
        ("streams by their last line", &statement.kinds),
        ("streams on which invariants apply and hold", &statement.invariants),
        ("streams on which the answer to an open question matters", &statement.readings),
        ("streams of which a condition is so", &statement.properties),
    ] {
        if !counts.is_empty() {
            writeln!(out, "{what}")?;
        }
        for (label, count) in counts.iter().filter(|(_, count)| **count > 0) {
            writeln!(out, "  {label:14} {count:>20}")?;
        }
    }
    let seconds = statement.seconds.max(f64::MIN_POSITIVE);
    let rate = statement.visited as f64 / seconds;
    writeln!(out, "{seconds:.1} s on {} threads, {rate:.0} streams per second", statement.threads)
}

fn list() -> Result<Status, Refusal> {
    let mut out = stdout();
    for slice in SLICES {
        let counts = Counts::new(slice.letter.to_string().parse()?, 5)?;
        let numbers: Vec<_> = (1..=5).map(|length| counts.of_length(length).to_string()).collect();
        writeln!(out, "{}  {:12} {}", slice.letter, slice.title, numbers.join(" "))?;
    }
    Ok(Status::Fine)
}

fn replay(id: &str) -> Result<Status, Refusal> {
    stdout().write_all(&asr_checker::explore::replay(id)?)?;
    Ok(Status::Fine)
}

fn merge(args: &Args) -> Result<Status, Refusal> {
    let parts = args.merge.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    conclude(args, &Statement::merge(parts)?, &mut stdout())
}

fn engine(name: &str) -> Result<Box<dyn Engine>, UnknownVariant> {
    #[cfg(feature = "planted")]
    if let Some(planted) = planted::Planted::named(name) {
        return Ok(Box::new(planted));
    }
    Ok(match name {
        "core" => Box::new(Core),
        "session" => Box::new(Following),
        "oracle" => Box::new(Oracle),
        variant => Box::new(OracleAs(variant.parse::<&'static Variant>()?)),
    })
}

fn place(text: &str) -> Result<(u8, u64), String> {
    let place =
        text.split_once(':').and_then(|(length, rank)| Some((length.parse().ok()?, rank.parse().ok()?)));
    place.ok_or_else(|| "expected N:RANK, such as 4:1000".to_owned())
}

fn symmetry(text: &str) -> Result<Symmetry, String> {
    let labels = Symmetry::ALL.map(Symmetry::label).join(", ");
    text.trim().parse().map_err(|()| format!("expected one of {labels}"))
}

fn share(text: &str) -> Result<(NonZero<u32>, NonZero<u32>), String> {
    let share = text.split_once('/').and_then(|(share, of)| Some((share.parse().ok()?, of.parse().ok()?)));
    share.ok_or_else(|| "expected I/M, such as 1/4".to_owned())
}

fn json(statement: &Statement) -> String {
    serde_json::to_string(statement).unwrap_or_else(|error| error.to_string())
}

/// The statement at the end of a file.
fn read(path: &Path) -> Result<Statement, Refusal> {
    let text = fs::read_to_string(path).map_err(|error| file(path, error))?;
    let last = text.lines().next_back().unwrap_or_default();
    serde_json::from_str(last).map_err(|error| file(path, error))
}

/// Replaces the file as a whole, so that a run that is killed leaves the old one or the new one.
fn write(path: &Path, statement: &Statement) -> Result<(), Refusal> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let written = fs::write(&beside, json(statement)).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| file(path, error))
}

fn file(path: &Path, why: impl ToString) -> Refusal {
    Refusal::File { file: path.display().to_string(), why: why.to_string() }
}
