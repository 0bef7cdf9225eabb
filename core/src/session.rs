//! A stream that grows: what a live tool holds while a harness writes.
//!
//! Appending only collects lines. At the next question the index and the graph take in what has been collected, some
//! lines at once, as when a stream is read; they are made front to back, so lines at the end mostly add to them and
//! change nothing. Every now and then it is marked how far they have come, for [`Session::pop`]: it takes them back to the
//! last mark, and the lines since then are collected ones again.
//!
//! Some lines reach back. Those *bend* the graph, which is then built anew from the index, in O(rows):
//!
//! * a marked rewrite of a node, which may lead every path through it elsewhere,
//! * an id that an earlier supersedes, branchesFrom or rewind names, so that what it resolves to changes
//!   (a ref to a later record, or an id that a second record bears),
//! * a first or last lineage with referenced context, whose marker moves all path indexes,
//! * taking back a line with which the graph was built anew.
//!
//! Others make the session *stale*: it then reads the stream anew when it is asked next, in O(n):
//!
//! * a record whose seq puts it before another,
//! * taking back a line that was read anew, or that bears an id which another record bears too.
//!
//! Where programs make calls, the pairing of calls with results is redone at the first question after a call or
//! result, in the time it takes to scan them. Everything else (heads, ids, refs of compactions) is looked up when
//! it is asked for, in a session as in a [`Stream`].

use crate::graph::{self, Graph};
use crate::index::{self, BATCH, Index, Kind, Row};
use crate::scan::{Lines, Position};
use crate::{Stream, TooLarge};
use asr_spec::{Head, Heads, Outcome, Query, Report, What};
use memchr::{memchr_iter, memrchr};
use std::fmt;

/// A stream of which lines are appended and taken back.
pub struct Session {
    /// All lines, the collected ones too. Of these the index and the graph know nothing yet.
    stream: Stream<'static>,
    /// How many lines there are.
    lines: u64,
    /// How far the index and the graph are.
    known: Position,
    /// How far they had come at times since the stream was last read anew; at least [`BATCH`] rows lie between two.
    marks: Vec<Mark>,
    /// By symbol: how many supersedes, branchesFrom and rewinds name it.
    links: Vec<u32>,
    /// Whether the index and the graph are wrong.
    is_stale: bool,
    /// Whether the graph is wrong.
    is_bent: bool,
    /// From how many rows the graph was last built anew. It cannot be taken back to a mark among those.
    built: Option<Row>,
    /// Whether calls or results have come or gone where programs make calls.
    is_unpaired: bool,
}

struct Mark {
    known: Position,
    index: index::Mark,
    graph: graph::Mark,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A session without lines.
    pub fn new() -> Self {
        let index = Index::new();
        let graph = Graph::build(&index, &mut ());
        Self {
            stream: Stream { index, graph },
            lines: 0,
            known: Position::default(),
            marks: Vec::new(),
            links: Vec::new(),
            is_stale: false,
            is_bent: false,
            built: None,
            is_unpaired: false,
        }
    }

    /// Adds a line, given without its line feed; what contains line feeds is several lines. O(its length), amortised.
    /// That it makes the stream [`TooLarge`] is told by the next question.
    pub fn append(&mut self, line: &[u8]) {
        let bytes = self.stream.index.stream.to_mut();
        bytes.reserve(line.len() + 1);
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        self.lines += memchr_iter(b'\n', line).count() as u64 + 1;
    }

    /// Takes the last line back. False if there is none. O(its length), if no question has been asked since it was
    /// appended; else up to 127 lines must be taken in again at the next question.
    pub fn pop(&mut self) -> bool {
        let Some(last) = self.lines.checked_sub(1) else { return false };
        if !self.is_stale && self.known.lines > last {
            self.take_back();
        }
        self.lines = last;
        let bytes = self.stream.index.stream.to_mut();
        bytes.pop();
        bytes.truncate(memrchr(b'\n', bytes).map_or(0, |at| at + 1));
        true
    }

    /// Takes the lines since the last mark back, which are then collected ones again.
    fn take_back(&mut self) {
        let Some(mark) = self.marks.pop() else {
            self.is_stale = true;
            return;
        };
        let Stream { index, graph } = &mut self.stream;
        let first = mark.index.rows();
        let inherits = index.inherits.is_some();
        let is_session_changed =
            index.kinds.iter().skip(first as usize).any(|kind| *kind == Kind::SessionInfo);
        for row in first..index.rows() {
            self.is_unpaired |= index.has_programs && index.is_paired(row);
            for link in index.links(row) {
                if let Some(links) = self.links.get_mut(link as usize) {
                    *links -= 1;
                }
            }
        }
        if first == 0 {
            // What is empty is straight.
            graph.rewind(&mark.graph);
            (self.is_bent, self.built) = (false, None);
        } else if self.is_bent || self.built.is_some_and(|built| first <= built) {
            self.is_bent = true;
        } else {
            graph.rewind(&mark.graph);
        }
        self.is_stale |= !index.rewind(&mark.index);
        self.links.truncate(index.strings.len());
        if is_session_changed {
            index.read_sessions();
        }
        self.is_bent |= inherits != index.inherits.is_some();
        self.known = mark.known;
    }

