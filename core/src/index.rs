//! The index: a stream as flat arrays, in stream order.
//!
//! A *row* is a line that is not blank: a record or a malformed line. Rows are numbered in stream order
//! (ASR-014: by seq), so that "earlier" is a comparison of two numbers from here on. What every row has lies
//! in one array per property; what few rows have (a revision, a branch, a compaction) lies in a table of its
//! own, `details`, in which a row is searched for. Refs are symbols of the interning table, and `bearers` says who
//! bears each. The input itself is borrowed and never copied.
//!
//! O(n) for n bytes, O(n log n) where seq does not increase along the file.

#![expect(
    clippy::indexing_slicing,
    reason = "rows, symbols and details are numbers that these tables handed out"
)]

use crate::limits;
use crate::scan::{self, Field, Fields, Lines, Raw, Span, Value};
use crate::strings::{Hashed, NO_SYMBOL, Placed, Strings, Symbol};
use crate::{TooLarge, verbatim};
use asr_spec::{Json, Name, RefStatus};
use std::borrow::Cow;
use std::collections::HashSet;

/// A line that is not blank, by its place in stream order.
pub(crate) type Row = u32;

/// Stands for no row, no node or no detail.
pub(crate) const NONE: u32 = u32::MAX;

/// What [`Index::bearers`] holds for an id that two or more records bear.
const SEVERAL: u32 = NONE - 1;

/// What a row is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Message,
    ToolCall,
    ToolResult,
    Compaction,
    Rewind,
    Gap,
    SessionInfo,
    /// Any other type
    Audit,
    Malformed,
}

impl Kind {
    fn of(value: Value<'_>) -> Self {
        let Value::String(raw) = value else { return Self::Audit };
        match &*raw.decode() {
            b"message" => Self::Message,
            b"tool_call" => Self::ToolCall,
            b"tool_result" => Self::ToolResult,
            b"compaction" => Self::Compaction,
            b"rewind" => Self::Rewind,
            b"gap" => Self::Gap,
            b"session_info" => Self::SessionInfo,
            _ => Self::Audit,
        }
    }

    /// ASR-350
    pub(crate) fn is_context(self) -> bool {
        matches!(self, Self::Message | Self::ToolCall | Self::ToolResult | Self::Compaction)
    }
}

/// A ref as a record wrote it: the symbol of a string, or [`NO_SYMBOL`] for anything else.
pub(crate) type Ref = Symbol;

/// An explicit predecessor, or the target of a rewind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Target {
    Start,
    Unknown,
    Ref(Ref),
}

/// What a record says about its place, where it says anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// The record that it supersedes.
    pub supersedes: Symbol,
    /// assembly.mode is "rewrite".
    pub is_rewrite: bool,
    /// branchesFrom; for a rewind its target.
    pub target: Option<Target>,
    /// The place in [`Index::compactions`].
    pub compaction: u32,
}

const NO_DETAIL: Detail = Detail { supersedes: NO_SYMBOL, is_rewrite: false, target: None, compaction: NONE };

/// What a compaction did (ASR-371), as CONTEXT-VIEW reads it.
#[derive(Clone, Debug)]
pub(crate) struct Compaction {
    /// It has no status, or was completed.
    pub is_applied: bool,
    /// It has a summary or opaque content.
    pub has_content: bool,
    pub replaces: Replaces,
    pub insert_at: Option<InsertAt>,
    /// In [`Index::retains`].
    pub retains: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Replaces {
    Through {
        through: Ref,
        kept: Option<Ref>,
    },
    /// In [`Index::replaced`].
    Ids(u32, u32),
    Unknown,
    /// None of the three keys
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum InsertAt {
    Start,
    After(Ref),
    Before(Ref),
}

/// An entry of retains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retained {
    pub target: Ref,
    /// The record whose retains it is in.
    pub by: Row,
    pub is_truncated: bool,
}

/// lineage.inherits of mode "referenced", verbatim.
#[derive(Clone, Debug)]
pub(crate) struct Inherits {
    pub session: Json,
    pub through_id: Option<Json>,
    pub through_ordinal: Option<Json>,
}

/// Where the lines of a stream are, by row in the order of the file.
#[derive(Default)]
pub(crate) struct Places {
    /// The lower halves of where the lines begin.
    starts: Vec<u32>,
    /// The rows at which the upper half goes up by one.
    wraps: Vec<Row>,
    /// The rows behind blank lines, and how many of these there are so far.
    blanks: Vec<(Row, u32)>,
}

impl Places {
    fn push(&mut self, line: Span<'_>) -> Result<(), TooLarge> {
        let (row, number) = (limits::row(self.starts.len())?, limits::line(line.number)?);
        while (self.wraps.len() as u64) < line.start as u64 >> 32 {
            self.wraps.push(row);
        }
        let blanks = number - 1 - row;
        if self.blanks.last().map_or(0, |(_, blanks)| *blanks) < blanks {
            self.blanks.push((row, blanks));
        }
        self.starts.push(line.start as u32);
        Ok(())
    }

