//! `asr spec coverage`: what a corpus covers, as Markdown, JSON or a page.

use super::Format;
use crate::Status;
use crate::describe::say;
use crate::input::read;
use crate::listing::below;
use crate::output::stdout;
use crate::progress::Progress;
use asr_checker::coverage::{Coverage, RequirementHits, StepHits};
use asr_checker::fixtures::load;
use asr_registry::{Agent, convert};
use asr_spec::{Requirement, Step};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders with fixtures; native sessions below them are converted, for the mechanical-sibling rule
    #[arg(required = true)]
    folders: Vec<PathBuf>,

    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Fail (status 3) if less than this share of steps and requirements is covered, exceptions apart
    #[arg(long, value_name = "PERCENT")]
    fail_under: Option<f64>,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    let mut coverage = Coverage::default();
    let progress = Progress::start("running the corpus".to_owned());
    for folder in &args.folders {
        let cases = match load(folder) {
            Ok(cases) => cases,
            Err(error) => {
                say(&format!("error: {error}"));
                return Ok(Status::Unusable);
            }
        };
        cases.iter().for_each(|case| coverage.add(case));
        for session in native_sessions(folder) {
            coverage.add_native(&session.native);
        }
    }
    drop(progress);

    let mut out = io::BufWriter::new(stdout());
    let (covered, all) = coverage.score();
    match args.format {
        Format::Markdown => markdown(&coverage, &mut out)?,
        Format::Json => writeln!(out, "{}", in_json(&coverage))?,
        Format::Html => html(&coverage, &mut out)?,
    }
    out.flush()?;
    let percent = if all == 0 { 0.0 } else { 100.0 * covered as f64 / all as f64 };
    match args.fail_under {
        Some(least) if percent < least => {
            say(&format!("error: {percent:.1} % covered, which is less than {least} %"));
            Ok(Status::Incomplete)
        }
        _ => Ok(Status::Fine),
    }
}

/// The files below a folder that an agent wrote, converted. What cannot be read or converted is said and skipped.
fn native_sessions(folder: &Path) -> Vec<asr_registry::Conversion> {
    let convert = |path: PathBuf| -> Result<_, String> {
        let (name, bytes) = read(&path).map_err(|error| error.to_string())?;
        let Some(agent) = Agent::detect(&bytes) else { return Ok(None) };
        convert(agent, None, &bytes).map(Some).map_err(|error| format!("{name}: {error}"))
    };
    let sessions = below(folder).into_iter().filter_map(|path| {
        let session = path.map_err(|error| error.to_string()).and_then(convert);
        session.unwrap_or_else(|error| {
            say(&format!("skipped {error}"));
            None
        })
    });
    sessions.collect()
}

/// One row of the report: what it is about, its hits, and whether that is enough (`None` for an exception).
struct Row {
    label: &'static str,
    text: &'static str,
    hits: String,
    is_covered: Option<bool>,
    remark: &'static str,
}

impl Row {
    fn verdict(&self) -> &'static str {
        match self.is_covered {
            Some(true) => "covered",
            Some(false) => "NEVER HIT",
            None => "exception",
        }
    }
}

fn step_rows(coverage: &Coverage) -> impl Iterator<Item = Row> {
    Step::ALL.into_iter().map(|step| {
        let StepHits { times, cases } = coverage.step(step);
        Row {
            label: step.label(),
            text: step.summary(),
            hits: format!("{times} times in {cases} cases"),
            is_covered: Some(times > 0),
            remark: "",
        }
    })
}

fn requirement_rows(coverage: &Coverage) -> impl Iterator<Item = Row> {
    Requirement::ALL.into_iter().map(|requirement| {
        let RequirementHits { positive, negative } = coverage.requirement(requirement);
        Row {
            label: requirement.id(),
            text: requirement.text(),
            hits: format!("{positive} keep it, {negative} break it"),
            is_covered: coverage.is_covered(requirement),
            remark: requirement.exception().unwrap_or_default(),
        }
    })
}

