//! Findings as a SARIF 2.1.0 log, as code hosts read it.

use crate::Status;
use crate::input::Input;
use asr_spec::{Finding, Requirement};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// A result, but for the number of its rule, which all results decide.
pub(super) struct Found {
    rule: Requirement,
    level: &'static str,
    message: String,
    place: Value,
}

impl Found {
    pub(super) fn new(
        input: &Input,
        level: &'static str,
        finding: &Finding,
        columns: Range<u64>,
        message: String,
    ) -> Self {
        let artifact = json!({"uri": uri(&input.path)});
        let place = match input.conversion {
            None => json!({"artifactLocation": artifact, "region": {
                "startLine": finding.line, "startColumn": columns.start, "endColumn": columns.end,
            }}),
            // The lines of a conversion are not those of the file.
            Some(_) => json!({"artifactLocation": artifact}),
        };
        Self { rule: finding.requirement, level, message, place }
    }
}

/// The log of a run that ended with `status`.
pub(super) fn log(found: Vec<Found>, status: Status) -> Value {
    let rules: BTreeSet<Requirement> = found.iter().map(|found| found.rule).collect();
    let rules: Vec<Requirement> = rules.into_iter().collect();
    let results = found.into_iter().map(|Found { rule, level, message, place }| {
        json!({
            "ruleId": rule,
            "ruleIndex": rules.binary_search(&rule).ok(),
            "level": level,
            "message": {"text": message},
            "locations": [{"physicalLocation": place}],
        })
    });
    let results: Vec<Value> = results.collect();
    let described = |rule: &Requirement| json!({"id": rule, "shortDescription": {"text": rule.text()}});
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "asr",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(described).collect::<Vec<_>>(),
            }},
            // What could not be read is told on standard error; here only that the results are not all.
            "invocations": [{"executionSuccessful": status < Status::Unusable, "exitCode": status as u8}],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
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
