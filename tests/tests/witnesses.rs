//! The witnesses that the model checker found: each is what its scope and rank give, each tells its variant from the
//! default as the fixture says, and no shorter stream does.

use asr_checker::explore::{Among, replay, told_apart, witness_scopes, witnesses};
use asr_checker::fixtures::{Case, load};
use asr_oracle::{Stream, Variant, variants};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::Path;

/// The cases that were found, each with its variant.
fn found() -> Vec<(Case, &'static Variant)> {
    let cases = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")).unwrap();
    let found = cases.into_iter().filter(|case| case.meta.found.is_some());
    found
        .map(|case| {
            let [answer] = &*case.variants else { panic!("{}: not one variant", case.id) };
            let variant = answer.variant.parse().unwrap();
            (case, variant)
        })
        .collect()
}

fn length(id: &str) -> u8 {
    id.rsplit(':').nth(1).unwrap().parse().unwrap()
}

#[test]
fn every_variant_has_a_witness_of_at_most_four_lines() {
    let told: BTreeSet<_> = found().into_iter().map(|(_, variant)| variant.name).collect();
    assert_eq!(told, variants().iter().map(|variant| variant.name).collect());
    let longest = found().iter().map(|(case, _)| length(case.meta.found.as_deref().unwrap())).max();
    assert_eq!(longest, Some(4));
}

#[test]
fn every_witness_is_the_stream_of_its_scope_and_rank_and_holds() {
    for (case, variant) in found() {
        let stream = replay(case.meta.found.as_deref().unwrap()).unwrap();
        assert_eq!(stream, case.input, "{}", case.id);
        let (query, [right, other]) = told_apart(variant, &stream).unwrap();
        let [expectation] = &*case.expectations else { panic!("{}: not one query", case.id) };
        let [answer] = &*case.variants else { panic!("{}: not one variant", case.id) };
        assert_eq!((&query, &query), (&expectation.query, &answer.query), "{}", case.id);
        assert_eq!((right, other), (expectation.outcome.clone(), answer.outcome.clone()), "{}", case.id);
        assert_eq!(Stream::read(&stream, &mut ()).validate().is_valid(), case.meta.valid, "{}", case.id);
    }
}

/// Up to two lines, which takes seconds. `asr explore --witness --write fixtures` searches all lengths, within minutes,
/// and leaves the fixtures as they are.
#[test]
fn no_witness_of_at_most_two_lines_is_missed_and_none_is_less() {
    const SHORT: u8 = 2;
    let is_valid = |case: &Case| case.id.ends_with(",valid");
    let all = found();
    let broken = all.iter().filter(|(case, _)| !case.meta.valid && !is_valid(case));
    let broken: Vec<_> =
        broken.map(|(_, variant)| *variant).filter(|variant| variant.alternative().is_some()).collect();
    let scopes = witness_scopes(SHORT).unwrap();
    for (among, variants) in [(Among::All, variants().iter().collect()), (Among::Valid, broken)] {
        let committed: BTreeMap<_, _> = all
            .iter()
            .filter(|(case, _)| is_valid(case) == (among == Among::Valid))
            .map(|(case, variant)| (variant.name, case.meta.found.clone().unwrap()))
            .filter(|(_, id)| length(id) <= SHORT)
            .collect();
        let found = witnesses(&scopes, variants, among, NonZero::new(2).unwrap(), |_, _| ());
        let found: BTreeMap<_, _> =
            found.into_iter().map(|witness| (witness.variant.name, witness.id)).collect();
        assert_eq!(found, committed, "{among:?}");
    }
}

/// What the register of open questions counts, and no report says of most cases.
#[test]
fn every_case_is_as_valid_as_it_says() {
    for case in load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")).unwrap() {
        assert_eq!(Stream::read(&case.input, &mut ()).validate().is_valid(), case.meta.valid, "{}", case.id);
    }
}
