//! The scanner: from bytes to the structural fields of each line.
//!
//! One pass over a line both decides whether it is a record (the line predicate of ASR-009) and notes where
//! the values of the few keys lie that the *Structure* chapter reads. Everything else, which is nearly
//! everything, is checked and skipped. No general JSON parser would do: they disagree on duplicate keys, on
//! the size of numbers, on surrogates and on depth, and a line that one of them calls malformed is a gap
//! marker on somebody's path.
//!
//! The predicate: valid UTF-8, one JSON text (RFC 8259) whose value is an object, at most [`MAX_LEVELS`]
//! levels, no unpaired surrogate escape in any string or key. Numbers may have any size. Of duplicate keys
//! the last one wins, at every level, and keys are compared unescaped. Containers are kept on a stack of
//! bits, so depth costs no recursion. Linear in the line, whatever it contains.

mod cursor;

use cursor::{Cursor, unescape};
use memchr::memchr;
use std::borrow::Cow;

/// How deep a record may nest; its own object is level 1.
pub(crate) const MAX_LEVELS: u32 = 127;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line that is not blank.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a> {
    pub stream: &'a [u8],
    /// The physical number, counted from 1, blank lines included.
    pub number: u64,
    /// Where the line begins in the stream, behind a byte order mark.
    pub start: usize,
    /// Whether it passes the predicate.
    pub is_record: bool,
}

/// The lines of a stream that are not blank.
///
/// Whether bytes are UTF-8 is checked by the block just before its lines are read, since it is in the cache then, and
/// by the line only in a block that fails. Where a record ends is known once it is read, so that nothing looks for
/// line feeds but what reads over a line that is none.
pub(crate) struct Lines<'a> {
    stream: &'a [u8],
    at: usize,
    number: u64,
    /// Where the block ends that was checked last, and whether it is UTF-8.
    block_end: usize,
    is_utf8: bool,
}

/// A place between two lines of a stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Position {
    /// Where the next line begins.
    pub at: usize,
    /// How many lines there are before, blank ones included.
    pub lines: u64,
}

/// How many bytes are checked for UTF-8 together.
const BLOCK: usize = 1 << 16;

impl<'a> Lines<'a> {
    pub(crate) fn new(stream: &'a [u8]) -> Self {
        Self::behind(stream, Position::default())
    }

    /// The lines behind those that have been read.
    pub(crate) fn behind(stream: &'a [u8], Position { mut at, lines }: Position) -> Self {
        if at == 0 && stream.starts_with(BYTE_ORDER_MARK) {
            at = BYTE_ORDER_MARK.len();
        }
        Self { stream, at, number: lines, block_end: 0, is_utf8: false }
    }

    pub(crate) fn stream(&self) -> &'a [u8] {
        self.stream
    }

    /// What has been read.
    pub(crate) fn position(&self) -> Position {
        // Before the first line is before its byte order mark, too.
        let at = if self.number == 0 { 0 } else { self.at.min(self.stream.len()) };
        Position { at, lines: self.number }
    }

    /// The next line that is not blank, and its fields if it is a record.
    #[inline]
    pub(crate) fn next(&mut self, fields: &mut Fields<'a>) -> Option<Span<'a>> {
        while self.at < self.stream.len() {
            let start = self.at;
            self.number += 1;
            let end = if self.is_utf8(start) { fields.read_at(self.stream, start) } else { None };
            let is_record = end.is_some();
            let line = if end.is_none() { line_at(self.stream, start)? } else { &[] };
            self.at = end.unwrap_or(start + line.len()) + 1;
            if is_record || !is_blank(line) {
                return Some(Span { stream: self.stream, number: self.number, start, is_record });
            }
        }
        None
    }

    /// Whether the line that begins at `start` is UTF-8.
    #[inline]
    fn is_utf8(&mut self, start: usize) -> bool {
        if start >= self.block_end {
            let last = self.stream.len().min(start + BLOCK);
            self.block_end = last + line_at(self.stream, last).map_or(0, <[u8]>::len);
            let block = self.stream.get(start..self.block_end).unwrap_or_default();
            self.is_utf8 = simdutf8::basic::from_utf8(block).is_ok();
        }
        self.is_utf8 || line_at(self.stream, start).is_some_and(|line| str::from_utf8(line).is_ok())
    }
}

