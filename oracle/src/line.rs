//! Which lines are records (ASR-009, `readings.md` 0.1).

use crate::choices::Choices;
use crate::json;
use asr_spec::Json;
use std::collections::BTreeMap;

/// A physical line that is not blank.
pub(crate) struct Line {
    /// Its number, from 1, blank lines counted.
    pub number: u64,
    /// The members of its object, or `None` where the line is malformed.
    pub members: Option<BTreeMap<String, Json>>,
}

/// The lines of a stream that are not blank, in the order of the file.
pub(crate) fn lines(stream: &[u8], choices: &Choices) -> Vec<Line> {
    let stream = stream.strip_prefix("\u{feff}".as_bytes()).unwrap_or(stream);
    // Lines end at LF; what follows the last LF is a line unless it is empty.
    let stream = stream.strip_suffix(b"\n").unwrap_or(stream);
    let written = (choices.written)(stream.split(|&byte| byte == b'\n').collect());
    written.into_iter().map(|(number, line)| Line { number, members: (choices.members)(line) }).collect()
}

/// IP3-6: a blank line is counted and otherwise ignored.
pub(crate) fn numbered_then_not_blank(lines: Vec<&[u8]>) -> Vec<(u64, &[u8])> {
    (1..).zip(lines).filter(|(_, line)| !is_blank(line)).collect()
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
    use crate::choices::R1;

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
        let found: Vec<_> =
            lines(stream, &R1).iter().map(|line| (line.number, line.members.is_some())).collect();
        assert_eq!(found, [(1, true), (3, false), (5, true)]);
        for nothing in [&b""[..], b"\n", b"\xef\xbb\xbf"] {
            assert!(lines(nothing, &R1).is_empty());
        }
    }
}
