//! Seeded random hunting on stable Rust: case after case until a bound, on all cores.
//!
//! A case is a number: with the seed it stands for a script and a native session, the same in every run and
//! whatever the number of threads. Both engines answer every question that the script's stream allows, some
//! invariants are examined, and both implementations of the mechanical-sibling rule place the session. The
//! hunt never stops at a finding unless asked to; of those with one [`Signature`] it keeps the one of the
//! lowest case, and at the end it simplifies each as long as the signature stays.

mod fixture;
mod probe;
mod reach;
mod self_test;

pub use fixture::write;
pub use probe::{Kind, Signature};
pub use reach::{Reach, breakable};
pub use self_test::{MOST_CASES, Row, self_test};

use asr_generators::native::NativeScript;
use asr_generators::{Script, Settings};
use asr_oracle::Variant;
use probe::{Engines, Probe};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Which scripts are drawn: the presets of [`Settings`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Preset {
    /// All others in turn.
    #[default]
    All,
    /// Everything, half of it valid.
    Mixed,
    /// Valid streams.
    Valid,
    /// Valid streams that bend and have no compactions.
    Paths,
    /// Streams with many compactions, half of them valid.
    Compactions,
    /// Streams that break many rules at once.
    Broken,
}

impl Preset {
    /// Every preset with its name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("all", Self::All),
        ("mixed", Self::Mixed),
        ("valid", Self::Valid),
        ("paths", Self::Paths),
        ("compactions", Self::Compactions),
        ("broken", Self::Broken),
    ];

    fn settings(self, case: u64) -> Settings {
        match self {
            Self::All => Settings::of_case(case),
            Self::Mixed => Settings::mixed(),
            Self::Valid => Settings::valid(),
            Self::Paths => Settings::paths(),
            Self::Compactions => Settings::compactions(),
            Self::Broken => Settings::broken(),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|(_, preset)| preset == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, preset)| *preset);
        let names = Self::ALL.map(|(name, _)| name).join(", ");
        found.ok_or_else(|| format!("`{text}` is no preset: expected one of {names}"))
    }
}

/// What to hunt, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// With the number of a case it stands for what the case is.
    pub seed: u64,
    /// Which scripts are drawn.
    pub preset: Preset,
    /// The number of the first case.
    pub from: u64,
    /// How many cases, at most.
    pub cases: u64,
    /// How long, at most. A hunt that time ends differs from run to run.
    pub time: Option<Duration>,
    /// Whether to stop at the first finding.
    pub first: bool,
    /// Whether to count what the cases reach, which takes about as long as hunting.
    pub report: bool,
    /// The variant that is hunted instead of the core.
    pub variant: Option<&'static Variant>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 0,
            preset: Preset::All,
            from: 0,
            cases: u64::MAX,
            time: None,
            first: false,
            report: false,
            variant: None,
        }
    }
}

