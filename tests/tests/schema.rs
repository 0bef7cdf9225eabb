//! The JSON Schema of the structure layer against the validator: a record fails the schema exactly where it breaks a
//! requirement that one record alone can break.

use asr_checker::fixtures::load;
use asr_generators::{Script, Settings};
use asr_registry::{Agent, convert};
use asr_spec::{Finding, Requirement};
use jsonschema::Validator;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn schema() -> Validator {
    let text = fs::read(root().join("spec/schema/structure.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "the schema is no schema");
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Whether one record alone can break the requirement in this way.
fn is_structural(finding: &Finding, record: &Value) -> bool {
    use Requirement::*;
    let value = record.pointer(&finding.pointer);
    match finding.requirement {
        Asr354 | Asr356D | Asr358A | Asr358B | Asr358C | Asr370 => true,
        Asr371A | Asr371B | Asr371C | Asr371D | Asr371E | Asr371F => true,
        // A ref that is no string names nothing, whatever else there is.
        Asr080 | Asr357B => !value.is_some_and(Value::is_string),
        U13 => finding.pointer.is_empty() || !value.is_some_and(Value::is_string),
        // 1.0 is an integer to JSON Schema, and no integer literal to ASR.
        Asr014 => finding.pointer.is_empty() || value.is_some_and(|value| !value.is_number()),
        _ => false,
    }
}

/// Compares schema and validator on every record of a stream; returns how many passed and failed.
fn compare(schema: &Validator, name: &str, stream: &[u8]) -> [usize; 2] {
    let report = asr_oracle::Stream::read(stream, &mut ()).validate();
    let mut counts = [0, 0];
    let stream = stream.strip_prefix("\u{feff}".as_bytes()).unwrap_or(stream);
    for (number, line) in (1..).zip(stream.split(|&byte| byte == b'\n')) {
        let Ok(record @ Value::Object(_)) = serde_json::from_slice::<Value>(line) else { continue };
        let findings = report.violations.iter().filter(|finding| finding.line == number);
        let broken: Vec<_> = findings.filter(|finding| is_structural(finding, &record)).collect();
        let errors: Vec<_> = schema.iter_errors(&record).map(|error| error.to_string()).collect();
        // A seq that is a number and no integer fails the one and not necessarily the other.
        if record["seq"].is_f64() {
            continue;
        }
        assert_eq!(
            errors.is_empty(),
            broken.is_empty(),
            "{name}, line {number}: {record}\n{errors:?}\n{broken:?}"
        );
        counts[usize::from(!errors.is_empty())] += 1;
    }
    counts
}

#[test]
fn the_schema_agrees_with_the_validator_on_every_fixture() {
    let schema = schema();
    let cases = load(&root().join("fixtures")).unwrap();
    let counts = cases.iter().map(|case| compare(&schema, &case.id, &case.input));
    let [valid, invalid] = counts.fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
    assert!(valid > 200 && invalid > 15, "{valid} valid and {invalid} invalid records");
}

#[test]
fn the_schema_agrees_with_the_validator_on_random_records() {
    let schema = schema();
    let streams = (0..3000).map(|seed| Script::random(seed, &Settings::broken()).render());
    let counts = streams.map(|stream| compare(&schema, &String::from_utf8_lossy(&stream), &stream));
    let [valid, invalid] = counts.fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
    assert!(valid > 10_000 && invalid > 500, "{valid} valid and {invalid} invalid records");
}

#[test]
fn what_the_converters_write_fits_the_schema() {
    let schema = schema();
    for (agent, folder) in [(Agent::ClaudeCode, "claude-code"), (Agent::Pi, "pi")] {
        for file in fs::read_dir(root().join("fixtures/sessions").join(folder)).unwrap() {
            let path = file.unwrap().path();
            let mut stream = Vec::new();
            convert(agent, None, &fs::read(&path).unwrap()).unwrap().write_to(&mut stream).unwrap();
            let [_, invalid] = compare(&schema, &path.display().to_string(), &stream);
            assert_eq!(invalid, 0);
        }
    }
}
