//! A stream that grows: what a live tool holds while a harness writes.
//!
//! The index and the graph of a stream are made front to back, so a line at the end mostly adds to them and
//! changes nothing: appending costs the scan of the line and O(1) amortised. Each line leaves behind what takes
//! it back, for [`Session::pop`].
//!
//! Some lines reach back. Those make the session *stale*: it then only collects lines, and reads the stream anew
//! when it is asked next, in O(n):
//!
//! * a record whose seq puts it before another,
//! * a marked rewrite of a node, which may bend every path through it,
//! * an id that an earlier supersedes, branchesFrom or rewind names, so that what it resolves to changes
//!   (a ref to a later record, or an id that a second record bears),
//! * a first or last lineage with referenced context, whose marker moves all path indexes,
//! * taking back a line that was read anew.
//!
//! Where programs make calls, the pairing of calls with results is redone at the first question after a call or
//! result, in the time it takes to scan them. Everything else (heads, ids, refs of compactions) is looked up when
//! it is asked for, in a session as in a [`Stream`].

use crate::graph::{self, Graph};
use crate::index::{self, Index};
use crate::scan::{Fields, Lines, Span};
use crate::{Stream, TooLarge};
use asr_spec::{Head, Heads, Outcome, Query, Report, What};
use std::fmt;

/// A stream of which lines are appended and taken back.
pub struct Session {
    stream: Stream<'static>,
    /// Where the lines end in the stream, behind the line feed.
    ends: Vec<usize>,
    /// What takes back the lines since the stream was last read anew. None if the line is blank.
    undos: Vec<Option<Undo>>,
    /// By symbol: how many supersedes, branchesFrom and rewinds name it.
    links: Vec<u32>,
    /// Whether lines have come or gone that the index does not know.
    is_stale: bool,
    /// Whether calls or results have come or gone.
    is_unpaired: bool,
}

struct Undo {
    index: index::Undo,
    graph: graph::Undo,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A session without lines.
    pub fn new() -> Self {
        let index = Index::owned();
        let graph = Graph::build(&index, &mut ());
        Self {
            stream: Stream { index, graph },
            ends: Vec::new(),
            undos: Vec::new(),
            links: Vec::new(),
            is_stale: false,
            is_unpaired: false,
        }
    }

    /// Adds a line, given without its line feed; what contains line feeds is several lines.
    ///
    /// # Errors
    ///
    /// As [`Stream::read`]; then the session is as before.
    pub fn append(&mut self, line: &[u8]) -> Result<(), TooLarge> {
        let before = self.ends.len();
        for line in line.split(|&byte| byte == b'\n') {
            if let Err(error) = self.append_one(line) {
                while self.ends.len() > before {
                    self.pop();
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn append_one(&mut self, line: &[u8]) -> Result<(), TooLarge> {
        let bytes = self.stream.index.stream.to_mut();
        let start = bytes.len();
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        self.ends.push(bytes.len());
        if self.is_stale {
            return Ok(());
        }
        // As one stream, but only its first line may begin with a byte order mark.
        let mut lines = if start == 0 { Lines::new(line) } else { Lines::without_mark(line) };
        let mut fields = Fields::default();
        let undo = lines.next(&mut fields).map(|span| {
            let number = self.ends.len() as u64;
            self.append_row(Span { number, start: start + span.start, ..span }, &fields)
        });
        self.undos.push(undo.transpose().inspect_err(|_| self.is_stale = true)?);
        Ok(())
    }

    fn append_row<'l>(&mut self, line: Span<'l>, fields: &Fields<'l>) -> Result<Undo, TooLarge> {
        let Stream { index, graph } = &mut self.stream;
        let inherits = index.inherits.is_some();
        let undo = index.append(line, fields)?;
        let row = index.rows() - 1;
        self.links.resize(index.strings.len(), 0);
        let is_awaited =
            index.id(row).and_then(|id| self.links.get(id as usize)).is_some_and(|&links| links > 0);
        self.is_stale |= !index.is_sorted()
            || is_awaited
            || inherits != index.inherits.is_some()
            || (index.is_context(row) && index.detail(row).is_rewrite);
        for link in index.links(row) {
            if let Some(links) = self.links.get_mut(link as usize) {
                *links += 1;
            }
        }
        self.is_unpaired |= index.is_paired(row);
        Ok(Undo { index: undo, graph: graph.append(index) })
    }

    /// Takes the last line back. False if there is none.
    pub fn pop(&mut self) -> bool {
        if self.ends.pop().is_none() {
            return false;
        }
        let Stream { index, graph } = &mut self.stream;
        match self.undos.pop().filter(|_| !self.is_stale) {
            None => self.is_stale = true,
            Some(None) => {}
            Some(Some(undo)) => {
                let row = index.rows() - 1;
                self.is_unpaired |= index.is_paired(row);
                for link in index.links(row) {
                    if let Some(links) = self.links.get_mut(link as usize) {
                        *links -= 1;
                    }
                }
                let inherits = index.inherits.is_some();
                graph.pop(undo.graph);
                index.pop(undo.index);
                self.links.truncate(index.strings.len());
                self.is_stale |= inherits != index.inherits.is_some();
            }
        }
        index.stream.to_mut().truncate(self.ends.last().copied().unwrap_or(0));
        true
    }

    /// How many lines there are, blank ones included.
    pub fn lines(&self) -> usize {
        self.ends.len()
    }

    /// The stream as it is now, to ask whatever a stream can be asked.
    ///
    /// # Errors
    ///
    /// As [`Stream::read`], of lines that were appended while the session was stale.
    pub fn stream(&mut self) -> Result<&Stream<'static>, TooLarge> {
        if self.is_stale {
            let bytes = std::mem::take(&mut self.stream.index.stream);
            let (index, error) = Index::read_owned(bytes);
            self.stream.index = index;
            if let Some(error) = error {
                return Err(error);
            }
            self.stream.graph = Graph::build(&self.stream.index, &mut ());
            self.undos.clear();
            self.count_links();
            (self.is_stale, self.is_unpaired) = (false, true);
        }
        if std::mem::take(&mut self.is_unpaired) {
            let Stream { index, graph } = &mut self.stream;
            index.hide_program_results(|row| graph.is_latest(row));
        }
        Ok(&self.stream)
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