    fn truncate(&mut self, rows: usize) {
        self.starts.truncate(rows);
        while self.wraps.pop_if(|wrap| *wrap as usize >= rows).is_some() {}
        while self.blanks.pop_if(|(blank, _)| *blank as usize >= rows).is_some() {}
    }

    /// Where the line begins.
    fn start(&self, row: Row) -> usize {
        let upper = self.wraps.partition_point(|wrap| *wrap <= row);
        upper << 32 | self.starts[row as usize] as usize
    }

    /// The physical number of the line.
    fn line(&self, row: Row) -> u64 {
        let before = self.blanks.partition_point(|(blank, _)| *blank <= row).checked_sub(1);
        u64::from(row) + 1 + before.map_or(0, |at| u64::from(self.blanks[at].1))
    }
}

/// The fields of the stream that the chapter reads.
#[derive(Default)]
pub(crate) struct Index<'a> {
    pub stream: Cow<'a, [u8]>,
    pub strings: Strings,

    // One element per row.
    pub kinds: Vec<Kind>,
    pub ids: Vec<Symbol>,
    /// Whether the row is in `details`.
    has_detail: Vec<bool>,
    /// Step 4 of CONTEXT-VIEW drops a node whose latest revision this is.
    pub is_hidden: Vec<bool>,

    places: Places,
    /// The number of each row in the order of the file, unless it is the same.
    file_rows: Vec<Row>,

    /// One element per symbol: the one record that bears it, [`NONE`] or [`SEVERAL`].
    bearers: Vec<u32>,
    /// By row, ascending.
    details: Vec<(Row, Detail)>,
    pub compactions: Vec<Compaction>,
    pub replaced: Vec<Ref>,
    pub retains: Vec<Retained>,
    /// The current value of session_info.heads.
    pub heads: Vec<Json>,
    pub inherits: Option<Inherits>,
    pub malformed: usize,
    /// Whether programs make calls; perhaps only in lines that were taken back.
    pub has_programs: bool,
    /// The records whose seq does not exceed that of every line before (ASR-014), ascending. Few, if any.
    pub odd_seqs: Vec<Row>,
    /// The seq of the nearest line of the file before that has one.
    last_seq: Option<i64>,
    /// Whether the order of the file is that of the stream so far.
    is_sorted: bool,
}

impl<'a> Index<'a> {
    /// Reads a stream.
    pub(crate) fn read(stream: &'a [u8]) -> Result<Self, TooLarge> {
        let mut index = Self::new();
        index.read_lines(stream)?;
        index.stream = Cow::Borrowed(stream);
        index.finish();
        Ok(index)
    }

    /// Reads a stream that the index is to own. Where that fails, the index holds the stream and nothing else.
    pub(crate) fn read_owned(stream: Cow<'static, [u8]>) -> (Index<'static>, Option<TooLarge>) {
        let mut index = Index::new();
        let result = index.read_lines(&stream);
        if result.is_err() {
            index = Index::new();
        }
        index.stream = stream;
        index.finish();
        (index, result.err())
    }

    /// Reads the lines of the stream.
    fn read_lines(&mut self, stream: &[u8]) -> Result<(), TooLarge> {
        self.reserve(stream);
        let mut lines = Lines::new(stream);
        while self.read_batch(&mut lines)? {}
        Ok(())
    }

