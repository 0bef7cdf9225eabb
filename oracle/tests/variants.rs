//! Every alternative reading answers as it was decided, and every variant differs from the default somewhere.
//!
//! `witnesses.jsonl` holds a small stream for each variant, with both outcomes: the evidence that a reading
//! is open, or that a fault can be noticed. The decided cases are in `cases.jsonl`, which lives beside the
//! repository.

#![expect(clippy::panic, reason = "a test panics to fail")]

use asr_oracle::{Kind, Stream, UnknownVariant, Variant, variants};
use asr_spec::{Head, Outcome, Query, READINGS, What};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A stream, a query, and the outcome of each reading, the default one first.
#[derive(Deserialize)]
struct Case {
    label: String,
    query: String,
    head: Option<String>,
    stream: Vec<String>,
    readings: Vec<CaseReading>,
}

#[derive(Deserialize)]
struct CaseReading {
    text: String,
    output: Outcome,
}

/// A stream on which a variant differs from the default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Witness {
    variant: String,
    query: String,
    head: Option<String>,
    stream: Vec<String>,
    default: Outcome,
    outcome: Outcome,
}

impl Witness {
    fn stream(&self) -> String {
        self.stream.join("\n")
    }

    fn query(&self) -> Query {
        query(&self.query, self.head.as_ref())
    }
}

fn query(what: &str, head: Option<&String>) -> Query {
    let what = match what {
        "path" => What::Path,
        "view" => What::View,
        other => panic!("{other} is no query"),
    };
    Query { what, head: head.map_or(Head::Primary, |id| Head::Ref(id.clone())) }
}

fn read_lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parse).collect()
}

/// The decided cases. Where they are absent, the test that wants them says that it is skipped.
fn cases(test: &str) -> Vec<Case> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec/cases.jsonl");
    if !path.exists() {
        // Not `eprintln!`, whose text a passing test keeps to itself.
        let told = writeln!(std::io::stderr(), "SKIPPED {test}: {} is absent", path.display());
        told.unwrap_or_else(|error| panic!("standard error: {error}"));
        return Vec::new();
    }
    read_lines(&path)
}

fn witnesses() -> Vec<Witness> {
    read_lines(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/witnesses.jsonl"))
}

/// The alternatives of a reading, the default one first, each as the name of a variant and its text.
fn alternatives(label: &str) -> Vec<(String, &'static str)> {
    let reading = READINGS.iter().find(|reading| reading.label == label);
    let reading = reading.unwrap_or_else(|| panic!("{label} is no reading"));
    reading.alternatives.iter().map(|other| (format!("{label}={}", other.name), other.text)).collect()
}

fn variant(name: &str) -> &'static Variant {
    name.parse().unwrap_or_else(|error: UnknownVariant| panic!("{error}"))
}

fn default_outcome(stream: &str, query: &Query) -> Outcome {
    Stream::read(stream.as_bytes(), &mut ()).answer(query, &mut ())
}

fn outcome(variant: &Variant, stream: &[u8], query: &Query) -> Outcome {
    Stream::read_as(variant, stream, &mut ()).answer(query, &mut ())
}

#[test]
fn every_alternative_answers_its_case_as_decided() {
    for case in cases("every_alternative_answers_its_case_as_decided") {
        let stream = case.stream.join("\n");
        let query = query(&case.query, case.head.as_ref());
        let alternatives = alternatives(&case.label);
        assert_eq!(alternatives.len(), case.readings.len(), "{}", case.label);
        for (index, (reading, (name, text))) in case.readings.iter().zip(alternatives).enumerate() {
            assert_eq!(reading.text, text, "{name}");
            let outcome = if index == 0 {
                default_outcome(&stream, &query)
            } else {
                outcome(variant(&name), stream.as_bytes(), &query)
            };
            assert_eq!(outcome, reading.output, "{name}\n{stream}");
        }
    }
}

