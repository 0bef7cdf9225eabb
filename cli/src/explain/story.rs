//! The log of the oracle in words, record by record, without what a reader of the result would not ask about.

use crate::describe::printable;
use crate::lines::Lines;
use asr_spec::{Entry, Head, Json, Outcome, Query, Step, StepLog};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// So many records beside the path are named one by one.
const MOST_NAMES: usize = 20;

/// The log in words.
pub(super) struct Story<'a> {
    lines: &'a Lines<'a>,
    log: &'a StepLog,
    /// What each step refers to, by step and by what it is about.
    refers_to: BTreeMap<(Step, u64), Vec<u64>>,
    /// The refs in whose place the view has a mark that they identify nothing.
    unresolved: HashSet<String>,
    /// How many entries of each record compactions have removed so far.
    removed: HashMap<u64, usize>,
    /// The steps that the text names.
    pub used: BTreeSet<Step>,
    pub text: String,
}

impl<'a> Story<'a> {
    /// The story of how a query got its outcome.
    pub(super) fn new(lines: &'a Lines<'a>, log: &'a StepLog, query: &Query, outcome: &Outcome) -> Self {
        let mut refers_to: BTreeMap<_, Vec<u64>> = BTreeMap::new();
        for (step, about, refers) in &log.0 {
            refers_to.entry((*step, *about)).or_default().push(*refers);
        }
        let entries = if let Outcome::Entries(entries) = outcome { entries.as_slice() } else { &[] };
        let unresolved = entries.iter().filter_map(|entry| match entry {
            Entry::UnresolvedRef { reference: Json::String(reference), .. } => Some(reference.clone()),
            _ => None,
        });
        let (unresolved, removed) = (unresolved.collect(), HashMap::new());
        let (used, text) = (BTreeSet::new(), String::new());
        let mut story = Self { lines, log, refers_to, unresolved, removed, used, text };
        story.tell(query, outcome);
        story
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
            Head::Start => {
                self.say(2, "START, as asked for: the empty context before the first record.", &[Step::Ap1]);
            }
            Head::Ref(id) => self.say(2, &format!("{}, as asked for.", printable(id)), &[]),
            Head::Primary => {
                if !self.all(Step::Hd4).is_empty() {
                    let sentence = "session_info states a null as the first head: the source has no primary one, so \
                                    there is no path.";
                    return self.say(2, sentence, &[Step::Hd2, Step::Hd4]);
                }
                if !self.all(Step::Hd2).is_empty() {
                    let stated = "A session_info record states the heads, and the first of them counts.";
                    return match self.all(Step::Ap3b).first() {
                        Some(&line) => {
                            let sentence = format!("{stated} It leads to {}.", self.name(line));
                            self.say(2, &sentence, &[Step::Hd2, Step::Hd3]);
                        }
                        None => {
                            let sentence = format!("{stated} It identifies no record of the conversation.");
                            self.say(2, &sentence, &[Step::Hd2, Step::Hd3, Step::Hd5]);
                        }
                    };
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
            let sentence = format!(
                "Going back from record to record comes to {} a second time: a cycle, so there is no path.",
                printable(&at.to_string())
            );
            return self.say(2, &sentence, &[Step::Ap3a]);
        }
        if !self.all(Step::Ap4).is_empty() {
            self.say(2, "The session goes on from the context of another one.", &[Step::Ap4]);
        }
        if nodes.is_empty() {
            self.say(2, "There is no record on it.", &[]);
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
        let on_path: HashSet<u64> = nodes.into_iter().collect();
        let mut beside = self.all(Step::Nr2);
        beside.retain(|line| !on_path.contains(line));
        let beside = match beside.as_slice() {
            [] => return,
            [first, .., last] if beside.len() > MOST_NAMES => {
                format!("{} records from {} to {}", beside.len(), self.name(*first), self.name(*last))
            }
            few => self.names(few),
        };
        self.say(2, &format!("(not on this path, and still facts of the session: {beside})"), &[]);
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
            None if is_lost && self.of(Step::Bf3, line).is_some() => "follows what nobody knows".to_owned(),
            None if is_lost => "follows what cannot be identified".to_owned(),
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
            let sentence =
                format!("Its content is that of {}, a later version of it (a revision).", self.name(latest));
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
        let names: Vec<String> = removed.iter().map(|&other| self.removed(other)).collect();
        self.removed.insert(line, 1);
        let sentence = match names.as_slice() {
            [] => "It removes nothing; the record itself is not shown either.".to_owned(),
            names => format!("It removes {}. The record itself is not shown either.", names.join(", ")),
        };
        self.say(4, &sentence, &[Step::V3c]);

        let places = [
            (Step::V3dNull, "at the very start"),
            (Step::V3dAfter, "just after"),
            (Step::V3dBefore, "just before"),
            (Step::V3dMin, "where the first of the removed stood:"),
            (Step::V3dOwn, "where the record stands itself"),
        ];
        let (inserted, mut steps) = self.inserted(line, &record);
        if inserted.is_empty() {
            return self.say(4, "Nothing comes in its place.", &[]);
        }
        let place = places.into_iter().find_map(|(step, words)| Some((step, words, self.of(step, line)?)));
        if let Some((step, words, beside)) = place {
            let is_gone = matches!(step, Step::V3dAfter | Step::V3dBefore) && removed.contains(&beside);
            let gone = if is_gone { ", which is gone but whose place still counts" } else { "" };
            let beside = if beside == 0 { String::new() } else { format!(" {}{gone}", self.name(beside)) };
            steps.insert(0, step);
            self.say(4, &format!("In its place: {}, {words}{beside}.", inserted.join(", then ")), &steps);
        }
    }

    /// What a compaction inserts, in order, and by which steps.
    fn inserted(&self, line: u64, record: &Value) -> (Vec<String>, Vec<Step>) {
        let mut inserted = Vec::new();
        let mut steps = Vec::new();
        let ranges = ["/replaces/throughId", "/keptFromId", "/insertAt/afterId", "/insertAt/beforeId"];
        inserted.extend(self.marks(ranges.iter().filter_map(|pointer| record.pointer(pointer))));
        if self.of(Step::V3e, line).is_some() {
            inserted.push("a mark that something unknown was replaced".to_owned());
            steps.push(Step::V3e);
        }
        let retains = record.get("retains").and_then(Value::as_array).into_iter().flatten();
        let mut marks = self.marks(retains.filter_map(|entry| entry.get("ref")));
        let retained = self.each(Step::V3f, line);
        // A run of copies in one phrase. What a ref leaves that leads nowhere is of no line.
        for run in retained.chunk_by(|one, next| *one > 0 && *next > 0) {
            match run {
                [0] => inserted.extend(marks.next()),
                copies => inserted.push(format!("carried copies of {}", self.names(copies))),
            }
        }
        if !retained.is_empty() {
            steps.push(Step::V3f);
        }
        if self.of(Step::V3g, line).is_some() {
            inserted.push("its summary".to_owned());
            steps.push(Step::V3g);
        }
        (inserted, steps)
    }

    /// What a compaction removes where it removes an entry of a record (0 for a marker without one), by the order in
    /// which those are inserted.
    fn removed(&mut self, line: u64) -> String {
        if line == 0 {
            return "a mark".to_owned();
        }
        let before = self.removed.entry(line).or_default();
        *before += 1;
        let (before, name) = (*before - 1, self.name(line));
        let record = self.lines.record(line);
        match record.get("type").and_then(Value::as_str) {
            Some("message" | "tool_call" | "tool_result") if before > 0 => format!("the copy of {name}"),
            Some("message" | "tool_call" | "tool_result") => name,
            Some("compaction") if before == 0 => name,
            Some("compaction") if before == 1 && self.of(Step::V3e, line).is_some() => {
                format!("the mark of {name}")
            }
            Some("compaction") => format!("the summary of {name}"),
            _ => format!("the gap {name}"),
        }
    }

    /// The marks of those refs that identify nothing, as the view says.
    fn marks<'r>(&self, refs: impl Iterator<Item = &'r Value>) -> impl Iterator<Item = String> {
        let lost = refs.filter_map(Value::as_str).filter(|&reference| self.unresolved.contains(reference));
        lost.map(|reference| format!("a mark that {} identifies no record", printable(reference)))
    }

    fn hidden(&mut self) {
        let mut hidden = self.all(Step::V4);
        if hidden.is_empty() {
            return;
        }
        self.section("What the model did not see");
        let reason = |line: &u64| {
            let latest = self.lines.record(self.of(Step::Nr4, *line).unwrap_or(*line));
            let says = |key, value| latest.get(key).and_then(Value::as_str) == Some(value);
            if says("type", "tool_call") {
                "made by a program, which alone got the result"
            } else if says("type", "tool_result") {
                "the result of a call that a program made"
            } else if says("audience", "user") {
                "shown to the user only"
            } else {
                "withdrawn"
            }
        };
        let mut by_reason: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for line in hidden.drain(..) {
            by_reason.entry(reason(&line)).or_default().push(line);
        }
        for (reason, lines) in by_reason {
            self.say(2, &format!("{}: {reason}.", self.names(&lines)), &[Step::V4]);
        }
    }
}