    /// Reads some lines, and gives their ids numbers all together. Returns whether there may be more.
    pub(crate) fn read_batch(&mut self, lines: &mut Lines<'_>) -> Result<bool, TooLarge> {
        let mut fields = Fields::default();
        let mut batch = Vec::with_capacity(BATCH as usize);
        let mut is_over = false;
        for _ in 0..BATCH {
            let Some(line) = lines.next(&mut fields) else {
                is_over = true;
                break;
            };
            self.push(line, &fields, &mut batch)?;
        }
        self.strings.touch(batch.iter().map(|(_, id)| id));
        for (row, id) in batch {
            self.ids[row as usize] = self.strings.put(lines.stream(), id)?;
        }
        Ok(!is_over)
    }

    /// Makes room for more lines, if they go on as they begin.
    pub(crate) fn reserve(&mut self, stream: &[u8]) {
        let sample = &stream[..stream.len().min(1 << 16)];
        let lines = memchr::memchr_iter(b'\n', sample).count() + 1;
        let rows = (stream.len() as u64 * lines as u64 / sample.len().max(1) as u64) as usize;
        // Blank lines are no rows, and shorter than any record. Nor does a short one bear an id.
        let rows = (rows + rows / 16).min(stream.len() / 2) + 1;
        let ids = rows.min(stream.len() / r#"{"id":""}"#.len());
        self.strings.reserve(ids);
        self.kinds.reserve(rows);
        self.ids.reserve(rows);
        self.has_detail.reserve(rows);
        self.is_hidden.reserve(rows);
        self.places.starts.reserve(rows);
    }

    pub(crate) fn rows(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Whether the record says anything beyond what every row has. True of every rewind, compaction and
    /// session_info record, and of every other of the context types that has supersedes or branchesFrom.
    pub(crate) fn has_detail(&self, row: Row) -> bool {
        self.has_detail[row as usize]
    }

    /// O(1) for a row that says nothing, O(log n) for any other.
    pub(crate) fn detail(&self, row: Row) -> Detail {
        if !self.has_detail(row) {
            return NO_DETAIL;
        }
        let found = self.details.binary_search_by_key(&row, |(row, _)| *row);
        found.map_or(NO_DETAIL, |at| self.details[at].1)
    }

    /// The rows that say more than what every row has, ascending.
    pub(crate) fn details(&self) -> impl Iterator<Item = (Row, Detail)> {
        self.details.iter().copied()
    }

    fn file_row(&self, row: Row) -> Row {
        self.file_rows.get(row as usize).copied().unwrap_or(row)
    }

    /// The physical line of a row.
    pub(crate) fn line(&self, row: Row) -> u64 {
        self.places.line(self.file_row(row))
    }

    /// The text of the line of a row.
    pub(crate) fn text(&self, row: Row) -> &[u8] {
        scan::line_at(&self.stream, self.start(row)).unwrap_or_default()
    }

    /// Where the line of a row begins.
    pub(crate) fn start(&self, row: Row) -> usize {
        self.places.start(self.file_row(row))
    }

    /// The id of a record.
    pub(crate) fn name(&self, row: Row) -> Name {
        Name(self.strings.get(&self.stream, self.ids[row as usize]).map(Into::into))
    }

    /// The symbol of the id of a record.
    pub(crate) fn id(&self, row: Row) -> Option<Symbol> {
        Some(self.ids[row as usize]).filter(|&id| id != NO_SYMBOL)
    }

    pub(crate) fn is_context(&self, row: Row) -> bool {
        self.kinds[row as usize].is_context()
    }

    /// Whether the record is a call or a result.
    pub(crate) fn is_paired(&self, row: Row) -> bool {
        matches!(self.kinds[row as usize], Kind::ToolCall | Kind::ToolResult)
    }

    /// The symbol of a text, if a record or ref has it.
    pub(crate) fn find(&self, text: &[u8]) -> Option<Symbol> {
        self.strings.find(&self.stream, text)
    }

    /// The one record that a ref names, of whatever type (ASR-080).
    pub(crate) fn bearer(&self, target: Ref) -> Result<Row, RefStatus> {
        match self.bearers.get(target as usize).copied().unwrap_or(NONE) {
            NONE => Err(RefStatus::Unresolved),
            SEVERAL => Err(RefStatus::Ambiguous),
            row => Ok(row),
        }
    }

    /// The ref as it was written, null where it is no string.
    pub(crate) fn spelled(&self, target: Ref) -> Json {
        self.strings.get(&self.stream, target).map_or(Json::Null, |text| Json::String(text.into()))
    }

    /// Step 4: whoever pairs with a call that a program made is hidden. Of each node only the latest revision
    /// counts, so `is_latest` decides who takes part. Reads calls and results again, but those only where
    /// there are programs.
    pub(crate) fn hide_program_results(&mut self, is_latest: impl Fn(Row) -> bool) {
        if !self.has_programs {
            return;
        }
        let mut keys = HashSet::new();
        let mut results = Vec::new();
        let mut fields = Fields::default();
        for (row, &kind) in (0..).zip(&self.kinds) {
            if kind == Kind::ToolCall && self.is_hidden[row as usize] && is_latest(row) {
                fields.read(self.text(row));
                keys.extend(call_key(&fields).map(Raw::decode));
            }
        }
        let keys_were_empty = keys.is_empty();
        if !keys_were_empty {
            for (row, _) in (0..).zip(&self.kinds).filter(|(_, kind)| **kind == Kind::ToolResult) {
                fields.read(self.text(row));
                results.push((row, call_key(&fields).is_some_and(|key| keys.contains(&key.decode()))));
            }
        }
        if keys_were_empty {
            for (_, is_hidden) in
                self.kinds.iter().zip(&mut self.is_hidden).filter(|(kind, _)| **kind == Kind::ToolResult)
            {
                *is_hidden = false;
            }
        }
        for (row, is_paired) in results {
            self.is_hidden[row as usize] = is_paired && is_latest(row);
        }
    }
}

/// How many lines are read together.
pub(crate) const BATCH: u32 = 64;

/// An id that is to be given a number, and the row whose id it is.
type Unnamed<'l> = (Row, Hashed<'l>);

/// Reading, line by line in the order of the file.
impl<'a> Index<'a> {
    /// Adds a line. If it has an id, that goes to the end of `batch`, to be given a number.
    fn push<'l>(
        &mut self,
        line: Span<'l>,
        fields: &Fields<'l>,
        batch: &mut Vec<Unnamed<'l>>,
    ) -> Result<(), TooLarge> {
        let row = self.rows();
        self.places.push(line)?;
        let (mut kind, mut is_hidden, mut has_detail) = (Kind::Malformed, false, false);
        if line.is_record {
            kind = Kind::of(fields.get(Field::Type));
            is_hidden = self::is_hidden(kind, fields);
            if let Value::String(raw) = fields.get(Field::Id) {
                batch.push((row, self.strings.hashed(placed(line, raw))));
            }
            self.note_seq(row, seq(fields.get(Field::Seq)));
            if kind == Kind::SessionInfo {
                self.note_session(fields);
            }
            self.has_programs |= kind == Kind::ToolCall && is_hidden;
            if let Some(detail) = self.detail_in(kind, line, fields)? {
                has_detail = true;
                self.details.push((row, detail));
            }
        } else {
            self.malformed += 1;
        }
        self.kinds.push(kind);
        self.ids.push(NO_SYMBOL);
        self.has_detail.push(has_detail);
        self.is_hidden.push(is_hidden);
        Ok(())
    }

