//! Active paths and context views of agent session records, fast enough to embed.
//!
//! [`Stream::read`] indexes a stream once; [`Stream::answer`] then costs what its answer costs:
//!
//! ```
//! use asr_core::Stream;
//! use asr_spec::{Head, Query, What};
//!
//! let bytes = br#"{"type":"message","seq":1,"id":"r1"}
//! {"type":"message","seq":2,"id":"r2"}
//! {"type":"compaction","seq":3,"id":"r3","replaces":{"throughId":"r1"},"summary":[{"type":"text"}]}
//! "#;
//! let stream = Stream::read(bytes)?;
//! let view = stream.answer(&Query { what: What::View, head: Head::Primary });
//! assert_eq!(view.to_string(), r#"[{"summary":"r3"},{"id":"r2"}]"#);
//! # Ok::<(), asr_core::TooLarge>(())
//! ```
//!
//! It is total: every sequence of bytes has an answer to every query, valid stream or not, and the answer is
//! the one that the default readings give. It never recurses on the depth of its input, does no I/O, and
//! holds memory in proportion to the input, which it borrows.
//!
//! The way of the bytes: `scan` finds the structural fields of each line, `strings` turns ids and refs into
//! numbers, `index` lays the rows out in flat arrays in stream order, `graph` finds the predecessors,
//! `heads`, `path`, `view` and `leaves` answer, `validate` looks for what a stream must not have. [`siblings`] is about
//! native sessions, before they become a stream.

mod graph;
mod heads;
mod index;
mod leaves;
mod limits;
mod path;
#[cfg(test)]
mod random;
mod scan;
mod session;
pub mod siblings;
mod slots;
mod steps;
mod strings;
mod validate;
mod verbatim;
mod view;

use asr_spec::{Entry, Heads, Outcome, Query, Report, Step, Trace, What};
use graph::Graph;
use heads::Head;
use index::{Index, Kind};
pub use leaves::{Leaf, Leaves};
pub use path::Item;
use scan::{Fields, Lines};
pub use session::Session;
use std::borrow::Cow;
use std::fmt;
use steps::{Steps, Told};

/// A stream that exceeds what the index can number. No stream that exceeds it is read in part. How many bytes a line, an
/// id or a stream has does not matter.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TooLarge {
    /// More than 2³¹ - 3 lines that are not blank, or 2³² - 1 lines in all.
    #[error("too many lines in the stream: at most {} are indexed", limits::MAX_ROWS)]
    Lines,
    /// More than 2³² - 1 ids and refs.
    #[error("too many ids and refs in the stream: at most {} are indexed", u32::MAX)]
    Strings,
}

/// What the lines of a stream are.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Tally {
    /// Lines that are records (ASR-009)
    pub records: u64,
    /// Other lines that are not blank
    pub malformed: u64,
}

impl Tally {
    /// Reads the lines of a stream and keeps nothing of them: what the scanner alone makes of them. O(bytes).
    pub fn of(bytes: &[u8]) -> Self {
        let (mut lines, mut fields) = (Lines::new(bytes), Fields::default());
        let mut tally = Self::default();
        while let Some(line) = lines.next(&mut fields) {
            *(if line.is_record { &mut tally.records } else { &mut tally.malformed }) += 1;
        }
        tally
    }
}

/// A line of a stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Line<'a> {
    /// The physical number, counted from 1, blank lines included.
    pub number: u64,
    /// The line without its line feed, and without the byte order mark of the stream.
    pub bytes: &'a [u8],
}

/// A stream, indexed. Borrows the input bytes.
pub struct Stream<'a> {
    index: Index<'a>,
    graph: Graph,
}

impl<'a> Stream<'a> {
    /// Reads a stream: which lines are records (ASR-009), their order (ASR-014), chains and predecessors
    /// (ASR-352, ASR-353).
    ///
    /// O(n) time and space for n bytes; O(n log n) time if seq does not increase along the file.
    ///
    /// # Errors
    ///
    /// Whatever can be numbered is read; only a stream of billions of lines or refs is [`TooLarge`].
    pub fn read(bytes: &'a [u8]) -> Result<Self, TooLarge> {
        Self::read_told(bytes, &mut ())
    }

    /// As [`Stream::read`]; `trace` receives the steps NR1 to NR8 and BF0 to IP4 of all nodes.
    ///
    /// # Errors
    ///
    /// As [`Stream::read`].
    pub fn read_traced(bytes: &'a [u8], trace: &mut impl Trace) -> Result<Self, TooLarge> {
        Self::read_told(bytes, &mut Told(trace))
    }

    fn read_told(bytes: &'a [u8], steps: &mut impl Steps) -> Result<Self, TooLarge> {
        let mut index = Index::read(bytes)?;
        steps.tell(Step::Nr1, || (0, 0));
        let graph = Graph::build(&index, steps);
        index.hide_program_results(|row| graph.is_latest(row));
        Ok(Self { index, graph })
    }

    /// The active path or context view from a head (ASR-365, ASR-368).
    ///
    /// O(entries) for a path. For a view O(L + (C + refs) log C), where the path has L items, C of them compactions.
    pub fn answer(&self, query: &Query) -> Outcome {
        self.answer_told(query, &mut ())
    }

    /// As [`Stream::answer`]; `trace` receives the steps of the answer, and BF0 to IP4 of the nodes on its path
    /// once more. O(records) besides.
    pub fn answer_traced(&self, query: &Query, trace: &mut impl Trace) -> Outcome {
        self.answer_told(query, &mut Told(trace))
    }

