//! A stream as lines that can be edited.
//!
//! A record is kept as it was written until it is edited, so that an edit changes what it says it changes and
//! nothing else. Values are `serde_json`'s, which is not the line predicate of the chapter: a stream that the
//! two would read differently (numbers beyond a double, `-0` for a seq, the private keys of `serde_json`) is
//! not read at all.

use serde_json::{Map, Value};

/// The byte order mark, which counts at the start of a stream only.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// The members of a record.
pub(super) type Members = Map<String, Value>;

/// A physical line, without its end.
#[derive(Clone, Debug)]
pub(super) enum Line {
    /// A record.
    Record {
        /// As written.
        raw: Vec<u8>,
        /// As read.
        members: Members,
    },
    /// A malformed line.
    Malformed(Vec<u8>),
    /// A blank one.
    Blank(Vec<u8>),
}

/// The lines of a stream.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    has_bom: bool,
    pub lines: Vec<Line>,
}

impl Line {
    fn read(raw: &[u8]) -> Option<Self> {
        if raw.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            return Some(Self::Blank(raw.to_owned()));
        }
        let Ok(text) = str::from_utf8(raw) else { return Some(Self::Malformed(raw.to_owned())) };
        if text.contains("$serde_json::private") {
            return None;
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => {
                let seq = members.get("seq").filter(|seq| seq.is_f64()).and_then(Value::as_f64);
                let is_minus_zero = seq.is_some_and(|seq| seq == 0.0 && seq.is_sign_negative());
                (!is_minus_zero).then(|| Self::Record { raw: raw.to_owned(), members })
            }
            Err(error) if error.to_string().contains("number out of range") => None,
            Ok(_) | Err(_) => Some(Self::Malformed(raw.to_owned())),
        }
    }

    pub(super) fn record(&self) -> Option<&Members> {
        match self {
            Self::Record { members, .. } => Some(members),
            Self::Malformed(_) | Self::Blank(_) => None,
        }
    }
}

impl Lines {
    /// The lines of a stream, unless `serde_json` reads them otherwise than the chapter.
    pub(super) fn read(stream: &[u8]) -> Option<Self> {
        let text = stream.strip_prefix(BOM);
        let has_bom = text.is_some();
        let text = text.unwrap_or(stream);
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let lines = if text.is_empty() && stream.is_empty() {
            Vec::new()
        } else {
            text.split(|&byte| byte == b'\n').map(Line::read).collect::<Option<_>>()?
        };
        Some(Self { has_bom, lines })
    }

    /// The stream.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.has_bom { BOM.to_owned() } else { Vec::new() };
        for line in &self.lines {
            let (Line::Record { raw, .. } | Line::Malformed(raw) | Line::Blank(raw)) = line;
            bytes.extend(raw);
            bytes.push(b'\n');
        }
        bytes
    }

    /// The records with the indexes of their lines.
    pub(super) fn records(&self) -> impl Iterator<Item = (usize, &Members)> {
        self.lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.record()?)))
    }

    /// Changes the record on a line.
    pub(super) fn edit(&mut self, at: usize, change: impl FnOnce(&mut Members)) {
        if let Some(Line::Record { raw, members }) = self.lines.get_mut(at) {
            change(members);
            *raw = Value::Object(members.clone()).to_string().into_bytes();
        }
    }

    /// Changes every record.
    pub(super) fn edit_all(&mut self, mut change: impl FnMut(&mut Members)) {
        for at in 0..self.lines.len() {
            self.edit(at, &mut change);
        }
    }

    /// Writes `text` before the first member of every record.
    pub(super) fn add_member(&mut self, text: &str) {
        for line in &mut self.lines {
            let Line::Record { raw, members } = line else { continue };
            let brace = raw.iter().position(|&byte| byte == b'{').map_or(0, |brace| brace + 1);
            let comma = if members.is_empty() { "" } else { "," };
            raw.splice(brace..brace, format!("{text}{comma}").into_bytes());
        }
    }

    /// Inserts a record before a line.
    pub(super) fn insert(&mut self, at: usize, members: Members) {
        let raw = Value::Object(members.clone()).to_string().into_bytes();
        self.lines.insert(at.min(self.lines.len()), Line::Record { raw, members });
    }

    /// Appends a line as it is.
    pub(super) fn push_malformed(&mut self, raw: &[u8]) {
        self.lines.push(Line::Malformed(raw.to_owned()));
    }

    /// Deletes the lines that are not to be kept.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut at = 0;
        self.lines.retain(|_| {
            at += 1;
            keep(at - 1)
        });
    }

    /// One more than the largest seq, if there is such a number.
    pub(super) fn next_seq(&self) -> Option<i64> {
        let seqs = self.records().filter_map(|(_, members)| seq(members));
        seqs.max().map_or(Some(1), |last| last.checked_add(1))
    }

    /// Appends a record as the last one of the stream.
    pub(super) fn append(&mut self, record: Value) -> Option<()> {
        let Value::Object(mut members) = record else { return None };
        members.insert("seq".to_owned(), self.next_seq()?.into());
        self.insert(self.lines.len(), members);
        Some(())
    }
}

/// The seq of a record, if it has one.
pub(super) fn seq(members: &Members) -> Option<i64> {
    members.get("seq")?.as_i64()
}

/// A member that is not null.
pub(super) fn field<'a>(members: &'a Members, key: &str) -> Option<&'a Value> {
    members.get(key).filter(|value| !value.is_null())
}

/// A member that is a string.
pub(super) fn text<'a>(members: &'a Members, key: &str) -> Option<&'a str> {
    field(members, key)?.as_str()
}

/// Shows every structural ref of a record (ASR-351), to be replaced at will.
pub(super) fn for_each_ref(members: &mut Members, mut see: impl FnMut(&mut String)) {
    let mut visit = |value: Option<&mut Value>| {
        if let Some(Value::String(reference)) = value {
            see(reference);
        }
    };
    visit(members.get_mut("to"));
    visit(members.get_mut("keptFromId"));
    visit(members.get_mut("branchesFrom").and_then(|branch| branch.get_mut("record")));
    for (key, inner) in [("replaces", "throughId"), ("insertAt", "afterId"), ("insertAt", "beforeId")] {
        visit(members.get_mut(key).and_then(|outer| outer.get_mut(inner)));
    }
    let ids = members.get_mut("replaces").and_then(|replaces| replaces.get_mut("ids"));
    for id in ids.and_then(Value::as_array_mut).into_iter().flatten() {
        visit(Some(id));
    }
    for retained in members.get_mut("retains").and_then(Value::as_array_mut).into_iter().flatten() {
        visit(retained.get_mut("ref"));
    }
    for head in members.get_mut("heads").and_then(Value::as_array_mut).into_iter().flatten() {
        visit(Some(head));
    }
}