    /// Notes a seq that is none, or does not exceed the last.
    fn note_seq(&mut self, row: Row, seq: Option<i64>) {
        if seq.is_none() || seq <= self.last_seq {
            self.odd_seqs.push(row);
        }
        self.is_sorted &= seq.is_none() || seq >= self.last_seq;
        self.last_seq = seq.or(self.last_seq);
    }

    /// The symbol of a string, [`NO_SYMBOL`] for anything else.
    fn symbol(&mut self, line: Span<'_>, value: Value<'_>) -> Result<Symbol, TooLarge> {
        match value {
            Value::String(raw) => self.strings.put(line.stream, self.strings.hashed(placed(line, raw))),
            _ => Ok(NO_SYMBOL),
        }
    }

    /// What the record says beyond what every row has.
    fn detail_in(
        &mut self,
        kind: Kind,
        line: Span<'_>,
        fields: &Fields<'_>,
    ) -> Result<Option<Detail>, TooLarge> {
        let mut detail = NO_DETAIL;
        match kind {
            Kind::Message | Kind::ToolCall | Kind::ToolResult | Kind::Compaction => {
                let (supersedes, branches) = (fields.get(Field::Supersedes), fields.get(Field::BranchesFrom));
                detail.supersedes = self.symbol(line, supersedes)?;
                detail.is_rewrite = fields.get(Field::Assembly).member(b"mode").is(b"rewrite");
                detail.target = self.branches_from(line, branches)?;
                if kind == Kind::Compaction {
                    detail.compaction = self.compactions.len() as u32;
                    let compaction = self.compaction(line, fields)?;
                    self.compactions.push(compaction);
                } else if !supersedes.is_present() && matches!(branches, Value::Absent) {
                    // Not so where they mean nothing, for which the validator must find the row.
                    return Ok(None);
                }
            }
            Kind::Rewind => {
                let target = self.target(line, fields.get(Field::To))?;
                detail.target = Some(target.unwrap_or(Target::Unknown));
            }
            Kind::Gap => {
                detail.supersedes = self.symbol(line, fields.get(Field::Supersedes))?;
                if detail.supersedes == NO_SYMBOL {
                    return Ok(None);
                }
            }
            Kind::SessionInfo | Kind::Audit | Kind::Malformed => return Ok(None),
        }
        Ok(Some(detail))
    }

