//! What scripts reach, asserted: what is never generated is never tested. And hunting that is known to hunt.
//!
//! In a plain test run a part of the cases must do. `ASR_CASES` sets their number; a release is held to
//! 50,000.

use asr_checker::hunt::{MOST_CASES, Plan, Preset, breakable, hunt, self_test};
use asr_checker::{Core, Engine, Oracle};
use asr_generators::{Script, Settings};
use asr_spec::{Entry, Head, Outcome, Query, Requirement, What};
use std::collections::BTreeSet;

fn cases(default: u64) -> u64 {
    match std::env::var("ASR_CASES") {
        Ok(cases) => cases.parse().unwrap_or_else(|_| panic!("ASR_CASES={cases}: expected a number")),
        Err(_) => default,
    }
}

#[test]
fn default_scripts_reach_every_step_every_violation_and_every_form_of_a_compaction() {
    let plan = Plan { preset: Preset::Mixed, cases: cases(6_000), report: true, ..Plan::default() };
    let hunted = hunt(&plan, |_| ());
    let never = hunted.reach.unwrap().never();
    assert!(never.is_empty(), "in {} cases never reached: {never:#?}", hunted.cases);
    assert!(hunted.findings.is_empty(), "{:#?}", hunted.findings);
}

fn violations(script: &Script) -> BTreeSet<Requirement> {
    let stream = script.render();
    let report = Oracle.read(&stream).unwrap().validate();
    report.violations.into_iter().map(|violation| violation.requirement).collect()
}

#[test]
fn valid_scripts_violate_nothing() {
    let compactions = Settings { odd_refs: 0, ..Settings::compactions() };
    for preset in [Settings::valid(), Settings::paths(), compactions] {
        for seed in 0..cases(3_000) {
            let script = Script::random(seed, &preset);
            let broken = violations(&script);
            assert!(broken.is_empty(), "seed {seed} violates {broken:?}: {script:?}");
        }
    }
}

/// A script is of use as far as it has paths. Every record serves as a head, so the longest path counts; the
/// one of the primary head is shorter where a script ends with a rewind, or states heads.
#[test]
fn valid_scripts_are_valid_and_nearly_all_have_paths() {
    let scripts = cases(20_000);
    let (mut long, mut primary) = (0, 0);
    for seed in 0..scripts {
        let stream = Script::random(seed, &Settings::valid()).render();
        let session = Core.read(&stream).unwrap();
        assert!(session.validate().is_valid(), "seed {seed}");
        let is_long = |head| match session.answer(&Query { what: What::Path, head }) {
            Outcome::Entries(path) => {
                path.iter().filter(|entry| matches!(entry, Entry::Node { .. })).count() >= 3
            }
            Outcome::NoDefaultPath | Outcome::Cycle { .. } => false,
        };
        primary += u64::from(is_long(Head::Primary));
        long += u64::from(session.ids().into_iter().rev().any(|id| is_long(Head::Ref(id))));
    }
    println!("of {scripts} streams {long} have a path of three nodes, {primary} from the primary head");
    assert!(long * 100 >= scripts * 95, "only {long} of {scripts} have a path of three nodes");
    assert!(primary * 100 >= scripts * 70, "only {primary} of {scripts} have one from the primary head");
}

#[test]
fn a_script_broken_on_purpose_violates_what_it_is_to_violate_and_nothing_else() {
    for requirement in breakable() {
        let mut all = BTreeSet::from([requirement]);
        all.extend(Script::broken_along(requirement));
        for seed in 0..cases(100) {
            let script = Script::broken_by(requirement, seed)
                .unwrap_or_else(|| panic!("{requirement} cannot be broken on purpose"));
            assert_eq!(violations(&script), all, "{requirement}, seed {seed}: {script:?}");
        }
    }
}

#[test]
fn what_no_stream_can_break_is_not_broken_on_purpose() {
    let breakable: BTreeSet<_> = breakable().collect();
    for requirement in Requirement::ALL.into_iter().filter(|requirement| !breakable.contains(requirement)) {
        assert!(Script::broken_by(requirement, 0).is_none(), "{requirement}");
    }
}

#[test]
fn a_hunt_bounded_by_cases_ends_alike_every_time() {
    let variant = "fault:gaps_reversed".parse().unwrap();
    let run = || {
        let plan = Plan { seed: 3, cases: 300, variant: Some(variant), ..Plan::default() };
        let findings = hunt(&plan, |_| ()).findings.into_iter();
        findings.map(|found| (found.signature, found.case, found.text, found.replay)).collect::<Vec<_>>()
    };
    let first = run();
    assert!(!first.is_empty());
    assert_eq!(first, run());
}

/// The table of `docs/self-test.md` is of several seeds; here one must do.
#[test]
fn every_planted_fault_is_found_by_random_hunting() {
    for row in self_test(0..1, |_| ()) {
        assert!(row.most_cases < MOST_CASES, "{} is not found in {MOST_CASES} cases", row.fault.name);
    }
}
