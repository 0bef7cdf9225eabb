//! What a hunt reaches, and what it never does.

use asr_generators::native::NativeScript;
use asr_generators::{Compaction, InsertForm, Op, Operand, ReplacesForm, Script};
use asr_oracle::Stream;
use asr_spec::{Decided, Head, Query, Requirement, Step, StepCounts, What};
use std::collections::BTreeMap;

/// How often each thing was reached.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    steps: StepCounts,
    violated: BTreeMap<Requirement, u64>,
    forms: BTreeMap<String, u64>,
    /// How many streams had no violation.
    pub valid: u64,
    /// How many streams have a primary path of three nodes or more.
    pub deep: u64,
    /// How many streams there were.
    pub streams: u64,
}

/// What no stream can break by itself in the eyes of the validator: it only warns.
const WARNINGS: [Requirement; 2] = [Requirement::Asr009, Requirement::Asr374A];

impl Reach {
    /// Counts what one case reaches.
    pub fn add_case(&mut self, script: &Script, native: &NativeScript) {
        let bytes = script.render();
        let stream = Stream::read(&bytes, &mut self.steps);
        let mut ask = |what, head| stream.answer(&Query { what, head }, &mut self.steps);
        let primary = ask(What::Path, Head::Primary);
        ask(What::View, Head::Start);
        for id in stream.ids() {
            ask(What::View, Head::Ref(id.to_owned()));
        }
        stream.heads(&mut self.steps);
        if let asr_spec::Outcome::Entries(entries) = &primary {
            let nodes = entries.iter().filter(|entry| matches!(entry, asr_spec::Entry::Node { .. })).count();
            self.deep += u64::from(nodes >= 3);
        }
        let report = stream.validate();
        self.streams += 1;
        self.valid += u64::from(report.is_valid());
        for violation in &report.violations {
            *self.violated.entry(violation.requirement).or_default() += 1;
        }
        for op in &script.ops {
            if let Op::Compaction(compaction) = op {
                for form in forms(compaction) {
                    *self.forms.entry(form).or_default() += 1;
                }
            }
        }
        asr_oracle::siblings::place(&native.records(), &mut self.steps);
    }

    /// Adds what others reached.
    pub fn add(&mut self, other: &Self) {
        let Self { steps, violated, forms, valid, deep, streams } = other;
        self.steps.add(steps);
        for (requirement, count) in violated {
            *self.violated.entry(*requirement).or_default() += count;
        }
        for (form, count) in forms {
            *self.forms.entry(form.clone()).or_default() += count;
        }
        self.valid += valid;
        self.deep += deep;
        self.streams += streams;
    }

    /// Steps of the algorithms with how often they were taken.
    pub fn steps(&self) -> Vec<(Step, u64)> {
        Step::ALL.into_iter().map(|step| (step, self.steps.of(step))).collect()
    }

    /// Requirements that a stream can break with how often it did.
    pub fn violations(&self) -> Vec<(Requirement, u64)> {
        let breakable = breakable();
        breakable
            .map(|requirement| (requirement, self.violated.get(&requirement).copied().unwrap_or(0)))
            .collect()
    }

    /// Forms of compactions with how often they were written.
    pub fn forms(&self) -> Vec<(String, u64)> {
        let all = all_forms().into_iter();
        all.map(|form| (form.clone(), self.forms.get(&form).copied().unwrap_or(0))).collect()
    }

    /// In a few words for each table, how much of it was reached.
    pub fn in_short(&self) -> String {
        fn part<T>(counts: &[(T, u64)]) -> String {
            format!("{}/{}", counts.iter().filter(|(_, count)| *count > 0).count(), counts.len())
        }
        let share = |count: u64| count * 100 / self.streams.max(1);
        format!(
            "reached: {} steps, {} violations, {} forms of compactions; {} % valid, {} % deep",
            part(&self.steps()),
            part(&self.violations()),
            part(&self.forms()),
            share(self.valid),
            share(self.deep),
        )
    }

    /// Everything that was never reached.
    pub fn never(&self) -> Vec<String> {
        let steps = self.steps.unreached().map(|step| format!("step {step}"));
        let violations = self.violations().into_iter().filter(|(_, count)| *count == 0);
        let violations = violations.map(|(requirement, _)| format!("violation of {requirement}"));
        let forms = self.forms().into_iter().filter(|(_, count)| *count == 0);
        steps.chain(violations).chain(forms.map(|(form, _)| format!("compaction {form}"))).collect()
    }
}

/// The requirements that a stream can break by itself.
pub fn breakable() -> impl Iterator<Item = Requirement> {
    Requirement::ALL.into_iter().filter(|requirement| {
        matches!(requirement.decided(), Decided::Stream | Decided::Necessary)
            && !WARNINGS.contains(requirement)
    })
}

/// The forms of a compaction: each field, and where each sound way to replace meets each way to insert.
fn forms(compaction: &Compaction) -> Vec<String> {
    let Compaction { replaces, insert, retains, content, status, kind, .. } = compaction;
    let mut forms = vec![
        format!("{replaces:?}"),
        format!("{insert:?}"),
        format!("{retains:?}"),
        format!("{content:?}"),
        format!("{status:?}"),
        format!("{kind:?}"),
    ];
    if replaces.rank() < replaces.sound() && insert.rank() < insert.sound() {
        forms.push(format!("{replaces:?} with {insert:?}"));
    }
    forms
}

fn all_forms() -> Vec<String> {
    fn of<T: std::fmt::Debug>(all: &[T]) -> impl Iterator<Item = String> {
        all.iter().map(|form| format!("{form:?}"))
    }
    let pairs = ReplacesForm::SOUND.iter().flat_map(|replaces| {
        InsertForm::SOUND.iter().map(move |insert| format!("{replaces:?} with {insert:?}"))
    });
    of(ReplacesForm::ALL)
        .chain(of(InsertForm::ALL))
        .chain(of(asr_generators::RetainsForm::ALL))
        .chain(of(asr_generators::ContentForm::ALL))
        .chain(of(asr_generators::StatusForm::ALL))
        .chain(of(asr_generators::KindForm::ALL))
        .chain(pairs)
        .collect()
}