    /// A ref for which null has the meaning START; none where the key is missing.
    fn target(&mut self, line: Span<'_>, value: Value<'_>) -> Result<Option<Target>, TooLarge> {
        Ok(match value {
            Value::Absent => None,
            Value::Null => Some(Target::Start),
            other => Some(Target::Ref(self.symbol(line, other)?)),
        })
    }

    /// BF1 to BF3. Whatever is there and has no known form asserts a branch from an unknown place (BF-4).
    fn branches_from(&mut self, line: Span<'_>, value: Value<'_>) -> Result<Option<Target>, TooLarge> {
        if !value.is_present() {
            return Ok(None);
        }
        Ok(Some(self.target(line, value.member(b"record"))?.unwrap_or(Target::Unknown)))
    }

    fn compaction(&mut self, line: Span<'_>, fields: &Fields<'_>) -> Result<Compaction, TooLarge> {
        let status = fields.get(Field::Status);
        let content = [
            fields.get(Field::Summary).elements().next().is_some(),
            match fields.get(Field::Opaque) {
                Value::Object(object) => object.members().next().is_some(),
                _ => false,
            },
        ];
        let replaces = self.replaces(line, fields.get(Field::Replaces), fields.get(Field::KeptFromId))?;
        let insert_at = fields.get(Field::InsertAt);
        let insert_at = match self.target(line, insert_at.member(b"afterId"))? {
            Some(Target::Ref(after)) => Some(InsertAt::After(after)),
            Some(_) => Some(InsertAt::Start),
            None => match insert_at.member(b"beforeId") {
                before if before.is_present() => Some(InsertAt::Before(self.symbol(line, before)?)),
                _ => None,
            },
        };
        let first = limits::refs(self.retains.len())?;
        for entry in fields.get(Field::Retains).elements() {
            let target = self.symbol(line, entry.member(b"ref"))?;
            let is_truncated = entry.member(b"capture").is(b"truncated");
            let by = self.rows();
            self.retains.push(Retained { target, by, is_truncated });
        }
        Ok(Compaction {
            is_applied: !status.is_present() || status.is(b"completed"),
            has_content: content.contains(&true),
            replaces,
            insert_at,
            retains: (first, limits::refs(self.retains.len())?),
        })
    }

    /// With several keys the order of the chapter's list decides (VB-9).
    fn replaces(&mut self, line: Span<'_>, value: Value<'_>, kept: Value<'_>) -> Result<Replaces, TooLarge> {
        let through = value.member(b"throughId");
        if through.is_present() {
            let through = self.symbol(line, through)?;
            let kept = if kept.is_present() { Some(self.symbol(line, kept)?) } else { None };
            return Ok(Replaces::Through { through, kept });
        }
        let ids = value.member(b"ids");
        if ids.is_present() {
            let first = limits::refs(self.replaced.len())?;
            for id in ids.elements() {
                let id = self.symbol(line, id)?;
                self.replaced.push(id);
            }
            return Ok(Replaces::Ids(first, limits::refs(self.replaced.len())?));
        }
        Ok(if value.member(b"state").is(b"unknown") { Replaces::Unknown } else { Replaces::Nothing })
    }

