//! Findings as a SARIF 2.1.0 log, as code hosts read it.

use crate::Status;
use crate::input::Input;
use asr_spec::{Finding, Requirement};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// A result. Typed, since there may be as many as a file has values.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Found {
    rule_id: Requirement,
    /// All results decide it.
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Place,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    artifact_location: Artifact,
    /// None in a converted session: the lines of a conversion are not those of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
    start_column: u64,
    end_column: u64,
}

impl Found {
    pub(super) fn new(
        input: &Input,
        level: &'static str,
        finding: &Finding,
        columns: Range<u64>,
        text: String,
    ) -> Self {
        let Range { start: start_column, end: end_column } = columns;
        let region = Region { start_line: finding.line, start_column, end_column };
        let artifact_location = Artifact { uri: uri(&input.path) };
        let place = Place { artifact_location, region: input.conversion.is_none().then_some(region) };
        Self {
            rule_id: finding.requirement,
            rule_index: 0,
            level,
            message: Message { text },
            locations: [Location { physical_location: place }],
        }
    }
}

#[derive(Serialize)]
struct Log<'f> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'f>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'f> {
    tool: Value,
    invocations: Value,
    column_kind: &'static str,
    results: &'f [Found],
}

/// Writes the log of a run that ended with `status`.
pub(super) fn write(out: &mut impl Write, mut found: Vec<Found>, status: Status) -> io::Result<()> {
    let rules: BTreeSet<Requirement> = found.iter().map(|found| found.rule_id).collect();
    let rules: Vec<Requirement> = rules.into_iter().collect();
    for Found { rule_id, rule_index, .. } in &mut found {
        *rule_index = rules.binary_search(rule_id).unwrap_or_default();
    }
    let described = |rule: &Requirement| json!({"id": rule, "shortDescription": {"text": rule.text()}});
    let run = Run {
        tool: json!({"driver": {
            "name": "asr",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules.iter().map(described).collect::<Vec<_>>(),
        }}),
        // What could not be read is told on standard error; here only that the results are not all.
        invocations: json!([{"executionSuccessful": status < Status::Unusable, "exitCode": status as u8}]),
        column_kind: "unicodeCodePoints",
        results: &found,
    };
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    serde_json::to_writer_pretty(&mut *out, &Log { schema, version: "2.1.0", runs: [run] })?;
    writeln!(out)
}

/// What a URI has as it is: what RFC 3986 calls unreserved, and the slashes of a path. A colon in the first segment of
/// a relative path would pass for the end of a scheme.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A path as a reference: an absolute one as a URI, any other relative to where the command ran.
fn uri(path: &Path) -> String {
    let encoded = percent_encode(path.as_os_str().as_encoded_bytes(), ENCODED);
    if path.has_root() { format!("file://{encoded}") } else { encoded.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        let of = |path: &str| uri(Path::new(path));
        assert_eq!(of("a/b-1_2~.jsonl"), "a/b-1_2~.jsonl");
        assert_eq!(of("a b/100%/é#?.jsonl"), "a%20b/100%25/%C3%A9%23%3F.jsonl");
        assert_eq!(of("c:d"), "c%3Ad");
        assert_eq!(of("/tmp/a b"), "file:///tmp/a%20b");
    }
}
