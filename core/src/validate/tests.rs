//! The pairs of `readings.md` A.2, where findings point, the forest against walks, and hostile streams.

use super::*;
use crate::random::Random;
use crate::{Stream, path};

/// A stream in short: of each record the type, then its members but seq and id, which count from 1. A line
/// feed is white space here.
fn stream(lines: &str) -> String {
    let lines = lines.replace('\n', " ");
    let mut text = String::new();
    for (number, line) in (1..).zip(lines.split('|').map(str::trim)) {
        // A compaction that has what it needs.
        let line = line.replace("COMPACTION", r#"compaction "compactionId":"c","kind":"summary""#);
        let (kind, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let comma = if rest.is_empty() { "" } else { "," };
        text += &format!("{{\"type\":\"{kind}\",\"seq\":{number},\"id\":\"r{number}\"{comma}{rest}}}\n");
    }
    text
}

fn validate(text: &str) -> Report {
    Stream::read(text.as_bytes()).unwrap().validate()
}

fn shown(findings: &[Finding]) -> Vec<String> {
    let shown = |finding: &Finding| {
        let Finding { requirement, line, pointer, .. } = finding;
        format!("{requirement} {line} {pointer}").trim_end().to_owned()
    };
    findings.iter().map(shown).collect()
}

/// Every finding of a stream in short: requirement, line, and pointer. Sorted as texts.
fn findings(lines: &str) -> Vec<String> {
    let Report { violations, warnings } = validate(&stream(lines));
    let mut found = [shown(&violations), shown(&warnings)].concat();
    found.sort_unstable();
    found
}

/// A requirement, a stream that meets all of them, and one that breaks it together with what stands behind.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "ASR-351.b",
        r#"message | message | message "branchesFrom":{"record":"r1"}"#,
        r#"usage | message "branchesFrom":{"record":"r1"}"#,
    ),
    (
        "ASR-352.b",
        r#"message | message "supersedes":"r1""#,
        r#"message | tool_call "callId":"A","supersedes":"r1""#,
    ),
    (
        "ASR-352.c",
        r#"message "messageId":"a" | message "messageId":"a","supersedes":"r1""#,
        r#"message "messageId":"a" | message "messageId":"b","supersedes":"r1""#,
    ),
    (
        "ASR-352.d",
        r#"message | message |
           message "supersedes":"r2","branchesFrom":{"record":null},"assembly":{"mode":"rewrite"}"#,
        r#"message | message | message "supersedes":"r2","branchesFrom":{"record":null}"#,
    ),
    ("ASR-354", r#"message | rewind "to":"r1","reason":"other""#, r#"message | rewind "to":"r1""#),
    (
        "ASR-356.b ASR-351.b",
        r#"message | rewind "to":"r1","reason":"other""#,
        r#"usage | rewind "to":"r1","reason":"other""#,
    ),
    (
        "ASR-356.c",
        r#"message | rewind "to":"r1","reason":"other""#,
        r#"rewind "to":"r2","reason":"other" | message "branchesFrom":{"record":null}"#,
    ),
    (
        "ASR-356.d",
        r#"message | rewind "to":"r1","reason":"other" | rewind "to":"r1","reason":"other""#,
        r#"message | rewind "to":"r1","reason":"other","supersedes":"r1""#,
    ),
    (
        "ASR-356.e ASR-352.b",
        r#"message | rewind "to":"r1","reason":"other" | usage"#,
        r#"message | rewind "to":"r1","reason":"other" | usage "supersedes":"r2""#,
    ),
    (
        "ASR-357.b",
        r#"message | rewind "to":"r1","reason":"other" | file_change "cause":{"restore":"r2"}"#,
        r#"message | file_change "cause":{"restore":"r1"}"#,
    ),
    ("ASR-358.a", r#"message "branchesFrom":{"state":"unknown"}"#, r#"message "branchesFrom":{}"#),
    (
        "ASR-358.b",
        r#"message "branchesFrom":{"state":"unknown"}"#,
        r#"usage "branchesFrom":{"state":"unknown"}"#,
    ),
    (
        "ASR-358.c",
        r#"message "branchesFrom":{"state":"unknown"}"#,
        r#"message "branchesFrom":{"state":"lost"}"#,
    ),
    (
        "ASR-358.e",
        r#"message | message | message "branchesFrom":{"record":"r1"}"#,
        r#"message "branchesFrom":{"record":"r2"} | message "branchesFrom":{"record":null}"#,
    ),
    (
        "ASR-359",
        r#"message | message | message "branchesFrom":{"record":"r1"}"#,
        r#"message | message "branchesFrom":{"record":"r1"}"#,
    ),
    (
        "ASR-366.a",
        r#"message | message | rewind "to":null,"reason":"other" | message |
           message "supersedes":"r1","branchesFrom":{"record":"r4"},"assembly":{"mode":"rewrite"}"#,
        r#"message | message |
           message "supersedes":"r1","branchesFrom":{"record":"r2"},"assembly":{"mode":"rewrite"}"#,
    ),
    (
        "ASR-370",
        r#"COMPACTION,"replaces":{"ids":[]}"#,
        r#"compaction "compactionId":"c","replaces":{"ids":[]}"#,
    ),
    (
        "ASR-371.a",
        r#"COMPACTION,"replaces":{"ids":[]}"#,
        r#"COMPACTION,"replaces":{"ids":[],"state":"unknown"}"#,
    ),
    (
        "ASR-371.b",
        r#"COMPACTION,"replaces":{"ids":[]},"insertAt":{"afterId":null}"#,
        r#"COMPACTION,"replaces":{"ids":[]},"insertAt":{}"#,
    ),
    (
        "ASR-371.c",
        r#"message | COMPACTION,"replaces":{"ids":[]},"insertAt":{"beforeId":"r1"}"#,
        r#"COMPACTION,"replaces":{"ids":[]},"insertAt":{"beforeId":null}"#,
    ),
    (
        "ASR-371.d",
        r#"message | COMPACTION,"replaces":{"throughId":"r1"},"keptFromId":"r1""#,
        r#"message | COMPACTION,"replaces":{"ids":[]},"keptFromId":"r1""#,
    ),
    (
        "ASR-371.e",
        r#"message | COMPACTION,"replaces":{"ids":[]},"retains":[{"ref":"r1"}]"#,
        r#"message | COMPACTION,"replaces":{"ids":[]},"retains":[{"capture":"full"}]"#,
    ),
    (
        "ASR-371.f",
        r#"message | COMPACTION,"replaces":{"ids":[]},"retains":[{"ref":"r1","capture":"full"}]"#,
        r#"message | COMPACTION,"replaces":{"ids":[]},"retains":[{"ref":"r1","capture":"cut"}]"#,
    ),
    (
        "ASR-372.b",
        r#"message | COMPACTION,"replaces":{"throughId":"r1"}"#,
        r#"COMPACTION,"replaces":{"throughId":"r2"} | message"#,
    ),
    (
        "ASR-372.c",
        r#"message | COMPACTION,"replaces":{"throughId":"r1"}"#,
        r#"message | rewind "to":null,"reason":"other" | COMPACTION,"replaces":{"throughId":"r1"}"#,
    ),
    (
        "ASR-372.d",
        r#"message | message | COMPACTION,"replaces":{"throughId":"r2"},"keptFromId":"r2""#,
        r#"message | message | COMPACTION,"replaces":{"throughId":"r1"},"keptFromId":"r2""#,
    ),
    (
        "ASR-375.b",
        r#"message | gap | COMPACTION,"replaces":{"throughId":"r1"},"historyRetained":false"#,
        r#"message | COMPACTION,"replaces":{"throughId":"r1"},"historyRetained":false"#,
    ),
    // What the chapter leans on, and the warnings, have no pair in A.2.
    ("ASR-080", r#"message | message "supersedes":"r1""#, r#"message | message "supersedes":"r9""#),
    ("ASR-014", "message", r#"message | message "seq":1"#),
    ("ASR-014", r#"message "seq":-5 | message "seq":-4"#, r#"message | usage "seq":2.0"#),
    ("U-13", "message | usage", r#"message | usage "id":"r1""#),
    ("U-13", r#"message "id":"""#, r#"message "id":5"#),
    (
        "ASR-364.b",
        r#"message | session_info "heads":["r3"] | message"#,
        r#"message | session_info "heads":["r1"] | message"#,
    ),
    (
        "ASR-373.a",
        r#"message "content":[{"type":"text","text":"a b"}] |
           COMPACTION,"replaces":{"ids":[]},
           "summary":[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
        r#"message "content":[{"type":"json"},{"type":"text","text":"\u0061\nb"}] |
           COMPACTION,"replaces":{"ids":[]},
           "summary":[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
    ),
    (
        "ASR-374.a ASR-080",
        r#"message | compaction "compactionId":"c","kind":"branch_summary","replaces":{"ids":["r1"]}"#,
        r#"message | compaction "compactionId":"c","kind":"branch_summary","replaces":{"ids":["r9"]}"#,
    ),
    (
        "ASR-374.b",
        r#"message | tombstone "record":"r1" | COMPACTION,"replaces":{"ids":["r1"]}"#,
        r#"message | tombstone "record":"r1" |
           compaction "compactionId":"c","kind":"branch_summary","replaces":{"ids":["r1"]}"#,
    ),
];

#[test]
fn each_requirement_tells_its_pair_apart() {
    for (broken, valid, invalid) in PAIRS {
        assert_eq!(findings(valid), [""; 0], "{broken}: {valid}");
        let mut found = findings(invalid);
        for finding in &mut found {
            finding.truncate(finding.find(' ').unwrap());
        }
        let mut broken: Vec<_> = broken.split(' ').collect();
        broken.sort_unstable();
        assert_eq!(found, broken, "{invalid}");
    }
}

#[test]
fn a_malformed_line_is_a_warning() {
    let report = validate("{\n{\"type\":\"usage\",\"seq\":1,\"id\":\"r1\"}\n[]");
    assert!(report.is_valid());
    assert_eq!(shown(&report.warnings), ["ASR-009 1", "ASR-009 3"]);
    assert_eq!(report.warnings[0].record, Name(None));
}

#[test]
fn findings_point_at_the_value_or_at_the_record_without_it() {
    let cases: &[(&str, &[&str])] = &[
        (r#"rewind "to":null,"reason":null"#, &["ASR-354 1"]),
        ("rewind", &["ASR-354 1", "ASR-354 1"]),
        (r#"rewind "to":5,"reason":[]"#, &["ASR-080 1 /to", "ASR-354 1 /reason", "ASR-354 1 /to"]),
        (
            r#"rewind "to":null,"reason":"x","supersedes":"r1""#,
            &["ASR-356.d 1 /supersedes", "ASR-356.e 1 /supersedes"],
        ),
        (r#"message "branchesFrom":null"#, &["ASR-358.a 1 /branchesFrom"]),
        (r#"message "branchesFrom":"r1""#, &["ASR-358.a 1 /branchesFrom"]),
        (
            r#"message "branchesFrom":{"record":5,"state":5}"#,
            &[
                "ASR-080 1 /branchesFrom/record",
                "ASR-358.a 1 /branchesFrom",
                "ASR-358.a 1 /branchesFrom/record",
                "ASR-358.c 1 /branchesFrom/state",
            ],
        ),
        (r#"message "branchesFrom":{"record":null,"state":null}"#, &["ASR-359 1 /branchesFrom"]),
        (
            r#"usage "branchesFrom":{"record":"r1"}"#,
            &[
                "ASR-351.b 1 /branchesFrom/record",
                "ASR-358.b 1 /branchesFrom",
                "ASR-358.e 1 /branchesFrom/record",
            ],
        ),
        (r#"message "supersedes":5"#, &["ASR-080 1 /supersedes"]),
        (r#"message "supersedes":null"#, &[]),
        (
            r#"session_info "heads":["r1",null,5,"r9"]"#,
            &["ASR-080 1 /heads/2", "ASR-080 1 /heads/3", "ASR-351.b 1 /heads/0"],
        ),
        ("compaction", &["ASR-370 1", "ASR-370 1", "ASR-370 1"]),
        (
            r#"compaction "compactionId":5,"kind":null,"replaces":[]"#,
            &["ASR-370 1", "ASR-370 1 /compactionId", "ASR-370 1 /replaces", "ASR-371.a 1 /replaces"],
        ),
        (
            r#"message |
               COMPACTION,"replaces":{"throughId":7,"ids":["r1",null],"state":null},"keptFromId":{}"#,
            &[
                "ASR-080 2 /keptFromId",
                "ASR-080 2 /replaces/ids/1",
                "ASR-080 2 /replaces/throughId",
                "ASR-371.a 2 /replaces",
                "ASR-371.a 2 /replaces/ids/1",
                "ASR-371.a 2 /replaces/throughId",
            ],
        ),
        (
            r#"COMPACTION,"replaces":{"ids":"r1"},"insertAt":{"afterId":null,"beforeId":null},"retains":{}"#,
            &[
                "ASR-371.a 1 /replaces/ids",
                "ASR-371.b 1 /insertAt",
                "ASR-371.c 1 /insertAt/beforeId",
                "ASR-371.e 1 /retains",
            ],
        ),
        (
            r#"COMPACTION,"replaces":{"ids":[]},"insertAt":"r1",
               "retains":[5,{"ref":5},{"ref":"r1","capture":5}]"#,
            &[
                "ASR-080 1 /retains/1/ref",
                "ASR-371.b 1 /insertAt",
                "ASR-371.e 1 /retains/0",
                "ASR-371.e 1 /retains/1/ref",
                "ASR-371.f 1 /retains/2/capture",
                "ASR-372.b 1 /retains/2/ref",
            ],
        ),
        (
            r#"tool_call "callId":5,"toolCallId":"a" | tool_call "callId":"a","supersedes":"r1" |
               tool_call "toolCallId":"b","supersedes":"r1" | tool_call "supersedes":"r1""#,
            &["ASR-352.c 3 /toolCallId", "ASR-352.c 4"],
        ),
        (
            r#"message "branchesFrom":{"state":"unknown","a":1e1} | message "supersedes":"r1" |
               message "supersedes":"r1","branchesFrom":{"a":10,"state":"unknown"} |
               message "supersedes":"r1","branchesFrom":{"state":"unknown"}"#,
            &["ASR-352.d 2", "ASR-352.d 4 /branchesFrom"],
        ),
        (r#"message | message "seq":null,"id":null"#, &["ASR-014 2", "U-13 2"]),
        (
            r#"message | tombstone "a/b~":"r1","c":"r9","d":"r1","d":0 | message |
               compaction "compactionId":"c","kind":"branch_summary","replaces":{"ids":["r1"]}"#,
            &["ASR-374.b 2 /a~1b~0"],
        ),
        (
            r#"rewind "to":null,"reason":"x" | file_change "cause":{"restore":"r9"} |
               file_change "cause":{"restore":null} | usage "cause":{"restore":"r9"}"#,
            &["ASR-357.b 2 /cause/restore"],
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(findings(lines), *expected, "{lines}");
    }
}

#[test]
fn lines_are_physical_and_values_are_told_in_a_few_words() {
    let text = concat!(
        "\u{feff}\r\n",
        "{\"type\":\"message\",\"seq\":1,\"id\":\"r1\"}\r\n",
        " \t\r\n\n",
        "  {\"type\":\"rewind\",\"seq\":2,\"id\":\"\\u0072x\",\"reason\":\"x\",\"to\":\"",
        "0123456789012345678901234567890123456789€\"} \r\n",
        "{\"type\":\"usage\",\"seq\":3,\"id\":\"u\",\"supersedes\":\"r1\"}",
    );
    let report = validate(text);
    let [missing, other] = &*report.violations else { panic!("{report:?}") };
    assert_eq!(missing.key(), (5, Requirement::Asr080, "/to", &"rx".into()));
    assert_eq!(missing.found, "\"0123456789012345678901234567890123456789…\", which no record bears");
    assert_eq!(other.key(), (6, Requirement::Asr352B, "", &"u".into()));
    assert_eq!(other.found, "a \"usage\" record that supersedes a \"message\" record");
}

#[test]
fn order_is_that_of_the_file_for_seq_and_that_of_seq_for_ids() {
    let text = r#"{"type":"usage","seq":2,"id":"a"}
{"type":"usage","id":"b"}
{
{"type":"usage","seq":1,"id":"a"}
{"type":"usage","seq":1,"id":"c"}
{"type":"usage","seq":3,"id":"d"}
{"type":"usage","seq":9223372036854775808,"id":"e"}
{"type":"usage","seq":4,"id":"f"}"#;
    let expected = ["U-13 1 /id", "ASR-014 2", "ASR-014 4 /seq", "ASR-014 5 /seq", "ASR-014 7 /seq"];
    assert_eq!(shown(&validate(text).violations), expected);
    assert_eq!(findings(r#"usage "seq":-9223372036854775808"#), [""; 0]);
}

/// F-19: nothing leads from the default head into the cycle, nor from the other members of its stream.
#[test]
fn a_cycle_off_the_default_head_is_found_once() {
    let rewrite = r#""assembly":{"mode":"rewrite"}"#;
    let lines = format!(
        r#"message | message | message "supersedes":"r1","branchesFrom":{{"record":"r2"}},{rewrite} |
           message | rewind "to":null,"reason":"other" | message |
           message "supersedes":"r6","branchesFrom":{{"record":"r6"}},{rewrite} |
           message "branchesFrom":{{"state":"unknown"}}"#
    );
    assert_eq!(findings(&lines), ["ASR-366.a 1", "ASR-366.a 6"]);
}

/// ASR-372 asks the latest revision only, and asks it about the path as it is in the end.
#[test]
fn a_revised_compaction_is_asked_once() {
    let lines = r#"message | COMPACTION,"replaces":{"throughId":"r9"},"keptFromId":"r2" | message |
        COMPACTION,"supersedes":"r2","replaces":{"throughId":"r3"},"keptFromId":"r1""#;
    assert_eq!(findings(lines), ["ASR-080 2 /replaces/throughId", "ASR-372.c 4 /replaces/throughId"]);
}

#[test]
fn heads_are_stale_only_when_another_head_has_come_up() {
    let stale: &[&str] = &["ASR-364.b 2 /heads"];
    for (lines, expected) in [
        (r#"message | session_info "heads":["r1"] | message | session_info"#, stale),
        (r#"message | session_info "heads":["r1"] | message | rewind "to":null,"reason":"x""#, stale),
        (r#"message | session_info "heads":["r1"] | message | rewind "to":"r1","reason":"x""#, &[]),
        (r#"message | session_info "heads":["r1"] | message | session_info "heads":[]"#, &[]),
        (r#"message | session_info "heads":[null,"r1"] | message"#, &[]),
        (r#"message | session_info "heads":["r1"] | rewind "to":null,"reason":"x""#, &[]),
        (r#"message | session_info "heads":["r1"] | message "supersedes":"r1""#, &[]),
    ] {
        assert_eq!(findings(lines), expected, "{lines}");
    }
}

#[test]
fn the_forest_and_the_cycles_are_what_walks_find() {
    let (mut on, mut off, mut cyclic) = (0, 0, 0);
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(30);
        let text = random.stream(length, seed % 4 != 0);
        let Stream { index, graph, .. } = &Stream::read(text.as_bytes()).unwrap();
        let forest = Forest::of(graph);
        let mut expected = std::collections::BTreeMap::new();
        for head in graph.nodes() {
            let Ok(path) = path::walk(index, graph, head, &mut ()) else {
                // After as many steps as there are nodes, the walk is on the cycle.
                let back = |node| match graph.predecessor(node) {
                    crate::graph::Predecessor::Node(before) => before,
                    other => panic!("{other:?}"),
                };
                let at = (0..graph.bound()).fold(head, |node, _| back(node));
                let mut members = vec![at];
                members.extend(
                    std::iter::successors(Some(back(at)), |&node| Some(back(node)))
                        .take_while(|&node| node != at),
                );
                expected.insert(*members.iter().min().unwrap(), members.len() as u32);
                cyclic += 1;
                continue;
            };
            for node in graph.nodes() {
                let is_on_path = path.contains(&path::Item::Node(node));
                *(if is_on_path { &mut on } else { &mut off }) += 1;
                assert_eq!(forest.is_on_path(node, head), is_on_path, "{node} on {head}\n{text}");
            }
        }
        let mut found = forest::cycles(graph);
        found.sort_unstable();
        assert_eq!(found, Vec::from_iter(expected), "{text}");
    }
    assert!(on > 10_000 && off > 10_000 && cyclic > 100, "{on} {off} {cyclic}");
}

/// What the index clears need not be read: reading every line finds nothing more.
#[test]
fn lines_that_are_not_read_break_nothing() {
    let mut skipped = 0;
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(30);
        let text = random.stream(length, true);
        let Stream { index, graph, .. } = &Stream::read(text.as_bytes()).unwrap();
        let mut validator = Validator::new(index, graph);
        for row in 0..index.rows() {
            let kind = index.kinds[row as usize];
            if kind == Kind::Malformed || validator.is_read(row, kind) {
                continue;
            }
            skipped += 1;
            for check in OF_ALL.iter().chain(of_kind(kind)) {
                check(&mut validator, &Record::of(index, row));
            }
            assert_eq!(validator.report, Report::default(), "{text}");
        }
    }
    assert!(skipped > 1000, "{skipped}");
}

#[test]
fn every_sequence_of_bytes_has_a_report() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(20);
        let mut bytes = random.stream(length, true).into_bytes();
        for _ in 0..random.below(8) {
            let at = random.below(bytes.len().max(1)).min(bytes.len());
            match random.below(3) {
                0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"\n\"{}[]\\,:0nu"[random.below(12)]),
            }
        }
        let report = Stream::read(&bytes).unwrap().validate();
        let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
        for Finding { line, pointer, .. } in report.violations.iter().chain(&report.warnings) {
            assert!((1..=lines).contains(line) && (pointer.is_empty() || pointer.starts_with('/')));
        }
    }
}

/// Streams for which a walk, a search or a second look per record would take minutes.
#[test]
fn no_shape_of_stream_is_quadratic() {
    const MANY: usize = 100_000;
    let lines = |line: &dyn Fn(usize) -> String| (1..=MANY).map(line).collect::<Vec<_>>().join("|");
    let clean = |lines: &str| assert_eq!(shown(&validate(&stream(lines)).violations), [""; 0]);

    // The first compaction refers to itself.
    let range =
        |n: usize| format!(r#"COMPACTION,"replaces":{{"throughId":"r{}"}},"keptFromId":"r{}""#, n - 1, n / 2);
    clean(&format!("message|{}", lines(&|n| range(n + 1).replace("\"r0\"", "\"r1\""))));
    // The same on paths that bend: every other record branches from the middle of what is there.
    let found = findings(&lines(&|n| match n % 2 {
        0 => format!("message \"branchesFrom\":{{\"record\":\"r{}\"}}", n / 2),
        _ => format!(r#"COMPACTION,"replaces":{{"throughId":"r{}"}},"keptFromId":"r1""#, (n - 1).max(1)),
    }));
    assert!(found.len() < 10, "{found:?}");
    // Revisions of one record, and of each other.
    let branches = format!(r#""branchesFrom":{{"state":"unknown","x":[{}0]}}"#, "0,".repeat(MANY));
    let found =
        findings(&format!(r#"message {branches}|{}"#, lines(&|_| r#"message "supersedes":"r1""#.to_owned())));
    assert_eq!(found.len(), MANY);
    clean(&format!("message|{}", lines(&|n| format!(r#"message "supersedes":"r{n}""#))));
    // One cycle, and as many as there are pairs.
    let rewrite = |n: usize, to: usize| {
        format!(
            r#"message "supersedes":"r{n}","assembly":{{"mode":"rewrite"}},
               "branchesFrom":{{"record":"r{to}"}}"#
        )
    };
    let found = findings(&format!("{}|{}", lines(&|_| "message".to_owned()), rewrite(1, MANY)));
    assert_eq!(found, ["ASR-366.a 1"]);
    let rewrites = lines(&|n| rewrite(n, n - (n + 1) % 2 + n % 2));
    let found = findings(&format!("{}|{rewrites}", lines(&|_| "message".to_owned())));
    assert_eq!(found.iter().filter(|finding| finding.starts_with("ASR-366")).count(), MANY / 2);
    // A record of a long wrong type that many name, and a long key that none of many revisions has.
    let long = "x".repeat(MANY);
    let found = findings(&format!("{long}|{}", lines(&|_| r#"rewind "to":"r1","reason":"x""#.to_owned())));
    assert_eq!(found.len(), 2 * MANY);
    let found = findings(&format!(
        r#"message "messageId":"{long}"|{}"#,
        lines(&|_| r#"message "supersedes":"r1","messageId":"x""#.to_owned())
    ));
    assert_eq!(found.len(), MANY);
    // As many ids as tombstones.
    let ids = format!("\"ids\":[{}\"r9\"]", "\"r2\",".repeat(MANY));
    let branch_summary =
        format!(r#"compaction "compactionId":"c","kind":"branch_summary","replaces":{{{ids}}}"#);
    let tombstones = lines(&|_| r#"tombstone "a":"r2","b":"r1""#.to_owned());
    assert!(findings(&format!("{branch_summary}|{tombstones}")).len() > MANY);
}