    /// The answer without the texts: a list of small copies, which [`Stream::entries`] names. Where the
    /// outcome is no list, or begins and ends with a head that names no node, it comes as an error.
    ///
    /// As [`Stream::answer`], but some nanoseconds per item.
    ///
    /// # Errors
    ///
    /// The outcome is [`Outcome::NoDefaultPath`], a [`Outcome::Cycle`], or consists of markers alone.
    pub fn items(&self, query: &Query) -> Result<Vec<Item>, Outcome> {
        self.items_told(query, &mut ())
    }

    /// The entries that items of this stream stand for.
    pub fn entries(&self, items: &[Item]) -> Vec<Entry> {
        path::entries(&self.index, &self.graph, items)
    }

    fn answer_told(&self, query: &Query, steps: &mut impl Steps) -> Outcome {
        match self.items_told(query, steps) {
            Ok(items) => Outcome::Entries(self.entries(&items)),
            Err(outcome) => outcome,
        }
    }

    fn items_told<S: Steps>(&self, query: &Query, steps: &mut S) -> Result<Vec<Item>, Outcome> {
        let Self { index, graph, .. } = self;
        let head = match &query.head {
            asr_spec::Head::Start => Head::Start,
            asr_spec::Head::Ref(id) => heads::named(index, graph, id, steps),
            asr_spec::Head::Primary => heads::primary(index, graph, steps).ok_or(Outcome::NoDefaultPath)?,
        };
        let marker = match head {
            Head::Start => {
                steps.tell(Step::Ap1, || (0, 0));
                return Ok(Vec::new());
            }
            Head::Node(node) => {
                steps.tell(Step::Ap2, || (index.line(node), 0));
                let path = path::walk(index, graph, node, steps);
                if S::ARE_HEARD {
                    path::explain(index, graph, node, steps);
                }
                let path = path.map_err(|twice| Outcome::Cycle { at: graph.name(index, twice) })?;
                return Ok(match query.what {
                    What::Path => path,
                    What::View => view::view(index, graph, &path, steps),
                });
            }
            Head::Unknown => Entry::UnknownPredecessor,
            Head::Unresolved { reference, status } => Entry::UnresolvedRef { reference, status },
        };
        // A head that is no node has a path, and a view, of markers only (HD-4, AP2-1).
        Err(Outcome::Entries(path::inherited(index).into_iter().chain([marker]).collect()))
    }

    /// Every leaf with its active path or context view: a leaf is a node that is no node's predecessor, so that each
    /// node is on the path of some leaf, unless all paths from it are cycles.
    ///
    /// Paths that begin alike stand together: leaves are ordered by the nodes of their paths, in stream order, from
    /// the first node on. Those behind a cycle come last, in stream order; a cycle itself has no leaf.
    ///
    /// O(n log n) for n bytes of stream and all leaves together, besides the items of the leaves, and what
    /// [`Stream::answer`] takes for leaves on whose path a compaction refers to nodes after it.
    ///
    /// ```
    /// # use asr_core::Stream;
    /// # use asr_spec::What;
    /// # let bytes = br#"{"type":"message","seq":1,"id":"r1"}
    /// # {"type":"message","seq":2,"id":"r2"}
    /// # {"type":"message","seq":3,"id":"r3","branchesFrom":{"record":"r1"}}"#;
    /// # let stream = Stream::read(bytes)?;
    /// let mut leaves = stream.leaves(What::View);
    /// while let Some(leaf) = leaves.next_leaf() {
    ///     println!("{} {}", leaf.head(), leaf.named().outcome);
    /// }
    /// # assert_eq!(stream.leaves(What::View).next_leaf().map(|leaf| leaf.head()), Some("r2".into()));
    /// # Ok::<(), asr_core::TooLarge>(())
    /// ```
    pub fn leaves(&self, what: What) -> Leaves<'_> {
        Leaves::new(self, what)
    }

    /// The default head and the effective heads (ASR-363). O(heads).
    pub fn heads(&self) -> Heads {
        heads::all(&self.index, &self.graph)
    }

    /// All that makes the stream invalid, and what is probably wrong with it. Where findings point is said at
    /// [`Finding`](asr_spec::Finding). Reads again the lines that the index does not clear.
    ///
    /// O(n log n) for n bytes, besides the report, which names the record of each finding.
    pub fn validate(&self) -> Report {
        validate::report(&self.index, &self.graph)
    }

    /// Every distinct record id of the stream (strings, unescaped), any type, in stream order.
    pub fn ids(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let mut seen = vec![false; self.index.strings.len()];
        self.index.ids.iter().filter_map(move |&id| {
            let seen = seen.get_mut(id as usize)?;
            if std::mem::replace(seen, true) { None } else { self.index.strings.get(&self.index.stream, id) }
        })
    }

    /// The line of the one record with this id; `None` where no or several records bear it. O(length of id
    /// and line).
    pub fn find(&self, id: &str) -> Option<Line<'_>> {
        let row = self.index.bearer(self.index.find(id.as_bytes())?).ok()?;
        Some(Line { number: self.index.line(row), bytes: self.index.text(row) })
    }

    /// The predecessor pass once more, which [`Stream::read`] includes: for the benchmarks.
    #[doc(hidden)]
    pub fn find_predecessors(&mut self) {
        self.graph = Graph::build(&self.index, &mut ());
    }

    /// How many lines are records.
    pub fn records(&self) -> usize {
        self.index.kinds.iter().filter(|&&kind| kind != Kind::Malformed).count()
    }

    /// How many nodes the records form (ASR-352).
    pub fn nodes(&self) -> usize {
        self.graph.nodes().count()
    }

    /// How many lines are malformed (ASR-009). Blank ones are not.
    pub fn malformed(&self) -> usize {
        self.index.malformed
    }
}

/// The counts; a stream may be long.
impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("records", &self.records())
            .field("nodes", &self.nodes())
            .field("malformed", &self.malformed())
            .finish()
    }
}

#[cfg(test)]
mod tests;
