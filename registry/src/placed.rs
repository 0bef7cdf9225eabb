//! A stream whose branch points are set: the converters fill in what depends on them.
//!
//! What a compaction replaces must lie on the compaction's own path (ASR-372), and heads are only written
//! where the source points elsewhere than the stream would (ASR-364). Both can be told only after the rule
//! has spoken, so compactions are drafted with an unknown replacement and finished here.

use crate::Conversion;
use crate::draft::{Draft, Origin, Prefix, Writer};
use crate::hops::{Hops, Reached};
use crate::paths::{Paths, Predecessor};
use asr_spec::native::{Mapping, NativeRecord, Placement};
use asr_spec::record::{Body, BranchesFrom, InsertAt, Record, Replaces, Retained, SessionInfo};
use std::collections::HashMap;
use std::ops::Range;

/// A placed stream.
pub(crate) struct Placed {
    pub writer: Writer,
    pub records: Vec<Record>,
    pub native: Vec<NativeRecord>,
    pub notes: Vec<crate::Note>,
    pub hops: Hops,
    /// The paths over positions in `records`.
    pub paths: Paths,
    spans: Vec<Range<usize>>,
    /// Records to insert, each after the record at a position; positions do not decrease.
    inserted: Vec<(usize, Record)>,
}

impl Placed {
    pub fn new(draft: Draft, placements: Vec<Placement>, hops: Hops) -> Self {
        let Draft { writer, mut records, native, spans, notes } = draft;
        for (span, placement) in spans.iter().zip(placements) {
            for (record, branches_from) in records.get_mut(span.clone()).into_iter().flatten().zip(placement)
            {
                record.branches_from = branches_from;
            }
        }

        let mut positions = HashMap::new();
        let mut paths = Paths::default();
        let mut last = Predecessor::Start;
        for (position, record) in records.iter().enumerate() {
            if !is_node(record) {
                continue;
            }
            let predecessor = match &record.branches_from {
                None => last,
                Some(BranchesFrom::Start) => Predecessor::Start,
                Some(BranchesFrom::Unknown) => Predecessor::Unknown,
                Some(BranchesFrom::Record(id)) => {
                    let position = positions.get(id.as_str()).copied();
                    position.map_or(Predecessor::Unknown, Predecessor::Node)
                }
            };
            paths.add(position, predecessor);
            positions.insert(record.id.as_str(), position);
            last = Predecessor::Node(position);
        }
        Self { writer, records, native, notes, hops, paths, spans, inserted: Vec::new() }
    }

    /// Where the records of a unit stand. Empty for a native record that is none.
    pub fn span(&self, unit: usize) -> Range<usize> {
        self.spans.get(unit).cloned().unwrap_or(0..0)
    }

    /// The attachment point of the unit that `id` leads to.
    pub fn attachment(&self, id: &str) -> Option<usize> {
        match self.hops.reach(id) {
            Reached::Unit(unit) => self.span(unit).next_back(),
            Reached::Start | Reached::Nowhere => None,
        }
    }

    /// Where the records stand that the native record `id` itself became, or became a part of. Empty for a
    /// record that takes no part in the context; `None` where there is no such record.
    pub fn own(&self, id: &str) -> Option<Range<usize>> {
        let position = self.hops.position(id)?;
        match (&self.native.get(position)?.mapping, self.hops.reach(id)) {
            (Mapping::Unit(_) | Mapping::PartOf(_), Reached::Unit(unit)) => Some(self.span(unit)),
            _ => Some(0..0),
        }
    }

    /// The first record at or after the native record `id` on the path that ends at `end`, if `id` leads onto
    /// it.
    pub fn first_from(&self, id: &str, end: usize) -> Option<usize> {
        let own = self.own(id)?;
        if !own.is_empty() {
            return Some(own.start).filter(|&first| self.paths.contains(end, first));
        }
        let depth = match self.hops.reach(id) {
            Reached::Unit(unit) => {
                let before =
                    self.span(unit).next_back().filter(|&before| self.paths.contains(end, before))?;
                self.paths.depth(before)? + 1
            }
            Reached::Start => 0,
            Reached::Nowhere => return None,
        };
        self.paths.at_depth(end, depth)
    }