/// The line that begins at `start`, without its line feed; nothing at the end of the stream.
pub(crate) fn line_at(stream: &[u8], start: usize) -> Option<&[u8]> {
    let rest = stream.get(start..).filter(|rest| !rest.is_empty())?;
    let end = memchr(b'\n', rest).unwrap_or(rest.len());
    rest.get(..end)
}

/// The string without escapes that begins at `start`, behind its quote.
pub(crate) fn plain_string(stream: &[u8], start: usize) -> &[u8] {
    let rest = stream.get(start..).unwrap_or_default();
    let end = memchr(b'"', rest).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// The members of a line that has passed the predicate, as written, duplicate keys included.
pub(crate) fn members(line: &[u8]) -> Members<'_> {
    let start = memchr(b'{', line).map_or(line.len(), |at| at + 1);
    Members { cursor: Cursor::new(line, start) }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

macro_rules! fields {
    ($($variant:ident = $key:literal,)*) => {
        /// A top-level key that the chapter reads.
        #[derive(Clone, Copy)]
        pub(crate) enum Field { $($variant,)* }

        impl Field {
            const COUNT: usize = [$(Self::$variant),*].len();

            fn of(key: &[u8]) -> Option<Self> {
                match key { $($key => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

fields! {
    Type = b"type",
    Id = b"id",
    Seq = b"seq",
    Supersedes = b"supersedes",
    Assembly = b"assembly",
    BranchesFrom = b"branchesFrom",
    Audience = b"audience",
    Status = b"status",
    CallId = b"callId",
    ToolCallId = b"toolCallId",
    RequestedBy = b"requestedBy",
    ParentCallId = b"parentCallId",
    To = b"to",
    Heads = b"heads",
    Lineage = b"lineage",
    Replaces = b"replaces",
    KeptFromId = b"keptFromId",
    InsertAt = b"insertAt",
    Retains = b"retains",
    Summary = b"summary",
    Opaque = b"opaque",
}

/// The values of the [`Field`]s of one record.
#[derive(Default)]
pub(crate) struct Fields<'a> {
    /// One bit per field: whether the line at hand has it. Clearing this clears `texts`, which is larger.
    present: u32,
    /// One bit per field: whether it is a string with escapes.
    escaped: u32,
    texts: [&'a [u8]; Field::COUNT],
}

impl<'a> Fields<'a> {
    /// Reads a line that has passed the predicate, or whose UTF-8 is valid. False if it is no record; then the fields
    /// mean nothing.
    pub(crate) fn read(&mut self, line: &'a [u8]) -> bool {
        self.read_at(line, 0) == Some(line.len())
    }

    #[inline]
    pub(crate) fn get(&self, field: Field) -> Value<'a> {
        let bit = 1 << field as u32;
        match self.texts.get(field as usize) {
            Some(text) if self.present & bit != 0 => Value::of(text, self.escaped & bit != 0),
            _ => Value::Absent,
        }
    }

    /// Reads the line that begins at `start`, whose UTF-8 is valid, and returns where it ends: before a line feed, or
    /// at the end of the text. None if it is no record; then the fields mean nothing.
    fn read_at(&mut self, text: &'a [u8], start: usize) -> Option<usize> {
        self.present = 0;
        let mut cursor = Cursor::new(text, start);
        cursor.expect(b'{')?;
        let mut token = cursor.token()?;
        if token != b'}' {
            loop {
                let key = cursor.key(token)?;
                let first = cursor.token()?;
                let (text, has_escapes) = cursor.value(first, 1)?;
                if let Some(field) = key.field() {
                    *self.texts.get_mut(field as usize)? = text;
                    let bit = 1 << field as u32;
                    self.present |= bit;
                    self.escaped = self.escaped & !bit | if has_escapes { bit } else { 0 };
                }
                match cursor.token()? {
                    b',' => token = cursor.token()?,
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        cursor.end_of_line()
    }
}

/// A string as it was written, without its quotes.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) struct Raw<'a> {
    text: &'a [u8],
    has_escapes: bool,
}

impl<'a> Raw<'a> {
    /// The string unescaped.
    #[inline]
    pub(crate) fn decode(self) -> Cow<'a, [u8]> {
        if self.has_escapes { Cow::Owned(unescape(self.text)) } else { Cow::Borrowed(self.text) }
    }

    /// Where the string begins in the line that it is part of.
    pub(crate) fn offset(self, line: &[u8]) -> usize {
        self.text.as_ptr().addr().wrapping_sub(line.as_ptr().addr())
    }

    /// Whether the string, unescaped, is `text`.
    pub(crate) fn is(self, text: &[u8]) -> bool {
        if self.has_escapes { *self.decode() == *text } else { self.text == text }
    }

    #[inline]
    fn field(self) -> Option<Field> {
        if self.has_escapes { Field::of(&self.decode()) } else { Field::of(self.text) }
    }
}

/// A value of a record. What is below a container is read when it is asked for. Equal is what is written alike.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Value<'a> {
    /// There is no such key.
    Absent,
    /// `null`
    Null,
    /// A string
    String(Raw<'a>),
    /// An object
    Object(Object<'a>),
    /// An array
    Array(Array<'a>),
    /// A number, `true` or `false`, as text
    Plain(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The value that a text is, which has passed the predicate.
    #[inline]
    fn of(text: &'a [u8], has_escapes: bool) -> Self {
        match text {
            [b'"', text @ .., b'"'] => Self::String(Raw { text, has_escapes }),
            [b'{', ..] => Self::Object(Object(text)),
            [b'[', ..] => Self::Array(Array(text)),
            [b'n', ..] => Self::Null,
            _ => Self::Plain(text),
        }
    }

    /// Whether there is a value. Where null has no meaning of its own it is absence (BF-5).
    pub(crate) fn is_present(self) -> bool {
        !matches!(self, Self::Absent | Self::Null)
    }

    /// Whether this is the string `text`.
    pub(crate) fn is(self, text: &[u8]) -> bool {
        matches!(self, Self::String(raw) if raw.is(text))
    }

    /// The member `key` of an object; absent where this is none.
    pub(crate) fn member(self, key: &[u8]) -> Self {
        let Self::Object(object) = self else { return Self::Absent };
        object.members().filter(|(name, _)| name.is(key)).last().map_or(Self::Absent, |(_, value)| value)
    }

    /// The elements of an array; none where this is no array.
    pub(crate) fn elements(self) -> Elements<'a> {
        match self {
            Self::Array(Array(text)) => Elements { cursor: Cursor::new(text, 1) },
            _ => Elements { cursor: Cursor::new(&[], 0) },
        }
    }
}

/// An object that has passed the predicate.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) struct Object<'a>(&'a [u8]);

impl<'a> Object<'a> {
    /// The members as written, duplicate keys included.
    pub(crate) fn members(self) -> Members<'a> {
        Members { cursor: Cursor::new(self.0, 1) }
    }
}

/// An array that has passed the predicate.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) struct Array<'a>(&'a [u8]);

/// See [`Object::members`].
pub(crate) struct Members<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Raw<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let quote = self.cursor.begin_item()?;
        let key = self.cursor.key(quote)?;
        let first = self.cursor.token()?;
        let (text, has_escapes) = self.cursor.value(first, 0)?;
        Some((key, Value::of(text, has_escapes)))
    }
}

/// See [`Value::elements`].
pub(crate) struct Elements<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let first = self.cursor.begin_item()?;
        let (text, has_escapes) = self.cursor.value(first, 0)?;
        Some(Value::of(text, has_escapes))
    }
}

#[cfg(test)]
mod tests;
