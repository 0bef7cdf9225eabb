//! `asr explain`: which step of the chapter put which record where.
//!
//! The oracle takes the steps; this module puts its log into words, record by record, and leaves out what a reader of
//! the result would not ask about.

use crate::Status;
use crate::describe::{printable, row, table};
use crate::input::{Files, Input, InputError};
use crate::lines::Lines;
use crate::show::HeadArgs;
use asr_checker::oracle_log;
use asr_spec::{Head, Outcome, Query, Step, StepLog, What};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    head: HeadArgs,

    /// One line of JSON per file: the outcome, and every step with the lines that it is about and refers to
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    args.files.for_each(args.json, |input, out, _| {
        let query = Query { what: What::View, head: args.head.head() };
        let (outcome, log) = oracle_log(&input.stream, &query);
        if args.json {
            let steps =
                log.0.iter().map(|&(step, about, refers_to)| (step.label(), about, refers_to)).collect();
            let explained = Explained { outcome: &outcome, steps };
            writeln!(out, "{}", serde_json::to_string(&explained)?)?;
        } else {
            let lines = Lines::of(&input);
            let mut story = Story::new(&lines, &log);
            story.tell(&query, &outcome);
            write!(out, "{}: how the context view comes about\n\n{INTRODUCTION}{}", input.name, story.text)?;
            if let Err(error) = print_view(out, &input, &outcome)? {
                return Ok(Err(error));
            }
            writeln!(out, "\nThe steps of the Structure chapter that were cited\n{}", legend(&story.used))?;
        }
        Ok(Ok(if matches!(outcome, Outcome::Cycle { .. }) { Status::Finding } else { Status::Fine }))
    })
}

/// The story as JSON. Not by way of a [`Value`], which has no room for numbers as they were written.
#[derive(serde::Serialize)]
struct Explained<'e> {
    outcome: &'e Outcome,
    /// Each with the lines that it is about and that it refers to.
    steps: Vec<(&'static str, u64, u64)>,
}

const INTRODUCTION: &str = "\
A file is a stream of records. Messages, tool calls, tool results and compactions make up the conversation; all others
(usage, file changes, gaps, rewinds) are facts beside it. Where the user went back, parts of the conversation are abandoned: the
active path is what still counts, traced from its newest record, the head, back to the start. Then each compaction on
the path takes records out and puts a summary in their place. The result is the context view: what the model is given.
Labels in brackets are steps of the algorithms in the Structure chapter; a list of them is at the end.
";

fn print_view(out: &mut impl Write, input: &Input, outcome: &Outcome) -> io::Result<Result<(), InputError>> {
    let Outcome::Entries(entries) = outcome else { return Ok(Ok(())) };
    writeln!(out, "\nThe context view: what the model is given at this head (record, kind, text)")?;
    match input.core() {
        Ok(stream) if !entries.is_empty() => {
            table(&entries.iter().map(|entry| row(&stream, entry)).collect::<Vec<_>>(), out).map(Ok)
        }
        Ok(_) => writeln!(out, "  nothing").map(Ok),
        Err(error) => Ok(Err(error)),
    }
}

fn legend(used: &BTreeSet<Step>) -> String {
    let rows = used.iter().map(|step| format!("  {:11}  {}", step.label(), step.summary()));
    rows.collect::<Vec<_>>().join("\n")
}

/// The log in words.
struct Story<'a> {
    lines: &'a Lines<'a>,
    log: &'a StepLog,
    /// What each step refers to, by step and by what it is about.
    refers_to: BTreeMap<(Step, u64), Vec<u64>>,
    /// The steps that the text names.
    used: BTreeSet<Step>,
    text: String,
}

impl<'a> Story<'a> {
    fn new(lines: &'a Lines<'a>, log: &'a StepLog) -> Self {
        let mut refers_to: BTreeMap<_, Vec<u64>> = BTreeMap::new();
        for (step, about, refers) in &log.0 {
            refers_to.entry((*step, *about)).or_default().push(*refers);
        }
        Self { lines, log, refers_to, used: BTreeSet::new(), text: String::new() }
    }

    fn tell(&mut self, query: &Query, outcome: &Outcome) {
        self.head(query);
        if *outcome == Outcome::NoDefaultPath {
            return;
        }
        self.path(outcome);
        if let Outcome::Entries(_) = outcome {
            self.compactions();
            self.hidden();
        }
    }

    fn section(&mut self, title: &str) {
        self.text += &format!("\n{title}\n");
    }

    fn say(&mut self, indent: usize, sentence: &str, steps: &[Step]) {
        let labels: Vec<_> = steps.iter().map(|step| step.label()).collect();
        let cited = if labels.is_empty() { String::new() } else { format!("  [{}]", labels.join(", ")) };
        self.text += &format!("{:indent$}{sentence}{cited}\n", "");
        self.used.extend(steps);
    }

    /// What a step was about, each time that it was taken.
    fn all(&self, step: Step) -> Vec<u64> {
        let of_step = self.log.0.iter().filter(|(taken, _, _)| *taken == step);
        of_step.map(|(_, about, _)| *about).collect()
    }