    /// The path that ends at a position, backwards.
    pub fn back_from(&self, position: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(position), |&position| match self.paths.before(position) {
            Some(Predecessor::Node(before)) => Some(before),
            _ => None,
        })
    }

    /// The id of the record at a position.
    pub fn id(&self, position: usize) -> String {
        self.records.get(position).map(|record| record.id.clone()).unwrap_or_default()
    }

    /// Whether `node` lies on the path that the record at `position` continues.
    pub fn is_before(&self, node: usize, position: usize) -> bool {
        match self.paths.before(position) {
            Some(Predecessor::Node(before)) => self.paths.contains(before, node),
            _ => false,
        }
    }

    /// Where the range ends that the compaction at a position replaced, if its native parent became the record
    /// at `parent`: at what comes before it. That is `parent`, or else what the rule found to stand beside it
    /// mechanically, such as parallel results and failed attempts: it was in the context that was replaced.
    pub fn range_end(&self, parent: usize, position: usize) -> Option<usize> {
        match self.paths.before(position) {
            Some(Predecessor::Node(before)) if self.paths.contains(before, parent) => Some(before),
            _ => None,
        }
    }

    /// Says what the compaction at a position replaced.
    pub fn settle(&mut self, position: usize, settled: Settled) {
        if let Some(Body::Compaction(compaction)) =
            self.records.get_mut(position).map(|record| &mut record.body)
        {
            let Settled { replaces, kept_from, insert_at, retains } = settled;
            compaction.replaces = replaces;
            compaction.kept_from_id = kept_from;
            compaction.insert_at = insert_at;
            compaction.retains = retains;
        }
    }

    /// Inserts a statement of heads after the record at `after`, which must not be smaller than any before.
    pub fn insert_heads(&mut self, after: usize, origin: &Origin, heads: Vec<Option<String>>) {
        let info = SessionInfo { heads: Some(heads), ..SessionInfo::default() };
        let record = self.writer.record(Prefix::Heads, origin, info);
        self.inserted.push((after, record));
    }

    /// The finished stream.
    pub fn finish(self) -> Conversion {
        let Self { records, native, mut notes, inserted, .. } = self;
        let mut inserted = inserted.into_iter().peekable();
        let mut stream = Vec::with_capacity(records.len() + inserted.len());
        for (position, record) in records.into_iter().enumerate() {
            stream.push(record);
            while let Some((_, record)) = inserted.next_if(|(after, _)| *after <= position) {
                stream.push(record);
            }
        }
        for (seq, record) in (1..).zip(&mut stream) {
            record.seq = seq;
        }
        notes.sort_by_key(|note| note.line);
        Conversion { records: stream, native, notes }
    }
}

/// What a compaction replaced, with what was kept of it.
pub(crate) struct Settled {
    pub replaces: Replaces,
    pub kept_from: Option<String>,
    pub insert_at: Option<InsertAt>,
    pub retains: Vec<Retained>,
}

impl Settled {
    /// Nothing was kept, and the summary stands where the first replaced record stood.
    pub fn replacing(replaces: Replaces) -> Self {
        Self { replaces, kept_from: None, insert_at: None, retains: Vec::new() }
    }
}

/// Whether a record is the first of its chain, and takes part in the context.
pub(crate) fn is_node(record: &Record) -> bool {
    let takes_part = match &record.body {
        Body::Message(_) | Body::ToolCall(_) | Body::ToolResult(_) | Body::Compaction(_) => true,
        Body::Rewind(_) | Body::Gap(_) | Body::SessionInfo(_) | Body::Audit(_) => false,
    };
    takes_part && record.supersedes.is_none()
}
