//! The index: a stream as flat arrays, in stream order.
//!
//! A *row* is a line that is not blank: a record or a malformed line. Rows are numbered in stream order
//! (ASR-014: by seq), so that "earlier" is a comparison of two numbers from here on. What every row has lies
//! in one array per property; what few rows have (a revision, a branch, a compaction) lies in a table of its
//! own, and `details` holds its place there. Refs are symbols of the interning table, and `bearers` says who
//! bears each. The input itself is borrowed and never copied.
//!
//! O(n) for n bytes, O(n log n) where seq does not increase along the file.

#![expect(
    clippy::indexing_slicing,
    reason = "rows, symbols and details are numbers that these tables handed out"
)]

use crate::TooLarge;
use crate::heads::StatedHead;
use crate::scan::{Field, Fields, Lines, Raw, Span, Value};
use crate::strings::{NO_SYMBOL, Strings, Symbol};
use crate::verbatim;
use asr_spec::{Json, Name, RefStatus};
use std::collections::HashSet;

/// A line that is not blank, by its place in stream order.
pub(crate) type Row = u32;

/// Stands for no row, no node or no detail.
pub(crate) const NONE: u32 = u32::MAX;

/// The upper half of the numbers, and two, is left to what a predecessor may be besides a node.
pub(crate) const MAX_ROWS: u32 = (1 << 31) - 2;

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

/// The fields of the stream that the chapter reads.
#[derive(Default)]
pub(crate) struct Index<'a> {
    pub stream: &'a [u8],
    pub strings: Strings<'a>,

    // One element per row.
    pub kinds: Vec<Kind>,
    pub ids: Vec<Symbol>,
    /// Physical line numbers.
    pub lines: Vec<u32>,
    /// Where the lines begin.
    pub starts: Vec<usize>,
    /// The place of the row in `details` or, for a session_info record, in a list that is dropped after
    /// reading.
    detail_of: Vec<u32>,
    /// Step 4 of CONTEXT-VIEW drops a node whose latest revision this is.
    pub is_hidden: Vec<bool>,

    /// One element per symbol: the one record that bears it, [`NONE`] or [`SEVERAL`].
    bearers: Vec<u32>,
    details: Vec<Detail>,
    pub compactions: Vec<Compaction>,
    pub replaced: Vec<Ref>,
    pub retains: Vec<Retained>,
    /// The current value of session_info.heads.
    pub heads: Vec<StatedHead>,
    pub inherits: Option<Inherits>,
    pub malformed: usize,
    /// The records whose seq does not exceed that of every line before (ASR-014), ascending. Few, if any.
    pub odd_seqs: Vec<Row>,
}

