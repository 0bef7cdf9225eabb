//! A progress bar for work that takes longer than a second, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows how far a piece of work is, until it is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    since: Instant,
}

impl Progress {
    /// Begins `what`.
    pub(crate) fn start(what: String) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg} [{wide_bar}] {human_pos}/{human_len} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self { bar, since: Instant::now() }
    }

    /// `done` of `total` pieces are done.
    pub(crate) fn at(&self, done: u64, total: u64) {
        if self.bar.is_hidden() && self.since.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
