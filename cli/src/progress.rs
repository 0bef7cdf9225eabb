//! A progress bar for work that takes longer than a second, on a terminal.

use crate::describe::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::convert::Infallible;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
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
    /// Dropped when the work is done, which ends the wait.
    work: Option<Sender<Infallible>>,
    wait: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins `what`.
    pub(crate) fn start(what: String) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        set_style(&bar, SPINNER);
        bar.set_message(printable(&what));
        let (work, end) = channel::<Infallible>();
        let waiting = bar.clone();
        let wait = thread::Builder::new().spawn(move || {
            if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                waiting.set_draw_target(ProgressDrawTarget::stderr());
                waiting.enable_steady_tick(TICK);
            }
        });
        // Without a thread there is no bar, and the work goes on all the same.
        Self { bar, work: Some(work), wait: wait.ok() }
    }

    /// Shows nothing.
    pub(crate) fn hidden() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, work: None, wait: None }
    }

    /// Writes to the terminal while the bar stands aside.
    pub(crate) fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// The work has come to `what`.
    pub(crate) fn set(&self, what: &str) {
        self.bar.set_message(printable(what));
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
        drop(self.work.take());
        if let Some(wait) = self.wait.take() {
            // It ends at once, so that many short pieces of work leave no threads behind. A panic in it has
            // cost the bar and nothing else.
            let _ = wait.join();
        }
        self.bar.finish_and_clear();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_done_in_time_leaves_no_thread() {
        const PIECES: usize = 50;
        for _ in 0..PIECES {
            drop(Progress::start("work".to_owned()));
        }
        let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
        assert!(threads < PIECES, "{threads}");
    }
}
