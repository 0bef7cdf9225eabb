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

use memchr::memchr;
use std::borrow::Cow;
use wide::u8x16;

/// How deep a record may nest; its own object is level 1.
pub(crate) const MAX_LEVELS: u32 = 127;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line that is not blank.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Span<'a> {
    /// The physical number, counted from 1, blank lines included.
    pub number: u64,
    /// Where the line begins in the stream.
    pub start: usize,
    /// The line without its line feed, and without the byte order mark of the stream.
    pub bytes: &'a [u8],
}

/// The lines of a stream that are not blank.
pub(crate) struct Lines<'a> {
    stream: &'a [u8],
    at: usize,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(stream: &'a [u8]) -> Self {
        let at = if stream.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Self { stream, at, number: 0 }
    }

    /// The lines of a part of a stream that is not its beginning.
    pub(crate) fn without_mark(part: &'a [u8]) -> Self {
        Self { stream: part, at: 0, number: 0 }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Span<'a>;

    fn next(&mut self) -> Option<Span<'a>> {
        loop {
            let start = self.at;
            let bytes = line_at(self.stream, start)?;
            self.at = start + bytes.len() + 1;
            self.number += 1;
            if !is_blank(bytes) {
                return Some(Span { number: self.number, start, bytes });
            }
        }
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
    let end = rest.iter().position(|&byte| byte == b'"').unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// The members of a line that has passed the predicate, as written, duplicate keys included.
pub(crate) fn members(line: &[u8]) -> Members<'_> {
    let start = memchr(b'{', line).map_or(line.len(), |at| at + 1);
    Members { cursor: Cursor { rest: line.get(start..).unwrap_or_default() } }
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
    texts: [&'a [u8]; Field::COUNT],
}

impl<'a> Fields<'a> {
    /// Reads a line whose UTF-8 is valid. False if it is no record; then the fields mean nothing.
    pub(crate) fn read(&mut self, line: &'a [u8]) -> bool {
        self.present = 0;
        self.object(Cursor { rest: line }).is_some()
    }

    pub(crate) fn get(&self, field: Field) -> Value<'a> {
        match self.texts.get(field as usize) {
            Some(text) if self.present & (1 << field as u32) != 0 => Value::of(text),
            _ => Value::Absent,
        }
    }

    fn object(&mut self, mut cursor: Cursor<'a>) -> Option<()> {
        cursor.space();
        cursor.expect(b'{')?;
        cursor.space();
        if cursor.peek()? == b'}' {
            cursor.next();
        } else {
            loop {
                let key = cursor.key()?;
                let before = cursor.rest;
                cursor.skip_value(1)?;
                if let Some(field) = key.field() {
                    *self.texts.get_mut(field as usize)? = cursor.since(before)?;
                    self.present |= 1 << field as u32;
                }
                cursor.space();
                match cursor.next()? {
                    b',' => cursor.space(),
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        cursor.space();
        cursor.rest.is_empty().then_some(())
    }
}

/// A string as it was written, without its quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// The string unescaped.
    pub(crate) fn decode(self) -> Cow<'a, [u8]> {
        match memchr(b'\\', self.0) {
            None => Cow::Borrowed(self.0),
            Some(_) => Cow::Owned(unescape(self.0)),
        }
    }

    /// Where the string begins in the line that it is part of.
    pub(crate) fn offset(self, line: &[u8]) -> usize {
        self.0.as_ptr().addr().wrapping_sub(line.as_ptr().addr())
    }

    /// Whether the string, unescaped, is `text`.
    pub(crate) fn is(self, text: &[u8]) -> bool {
        // An escape is longer than what it stands for.
        self.0 == text || self.0.len() > text.len() && *self.decode() == *text
    }

    fn field(self) -> Option<Field> {
        Field::of(self.0).or_else(|| match self.0.contains(&b'\\') {
            false => None,
            true => Field::of(&self.decode()),
        })
    }
}

/// A value of a record. What is below a container is read when it is asked for.
#[derive(Clone, Copy)]
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
    fn of(text: &'a [u8]) -> Self {
        match text {
            [b'"', inner @ .., b'"'] => Self::String(Raw(inner)),
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
            Self::Array(Array(text)) => Elements { cursor: Cursor::behind_bracket(text) },
            _ => Elements { cursor: Cursor { rest: &[] } },
        }
    }
}

