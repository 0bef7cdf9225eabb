//! `asr spec`: the chapter as data, and what a corpus covers of it.

mod coverage;
mod readings;
mod register;
mod tables;

use crate::Status;
use std::io;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Lists the requirements, in our words
    Requirements(tables::Args),
    /// Lists the steps of the algorithms
    Steps(tables::Args),
    /// Lists the questions that the chapter leaves open, with our reading and the others
    Readings(readings::Args),
    /// Lists the mistakes that the oracle can be made to make
    Faults(tables::Args),
    /// Runs a corpus of fixtures and says which steps and requirements it covers
    Coverage(coverage::Args),
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, clap::ValueEnum)]
enum Format {
    #[default]
    Markdown,
    Json,
    Html,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    match &args.what {
        What::Requirements(args) => tables::requirements(args),
        What::Steps(args) => tables::steps(args),
        What::Readings(args) => readings::run(args),
        What::Faults(args) => tables::faults(args),
        What::Coverage(args) => coverage::run(args),
    }
}
