//! `asr spec readings`: the questions that the chapter leaves open, as a table or as a register with witnesses.

use super::{Format, register, tables};
use crate::Status;
use std::io;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// One JSON array
    #[arg(long)]
    json: bool,

    /// A register: with each question our reason, and the streams of this conformance suite that tell the answers apart
    #[arg(long, value_name = "FOLDER", conflicts_with = "json")]
    witness: Option<PathBuf>,

    #[arg(long, value_enum, default_value_t, requires = "witness")]
    format: Format,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    match &args.witness {
        Some(suite) => register::run(suite, args.format),
        None => tables::readings(&tables::Args { json: args.json }),
    }
}
