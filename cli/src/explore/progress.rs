//! How far a run is: a table of what it has reached on a terminal, events for programs, and a file to go on from.

use super::{Args, Refusal, write};
use crate::output::stdout;
use asr_checker::explore::{Scope, Statement};
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::time::{Duration, Instant};

/// How often programs hear of it.
const TICK: Duration = Duration::from_secs(1);

const BAR: &str = "{prefix} [{wide_bar}] {human_pos}/{human_len}, {rate}, {eta} to go\n{msg}";

/// How many steps stand beside each other in the table.
const COLUMNS: usize = 4;

/// Says how far a run is.
pub(super) struct Progress<'a> {
    args: &'a Args,
    scope: Scope,
    bar: ProgressBar,
    /// When the first news came, and what an earlier run had done until then.
    began: Option<(Instant, u64)>,
    told: Instant,
    failed: Option<Refusal>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(args: &'a Args, scope: &Scope) -> Self {
        // On a terminal only; elsewhere it draws nothing.
        let bar = ProgressBar::no_length().with_prefix(scope.to_string());
        if let Ok(style) = ProgressStyle::with_template(BAR) {
            // Without fractions of streams.
            bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
            }));
        }
        Self { args, scope: scope.clone(), bar, began: None, told: Instant::now(), failed: None }
    }

    /// Tells everybody what the run has come to.
    pub(super) fn at(&mut self, so_far: &Statement) {
        if self.began.is_none() {
            self.began = Some((Instant::now(), so_far.visited));
            self.bar.set_length(so_far.predicted);
            // What an earlier run did says nothing about the rate of this one.
            self.bar.set_position(so_far.visited);
            self.bar.reset_eta();
        }
        if !self.bar.is_hidden() {
            self.bar.set_position(so_far.visited);
            self.bar.set_message(reached(&self.scope, so_far));
        }
        self.failed = self.failed.take().or_else(|| self.tell(so_far).err());
    }

    fn tell(&mut self, so_far: &Statement) -> Result<(), Refusal> {
        let Statement { visited, predicted, seconds, .. } = so_far;
        if self.args.json && self.told.elapsed() >= TICK {
            self.told = Instant::now();
            let rate = self.began.map_or(0.0, |(began, earlier)| {
                visited.saturating_sub(earlier) as f64 / began.elapsed().as_secs_f64()
            });
            let left = predicted.saturating_sub(*visited) as f64 / rate;
            let event = serde_json::json!({
                "visited": visited,
                "predicted": predicted,
                "seconds": seconds,
                "per_second": rate.round(),
                "seconds_left": left.is_finite().then_some(left.round()),
            });
            writeln!(stdout(), "{event}")?;
        }
        self.args.resume.as_ref().map_or(Ok(()), |file| write(file, so_far))
    }

    /// Clears the terminal, and says what could not be told.
    pub(super) fn end(self) -> Result<(), Refusal> {
        self.bar.finish_and_clear();
        self.failed.map_or(Ok(()), Err)
    }
}

/// What the slice promises to reach, and how often the run has reached it.
fn reached(scope: &Scope, so_far: &Statement) -> String {
    let steps = scope.slice().steps.iter().map(|step| (step.label(), &so_far.steps));
    let requirements = scope.slice().requirements.iter().map(|it| (it.id(), &so_far.requirements));
    let mut table = String::new();
    for ((label, counts), place) in steps.chain(requirements).zip(1..) {
        let count = counts.get(label).copied().unwrap_or(0);
        let cell = format!("{label:12}{:>16}", HumanCount(count).to_string());
        let cell = if count == 0 { console::style(cell).red() } else { console::style(cell) };
        // Writing to a string cannot fail.
        let _ = write!(table, "{cell}{}", if place % COLUMNS == 0 { "\n" } else { "  " });
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use asr_checker::explore::{Counts, Settings, explore};

    #[test]
    fn the_table_shows_what_was_reached_and_what_was_not() {
        let scope: Scope = "H".parse().unwrap();
        let counts = Counts::new(scope.clone(), 1).unwrap();
        let statement = explore(&counts, &asr_checker::Core, &Settings::default(), |_| ()).unwrap();
        let table = reached(&scope, &statement);
        let shown = console::strip_ansi_codes(&table);
        let cells: Vec<_> = shown.split_whitespace().collect();
        assert_eq!(cells.len(), 2 * scope.slice().steps.len());
        for (label, count) in &statement.steps {
            let at = cells.iter().position(|cell| cell == label);
            let is_promised = scope.slice().steps.iter().any(|step| step.label() == label);
            assert_eq!(at.map(|at| cells[at + 1].replace(',', "")), is_promised.then(|| count.to_string()));
        }
        assert!(statement.steps.values().any(|&count| count == 0));
    }
}
