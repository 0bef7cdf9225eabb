//! `asr path`, `asr view`, `asr heads`: the outcomes of a stream.

use crate::Status;
use crate::describe::{printable, row, table};
use crate::follow::follow;
use crate::input::{Files, Input, InputError, Reason};
use crate::listing::Judged;
use crate::output::Out;
use asr_checker::{Core, Engine, Oracle, OracleAs, Session};
use asr_core::Stream;
use asr_oracle::{UnknownVariant, Variant};
use asr_spec::{Head, HeadState, Leaf, Name, Outcome, Query, What};
use std::io::{self, Write};

#[derive(clap::Args)]
pub(crate) struct OutcomeArgs {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    head: HeadArgs,

    /// Follow the paths from all leaves (the records that no record follows), abandoned branches included
    #[arg(long, conflicts_with_all = ["head", "head_start"])]
    leaves: bool,

    /// Stay, and show it again whenever what is written to the file changes it; ends with Ctrl-C
    #[arg(long, conflicts_with_all = ["leaves", "engine", "variant"])]
    follow: bool,

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

    /// One line of JSON per file, leaf or state, in the entries of ASR-376
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

pub(crate) fn variant(name: &str) -> Result<&'static Variant, UnknownVariant> {
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
        out: &mut Out<'_>,
        question: impl Fn(&dyn Session) -> T,
    ) -> Result<Option<T>, InputError> {
        let mut answer: Option<(&str, T)> = None;
        for engine in self.engines() {
            let found = question(&*read(&*engine, input)?);
            if let Some((other, answer)) = &answer
                && *answer != found
            {
                self.tell_difference(input, out, [(other, answer), (engine.name(), &found)]);
                return Ok(None);
            }
            answer = Some((engine.name(), found));
        }
        Ok(answer.map(|(_, answer)| answer))
    }

    fn tell_difference(
        &self,
        input: &Input,
        out: &mut Out<'_>,
        answers: [(&str, &impl serde::Serialize); 2],
    ) {
        out.say(format!("error: {}: the engines differ", input.name));
        for (engine, answer) in answers {
            out.say(format!("  {engine:8}{}", serde_json::to_string(answer).unwrap_or_default()));
        }
        if self.json {
            out.put_error("differ", &input.name, "the engines differ");
        }
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

fn read<'s>(engine: &dyn Engine, input: &'s Input) -> Result<Box<dyn Session + 's>, InputError> {
    engine.read(&input.stream).map_err(|message| Reason::TooLarge(message).of(&*input.name))
}

/// `asr path` and `asr view`.
pub(crate) fn outcome(args: &OutcomeArgs, what: What) -> io::Result<Status> {
    let query = Query { what, head: args.head.head() };
    let json = args.output.json;
    if args.follow {
        return follow(&args.files, &query, json);
    }
    args.files.for_each(json, |input, out, _| {
        if args.leaves {
            return leaves(args, what, &input, out);
        }
        let outcome = match args.output.ask(&input, out, |session| session.answer(&query)) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => return Ok(Ok(Status::Finding)),
            Err(error) => return Ok(Err(error)),
        };
        if json {
            writeln!(out, "{outcome}")?;
        } else {
            // Only names the records; an engine that reads the stream has already answered.
            let stream = match input.core() {
                Ok(stream) => stream,
                Err(error) => return Ok(Err(error)),
            };
            let title = Title { name: &input.name, query: &query, credit: &args.output.credit() };
            if let Err(message) = title.print(&stream, &outcome, out)? {
                out.say(message);
            }
        }
        Ok(Ok(status(&outcome)))
    })
}

/// What the outcome means for the exit status.
fn status(outcome: &Outcome) -> Status {
    match outcome {
        Outcome::Cycle { .. } => Status::Finding,
        Outcome::Entries(_) | Outcome::NoDefaultPath => Status::Fine,
    }
}

