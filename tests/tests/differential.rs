//! Oracle and core on random streams, valid and broken, from every head; and on random native sessions.
//!
//! The number of cases is small enough for every run of the tests. `ASR_CASES` sets another: with 200,000 this is the
//! hunt that a release is held to. Case n is the same in every run.

use asr_checker::{Core, Heads, Oracle, compare, compare_siblings};
use asr_generators::native::NativeScript;
use asr_generators::{Script, Settings};
use asr_spec::native::{Mapping, NativeRecord};

fn cases() -> u64 {
    match std::env::var("ASR_CASES") {
        Ok(cases) => cases.parse().unwrap_or_else(|_| panic!("ASR_CASES={cases}: expected a number")),
        Err(_) => 20_000,
    }
}

/// Runs the cases on all cores; the first failing case in order is reported, whatever the number of threads.
fn for_each_case(check: impl Fn(u64) -> Result<(), String> + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let first_failure = std::thread::scope(|scope| {
        let check = &check;
        let hunt = move |thread: u64| {
            (thread..cases()).step_by(threads as usize).find_map(|case| Some((case, check(case).err()?)))
        };
        let hunters: Vec<_> = (0..threads).map(|thread| scope.spawn(move || hunt(thread))).collect();
        hunters.into_iter().filter_map(|hunter| hunter.join().unwrap()).min()
    });
    if let Some((case, failure)) = first_failure {
        panic!("case {case}: {failure}");
    }
}

#[test]
fn oracle_and_core_agree_on_random_streams() {
    let presets = [
        Settings::mixed(),
        Settings::valid(),
        Settings::paths(),
        Settings::compactions(),
        Settings::broken(),
    ];
    let verdict = |script: &Script| compare([&Oracle, &Core], &script.render(), Heads::Every, |_, _| ());
    for_each_case(|case| {
        let mut script = Script::random(case, &presets[(case % presets.len() as u64) as usize]);
        if verdict(&script).is_agreement() {
            return Ok(());
        }
        while let Some(simpler) = script.simpler().find(|simpler| !verdict(simpler).is_agreement()) {
            script = simpler;
        }
        Err(format!("{}\n{}\n{script:?}", verdict(&script), String::from_utf8_lossy(&script.render())))
    });
}

#[test]
fn oracle_and_core_place_random_native_units_alike() {
    for_each_case(|case| {
        let mut script = NativeScript::random(case, &Settings::mixed());
        let difference = |script: &NativeScript| compare_siblings(&script.records()).err();
        if difference(&script).is_none() {
            return Ok(());
        }
        while let Some(simpler) = script.simpler().find(|simpler| difference(simpler).is_some()) {
            script = simpler;
        }
        let records: Vec<_> = script.records().iter().map(in_short).collect();
        Err(format!("{:?}\n{}\n{script:?}", difference(&script), records.join("\n")))
    });
}

/// A native record as `readings.md` B.8 writes it: `name(parent) → records`.
fn in_short(record: &NativeRecord) -> String {
    let NativeRecord { id, parent, logical_parent, mapping } = record;
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    let logical = logical_parent.as_ref().map(|parent| format!(" logically {parent}")).unwrap_or_default();
    let mapping = match mapping {
        Mapping::Unit(records) => {
            let lines = records.iter().map(|record| record.to_line().unwrap());
            lines.collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}"),
    };
    format!("{}({}{logical}) → {mapping}", name(id), name(parent))
}