fn summary(coverage: &Coverage) -> String {
    let (covered, all) = coverage.score();
    let exceptions = Requirement::ALL.iter().filter(|requirement| requirement.exception().is_some()).count();
    let rows = step_rows(coverage).chain(requirement_rows(coverage));
    let never: Vec<_> = rows.filter(|row| row.is_covered == Some(false)).map(|row| row.label).collect();
    let never = if never.is_empty() { String::new() } else { format!(" Never hit: {}.", never.join(", ")) };
    format!(
        "{} cases cover {covered} of {all} steps and requirements; {exceptions} requirements are exceptions, with reasons.{never}",
        coverage.cases
    )
}

fn markdown(coverage: &Coverage, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# Coverage of the Structure chapter\n\n{}\n", summary(coverage))?;
    writeln!(out, "## Steps\n\n| step | does | taken | |\n|---|---|---|---|")?;
    for row in step_rows(coverage) {
        writeln!(out, "| {} | {} | {} | {} |", row.label, row.text, row.hits, row.verdict())?;
    }
    writeln!(
        out,
        "\n## Requirements\n\n| requirement | in our words | cases | | reason |\n|---|---|---|---|---|"
    )?;
    for row in requirement_rows(coverage) {
        let verdict = row.verdict();
        writeln!(out, "| {} | {} | {} | {verdict} | {} |", row.label, row.text, row.hits, row.remark)?;
    }
    Ok(())
}

fn in_json(coverage: &Coverage) -> serde_json::Value {
    let (covered, all) = coverage.score();
    let steps = Step::ALL.into_iter().map(|step| {
        let StepHits { times, cases } = coverage.step(step);
        json!({"step": step.label(), "times": times, "cases": cases})
    });
    let requirements = Requirement::ALL.into_iter().map(|requirement| {
        let RequirementHits { positive, negative } = coverage.requirement(requirement);
        json!({
            "requirement": requirement, "positive": positive, "negative": negative,
            "covered": coverage.is_covered(requirement), "exception": requirement.exception(),
        })
    });
    json!({
        "cases": coverage.cases, "covered": covered, "of": all,
        "steps": steps.collect::<Vec<_>>(), "requirements": requirements.collect::<Vec<_>>(),
    })
}

fn html(coverage: &Coverage, out: &mut impl Write) -> io::Result<()> {
    let escaped = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        // What stands between backticks is code.
        let parts = text.split('`').zip([false, true].into_iter().cycle());
        parts
            .map(|(part, is_code)| if is_code { format!("<code>{part}</code>") } else { part.to_owned() })
            .collect::<String>()
    };
    writeln!(out, "{}", include_str!("coverage.head.html").trim_end())?;
    writeln!(out, "<h1>Coverage of the Structure chapter</h1>\n<p>{}</p>", escaped(&summary(coverage)))?;
    let (steps, requirements) = (step_rows(coverage).collect(), requirement_rows(coverage).collect());
    let tables: [(&str, [&str; 3], Vec<Row>); 2] = [
        ("Steps", ["step", "does", "taken"], steps),
        ("Requirements", ["requirement", "in our words", "cases"], requirements),
    ];
    for (title, heads, rows) in tables {
        let heads = heads.join("</th><th>");
        writeln!(out, "<h2>{title}</h2>\n<table>\n<tr><th>{heads}</th><th></th></tr>")?;
        for row in rows {
            let class = row.verdict().split(' ').next().unwrap_or_default().to_lowercase();
            let text = if row.remark.is_empty() {
                escaped(row.text)
            } else {
                format!("{}<br><small>{}</small>", escaped(row.text), escaped(row.remark))
            };
            let (label, hits, verdict) = (row.label, row.hits.as_str(), row.verdict());
            writeln!(
                out,
                "<tr class=\"{class}\" id=\"{label}\"><th>{label}</th><td>{text}</td><td>{hits}</td><td>{verdict}</td></tr>"
            )?;
        }
        writeln!(out, "</table>")?;
    }
    writeln!(out, "</body>\n</html>")
}
