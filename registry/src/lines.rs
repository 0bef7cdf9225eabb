//! From bytes to native lines.
//!
//! A native file is read as a stream of ASR is read: lines end at LF, white space alone is no line, a byte
//! order mark is skipped. A line that is no JSON object is kept as text, since the session around it is still
//! good.

use crate::object::{Fields, NativeValue, Object};
use serde_json::Value;
use std::fmt;

/// A native file.
pub(crate) struct Source<'a> {
    pub file_name: Option<&'a str>,
    pub bytes: &'a [u8],
}

/// A line that is not blank.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Counted from 1, blank lines included.
    pub number: u64,
    pub bytes: &'a [u8],
}

/// Why a line is no native record.
#[derive(Debug)]
pub(crate) enum Unreadable {
    NoJson(serde_json::Error),
    NoObject(&'static str),
    NoType,
    TooDeep,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoJson(error) => {
                // The message ends in a position within the line, and the line of that position is always 1.
                let text = error.to_string();
                let reason = text.split(" at line ").next().unwrap_or_default();
                write!(f, "text that is no JSON (column {}: {reason})", error.column())
            }
            Self::NoObject(what) => f.write_str(what),
            Self::NoType => f.write_str("an object without a string `type`"),
            Self::TooDeep => f.write_str("an object nested too deeply"),
        }
    }
}

/// The lines of a file that are not blank.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let numbered = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    let blank = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    numbered.filter(move |(_, bytes)| !blank(bytes)).map(|(number, bytes)| Line { number, bytes })
}

impl Line<'_> {
    /// The object that the line holds.
    pub fn parse(&self) -> Result<Object, Unreadable> {
        // An ASR line may nest 127 levels. An audit fact holds the native object one level down, and content
        // that is one object becomes a part of a list, two levels down.
        const DEPTH: usize = 125;
        let NativeValue(value) = serde_json::from_slice(self.bytes).or_else(|error| {
            let mended = self.mended().and_then(|mended| serde_json::from_slice(&mended.bytes).ok());
            mended.ok_or(Unreadable::NoJson(error))
        })?;
        let found = match value {
            Value::Object(_) if deeper_than(DEPTH, &value) => return Err(Unreadable::TooDeep),
            Value::Object(object) => return Ok(object),
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
        };
        Err(Unreadable::NoObject(found))
    }

    /// The object that the line holds, if it has a string `type`, as native records of most agents do.
    pub fn parse_typed(&self) -> Result<Object, Unreadable> {
        let object = self.parse()?;
        if object.text("type").is_some() { Ok(object) } else { Err(Unreadable::NoType) }
    }

    /// The line without what JavaScript reads and others do not; `None` where there is nothing of the kind.
    ///
    /// JavaScript counts texts in UTF-16 units, so a tool that shortens its output may cut a surrogate pair in
    /// two, and the half is written as an escape; and it reads a number that is too large. Without the mended
    /// line the record would be lost, and with it the path to everything before. So each half becomes U+FFFD,
    /// and each number `null`: what JavaScript itself would write in their place.
    pub fn mended(&self) -> Option<Mended> {
        let halves = self.without_halves();
        let numbers = without_infinities(halves.as_deref().unwrap_or(self.bytes));
        let notes = [
            halves.as_ref().map(|_| "found half of a surrogate pair: read as U+FFFD"),
            numbers.as_ref().map(|_| "found a number out of range: read as null"),
        ];
        let bytes = numbers.or(halves)?;
        Some(Mended { bytes, notes: notes.into_iter().flatten().collect() })
    }

    fn without_halves(&self) -> Option<Vec<u8>> {
        let rest = |at: usize| self.bytes.get(at..).unwrap_or_default();
        let mut mended = None;
        let mut at = 0;
        while let Some(found) = rest(at).iter().position(|&byte| byte == b'\\') {
            at += found;
            match (half(rest(at)), half(rest(at + ESCAPE))) {
                (Some(Half::High), Some(Half::Low)) => at += 2 * ESCAPE,
                (Some(_), _) => {
                    let mended = mended.get_or_insert_with(|| self.bytes.to_vec());
                    if let Some(digits) = mended.get_mut(at + 2..at + ESCAPE) {
                        digits.copy_from_slice(b"fffd");
                    }
                    at += ESCAPE;
                }
                (None, _) => at += 2,
            }
        }
        mended
    }

    /// The line as text, where it holds nothing better.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }
}

/// A line that could only be read with a change.
pub(crate) struct Mended {
    pub bytes: Vec<u8>,
    /// What was changed.
    pub notes: Vec<&'static str>,
}

