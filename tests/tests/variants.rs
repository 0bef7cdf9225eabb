//! The variants of the oracle: every other reading and every planted fault differs from the default somewhere in the
//! fixtures, and answers there as the fixture says.

use asr_checker::fixtures::{Case, load};
use asr_oracle::{Kind, Stream, UnknownVariant, Variant, variants};
use asr_spec::{Outcome, Query, READINGS, Reading};
use std::collections::BTreeSet;
use std::path::Path;

fn cases() -> Vec<Case> {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")).unwrap()
}

fn variant(name: &str) -> &'static Variant {
    name.parse().unwrap_or_else(|error: UnknownVariant| panic!("{error}"))
}

/// The names of the variants that read otherwise where `reading` is open.
fn others(reading: &Reading) -> Vec<String> {
    let others = reading.alternatives.iter().skip(1);
    others.map(|other| format!("{}={}", reading.label, other.name)).collect()
}

fn outcome(variant: &Variant, stream: &[u8], query: &Query) -> Outcome {
    Stream::read_as(variant, stream, &mut ()).answer(query, &mut ())
}

#[test]
fn every_variant_answers_some_fixture_otherwise_and_as_the_fixture_says() {
    let mut told_apart = BTreeSet::new();
    for case in cases() {
        let default = Stream::read(&case.input, &mut ());
        for answer in &case.variants {
            let found = outcome(variant(&answer.variant), &case.input, &answer.query);
            assert_eq!(found, answer.outcome, "{} on {}", answer.variant, case.id);
            assert_ne!(found, default.answer(&answer.query, &mut ()), "{} on {}", answer.variant, case.id);
            told_apart.insert(answer.variant.clone());
        }
    }
    let names: BTreeSet<_> = variants().iter().map(|variant| variant.name.to_owned()).collect();
    assert_eq!(told_apart, names);
}

#[test]
fn every_reading_has_a_fixture_and_another_answer() {
    let cases = cases();
    for reading in READINGS {
        let is_its = |case: &&Case| case.meta.reading.as_deref() == Some(reading.label);
        assert!(cases.iter().any(|case| is_its(&case)), "{} has no fixture", reading.label);
        assert!(!others(reading).is_empty(), "{} is no question", reading.label);
    }
}

#[test]
fn the_answers_to_one_question_differ_from_each_other() {
    let cases = cases();
    for reading in READINGS {
        let others = others(reading);
        for (index, one) in others.iter().enumerate() {
            for other in &others[index + 1..] {
                let differs = cases.iter().any(|case| {
                    let queries = case.variants.iter().filter(|answer| others.contains(&answer.variant));
                    let mut queries = queries.map(|answer| &answer.query);
                    let of = |name, query| outcome(variant(name), &case.input, query);
                    queries.any(|query| of(one, query) != of(other, query))
                });
                assert!(differs, "no fixture tells {one} from {other}");
            }
        }
    }
}

#[test]
fn every_other_reading_is_a_variant_and_the_rest_are_faults() {
    let names: BTreeSet<_> = variants().iter().map(|variant| variant.name).collect();
    assert_eq!(names.len(), variants().len(), "two variants have one name");
    let readings: BTreeSet<_> = READINGS.iter().flat_map(others).collect();
    let is_fault = |variant: &&Variant| matches!(variant.kind, Kind::Fault { .. });
    let of_readings = variants().iter().filter(|variant| !is_fault(variant));
    assert_eq!(of_readings.map(|variant| variant.name.to_owned()).collect::<BTreeSet<_>>(), readings);
    assert!(variants().iter().filter(is_fault).count() >= 40);
    assert!(variants().iter().all(|variant| !variant.text().is_empty()));
}

/// Streams that are cut off and then continued by another one are broken in many ways: half records, repeated ids,
/// refs to nothing, seq that starts again.
#[test]
fn every_variant_answers_every_query_about_broken_streams() {
    /// A cut at every byte would take minutes.
    const STEP: usize = 37;
    let cases: Vec<_> = cases().into_iter().filter(|case| !case.variants.is_empty()).collect();
    for (case, next) in cases.iter().zip(cases.iter().cycle().skip(1)) {
        for cut in (0..case.input.len()).step_by(STEP) {
            let broken = [&case.input[..cut], b"\n", &next.input].concat();
            for variant in variants() {
                let stream = Stream::read_as(variant, &broken, &mut ());
                stream.heads(&mut ());
                for answer in &next.variants {
                    stream.answer(&answer.query, &mut ());
                }
            }
        }
    }
}

#[test]
fn an_unknown_name_of_a_variant_says_what_there_is() {
    let error = |name: &str| name.parse::<&Variant>().unwrap_err().to_string();
    assert_eq!(
        error("NR-3=highest_seq"),
        "NR-3=highest_seq is the default reading, not a variant of it; variants are NR-3=tip_of_first"
    );
    assert_eq!(error("nr-3"), "nr-3 is no variant; the nearest are NR-3=tip_of_first");
    let near = error("fault:seen_by_name");
    assert!(near.contains("the nearest are fault:seen_by_id, "), "{near}");
}
