//! `asr check`: both implementations on every question that a stream allows.

use crate::Status;
use crate::describe::printable;
use crate::input::{Files, Input};
use crate::lines::Lines;
use crate::parting::Parting;
use asr_checker::traces::Traces;
use asr_checker::{Core, Difference, Heads, Oracle, Verdict, compare, compare_siblings};
use asr_spec::Query;
use serde_json::json;
use std::io::{self, Write};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    /// Compare from at most this many records, spread over the stream, instead of from every one
    #[arg(long, value_name = "N")]
    heads: Option<usize>,

    /// One line of JSON per file
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    args.files.for_each(args.json, |input, out, progress| {
        let heads = args.heads.map_or(Heads::Every, Heads::AtMost);
        let verdict = compare([&Oracle, &Core], &input.stream, heads, |done, total| progress.at(done, total));
        let siblings = siblings(&input);
        let status = match (&verdict, &siblings) {
            (Verdict::Agree { .. }, Ok(_)) => Status::Fine,
            (Verdict::Skipped { .. }, Ok(_)) => Status::Unusable,
            (Verdict::Agree { .. } | Verdict::Skipped { .. }, Err(_))
            | (Verdict::Diverge { .. } | Verdict::Crashed { .. }, _) => Status::Finding,
        };
        if args.json {
            let message = match &siblings {
                Err(difference) if verdict.is_agreement() => difference.clone(),
                _ => verdict.to_string(),
            };
            let agree = status == Status::Fine;
            writeln!(out, "{}", json!({"file": input.name, "agree": agree, "message": message}))?;
        } else {
            let name = printable(&input.name);
            writeln!(out, "{name}: oracle and core {verdict}")?;
            if let Verdict::Diverge { difference, .. } = &verdict
                && let Difference::Outcome(query, _) = &**difference
            {
                writeln!(out, "{}", where_they_part(&input, query))?;
            }
            match siblings {
                Ok(Some(units)) => writeln!(out, "  and on where {units} native units branch")?,
                Ok(None) => {}
                Err(difference) => writeln!(out, "  {}", printable(&difference))?,
            }
        }
        Ok(Ok(status))
    })
}

/// Both traces of a query, aligned at the first record about which they decide differently.
fn where_they_part(input: &Input, query: &Query) -> String {
    let traces = match Traces::of(&input.stream, query) {
        Ok(traces) => traces,
        Err(error) => return format!("  no traces: {error}"),
    };
    match Parting::of(&Lines::of(input), ["oracle", "core"], &traces) {
        Some(Parting { about, table, .. }) => format!("  they part at {about}\n{}", table.trim_end()),
        None => "  though they take the same steps".to_owned(),
    }
}

/// How many units both implementations of the mechanical-sibling rule place alike, or where they do not.
fn siblings(input: &Input) -> Result<Option<u64>, String> {
    let Some(conversion) = &input.conversion else { return Ok(None) };
    compare_siblings(&conversion.native).map(Some).map_err(|(at, oracle, core)| {
        let id = conversion.native.get(at).and_then(|record| record.id.as_deref()).unwrap_or("(no id)");
        format!("native record {id}: the oracle places it at {oracle:?}, the core at {core:?}")
    })
}