    /// Puts the rows into stream order, finds out who bears each id, and gives back what room is left.
    fn finish(&mut self) {
        if !self.is_sorted {
            self.sort();
        }
        let Self { kinds, ids, has_detail, is_hidden, places, .. } = &mut *self;
        kinds.shrink_to_fit();
        ids.shrink_to_fit();
        has_detail.shrink_to_fit();
        is_hidden.shrink_to_fit();
        places.starts.shrink_to_fit();
        self.strings.shrink();
        self.bearers = vec![NONE; self.strings.len()];
        for (row, &id) in (0..).zip(&self.ids) {
            if let Some(bearer) = self.bearers.get_mut(id as usize) {
                *bearer = if *bearer == NONE { row } else { SEVERAL };
            }
        }
    }

    /// Reorders the rows by seq, rows of equal seq in the order of the file (NR-10). Reads every line again.
    fn sort(&mut self) {
        let index = &mut *self;
        // A row without a seq has that of the row before it, and so keeps its place.
        let (mut fields, mut last) = (Fields::default(), i64::MIN);
        let seqs: Vec<i64> = (0..index.rows())
            .map(|row| {
                if index.kinds[row as usize] != Kind::Malformed && fields.read(index.text(row)) {
                    last = seq(fields.get(Field::Seq)).unwrap_or(last);
                }
                last
            })
            .collect();
        let mut order: Vec<Row> = (0..index.rows()).collect();
        order.sort_by_key(|&row| seqs[row as usize]);
        let mut place = vec![0; order.len()];
        for (to, &from) in (0..).zip(&order) {
            place[from as usize] = to;
        }
        let Index { kinds, ids, has_detail, is_hidden, details, retains, odd_seqs, .. } = index;
        reorder(kinds, &order);
        reorder(ids, &order);
        reorder(has_detail, &order);
        reorder(is_hidden, &order);
        let rows = retains.iter_mut().map(|entry| &mut entry.by).chain(&mut *odd_seqs);
        for row in rows.chain(details.iter_mut().map(|(row, _)| row)) {
            *row = place[*row as usize];
        }
        details.sort_unstable_by_key(|(row, _)| *row);
        odd_seqs.sort_unstable();
        index.file_rows = order;
        self.read_sessions();
    }
}

/// How long an index was, to take it back to that.
pub(crate) struct Mark {
    rows: usize,
    symbols: usize,
    details: usize,
    compactions: usize,
    replaced: usize,
    retains: usize,
    odd_seqs: usize,
    last_seq: Option<i64>,
    malformed: usize,
}

impl Mark {
    /// How many rows there were.
    pub(crate) fn rows(&self) -> u32 {
        self.rows as u32
    }
}