    /// Everything that a step about a line refers to.
    fn each(&self, step: Step, about: u64) -> &[u64] {
        self.refers_to.get(&(step, about)).map_or(&[], Vec::as_slice)
    }

    /// What a step about a line refers to, if it was taken.
    fn of(&self, step: Step, about: u64) -> Option<u64> {
        self.each(step, about).first().copied()
    }

    fn name(&self, line: u64) -> String {
        self.lines.name(line)
    }

    fn names(&self, lines: &[u64]) -> String {
        lines.iter().map(|&line| self.name(line)).collect::<Vec<_>>().join(", ")
    }

    fn head(&mut self, query: &Query) {
        self.section("The head: the newest record of the path");
        match &query.head {
            Head::Start => self.say(2, "START, as asked for.", &[Step::Ap1]),
            Head::Ref(id) => self.say(2, &format!("{id}, as asked for."), &[]),
            Head::Primary => {
                if !self.all(Step::Hd4).is_empty() {
                    let sentence = "session_info states a null as the first head: the source has no primary one, so \
                                    there is no path.";
                    return self.say(2, sentence, &[Step::Hd2, Step::Hd4]);
                }
                if !self.all(Step::Hd5).is_empty() {
                    let sentence = "The first of the heads that session_info states, which names no record.";
                    return self.say(2, sentence, &[Step::Hd2, Step::Hd5]);
                }
                if !self.all(Step::Hd2).is_empty() {
                    return self.say(
                        2,
                        "A session_info record states the heads; the first of them counts.",
                        &[Step::Hd2, Step::Hd3],
                    );
                }
                self.say(
                    2,
                    "No record states a head, so we look back from the end of the stream.",
                    &[Step::Hd1],
                );
                self.scan_end(0);
            }
        }
    }

    /// Where the scan for a line ended, in a sentence.
    fn scan_end(&mut self, about: u64) {
        if let Some(line) = self.of(Step::Ip1, about) {
            let sentence =
                format!("The first record of the conversation that we meet is {}.", self.name(line));
            self.say(2, &sentence, &[Step::Ip1]);
        } else if let Some(rewind) = self.of(Step::Ip2, about) {
            let sentence =
                format!("We meet the rewind {} first; the head is where it leads.", self.name(rewind));
            self.say(2, &sentence, &[Step::Ip2]);
        } else if self.of(Step::Ip4, about).is_some() {
            self.say(2, "We meet nothing: the context is empty.", &[Step::Ip4]);
        }
    }

    fn path(&mut self, outcome: &Outcome) {
        self.section("The active path, oldest record first");
        // The log goes from the head back; people read forwards.
        let mut nodes = self.all(Step::Ap3b);
        nodes.reverse();
        if let Outcome::Cycle { at } = outcome {
            let sentence = format!("Following predecessors comes back to {at}: there is no path.");
            return self.say(2, &sentence, &[Step::Ap3a]);
        }
        if !self.all(Step::Ap4).is_empty() {
            self.say(2, "The session goes on from the context of another one.", &[Step::Ap4]);
        }
        if nodes.is_empty() {
            self.say(2, "There is none.", &[]);
        }
        let mut before = None;
        let runs: Vec<&[u64]> = nodes.chunk_by(|_, line| self.is_plain(*line)).collect();
        for run in runs {
            let (first, plain) = (run.first().copied().unwrap_or_default(), run.get(1..).unwrap_or_default());
            self.node(first, before);
            match plain {
                [] => {}
                [only] => self.node(*only, Some(first)),
                several => {
                    let sentence = format!(
                        "{} each follow the record of the conversation just before them.",
                        self.names(several)
                    );
                    self.say(2, &sentence, &[Step::Ip1]);
                }
            }
            before = run.last().copied();
        }
    }

    /// Whether a record merely follows the one before it, with nothing to be said about it.
    fn is_plain(&self, line: u64) -> bool {
        let is_revised = self.of(Step::Nr4, line) != Some(line);
        self.of(Step::Ip1, line).is_some() && self.each(Step::Ap3c, line).is_empty() && !is_revised
    }

    fn node(&mut self, line: u64, before: Option<u64>) {
        let name = self.name(line);
        let gaps = self.each(Step::Ap3c, line);
        if !gaps.is_empty() {
            let sentence = format!("(something is missing before {name}: {})", self.names(gaps));
            self.say(2, &sentence, &[Step::Ip3, Step::Ap3c]);
        }
        let carrier = self.of(Step::Bf0, line).filter(|&carrier| carrier != line);
        let says = carrier
            .map_or_else(|| "as it says".to_owned(), |it| format!("as its rewrite {} says", self.name(it)));
        let is_lost = before.is_none() && !self.all(Step::Ap3e).is_empty();
        let follows = match before {
            Some(before) => format!("follows {}", self.name(before)),
            None if is_lost => "follows what the stream does not tell".to_owned(),
            None => "begins from an empty context".to_owned(),
        };
        let (sentence, step) = if self.of(Step::Bf1, line).is_some() {
            (format!("{name} {follows}, {says}: a branch."), Step::Bf1)
        } else if self.of(Step::Bf2, line).is_some() {
            (format!("{name} {follows}, {says}."), Step::Bf2)
        } else if self.of(Step::Bf3, line).is_some() {
            (format!("{name} {follows}, {says}."), Step::Bf3)
        } else if let Some(rewind) = self.of(Step::Ip2, line) {
            (format!("{name} {follows}: the rewind {} before it leads there.", self.name(rewind)), Step::Ip2)
        } else if self.of(Step::Ip1, line).is_some() {
            (format!("{name} {follows}, the record of the conversation just before it."), Step::Ip1)
        } else {
            (format!("{name} is the first record of the conversation."), Step::Ip4)
        };
        self.say(2, &sentence, &[step]);
        if let Some(latest) = self.of(Step::Nr4, line).filter(|&latest| latest != line) {
            let sentence = format!("Its content is that of the revision {}.", self.name(latest));
            self.say(4, &sentence, &[Step::Nr4]);
        }
    }

