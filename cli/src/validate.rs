//! `asr validate`: everything in a stream that breaks a requirement, and what is probably wrong.

mod sarif;

use crate::Status;
use crate::describe::printable;
use crate::input::{Files, Input};
use crate::lines::Lines;
use crate::locate::Located;
use crate::output::stdout;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use asr_spec::{Finding, Name, Report, Requirement};
use console::style;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
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
        let Report { violations, warnings } = &report;
        if args.json {
            let (violations, warnings) = (in_json(&lines, violations)?, in_json(&lines, warnings)?);
            writeln!(out, "{}", serde_json::to_string(&InJson { violations, warnings })?)?;
        } else if args.sarif {
            let mut results = Vec::new();
            for (level, findings) in [("error", violations), ("warning", warnings)] {
                for_each(&lines, findings, |finding, line, range| {
                    let columns = line.column(range.start)..line.column(range.end);
                    results.push(sarif::Found::new(&input, level, finding, columns, message(finding)));
                    Ok(())
                })?;
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(input.number, results);
        } else {
            draw(&lines, &input, &report, out)?;
        }
        Ok(Ok(if report.is_valid() { Status::Fine } else { Status::Finding }))
    })?;
    if args.sarif {
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut out = io::BufWriter::new(stdout());
        sarif::write(&mut out, found.into_values().flatten().collect(), status)?;
        out.flush()?;
    }
    Ok(status)
}

/// Hands over each of the findings, which are in the order of their lines, with its line and place.
fn for_each<'f>(
    lines: &Lines<'_>,
    findings: &'f [Finding],
    mut take: impl FnMut(&'f Finding, &Located<'_>, Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    for of_line in findings.chunk_by(|one, next| one.line == next.line) {
        let text = of_line.first().map(|finding| lines.text(finding.line)).unwrap_or_default();
        let mut line = Located::new(&text);
        for finding in of_line {
            let range = line.range(&finding.pointer);
            take(finding, &line, range)?;
        }
    }
    Ok(())
}

/// What was expected and what was found.
fn message(finding: &Finding) -> String {
    format!("{} Found {}.", finding.requirement.text(), finding.found)
}

/// A report as JSON.
#[derive(serde::Serialize)]
struct InJson<'f> {
    violations: Vec<FindingInJson<'f>>,
    warnings: Vec<FindingInJson<'f>>,
}

#[derive(serde::Serialize)]
struct FindingInJson<'f> {
    requirement: Requirement,
    line: u64,
    column: u64,
    record: &'f Name,
    message: String,
}

fn in_json<'f>(lines: &Lines<'_>, findings: &'f [Finding]) -> io::Result<Vec<FindingInJson<'f>>> {
    let mut all = Vec::with_capacity(findings.len());
    for_each(lines, findings, |finding, line, range| {
        let Finding { requirement, line: number, record, .. } = finding;
        let (column, message) = (line.column(range.start), message(finding));
        all.push(FindingInJson { requirement: *requirement, line: *number, column, record, message });
        Ok(())
    })?;
    Ok(all)
}

/// The report with excerpts, for people.
fn draw(lines: &Lines<'_>, input: &Input, report: &Report, out: &mut impl Write) -> io::Result<()> {
    let renderer = if console::colors_enabled() { Renderer::styled() } else { Renderer::plain() };
    let name = match input.conversion {
        Some(_) => format!("{} (as converted)", printable(&input.name)),
        None => printable(&input.name),
    };
    let arrow = style("-->").blue().bright().bold();
    let Report { violations, warnings } = report;
    for (level, findings) in [(Level::ERROR, violations), (Level::WARNING, warnings)] {
        for_each(lines, findings, |finding, line, range| {
            let Finding { requirement, line: number, found, .. } = finding;
            let title = level.clone().primary_title(requirement.text()).id(requirement.id());
            // The renderer would take the column in the excerpt for that in the line.
            let (width, column) = (number.to_string().len(), line.column(range.start));
            let (excerpt, range) = excerpt(line.text(), range);
            let snippet = Snippet::source(excerpt).line_start(usize::try_from(*number).unwrap_or(usize::MAX));
            let snippet = snippet.annotation(AnnotationKind::Primary.span(range).label(&**found));
            writeln!(out, "{}", renderer.render(&[Group::with_title(title)]))?;
            writeln!(out, "{:width$}{arrow} {name}:{number}:{column}", "")?;
            writeln!(out, "{}\n", renderer.render(&[Group::with_level(level.clone()).element(snippet)]))
        })?;
    }
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let verdict = if report.is_valid() { "valid" } else { "invalid" };
    let (violations, warnings) = (count(violations.len(), "violation"), count(warnings.len(), "warning"));
    writeln!(out, "{name}: {verdict}, {violations}, {warnings}")
}

/// So many characters of a value, and on either side of it, are handed to the renderer: more than a terminal is wide,
/// and no matter how long the line is.
const MOST_CHARS: usize = 200;

/// What is drawn of a line, and where in it the value is. The renderer makes ASCII control characters harmless, this the
/// others.
fn excerpt(line: &str, value: Range<usize>) -> (String, Range<usize>) {
    let part = |range: Range<usize>| line.get(range).unwrap_or_default();
    let (before, marked, after) = (part(0..value.start), part(value.clone()), part(value.end..line.len()));
    let begin = before.char_indices().rev().nth(MOST_CHARS).map(|(at, _)| at);
    let head = |text: &str| match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    };
    let [before, marked, after] = [
        begin.map_or(before.to_owned(), |at| format!("…{}", part(at..value.start))),
        head(marked),
        head(after),
    ]
    .map(|text| text.replace(|char: char| char.is_control() && !char.is_ascii(), "\u{fffd}"));
    let range = before.len()..before.len() + marked.len();
    (before + &marked + &after, range)
}
