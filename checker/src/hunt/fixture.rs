//! Findings as fixtures: folders of the conformance suite's form, with the oracle's answers.

use super::{Found, Input};
use asr_oracle::Stream;
use asr_spec::{Finding, Head, Query, What};
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a finding as a folder below `out`, and says which.
///
/// The answers are the oracle's; whether they are right is for people to decide before the folder becomes a
/// fixture. Besides the files of a case it holds `script.json`, the script that rendered to the stream. A
/// finding in a native session has that file and a `meta.json` only.
pub fn write(found: &Found, out: &Path) -> io::Result<PathBuf> {
    let folder = out.join(found.signature.to_string().to_lowercase().replace([':', '.', '=', ' '], "-"));
    fs::create_dir_all(&folder)?;
    let save = |name: &str, value: &Value| fs::write(folder.join(name), format!("{value:#}\n"));
    let why = format!("Found by `{}`.\n{}", found.replay, found.text);
    match &found.input {
        Input::Native(script) => {
            save("script.json", &serde_json::to_value(script)?)?;
            save("meta.json", &json!({"title": found.signature.to_string(), "why": why}))?;
        }
        Input::Stream(script) => {
            let bytes = script.render();
            let stream = Stream::read(&bytes, &mut ());
            fs::write(folder.join("input.jsonl"), &bytes)?;
            save("script.json", &serde_json::to_value(script)?)?;
            let ids = stream.ids().into_iter().map(|id| Head::Ref(id.to_owned()));
            let heads = [Head::Primary, Head::Start].into_iter().chain(ids);
            let queries = heads
                .flat_map(|head| [What::Path, What::View].map(|what| Query { what, head: head.clone() }));
            let answers = queries.map(|query| {
                let outcome = serde_json::to_value(stream.answer(&query, &mut ()))?;
                Ok(json!({"query": written(&query), "outcome": outcome}))
            });
            save("expect.json", &Value::Array(answers.collect::<Result<_, serde_json::Error>>()?))?;
            let report = stream.validate();
            let all = |findings: &[Finding]| findings.iter().map(expected).collect::<Vec<_>>();
            let (violations, warnings) = (all(&report.violations), all(&report.warnings));
            save("report.json", &json!({"violations": violations, "warnings": warnings}))?;
            let title = found.signature.to_string();
            save("meta.json", &json!({"title": title, "valid": report.is_valid(), "why": why}))?;
        }
    }
    Ok(folder)
}

/// A query as the suite writes it.
fn written(query: &Query) -> Value {
    let what = match query.what {
        What::Path => "path",
        What::View => "view",
    };
    match &query.head {
        Head::Primary => json!({"what": what}),
        Head::Start => json!({"what": what, "start": true}),
        Head::Ref(id) => json!({"what": what, "head": id}),
    }
}

/// A finding of a validator as the suite writes it.
fn expected(finding: &Finding) -> Value {
    let Finding { requirement, line, record, pointer, found: _ } = finding;
    json!({"requirement": requirement, "line": line, "record": record, "pointer": pointer})
}
