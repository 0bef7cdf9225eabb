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
    out: Box<dyn Write + Send>,
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
    /// A queue of so many inputs before `out`.
    pub(crate) fn new(inputs: usize, out: impl Write + Send + 'static, progress: &'p Progress) -> Self {
        let (out, done) = (Box::new(out), BTreeMap::new());
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

    /// Ends all work, unless an error has already.
    pub(crate) fn fail(&self, error: io::Error) {
        self.lock().error.get_or_insert(error);
        self.moved.notify_all();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    /// Where a test sees what was put out.
    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<u8>>>);

    impl Write for Seen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seen {
        fn bytes(self) -> Vec<u8> {
            std::mem::take(&mut self.0.lock().unwrap())
        }
    }

    fn add(out: &mut Out<'_>, text: &str) {
        out.write_all(text.as_bytes()).unwrap();
    }

    /// The first input goes on until all others have gone as far as they may.
    #[test]
    fn answers_come_in_order_and_no_input_runs_far_ahead() {
        const INPUTS: usize = 4 * MOST_AHEAD;
        let (put_out, progress) = (Seen::default(), Progress::hidden());
        let queue = Queue::new(INPUTS, put_out.clone(), &progress);
        let (next, placed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                if number >= INPUTS {
                    break;
                }
                let mut out = queue.place(number).unwrap();
                placed.fetch_add(1, Ordering::SeqCst);
                add(&mut out, &format!("{number} "));
                if number == 0 {
                    // The others stand before the first place that is too far ahead, and none is on its way to one before.
                    while next.load(Ordering::SeqCst) <= MOST_AHEAD
                        || placed.load(Ordering::SeqCst) < MOST_AHEAD
                    {
                        thread::yield_now();
                    }
                    assert_eq!(placed.load(Ordering::SeqCst), MOST_AHEAD);
                }
                out.end(if number == 7 { Status::Unusable } else { Status::Fine });
            }
        };
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
        assert_eq!(queue.finish().unwrap(), Status::Unusable);
        let expected: String = (0..INPUTS).map(|number| format!("{number} ")).collect();
        assert_eq!(String::from_utf8(put_out.bytes()).unwrap(), expected);
    }

    #[test]
    fn a_long_answer_is_held_only_until_its_turn() {
        let (put_out, progress) = (Seen::default(), Progress::hidden());
        let queue = Queue::new(2, put_out.clone(), &progress);
        let (piece, held) = ("x".repeat(CHUNK), AtomicUsize::new(0));
        let (mut first, mut second) = (queue.place(0).unwrap(), queue.place(1).unwrap());
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..10 * MOST_HELD / CHUNK {
                    add(&mut second, &piece);
                    held.fetch_max(second.text.len(), Ordering::SeqCst);
                }
                second.end(Status::Fine);
            });
            for _ in 0..10 * MOST_HELD / CHUNK {
                add(&mut first, "y");
                add(&mut first, &piece);
                assert!(first.text.len() < CHUNK, "whose turn it is, holds nothing back");
            }
            first.end(Status::Fine);
        });
        assert!(held.into_inner() < MOST_HELD);
        queue.finish().unwrap();
        let put_out = put_out.bytes();
        assert_eq!(put_out.len(), 20 * MOST_HELD + 10 * MOST_HELD / CHUNK);
        assert!(put_out[..10 * MOST_HELD].contains(&b'y') && !put_out[11 * MOST_HELD..].contains(&b'y'));
    }

    /// Takes some bytes and is full.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = bytes.len().min(self.0);
            self.0 -= room;
            if room == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(room) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_output_that_is_full_ends_the_work() {
        let progress = Progress::hidden();
        let queue = Queue::new(3, Full(3), &progress);
        let (mut first, mut second) = (queue.place(0).unwrap(), queue.place(1).unwrap());
        add(&mut second, "later");
        second.end(Status::Finding);
        add(&mut first, "now");
        first.end(Status::Fine);
        assert!(queue.place(2).is_none());
        assert_eq!(queue.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
