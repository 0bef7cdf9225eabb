//! Lines and ids larger than anybody has seen.

use asr_core::{Session, Stream};
use asr_spec::{Head, Query, What};

const PATH: Query = Query { what: What::Path, head: Head::Primary };

/// What lies beyond 4 GiB is found where it is. Of the numbers that this takes `index/tests.rs` is the cheap test.
#[test]
#[ignore = "takes five gigabytes of memory"]
fn a_line_of_more_than_4_gib_is_a_line() {
    let mut text = br#"{"type":"message","id":"r1","content":""#.to_vec();
    text.resize((1 << 32) + 5, b'x');
    text.extend_from_slice(b"\"}\n\n{\"type\":\"message\",\"id\":\"r2\"}\n{\n");
    text.extend_from_slice(br#"{"type":"message","id":"r3","branchesFrom":{"record":"r2"}}"#);
    let stream = Stream::read(&text).unwrap();
    assert_eq!(stream.answer(&PATH).to_string(), r#"[{"id":"r1"},{"id":"r2"},{"id":"r3"}]"#);
    assert_eq!(stream.find("r2").unwrap().number, 3);
    assert_eq!(stream.find("r2").unwrap().bytes, br#"{"type":"message","id":"r2"}"#);
    assert_eq!(stream.malformed(), 1);
}

#[test]
fn ids_of_megabytes_are_ids() {
    let (plain, escaped) = ("r".repeat(3 << 20), r"\u0072".repeat(3 << 20));
    let lines = [
        format!(r#"{{"type":"message","id":"{escaped}"}}"#),
        r#"{"type":"message","id":"b"}"#.to_owned(),
        format!(r#"{{"type":"message","id":"c","branchesFrom":{{"record":"{plain}"}}}}"#),
    ];
    let path = format!(r#"[{{"id":"{plain}"}},{{"id":"c"}}]"#);
    let text = lines.join("\n");
    let stream = Stream::read(text.as_bytes()).unwrap();
    assert!(stream.answer(&PATH).to_string() == path);
    let mut session = Session::new();
    lines.iter().for_each(|line| session.append(line.as_bytes()));
    assert!(session.path(Head::Primary).unwrap().to_string() == path);
    assert!(session.pop() && session.pop());
    assert!(
        session.path(Head::Ref(plain.clone())).unwrap().to_string() == format!(r#"[{{"id":"{plain}"}}]"#)
    );
}
