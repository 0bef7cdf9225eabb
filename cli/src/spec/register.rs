//! `asr spec readings --witness`: the register of the questions that the chapter leaves open, for those who write it.
//!
//! Each question stands with our decision and its reason, the other answers, and the streams on which the answers
//! differ: the case that the question is about, where the suite has one, and the least stream for each other answer.

use super::Format;
use crate::Status;
use crate::describe::say;
use crate::output::stdout;
use asr_checker::fixtures::{Case, load};
use asr_spec::{Outcome, Query, READINGS, Reading};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

pub(super) fn run(suite: &Path, format: Format) -> io::Result<Status> {
    let cases = match load(suite) {
        Ok(cases) => cases,
        Err(error) => {
            say(&format!("error: {error}"));
            return Ok(Status::Unusable);
        }
    };
    let entries: Vec<_> = READINGS.iter().map(|reading| Entry::new(reading, &cases)).collect();
    let mut out = io::BufWriter::new(stdout());
    match format {
        Format::Markdown => blocks(&entries).iter().try_for_each(|block| block.markdown(&mut out))?,
        Format::Html => {
            writeln!(out, "{}", include_str!("register.head.html").trim_end())?;
            blocks(&entries).iter().try_for_each(|block| block.html(&mut out))?;
            writeln!(out, "</body>\n</html>")?;
        }
        Format::Json => {
            let entries: Vec<_> = entries.iter().map(Entry::json).collect();
            writeln!(out, "{}", Value::Array(entries))?;
        }
    }
    out.flush()?;
    let missing: Vec<_> = entries.iter().filter(|entry| !entry.is_complete()).collect();
    for entry in &missing {
        say(&format!("error: {}: an answer has no witness in {}", entry.reading.label, suite.display()));
    }
    Ok(if missing.is_empty() { Status::Fine } else { Status::Incomplete })
}

/// A question with what the suite has on it.
struct Entry<'s> {
    reading: &'static Reading,
    why: Option<&'s str>,
    streams: Vec<Shown<'s>>,
}

/// A stream with the answers to one question about it, ours first.
struct Shown<'s> {
    case: &'s Case,
    query: &'s Query,
    /// The name of an alternative, and what it answers.
    answers: Vec<(&'s str, &'s Outcome)>,
}

impl<'s> Entry<'s> {
    fn new(reading: &'static Reading, cases: &'s [Case]) -> Self {
        let its = || cases.iter().filter(|case| case.meta.reading.as_deref() == Some(reading.label));
        let mut streams: Vec<Shown<'s>> = Vec::new();
        // The text's own before what was found; then the shortest first.
        let mut ordered: Vec<_> = its().collect();
        ordered.sort_by_key(|case| {
            (case.meta.found.is_some(), case.input.iter().filter(|&&b| b == b'\n').count())
        });
        for case in ordered {
            for answer in &case.variants {
                let Some((_, name)) = answer.variant.split_once('=') else { continue };
                let right = case.expectations.iter().find(|right| right.query == answer.query);
                let known = streams
                    .iter_mut()
                    .find(|shown| shown.case.input == case.input && *shown.query == answer.query);
                match (known, right, reading.alternatives.first()) {
                    (Some(shown), ..) if shown.answers.iter().any(|(its, _)| *its == name) => {
                        // Found as well: say where.
                        if case.meta.found.is_some() {
                            shown.case = case;
                        }
                    }
                    (Some(shown), ..) => shown.answers.push((name, &answer.outcome)),
                    (None, Some(right), Some(default)) => streams.push(Shown {
                        case,
                        query: &answer.query,
                        answers: vec![(default.name, &right.outcome), (name, &answer.outcome)],
                    }),
                    (None, ..) => {}
                }
            }
        }
        Self { reading, why: its().find_map(|case| case.meta.why.as_deref()), streams }
    }

    fn others(&self) -> impl Iterator<Item = &'static asr_spec::Alternative> {
        self.reading.alternatives.iter().skip(1)
    }

    /// Whether a found stream tells each other answer from ours.
    fn is_complete(&self) -> bool {
        let found = || self.streams.iter().filter(|shown| shown.case.meta.found.is_some());
        self.others()
            .all(|other| found().any(|shown| shown.answers.iter().any(|(name, _)| *name == other.name)))
    }

    /// Whether the question arises on a stream that keeps every requirement.
    fn arises_on_valid(&self) -> bool {
        self.streams.iter().any(|shown| shown.case.meta.valid)
    }

    fn json(&self) -> Value {
        let Reading { label, question, consequence, alternatives } = self.reading;
        let alternatives: Vec<_> =
            alternatives.iter().map(|it| json!({"name": it.name, "text": it.text})).collect();
        let streams = self.streams.iter().map(|Shown { case, query, answers }| {
            let stream = String::from_utf8_lossy(&case.input);
            let answers: Vec<_> =
                answers.iter().map(|(name, it)| json!({"name": name, "outcome": it})).collect();
            json!({
                "case": case.id, "found": case.meta.found, "valid": case.meta.valid,
                "stream": stream.lines().collect::<Vec<_>>(), "query": query.to_string(), "answers": answers,
            })
        });
        json!({
            "label": label, "question": question, "consequence": consequence, "why": self.why,
            "alternatives": alternatives, "valid": self.arises_on_valid(),
            "streams": streams.collect::<Vec<_>>(),
        })
    }
}