/// A line with each number that no double can hold replaced by `null`, if there are any.
fn without_infinities(bytes: &[u8]) -> Option<Vec<u8>> {
    let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let (mut mended, mut kept, mut at) = (None, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        match byte {
            b'"' => {
                let mut is_escaped = true;
                let end = rest.iter().position(|&byte| {
                    let ends = byte == b'"' && !is_escaped;
                    is_escaped = byte == b'\\' && !is_escaped;
                    ends
                });
                at += end.map_or(rest.len(), |end| end + 1);
            }
            b'-' | b'0'..=b'9' => {
                let length = rest.iter().take_while(|byte| is_number(byte)).count();
                let number =
                    rest.get(..length).and_then(|text| str::from_utf8(text).ok()?.parse::<f64>().ok());
                if number.is_some_and(f64::is_infinite) {
                    let mended: &mut Vec<u8> = mended.get_or_insert_default();
                    mended.extend_from_slice(bytes.get(kept..at).unwrap_or_default());
                    mended.extend_from_slice(b"null");
                    kept = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    let mut mended = mended?;
    mended.extend_from_slice(bytes.get(kept..).unwrap_or_default());
    Some(mended)
}

/// Bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// Half of a surrogate pair.
enum Half {
    High,
    Low,
}

/// The half that an escape at the beginning of `bytes` stands for.
fn half(bytes: &[u8]) -> Option<Half> {
    match bytes.strip_prefix(b"\\u")?.get(..4)? {
        [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..] => Some(Half::High),
        [b'd' | b'D', b'c'..=b'f' | b'C'..=b'F', ..] => Some(Half::Low),
        _ => None,
    }
}

/// Whether a value nests more than `levels` levels. Ends its own recursion after as many.
fn deeper_than(levels: usize, value: &Value) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => true,
        (Value::Array(items), Some(left)) => items.iter().any(|item| deeper_than(left, item)),
        (Value::Object(members), Some(left)) => members.values().any(|member| deeper_than(left, member)),
        _ => false,
    }
}

/// Whether an object is a record of an ASR stream: no known agent writes a whole-number `seq` beside type and
/// id.
pub(crate) fn is_asr(object: &Object) -> bool {
    let has_seq = object.get("seq").is_some_and(Value::is_i64);
    has_seq && object.text("type").is_some() && object.text("id").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bytes: &[u8]) -> Line<'_> {
        Line { number: 1, bytes }
    }

    #[test]
    fn blank_lines_are_counted_and_left_out() {
        let numbers: Vec<u64> = lines(b"\xef\xbb\xbf{}\n\n \t\r\n{}\r\nx").map(|line| line.number).collect();
        assert_eq!(numbers, [1, 4, 5]);
    }

    #[test]
    fn a_line_says_why_it_is_no_record() {
        let why = |text: &str| line(text.as_bytes()).parse_typed().unwrap_err().to_string();
        assert_eq!(why("[1]"), "an array");
        assert_eq!(why(r#"{"type":5}"#), "an object without a string `type`");
        assert_eq!(why(r#"{"type":"#), "text that is no JSON (column 8: EOF while parsing a value)");
        assert!(line(b"\"\xff\"").parse().is_err(), "invalid UTF-8 is no text");
    }

    #[test]
    fn half_a_surrogate_pair_is_mended_and_nothing_else_is() {
        let mended = |text: &str| {
            line(text.as_bytes()).mended().map(|mended| String::from_utf8(mended.bytes).unwrap())
        };
        for whole in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\n\uD7FF\uE000""#, r#""\ud8"#, "\\", ""] {
            assert_eq!(mended(whole), None, "{whole}");
        }
        for (broken, expected) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\uDE00\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83d\ud83d\ude00\ude00""#, r#""\ufffd\ud83d\ude00\ufffd""#),
            (r#""\\\ud83d\\ude00""#, r#""\\\ufffd\\ude00""#),
        ] {
            assert_eq!(mended(broken).as_deref(), Some(expected), "{broken}");
        }
    }

    #[test]
    fn a_number_that_javascript_reads_as_infinity_is_null_and_no_other_is() {
        let mended = |text: &str| {
            line(text.as_bytes()).mended().map(|mended| String::from_utf8(mended.bytes).unwrap())
        };
        for fine in ["[1e308,-1.7E+308,1e-999,12345678901234567890123]", r#"{"1e999":"a\\","b":"\"-1e999"}"#]
        {
            assert_eq!(mended(fine), None, "{fine}");
        }
        assert_eq!(
            mended(r#"{"a":[1e999,-2.5E+400,1],"b":"\u005c\"1e999","c":-1e309}"#).as_deref(),
            Some(r#"{"a":[null,null,1],"b":"\u005c\"1e999","c":null}"#)
        );
        assert_eq!(mended(r#"["\ud83d",1e999]"#).as_deref(), Some(r#"["\ufffd",null]"#));
    }

    #[test]
    fn keys_that_serde_json_keeps_for_itself_are_keys() {
        let text = r#"{"$serde_json::private::RawValue":"{","a":{"$serde_json::private::Number":"5"}}"#;
        let object = line(text.as_bytes()).parse().unwrap();
        assert_eq!(Value::Object(object).to_string(), text);
    }

    /// Its record holds a part of it further down; the ASR line must still be a record for its readers.
    #[test]
    fn a_native_object_may_nest_as_deep_as_its_record_can_hold() {
        let nested = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        assert!(line(nested(125).as_bytes()).parse().is_ok());
        assert!(matches!(line(nested(126).as_bytes()).parse(), Err(Unreadable::TooDeep)));
        assert!(matches!(line(nested(5000).as_bytes()).parse(), Err(Unreadable::NoJson(_))));
    }
}
