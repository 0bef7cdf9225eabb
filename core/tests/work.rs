//! What reading and answering costs, counted in steps of the algorithms and not timed, on shapes of streams that make
//! a careless reader quadratic.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use asr_core::Stream;
use asr_spec::{Head, Query, Step, Trace, What};
use std::fmt::Write as _;

/// Counts the steps of an answer.
#[derive(Default)]
struct Count(u64);

impl Trace for Count {
    fn step(&mut self, _: Step, _: u64, _: u64) {
        self.0 += 1;
    }
}

/// The steps of reading a stream and of the view from its primary head, and the stream's bytes.
fn steps(text: &str) -> (u64, u64) {
    let mut count = Count::default();
    let stream = Stream::read_traced(text.as_bytes(), &mut count).unwrap();
    stream.answer_traced(&Query { what: What::View, head: Head::Primary }, &mut count);
    (count.0, text.len() as u64)
}

fn record(text: &mut String, kind: &str, id: u64, rest: &str) {
    writeln!(text, r#"{{"type":"{kind}","seq":{id},"id":"r{id}"{rest}}}"#).unwrap();
}

/// Streams of about `n` records whose shape makes a careless reader quadratic.
fn shapes(n: u64) -> Vec<(&'static str, String)> {
    let mut shapes = Vec::new();
    let mut add = |name, line: &dyn Fn(&mut String, u64)| {
        let mut text = String::new();
        (1..=n).for_each(|id| line(&mut text, id));
        shapes.push((name, text));
    };
    add("linear", &|text, id| record(text, "message", id, ""));
    add("ping-pong rewinds between two branches", &|text, id| {
        if id <= n / 2 {
            let rest = if id == n / 4 { r#","branchesFrom":{"record":"r1"}"# } else { "" };
            record(text, "message", id, rest);
        } else {
            let to = if id % 2 == 0 { n / 4 - 1 } else { n / 2 };
            record(text, "rewind", id, &format!(r#","to":"r{to}""#));
        }
    });
    add("one compaction per record", &|text, id| {
        let through = format!(r#","replaces":{{"throughId":"r{}"}},"summary":[0]"#, id - 1);
        if id % 2 == 0 { record(text, "compaction", id, &through) } else { record(text, "message", id, "") }
    });
    add("nested compactions", &|text, id| {
        let through =
            format!(r#","replaces":{{"throughId":"r{}"}},"summary":[0]"#, n.saturating_sub(id).max(1));
        if id > n / 2 { record(text, "compaction", id, &through) } else { record(text, "message", id, "") }
    });
    add("summaries that replace summaries by id", &|text, id| {
        let ids = format!(r#","replaces":{{"ids":["r{}","r1"]}},"summary":[0]"#, id - 1);
        if id > 1 { record(text, "compaction", id, &ids) } else { record(text, "message", id, "") }
    });
    add("star forest", &|text, id| {
        let rest = if id > 1 { r#","branchesFrom":{"record":"r1"}"# } else { "" };
        record(text, "message", id, rest);
    });
    add("one long chain of revisions", &|text, id| {
        let rest = if id > 1 { format!(r#","supersedes":"r{}""#, id - 1) } else { String::new() };
        record(text, "message", id, &rest);
    });
    add("gaps before rewinds", &|text, id| match id % 3 {
        0 => record(text, "gap", id, ""),
        1 => record(text, "message", id, ""),
        _ => record(text, "rewind", id, &format!(r#","to":"r{}""#, id - 1)),
    });
    add("rewrites that turn the path around", &|text, id| {
        if id <= n / 2 {
            record(text, "message", id, "");
        } else {
            let old = id - n / 2;
            let target = if old == n / 2 { "null".into() } else { format!(r#""r{}""#, old + 1) };
            let rest = format!(
                r#","supersedes":"r{old}","assembly":{{"mode":"rewrite"}},"branchesFrom":{{"record":{target}}}"#
            );
            record(text, "message", id, &rest);
        }
    });
    // Messages, and compactions that name them; then two rewrites put the compactions before the messages.
    add("compactions that a rewrite moved before what they name", &|text, id| {
        let half = n / 2 - 2;
        let compacts = format!(r#","replaces":{{"throughId":"r{half}"}},"insertAt":{{"afterId":"r{half}"}}"#);
        let rewrites = |old: u64, target: &str| {
            format!(
                r#","supersedes":"r{old}","assembly":{{"mode":"rewrite"}},"branchesFrom":{{"record":{target}}}"#
            )
        };
        if id <= half {
            record(text, "message", id, "");
        } else if id <= 2 * half {
            record(text, "compaction", id, &(compacts + r#","summary":[0]"#));
        } else if id == 2 * half + 1 {
            record(text, "message", id, &rewrites(1, &format!(r#""r{}""#, 2 * half)));
        } else if id == 2 * half + 2 {
            record(text, "compaction", id, &(compacts + &rewrites(half + 1, "null")));
        } else if id == 2 * half + 3 {
            record(text, "rewind", id, &format!(r#","to":"r{half}""#));
        }
    });
    let ids: Vec<String> = (1..n).map(|id| format!(r#""r{id}""#)).collect();
    let mut text = String::new();
    (1..n).for_each(|id| record(&mut text, "message", id, ""));
    record(
        &mut text,
        "compaction",
        n,
        &format!(r#","replaces":{{"ids":[{}]}},"summary":[0]"#, ids.join(",")),
    );
    shapes.push(("one compaction of many ids", text));
    shapes
}

/// A stream of four times as many bytes takes about four times as many steps.
#[test]
fn no_shape_takes_more_steps_than_its_bytes_allow() {
    const MANY: u64 = 25_000;
    for ((name, small), (_, large)) in shapes(MANY).into_iter().zip(shapes(4 * MANY)) {
        let ((few, few_bytes), (many, many_bytes)) = (steps(&small), steps(&large));
        assert!(few > MANY, "{name}: {few} steps");
        let growth = many as f64 / few as f64 / (many_bytes as f64 / few_bytes as f64);
        assert!(growth < 1.2, "{name}: {few} steps for {few_bytes} bytes, {many} for {many_bytes}");
    }
}