/// What a hunt brought home.
#[derive(Clone, Debug)]
pub struct Hunted {
    /// How many cases were examined.
    pub cases: u64,
    /// How long that took, without simplification.
    pub time: Duration,
    /// One finding of each signature, in the order of their cases.
    pub findings: Vec<Found>,
    /// What was reached, if the plan says to count.
    pub reach: Option<Reach>,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Found {
    /// What identifies it.
    pub signature: Signature,
    /// The lowest case that shows it.
    pub case: u64,
    /// The simplest input that still does.
    pub input: Input,
    /// Question and answers, for people.
    pub text: String,
    /// How to see it again.
    pub replay: String,
}

/// What a case gives to the engines.
#[derive(Clone, Debug)]
pub enum Input {
    /// A script, and its stream.
    Stream(Script),
    /// A native session.
    Native(NativeScript),
}

/// The seed of a case: numbers next to each other must not give scripts that resemble each other.
fn seed_of(seed: u64, case: u64) -> u64 {
    let mut word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ case.wrapping_mul(0xd134_2543_de82_ef95);
    word = (word ^ (word >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 29)
}

/// What one thread has found: of each signature the lowest case, with what to examine again.
type Catch = BTreeMap<Signature, (u64, Probe)>;

/// How far a hunt is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// How many cases were examined.
    pub cases: u64,
    /// What they reached, if the plan says to count; told now and then.
    pub reach: Option<&'a Reach>,
}

/// After how many cases a thread adds what it reached to what all have reached: rarely enough that threads do
/// not wait for each other, often enough to look at.
const CASES_PER_REPORT: u64 = 256;

/// Hunts. `progress` is told after each case how many there were.
pub fn hunt(plan: &Plan, progress: impl Fn(Progress<'_>) + Sync) -> Hunted {
    let began = Instant::now();
    let engines = Engines::of(plan.variant);
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let best = AtomicU64::new(u64::MAX);
    let reached = Mutex::new(Reach::default());
    let add = |reach: &mut Reach| {
        // A thread that panicked while it added up has lost one sum, and nothing else is wrong.
        let mut reached = reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.add(&std::mem::take(reach));
        progress(Progress { cases: done.load(Ordering::Relaxed), reach: Some(&reached) });
    };
    let run = || {
        let (mut catch, mut reach) = (Catch::new(), Reach::default());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let is_over = at >= plan.cases
                || plan.time.is_some_and(|time| began.elapsed() >= time)
                // Every case below the first finding is examined, so that it is the first one in every run.
                || plan.first && at > best.load(Ordering::Relaxed);
            if is_over {
                add(&mut reach);
                return catch;
            }
            let case = plan.from.wrapping_add(at);
            let settings = plan.preset.settings(case);
            let seed = seed_of(plan.seed, case);
            let script = Script::random(seed, &settings);
            let native = NativeScript::random(seed, &settings);
            for (signature, probe) in engines.examine(case, &script, &native) {
                best.fetch_min(at, Ordering::Relaxed);
                let entry = catch.entry(signature).or_insert((case, probe));
                if case < entry.0 {
                    *entry = (case, probe);
                }
            }
            if plan.report {
                reach.add_case(&script, &native);
                if reach.streams >= CASES_PER_REPORT {
                    add(&mut reach);
                }
            }
            progress(Progress { cases: done.fetch_add(1, Ordering::Relaxed) + 1, reach: None });
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut catch = Catch::new();
    thread::scope(|scope| {
        let hunters: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        for theirs in hunters.into_iter().filter_map(|hunter| hunter.join().ok()) {
            for (signature, (case, probe)) in theirs {
                let entry = catch.entry(signature).or_insert((case, probe));
                if case < entry.0 {
                    *entry = (case, probe);
                }
            }
        }
    });
    let time = began.elapsed();
    let mut caught: Vec<_> = catch.into_iter().collect();
    caught.sort_by_key(|(_, (case, _))| *case);
    if plan.first {
        caught.truncate(1);
    }
    let findings = caught.into_iter().map(|(signature, (case, probe))| {
        let settings = plan.preset.settings(case);
        let seed = seed_of(plan.seed, case);
        let input = if signature.kind == Kind::Siblings {
            Input::Native(NativeScript::random(seed, &settings))
        } else {
            Input::Stream(Script::random(seed, &settings))
        };
        let (input, text) = engines.simplify(probe, &signature, input);
        Found { replay: plan.replay(case), signature, case, input, text }
    });
    Hunted {
        cases: done.load(Ordering::Relaxed),
        time,
        findings: findings.collect(),
        reach: plan.report.then(|| reached.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

impl Plan {
    /// The command that examines one case again.
    fn replay(&self, case: u64) -> String {
        let Self { seed, preset, variant, from: _, cases: _, time: _, first: _, report: _ } = self;
        let variant = variant.map(|variant| format!(" --engine {}", variant.name)).unwrap_or_default();
        format!("asr fuzz --seed {seed} --settings {preset} --from {case} --cases 1{variant}")
    }
}
