//! Output: what each input comes to, put out in the order of the inputs, while several are worked on.
//!
//! Whoever reads our standard output may stop early, as `head` does. That ends no work and is no error: the exit status
//! says what was found, and a script reads it as well.

use crate::Status;
use crate::describe::say;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So many inputs may be done ahead of their turn.
const MOST_AHEAD: usize = 64;

/// An input with more output than this, in bytes, waits for its turn, so that the output of all that are ahead is
/// bounded.
const MOST_HELD: usize = 1 << 20;

/// Output is written by this many bytes.
const CHUNK: usize = 1 << 16;

/// The standard output, as long as somebody reads it.
#[derive(Default)]
pub(crate) struct Stdout {
    is_closed: bool,
}

/// The standard output. What is written after its reader went away is lost without an error.
pub(crate) fn stdout() -> Stdout {
    Stdout::default()
}

impl Stdout {
    /// Whether its reader has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn unless_closed<T>(&mut self, lost: T, write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.is_closed {
            return Ok(lost);
        }
        match write() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(lost)
            }
            result => result,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), || io::stdout().lock().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), || io::stdout().lock().flush())
    }
}

/// Puts out what was worked on side by side, input by input.
pub(crate) struct Queue<'p> {
    line: Mutex<Line>,
    moved: Condvar,
    progress: &'p Progress,
    inputs: usize,
}

/// Who is where in the queue.
struct Line {
    /// The input whose turn it is.
    next: usize,
    /// What is done before its turn.
    done: BTreeMap<usize, Done>,
    out: Stdout,
    error: Option<io::Error>,
    worst: Status,
}

/// What an input came to, as far as it is not put out.
struct Done {
    text: Vec<u8>,
    messages: Vec<String>,
    status: Status,
}

impl<'p> Queue<'p> {
    pub(crate) fn new(inputs: usize, progress: &'p Progress) -> Self {
        let (out, done) = (Stdout::default(), BTreeMap::new());
        let line = Line { next: 0, done, out, error: None, worst: Status::Fine };
        Self { line: Mutex::new(line), moved: Condvar::new(), progress, inputs }
    }

    /// The place of an input, once it is not too far ahead of its turn. None if nothing more can be put out.
    pub(crate) fn place(&self, number: usize) -> Option<Out<'_>> {
        let mut line = self.lock();
        while line.error.is_none() && number >= line.next + MOST_AHEAD {
            line = self.moved.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
        let messages = Vec::new();
        line.error.is_none().then(|| Out { queue: self, number, text: Vec::new(), messages })
    }

    /// The worst that an input came to.
    pub(crate) fn finish(self) -> io::Result<Status> {
        let Line { error, worst, .. } = self.line.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(worst), Err)
    }

    // A thread that panics holds no lock here, and what the lock guards is whole between any two lines.
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what the input whose turn it is has to say so far.
    fn put(&self, line: &mut Line, messages: &mut Vec<String>, text: &mut Vec<u8>) {
        self.progress.aside(|| {
            messages.drain(..).for_each(|message| say(&message));
            let written = line.out.write_all(text).and_then(|()| line.out.flush());
            text.clear();
            if let Err(error) = written {
                line.error = Some(error);
                self.moved.notify_all();
            }
        });
    }
}

/// Where the output of one input goes. Nothing of it appears before that of the inputs before it is complete.
pub(crate) struct Out<'q> {
    queue: &'q Queue<'q>,
    number: usize,
    text: Vec<u8>,
    messages: Vec<String>,
}

impl Out<'_> {
    /// Adds a line for standard error. It comes before whatever is not put out yet.
    pub(crate) fn say(&mut self, message: String) {
        self.messages.push(message);
    }

    /// Nothing more comes from this input.
    pub(crate) fn end(self, status: Status) {
        let Self { queue, number, text, messages } = self;
        let mut line = queue.lock();
        line.done.insert(number, Done { text, messages, status });
        while line.error.is_none()
            && let next = line.next
            && let Some(Done { mut text, mut messages, status }) = line.done.remove(&next)
        {
            queue.put(&mut line, &mut messages, &mut text);
            line.worst = line.worst.max(status);
            line.next += 1;
        }
        if queue.inputs > 1 {
            queue.progress.at(line.next as u64, queue.inputs as u64);
        }
        drop(line);
        queue.moved.notify_all();
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        if self.text.len() >= CHUNK {
            let mut line = self.queue.lock();
            let is_too_much = self.text.len() >= MOST_HELD;
            while is_too_much && line.error.is_none() && line.next < self.number {
                line = self.queue.moved.wait(line).unwrap_or_else(PoisonError::into_inner);
            }
            if line.next == self.number {
                self.queue.put(&mut line, &mut self.messages, &mut self.text);
            }
            // The queue tells the error itself; this one only ends the work.
            if let Some(error) = &line.error {
                return Err(error.kind().into());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
