//! `asr fuzz`: hunts for disagreement with random scripts, seeded, on all cores.

use crate::Status;
use crate::describe::say;
use crate::output::stdout;
use asr_checker::hunt::{
    Found, Hunted, MOST_CASES, Plan, Preset, Progress, Reach, Row, hunt, self_test, write,
};
use asr_oracle::Variant;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// How many cases there are where neither a number nor a time is given.
const CASES: u64 = 20_000;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many cases; the result is the same in every run [default: 20000, or no limit with --time]
    #[arg(long, value_name = "N")]
    cases: Option<u64>,

    /// How many seconds
    #[arg(long, value_name = "S")]
    time: Option<u64>,

    /// What the cases follow from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Number of the first case
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,

    /// Which scripts: all, mixed, valid, paths, compactions, broken
    #[arg(long, value_name = "PRESET", default_value_t = Preset::All)]
    settings: Preset,

    /// Stop at the first finding
    #[arg(long)]
    first: bool,

    /// Tell what was reached how often, and what never
    #[arg(long)]
    report: bool,

    /// Write each finding as a folder that the conformance suite can take over
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Hunt a variant of the oracle instead of the core
    #[arg(long, value_name = "VARIANT")]
    engine: Option<String>,

    /// Hunt every planted fault with this many seeds, and print the table of docs/self-test.md
    #[arg(long, value_name = "SEEDS", exclusive = true)]
    self_test: Option<u64>,

    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    if let Some(seeds) = args.self_test {
        return table(0..seeds);
    }
    let variant = match args.engine.as_deref().map(str::parse::<&'static Variant>).transpose() {
        Ok(variant) => variant,
        Err(error) => {
            say(&format!("error: {error}"));
            return Ok(Status::Unusable);
        }
    };
    let unbounded = if args.time.is_some() { u64::MAX } else { CASES };
    let plan = Plan {
        seed: args.seed,
        preset: args.settings,
        from: args.from,
        cases: args.cases.unwrap_or(unbounded),
        time: args.time.map(Duration::from_secs),
        first: args.first,
        report: args.report,
        variant,
    };
    let bar = bar(&plan);
    let hunted = hunt(&plan, |Progress { cases, reach }| {
        bar.set_position(cases);
        if let Some(reach) = reach.filter(|_| plan.report) {
            bar.set_message(reach.in_short());
        }
    });
    bar.finish_and_clear();

    let mut folders = Vec::new();
    for found in &hunted.findings {
        folders.push(args.out.as_deref().map(|out| write(found, out)).transpose()?);
    }
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", as_json(&plan, &hunted, &folders))?;
    } else {
        as_text(&hunted, &folders, &mut out)?;
    }
    Ok(if hunted.findings.is_empty() { Status::Fine } else { Status::Finding })
}

/// The live rate and, below it, what was reached; nothing where standard error is no terminal.
fn bar(plan: &Plan) -> ProgressBar {
    let (bar, template) = if plan.cases == u64::MAX {
        (ProgressBar::new_spinner(), "{spinner} {human_pos} cases, {per_sec}, {elapsed}")
    } else {
        (ProgressBar::new(plan.cases), "[{wide_bar}] {human_pos}/{human_len} cases, {per_sec}, {eta} to go")
    };
    let reach = if plan.report { "\n{msg}" } else { "" };
    if let Ok(style) = ProgressStyle::with_template(&format!("{template}{reach}")) {
        bar.set_style(style);
    }
    bar
}

fn rate(hunted: &Hunted) -> f64 {
    hunted.cases as f64 / hunted.time.as_secs_f64().max(f64::MIN_POSITIVE)
}

