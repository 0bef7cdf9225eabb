//! `asr explain`: which step of the chapter put which record where.
//!
//! The oracle takes the steps, and [`Story`] puts its log into words. Where another engine decides otherwise (a variant
//! that was asked for, or the core, should it ever), the decisions of both are shown side by side.

mod story;

use crate::Status;
use crate::describe::{printable, row, table};
use crate::input::{Files, Input, InputError, Reason};
use crate::lines::Lines;
use crate::parting::Parting;
use crate::show::{HeadArgs, variant};
use asr_checker::traces::Traces;
use asr_checker::{core_log, oracle_log, variant_log};
use asr_oracle::Variant;
use asr_spec::{Outcome, Query, Step, StepLog, What};
use std::collections::BTreeSet;
use std::io::{self, Write};
use story::Story;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    head: HeadArgs,

    /// Tell also where another reading or a planted fault takes other steps, such as `NR-3=tip_of_first` or
    /// `fault:first_branches_from` (see `asr spec readings` and `asr spec faults`)
    #[arg(long, value_name = "READING=ALTERNATIVE", value_parser = variant)]
    variant: Option<&'static Variant>,

    /// One line of JSON per file: the outcome, and every step with the lines that it is about and refers to
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    args.files.for_each(args.json, |input, out, _| {
        let query = Query { what: What::View, head: args.head.head() };
        let (outcome, log) = oracle_log(&input.stream, &query);
        let other = match Other::of(args.variant, &input, &query) {
            Ok(other) => other,
            Err(error) => return Ok(Err(error)),
        };
        let traces = Traces::between([&log, &other.log]);
        let differs = other.outcome != outcome || traces.first_difference().is_some();
        let other = (args.variant.is_some() || differs).then_some(other);
        if args.json {
            let explained = Explained {
                outcome: &outcome,
                steps: in_json(&log),
                other: other.as_ref().map(|other| OtherExplained {
                    engine: other.name,
                    parts_at: traces.first_difference().map(|(line, _)| line),
                    outcome: &other.outcome,
                    steps: in_json(&other.log),
                }),
            };
            writeln!(out, "{}", serde_json::to_string(&explained)?)?;
        } else {
            let lines = Lines::of(&input);
            let Story { mut used, text, .. } = Story::new(&lines, &log, &query, &outcome);
            let name = printable(&input.name);
            write!(out, "{name}: how the context view comes about\n\n{INTRODUCTION}{text}")?;
            if let Outcome::Entries(_) = outcome {
                writeln!(
                    out,
                    "\nThe context view: what the model is given at this head (record, kind, text)"
                )?;
                print_view(out, &input, &outcome)?;
            }
            if let Some(other) = &other {
                used.extend(other.tell(out, &input, &traces, &outcome)?);
            }
            writeln!(out, "\n{LEGEND}\n{}", legend(&used))?;
        }
        let is_fine = !matches!(outcome, Outcome::Cycle { .. }) && (args.variant.is_some() || !differs);
        Ok(Ok(if is_fine { Status::Fine } else { Status::Finding }))
    })
}

/// What another engine says.
struct Other {
    name: &'static str,
    /// What it does otherwise.
    text: &'static str,
    outcome: Outcome,
    log: StepLog,
}

impl Other {
    /// The variant, or without one the core.
    fn of(variant: Option<&'static Variant>, input: &Input, query: &Query) -> Result<Self, InputError> {
        let (name, text, (outcome, log)) = match variant {
            Some(variant) => (variant.name, variant.text(), variant_log(variant, &input.stream, query)),
            None => {
                let answer = core_log(&input.stream, query);
                let answer = answer.map_err(|error| Reason::TooLarge(error).of(&*input.name))?;
                ("core", "the fast implementation, which must decide alike", answer)
            }
        };
        Ok(Self { name, text, outcome, log })
    }

    /// Where it parts from the oracle, and what comes out; the steps that this names.
    fn tell(
        &self,
        out: &mut impl Write,
        input: &Input,
        traces: &Traces,
        expected: &Outcome,
    ) -> io::Result<BTreeSet<Step>> {
        let Self { name, text, outcome, .. } = self;
        writeln!(out, "\nBeside it, {name}: {text}")?;
        let parting = Parting::of(&Lines::of(input), ["the chapter, as above", name], traces);
        let steps = match parting {
            Some(Parting { about, table, steps }) => {
                write!(
                    out,
                    "  The first difference is about {about}; of the steps that place it, each has taken:\n{table}"
                )?;
                steps
            }
            None if outcome == expected => {
                writeln!(out, "  This stream makes no difference to it.")?;
                return Ok(BTreeSet::new());
            }
            None => {
                writeln!(out, "  It places every record by the same steps, and shows them otherwise.")?;
                BTreeSet::new()
            }
        };
        if outcome == expected {
            writeln!(out, "  The context view is the same all the same.")?;
        } else {
            writeln!(out, "  The context view is then")?;
            print_view(out, input, outcome)?;
        }
        Ok(steps)
    }
}

/// The story as JSON. Not by way of a [`serde_json::Value`], which has no room for numbers as they were written.
#[derive(serde::Serialize)]
struct Explained<'e> {
    outcome: &'e Outcome,
    steps: Vec<(&'static str, u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<OtherExplained<'e>>,
}

#[derive(serde::Serialize)]
struct OtherExplained<'e> {
    engine: &'static str,
    /// The line of the first record about which it decides otherwise, 0 for the head.
    parts_at: Option<u64>,
    outcome: &'e Outcome,
    steps: Vec<(&'static str, u64, u64)>,
}

/// Each step with the lines that it is about and that it refers to.
fn in_json(log: &StepLog) -> Vec<(&'static str, u64, u64)> {
    log.0.iter().map(|&(step, about, refers_to)| (step.label(), about, refers_to)).collect()
}

const INTRODUCTION: &str = "\
A file is a stream of records, each with an id. Messages, tool calls, tool results and compactions make up the conversation; all
others (usage, file changes, gaps, rewinds) are facts beside it. Where the user went back, parts of the conversation are
abandoned: the active path is what still counts, traced from its newest record, the head, back to the start. Then each
compaction on the path takes records out and puts a summary in their place. The result is the context view: what the model is
given, as far as the records tell; the request that was sent may have held more (ASR-369).
Labels in brackets are steps of the algorithms in the Structure chapter; a list of them is at the end.
";

const LEGEND: &str = "\
The steps of the Structure chapter that were cited (it calls a record of the conversation with all its revisions a node, and the
empty context before the first one START)";

/// An outcome, one row for each entry.
fn print_view(out: &mut impl Write, input: &Input, outcome: &Outcome) -> io::Result<()> {
    match (outcome, input.core()) {
        (Outcome::Entries(entries), _) if entries.is_empty() => writeln!(out, "  nothing"),
        (Outcome::Entries(entries), Ok(stream)) => {
            table(&entries.iter().map(|entry| row(&stream, entry)).collect::<Vec<_>>(), out)
        }
        _ => writeln!(out, "  {}", printable(&outcome.to_string())),
    }
}

fn legend(used: &BTreeSet<Step>) -> String {
    let rows = used.iter().map(|step| format!("  {:11}  {}", step.label(), step.summary()));
    rows.collect::<Vec<_>>().join("\n")
}
