//! Whatever the bytes: no panic, no lost line, no invalid stream, no more than linear time.

use crate::support::{
    answer, branches, claude, file, header, message, outcome, own, problems, samples, user, with,
};
use asr_registry::{Agent, convert};
use asr_spec::What;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn own_files() -> Vec<(Agent, Vec<u8>)> {
    vec![
        (Agent::ClaudeCode, own("claude-code/garden.jsonl")),
        (Agent::Pi, own("pi/garden.jsonl")),
        (Agent::Pi, own("pi/linear-v1.jsonl")),
    ]
}

/// Our own sessions, and the small samples where they are at hand.
fn files() -> Vec<(Agent, Vec<u8>)> {
    // Every cut of a file is converted, so the work is quadratic in its size.
    const LARGEST: usize = 60_000;
    let mut files = own_files();
    for agent in Agent::ALL {
        let small = samples(agent).into_iter().filter(|(_, bytes)| bytes.len() < LARGEST);
        files.extend(small.map(|(_, bytes)| (agent, bytes)));
    }
    files
}

/// A small generator: the tests need variety that repeats, not quality.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn valid_or_refused(agent: Agent, bytes: &[u8]) {
    if let Ok(conversion) = convert(agent, None, bytes) {
        let problems = problems(&conversion, bytes);
        assert!(problems.is_empty(), "{problems:#?}\n{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_file_cut_anywhere_is_converted_or_refused() {
    for (agent, bytes) in files() {
        for cut in (0..bytes.len()).step_by(1 + bytes.len() / 150) {
            valid_or_refused(agent, &bytes[..cut]);
            valid_or_refused(agent, &bytes[cut..]);
        }
    }
}

#[test]
fn bytes_changed_anywhere_make_no_invalid_stream() {
    let mut random = Random(7);
    for (agent, bytes) in files() {
        for _ in 0..60 {
            let mut bytes = bytes.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            valid_or_refused(agent, &bytes);
        }
    }
}

/// Pointers that name anything: other lines, later ones, themselves, nothing.
#[test]
fn ids_and_pointers_shuffled_make_no_invalid_stream() {
    let keys = [
        "uuid",
        "parentUuid",
        "logicalParentUuid",
        "leafUuid",
        "id",
        "parentId",
        "firstKeptEntryId",
        "fromId",
        "targetId",
    ];
    let mut random = Random(11);
    for (agent, bytes) in files() {
        let lines: Vec<Value> =
            bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let pool: Vec<Value> = lines
            .iter()
            .flat_map(|line| keys.map(|key| line.get(key).cloned().unwrap_or_default()))
            .collect();
        for _ in 0..60 {
            let mut lines = lines.clone();
            for line in lines.iter_mut().skip(1) {
                for key in keys {
                    if line.get(key).is_some() && random.below(8) == 0 {
                        line[key] = pool[random.below(pool.len())].clone();
                    }
                }
                if line["type"] == "assistant" && random.below(10) == 0 {
                    line["supersedesUuids"] =
                        json!([pool[random.below(pool.len())], pool[random.below(pool.len())]]);
                }
            }
            valid_or_refused(agent, &file(&lines));
        }
    }
}

/// Any value in any field: nothing is what it is expected to be.
#[test]
fn fields_of_any_type_make_no_invalid_stream() {
    let values = [
        json!(null),
        json!(true),
        json!(5),
        json!("x"),
        json!([]),
        json!([5, "x", {"type": "text"}]),
        json!({"type": 5}),
    ];
    let mut random = Random(13);
    for (agent, bytes) in files() {
        let lines: Vec<Value> =
            bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        for _ in 0..60 {
            let mut lines = lines.clone();
            for line in lines.iter_mut().skip(1) {
                disturb(line, &values, &mut random);
            }
            valid_or_refused(agent, &file(&lines));
        }
    }
}

fn disturb(value: &mut Value, values: &[Value], random: &mut Random) {
    if random.below(30) == 0 {
        *value = values[random.below(values.len())].clone();
    }
    match value {
        Value::Object(members) => members.values_mut().for_each(|value| disturb(value, values, random)),
        Value::Array(items) => items.iter_mut().for_each(|value| disturb(value, values, random)),
        _ => {}
    }
}

/// The deepest value that a converter accepts, anywhere: wherever a part of it ends up, its line is a record.
#[test]
fn values_nested_as_deeply_as_may_be_make_no_malformed_line() {
    let mut random = Random(23);
    for (agent, bytes) in own_files() {
        let lines: Vec<Value> =
            bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        for _ in 0..100 {
            let mut lines = lines.clone();
            for line in lines.iter_mut().skip(1) {
                if random.below(5) == 0 {
                    deepen(line, 125, &mut random);
                }
            }
            let Ok(conversion) = convert(agent, None, &file(&lines)) else { continue };
            let is_accepted = conversion.notes.iter().all(|note| !note.message.contains("too deeply"));
            assert!(is_accepted, "{:?}", conversion.notes);
            outcome(&conversion, What::Path);
        }
    }
}

/// Puts objects in place of a value, as many levels as `levels` leaves below it.
fn deepen(value: &mut Value, levels: usize, random: &mut Random) {
    let children: Vec<&mut Value> = match value {
        Value::Object(members) => members.values_mut().collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    let count = children.len();
    if count > 0 && (levels > 124 || random.below(4) > 0) {
        let chosen = random.below(count);
        children.into_iter().skip(chosen).take(1).for_each(|child| deepen(child, levels - 1, random));
    } else {
        let wrap = |inner: Value| Value::Object([("a".to_owned(), inner)].into_iter().collect());
        *value = (0..levels).fold(json!(1), |inner, _| wrap(inner));
    }
}

#[test]
fn noise_is_refused() {
    let mut random = Random(17);
    for agent in Agent::ALL {
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            assert!(convert(agent, None, &bytes).is_err());
            assert_eq!(Agent::detect(&bytes), None);
        }
    }
}

/// ASR-362: neither times nor words decide where a session branches. The words that Claude Code marks its own
/// records with are kinds, so they stay.
#[test]
fn times_and_words_do_not_decide_where_a_session_branches() {
    let mut random = Random(19);
    let mut all = files();
    for agent in Agent::ALL {
        all.extend(samples(agent).into_iter().map(|(_, bytes)| (agent, bytes)));
    }
    for (agent, bytes) in all {
        let Ok(before) = convert(agent, None, &bytes) else { continue };
        let mut lines: Vec<Value> = Vec::new();
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            // A gap is no record, so it changes no branch.
            lines.push(serde_json::from_slice(line).unwrap_or_default());
        }
        let times: Vec<Value> = lines.iter().filter_map(|line| line.get("timestamp").cloned()).collect();
        for line in &mut lines {
            if line.get("timestamp").is_some() {
                line["timestamp"] = times[random.below(times.len())].clone();
            }
            rewrite(line.get_mut("message").unwrap_or(&mut Value::Null), &mut random);
        }
        let after = convert(agent, None, &file(&lines)).unwrap();
        assert_eq!(branches(&before), branches(&after));
    }
}

