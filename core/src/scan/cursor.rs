//! The grammar of JSON: a cursor that checks what it passes.
//!
//! Every method answers `None` where the text is no JSON. None ever passes a line feed, which is neither white space
//! here nor allowed in a string; so a cursor may be given all of a stream, and what it reads is one line.
//!
//! *The trick*: a string of any length is looked at 64 bytes at a time. One bit per byte says which need a look (quotes,
//! backslashes, control characters), and an escape takes the bit of the byte that it covers with it, so that going from
//! hit to hit costs some operations on one number, and waits for no memory.

use super::{MAX_LEVELS, Raw};
use wide::u8x16;

/// A place in a text.
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes the next byte that is no white space. A line feed ends the line, so it is not among the white space.
    #[inline(always)]
    pub(super) fn token(&mut self) -> Option<u8> {
        let byte = self.next()?;
        if byte > b' ' { Some(byte) } else { self.token_behind_space(byte) }
    }

    #[cold]
    fn token_behind_space(&mut self, mut byte: u8) -> Option<u8> {
        while let b' ' | b'\t' | b'\r' = byte {
            byte = self.next()?;
        }
        (byte > b' ').then_some(byte)
    }

    pub(super) fn expect(&mut self, token: u8) -> Option<()> {
        (self.token()? == token).then_some(())
    }

    /// Where the line ends, if nothing but white space is left of it.
    #[inline]
    pub(super) fn end_of_line(&mut self) -> Option<usize> {
        while let Some(b' ' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
        matches!(self.peek(), None | Some(b'\n')).then_some(self.at)
    }

    /// Moves from behind an item of a container, or from behind its bracket, to the next item, and takes its first
    /// byte. None behind the last.
    pub(super) fn begin_item(&mut self) -> Option<u8> {
        match self.token()? {
            b',' => self.token(),
            b'}' | b']' => None,
            first => Some(first),
        }
    }

    /// The rest of a key whose first byte has been taken, and the colon.
    #[inline(always)]
    pub(super) fn key(&mut self, first: u8) -> Option<Raw<'a>> {
        if first != b'"' {
            return None;
        }
        let start = self.at;
        let has_escapes = self.string()?;
        let text = self.text.get(start..self.at - 1)?;
        self.expect(b':')?;
        Some(Raw { text, has_escapes })
    }

    /// A value inside `outer` levels whose first byte has been taken: its text, and whether that is a string with
    /// escapes.
    #[inline(always)]
    pub(super) fn value(&mut self, first: u8, outer: u32) -> Option<(&'a [u8], bool)> {
        let start = self.at - 1;
        let mut has_escapes = false;
        match first {
            b'"' => has_escapes = self.string()?,
            b'{' | b'[' => self.at = container(self.text, self.at, first, outer)?,
            _ => self.scalar(first)?,
        }
        Some((self.text.get(start..self.at)?, has_escapes))
    }

    /// Passes the rest of what is neither a string nor a container, and whose first byte has been taken.
    #[inline]
    fn scalar(&mut self, first: u8) -> Option<()> {
        match first {
            b't' => self.literal(b"rue"),
            b'f' => self.literal(b"alse"),
            b'n' => self.literal(b"ull"),
            _ => {
                self.at = number(self.text, self.at, first)?;
                Some(())
            }
        }
    }

    fn literal(&mut self, rest: &[u8]) -> Option<()> {
        self.text.get(self.at..)?.strip_prefix(rest)?;
        self.at += rest.len();
        Some(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Option<()> {
        self.next()?.is_ascii_digit().then_some(())?;
        self.digits();
        Some(())
    }

    /// Passes the rest of a string whose opening quote has been taken. Returns whether it has escapes.
    #[inline(always)]
    fn string(&mut self) -> Option<bool> {
        // Most are short and have no escapes.
        if let Some(chunk) = self.text.get(self.at..)?.first_chunk() {
            let length = hits(chunk).trailing_zeros() as usize;
            if chunk.get(length) == Some(&b'"') {
                self.at += length + 1;
                return Some(false);
            }
        }
        let has_escapes;
        (self.at, has_escapes) = long_string(self.text, self.at)?;
        Some(has_escapes)
    }
}

// What follows is not worth a copy where it is called. It takes and returns places, since a cursor of which somebody
// has the address lives in memory.

/// Passes the rest of a container inside `outer` levels whose bracket has been taken. Returns where it ends.
fn container(text: &[u8], at: usize, bracket: u8, outer: u32) -> Option<usize> {
    let mut cursor = Cursor::new(text, at);
    // The containers that are open, the innermost in the lowest bit: 1 is an object.
    let mut open = u128::from(bracket == b'{');
    let mut level = outer + 1;
    if level > MAX_LEVELS {
        return None;
    }
    let mut token = cursor.token()?;
    // The closing bracket of either kind is its opening one plus two.
    if token == bracket + 2 {
        return Some(cursor.at);
    }
    loop {
        if open & 1 == 1 {
            cursor.key(token)?;
            token = cursor.token()?;
        }
        match token {
            b'"' => drop(cursor.string()?),
            b'{' | b'[' => {
                level += 1;
                if level > MAX_LEVELS {
                    return None;
                }
                let first = cursor.token()?;
                if first != token + 2 {
                    open = open << 1 | u128::from(token == b'{');
                    token = first;
                    continue;
                }
                level -= 1;
            }
            _ => cursor.scalar(token)?,
        }
        // An item is complete; so may be the containers around it.
        loop {
            match (cursor.token()?, open & 1 == 1) {
                (b',', _) => {
                    token = cursor.token()?;
                    break;
                }
                (b'}', true) | (b']', false) => {
                    level -= 1;
                    if level == outer {
                        return Some(cursor.at);
                    }
                    open >>= 1;
                }
                _ => return None,
            }
        }
    }
}

/// Passes the rest of a number whose first byte has been taken. Returns where it ends.
fn number(text: &[u8], at: usize, mut first: u8) -> Option<usize> {
    let mut cursor = Cursor::new(text, at);
    if first == b'-' {
        first = cursor.next()?;
    }
    match first {
        b'0' => {}
        b'1'..=b'9' => cursor.digits(),
        _ => return None,
    }
    if cursor.peek() == Some(b'.') {
        cursor.at += 1;
        cursor.some_digits()?;
    }
    if let Some(b'e' | b'E') = cursor.peek() {
        cursor.at += 1;
        if let Some(b'+' | b'-') = cursor.peek() {
            cursor.at += 1;
        }
        cursor.some_digits()?;
    }
    Some(cursor.at)
}

/// Passes the rest of any string whose opening quote has been taken. Returns where it ends, and whether it has escapes.
fn long_string(text: &[u8], mut at: usize) -> Option<(usize, bool)> {
    // Where the last escape ends, as far as its second byte.
    let mut behind_escape = 0;
    // The escape that must be the other half of a surrogate pair.
    let mut low_half = usize::MAX;
    loop {
        let rest = text.get(at..)?;
        let padded;
        let block = match rest.first_chunk() {
            Some(block) => block,
            None => {
                padded = pad(rest);
                &padded
            }
        };
        let mut hits = hits_of_block(block);
        while hits != 0 {
            let place = hits.trailing_zeros() as usize;
            let byte = *block.get(place)?;
            if byte == b'"' {
                return Some((at + place + 1, behind_escape > 0));
            }
            let escape = *text.get(at + place + 1)?;
            if byte != b'\\' {
                return None;
            }
            if !is_whole_escape(escape) {
                unit(text, at + place, &mut low_half)?;
            }
            // With the byte behind it, which may be in the next block.
            hits &= !(3 << place);
            behind_escape = at + place + 2;
        }
        at = behind_escape.max(at + BLOCK);
    }
}

/// Checks the `\u` escape at a place. A surrogate must be one half of a pair.
fn unit(text: &[u8], at: usize, low_half: &mut usize) -> Option<()> {
    text.get(at + 1..)?.strip_prefix(b"u")?;
    match hex4(text, at + 2)? {
        0xD800..=0xDBFF => {
            text.get(at + 6..)?.strip_prefix(b"\\u")?;
            *low_half = at + 6;
            matches!(hex4(text, at + 8)?, 0xDC00..=0xDFFF).then_some(())
        }
        0xDC00..=0xDFFF => (at == *low_half).then_some(()),
        _ => Some(()),
    }
}

/// How many bytes of a long string are looked at together.
const BLOCK: usize = 64;

/// Whether a backslash and this byte are a whole escape. A look into a table, since no branch foresees which it is.
#[expect(clippy::indexing_slicing, reason = "the table has an element for every byte")]
fn is_whole_escape(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut bytes: &[u8] = b"\"\\/bfnrt";
        while let [byte, rest @ ..] = bytes {
            table[*byte as usize] = true;
            bytes = rest;
        }
        table
    };
    TABLE[usize::from(byte)]
}

