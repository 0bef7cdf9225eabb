//! Entries for people: which record, what kind, and the beginning of what it says.

use asr_core::Stream;
use asr_spec::{Entry, Json, Name};
use console::{Style, measure_text_width, style, truncate_str};
use serde_json::Value;
use std::io::{self, Write};

/// One printed line.
pub(crate) struct Row {
    id: String,
    kind: String,
    text: String,
    is_marker: bool,
}

/// The row of an entry of a view or path of `stream`.
pub(crate) fn row(stream: &Stream<'_>, entry: &Entry) -> Row {
    let Row { id, kind, text, is_marker } = raw_row(stream, entry);
    Row { id: one_line(&id), kind: one_line(&kind), text: one_line(&text), is_marker }
}

/// The row with all texts as the stream has them.
fn raw_row(stream: &Stream<'_>, entry: &Entry) -> Row {
    let marker =
        |kind: &str, text: String| Row { id: String::new(), kind: kind.into(), text, is_marker: true };
    match entry {
        Entry::Node { id, rev } => {
            let record = record(stream, rev.as_ref().unwrap_or(id));
            Row { id: revised(id, rev), kind: kind(&record), text: text(&record), is_marker: false }
        }
        Entry::Summary { id, rev } => {
            let record = record(stream, rev.as_ref().unwrap_or(id));
            Row { id: revised(id, rev), kind: "summary".into(), text: text(&record), is_marker: false }
        }
        Entry::Retained { id, by, truncated } => {
            let record = record(stream, id);
            let how = if *truncated { "shortened by" } else { "carried by" };
            let kind = format!("retained {}", kind(&record));
            Row {
                id: id.to_string(),
                kind,
                text: format!("({how} {by}) {}", text(&record)),
                is_marker: false,
            }
        }
        Entry::Gap { id } => {
            let record = record(stream, id);
            let reason = record.get("reason").and_then(Value::as_str).unwrap_or("no reason given");
            marker("gap", format!("records are missing here: {reason} ({id})"))
        }
        Entry::Malformed { line } => marker("gap", format!("line {line} is malformed")),
        Entry::UnresolvedRef { reference, status } => {
            let reference = match reference {
                Json::String(id) => id.clone(),
                other => other.to_string(),
            };
            marker("unresolved", format!("ref {reference} identifies no record ({})", status.as_str()))
        }
        Entry::UnknownPredecessor => marker("unknown", "what came before is unknown".into()),
        Entry::UnknownReplacement { id } => {
            let text = format!("{id} replaced an unknown part of the above: the model may have seen less");
            marker("unknown", text)
        }
        Entry::Inherited { session, through_id, through_ordinal } => {
            let through = through_id.as_ref().or(through_ordinal.as_ref());
            let through = through.map(|through| format!(" through {through}")).unwrap_or_default();
            marker("inherited", format!("the context of session {session}{through}"))
        }
    }
}

fn revised(id: &Name, rev: &Option<Name>) -> String {
    match rev {
        Some(rev) => format!("{id} as {rev}"),
        None => id.to_string(),
    }
}

/// The record of that name, null where there is none or no telling which.
fn record(stream: &Stream<'_>, name: &Name) -> Value {
    let line = name.0.as_deref().and_then(|id| stream.find(id));
    line.and_then(|line| serde_json::from_slice(line.bytes).ok()).unwrap_or_default()
}

fn kind(record: &Value) -> String {
    let text = |key| record.get(key).and_then(Value::as_str);
    match text("type") {
        Some("message") => text("role").unwrap_or("message").into(),
        Some("tool_call") => "call".into(),
        Some("tool_result") => "result".into(),
        Some(other) => other.into(),
        None => "record".into(),
    }
}

/// The beginning of what a record says.
fn text(record: &Value) -> String {
    if let Some(name) = record.get("name").and_then(Value::as_str) {
        let input = record.get("input").map(Value::to_string).unwrap_or_default();
        return format!("{name} {input}");
    }
    let parts = record.get("content").or_else(|| record.get("summary")).and_then(Value::as_array);
    let said = parts.into_iter().flatten().find_map(|part| {
        let text = part.get("text").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        match (part.get("type").and_then(Value::as_str), text) {
            (Some("thinking"), Some(text)) => Some(format!("(thinks) {text}")),
            (_, text) => text.map(str::to_owned),
        }
    });
    said.unwrap_or_default()
}

/// Longer texts are cut here before anything is measured: no terminal is that wide.
const MOST_CHARS: usize = 1000;

/// A text on one line, without what a terminal would obey.
fn one_line(text: &str) -> String {
    let words =
        text.split(|char: char| char.is_whitespace() || char.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(MOST_CHARS).collect()
}

/// A text as it is, but for what a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char }).collect()
}

/// Writes a line to standard error. Where nobody reads it, it is lost; the outcome is the same.
pub(crate) fn say(message: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(message));
}

/// Rows as a table that fits the terminal, or 100 columns where there is none.
pub(crate) fn table(rows: &[Row], out: &mut impl Write) -> io::Result<()> {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((0, 100));
    let ids = rows.iter().map(|row| measure_text_width(&row.id)).max().unwrap_or(0);
    let kinds = rows.iter().map(|row| measure_text_width(&row.kind)).max().unwrap_or(0);
    let left = usize::from(columns).saturating_sub(ids + kinds + 6).max(20);
    for Row { id, kind, text, is_marker } in rows {
        let color = if *is_marker { Style::new().yellow() } else { color(kind) };
        let text = truncate_str(text, left, "…");
        let line = format!(
            "  {}  {}  {text}",
            style(format!("{id:ids$}")).dim(),
            color.apply_to(format!("{kind:kinds$}"))
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn color(kind: &str) -> Style {
    match kind {
        "user" => Style::new().green(),
        "assistant" => Style::new().cyan(),
        "summary" => Style::new().magenta(),
        _ => Style::new(),
    }
}
