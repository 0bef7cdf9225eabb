//! Which lines are records (ASR-009, `readings.md` 0.1).

use crate::choices::{Choices, R1};
use crate::json;
use crate::stream::Item;
use crate::variants::Variant;
use asr_spec::Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A physical line, read by itself: what it is does not depend on the lines around it.
#[derive(Clone)]
pub struct Line {
    pub(crate) is_blank: bool,
    /// The record that it is, unless it is blank or malformed. Streams may share it.
    pub(crate) record: Option<Arc<Record>>,
}

/// A JSON object on a line of its own.
#[derive(Clone)]
pub(crate) struct Record {
    pub members: BTreeMap<String, Json>,
    /// The type, empty where it is no string.
    pub r#type: String,
    /// The id, where it is a string.
    pub id: Option<Arc<str>>,
    /// The seq: an integer literal of 64 bits (`readings.md` B.9).
    pub seq: Option<i64>,
}

impl Line {
    /// Reads a line, given without its line feed.
    pub fn read(line: &[u8]) -> Self {
        Self::read_with(&R1, line)
    }

    /// Reads a line as a variant does.
    pub fn read_as(variant: &Variant, line: &[u8]) -> Self {
        Self::read_with(&variant.choices, line)
    }

    fn read_with(choices: &Choices, line: &[u8]) -> Self {
        let record = (choices.members)(line).map(|members| Arc::new(Record::from(members)));
        Self { is_blank: is_blank(line), record }
    }
}

impl From<BTreeMap<String, Json>> for Record {
    fn from(members: BTreeMap<String, Json>) -> Self {
        let string = |key: &str| members.get(key).and_then(Json::as_str);
        let seq = match members.get("seq") {
            Some(Json::Number(number)) => number.literal().parse().ok(),
            _ => None,
        };
        let (r#type, id) = (string("type").unwrap_or_default().to_owned(), string("id").map(Arc::from));
        Self { r#type, id, seq, members }
    }
}

/// The lines of a stream, in the order of the file.
pub(crate) fn lines(stream: &[u8], choices: &Choices) -> Vec<Line> {
    let stream = stream.strip_prefix("\u{feff}".as_bytes()).unwrap_or(stream);
    if stream.is_empty() {
        return Vec::new();
    }
    // Lines end at LF; what follows the last LF is a line unless it is empty.
    let stream = stream.strip_suffix(b"\n").unwrap_or(stream);
    stream.split(|&byte| byte == b'\n').map(|line| Line::read_with(choices, line)).collect()
}

/// IP3-6: a blank line is counted and otherwise ignored.
pub(crate) fn numbered_then_not_blank(lines: &[Line]) -> Vec<Item> {
    let numbered = (1..).zip(lines).filter(|(_, line)| !line.is_blank);
    numbered.map(|(number, line)| Item::new(number, line)).collect()
}

pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// A record is valid UTF-8 and one JSON text whose value is an object.
pub(crate) fn members(line: &[u8]) -> Option<BTreeMap<String, Json>> {
    match json::read(str::from_utf8(line).ok()?)? {
        Json::Object(members) => Some(members),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(stream: &[u8]) -> Vec<Item> {
        (R1.written)(&lines(stream, &R1))
    }

    fn nested(levels: usize) -> String {
        format!(r#"{{"a":{}{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1))
    }

    #[test]
    fn what_the_grammar_allows_is_a_record() {
        let deepest = nested(127);
        let ok: &[&[u8]] = &[
            b"{}",
            b" \t{ \"a\" : [ 1 , 2 ] }\r",
            br#"{"a":1e999,"b":-0,"c":123456789012345678901234567890,"d":0.1E+2}"#,
            br#"{"a":"\ud83d\ude00","b":"\u0000\/\b"}"#,
            br#"{"type":1,"type":"message"}"#,
            br#"{"a":"\ufffe","$serde_json::private::Number":"5"}"#,
            deepest.as_bytes(),
        ];
        for line in ok {
            assert!(members(line).is_some(), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn what_the_grammar_forbids_is_malformed() {
        let too_deep = nested(128);
        let bad: &[&[u8]] = &[
            b"[]",
            b"5",
            b"{",
            b"{}{}",
            b"{} x",
            br#"{"a":1,}"#,
            br#"{"a":[1,]}"#,
            br#"{a:1}"#,
            br#"{"a":01}"#,
            br#"{"a":+1}"#,
            br#"{"a":.5}"#,
            br#"{"a":1.}"#,
            br#"{"a":NaN}"#,
            br#"{"a":True}"#,
            br#"{"a":"\x41"}"#,
            br#"{"a":"\u12G4"}"#,
            br#"{"a":"\u+123"}"#,
            br#"{"a":"\ud800"}"#,
            br#"{"a":"\ud800\u0041"}"#,
            br#"{"a":"\udc00"}"#,
            br#"{"\ud800":1}"#,
            b"{\"a\":\"\t\"}",
            b"{\"a\":\"\xff\"}",
            b"{\"a\":1}\x0b",
            b"{\"a\":1}\xc2\xa0",
            b"\xef\xbb\xbf{}",
            too_deep.as_bytes(),
        ];
        for line in bad {
            assert!(members(line).is_none(), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn the_last_of_duplicate_keys_wins_after_unescaping() {
        let members = members(br#"{"id":"a","i\u0064":"b"}"#).unwrap();
        assert_eq!(members.get("id"), Some(&"b".into()));
    }

    #[test]
    fn lines_are_counted_as_they_stand_in_the_file() {
        let stream = b"\xef\xbb\xbf{}\r\n \t\r\n{\n\n{}";
        let found: Vec<_> = written(stream).iter().map(|item| (item.line, item.record.is_some())).collect();
        assert_eq!(found, [(1, true), (3, false), (5, true)]);
        for nothing in [&b""[..], b"\n", b"\xef\xbb\xbf"] {
            assert!(written(nothing).is_empty());
        }
    }
}
