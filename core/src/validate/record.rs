//! A record as the validator reads it: all members of its line, and how findings speak of them.

#![expect(clippy::indexing_slicing, reason = "rows are numbers that the index handed out")]

use crate::index::{Index, Kind, Row};
use crate::scan::{self, Raw, Value};
use std::fmt::{self, Display};

/// The members of one line, top level only; what is below is read when it is asked for.
pub(crate) struct Record<'a> {
    pub row: Row,
    pub kind: Kind,
    /// As written, duplicate keys included.
    pub members: Vec<(Raw<'a>, Value<'a>)>,
}

impl Default for Record<'_> {
    fn default() -> Self {
        // More than most records have.
        Self { row: 0, kind: Kind::Malformed, members: Vec::with_capacity(16) }
    }
}

impl<'a> Record<'a> {
    /// Reads the record of a row in place of this one. O(length of the line).
    pub(crate) fn read(&mut self, index: &'a Index<'_>, row: Row) {
        self.row = row;
        self.kind = index.kinds[row as usize];
        self.members.clear();
        self.members.extend(scan::members(index.text(row)));
    }

    pub(crate) fn of(index: &'a Index<'_>, row: Row) -> Self {
        let mut record = Self::default();
        record.read(index, row);
        record
    }

    /// The value of a key: the last, if there are several.
    pub(crate) fn get(&self, key: &str) -> Value<'a> {
        let mut members = self.members.iter().rev();
        members.find(|(name, _)| name.is(key.as_bytes())).map_or(Value::Absent, |(_, value)| *value)
    }
}

/// A place in a record. Made for every ref, hence no text until a finding needs one.
#[derive(Clone, Copy)]
pub(crate) struct Pointer {
    path: &'static str,
    element: Option<usize>,
    member: &'static str,
}

impl Pointer {
    pub(crate) fn to(path: &'static str) -> Self {
        Self { path, element: None, member: "" }
    }

    /// An element of an array, or a member of one, such as `/ref`.
    pub(crate) fn into(path: &'static str, element: usize, member: &'static str) -> Self {
        Self { path, element: Some(element), member }
    }
}

impl Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)?;
        self.element.map_or(Ok(()), |element| write!(f, "/{element}"))?;
        f.write_str(self.member)
    }
}

/// The pointer to a member of any name.
pub(crate) fn pointer_to(key: &[u8]) -> String {
    format!("/{}", String::from_utf8_lossy(key).replace('~', "~0").replace('/', "~1"))
}

/// A value in a few words.
pub(crate) struct Shown<'a>(pub Value<'a>);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Absent => f.write_str("nothing"),
            Value::Null => f.write_str("null"),
            Value::Object(_) => f.write_str("an object"),
            Value::Array(_) => f.write_str("an array"),
            Value::String(raw) => f.write_str(&quoted(&raw.decode())),
            Value::Plain(text) => f.write_str(&shortened(text)),
        }
    }
}

/// A text in quotation marks, on one line.
pub(crate) fn quoted(text: &[u8]) -> String {
    format!("{:?}", shortened(text))
}

/// A text of any length as one that fits into a line. O(1), since many findings may speak of one text.
fn shortened(text: &[u8]) -> String {
    const MOST: usize = 40;
    // As many characters and one more lie within four times as many bytes.
    let start = String::from_utf8_lossy(text.get(..4 * (MOST + 1)).unwrap_or(text));
    let end = start.char_indices().nth(MOST).map(|(end, _)| end);
    end.and_then(|end| start.get(..end)).map_or_else(|| start.to_string(), |start| format!("{start}…"))
}
