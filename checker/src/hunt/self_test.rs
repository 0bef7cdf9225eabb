//! Hunting that is known to hunt: every planted fault is hunted as if it were the core.

use super::{Plan, Signature, hunt};
use asr_oracle::{Kind, Variant, variants};
use std::time::Duration;

/// Within this many cases every fault is to be found.
pub const MOST_CASES: u64 = 100_000;

/// How one fault was found.
#[derive(Clone, Debug)]
pub struct Row {
    /// The fault.
    pub fault: &'static Variant,
    /// What found it first, for each seed; empty where nothing did.
    pub by: Vec<Signature>,
    /// Cases until then, the median over the seeds; [`MOST_CASES`] where a seed did not find it.
    pub cases: u64,
    /// The most cases that a seed took.
    pub most_cases: u64,
    /// Time until then, the median over the seeds.
    pub time: Duration,
}

/// Hunts every fault once for each seed; `each` is told every row.
pub fn self_test(seeds: impl Iterator<Item = u64> + Clone, mut each: impl FnMut(&Row)) -> Vec<Row> {
    let faults = variants().iter().filter(|variant| matches!(variant.kind, Kind::Fault { .. }));
    let rows = faults.map(|fault| {
        let (mut cases, mut times, mut by) = (Vec::new(), Vec::new(), Vec::new());
        for seed in seeds.clone() {
            let plan = Plan { seed, variant: Some(fault), first: true, cases: MOST_CASES, ..Plan::default() };
            let hunted = hunt(&plan, |_| ());
            let found = hunted.findings.first();
            cases.push(found.map_or(MOST_CASES, |found| found.case + 1));
            times.push(hunted.time);
            by.extend(found.map(|found| found.signature.clone()));
        }
        cases.sort_unstable();
        times.sort_unstable();
        let row = Row {
            fault,
            by,
            cases: cases.get(cases.len() / 2).copied().unwrap_or(MOST_CASES),
            most_cases: cases.last().copied().unwrap_or(MOST_CASES),
            time: times.get(times.len() / 2).copied().unwrap_or_default(),
        };
        each(&row);
        row
    });
    rows.collect()
}
