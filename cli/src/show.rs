//! `asr path`, `asr view`, `asr heads`: the outcomes of a stream.

use crate::Status;
use crate::describe::{printable, row, say, table};
use crate::input::{Files, Input, InputError};
use asr_checker::{Core, Engine, Oracle, OracleAs, Session};
use asr_core::Stream;
use asr_oracle::{UnknownVariant, Variant};
use asr_spec::{Head, HeadState, Outcome, Query, What};
use std::io::{self, Write};

#[derive(clap::Args)]
pub(crate) struct OutcomeArgs {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    head: HeadArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The head from which the path is followed.
#[derive(clap::Args)]
pub(crate) struct HeadArgs {
    /// Follow the path from this record instead of the primary head
    #[arg(long, value_name = "ID")]
    head: Option<String>,

    /// Follow the path from START, the empty context
    #[arg(long, conflicts_with = "head")]
    head_start: bool,
}

impl HeadArgs {
    pub(crate) fn head(&self) -> Head {
        match &self.head {
            Some(id) => Head::Ref(id.clone()),
            None if self.head_start => Head::Start,
            None => Head::Primary,
        }
    }
}

#[derive(clap::Args)]
pub(crate) struct HeadsArgs {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(clap::Args)]
struct OutputArgs {
    /// Which implementation computes: the fast one, the one that follows the chapter, or both, which must agree
    #[arg(long, value_enum, default_value_t)]
    engine: Choice,

    /// Let the oracle read the chapter in another way, such as `NR-3=tip_of_first` (see `asr spec readings`)
    #[arg(long, value_name = "READING=ALTERNATIVE", conflicts_with = "engine", value_parser = variant)]
    variant: Option<&'static Variant>,

    /// One line of JSON per file, in the entries of ASR-376
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, clap::ValueEnum)]
enum Choice {
    #[default]
    Core,
    Oracle,
    Both,
}

fn variant(name: &str) -> Result<&'static Variant, UnknownVariant> {
    name.parse()
}

impl OutputArgs {
    fn engines(&self) -> Vec<Box<dyn Engine>> {
        match (self.variant, self.engine) {
            (Some(variant), _) => vec![Box::new(OracleAs(variant))],
            (None, Choice::Core) => vec![Box::new(Core)],
            (None, Choice::Oracle) => vec![Box::new(Oracle)],
            (None, Choice::Both) => vec![Box::new(Core), Box::new(Oracle)],
        }
    }

    /// The answer of the chosen engines; `None` where they differ, which is reported.
    fn ask<T: PartialEq + serde::Serialize>(
        &self,
        input: &Input,
        question: impl Fn(&dyn Session) -> T,
    ) -> Result<Option<T>, InputError> {
        let mut answer: Option<(&str, T)> = None;
        for engine in self.engines() {
            let session = engine
                .read(&input.stream)
                .map_err(|message| InputError::TooLarge { name: input.name.clone(), message })?;
            let found = question(&*session);
            if let Some((other, answer)) = &answer
                && *answer != found
            {
                let json = |answer: &T| serde_json::to_string(answer).unwrap_or_default();
                say(&format!("error: {}: the engines differ", input.name));
                say(&format!("  {other:8}{}", json(answer)));
                say(&format!("  {:8}{}", engine.name(), json(&found)));
                return Ok(None);
            }
            answer = Some((engine.name(), found));
        }
        Ok(answer.map(|(_, answer)| answer))
    }

    /// What the result owes to whom, for a title line.
    fn credit(&self) -> String {
        match (self.variant, self.engine) {
            (Some(variant), _) => format!(", read as {}", variant.name),
            (None, Choice::Core) => String::new(),
            (None, Choice::Oracle) => ", by the oracle".to_owned(),
            (None, Choice::Both) => ", computed twice with the same result".to_owned(),
        }
    }
}

/// `asr path` and `asr view`.
pub(crate) fn outcome(args: &OutcomeArgs, what: What) -> io::Result<Status> {
    let query = Query { what, head: args.head.head() };
    let mut out = io::BufWriter::new(io::stdout().lock());
    args.files.for_each(|input, _| {
        let outcome = match args.output.ask(&input, |session| session.answer(&query)) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => return Ok(Ok(Status::Finding)),
            Err(error) => return Ok(Err(error)),
        };
        if args.output.json {
            writeln!(out, "{outcome}")?;
        } else {
            print(&mut out, &input, &query, &outcome, &args.output.credit())?;
        }
        out.flush()?;
        Ok(Ok(if matches!(outcome, Outcome::Cycle { .. }) { Status::Finding } else { Status::Fine }))
    })
}

fn print(
    out: &mut impl Write,
    input: &Input,
    query: &Query,
    outcome: &Outcome,
    credit: &str,
) -> io::Result<()> {
    let what = match query.what {
        What::Path => "active path",
        What::View => "context view",
    };
    let head = match &query.head {
        Head::Primary => String::new(),
        Head::Ref(id) => format!(" from {}", printable(id)),
        Head::Start => " from START".to_owned(),
    };
    let name = printable(&input.name);
    match outcome {
        Outcome::Entries(entries) => {
            let count = entries.len();
            let noun = if count == 1 { "entry" } else { "entries" };
            writeln!(out, "{name}: {what}{head}, {count} {noun}{credit}")?;
            // Only names the records; an engine that reads the stream has already answered.
            match Stream::read(&input.stream) {
                Ok(stream) => {
                    table(&entries.iter().map(|entry| row(&stream, entry)).collect::<Vec<_>>(), out)
                }
                Err(error) => writeln!(out, "  {error}"),
            }
        }
        Outcome::NoDefaultPath => {
            writeln!(out, "{name}: no default path: the source says that there is no primary head (ASR-363)")
        }
        Outcome::Cycle { at } => {
            out.flush()?;
            say(&format!(
                "error: {name}: record {at}: following predecessors comes back to this record (ASR-366)"
            ));
            Ok(())
        }
    }
}

/// `asr heads`.
pub(crate) fn heads(args: &HeadsArgs) -> io::Result<Status> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    args.files.for_each(|input, _| {
        let heads = match args.output.ask(&input, |session| session.heads()) {
            Ok(Some(heads)) => heads,
            Ok(None) => return Ok(Ok(Status::Finding)),
            Err(error) => return Ok(Err(error)),
        };
        if args.output.json {
            writeln!(out, "{}", serde_json::to_string(&heads)?)?;
        } else {
            writeln!(out, "{}{}", printable(&input.name), args.output.credit())?;
            writeln!(out, "  default    {}", state(Some(&heads.default)))?;
            for (index, head) in heads.effective.iter().enumerate() {
                let rank = if index == 0 { "primary" } else { "lane" };
                writeln!(out, "  {rank:9}  {}", state(head.as_ref()))?;
            }
        }
        out.flush()?;
        Ok(Ok(Status::Fine))
    })
}

fn state(head: Option<&HeadState>) -> String {
    match head {
        None => "null: the source says that there is no such head".to_owned(),
        Some(HeadState::Start) => "START: the empty context".to_owned(),
        Some(HeadState::Node(id)) => printable(&id.to_string()),
        Some(HeadState::Unknown) => "unknown".to_owned(),
        Some(HeadState::Unresolved { reference, status }) => {
            format!("{reference} identifies no record ({})", status.as_str())
        }
    }
}