/// An object that has passed the predicate.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a>(&'a [u8]);

impl<'a> Object<'a> {
    /// The members as written, duplicate keys included.
    pub(crate) fn members(self) -> Members<'a> {
        Members { cursor: Cursor::behind_bracket(self.0) }
    }
}

/// An array that has passed the predicate.
#[derive(Clone, Copy)]
pub(crate) struct Array<'a>(&'a [u8]);

/// See [`Object::members`].
pub(crate) struct Members<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Raw<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.begin_item()?;
        let key = self.cursor.key()?;
        Some((key, self.cursor.value()?))
    }
}

/// See [`Value::elements`].
pub(crate) struct Elements<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.cursor.begin_item()?;
        self.cursor.value()
    }
}

/// What is still to be read of a text. Every method answers `None` where the text is no JSON.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn behind_bracket(container: &'a [u8]) -> Self {
        Self { rest: container.get(1..).unwrap_or_default() }
    }

    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// What was read since `before` was still to be read.
    fn since(&self, before: &'a [u8]) -> Option<&'a [u8]> {
        before.get(..before.len().checked_sub(self.rest.len())?)
    }

    /// A line feed ends the line, so it is not among the white space.
    fn space(&mut self) {
        while let [b' ' | b'\t' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Moves from behind an item of a container, or from behind its bracket, to the next item.
    fn begin_item(&mut self) -> Option<()> {
        self.space();
        match self.peek()? {
            b',' => drop(self.next()),
            b'}' | b']' => return None,
            _ => {}
        }
        self.space();
        Some(())
    }

    /// A key, and what is between it and its value.
    fn key(&mut self) -> Option<Raw<'a>> {
        self.expect(b'"')?;
        let key = self.string()?;
        self.space();
        self.expect(b':')?;
        self.space();
        Some(key)
    }

    /// A value below the top level of a line that has passed the predicate.
    fn value(&mut self) -> Option<Value<'a>> {
        let before = self.rest;
        self.skip_value(0)?;
        self.since(before).map(Value::of)
    }

    /// Passes one value inside `outer` levels.
    fn skip_value(&mut self, outer: u32) -> Option<()> {
        // The containers that are open inside this value, the innermost in the lowest bit: 1 is an object.
        let mut open: u128 = 0;
        let mut level = outer;
        loop {
            match self.next()? {
                b'"' => {
                    self.string()?;
                }
                opening @ (b'{' | b'[') => {
                    level += 1;
                    if level > MAX_LEVELS {
                        return None;
                    }
                    self.space();
                    // The closing bracket of either kind is its opening one plus two.
                    if self.peek()? == opening + 2 {
                        self.next();
                        level -= 1;
                    } else {
                        open <<= 1;
                        if opening == b'{' {
                            open |= 1;
                            self.key()?;
                        }
                        continue;
                    }
                }
                b't' => self.rest(b"rue")?,
                b'f' => self.rest(b"alse")?,
                b'n' => self.rest(b"ull")?,
                first @ (b'-' | b'0'..=b'9') => self.number(first)?,
                _ => return None,
            }
            // A value is complete; so may be the containers around it.
            loop {
                if level == outer {
                    return Some(());
                }
                self.space();
                match (self.next()?, open & 1 == 1) {
                    (b',', true) => {
                        self.space();
                        self.key()?;
                        break;
                    }
                    (b',', false) => {
                        self.space();
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        open >>= 1;
                        level -= 1;
                    }
                    _ => return None,
                }
            }
        }
    }

    fn rest(&mut self, rest: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(rest)?;
        Some(())
    }

    /// The rest of a number whose first byte has been taken.
    fn number(&mut self, first: u8) -> Option<()> {
        let first = if first == b'-' { self.next()? } else { first };
        match first {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            _ => return None,
        }
        if let [b'.', rest @ ..] = self.rest {
            self.rest = rest;
            self.some_digits()?;
        }
        if let [b'e' | b'E', rest @ ..] = self.rest {
            self.rest = rest;
            if let [b'+' | b'-', rest @ ..] = self.rest {
                self.rest = rest;
            }
            self.some_digits()?;
        }
        Some(())
    }

    fn digits(&mut self) {
        while let [b'0'..=b'9', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn some_digits(&mut self) -> Option<()> {
        self.next()?.is_ascii_digit().then_some(())?;
        self.digits();
        Some(())
    }

    /// The rest of a string whose opening quote has been taken.
    fn string(&mut self) -> Option<Raw<'a>> {
        let start = self.rest;
        let mut rest = start;
        loop {
            // All but quotes, backslashes and control characters needs no look.
            rest = match rest.first_chunk() {
                Some(chunk) => match hits(chunk) {
                    0 => {
                        rest = rest.get(CHUNK..)?;
                        continue;
                    }
                    hits => rest.get(hits.trailing_zeros() as usize..)?,
                },
                None => rest.get(rest.iter().position(|byte| !is_plain(*byte))?..)?,
            };
            rest = match rest {
                [b'"', behind @ ..] => {
                    self.rest = behind;
                    return start.get(..start.len() - rest.len()).map(Raw);
                }
                [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', behind @ ..] => behind,
                [b'\\', b'u', behind @ ..] => {
                    self.rest = behind;
                    self.unit()?;
                    self.rest
                }
                _ => return None,
            }
        }
    }

    /// The rest of a `\u` escape. A surrogate must be one half of a pair.
    fn unit(&mut self) -> Option<()> {
        match self.hex4()? {
            0xD800..=0xDBFF => {
                self.rest(b"\\u")?;
                matches!(self.hex4()?, 0xDC00..=0xDFFF).then_some(())
            }
            0xDC00..=0xDFFF => None,
            _ => Some(()),
        }
    }

    fn hex4(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            code = code << 4 | char::from(self.next()?).to_digit(16)?;
        }
        Some(code)
    }
}

fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// How many bytes are looked at together.
const CHUNK: usize = 16;

/// One bit per byte that is a quote, a backslash or a control character.
#[inline]
fn hits(chunk: &[u8; CHUNK]) -> u32 {
    let bytes = u8x16::new(*chunk);
    let is = |byte| bytes.cmp_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1F)).cmp_eq(bytes);
    (is(b'"') | is(b'\\') | is_control).move_mask() as u32
}

/// Unescapes a string that has passed the predicate.
fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut cursor = Cursor { rest: raw };
    while let Some(byte) = cursor.next() {
        if byte == b'\\' {
            let mut utf8 = [0; 4];
            let character = cursor.escaped_character().unwrap_or(char::REPLACEMENT_CHARACTER);
            text.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        } else {
            text.push(byte);
        }
    }
    text
}

impl Cursor<'_> {
    /// What the escape stands for whose backslash has been taken.
    fn escaped_character(&mut self) -> Option<char> {
        Some(match self.next()? {
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex4()?;
                if let 0xD800..=0xDBFF = unit {
                    self.rest(b"\\u")?;
                    let low = self.hex4()?.checked_sub(0xDC00)?;
                    char::from_u32(0x10000 + ((unit - 0xD800) << 10) + low)?
                } else {
                    char::from_u32(unit)?
                }
            }
            itself => char::from(itself),
        })
    }
}

#[cfg(test)]
mod tests;
