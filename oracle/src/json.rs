//! One RFC 8259 text to one value, by recursive descent over the grammar as printed there.
//!
//! Not `serde_json`: it refuses numbers that the grammar allows and so cannot say which lines are records
//! (`readings.md` 0.1). A text nested deeper than [`LEVELS`] is refused on the way down, which bounds recursion.

use asr_spec::Json;
use asr_spec::json::Number;
use std::collections::BTreeMap;

/// A record may be nested this deep; the outermost value is level 1.
const LEVELS: usize = 127;

/// The value of a JSON text, or `None` where `text` is none, is nested too deep, or has an unpaired surrogate.
pub(crate) fn read(text: &str) -> Option<Json> {
    let mut reader = Reader { rest: text };
    reader.white_space();
    let value = reader.value(1)?;
    reader.white_space();
    reader.rest.is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// ws = *( %x20 / %x09 / %x0A / %x0D )
    fn white_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    /// Takes `token` if it comes next.
    fn take(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    fn take_char(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let char = chars.next()?;
        self.rest = chars.as_str();
        Some(char)
    }

    /// value = false / null / true / object / array / number / string
    fn value(&mut self, level: usize) -> Option<Json> {
        match self.rest.chars().next()? {
            'n' => self.take("null").map(|()| Json::Null),
            't' => self.take("true").map(|()| Json::Bool(true)),
            'f' => self.take("false").map(|()| Json::Bool(false)),
            '"' => self.string().map(Json::String),
            '[' if level <= LEVELS => self.array(level),
            '{' if level <= LEVELS => self.object(level),
            _ => self.number(),
        }
    }

    /// object = begin-object [ member *( value-separator member ) ] end-object
    fn object(&mut self, level: usize) -> Option<Json> {
        let mut members = BTreeMap::new();
        self.take("{")?;
        self.white_space();
        if self.take("}").is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.white_space();
            let key = self.string()?;
            self.white_space();
            self.take(":")?;
            self.white_space();
            let value = self.value(level + 1)?;
            // Of duplicate keys the last one wins.
            members.insert(key, value);
            self.white_space();
            if self.take("}").is_some() {
                return Some(Json::Object(members));
            }
            self.take(",")?;
        }
    }

    /// array = begin-array [ value *( value-separator value ) ] end-array
    fn array(&mut self, level: usize) -> Option<Json> {
        let mut items = Vec::new();
        self.take("[")?;
        self.white_space();
        if self.take("]").is_some() {
            return Some(Json::Array(items));
        }
        loop {
            self.white_space();
            items.push(self.value(level + 1)?);
            self.white_space();
            if self.take("]").is_some() {
                return Some(Json::Array(items));
            }
            self.take(",")?;
        }
    }

    /// number = [ minus ] int [ frac ] [ exp ]
    fn number(&mut self) -> Option<Json> {
        let is_part = |char: char| char.is_ascii_digit() || matches!(char, '-' | '+' | '.' | 'e' | 'E');
        let end = self.rest.find(|char| !is_part(char)).unwrap_or(self.rest.len());
        let (literal, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Number::from_literal(literal).map(Json::Number)
    }

    /// string = quotation-mark *char quotation-mark
    fn string(&mut self) -> Option<String> {
        let mut string = String::new();
        self.take("\"")?;
        loop {
            match self.take_char()? {
                '"' => return Some(string),
                '\\' => string.push(self.escape()?),
                '\0'..='\x1f' => return None,
                char => string.push(char),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<char> {
        match self.take_char()? {
            char @ ('"' | '\\' | '/') => Some(char),
            'b' => Some('\x08'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'u' => self.unicode_escape(),
            _ => None,
        }
    }

    /// Four hexadecimal digits, or a pair of surrogates; one surrogate alone stands for no character.
    fn unicode_escape(&mut self) -> Option<char> {
        let first = self.code_unit()?;
        if !(0xd800..=0xdbff).contains(&first) {
            return char::from_u32(first);
        }
        self.take("\\u")?;
        let second = self.code_unit()?;
        let low = second.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)
    }

    fn code_unit(&mut self) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if all_hex { u32::from_str_radix(digits, 16).ok() } else { None }
    }
}
