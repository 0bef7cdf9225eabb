//! `asr convert`: a native session to a stream of records.

use crate::Status;
use crate::describe::say;
use crate::input::{Format, InputError, convert, read};
use crate::progress::Progress;
use asr_registry::Agent;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The native session; `-` is standard input
    file: PathBuf,

    /// The agent that wrote it: `auto`, `claude-code`, `pi`
    #[arg(long, value_name = "AGENT", default_value = "auto")]
    from: Format,

    /// Write to this file, whole or not at all, instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    let progress = Progress::start(args.file.display().to_string());
    let conversion = read(&args.file).and_then(|(name, bytes)| {
        let agent = match args.from {
            Format::Native(agent) => Some(agent),
            Format::Auto | Format::Asr => Agent::detect(&bytes),
        };
        let agent = agent.ok_or_else(|| InputError::Undetected { name: name.clone() })?;
        convert(agent, &args.file, &name, &bytes)
    });
    let conversion = match conversion {
        Ok(conversion) => conversion,
        Err(error) => {
            say(&format!("error: {error}"));
            return Ok(Status::Unusable);
        }
    };
    match &args.output {
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            conversion.write_to(&mut out)?;
            out.flush()?;
        }
        Some(path) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            let mut out = BufWriter::new(file.as_file_mut());
            conversion.write_to(&mut out)?;
            out.flush()?;
            drop(out);
            file.persist(path).map_err(|error| error.error)?;
        }
    }
    drop(progress);
    Ok(Status::Fine)
}
