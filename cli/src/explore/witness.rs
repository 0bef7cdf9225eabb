//! `asr explore --witness`: the least stream that tells each variant of the oracle from the default.

use super::{Args, Refusal};
use crate::Status;
use crate::output::stdout;
use crate::progress::Progress;
use asr_checker::explore::{Among, Counts, Scope, Witness, witness_scopes, witnesses};
use asr_checker::fixtures::load;
use asr_oracle::{Variant, variants};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;

/// Every variant has a witness that is no longer.
const LONGEST: u8 = 4;

pub(super) fn run(args: &Args) -> Result<Status, Refusal> {
    let scopes = match args.slice.as_ref().or(args.scope.as_ref()) {
        Some(text) => {
            let (scope, bound) = Scope::parse(text)?;
            vec![Counts::new(scope, args.lines.or(bound).unwrap_or(LONGEST))?]
        }
        None => witness_scopes(args.lines.unwrap_or(LONGEST))?,
    };
    let progress = Progress::start(String::new());
    let tell = |counts: &Counts, length| progress.set(&format!("{}, {length} lines", counts.scope()));
    let threads = super::threads(args);
    let found = witnesses(&scopes, variants(), Among::All, threads, tell);
    // Where the least stream breaks a requirement, there may be a valid one: then implementations that conform collide.
    let is_broken = |variant: &&Variant| {
        let witness = found.iter().find(|witness| witness.variant.name == variant.name);
        variant.alternative().is_some() && witness.is_some_and(|witness| !witness.is_valid())
    };
    let valid = witnesses(&scopes, variants().iter().filter(is_broken), Among::Valid, threads, tell);
    drop(progress);

    let mut out = io::BufWriter::new(stdout());
    for variant in variants() {
        let is_its = |witness: &&Witness| witness.variant.name == variant.name;
        let witness = [&found, &valid].map(|found| found.iter().find(is_its));
        if args.json {
            let [least, valid] = witness.map(|witness| witness.map(in_json));
            writeln!(out, "{}", json!({"variant": variant.name, "witness": least, "valid": valid}))?;
            continue;
        }
        if witness.iter().all(Option::is_none) {
            writeln!(out, "{}: none\n", variant.name)?;
        }
        for Witness { among, id, stream, query, outcomes: [right, other], .. } in
            witness.into_iter().flatten()
        {
            let among = if *among == Among::Valid { " (valid)" } else { "" };
            writeln!(out, "{}: {id}{among}\n{}", variant.name, String::from_utf8_lossy(stream))?;
            writeln!(out, "  {query}\n  oracle     {right}\n  otherwise  {other}\n")?;
        }
    }
    let (told, all) = (found.len(), variants().len());
    if !args.json {
        writeln!(out, "{told} of {all} variants are told apart.")?;
    }
    out.flush()?;
    if let Some(suite) = &args.write {
        found.iter().chain(&valid).try_for_each(|witness| write(witness, suite))?;
    }
    Ok(if told < all { Status::Incomplete } else { Status::Fine })
}

fn in_json(witness: &Witness) -> serde_json::Value {
    let Witness { variant: _, among: _, id, stream, query, outcomes: [right, other] } = witness;
    json!({
        "id": id, "stream": String::from_utf8_lossy(stream).lines().collect::<Vec<_>>(),
        "query": query.to_string(), "oracle": right, "variant": other,
    })
}

/// Writes the case; where the suite has it already, with this stream, its title and its reason stay.
fn write(witness: &Witness, suite: &Path) -> Result<(), Refusal> {
    let mut case = witness.case();
    let folder = suite.join(&case.id);
    let there = if folder.exists() { load(&folder)? } else { Vec::new() };
    if let Some(there) = there.into_iter().find(|there| there.input == case.input) {
        case.meta.title = there.meta.title;
        case.meta.why = there.meta.why;
    }
    Ok(case.write(suite)?)
}
