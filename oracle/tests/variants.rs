//! Every alternative reading answers as `cases.jsonl` says.

#![expect(clippy::panic, reason = "a test panics to fail")]

use asr_oracle::{Stream, UnknownVariant, Variant};
use asr_spec::{Head, Outcome, Query, READINGS, What};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A case of `cases.jsonl`: a stream, a query, and the outcome of each reading, the default one first.
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

/// The cases, which live beside the repository. Where they are absent the test that wants them is skipped in sight.
fn cases(test: &str) -> Vec<Case> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec/cases.jsonl");
    if !path.exists() {
        eprintln!("SKIPPED {test}: {} is absent", path.display());
        return Vec::new();
    }
    read_lines(&path)
}

/// The names and the places of the alternatives of a reading.
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

fn outcome(variant: &Variant, stream: &str, query: &Query) -> Outcome {
    Stream::read_as(variant, stream.as_bytes(), &mut ()).answer(query, &mut ())
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
                outcome(variant(&name), &stream, &query)
            };
            assert_eq!(outcome.to_string(), reading.output.to_string(), "{name}\n{stream}");
        }
    }
}
