//! The invariants hold for both engines, apply to what is generated, and notice planted faults; what looks
//! like an invariant and is none is still broken by its counterexample.
//!
//! `ASR_CASES` sets the number of streams.

use asr_checker::invariants::{Examination, Holding, INVARIANTS};
use asr_checker::{Core, Engine, Heads, Oracle, OracleAs, compare};
use asr_generators::{Script, Settings};
use asr_oracle::{Kind, Variant, variants};
use asr_spec::{Head, Outcome, Query, What};
use std::collections::{BTreeMap, BTreeSet};

fn cases() -> u64 {
    match std::env::var("ASR_CASES") {
        Ok(cases) => cases.parse().unwrap_or_else(|_| panic!("ASR_CASES={cases}: expected a number")),
        Err(_) => 1_500,
    }
}

/// Short scripts: every invariant asks many questions, each of them of a stream of its own.
fn script(case: u64) -> Script {
    Script::random(case, &Settings { lines: 12, ..Settings::of_case(case) })
}

/// Runs the cases on all cores and adds up what they count.
fn count(check: impl Fn(u64) -> BTreeMap<&'static str, u64> + Sync) -> BTreeMap<&'static str, u64> {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    std::thread::scope(|scope| {
        let check = &check;
        let run = move |thread: u64| {
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            for case in (thread..cases()).step_by(threads as usize) {
                for (id, count) in check(case) {
                    *counts.entry(id).or_default() += count;
                }
            }
            counts
        };
        let runs: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        let mut all: BTreeMap<&str, u64> = BTreeMap::new();
        for (id, count) in runs.into_iter().flat_map(|run| run.join().unwrap()) {
            *all.entry(id).or_default() += count;
        }
        all
    })
}

fn every_invariant_holds_for(engine: &dyn Engine) {
    let applied = count(|case| {
        let stream = script(case).render();
        let examination = Examination::new(engine, &stream);
        let held = INVARIANTS.iter().filter(|invariant| match examination.check(invariant) {
            Holding::Held => true,
            Holding::NotApplicable => false,
            Holding::Broken(breach) => panic!(
                "case {case} breaks {}: {}\n{}\nedited:\n{}\n{}\nexpected {}\nfound    {}\n{:?}",
                invariant.id,
                invariant.sentence,
                String::from_utf8_lossy(&stream),
                String::from_utf8_lossy(&breach.edited),
                breach.question,
                breach.expected,
                breach.found,
                script(case),
            ),
        });
        held.map(|invariant| (invariant.id, 1)).collect()
    });
    let ids: BTreeSet<_> = INVARIANTS.iter().map(|invariant| invariant.id).collect();
    println!("{applied:?}");
    assert_eq!(applied.into_keys().collect::<BTreeSet<_>>(), ids, "some invariants applied to no stream");
}

#[test]
fn every_invariant_holds_for_the_oracle_and_applies_to_some_stream() {
    every_invariant_holds_for(&Oracle);
}

#[test]
fn every_invariant_holds_for_the_core_and_applies_to_some_stream() {
    every_invariant_holds_for(&Core);
}

#[test]
fn the_invariants_are_those_of_the_register() {
    let ids: Vec<String> =
        (1..=34).map(|i| format!("I-{i}")).chain((1..=31).map(|v| format!("V-{v}"))).collect();
    assert_eq!(INVARIANTS.iter().map(|invariant| invariant.id).collect::<Vec<_>>(), ids);
}

/// Faults that no invariant notices, since what they do is consistent in itself: only a second implementation
/// or a fixture tells. Everything else is noticed without one.
const CONSISTENT: &[&str] =
    &["fault:huge_numbers_malformed", "fault:missing_to_is_null", "fault:unresolved_as_unknown"];

fn faults() -> impl Iterator<Item = &'static Variant> {
    variants().iter().filter(|variant| matches!(variant.kind, Kind::Fault { .. }))
}

/// How many streams a fault is hunted on at most. The rarest one needs a few thousand.
const HUNTED: u64 = 10_000;

