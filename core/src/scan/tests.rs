//! The line predicate, byte by byte, and what is read of a line that passes.

use super::*;

fn is_record(line: &[u8]) -> bool {
    let mut fields = Fields::default();
    let mut lines = Lines::new(line);
    let is_record = lines.next(&mut fields).is_some_and(|span| span.is_record && span.start == 0);
    is_record && lines.position().at == line.len()
}

fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{{\"a\":{}{}}}", open.repeat(levels - 1), close.repeat(levels - 1))
}

#[test]
fn these_lines_are_records() {
    let lines: &[&[u8]] = &[
        b"{}",
        b" \t\r{ \t\r} \t\r",
        br#"{"a":1}"#,
        br#"{"":""}"#,
        br#" { "a" : [ ] , "b" : { } , "c" : [ 1 , { "d" : null } ] } "#,
        br#"{"a":[true,false,null]}"#,
        br#"{"a":0,"b":-0,"c":-0.0,"d":0e0,"e":1E+5,"f":10.25e-7,"g":123456789012345678901234567890}"#,
        br#"{"a":1e999,"b":-1e999}"#,
        br#"{"a":"\"\\\/\b\f\n\r\t\u0000\u00e9\uD83D\uDE00\ud83d\ude00\uFFFF"}"#,
        "{\"a\":\"é😀\u{7f}\u{2028}\",\"\u{ff}\":0}".as_bytes(),
        br#"{"a":1,"a":2,"\u0061":3}"#,
        b"{\"type\":\"message\"}\r",
        // Nothing in the record need make sense.
        br#"{"type":5,"seq":"x","id":[],"supersedes":{},"branchesFrom":7}"#,
    ];
    for line in lines {
        assert!(is_record(line), "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn these_lines_are_malformed() {
    let lines: &[&[u8]] = &[
        b"{",
        b"}",
        b"[]",
        b"null",
        b"\"a\"",
        b"5",
        b"x",
        b"\x00",
        b"\x0c{}",
        b"\xC2\xA0{}",
        b"\xEF\xBB\xBF{}",
        b"{}{}",
        b"{} x",
        b"{},",
        b"{}]",
        br#"{"a"}"#,
        br#"{"a":}"#,
        br#"{"a":1,}"#,
        br#"{,"a":1}"#,
        br#"{"a":1 "b":2}"#,
        br#"{"a":1,,"b":2}"#,
        br#"{"a" 1}"#,
        br#"{a:1}"#,
        br#"{'a':1}"#,
        br#"{1:1}"#,
        br#"{"a":[1,]}"#,
        br#"{"a":[,1]}"#,
        br#"{"a":[1}"#,
        br#"{"a":{"b":1]}"#,
        br#"{"a":[1 2]}"#,
        br#"{"a":["b":1]}"#,
        br#"{"a":{"b"}}"#,
        br#"{"a":{1}}"#,
        br#"{"a":tru}"#,
        br#"{"a":True}"#,
        br#"{"a":nul"#,
        br#"{"a":nullx}"#,
        br#"{"a":NaN}"#,
        br#"{"a":Infinity}"#,
        br#"{"a":01}"#,
        br#"{"a":-01}"#,
        br#"{"a":-}"#,
        br#"{"a":+1}"#,
        br#"{"a":.5}"#,
        br#"{"a":1.}"#,
        br#"{"a":1.e5}"#,
        br#"{"a":1e}"#,
        br#"{"a":1e+}"#,
        br#"{"a":1.5.2}"#,
        br#"{"a":0x1}"#,
        br#"{"a":1_0}"#,
        br#"{"a":"b}"#,
        br#"{"a":"b"#,
        br#"{"a":"\"}"#,
        br#"{"a":"\x41"}"#,
        br#"{"a":"\'"}"#,
        br#"{"a":"\u12G4"}"#,
        br#"{"a":"\u123"}"#,
        br#"{"a":"\u"}"#,
        br#"{"a":"\U0041"}"#,
        // A string that the line cuts off after its backslash.
        br#"{"a":"\"#,
        // Surrogates: high alone, low alone, high high, swapped, high before another escape; in values and
        // keys.
        br#"{"a":"\uD800"}"#,
        br#"{"a":"\uDC00"}"#,
        br#"{"a":"\uD800\uD800"}"#,
        br#"{"a":"\uDC00\uD800"}"#,
        br#"{"a":"\uD800x"}"#,
        br#"{"a":"\uD800\n"}"#,
        br#"{"a":"\uD800\u0041"}"#,
        br#"{"\uD800":1}"#,
        br#"{"a":{"b":[{"\udfff":1}]}}"#,
        br#"{"content":[{"text":"\ud800"}]}"#,
        // Control characters in a string, in every eighth of a word.
        b"{\"a\":\"\x00\"}",
        b"{\"a\":\"\x1f\"}",
        b"{\"a\":\"\t\"}",
        b"{\"a\":\"1234567\x01\"}",
        b"{\"a\":\"12345678\x0112345678\"}",
        b"{\"a\":\"12345\x0d678901234567\"}",
        b"{\"a\x08\":1}",
        // UTF-8: stray, overlong, surrogate, beyond Unicode, cut off; in what nobody reads.
        b"{\"a\":\"\x80\"}",
        b"{\"a\":\"\xC0\xAF\"}",
        b"{\"a\":\"\xED\xA0\x80\"}",
        b"{\"a\":\"\xF4\x90\x80\x80\"}",
        b"{\"a\":\"\xE2\x82\"}",
        b"{\"\xFF\":1}",
        b"{}\xFF",
        // No comments.
        b"{}//",
        b"/**/{}",
    ];
    for line in lines {
        assert!(!is_record(line), "{}", String::from_utf8_lossy(line));
    }
}

/// Whatever stands before it, the scan of a string stops at the first byte that it must not pass.
#[test]
fn a_string_ends_where_it_ends_at_every_offset() {
    for before in 0..40 {
        for after in 0..20 {
            let (before, after) = ("é".repeat(before / 2) + &"x".repeat(before % 2), "~".repeat(after));
            assert!(is_record(format!("{{\"{before}\":\"{before}\\n{after}\"}}").as_bytes()));
            assert!(!is_record(format!("{{\"a\":\"{before}\u{1f}{after}\"}}").as_bytes()));
            assert!(!is_record(format!("{{\"a\":\"{before}\"{after}\"}}").as_bytes()));
            assert!(!is_record(format!("{{\"a\":\"{before}\\{after}\"}}").as_bytes()));
        }
    }
}

#[test]
fn a_record_may_nest_127_levels() {
    for (open, close) in [("[", "]"), ("[ ", " ]")] {
        assert!(is_record(nested(127, open, close).as_bytes()));
        assert!(!is_record(nested(128, open, close).as_bytes()));
    }
    let objects = |levels: usize| format!("{}{{}}{}", "{\"a\":".repeat(levels - 1), "}".repeat(levels - 1));
    assert!(is_record(objects(127).as_bytes()));
    assert!(!is_record(objects(128).as_bytes()));
    // Beside each other is not inside each other.
    assert!(is_record(format!("{{\"a\":[{}[]]}}", "[[]],".repeat(1000)).as_bytes()));
    // No stack overflows.
    assert!(!is_record(nested(1_000_000, "[", "]").as_bytes()));
}

#[test]
fn lines_end_at_line_feeds_and_blank_ones_are_counted() {
    let lines = |text: &'static [u8]| -> Vec<(u64, &[u8])> {
        let (mut lines, mut fields) = (Lines::new(text), Fields::default());
        let lines = std::iter::from_fn(|| lines.next(&mut fields));
        lines.map(|line| (line.number, line_at(text, line.start).unwrap())).collect()
    };
    assert!(lines(b"").is_empty());
    assert!(lines(b"\n\n \t\r\n").is_empty());
    assert_eq!(lines(b"a\nb"), [(1, &b"a"[..]), (2, b"b")]);
    assert_eq!(lines(b"a\r\n\r\nb\r\n"), [(1, &b"a\r"[..]), (3, b"b\r")]);
    assert_eq!(lines(b"a\rb\n"), [(1, &b"a\rb"[..])]);
    assert_eq!(lines(b"\n\n\x0c\n"), [(3, &b"\x0c"[..])]);
    // One byte order mark, at byte 0.
    assert_eq!(lines(b"\xEF\xBB\xBFa\n"), [(1, &b"a"[..])]);
    assert_eq!(lines(b"\xEF\xBB\xBF\n\xEF\xBB\xBF\n"), [(2, &b"\xEF\xBB\xBF"[..])]);
    assert_eq!(lines(b"\xEF\xBB\xBF\xEF\xBB\xBFa"), [(1, &b"\xEF\xBB\xBFa"[..])]);
    assert_eq!(lines(b"\xEF\xBBa"), [(1, &b"\xEF\xBBa"[..])]);
}

#[test]
fn the_last_of_duplicate_keys_wins_however_it_is_spelled() {
    for (line, wins) in [
        (r#"{"id":"a","id":"b"}"#, Some("b")),
        (r#"{"id":"a","\u0069d":"b"}"#, Some("b")),
        (r#"{"\u0069\u0064":"b","id":"a"}"#, Some("a")),
        (r#"{"id":"a","id":5}"#, None),
        (r#"{"id":"a","x":{"id":"b"},"ID":"c"}"#, Some("a")),
    ] {
        let mut fields = Fields::default();
        assert!(fields.read(line.as_bytes()));
        let id = match fields.get(Field::Id) {
            Value::String(raw) => Some(String::from_utf8(raw.decode().into()).unwrap()),
            _ => None,
        };
        assert_eq!(id.as_deref(), wins, "{line}");
    }
    let mut fields = Fields::default();
    assert!(fields.read(br#"{"replaces":{"ids":[],"throughId":"a","thr\u006FughId":null,"ids":[1]}}"#));
    assert!(matches!(fields.get(Field::Replaces).member(b"throughId"), Value::Null));
    assert_eq!(fields.get(Field::Replaces).member(b"ids").elements().count(), 1);
}

#[test]
fn a_line_leaves_nothing_to_the_next_one() {
    let mut fields = Fields::default();
    assert!(fields.read(br#"{"id":"a"}"#));
    assert!(fields.read(br#"{"seq":1}"#));
    assert!(matches!(fields.get(Field::Id), Value::Absent));
}

#[test]
fn escapes_stand_for_characters() {
    let mut fields = Fields::default();
    assert!(fields.read(br#"{"id":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00z"}"#));
    let Value::String(raw) = fields.get(Field::Id) else { panic!("a string") };
    assert_eq!(str::from_utf8(&raw.decode()), Ok("\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{20ac}\u{1f600}z"));
}