    /// How many lines there are, blank ones included.
    pub fn lines(&self) -> usize {
        self.lines as usize
    }

    /// The stream as it is now, to ask whatever a stream can be asked. O(lines appended since the last question), if
    /// they do not reach back.
    ///
    /// # Errors
    ///
    /// As [`Stream::read`].
    pub fn stream(&mut self) -> Result<&Stream<'static>, TooLarge> {
        if !self.is_stale && self.known.lines < self.lines {
            // Lines are read while the index changes, hence the two hands.
            let bytes = std::mem::take(&mut self.stream.index.stream);
            let result = self.take_in(&bytes);
            self.stream.index.stream = bytes;
            self.is_stale |= result.is_err();
        }
        if self.is_stale {
            self.read_anew()?;
        }
        if self.is_bent {
            self.build();
        }
        if std::mem::take(&mut self.is_unpaired) {
            let Stream { index, graph } = &mut self.stream;
            index.hide_program_results(|row| graph.is_latest(row));
        }
        Ok(&self.stream)
    }

    /// The stream as it is now, for good.
    ///
    /// # Errors
    ///
    /// As [`Stream::read`].
    pub fn into_stream(mut self) -> Result<Stream<'static>, TooLarge> {
        self.stream()?;
        Ok(self.stream)
    }

    /// Takes in the collected lines, until one reaches back.
    fn take_in(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        let Stream { index, graph } = &mut self.stream;
        let mut lines = Lines::behind(bytes, self.known);
        index.reserve(bytes.get(self.known.at..).unwrap_or_default());
        let mut is_more = true;
        while is_more && !self.is_stale {
            let first = index.rows();
            if self.marks.last().is_none_or(|mark| first - mark.index.rows() >= BATCH) {
                self.marks.push(Mark { known: lines.position(), index: index.mark(), graph: graph.mark() });
            }
            let inherits = index.inherits.is_some();
            is_more = index.read_batch(&mut lines)?;
            self.links.resize(index.strings.len(), 0);
            self.is_stale |= !index.is_sorted();
            self.is_bent |= inherits != index.inherits.is_some();
            for row in first..index.rows() {
                index.bear(row);
                let links = index.id(row).and_then(|id| self.links.get(id as usize));
                self.is_bent |= links.is_some_and(|&links| links > 0)
                    || index.is_context(row) && index.detail(row).is_rewrite;
                for link in index.links(row) {
                    if let Some(links) = self.links.get_mut(link as usize) {
                        *links += 1;
                    }
                }
                self.is_unpaired |= index.has_programs && index.is_paired(row);
                if !self.is_bent {
                    graph.append(index);
                }
            }
        }
        self.known = lines.position();
        Ok(())
    }

    fn read_anew(&mut self) -> Result<(), TooLarge> {
        let bytes = std::mem::take(&mut self.stream.index.stream);
        let (index, error) = Index::read_owned(bytes);
        self.stream.index = index;
        self.marks.clear();
        if let Some(error) = error {
            return Err(error);
        }
        self.build();
        self.known = Position { at: self.stream.index.stream.len(), lines: self.lines };
        self.count_links();
        self.is_stale = false;
        Ok(())
    }

    fn build(&mut self) {
        let index = &self.stream.index;
        self.stream.graph = Graph::build(index, &mut ());
        (self.is_bent, self.built) = (false, Some(index.rows()));
        self.is_unpaired = index.has_programs;
    }

    fn count_links(&mut self) {
        let index = &self.stream.index;
        self.links.clear();
        self.links.resize(index.strings.len(), 0);
        for link in (0..index.rows()).flat_map(|row| index.links(row)) {
            if let Some(links) = self.links.get_mut(link as usize) {
                *links += 1;
            }
        }
    }

    /// The active path from a head.
    ///
    /// # Errors
    ///
    /// As [`Session::stream`].
    pub fn path(&mut self, head: Head) -> Result<Outcome, TooLarge> {
        Ok(self.stream()?.answer(&Query { what: What::Path, head }))
    }

    /// The context view from a head.
    ///
    /// # Errors
    ///
    /// As [`Session::stream`].
    pub fn view(&mut self, head: Head) -> Result<Outcome, TooLarge> {
        Ok(self.stream()?.answer(&Query { what: What::View, head }))
    }

    /// The default head and the effective heads.
    ///
    /// # Errors
    ///
    /// As [`Session::stream`].
    pub fn heads(&mut self) -> Result<Heads, TooLarge> {
        Ok(self.stream()?.heads())
    }

    /// All that makes the stream invalid. Reads it as a whole, as [`Stream::validate`] does.
    ///
    /// # Errors
    ///
    /// As [`Session::stream`].
    pub fn validate(&mut self) -> Result<Report, TooLarge> {
        Ok(self.stream()?.validate())
    }
}

/// The counts.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("lines", &self.lines()).field("is_stale", &self.is_stale).finish()
    }
}