#[test]
fn every_variant_differs_from_the_default_on_its_witnesses() {
    let mut witnessed = BTreeSet::new();
    for witness in witnesses() {
        let (stream, query) = (witness.stream(), witness.query());
        let name = &witness.variant;
        assert_eq!(default_outcome(&stream, &query), witness.default, "{name}\n{stream}");
        assert_eq!(outcome(variant(name), stream.as_bytes(), &query), witness.outcome, "{name}\n{stream}");
        assert_ne!(witness.default, witness.outcome, "{name}");
        witnessed.insert(witness.variant);
    }
    let names: BTreeSet<_> = variants().iter().map(|variant| variant.name.to_owned()).collect();
    assert_eq!(witnessed, names);
}

#[test]
fn the_alternatives_of_a_reading_differ_from_each_other() {
    let witnesses = witnesses();
    for reading in READINGS {
        let names: Vec<_> = alternatives(reading.label).into_iter().skip(1).map(|(name, _)| name).collect();
        let prefix = format!("{}=", reading.label);
        let its: Vec<_> = witnesses.iter().filter(|witness| witness.variant.starts_with(&prefix)).collect();
        for (index, one) in names.iter().enumerate() {
            for other in names.iter().skip(index + 1) {
                let differs = its.iter().any(|witness| {
                    let (stream, query) = (witness.stream(), witness.query());
                    let of = |name| outcome(variant(name), stream.as_bytes(), &query);
                    of(one) != of(other)
                });
                assert!(differs, "no witness tells {one} from {other}");
            }
        }
    }
}

#[test]
fn every_alternative_but_the_default_is_a_variant_and_every_variant_has_a_name_of_its_own() {
    let names: BTreeSet<_> = variants().iter().map(|variant| variant.name.to_owned()).collect();
    assert_eq!(names.len(), variants().len());
    let of_readings: BTreeSet<_> = variants()
        .iter()
        .filter(|variant| variant.alternative().is_some())
        .map(|v| v.name.to_owned())
        .collect();
    let wanted = READINGS.iter().flat_map(|reading| alternatives(reading.label).into_iter().skip(1));
    assert_eq!(of_readings, wanted.map(|(name, _)| name).collect());
    let faults = variants().iter().filter(|variant| matches!(variant.kind, Kind::Fault { .. }));
    assert!(faults.clone().count() >= 40, "{} faults", faults.count());
    assert!(variants().iter().all(|variant| !variant.text().is_empty()));
}

/// The witnesses, cut off here and there and then continued by another one, are broken in many ways: half
/// records, repeated ids, refs to nothing, seq that starts again.
#[test]
fn every_variant_answers_every_query_about_broken_streams() {
    /// A cut at every byte would take minutes.
    const STEP: usize = 37;
    let mut streams: Vec<_> = witnesses().iter().map(Witness::stream).collect();
    streams.dedup();
    let queries = [query("path", None), query("view", None), query("view", Some(&"r2".to_owned()))];
    for (stream, next) in streams.iter().zip(streams.iter().cycle().skip(1)) {
        for cut in (0..stream.len()).step_by(STEP) {
            let broken: Vec<u8> = stream.bytes().take(cut).chain(*b"\n").chain(next.bytes()).collect();
            for variant in variants() {
                for query in &queries {
                    outcome(variant, &broken, query);
                }
                Stream::read_as(variant, &broken, &mut ()).heads(&mut ());
            }
        }
    }
}

#[test]
fn a_variant_is_found_by_its_name_and_an_unknown_name_says_what_there_is() {
    assert_eq!(variant("NR-3=tip_of_first").name, "NR-3=tip_of_first");
    let error = |name: &str| match name.parse::<&Variant>() {
        Ok(variant) => panic!("{variant:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        error("NR-3=highest_seq"),
        "NR-3=highest_seq is the default reading, not a variant of it; variants are NR-3=tip_of_first"
    );
    assert_eq!(error("nr-3"), "nr-3 is no variant; the nearest are NR-3=tip_of_first");
    let near = error("fault:seen_by_name");
    assert!(
        near.starts_with("fault:seen_by_name is no variant; the nearest are fault:seen_by_id, "),
        "{near}"
    );
}
