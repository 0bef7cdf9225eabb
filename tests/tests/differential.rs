//! Oracle and core on random streams, valid and broken, from every head; and on random native sessions.
//!
//! The number of cases is small enough for every run of the tests. `ASR_CASES` sets another: with 200,000 this is the
//! hunt that a release is held to. Case n is the same in every run.

use asr_checker::{Core, Engine, Heads, Oracle, Session, compare, compare_siblings};
use asr_generators::native::NativeScript;
use asr_generators::{Script, Settings};
use asr_spec::native::{Mapping, NativeRecord};
use asr_spec::{Entry, Head, Leaf, Name, Outcome, Query, What};
use std::collections::BTreeSet;

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
    let verdict = |script: &Script| compare([&Oracle, &Core], &script.render(), Heads::Every, |_, _| ());
    for_each_case(|case| {
        let mut script = Script::random(case, &Settings::of_case(case));
        if verdict(&script).is_agreement() {
            return Ok(());
        }
        while let Some(simpler) = script.simpler().find(|simpler| !verdict(simpler).is_agreement()) {
            script = simpler;
        }
        Err(format!("{}\n{}\n{script:?}", verdict(&script), String::from_utf8_lossy(&script.render())))
    });
}

/// They are also equal to asking leaf by leaf, where an id names a leaf alone, and no leaf is inside of another path.
#[test]
fn oracle_and_core_agree_on_all_leaves_of_random_streams() {
    let presets = [Settings::mixed(), Settings::paths(), Settings::compactions(), Settings::broken()];
    let check = |script: &Script| -> Result<(), String> {
        let text = script.render();
        let (oracle, core) = (Oracle.read(&text)?, Core.read(&text)?);
        for what in [What::Path, What::View] {
            let leaves: Vec<Leaf> = core.leaves(what).collect();
            let expected: Vec<Leaf> = oracle.leaves(what).collect();
            if leaves != expected {
                return Err(format!("{what:?}: the core has {leaves:?}, the oracle {expected:?}"));
            }
            let (heads, inner) = heads_and_inner_nodes(&*core);
            for leaf in leaves.iter().filter(|leaf| heads.contains(&leaf.head)) {
                let alone = core.answer(&Query { what, head: Head::Ref(leaf.head.to_string()) });
                if alone != leaf.outcome {
                    return Err(format!("{what:?}: {leaf:?} is {alone} alone"));
                }
                if inner.contains(&leaf.head) {
                    return Err(format!("{what:?}: {leaf:?} is no leaf"));
                }
            }
        }
        Ok(())
    };
    for_each_case(|case| {
        let mut script = Script::random(case, &presets[(case % presets.len() as u64) as usize]);
        let Err(mut failure) = check(&script) else { return Ok(()) };
        while let Some((simpler, why)) =
            script.simpler().find_map(|simpler| check(&simpler).err().map(|why| (simpler, why)))
        {
            (script, failure) = (simpler, why);
        }
        Err(format!("{failure}\n{}\n{script:?}", String::from_utf8_lossy(&script.render())))
    });
}

/// The names that name a node alone, as the first record of its chain, and those of them that are inside of a path.
fn heads_and_inner_nodes(session: &dyn Session) -> (BTreeSet<Name>, BTreeSet<Name>) {
    let (mut heads, mut inner) = (BTreeSet::new(), BTreeSet::new());
    for id in session.ids() {
        let outcome = session.answer(&Query { what: What::Path, head: Head::Ref(id.clone()) });
        let name = Name::from(id.as_str());
        match outcome {
            Outcome::Entries(entries) => {
                let mut nodes = entries.into_iter().rev().filter_map(|entry| match entry {
                    Entry::Node { id, .. } => Some(id),
                    _ => None,
                });
                if nodes.next().is_some_and(|last| last == name) {
                    heads.insert(name);
                    inner.extend(nodes);
                }
            }
            Outcome::Cycle { .. } => drop(heads.insert(name)),
            Outcome::NoDefaultPath => {}
        }
    }
    (heads, inner)
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
