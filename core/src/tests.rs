//! What the parts say together: totality, and the answers that the public functions give.

use super::*;
use crate::random::Random;
use asr_spec::HeadState;

fn answer(stream: &str, what: What, head: &str) -> String {
    let head = match head {
        "" => asr_spec::Head::Primary,
        "START" => asr_spec::Head::Start,
        id => asr_spec::Head::Ref(id.into()),
    };
    Stream::read(stream.as_bytes()).unwrap().answer(&Query { what, head }).to_string()
}

fn path(stream: &str) -> String {
    answer(stream, What::Path, "")
}

fn view(stream: &str) -> String {
    answer(stream, What::View, "")
}

const REFERENCED: &str = concat!(
    r#"{"type":"session_info","seq":1,"id":"s","lineage":{"inherits":{"mode":"referenced","from":"#,
    r#"{"n":1e999,"$serde_json::private::Number":"5","a":[-0]},"throughId":null,"throughOrdinal":4.0}}}"#,
    "\n"
);

#[test]
fn values_are_copied_verbatim() {
    let marker = concat!(
        r#"{"inherited":{"session":{"$serde_json::private::Number":"5","a":[-0],"n":1e999},"#,
        r#""throughOrdinal":4.0}}"#
    );
    let stream = format!("{REFERENCED}{{\"type\":\"message\",\"seq\":2,\"id\":\"r2\"}}");
    assert_eq!(path(&stream), format!("[{marker},{{\"id\":\"r2\"}}]"));
    assert_eq!(
        answer(&stream, What::Path, "zz"),
        format!("[{marker},{{\"unresolvedRef\":\"zz\",\"status\":\"unresolved\",\"exact\":false}}]")
    );
    assert_eq!(answer(&stream, What::View, "START"), "[]");
    let odd = r#"{"type":"session_info","heads":[{"a":1e999},null]}"#;
    assert_eq!(path(odd), r#"[{"unresolvedRef":{"a":1e999},"status":"unresolved","exact":false}]"#);
}

#[test]
fn ids_are_compared_unescaped() {
    let stream = r#"{"type":"message","id":"r1"}
{"type":"message","id":"\u0072\u0032"}
{"type":"mess\u0061ge","id":"r3","branchesFrom":{"record":"\u00721"}}
{"type":"message","id":"r4","branchesFrom":{"record":"r2"}}
{"type":"session_info","heads":["r\u0033","r4"]}"#;
    assert_eq!(path(stream), r#"[{"id":"r1"},{"id":"r3"}]"#);
    assert_eq!(answer(stream, What::Path, "r4"), r#"[{"id":"r1"},{"id":"r2"},{"id":"r4"}]"#);
    let stream = Stream::read(stream.as_bytes()).unwrap();
    assert_eq!(stream.ids().collect::<Vec<_>>(), ["r1", "r2", "r3", "r4"]);
    assert_eq!(stream.find("r2").map(|line| line.number), Some(2));
}

#[test]
fn records_without_an_id_are_nodes_without_a_name() {
    let stream =
        "{\"type\":\"message\"}\n{\"type\":\"message\",\"id\":5}\n{\"type\":\"message\",\"id\":\"\"}";
    assert_eq!(path(stream), r#"[{"id":null},{"id":null},{"id":""}]"#);
    let stream = Stream::read(stream.as_bytes()).unwrap();
    assert_eq!(stream.ids().collect::<Vec<_>>(), [""]);
    assert_eq!((stream.records(), stream.nodes(), stream.malformed()), (3, 3, 0));
}

#[test]
fn order_is_seq_and_lines_without_one_stay_behind_the_line_before() {
    let stream = r#"{"type":"message","id":"first","seq":"odd"}
{"type":"message","id":"c","seq":3}
{

{"type":"message","id":"d","seq":1.0}
{"type":"message","id":"b","seq":-0}
{"type":"message","id":"e","seq":3}
{"type":"message","id":"f","seq":9223372036854775808}
{"type":"message","id":"a","seq":-9223372036854775808}
{"type":"gap","id":"g"}"#;
    let names = concat!(
        r#"[{"id":"first"},{"id":"a"},{"gap":"g"},{"id":"b"},{"id":"c"},{"gap":"malformed","line":3},"#,
        r#"{"id":"d"},{"id":"e"},{"id":"f"}]"#
    );
    assert_eq!(path(stream), names);
    let stream = Stream::read(stream.as_bytes()).unwrap();
    assert_eq!(stream.ids().collect::<Vec<_>>(), ["first", "a", "g", "b", "c", "d", "e", "f"]);
    assert_eq!(stream.find("f").map(|line| line.number), Some(8));
    assert_eq!((stream.records(), stream.nodes(), stream.malformed()), (8, 7, 1));
}

#[test]
fn an_id_is_found_if_one_record_bears_it() {
    let text = "\u{feff}{\"id\":\"a\"}\r\n\n{\"id\":\"b\"}\n{\"id\":\"b\"}\nx";
    let stream = Stream::read(text.as_bytes()).unwrap();
    assert_eq!(stream.find("a"), Some(Line { number: 1, bytes: b"{\"id\":\"a\"}\r" }));
    assert_eq!(stream.find("b"), None);
    assert_eq!(stream.find("c"), None);
    assert_eq!(stream.ids().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((stream.records(), stream.nodes(), stream.malformed()), (3, 0, 1));
}

#[test]
fn heads_are_told_whole() {
    let stream = r#"{"type":"message","id":"r1"}
{"type":"usage","id":"u"}
{"type":"session_info","heads":["r1",null,"u",5]}
{"type":"rewind","id":"w"}"#;
    let heads = Stream::read(stream.as_bytes()).unwrap().heads();
    assert_eq!(heads.default, HeadState::Unknown);
    let effective = serde_json::to_string(&heads.effective).unwrap();
    assert_eq!(
        effective,
        concat!(
            r#"[{"id":"r1"},null,{"unresolvedRef":"u","status":"wrong_type","exact":false},"#,
            r#"{"unresolvedRef":5,"status":"unresolved","exact":false}]"#
        )
    );
    let heads = Stream::read(b"").unwrap().heads();
    assert_eq!((heads.default, heads.effective), (HeadState::Start, vec![Some(HeadState::Start)]));
}

#[test]
fn failed_refs_of_a_compaction_stand_before_what_it_inserts() {
    let stream = concat!(
        r#"{"type":"message","id":"r1"}"#,
        "\n",
        r#"{"type":"usage","id":"u"}"#,
        "\n",
        r#"{"type":"compaction","id":"c","replaces":{"throughId":"x"},"keptFromId":5,"#,
        r#""insertAt":{"beforeId":"u"},"retains":[{"ref":"r1"},{"ref":null},7],"opaque":{"format":"f"}}"#
    );
    let unresolved =
        |text: &str, status: &str| format!(r#"{{"unresolvedRef":{text},"status":"{status}","exact":false}}"#);
    let expected = [
        r#"{"id":"r1"}"#.to_owned(),
        unresolved("\"x\"", "unresolved"),
        unresolved("null", "unresolved"),
        unresolved("\"u\"", "wrong_type"),
        r#"{"retained":"r1","by":"c"}"#.to_owned(),
        unresolved("null", "unresolved"),
        unresolved("null", "unresolved"),
        r#"{"summary":"c"}"#.to_owned(),
    ];
    assert_eq!(view(stream), format!("[{}]", expected.join(",")));
}

#[test]
fn a_cycle_is_named_by_the_node_met_twice_first() {
    let stream = r#"{"type":"message","id":"r1"}
{"type":"message","id":"r2"}
{"type":"message","id":"r3"}
{"type":"message","id":"r4","supersedes":"r1","assembly":{"mode":"rewrite"},"branchesFrom":{"record":"r2"}}"#;
    for what in [What::Path, What::View] {
        assert_eq!(answer(stream, what, ""), r#"{"error":"cycle","at":"r2"}"#);
        assert_eq!(answer(stream, what, "r1"), r#"{"error":"cycle","at":"r1"}"#);
    }
}

/// Whatever is done to the bytes, every query of every id has an answer, and a view is a view of its path.
#[test]
fn every_sequence_of_bytes_has_an_answer() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(20);
        let mut bytes = random.stream(length, true).into_bytes();
        for _ in 0..random.below(8) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"\n\"{}[]\\,:0nu"[random.below(12)]),
            }
            if bytes.is_empty() {
                bytes.push(b'\n');
            }
        }
        let stream = Stream::read(&bytes).unwrap();
        let heads = [asr_spec::Head::Primary, asr_spec::Head::Start];
        let ids = stream.ids().map(|id| asr_spec::Head::Ref(id.into()));
        for head in ids.chain(heads) {
            let path = stream.answer(&Query { what: What::Path, head: head.clone() });
            let view = stream.answer(&Query { what: What::View, head });
            match (&path, &view) {
                (Outcome::Entries(_), Outcome::Entries(_)) => {}
                _ => assert_eq!(path, view),
            }
        }
        let lines = bytes.split(|&byte| byte == b'\n').count();
        assert!(stream.nodes() <= stream.records() && stream.records() + stream.malformed() <= lines);
    }
}

/// Shapes that make a careless reader quadratic, each about a megabyte.
#[test]
fn no_shape_of_stream_is_quadratic() {
    let many = |line: &str| line.repeat(1_000_000 / line.len());
    let shapes = [
        many("\n"),
        many("{\n"),
        many("{}\n"),
        many("{\"id\":\"a\"}\n"),
        many("{\"type\":\"message\",\"id\":\"a\",\"supersedes\":\"a\"}\n"),
        many("{\"type\":\"gap\"}\n{\"type\":\"rewind\"}\n"),
        many("{\"type\":\"session_info\",\"heads\":[\"a\"],\"lineage\":{}}\n"),
        many("{\"type\":\"message\",\"seq\":2}\n{\"type\":\"message\",\"seq\":1}\n"),
        many(
            "{\"type\":\"compaction\",\"replaces\":{\"state\":\"unknown\"},\"retains\":[{\"ref\":\"a\"}]}\n",
        ),
        many("{\"type\":\"compaction\",\"insertAt\":{\"afterId\":null},\"summary\":[0]}\n"),
        many(concat!(
            "{\"type\":\"tool_call\",\"callId\":\"\\u0041\",\"parentCallId\":0}\n",
            "{\"type\":\"tool_result\",\"callId\":\"A\"}\n",
        )),
        format!("{{\"type\":\"message\"{}}}", many(",\"id\":\"\\u0041\"")),
        format!("{{\"type\":\"compaction\",\"replaces\":{{{}\"ids\":[]}}}}", many("\"ids\":[\"a\"],")),
        format!("{{\"a\":\"{}\"}}", many("\\ud83d\\ude00")),
        format!("{{\"type\":\"compaction\",\"replaces\":{{\"ids\":[{}0]}}}}", many("\"\\u0041\",")),
    ];
    for text in &shapes {
        let stream = Stream::read(text.as_bytes()).unwrap();
        stream.answer(&Query { what: What::View, head: asr_spec::Head::Primary });
        stream.validate();
    }
}
