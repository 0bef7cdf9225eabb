//! Where two engines part: their decisions about the first record on which they differ, side by side.

use crate::lines::Lines;
use asr_checker::traces::{Decision, Traces};
use asr_spec::Step;
use std::collections::BTreeSet;

/// The decisions as a table, and the steps that it names.
pub(crate) struct Parting {
    /// What the decisions are about: the head, or a record.
    pub about: String,
    pub table: String,
    pub steps: BTreeSet<Step>,
}

impl Parting {
    /// `None` where the two decide alike.
    pub(crate) fn of(lines: &Lines<'_>, engines: [&str; 2], traces: &Traces) -> Option<Self> {
        let (about, rows) = traces.first_difference()?;
        let cell = |decision: &Option<Decision>| match decision {
            None => "-".to_owned(),
            Some((step, _, 0)) => step.label().to_owned(),
            Some((step, _, refers_to)) => format!("{} {}", step.label(), lines.name(*refers_to)),
        };
        let cells: Vec<[String; 2]> = rows.iter().map(|[left, right]| [cell(left), cell(right)]).collect();
        let cells = [engines.map(str::to_owned)].into_iter().chain(cells).collect::<Vec<_>>();
        let width = cells.iter().map(|[left, _]| left.chars().count()).max().unwrap_or(0);
        let table = cells.iter().map(|[left, right]| format!("    {left:width$}  {right}\n")).collect();
        let steps = rows.iter().flatten().flatten().map(|(step, ..)| *step).collect();
        let about = if about == 0 { "the head".to_owned() } else { lines.name(about) };
        Some(Self { about, table, steps })
    }
}