/// The end of a text, and zeros, which are no part of any string.
#[cold]
fn pad(rest: &[u8]) -> [u8; BLOCK] {
    let mut padded = [0; BLOCK];
    for (to, from) in padded.iter_mut().zip(rest) {
        *to = *from;
    }
    padded
}

/// One bit per byte that is a quote, a backslash or a control character.
#[inline(always)]
fn hits(chunk: &[u8; 16]) -> u32 {
    let bytes = u8x16::new(*chunk);
    let is = |byte| bytes.cmp_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1F)).cmp_eq(bytes);
    (is(b'"') | is(b'\\') | is_control).move_mask() as u32
}

#[inline(always)]
fn hits_of_block(block: &[u8; BLOCK]) -> u64 {
    let (chunks, _) = block.as_chunks();
    chunks.iter().rev().fold(0, |later, chunk| later << 16 | u64::from(hits(chunk)))
}

/// The four hexadecimal digits at a place.
#[inline]
fn hex4(text: &[u8], at: usize) -> Option<u32> {
    let digits: &[u8; 4] = text.get(at..)?.first_chunk()?;
    let [a, b, c, d] = digits.map(|digit| char::from(digit).to_digit(16).unwrap_or(16));
    (a | b | c | d < 16).then_some(a << 12 | b << 8 | c << 4 | d)
}

/// Unescapes a string that has passed the predicate.
pub(super) fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut cursor = Cursor::new(raw, 0);
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
                    self.literal(b"\\u")?;
                    let low = self.hex4()?.checked_sub(0xDC00)?;
                    char::from_u32(0x10000 + ((unit - 0xD800) << 10) + low)?
                } else {
                    char::from_u32(unit)?
                }
            }
            itself => char::from(itself),
        })
    }

    fn hex4(&mut self) -> Option<u32> {
        let code = hex4(self.text, self.at)?;
        self.at += 4;
        Some(code)
    }
}