/// Growing at the end, for a session.
impl Index<'_> {
    /// An index of no lines.
    pub(crate) fn new() -> Self {
        Self { is_sorted: true, ..Self::default() }
    }

    /// Whether the order of the file is that of the stream. If not, the index must not grow.
    pub(crate) fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            rows: self.kinds.len(),
            symbols: self.strings.len(),
            details: self.details.len(),
            compactions: self.compactions.len(),
            replaced: self.replaced.len(),
            retains: self.retains.len(),
            odd_seqs: self.odd_seqs.len(),
            last_seq: self.last_seq,
            malformed: self.malformed,
        }
    }

    /// Notes who bears the id of a row, which no later row has been noted for.
    pub(crate) fn bear(&mut self, row: Row) {
        self.bearers.resize(self.strings.len(), NONE);
        if let Some(bearer) = self.bearers.get_mut(self.ids[row as usize] as usize) {
            *bearer = if *bearer == NONE { row } else { SEVERAL };
        }
    }

    /// Takes the rows since a mark back, whose bytes are still there. False if who bears which id is not known any
    /// more, and the index must be read anew.
    pub(crate) fn rewind(&mut self, mark: &Mark) -> bool {
        let &Mark { rows, symbols, details, compactions, replaced, retains, odd_seqs, last_seq, malformed } =
            mark;
        let mut is_known = true;
        for id in self.ids.drain(rows..) {
            if let Some(bearer) = self.bearers.get_mut(id as usize) {
                is_known &= *bearer != SEVERAL;
                *bearer = NONE;
            }
        }
        self.bearers.truncate(symbols);
        self.strings.truncate(&self.stream, symbols);
        self.details.truncate(details);
        self.compactions.truncate(compactions);
        self.replaced.truncate(replaced);
        self.retains.truncate(retains);
        self.odd_seqs.truncate(odd_seqs);
        self.last_seq = last_seq;
        self.malformed = malformed;
        self.kinds.truncate(rows);
        self.has_detail.truncate(rows);
        self.is_hidden.truncate(rows);
        self.places.truncate(rows);
        is_known
    }

    /// The symbols of the refs by which a record changes the graph: what it supersedes, and its target.
    pub(crate) fn links(&self, row: Row) -> impl Iterator<Item = Symbol> {
        let Detail { supersedes, target, .. } = self.detail(row);
        let target = match target {
            Some(Target::Ref(target)) => target,
            Some(Target::Start | Target::Unknown) | None => NO_SYMBOL,
        };
        [supersedes, target].into_iter().filter(|&symbol| symbol != NO_SYMBOL)
    }

    /// Settles what session_info says now. O(rows), and reads those records again.
    pub(crate) fn read_sessions(&mut self) {
        (self.heads, self.inherits) = (Vec::new(), None);
        let mut fields = Fields::default();
        let rows: Vec<Row> =
            (0..self.rows()).filter(|&row| self.kinds[row as usize] == Kind::SessionInfo).collect();
        let stream = std::mem::take(&mut self.stream);
        for row in rows {
            fields.read(scan::line_at(&stream, self.start(row)).unwrap_or_default());
            self.note_session(&fields);
        }
        self.stream = stream;
    }

    /// Notes what the latest session_info record says. Field by field, the latest that has it decides (HD-1); odd
    /// values are absent (HD-7).
    fn note_session(&mut self, fields: &Fields<'_>) {
        if let heads @ Value::Array(_) = fields.get(Field::Heads) {
            self.heads = heads.elements().map(verbatim::json).collect();
        }
        if let lineage @ Value::Object(_) = fields.get(Field::Lineage) {
            self.inherits = inherited(lineage.member(b"inherits"));
        }
    }
}

fn inherited(inherits: Value<'_>) -> Option<Inherits> {
    let copy = |key| Some(inherits.member(key)).filter(|value| value.is_present()).map(verbatim::json);
    inherits.member(b"mode").is(b"referenced").then(|| Inherits {
        session: verbatim::json(inherits.member(b"from")),
        through_id: copy(b"throughId"),
        through_ordinal: copy(b"throughOrdinal"),
    })
}

fn placed<'l>(line: Span<'l>, raw: Raw<'l>) -> Placed<'l> {
    Placed { raw, start: raw.offset(line.stream) }
}

/// Step 4 as far as the record alone decides it.
fn is_hidden(kind: Kind, fields: &Fields<'_>) -> bool {
    match kind {
        Kind::Message => {
            fields.get(Field::Audience).is(b"user") || fields.get(Field::Status).is(b"withdrawn")
        }
        Kind::ToolCall => {
            fields.get(Field::RequestedBy).is(b"code") || fields.get(Field::ParentCallId).is_present()
        }
        _ => false,
    }
}

fn reorder<T: Copy>(column: &mut Vec<T>, order: &[Row]) {
    *column = order.iter().map(|&row| column[row as usize]).collect();
}

/// An integer literal within 64 bits. Anything else is no seq (B.9).
fn seq(value: Value<'_>) -> Option<i64> {
    let Value::Plain(text) = value else { return None };
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    // Below zero, where there is room for one more.
    let below = digits.iter().try_fold(0_i64, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_sub(digit.into())
    })?;
    if is_negative { Some(below) } else { below.checked_neg() }
}

/// What pairs a call with its results (`readings.md` 0.3).
fn call_key<'a>(fields: &Fields<'a>) -> Option<Raw<'a>> {
    let string = |field| match fields.get(field) {
        Value::String(raw) => Some(raw),
        _ => None,
    };
    string(Field::CallId).or_else(|| string(Field::ToolCallId))
}

#[cfg(test)]
mod tests;