fn rewrite(message: &mut Value, random: &mut Random) {
    let is_marker = |text: &str| text.starts_with(['<', '[']) || text.starts_with("Caveat:");
    let mut change = |text: &mut Value| {
        if text.as_str().is_some_and(|text| !is_marker(text)) {
            *text = json!(["", "Go.", "Something else entirely.", "Go. Go. Go."][random.below(4)]);
        }
    };
    match message.get_mut("content") {
        Some(content @ Value::String(_)) => change(content),
        Some(Value::Array(blocks)) => {
            for block in blocks {
                for key in ["text", "thinking", "content"] {
                    if let Some(text) = block.get_mut(key) {
                        change(text);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Twice the lines take about twice the time; what is quadratic takes far more than the limit allows.
fn converts_in_linear_time(agent: Agent, what: &str, make: impl Fn(usize) -> Vec<Value>) {
    // Linear work on as many lines takes well under a second, also without optimisation and on a busy
    // machine; quadratic work takes minutes.
    const LINES: usize = 40_000;
    const LIMIT: Duration = Duration::from_secs(20);
    let bytes = file(&make(LINES));
    let start = Instant::now();
    convert(agent, None, &bytes).unwrap();
    let took = start.elapsed();
    assert!(took < LIMIT, "{what}: {took:?}");
}

#[test]
fn long_chains_take_linear_time() {
    let progress =
        |id: usize, parent: usize| claude("progress", &format!("p{id}"), &format!("p{parent}"), json!({}));
    converts_in_linear_time(Agent::ClaudeCode, "every record hangs from one long chain of facts", |lines| {
        let mut all = vec![user("u", "", "Go."), claude("progress", "p0", "u", json!({}))];
        all.extend((1..lines / 2).map(|n| progress(n, n - 1)));
        all.extend((0..lines / 2).map(|n| user(&format!("x{n}"), &format!("p{}", lines / 2 - 1), "x")));
        all
    });
    converts_in_linear_time(Agent::ClaudeCode, "a chain written backwards", |lines| {
        let mut all: Vec<Value> = (1..lines).rev().map(|n| progress(n, n - 1)).collect();
        all.push(user("u", "p1", "Go."));
        all
    });
    converts_in_linear_time(Agent::ClaudeCode, "a circle", |lines| {
        let mut all: Vec<Value> = (0..lines).map(|n| progress(n, (n + 1) % lines)).collect();
        all.push(user("u", "p1", "Go."));
        all
    });
}

#[test]
fn many_compactions_of_one_long_path_take_linear_time() {
    converts_in_linear_time(Agent::ClaudeCode, "boundaries that preserve the first prompt", |lines| {
        let mut all = vec![user("u0", "", "Go.")];
        for n in 1..lines / 2 {
            all.push(answer(&format!("u{n}"), &format!("u{}", n - 1), "one key for all", "x"));
        }
        let last = format!("u{}", lines / 2 - 1);
        let metadata = json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u1"]}});
        for n in 0..lines / 2 {
            let fields = json!({"subtype": "compact_boundary", "logicalParentUuid": last,
                                "compactMetadata": metadata});
            all.push(claude("system", &format!("b{n}"), "", fields));
        }
        all
    });
    converts_in_linear_time(
        Agent::Pi,
        "compactions that keep everything, and summaries of one branch",
        |lines| {
            let mut all = vec![header(), message("u0", "", "user", "Go.")];
            for n in 1..lines / 2 {
                all.push(message(&format!("u{n}"), &format!("u{}", n - 1), "user", "x"));
            }
            let last = format!("u{}", lines / 2 - 1);
            for n in 0..lines / 4 {
                let fields = json!({"summary": "s", "firstKeptEntryId": "u0", "fromId": last});
                all.push(with(
                    message(&format!("c{n}"), &last, "", ""),
                    with(json!({"type": "compaction"}), fields.clone()),
                ));
                all.push(with(
                    message(&format!("d{n}"), "u0", "", ""),
                    with(json!({"type": "branch_summary"}), fields),
                ));
            }
            all
        },
    );
}

#[test]
fn many_withdrawals_and_leaves_take_linear_time() {
    converts_in_linear_time(
        Agent::ClaudeCode,
        "withdrawals of one message, and leaves everywhere",
        |lines| {
            let mut all = vec![user("u", "", "Go."), answer("a", "u", "X", "Gone.")];
            for n in 0..lines / 2 {
                let leaf = if n % 2 == 0 { "a" } else { "u" };
                let parent = if n % 3 == 0 { "u" } else { "a" };
                all.push(with(user(&format!("x{n}"), parent, "x"), json!({"supersedesUuids": ["a"]})));
                all.push(json!({"type": "last-prompt", "sessionId": "s", "leafUuid": leaf}));
            }
            all
        },
    );
}