/// The calls and results that step 4 may have to pair once the chains are known.
#[derive(Default)]
pub(crate) struct Calls<'a> {
    /// The calls that a program made, by row and key.
    programs: Vec<(Row, Raw<'a>)>,
    results: Vec<(Row, Raw<'a>)>,
}

impl<'a> Index<'a> {
    /// Reads a stream.
    pub(crate) fn read(stream: &'a [u8]) -> Result<(Self, Calls<'a>), TooLarge> {
        let mut reader = Reader {
            index: Self { stream, ..Self::default() },
            calls: Calls::default(),
            sessions: Vec::new(),
            last_seq: None,
            seqs: Vec::new(),
            is_sorted: true,
        };
        // Checked as a whole, which is faster, and by the line only if the whole fails.
        let is_utf8 = str::from_utf8(stream).is_ok();
        let mut fields = Fields::default();
        for line in Lines::new(stream) {
            let is_record = (is_utf8 || str::from_utf8(line.bytes).is_ok()) && fields.read(line.bytes);
            reader.push(line, is_record.then_some(&fields))?;
        }
        reader.finish()
    }

    pub(crate) fn rows(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Whether the record says anything beyond what every row has. True of every rewind, compaction and
    /// session_info record, and of every other of the context types that has supersedes or branchesFrom.
    pub(crate) fn has_detail(&self, row: Row) -> bool {
        self.detail_of[row as usize] != NONE
    }

    pub(crate) fn detail(&self, row: Row) -> Detail {
        match self.detail_of[row as usize] {
            NONE => NO_DETAIL,
            at => self.details[at as usize],
        }
    }

    /// The physical line of a row.
    pub(crate) fn line(&self, row: Row) -> u64 {
        self.lines[row as usize].into()
    }

    /// The id of a record.
    pub(crate) fn name(&self, row: Row) -> Name {
        Name(self.strings.get(self.ids[row as usize]).map(Into::into))
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
        self.strings.get(target).map_or(Json::Null, |text| Json::String(text.into()))
    }

    /// Step 4: whoever pairs with a call that a program made is hidden. Of each node only the latest revision
    /// counts, so `is_latest` decides who takes part. O(calls + results).
    pub(crate) fn hide_program_results(&mut self, calls: &Calls<'_>, is_latest: impl Fn(Row) -> bool) {
        let programs = calls.programs.iter().filter(|(row, _)| is_latest(*row));
        let keys: HashSet<_> = programs.map(|(_, key)| key.decode()).collect();
        if keys.is_empty() {
            return;
        }
        for (row, key) in &calls.results {
            if is_latest(*row) && keys.contains(&key.decode()) {
                self.is_hidden[*row as usize] = true;
            }
        }
    }
}

/// Builds an [`Index`], line by line in the order of the file.
struct Reader<'a> {
    index: Index<'a>,
    calls: Calls<'a>,
    /// heads and lineage of each session_info record.
    sessions: Vec<(Value<'a>, Value<'a>)>,
    /// The seq of the nearest line before that has one.
    last_seq: Option<i64>,
    /// The seq of each row; a row without one has that of the row before it, and so keeps its place.
    seqs: Vec<i64>,
    is_sorted: bool,
}

impl<'a> Reader<'a> {
    fn push(&mut self, line: Span<'a>, fields: Option<&Fields<'a>>) -> Result<(), TooLarge> {
        let row = self.index.rows();
        let number = u32::try_from(line.number).map_err(|_| TooLarge::Lines)?;
        if row >= MAX_ROWS {
            return Err(TooLarge::Lines);
        }
        let before = self.last_seq.unwrap_or(i64::MIN);
        let (kind, id, seq, hidden, detail) = match fields {
            None => {
                self.index.malformed += 1;
                (Kind::Malformed, NO_SYMBOL, before, false, NONE)
            }
            Some(fields) => {
                let kind = Kind::of(fields.get(Field::Type));
                let id = self.symbol(fields.get(Field::Id))?;
                let seq = self.seq(row, fields.get(Field::Seq)).unwrap_or(before);
                (kind, id, seq, self.is_hidden(row, kind, fields), self.detail(kind, fields)?)
            }
        };
        self.is_sorted &= before <= seq;
        self.seqs.push(seq);
        let index = &mut self.index;
        index.kinds.push(kind);
        index.ids.push(id);
        index.lines.push(number);
        index.starts.push(line.start);
        index.detail_of.push(detail);
        index.is_hidden.push(hidden);
        Ok(())
    }

    /// The seq of a record, if it has one. If it has none, or none that exceeds the last, that is noted.
    fn seq(&mut self, row: Row, value: Value<'a>) -> Option<i64> {
        let seq = seq(value);
        if seq.is_none() || seq <= self.last_seq {
            self.index.odd_seqs.push(row);
        }
        self.last_seq = seq.or(self.last_seq);
        seq
    }

    /// The symbol of a string, [`NO_SYMBOL`] for anything else.
    fn symbol(&mut self, value: Value<'a>) -> Result<Symbol, TooLarge> {
        match value {
            Value::String(raw) => self.index.strings.intern(raw),
            _ => Ok(NO_SYMBOL),
        }
    }

    /// Step 4 as far as the record alone decides it. Calls and results are noted for
    /// [`Index::hide_program_results`].
    fn is_hidden(&mut self, row: Row, kind: Kind, fields: &Fields<'a>) -> bool {
        match kind {
            Kind::Message => {
                fields.get(Field::Audience).is(b"user") || fields.get(Field::Status).is(b"withdrawn")
            }
            Kind::ToolCall => {
                let is_program = fields.get(Field::RequestedBy).is(b"code")
                    || fields.get(Field::ParentCallId).is_present();
                if is_program && let Some(key) = call_key(fields) {
                    self.calls.programs.push((row, key));
                }
                is_program
            }
            Kind::ToolResult => {
                if let Some(key) = call_key(fields) {
                    self.calls.results.push((row, key));
                }
                false
            }
            _ => false,
        }
    }

    /// Stores what the record says beyond what every row has, and returns where.
    fn detail(&mut self, kind: Kind, fields: &Fields<'a>) -> Result<u32, TooLarge> {
        let mut detail = NO_DETAIL;
        match kind {
            Kind::Message | Kind::ToolCall | Kind::ToolResult | Kind::Compaction => {
                let (supersedes, branches) = (fields.get(Field::Supersedes), fields.get(Field::BranchesFrom));
                detail.supersedes = self.symbol(supersedes)?;
                detail.is_rewrite = fields.get(Field::Assembly).member(b"mode").is(b"rewrite");
                detail.target = self.branches_from(branches)?;
                if kind == Kind::Compaction {
                    detail.compaction = self.index.compactions.len() as u32;
                    let compaction = self.compaction(fields)?;
                    self.index.compactions.push(compaction);
                } else if !supersedes.is_present() && matches!(branches, Value::Absent) {
                    // Not so where they mean nothing, for which the validator must find the row.
                    return Ok(NONE);
                }
            }
            Kind::Rewind => {
                let target = self.target(fields.get(Field::To))?;
                detail.target = Some(target.unwrap_or(Target::Unknown));
            }
            Kind::Gap => {
                detail.supersedes = self.symbol(fields.get(Field::Supersedes))?;
                if detail.supersedes == NO_SYMBOL {
                    return Ok(NONE);
                }
            }
            Kind::SessionInfo => {
                self.sessions.push((fields.get(Field::Heads), fields.get(Field::Lineage)));
                return Ok(self.sessions.len() as u32 - 1);
            }
            Kind::Audit | Kind::Malformed => return Ok(NONE),
        }
        self.index.details.push(detail);
        Ok(self.index.details.len() as u32 - 1)
    }

    /// A ref for which null has the meaning START; none where the key is missing.
    fn target(&mut self, value: Value<'a>) -> Result<Option<Target>, TooLarge> {
        Ok(match value {
            Value::Absent => None,
            Value::Null => Some(Target::Start),
            other => Some(Target::Ref(self.symbol(other)?)),
        })
    }

    /// BF1 to BF3. Whatever is there and has no known form asserts a branch from an unknown place (BF-4).
    fn branches_from(&mut self, value: Value<'a>) -> Result<Option<Target>, TooLarge> {
        if !value.is_present() {
            return Ok(None);
        }
        Ok(Some(self.target(value.member(b"record"))?.unwrap_or(Target::Unknown)))
    }

    fn compaction(&mut self, fields: &Fields<'a>) -> Result<Compaction, TooLarge> {
        let status = fields.get(Field::Status);
        let content = [
            fields.get(Field::Summary).elements().next().is_some(),
            match fields.get(Field::Opaque) {
                Value::Object(object) => object.members().next().is_some(),
                _ => false,
            },
        ];
        let replaces = self.replaces(fields.get(Field::Replaces), fields.get(Field::KeptFromId))?;
        let insert_at = fields.get(Field::InsertAt);
        let insert_at = match self.target(insert_at.member(b"afterId"))? {
            Some(Target::Ref(after)) => Some(InsertAt::After(after)),
            Some(_) => Some(InsertAt::Start),
            None => match insert_at.member(b"beforeId") {
                before if before.is_present() => Some(InsertAt::Before(self.symbol(before)?)),
                _ => None,
            },
        };
        let first = table_end(&self.index.retains)?;
        for entry in fields.get(Field::Retains).elements() {
            let target = self.symbol(entry.member(b"ref"))?;
            let is_truncated = entry.member(b"capture").is(b"truncated");
            let by = self.index.rows();
            self.index.retains.push(Retained { target, by, is_truncated });
        }
        Ok(Compaction {
            is_applied: !status.is_present() || status.is(b"completed"),
            has_content: content.contains(&true),
            replaces,
            insert_at,
            retains: (first, table_end(&self.index.retains)?),
        })
    }

    /// With several keys the order of the chapter's list decides (VB-9).
    fn replaces(&mut self, value: Value<'a>, kept: Value<'a>) -> Result<Replaces, TooLarge> {
        let through = value.member(b"throughId");
        if through.is_present() {
            let through = self.symbol(through)?;
            let kept = if kept.is_present() { Some(self.symbol(kept)?) } else { None };
            return Ok(Replaces::Through { through, kept });
        }
        let ids = value.member(b"ids");
        if ids.is_present() {
            let first = table_end(&self.index.replaced)?;
            for id in ids.elements() {
                let id = self.symbol(id)?;
                self.index.replaced.push(id);
            }
            return Ok(Replaces::Ids(first, table_end(&self.index.replaced)?));
        }
        Ok(if value.member(b"state").is(b"unknown") { Replaces::Unknown } else { Replaces::Nothing })
    }

    /// Puts the rows into stream order, finds out who bears each id, and settles what session_info says now.
    fn finish(mut self) -> Result<(Index<'a>, Calls<'a>), TooLarge> {
        if !self.is_sorted {
            self.sort();
        }
        // Heads come last, since they may bring new symbols.
        let (mut heads, mut lineage) = (Value::Absent, Value::Absent);
        for (row, kind) in self.index.kinds.iter().enumerate() {
            if *kind == Kind::SessionInfo {
                let (stated, inherited) = self.sessions[self.index.detail_of[row] as usize];
                // Field by field, the latest record that has it decides (HD-1); odd values are absent (HD-7).
                if let Value::Array(_) = stated {
                    heads = stated;
                }
                if let Value::Object(_) = inherited {
                    lineage = inherited;
                }
            }
        }
        for head in heads.elements() {
            let head = match head {
                Value::Null => StatedHead::Null,
                Value::String(raw) => StatedHead::Ref(self.index.strings.intern(raw)?),
                other => StatedHead::Odd(verbatim::json(other)),
            };
            self.index.heads.push(head);
        }
        let inherits = lineage.member(b"inherits");
        if inherits.member(b"mode").is(b"referenced") {
            let copy =
                |key| Some(inherits.member(key)).filter(|value| value.is_present()).map(verbatim::json);
            self.index.inherits = Some(Inherits {
                session: verbatim::json(inherits.member(b"from")),
                through_id: copy(b"throughId"),
                through_ordinal: copy(b"throughOrdinal"),
            });
        }

        let Self { mut index, calls, .. } = self;
        index.bearers = vec![NONE; index.strings.len()];
        for (row, &id) in (0..).zip(&index.ids) {
            if let Some(bearer) = index.bearers.get_mut(id as usize) {
                *bearer = if *bearer == NONE { row } else { SEVERAL };
            }
        }
        Ok((index, calls))
    }

    /// Reorders the rows by seq, rows of equal seq in the order of the file (NR-10).
    fn sort(&mut self) {
        let mut order: Vec<Row> = (0..self.index.rows()).collect();
        order.sort_by_key(|&row| self.seqs[row as usize]);
        let mut place = vec![0; order.len()];
        for (to, &from) in (0..).zip(&order) {
            place[from as usize] = to;
        }
        let Index { kinds, ids, lines, starts, detail_of, is_hidden, .. } = &mut self.index;
        reorder(kinds, &order);
        reorder(ids, &order);
        reorder(lines, &order);
        reorder(starts, &order);
        reorder(detail_of, &order);
        reorder(is_hidden, &order);
        let Index { retains, odd_seqs, .. } = &mut self.index;
        let paired = self.calls.programs.iter_mut().chain(&mut self.calls.results).map(|(row, _)| row);
        let retaining = retains.iter_mut().map(|entry| &mut entry.by);
        for row in paired.chain(retaining).chain(odd_seqs) {
            *row = place[*row as usize];
        }
        self.index.odd_seqs.sort_unstable();
    }
}

fn reorder<T: Copy>(column: &mut Vec<T>, order: &[Row]) {
    *column = order.iter().map(|&row| column[row as usize]).collect();
}

fn table_end<T>(table: &[T]) -> Result<u32, TooLarge> {
    u32::try_from(table.len()).map_err(|_| TooLarge::Strings)
}

/// An integer literal within 64 bits. Anything else is no seq (B.9).
fn seq(value: Value<'_>) -> Option<i64> {
    let Value::Plain(text) = value else { return None };
    str::from_utf8(text).ok()?.parse().ok()
}

/// What pairs a call with its results (`readings.md` 0.3).
fn call_key<'a>(fields: &Fields<'a>) -> Option<Raw<'a>> {
    let string = |field| match fields.get(field) {
        Value::String(raw) => Some(raw),
        _ => None,
    };
    string(Field::CallId).or_else(|| string(Field::ToolCallId))
}
