//! `asr spec`: the chapter as data, and what a corpus covers of it.

mod coverage;
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
    Readings(tables::Args),
    /// Lists the mistakes that the oracle can be made to make
    Faults(tables::Args),
    /// Runs a corpus of fixtures and says which steps and requirements it covers
    Coverage(coverage::Args),
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    match &args.what {
        What::Requirements(args) => tables::requirements(args),
        What::Steps(args) => tables::steps(args),
        What::Readings(args) => tables::readings(args),
        What::Faults(args) => tables::faults(args),
        What::Coverage(args) => coverage::run(args),
    }
}
