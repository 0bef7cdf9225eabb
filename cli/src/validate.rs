//! `asr validate`: everything in a stream that breaks a requirement, and what is probably wrong.

use crate::Status;
use crate::input::Files;
use crate::lines::Lines;
use crate::output::stdout;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use asr_spec::{Finding, Report, Requirement};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    /// One line of JSON per file
    #[arg(long)]
    json: bool,

    /// One SARIF log for all files, as code hosts read it
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    // By the number of the input: they come in any order.
    let found = Mutex::new(BTreeMap::new());
    let status = args.files.for_each(args.json, |input, out, _| {
        let report = match input.core() {
            Ok(stream) => stream.validate(),
            Err(error) => return Ok(Err(error)),
        };
        let lines = Lines::of(&input);
        if args.json {
            let all =
                |findings: &[Finding]| -> Vec<_> { findings.iter().map(|it| in_json(&lines, it)).collect() };
            let Report { violations, warnings } = &report;
            writeln!(out, "{}", json!({"violations": all(violations), "warnings": all(warnings)}))?;
        } else if args.sarif {
            let findings = [("error", &report.violations), ("warning", &report.warnings)];
            let findings = findings.into_iter().flat_map(|(level, findings)| {
                let in_sarif = |finding| in_sarif(&lines, &input.name, level, finding);
                findings.iter().map(in_sarif).zip(findings.iter().map(|finding| finding.requirement))
            });
            let findings: Vec<(Value, Requirement)> = findings.collect();
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(input.number, findings);
        } else {
            draw(&lines, &input.name, &report, out)?;
        }
        Ok(Ok(if report.is_valid() { Status::Fine } else { Status::Finding }))
    })?;
    if args.sarif {
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (results, broken) = found.into_values().flatten().unzip();
        let mut out = io::BufWriter::new(stdout());
        writeln!(out, "{:#}", sarif_log(broken, results))?;
        out.flush()?;
    }
    Ok(status)
}

/// What was expected and what was found.
fn message(finding: &Finding) -> String {
    format!("{} Found {}.", finding.requirement.text(), finding.found)
}

fn in_json(lines: &Lines<'_>, finding: &Finding) -> Value {
    let (_, column) = lines.place(finding.line, &finding.pointer);
    json!({
        "requirement": finding.requirement,
        "line": finding.line,
        "column": column,
        "record": finding.record,
        "message": message(finding),
    })
}

fn in_sarif(lines: &Lines<'_>, file: &str, level: &str, finding: &Finding) -> Value {
    let (_, column) = lines.place(finding.line, &finding.pointer);
    json!({
        "ruleId": finding.requirement,
        "level": level,
        "message": {"text": message(finding)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": file},
            "region": {"startLine": finding.line, "startColumn": column},
        }}],
    })
}

/// The report with excerpts, for people.
fn draw(lines: &Lines<'_>, file: &str, report: &Report, out: &mut impl Write) -> io::Result<()> {
    let renderer = if console::colors_enabled() { Renderer::styled() } else { Renderer::plain() };
    let Report { violations, warnings } = report;
    for (level, findings) in [(Level::ERROR, violations), (Level::WARNING, warnings)] {
        for finding in findings {
            let text = lines.text(finding.line);
            let (range, _) = lines.place(finding.line, &finding.pointer);
            let excerpt = Snippet::source(text.as_str())
                .line_start(usize::try_from(finding.line).unwrap_or(usize::MAX))
                .path(file)
                .annotation(AnnotationKind::Primary.span(range).label(finding.found.as_str()));
            let title = level.clone().primary_title(finding.requirement.text());
            let group = title.id(finding.requirement.id()).element(excerpt);
            writeln!(out, "{}\n", renderer.render(&[group]))?;
        }
    }
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let verdict = if report.is_valid() { "valid" } else { "invalid" };
    let (violations, warnings) = (count(violations.len(), "violation"), count(warnings.len(), "warning"));
    writeln!(out, "{file}: {verdict}, {violations}, {warnings}")
}

/// A SARIF 2.1.0 log.
fn sarif_log(broken: BTreeSet<Requirement>, results: Vec<Value>) -> Value {
    let rule = |requirement: Requirement| json!({"id": requirement, "shortDescription": {"text": requirement.text()}});
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "asr",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": broken.into_iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}
