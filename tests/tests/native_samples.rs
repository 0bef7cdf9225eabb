//! Real session files of other projects, where they are at hand: `shared/samples` beside the checkout. They are not
//! part of this repository; without them these tests are skipped, and say so.

use asr_checker::{Core, Heads, Oracle, compare, compare_siblings};
use asr_registry::{Agent, convert};
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Every path is linear in the stream for the oracle too, so on long files not every record serves as a head.
const MOST_HEADS: usize = 400;

/// What is no session of the agent, or of a version that is not supported, with the reason that `convert` must give.
const REFUSED: &[(&str, &str)] = &[("generated_agent-core-0.87.1_v4_lanes.jsonl", "format 4")];

fn main() -> ExitCode {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/samples");
    let mut trials = Vec::new();
    for (agent, folder) in [(Agent::ClaudeCode, "claude-code"), (Agent::Pi, "pi")] {
        let files = sessions(&samples.join(folder));
        if files.is_empty() {
            println!("skipped: no samples of {agent}: {} is not there", samples.join(folder).display());
        }
        trials.extend(files.into_iter().map(|file| {
            let name = file.strip_prefix(&samples).unwrap_or(&file).display().to_string();
            Trial::test(name, move || check(agent, &file))
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn sessions(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn check(agent: Agent, file: &Path) -> Result<(), Failed> {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let bytes = fs::read(file)?;
    let conversion =
        match (convert(agent, Some(&name), &bytes), REFUSED.iter().find(|(file, _)| *file == name)) {
            (Ok(conversion), None) => conversion,
            (Err(error), Some((_, reason))) if error.to_string().contains(reason) => return Ok(()),
            (Err(error), _) => return Err(error.into()),
            (Ok(_), Some((_, reason))) => return Err(format!("expected to be refused: {reason}").into()),
        };

    let mut stream = Vec::new();
    conversion.write_to(&mut stream)?;
    let verdict = compare([&Oracle, &Core], &stream, Heads::AtMost(MOST_HEADS), |_, _| ());
    if !verdict.is_agreement() {
        return Err(verdict.to_string().into());
    }
    if let Err((at, oracle, core)) = compare_siblings(&conversion.native) {
        return Err(format!("native record {at}: the oracle says {oracle:?}, the core {core:?}").into());
    }
    let report = asr_oracle::Stream::read(&stream, &mut ()).validate();
    if let Some(violation) = report.violations.first() {
        return Err(format!("{} of {}: {violation:?}", 1, report.violations.len()).into());
    }
    Ok(())
}