    fn compactions(&mut self) {
        let compactions = self.all(Step::V3);
        if compactions.is_empty() {
            return;
        }
        self.section("The compactions on the path, in its order");
        for line in compactions {
            self.compaction(line);
        }
    }

    fn compaction(&mut self, line: u64) {
        let latest = self.of(Step::Nr4, line).unwrap_or(line);
        let record = self.lines.record(latest);
        let text = |pointer: &str| printable(record.pointer(pointer).and_then(Value::as_str).unwrap_or("?"));
        let name = self.name(line);
        if self.of(Step::V3a, line).is_some() {
            let status = record.get("status").unwrap_or(&Value::Null);
            let sentence = format!("{name} was not completed (its status is {status}) and changes nothing.");
            return self.say(2, &sentence, &[Step::V3a]);
        }
        if self.of(Step::V3bThrough, line).is_some() {
            let through = text("/replaces/throughId");
            if self.of(Step::V3bKept, line).is_some() {
                let kept = text("/keptFromId");
                let sentence = format!(
                    "{name} covers the path up to and including {through}, but keeps {kept} and all after it as they are."
                );
                self.say(2, &sentence, &[Step::V3bThrough, Step::V3bKept]);
            } else {
                self.say(
                    2,
                    &format!("{name} covers the path up to and including {through}."),
                    &[Step::V3bThrough],
                );
            }
        } else if self.of(Step::V3bIds, line).is_some() {
            self.say(2, &format!("{name} covers the records that it names one by one."), &[Step::V3bIds]);
        } else if self.of(Step::V3bUnknown, line).is_some() {
            let sentence = format!("{name} replaced something, and the source did not record what.");
            self.say(2, &sentence, &[Step::V3bUnknown]);
        } else {
            self.say(2, &format!("{name} does not say what it replaces."), &[]);
        }

        let removed: Vec<u64> =
            self.each(Step::V3c, line).iter().copied().filter(|&other| other != line).collect();
        let sentence = match removed.as_slice() {
            [] => "It removes nothing; the record itself is not shown either.".to_owned(),
            removed => format!("It removes {}. The record itself is not shown either.", self.names(removed)),
        };
        self.say(4, &sentence, &[Step::V3c]);

        let places = [
            (Step::V3dNull, "at the very start"),
            (Step::V3dAfter, "just after"),
            (Step::V3dBefore, "just before"),
            (Step::V3dMin, "where the first of the removed stood:"),
            (Step::V3dOwn, "where the record stands itself"),
        ];
        let retained = self.each(Step::V3f, line);
        let mut inserted = Vec::new();
        let mut steps = Vec::new();
        if self.of(Step::V3e, line).is_some() {
            inserted.push("a mark that something unknown was replaced".to_owned());
            steps.push(Step::V3e);
        }
        if !retained.is_empty() {
            inserted.push(format!("carried copies of {}", self.names(retained)));
            steps.push(Step::V3f);
        }
        if self.of(Step::V3g, line).is_some() {
            inserted.push("its summary".to_owned());
            steps.push(Step::V3g);
        }
        if inserted.is_empty() {
            return self.say(4, "Nothing comes in its place.", &[]);
        }
        let place = places.into_iter().find_map(|(step, words)| Some((step, words, self.of(step, line)?)));
        if let Some((step, words, beside)) = place {
            let is_gone = matches!(step, Step::V3dAfter | Step::V3dBefore) && removed.contains(&beside);
            let gone = if is_gone { ", whose place stays" } else { "" };
            let beside = if beside == 0 { String::new() } else { format!(" {}{gone}", self.name(beside)) };
            steps.insert(0, step);
            self.say(4, &format!("In its place: {}, {words}{beside}.", inserted.join(", then ")), &steps);
        }
    }

    fn hidden(&mut self) {
        let hidden = self.all(Step::V4);
        if !hidden.is_empty() {
            self.section("What the model did not see");
            let sentence = format!(
                "{}: shown to the user only, withdrawn, or between a program and its tools.",
                self.names(&hidden)
            );
            self.say(2, &sentence, &[Step::V4]);
        }
    }
}