/// A piece of the register, on paper or on a page.
enum Block {
    Heading(u8, String),
    Text(String),
    /// Terms with what is to be said of each.
    List(Vec<(String, String)>),
    Stream(String),
}

/// What the labels of an algorithm begin with, and what it is about.
const CHAPTERS: [(&str, &str); 7] = [
    ("NR", "Nodes, revisions and refs"),
    ("BF", "Explicit predecessors"),
    ("IP", "The scan for implicit predecessors"),
    ("HD", "Heads"),
    ("AP", "The active path"),
    ("V", "The context view"),
    ("OUT", "Output"),
];

fn blocks(entries: &[Entry<'_>]) -> Vec<Block> {
    let valid = entries.iter().filter(|entry| entry.arises_on_valid()).count();
    let mut blocks = vec![
        Block::Heading(1, "Questions that the Structure chapter leaves open".to_owned()),
        Block::Text(format!(
            "{} questions. Each stands with the answer that we chose and its reason, the other answers that the text \
             allows, and the streams that tell them apart: first the case that the question is about, then for each \
             other answer the least stream of all that the model checker enumerates. {valid} of the questions arise \
             on streams that keep every requirement, so that implementations that conform to the chapter collide; the \
             others only on streams that break one.",
            entries.len()
        )),
        Block::Text(
            "Consequence 1 means much depends on it, 3 that only odd streams show it. An answer is that of the query \
             that stands above it, `path` or `view` from the primary head unless it says otherwise."
                .to_owned(),
        ),
    ];
    for (prefix, title) in CHAPTERS {
        let is_its = |entry: &&Entry<'_>| {
            let letters = entry.reading.label.split('-').next().unwrap_or_default();
            letters == prefix || prefix == "V" && letters.starts_with('V')
        };
        blocks.push(Block::Heading(2, title.to_owned()));
        entries.iter().filter(is_its).for_each(|entry| entry.put(&mut blocks));
    }
    blocks
}

impl Entry<'_> {
    fn put(&self, blocks: &mut Vec<Block>) {
        let Reading { label, question, consequence, alternatives } = self.reading;
        blocks.push(Block::Heading(3, format!("{label}: {question}")));
        let consequence = consequence.map_or(String::new(), |it| format!("Consequence {it}. "));
        let valid =
            if self.arises_on_valid() { "arises on valid streams" } else { "arises on broken streams only" };
        blocks.push(Block::Text(format!("{consequence}The question {valid}.")));
        let mut answers = Vec::new();
        for (other, mark) in
            alternatives.iter().zip(["our answer: "].into_iter().chain(std::iter::repeat("")))
        {
            answers.push((other.name.to_owned(), format!("{mark}{}", other.text)));
        }
        blocks.push(Block::List(answers));
        if let Some(why) = self.why.filter(|why| alternatives.first().is_none_or(|ours| ours.text != *why)) {
            blocks.push(Block::Text(format!("Why: {why}")));
        }
        for Shown { case, query, answers } in &self.streams {
            let valid = if case.meta.valid { "valid" } else { "broken" };
            let what = match &case.meta.found {
                Some(found) => format!("The least stream, {valid}, `{found}`, asked for `{query}`:"),
                None => format!("The case, {valid}, asked for `{query}`:"),
            };
            blocks.push(Block::Text(what));
            blocks.push(Block::Stream(String::from_utf8_lossy(&case.input).into_owned()));
            let answers = answers.iter().map(|(name, outcome)| ((*name).to_owned(), format!("`{outcome}`")));
            blocks.push(Block::List(answers.collect()));
        }
    }
}

impl Block {
    fn markdown(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Heading(level, text) => writeln!(out, "{} {text}\n", "#".repeat(usize::from(*level))),
            Self::Text(text) => writeln!(out, "{text}\n"),
            Self::List(items) => {
                items.iter().try_for_each(|(term, text)| writeln!(out, "* `{term}`: {text}"))?;
                writeln!(out)
            }
            Self::Stream(lines) => writeln!(out, "```jsonl\n{}\n```\n", lines.trim_end_matches('\n')),
        }
    }

    fn html(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Heading(level, text) => {
                let label = text.split(':').next().filter(|_| *level == 3).unwrap_or_default();
                writeln!(out, "<h{level} id=\"{label}\">{}</h{level}>", marked_up(text))
            }
            Self::Text(text) => writeln!(out, "<p>{}</p>", marked_up(text)),
            Self::List(items) => {
                writeln!(out, "<dl>")?;
                for (term, text) in items {
                    writeln!(out, "<dt>{}</dt><dd>{}</dd>", marked_up(term), marked_up(text))?;
                }
                writeln!(out, "</dl>")
            }
            Self::Stream(lines) => writeln!(out, "<pre>{}</pre>", escaped(lines)),
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// With what stands between backticks as code.
fn marked_up(text: &str) -> String {
    let parts = escaped(text);
    let parts = parts.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() })
        .collect()
}
