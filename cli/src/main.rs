//! The command `asr`: thin, one module per verb.

mod check;
mod convert;
mod describe;
mod explain;
mod explore;
mod follow;
mod fuzz;
mod input;
mod lines;
mod listing;
mod locate;
mod output;
mod parting;
mod progress;
mod show;
mod spec;
mod validate;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use std::panic::catch_unwind;
use std::process::ExitCode;

/// Parsing and comparing streams is allocating in good part; with this the model checker takes a fifth less time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Reads, converts and checks agent session records (ASR).
///
/// Exit status: 0 fine, 1 a finding (a violation, a cycle, a difference), 2 wrong usage or unreadable input, 3
/// incomplete, 4 internal error.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Shows the active path: which records are the conversation now
    Path(show::OutcomeArgs),
    /// Shows the context view: what the model saw, compactions applied
    View(show::OutcomeArgs),
    /// Shows the default head and the effective heads
    Heads(show::HeadsArgs),
    /// Tells step by step how the context view comes about
    Explain(explain::Args),
    /// Lists everything that breaks a requirement, with its place
    Validate(validate::Args),
    /// Converts native session files to ASR records
    Convert(convert::Args),
    /// Shows the chapter as data: requirements, steps, readings, and what a corpus covers of it
    Spec(spec::Args),
    /// Computes every path and view twice, independently, and compares
    Check(check::Args),
    /// Visits every stream of a scope, and states what it found
    Explore(Box<explore::Args>),
    /// What `explore` starts, and watches
    #[command(name = explore::CHILD, hide = true)]
    ExploreChild,
    /// Hunts for disagreement with random scripts, seeded, on all cores
    Fuzz(fuzz::Args),
}

/// What the command tells its caller.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Status {
    Fine = 0,
    Finding = 1,
    Unusable = 2,
    Incomplete = 3,
    Internal = 4,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let run = || match cli.verb {
        Verb::Path(args) => show::outcome(&args, asr_spec::What::Path),
        Verb::View(args) => show::outcome(&args, asr_spec::What::View),
        Verb::Heads(args) => show::heads(&args),
        Verb::Explain(args) => explain::run(&args),
        Verb::Validate(args) => validate::run(&args),
        Verb::Convert(args) => convert::run(&args),
        Verb::Spec(args) => spec::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Explore(args) => explore::run(&args),
        Verb::ExploreChild => explore::child(),
        Verb::Fuzz(args) => fuzz::run(&args),
    };
    let status = match catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            describe::say(&format!("error: cannot write the output: {error}"));
            Status::Unusable
        }
        Err(_) => Status::Internal,
    };
    status.into()
}