/// Whether some invariant notices a variant.
fn is_noticed(variant: &'static Variant) -> bool {
    let engine = OracleAs(variant);
    (0..HUNTED).any(|case| {
        let stream = script(case).render();
        let examination = Examination::new(&engine, &stream);
        INVARIANTS.iter().any(|invariant| matches!(examination.check(invariant), Holding::Broken(_)))
    })
}

/// Whether the differential notices a variant.
fn differs(variant: &'static Variant) -> bool {
    let engine = OracleAs(variant);
    (0..HUNTED).any(|case| {
        let verdict = compare([&Oracle, &engine], &script(case).render(), Heads::Every, |_, _| ());
        !verdict.is_agreement()
    })
}

#[test]
fn every_planted_fault_breaks_an_invariant_or_else_differs_from_the_oracle() {
    let queue = std::sync::Mutex::new(faults());
    let next = || queue.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |threads| threads.get()) {
            scope.spawn(|| {
                while let Some(fault) = next() {
                    if CONSISTENT.contains(&fault.name) {
                        assert!(differs(fault), "{} is no fault on any stream", fault.name);
                    } else {
                        assert!(is_noticed(fault), "no invariant notices {}", fault.name);
                    }
                }
            });
        }
    });
}

/// A record: its number is seq and id.
fn record(n: u64, r#type: &str, more: &str) -> String {
    format!(r#"{{"type":"{type}","seq":{n},"id":"r{n}"{more}}}"#)
}

fn message(n: u64) -> String {
    record(n, "message", "")
}

fn rewind(n: u64, to: &str) -> String {
    record(n, "rewind", &format!(r#","to":{to},"reason":"other""#))
}

/// A compaction with a summary.
fn compaction(n: u64, replaces: &str, more: &str) -> String {
    let fixed =
        format!(r#","compactionId":"c{n}","kind":"summary","summary":[{{"type":"text","text":"s"}}]"#);
    record(n, "compaction", &format!(r#"{fixed},"replaces":{replaces}{more}"#))
}

/// A marked rewrite of a message, with a branchesFrom.
fn rewrite(n: u64, of: &str, from: &str) -> String {
    let more = format!(r#","supersedes":"{of}","branchesFrom":{from},"assembly":{{"mode":"rewrite"}}"#);
    record(n, "message", &more)
}

/// A stream, a question to it, and the answer. The question is `path` or `view`, from the primary head or
/// from one.
type Shows = (Vec<String>, &'static str, &'static str);

/// What an attentive reader might take for an invariant (`readings.md` C.2), with what shows that it is none.
fn false_claims() -> Vec<(&'static str, &'static str, Vec<Shows>)> {
    let start = r#"{"record":null}"#;
    let hidden = || record(1, "message", r#","audience":"user""#);
    let failed = compaction(2, r#"{"ids":["r1"]}"#, r#","status":"failed","branchesFrom":{"record":null}"#);
    let gap = |n| record(n, "gap", "");
    vec![
        (
            "F-1",
            "an audit-only record changes no path",
            vec![
                (vec![message(1)], "path", r#"[{"id":"r1"}]"#),
                (vec![message(1), rewind(2, "null")], "path", "[]"),
            ],
        ),
        (
            "F-1b",
            "a usage record changes no path, whatever its id",
            vec![
                (
                    vec![record(1, "message", r#","branchesFrom":{"record":"r2"}"#)],
                    "path",
                    r#"[{"unresolvedRef":"r2","status":"unresolved","exact":false},{"id":"r1"}]"#,
                ),
                (
                    vec![record(1, "message", r#","branchesFrom":{"record":"r2"}"#), record(2, "usage", "")],
                    "path",
                    r#"[{"unresolvedRef":"r2","status":"wrong_type","exact":false},{"id":"r1"}]"#,
                ),
            ],
        ),
        (
            "F-2",
            "a rewind to the default head changes no later path",
            vec![
                (vec![message(1), gap(2), message(4)], "path", r#"[{"id":"r1"},{"gap":"r2"},{"id":"r4"}]"#),
                (
                    vec![message(1), gap(2), rewind(3, r#""r1""#), message(4)],
                    "path",
                    r#"[{"id":"r1"},{"id":"r4"}]"#,
                ),
            ],
        ),
        (
            "F-3",
            "positions increase along every path of a valid stream",
            vec![(
                vec![
                    message(1),
                    record(2, "message", r#","branchesFrom":{"state":"unknown"}"#),
                    rewrite(3, "r1", r#"{"record":"r2"}"#),
                ],
                "path --head r1",
                r#"[{"unknownPredecessor":true},{"id":"r2"},{"id":"r1","rev":"r3"}]"#,
            )],
        ),
        (
            "F-4",
            "every applied compaction shows its summary",
            vec![(
                vec![
                    message(1),
                    compaction(2, r#"{"throughId":"r1"}"#, ""),
                    compaction(3, r#"{"throughId":"r2"}"#, ""),
                ],
                "view",
                r#"[{"summary":"r3"}]"#,
            )],
        ),
        (
            "F-5",
            "a view is not longer than its path",
            vec![
                (vec![compaction(1, r#"{"state":"unknown"}"#, "")], "path", r#"[{"id":"r1"}]"#),
                (
                    vec![compaction(1, r#"{"state":"unknown"}"#, "")],
                    "view",
                    r#"[{"unknownReplacement":"r1"},{"summary":"r1"}]"#,
                ),
            ],
        ),
        (
            "F-6",
            "deleting gap records deletes only gap markers from views",
            vec![
                (
                    vec![gap(1), message(2), compaction(3, r#"{"throughId":"r2"}"#, r#","keptFromId":"r2""#)],
                    "view",
                    r#"[{"summary":"r3"},{"id":"r2"}]"#,
                ),
                (
                    vec![message(2), compaction(3, r#"{"throughId":"r2"}"#, r#","keptFromId":"r2""#)],
                    "view",
                    r#"[{"id":"r2"},{"summary":"r3"}]"#,
                ),
            ],
        ),
        (
            "F-7",
            "step 4 may run before step 3",
            vec![
                (
                    vec![hidden(), message(2), compaction(3, r#"{"ids":["r1"]}"#, "")],
                    "view",
                    r#"[{"summary":"r3"},{"id":"r2"}]"#,
                ),
                // As if step 4 had run before: the hidden message is not there to be replaced.
                (
                    vec![hidden(), message(2), compaction(3, r#"{"ids":[]}"#, "")],
                    "view",
                    r#"[{"id":"r2"},{"summary":"r3"}]"#,
                ),
            ],
        ),
        (
            "F-8",
            "a range is as the set of all nodes up to its end",
            vec![
                (
                    vec![gap(1), message(2), compaction(3, r#"{"throughId":"r2"}"#, "")],
                    "view",
                    r#"[{"summary":"r3"}]"#,
                ),
                (
                    vec![gap(1), message(2), compaction(3, r#"{"ids":["r2"]}"#, "")],
                    "view",
                    r#"[{"gap":"r1"},{"summary":"r3"}]"#,
                ),
            ],
        ),
        (
            "F-9",
            "deleting all that is off a path, rewinds too, leaves the path alone",
            vec![
                (vec![gap(1), rewind(2, "null"), message(3)], "path", r#"[{"id":"r3"}]"#),
                (vec![gap(1), message(3)], "path", r#"[{"gap":"r1"},{"id":"r3"}]"#),
            ],
        ),
        (
            "F-10",
            "revisions never change which nodes are on a path",
            vec![
                (vec![message(1), message(2)], "path --head r2", r#"[{"id":"r1"},{"id":"r2"}]"#),
                (
                    vec![message(1), message(2), rewrite(3, "r2", start)],
                    "path --head r2",
                    r#"[{"id":"r2","rev":"r3"}]"#,
                ),
            ],
        ),
        (
            "F-11",
            "the view of a prefix is a prefix of the view",
            vec![
                (
                    vec![message(1), compaction(2, r#"{"throughId":"r1"}"#, "")],
                    "view --head r1",
                    r#"[{"id":"r1"}]"#,
                ),
                (
                    vec![message(1), compaction(2, r#"{"throughId":"r1"}"#, "")],
                    "view",
                    r#"[{"summary":"r2"}]"#,
                ),
            ],
        ),
        (
            "F-12",
            "appending a tool_call changes no view that there is",
            vec![
                (vec![record(1, "tool_result", r#","callId":"A""#)], "view --head r1", r#"[{"id":"r1"}]"#),
                (
                    vec![
                        record(1, "tool_result", r#","callId":"A""#),
                        record(2, "tool_call", r#","callId":"A","requestedBy":"code""#),
                    ],
                    "view --head r1",
                    "[]",
                ),
            ],
        ),
        (
            "F-13",
            "a failed compaction can be deleted",
            vec![
                (vec![message(1), failed, message(3)], "view", r#"[{"id":"r3"}]"#),
                (vec![message(1), message(3)], "view", r#"[{"id":"r1"},{"id":"r3"}]"#),
            ],
        ),
        (
            "F-14",
            "a record occurs once in a view",
            vec![(
                vec![
                    message(1),
                    record(2, "compaction", r#","replaces":{"ids":[]},"retains":[{"ref":"r1"}]"#),
                ],
                "view",
                r#"[{"id":"r1"},{"retained":"r1","by":"r2"}]"#,
            )],
        ),
        (
            "F-15",
            "every gap of a valid stream is in the path of some record",
            vec![(vec![gap(1), rewind(2, "null"), message(3)], "path --head r3", r#"[{"id":"r3"}]"#)],
        ),
        (
            "F-16",
            "the default head is the last record of the context",
            vec![(vec![message(1), rewind(2, "null")], "path", "[]")],
        ),
        (
            "F-17",
            "two audit-only records next to each other may change places",
            vec![
                (vec![message(1), rewind(2, r#""r1""#), rewind(3, "null")], "path", "[]"),
                (vec![message(1), rewind(2, "null"), rewind(3, r#""r1""#)], "path", r#"[{"id":"r1"}]"#),
            ],
        ),
        (
            "F-18",
            "a compaction with a summary makes no view longer",
            vec![
                (vec![message(1)], "view", r#"[{"id":"r1"}]"#),
                (
                    vec![message(1), compaction(2, r#"{"state":"unknown"}"#, "")],
                    "view",
                    r#"[{"id":"r1"},{"unknownReplacement":"r2"},{"summary":"r2"}]"#,
                ),
            ],
        ),
        (
            "F-19",
            "a cycle is met from the default head",
            vec![
                (
                    vec![message(1), message(2), rewrite(3, "r1", r#"{"record":"r2"}"#), rewind(4, "null")],
                    "path",
                    "[]",
                ),
                (
                    vec![message(1), message(2), rewrite(3, "r1", r#"{"record":"r2"}"#), rewind(4, "null")],
                    "path --head r1",
                    r#"{"error":"cycle","at":"r1"}"#,
                ),
            ],
        ),
        (
            "F-20",
            "nodes and summaries of a view are in stream order",
            vec![(
                vec![message(1), compaction(2, r#"{"ids":[]}"#, r#","insertAt":{"afterId":null}"#)],
                "view",
                r#"[{"summary":"r2"},{"id":"r1"}]"#,
            )],
        ),
        (
            "F-21",
            "only afterId null puts anything at START",
            vec![(
                vec![
                    message(1),
                    message(2),
                    compaction(3, r#"{"ids":["r1"]}"#, r#","insertAt":{"afterId":null}"#),
                    compaction(4, r#"{"ids":["r3"]}"#, ""),
                ],
                "view",
                r#"[{"summary":"r4"},{"id":"r2"}]"#,
            )],
        ),
    ]
}

#[test]
fn what_looks_like_an_invariant_and_is_none_is_still_broken_by_its_counterexample() {
    let claims = false_claims();
    assert_eq!(claims.len(), 22);
    for (id, claim, shows) in claims {
        for (records, question, answer) in shows {
            let stream = records.join("\n");
            let (what, head) = match question.split_once(" --head ") {
                Some((what, head)) => (what, Head::Ref(head.to_owned())),
                None => (question, Head::Primary),
            };
            let what = if what == "path" { What::Path } else { What::View };
            let query = Query { what, head };
            for engine in [&Oracle as &dyn Engine, &Core] {
                let found = engine.read(stream.as_bytes()).unwrap().answer(&query);
                let expected: Outcome = serde_json::from_str(answer).unwrap();
                assert_eq!(found, expected, "{id}: it is not so that {claim}: {stream}");
            }
        }
    }
}