fn as_text(hunted: &Hunted, folders: &[Option<PathBuf>], out: &mut impl Write) -> io::Result<()> {
    for (Found { signature, case, text, replay, input: _ }, folder) in hunted.findings.iter().zip(folders) {
        writeln!(out, "{signature} in case {case}\n{text}\n  again with: {replay}")?;
        if let Some(folder) = folder {
            writeln!(out, "  written to {}", folder.display())?;
        }
        writeln!(out)?;
    }
    if let Some(reach) = &hunted.reach {
        for (title, rows) in tables(reach) {
            writeln!(out, "{title}")?;
            for (name, count) in rows {
                writeln!(out, "{count:>10}  {name}")?;
            }
        }
        let Reach { valid, deep, streams, .. } = reach;
        writeln!(
            out,
            "of {streams} streams {valid} are valid, {deep} have three nodes or more on their path"
        )?;
        let never = reach.never();
        writeln!(
            out,
            "never reached: {}\n",
            if never.is_empty() { "nothing".into() } else { never.join(", ") }
        )?;
    }
    let (cases, seconds) = (hunted.cases, hunted.time.as_secs_f64());
    let findings = match hunted.findings.len() {
        0 => "nothing found".to_owned(),
        1 => "1 finding".to_owned(),
        findings => format!("{findings} findings"),
    };
    writeln!(out, "{findings} in {cases} cases, {seconds:.1} s, {:.0} cases/s", rate(hunted))
}

/// The tables of a report, with titles.
fn tables(reach: &Reach) -> [(&'static str, Vec<(String, u64)>); 3] {
    let steps = reach.steps().into_iter().map(|(step, count)| (step.to_string(), count));
    let violations = reach.violations().into_iter().map(|(broken, count)| (broken.to_string(), count));
    [
        ("steps of the algorithms", steps.collect()),
        ("violations", violations.collect()),
        ("forms of compactions", reach.forms()),
    ]
}

fn as_json(plan: &Plan, hunted: &Hunted, folders: &[Option<PathBuf>]) -> Value {
    let findings = hunted.findings.iter().zip(folders).map(|(found, folder)| {
        let Found { signature, case, text, replay, input: _ } = found;
        let signature = signature.to_string();
        json!({"signature": signature, "case": case, "text": text, "replay": replay, "fixture": folder})
    });
    let reach = hunted.reach.as_ref().map(|reach| {
        let counts = tables(reach).map(|(title, rows)| {
            let rows = rows.into_iter().map(|(name, count)| (name, count.into()));
            (title.to_owned(), Value::Object(rows.collect()))
        });
        let mut counts: serde_json::Map<_, _> = counts.into_iter().collect();
        counts.insert("never".to_owned(), reach.never().into());
        counts.insert("valid".to_owned(), reach.valid.into());
        counts
    });
    json!({
        "seed": plan.seed,
        "settings": plan.preset.to_string(),
        "cases": hunted.cases,
        "seconds": hunted.time.as_secs_f64(),
        "findings": findings.collect::<Vec<_>>(),
        "reach": reach,
    })
}

/// The self-test as a table of Markdown, row by row.
fn table(seeds: std::ops::Range<u64>) -> io::Result<Status> {
    let mut out = stdout();
    writeln!(out, "| fault | cases | at most | seconds | first noticed by |")?;
    writeln!(out, "|---|---:|---:|---:|---|")?;
    let mut status = Status::Fine;
    let mut written = Ok(());
    self_test(seeds, |Row { fault, by, cases, most_cases, time }| {
        if *most_cases >= MOST_CASES {
            status = Status::Finding;
        }
        // The invariant, or the kind of question that the differential put.
        let mut by: Vec<_> = by.iter().map(|signature| signature.about.as_str()).collect();
        by.sort_unstable();
        by.dedup();
        let (name, seconds) = (fault.name.trim_start_matches("fault:"), time.as_secs_f64());
        let row = format!("| `{name}` | {cases} | {most_cases} | {seconds:.2} | {} |", by.join(", "));
        if written.is_ok() {
            written = writeln!(out, "{row}").and_then(|()| out.flush());
        }
    });
    written.map(|()| status)
}
