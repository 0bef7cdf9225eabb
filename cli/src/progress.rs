//! A progress bar for work that takes longer than a second, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::thread;
use std::time::Duration;

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the bar moves while nothing is known of the work.
const TICK: Duration = Duration::from_millis(100);

const SPINNER: &str = "{spinner} {msg} {elapsed}";
const BAR: &str = "{msg} [{wide_bar}] {human_pos}/{human_len}, {eta} to go";

/// Shows that a piece of work goes on, until it is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Begins `what`.
    pub(crate) fn start(what: String) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        set_style(&bar, SPINNER);
        bar.set_message(what);
        let waiting = bar.downgrade();
        // The thread outlives work that is done in time, and finds nothing left to show then.
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if let Some(bar) = waiting.upgrade() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(TICK);
            }
        });
        Self { bar }
    }

    /// `done` of `total` pieces are done.
    pub(crate) fn at(&self, done: u64, total: u64) {
        if self.bar.length() != Some(total) {
            set_style(&self.bar, BAR);
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