/// A leaf, as JSON. Not by way of a [`serde_json::Value`], which has no room for numbers as they were written.
#[derive(serde::Serialize)]
struct LeafLine<'l> {
    file: &'l str,
    head: &'l Name,
    outcome: &'l Outcome,
}

/// The path or view of every leaf of an input.
fn leaves(args: &OutcomeArgs, what: What, input: &Input, out: &mut Out<'_>) -> Judged {
    let engines = args.output.engines();
    let sessions: Result<Vec<_>, _> = engines.iter().map(|engine| read(&**engine, input)).collect();
    let (sessions, stream) = match (sessions, input.core()) {
        (Ok(sessions), Ok(stream)) => (sessions, stream),
        (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
    };
    let mut leaves: Vec<_> = sessions.iter().map(|session| session.leaves(what)).collect();
    let (mut worst, mut count, credit) = (Status::Fine, 0_u64, args.output.credit());
    loop {
        let found: Vec<Option<Leaf>> = leaves.iter_mut().map(Iterator::next).collect();
        for pair in found.windows(2).zip(engines.windows(2)) {
            if let ([one, other], [engine, another]) = pair
                && one != other
            {
                let answers = [(engine.name(), one), (another.name(), other)];
                args.output.tell_difference(input, out, answers);
                return Ok(Ok(Status::Finding));
            }
        }
        let Some(Leaf { head, outcome }) = found.into_iter().next().flatten() else { break };
        worst = worst.max(status(&outcome));
        if args.output.json {
            let line = LeafLine { file: &input.name, head: &head, outcome: &outcome };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        } else {
            if count > 0 {
                writeln!(out)?;
            }
            let query = Query { what, head: Head::Ref(head.to_string()) };
            let title = Title { name: &input.name, query: &query, credit: &credit };
            if let Err(message) = title.print(&stream, &outcome, out)? {
                out.say(message);
            }
        }
        count += 1;
    }
    if count == 0 && !args.output.json {
        writeln!(out, "{}: no leaves{credit}", printable(&input.name))?;
    }
    Ok(Ok(worst))
}

/// What stands above an outcome.
pub(crate) struct Title<'t> {
    pub name: &'t str,
    pub query: &'t Query,
    /// Who computed it.
    pub credit: &'t str,
}

impl Title<'_> {
    /// An outcome for people, whose records are those of `stream`. For a cycle there is only the message to say.
    pub(crate) fn print(
        &self,
        stream: &Stream<'_>,
        outcome: &Outcome,
        out: &mut impl Write,
    ) -> io::Result<Result<(), String>> {
        let Self { name, query, credit } = self;
        let what = match query.what {
            What::Path => "active path",
            What::View => "context view",
        };
        let head = match &query.head {
            Head::Primary => String::new(),
            Head::Ref(id) => format!(" from {}", printable(id)),
            Head::Start => " from START".to_owned(),
        };
        let name = printable(name);
        match outcome {
            Outcome::Entries(entries) => {
                let count = entries.len();
                let noun = if count == 1 { "entry" } else { "entries" };
                writeln!(out, "{name}: {what}{head}, {count} {noun}{credit}")?;
                table(&entries.iter().map(|entry| row(stream, entry)).collect::<Vec<_>>(), out)?;
            }
            Outcome::NoDefaultPath => writeln!(
                out,
                "{name}: no default path: the source says that there is no primary head (ASR-363)"
            )?,
            Outcome::Cycle { at } => {
                return Ok(Err(format!(
                    "error: {name}: record {at}: following predecessors{head} comes back to this record (ASR-366)"
                )));
            }
        }
        Ok(Ok(()))
    }
}

/// `asr heads`.
pub(crate) fn heads(args: &HeadsArgs) -> io::Result<Status> {
    args.files.for_each(args.output.json, |input, out, _| {
        let heads = match args.output.ask(&input, out, |session| session.heads()) {
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
