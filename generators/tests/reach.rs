//! What default scripts reach, asserted: a form that is never generated is never tested, and nothing else
//! would say.
//!
//! First every value of every operand, then the shapes that must turn up in rendered streams. Streams are
//! read with `serde_json` here, which is fine for looking and wrong for judging.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "the helpers of a test may panic as it may")]

use asr_generators::{Kind, Op, Script, Settings, Sort};
use serde_json::Value;
use std::collections::BTreeMap;

/// How many seeds are to reach everything.
const SEEDS: u64 = 5_000;

fn scripts() -> impl Iterator<Item = Script> {
    (0..SEEDS).map(|seed| Script::random(seed, &Settings::default()))
}

/// Bytes that look random.
fn noise(length: usize, salt: u64) -> Vec<u8> {
    let mut state = salt;
    let step = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u8
    };
    (0..length).map(step).collect()
}

/// Which values are missing of which operand, by kind of operation and position of the operand.
fn never_drawn(scripts: impl Iterator<Item = Script>) -> BTreeMap<(Kind, usize), Vec<u16>> {
    let mut missing = BTreeMap::new();
    for &kind in Kind::ALL {
        let mut position = 0;
        Op::plain(kind).visit(&mut |operand| {
            if matches!(operand.sort(), Sort::Form | Sort::Pick) {
                missing.insert((kind, position), (0..operand.values()).collect::<Vec<u16>>());
            }
            position += 1;
        });
    }
    for mut script in scripts {
        for op in &mut script.ops {
            let kind = op.kind();
            let mut position = 0;
            op.visit(&mut |operand| {
                if let Some(ranks) = missing.get_mut(&(kind, position)) {
                    ranks.retain(|&rank| rank != operand.rank());
                }
                position += 1;
            });
        }
    }
    missing.retain(|_, ranks| !ranks.is_empty());
    missing
}

#[test]
fn default_scripts_use_every_operation_with_every_value_of_every_operand() {
    assert_eq!(never_drawn(scripts()), BTreeMap::new());
}

#[test]
fn so_do_scripts_from_bytes() {
    assert_eq!(never_drawn((0..SEEDS).map(|seed| Script::from_bytes(&noise(640, seed)))), BTreeMap::new());
}

/// A stream, looked at.
struct Stream {
    bytes: Vec<u8>,
    /// The lines that `serde_json` takes for records, with their numbers.
    records: Vec<(usize, Value)>,
}

impl Stream {
    fn of(script: &Script) -> Self {
        let bytes = script.render();
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        let parsed = text.split(|&byte| byte == b'\n').map(serde_json::from_slice::<Value>).zip(1..);
        let records = parsed.filter_map(|(value, line)| Some((line, value.ok()?)));
        let records = records.filter(|(_, value)| value.is_object()).collect();
        Self { bytes, records }
    }

    fn has(&self, text: &str) -> bool {
        self.bytes.windows(text.len()).any(|window| window == text.as_bytes())
    }

    fn any(&self, mut shape: impl FnMut(usize, &Value) -> bool) -> bool {
        self.records.iter().any(|(line, record)| shape(*line, record))
    }

    /// The records that bear an id, with their lines.
    fn bearers(&self, id: &Value) -> Vec<&(usize, Value)> {
        self.records.iter().filter(|(_, record)| id.is_string() && record["id"] == *id).collect()
    }

    /// Each structural ref with the line and the record that carry it.
    fn refs<'a>(&'a self, field: &str) -> Vec<(usize, &'a Value)> {
        let pick = |record: &'a Value| -> Vec<&'a Value> {
            match field {
                "supersedes" | "to" | "keptFromId" => record.get(field).into_iter().collect(),
                "branchesFrom" => record[field].get("record").into_iter().collect(),
                "throughId" => record["replaces"].get(field).into_iter().collect(),
                "ids" => record["replaces"]["ids"].as_array().into_iter().flatten().collect(),
                "afterId" | "beforeId" => record["insertAt"].get(field).into_iter().collect(),
                "retains" => {
                    let entries = record[field].as_array().into_iter().flatten();
                    entries.filter_map(|entry| entry.get("ref")).collect()
                }
                "heads" => record[field].as_array().into_iter().flatten().collect(),
                _ => panic!("no such field: {field}"),
            }
        };
        self.records
            .iter()
            .flat_map(|(line, record)| pick(record).into_iter().map(|at| (*line, at)))
            .collect()
    }
}

const REFS: [&str; 10] = [
    "supersedes",
    "to",
    "branchesFrom",
    "throughId",
    "keptFromId",
    "ids",
    "afterId",
    "beforeId",
    "retains",
    "heads",
];

fn is_context(record: &Value) -> bool {
    ["message", "tool_call", "tool_result", "compaction"].iter().any(|name| record["type"] == *name)
}

/// Every kind of ref, resolved and not, in every field that has one.
#[test]
fn refs_are_resolved_dangling_forward_ambiguous_of_the_wrong_type_aliased_and_no_strings() {
    let mut seen: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for script in scripts() {
        let stream = Stream::of(&script);
        for field in REFS {
            for (line, at) in stream.refs(field) {
                let bearers = stream.bearers(at);
                let how = match &bearers[..] {
                    _ if at.is_null() => "null",
                    _ if !at.is_string() => "no string",
                    [] if at.as_str().is_some_and(|id| id.starts_with(['m', 'k', 'c'])) => "entity key",
                    [] => "dangling",
                    [(_, record)] if !is_context(record) => "wrong type",
                    [(bearer, _)] if *bearer > line => "forward",
                    [(bearer, _)] if *bearer == line => "self",
                    [(_, record)] if record.get("supersedes").is_some() => "alias",
                    [_] => "earlier",
                    _ => "ambiguous",
                };
                *seen.entry((field, how)).or_default() += 1;
            }
        }
    }
    let mut missing = Vec::new();
    for field in REFS {
        for how in [
            "null",
            "no string",
            "entity key",
            "dangling",
            "wrong type",
            "forward",
            "self",
            "alias",
            "earlier",
            "ambiguous",
        ] {
            // A rewind or session_info that names itself names an audit-only record.
            let is_impossible = how == "self" && ["to", "heads"].contains(&field);
            if !is_impossible && !seen.contains_key(&(field, how)) {
                missing.push((field, how));
            }
        }
    }
    assert!(missing.is_empty(), "never generated: {missing:?}\nof {seen:#?}");
}

type Shape = (&'static str, fn(&Stream) -> bool);

/// Shapes of records, by what they have in them.
const RECORDS: &[Shape] = &[
    ("a prompt", |s| s.any(|_, r| r["type"] == "message" && r["role"] == "user")),
    ("an answer", |s| s.any(|_, r| r["type"] == "message" && r["role"] == "assistant")),
    ("a message for the user only", |s| s.any(|_, r| r["type"] == "message" && r["audience"] == "user")),
    ("a withdrawn message", |s| s.any(|_, r| r["type"] == "message" && r["status"] == "withdrawn")),
    ("a failed message", |s| s.any(|_, r| r["type"] == "message" && r["status"] == "error")),
    ("an audience of another type", |s| s.any(|_, r| r["audience"].is_array())),
    ("a call of the model", |s| {
        s.any(|_, r| {
            r["type"] == "tool_call" && r.get("requestedBy").is_none() && r.get("parentCallId").is_none()
        })
    }),
    ("a call of a program", |s| s.any(|_, r| r["type"] == "tool_call" && r["requestedBy"] == "code")),
    ("a child call", |s| s.any(|_, r| r["type"] == "tool_call" && r["parentCallId"].is_string())),
    ("a call with a null parent", |s| s.any(|_, r| r.get("parentCallId").is_some_and(Value::is_null))),
    ("a call for the user only", |s| s.any(|_, r| r["type"] == "tool_call" && r["audience"] == "user")),
    ("two calls with one key", |s| {
        s.any(|line, r| {
            r["type"] == "tool_call"
                && r["callId"].is_string()
                && r.get("supersedes").is_none()
                && s.any(|other, o| {
                    other < line
                        && o["type"] == "tool_call"
                        && o["callId"] == r["callId"]
                        && o.get("supersedes").is_none()
                })
        })
    }),
    ("a result of an earlier call", |s| paired(s, |result, call| call < result)),
    ("a result of a later call", |s| paired(s, |result, call| call > result)),
    ("a result of no call", |s| {
        s.any(|_, r| {
            r["type"] == "tool_result"
                && r["callId"].is_string()
                && !s.any(|_, c| c["type"] == "tool_call" && key(c) == key(r))
        })
    }),
    ("a result by toolCallId", |s| {
        s.any(|_, r| r["type"] == "tool_result" && r.get("callId").is_none() && r["toolCallId"].is_string())
    }),
    ("a number for a callId beside a toolCallId", |s| {
        s.any(|_, r| r["callId"].is_number() && r["toolCallId"].is_string())
    }),
    ("a call without key", |s| {
        s.any(|_, r| r["type"] == "tool_call" && r.get("callId").is_none() && r.get("toolCallId").is_none())
    }),
    ("a usage report", |s| s.any(|_, r| r["type"] == "usage")),
    ("a vendor's record", |s| s.any(|_, r| r["type"] == "x-vendor-note")),
    ("a file change that a rewind caused", |s| {
        s.any(|_, r| {
            r["type"] == "file_change"
                && s.bearers(&r["cause"]["restore"]).iter().any(|(_, rewind)| rewind["type"] == "rewind")
        })
    }),
    ("a permission decision", |s| s.any(|_, r| r["type"] == "permission")),
    ("a tombstone", |s| s.any(|_, r| r["type"] == "tombstone")),
    ("no type", |s| s.any(|_, r| r.get("type").is_none())),
    ("a type that is no string", |s| s.any(|_, r| r["type"].is_number())),
    ("a gap", |s| s.any(|_, r| r["type"] == "gap" && r.get("supersedes").is_none())),
    ("a gap that supersedes a gap", |s| {
        s.any(|_, r| {
            r["type"] == "gap" && s.bearers(&r["supersedes"]).iter().any(|(_, g)| g["type"] == "gap")
        })
    }),
    ("a duplicate id", |s| s.any(|_, r| s.bearers(&r["id"]).len() > 1)),
    ("no id", |s| s.any(|_, r| r.get("id").is_none())),
    ("an id that is no string", |s| s.any(|_, r| r["id"].is_number())),
    ("the id `malformed`", |s| s.any(|_, r| r["id"] == "malformed")),
    ("the empty id", |s| s.any(|_, r| r["id"] == "")),
    ("no seq", |s| s.any(|_, r| r.get("seq").is_none())),
    ("a seq that is a fraction", |s| s.any(|_, r| r["seq"].is_f64() && r["seq"] != -0.0)),
    ("a seq that is a string", |s| s.any(|_, r| r["seq"].is_string())),
    ("a seq with an exponent", |s| (1..30).any(|line| s.has(&format!("\"seq\":{line}e0,")))),
    ("the largest seq", |s| s.has("\"seq\":9223372036854775807,")),
    ("a seq too large", |s| s.has("\"seq\":9223372036854775808,")),
    ("a seq beyond machine numbers", |s| s.has("\"seq\":1e999,")),
    ("a seq of minus zero", |s| s.has("\"seq\":-0,")),
    ("a repeated seq", |s| {
        s.any(|line, r| r["seq"].is_i64() && s.any(|other, o| other < line && o["seq"] == r["seq"]))
    }),
    ("a decreasing seq", |s| {
        s.any(|line, r| {
            let less = |o: &Value| o["seq"].as_i64() < r["seq"].as_i64();
            r["seq"].is_i64() && s.any(|other, o| other > line && o["seq"].is_i64() && less(o))
        })
    }),
];

fn key(record: &Value) -> Option<&str> {
    record["callId"].as_str().or_else(|| record["toolCallId"].as_str())
}

fn paired(stream: &Stream, order: fn(usize, usize) -> bool) -> bool {
    stream.any(|line, result| {
        result["type"] == "tool_result"
            && key(result).is_some()
            && stream.any(|other, call| {
                call["type"] == "tool_call" && key(call) == key(result) && order(line, other)
            })
    })
}

/// Shapes of branches, rewinds and revisions.
const BENDS: &[Shape] = &[
    ("a branch from a record", |s| s.any(|_, r| r["branchesFrom"]["record"].is_string())),
    ("a branch from START", |s| s.has("\"branchesFrom\":{\"record\":null}")),
    ("an unknown branch", |s| s.any(|_, r| r["branchesFrom"]["state"] == "unknown")),
    ("a branch that is empty", |s| s.has("\"branchesFrom\":{}")),
    ("a branch that is null", |s| s.has("\"branchesFrom\":null")),
    ("a branch that is a string", |s| s.any(|_, r| r["branchesFrom"].is_string())),
    ("a branch of another state", |s| s.any(|_, r| r["branchesFrom"]["state"] == "lost")),
    ("a branch with both keys", |s| {
        s.any(|_, r| r["branchesFrom"]["record"].is_string() && r["branchesFrom"]["state"].is_string())
    }),
    ("a branch on an audit-only record", |s| {
        s.any(|_, r| !is_context(r) && r.get("branchesFrom").is_some_and(|b| !b.is_null()))
    }),
    ("a rewind to a record", |s| s.any(|_, r| r["type"] == "rewind" && r["to"].is_string())),
    ("a rewind to START", |s| s.any(|_, r| r["type"] == "rewind" && r.get("to").is_some_and(Value::is_null))),
    ("a rewind without target", |s| s.any(|_, r| r["type"] == "rewind" && r.get("to").is_none())),
    ("a rewind without reason", |s| s.any(|_, r| r["type"] == "rewind" && r.get("reason").is_none())),
    ("a rewind that restores", |s| s.any(|_, r| r["restoreRequested"] == true)),
    ("a rewind that supersedes", |s| s.any(|_, r| r["type"] == "rewind" && r.get("supersedes").is_some())),
    ("a rewind that is superseded", |s| {
        s.any(|_, r| s.bearers(&r["supersedes"]).iter().any(|(_, old)| old["type"] == "rewind"))
    }),
    ("a revision of each type", |s| {
        ["message", "tool_call", "tool_result", "compaction"].iter().any(|name| {
            s.any(|_, r| {
                r["type"] == *name && s.bearers(&r["supersedes"]).iter().any(|(_, o)| o["type"] == *name)
            })
        })
    }),
    ("a revision of a revision", |s| {
        s.any(|_, r| s.bearers(&r["supersedes"]).iter().any(|(_, o)| o.get("supersedes").is_some()))
    }),
    ("a forked chain", |s| {
        s.any(|line, r| {
            r["supersedes"].is_string()
                && s.any(|other, o| other < line && o["supersedes"] == r["supersedes"])
        })
    }),
    ("a revision of another type", |s| {
        s.any(|_, r| {
            is_context(r)
                && s.bearers(&r["supersedes"]).iter().any(|(_, o)| is_context(o) && o["type"] != r["type"])
        })
    }),
    ("a revision with another entity key", |s| {
        revises(s, |new, old| new["messageId"].is_string() && new["messageId"] != old["messageId"])
    }),
    ("a revision with another audience", |s| {
        revises(s, |new, old| new["type"] == "message" && new["audience"] != old["audience"])
    }),
    ("a revision with another status", |s| revises(s, |new, old| new["status"] != old["status"])),
    ("a revision that makes a call a program's", |s| {
        revises(s, |new, old| new["requestedBy"] == "code" && old["requestedBy"] != "code")
    }),
    ("a plain revision that repeats a branch", |s| {
        revises(s, |new, old| {
            new.get("assembly").is_none()
                && new.get("branchesFrom").is_some()
                && new["branchesFrom"] == old["branchesFrom"]
        })
    }),
    ("a plain revision that changes a branch", |s| {
        revises(s, |new, old| new.get("assembly").is_none() && new["branchesFrom"] != old["branchesFrom"])
    }),
    ("a marked rewrite that drops a branch", |s| {
        rewrites(s, |new, old| new.get("branchesFrom").is_none() && old.get("branchesFrom").is_some())
    }),
    ("a marked rewrite that bends to a record", |s| {
        rewrites(s, |new, old| {
            new["branchesFrom"]["record"].is_string() && new["branchesFrom"] != old["branchesFrom"]
        })
    }),
    ("a marked rewrite that bends to START", |s| {
        rewrites(s, |new, _| new["branchesFrom"].get("record").is_some_and(Value::is_null))
    }),
    ("a marked rewrite that bends to UNKNOWN", |s| {
        rewrites(s, |new, _| new["branchesFrom"]["state"] == "unknown")
    }),
    ("a marked rewrite that moves a compaction", |s| {
        rewrites(s, |new, old| {
            new["type"] == "compaction"
                && new["branchesFrom"]["record"].is_string()
                && new["branchesFrom"] != old["branchesFrom"]
        })
    }),
    ("a marked rewrite that moves a node forwards", |s| {
        s.any(|_, new| {
            new["assembly"]["mode"] == "rewrite"
                && s.bearers(&new["supersedes"]).iter().any(|(old, _)| {
                    s.bearers(&new["branchesFrom"]["record"]).iter().any(|(target, _)| target > old)
                })
        })
    }),
    ("a cycle of one", |s| {
        s.any(|_, r| r["id"].is_string() && r["branchesFrom"]["record"] == r["id"] && is_context(r))
    }),
    ("a cycle of two, through a rewrite", |s| {
        s.any(|_, new| {
            new["assembly"]["mode"] == "rewrite"
                && s.bearers(&new["supersedes"]).iter().any(|(old, _)| {
                    s.bearers(&new["branchesFrom"]["record"]).iter().any(|(target, child)| {
                        *target == old + 1
                            && is_context(child)
                            && child.get("supersedes").is_none()
                            && child.get("branchesFrom").is_none()
                    })
                })
        })
    }),
    ("an assembly that marks nothing", |s| s.any(|_, r| r["assembly"] == "rewrite")),
];

fn revises(stream: &Stream, shape: fn(&Value, &Value) -> bool) -> bool {
    stream.any(|_, new| match &stream.bearers(&new["supersedes"])[..] {
        [(_, old)] => old["type"] == new["type"] && shape(new, old),
        _ => false,
    })
}

fn rewrites(stream: &Stream, shape: fn(&Value, &Value) -> bool) -> bool {
    stream.any(|_, new| match &stream.bearers(&new["supersedes"])[..] {
        [(_, old)] => old["type"] == new["type"] && new["assembly"]["mode"] == "rewrite" && shape(new, old),
        _ => false,
    })
}

/// Shapes of compactions and session facts.
const VIEWS: &[Shape] = &[
    ("a range", |s| compacts(s, |c| c["replaces"]["throughId"].is_string())),
    ("a range with a kept end", |s| {
        compacts(s, |c| c["replaces"]["throughId"].is_string() && c["keptFromId"].is_string())
    }),
    ("a set of none", |s| compacts(s, |c| c["replaces"]["ids"] == serde_json::json!([]))),
    ("a set of several", |s| {
        compacts(s, |c| c["replaces"]["ids"].as_array().is_some_and(|ids| ids.len() > 1))
    }),
    ("an unknown replacement", |s| compacts(s, |c| c["replaces"]["state"] == "unknown")),
    ("no replaces", |s| compacts(s, |c| c.get("replaces").is_none())),
    ("an empty replaces", |s| compacts(s, |c| c["replaces"] == serde_json::json!({}))),
    ("a replaces with several keys", |s| {
        compacts(s, |c| c["replaces"]["throughId"].is_string() && c["replaces"]["ids"].is_array())
    }),
    ("a replaces that is a string", |s| compacts(s, |c| c["replaces"].is_string())),
    ("a set that is a string", |s| compacts(s, |c| c["replaces"]["ids"].is_string())),
    ("a set of no strings", |s| {
        compacts(s, |c| c["replaces"]["ids"].as_array().is_some_and(|ids| ids.contains(&Value::Null)))
    }),
    ("a kept end with a set", |s| {
        compacts(s, |c| c["replaces"]["ids"].is_array() && c["keptFromId"].is_string())
    }),
    ("a place after", |s| compacts(s, |c| c["insertAt"]["afterId"].is_string())),
    ("a place before", |s| compacts(s, |c| c["insertAt"]["beforeId"].is_string())),
    ("the place START", |s| compacts(s, |c| c["insertAt"] == serde_json::json!({"afterId": null}))),
    ("both places", |s| {
        compacts(s, |c| c["insertAt"]["afterId"].is_string() && c["insertAt"]["beforeId"].is_string())
    }),
    ("START and a place before", |s| {
        compacts(s, |c| {
            c["insertAt"].get("afterId").is_some_and(Value::is_null) && c["insertAt"]["beforeId"].is_string()
        })
    }),
    ("an empty place", |s| compacts(s, |c| c["insertAt"] == serde_json::json!({}))),
    ("a null place before", |s| compacts(s, |c| c["insertAt"] == serde_json::json!({"beforeId": null}))),
    ("a place that is a string", |s| compacts(s, |c| c["insertAt"].is_string())),
    ("a record retained in full", |s| retains(s, |entry| entry["capture"] == "full")),
    ("a record retained in part", |s| retains(s, |entry| entry["capture"] == "truncated")),
    ("a record retained otherwise", |s| retains(s, |entry| entry["capture"] == "half")),
    ("a retained entry without ref", |s| retains(s, |entry| entry.is_object() && entry.get("ref").is_none())),
    ("a retained entry that is no object", |s| retains(s, |entry| entry.is_null())),
    ("a record retained twice", |s| {
        compacts(s, |c| c["retains"].as_array().is_some_and(|all| all.len() == 2 && all[0] == all[1]))
    }),
    ("retains that is no list", |s| compacts(s, |c| c["retains"].is_object())),
    ("a summary", |s| compacts(s, |c| c["summary"].as_array().is_some_and(|parts| !parts.is_empty()))),
    ("an empty summary", |s| compacts(s, |c| c["summary"] == serde_json::json!([]))),
    ("a summary that is a string", |s| compacts(s, |c| c["summary"].is_string())),
    ("an opaque state", |s| compacts(s, |c| c["opaque"]["data"].is_string())),
    ("an empty opaque state", |s| compacts(s, |c| c["opaque"] == serde_json::json!({}))),
    ("a summary and an opaque state", |s| {
        compacts(s, |c| c["summary"].is_array() && c["opaque"].is_object())
    }),
    ("no content", |s| compacts(s, |c| c.get("summary").is_none() && c.get("opaque").is_none())),
    ("a completed one", |s| compacts(s, |c| c["status"] == "completed")),
    ("a failed one", |s| compacts(s, |c| c["status"] == "failed")),
    ("one in progress", |s| compacts(s, |c| c["status"] == "in_progress")),
    ("a null status", |s| compacts(s, |c| c.get("status").is_some_and(Value::is_null))),
    ("a status that is a number", |s| compacts(s, |c| c["status"] == 5)),
    ("a branch summary", |s| compacts(s, |c| c["kind"] == "branch_summary")),
    ("no kind", |s| compacts(s, |c| c.get("kind").is_none())),
    ("history destroyed", |s| compacts(s, |c| c["historyRetained"] == false)),
    ("one in a range of another", |s| {
        s.any(|_, c| s.bearers(&c["replaces"]["throughId"]).iter().any(|(_, t)| t["type"] == "compaction"))
    }),
    ("heads", |s| s.any(|_, r| r["heads"][0].is_string())),
    ("two heads", |s| s.any(|_, r| r["heads"][1].is_string() && r["heads"][0].is_string())),
    ("no primary head", |s| {
        s.any(|_, r| r["heads"][1].is_string() && r["heads"].get(0).is_some_and(Value::is_null))
    }),
    ("only a null head", |s| s.any(|_, r| r["heads"] == serde_json::json!([null]))),
    ("empty heads", |s| s.any(|_, r| r["heads"] == serde_json::json!([]))),
    ("null heads", |s| s.any(|_, r| r.get("heads").is_some_and(Value::is_null))),
    ("heads that are a string", |s| s.any(|_, r| r["heads"].is_string())),
    ("heads that are an object", |s| s.any(|_, r| r["heads"].is_object())),
    ("a head that is no string", |s| s.any(|_, r| r["heads"][0].is_number())),
    ("a bare session_info", |s| {
        s.any(|_, r| r["type"] == "session_info" && r.get("heads").is_none() && r.get("lineage").is_none())
    }),
    ("context through a record", |s| {
        inherits(s, |i| i["mode"] == "referenced" && i["throughId"].is_string())
    }),
    ("context through an ordinal", |s| inherits(s, |i| i["throughOrdinal"] == 4)),
    ("context through a fraction", |s| s.has("\"throughOrdinal\":4.0")),
    ("context through a huge ordinal", |s| s.has("\"throughOrdinal\":1e999")),
    ("context through both", |s| inherits(s, |i| i["throughId"].is_string() && i["throughOrdinal"] == 4)),
    ("copied context", |s| inherits(s, |i| i["mode"] == "copied")),
    ("a null lineage", |s| s.any(|_, r| r.get("lineage").is_some_and(Value::is_null))),
    ("a lineage that is a string", |s| s.any(|_, r| r["lineage"].is_string())),
];

fn compacts(stream: &Stream, shape: fn(&Value) -> bool) -> bool {
    stream.any(|_, record| record["type"] == "compaction" && shape(record))
}

fn retains(stream: &Stream, shape: fn(&Value) -> bool) -> bool {
    stream.any(|_, record| record["retains"].as_array().is_some_and(|entries| entries.iter().any(shape)))
}

fn inherits(stream: &Stream, shape: fn(&Value) -> bool) -> bool {
    stream.any(|_, record| record["type"] == "session_info" && shape(&record["lineage"]["inherits"]))
}

/// Shapes of lines.
const LINES: &[Shape] = &[
    ("a blank line first", |s| s.bytes.starts_with(b"\n")),
    ("a blank line", |s| s.has("\n\n")),
    ("a blank line of space", |s| s.has("\n \t\n")),
    ("a byte order mark", |s| s.bytes.starts_with("\u{feff}{".as_bytes())),
    ("two byte order marks", |s| s.has("\u{feff}\u{feff}")),
    ("a carriage return", |s| s.has("}\r\n")),
    ("space around a record", |s| s.has("\r \t{")),
    ("no line end", |s| s.bytes.ends_with(b"}")),
    ("an escaped key", |s| s.has("{\"\\u0074\\u0079\\u0070\\u0065\":")),
    ("a key that comes twice", |s| s.has("\"seq\":0,") && s.has("\"id\":\"zz\",")),
    // From the innermost list to the record around all.
    ("127 levels", |s| s.has(&format!("[]{}}}}}\n", "}]".repeat(62)))),
    ("128 levels", |s| s.has(&format!("[]{}}}\n", "}]".repeat(63)))),
    ("a line longer than 64 KiB", |s| s.bytes.split(|&byte| byte == b'\n').any(|line| line.len() > 1 << 16)),
    ("more than 64 records", |s| s.records.len() > 64),
    ("a line that is only nearly blank", |s| s.has("\n\u{c}\n")),
    ("a huge number that nobody reads", |s| s.has("\"x\":1e999")),
    ("invalid UTF-8", |s| s.bytes.contains(&0xff)),
    ("an unpaired surrogate", |s| s.has("\"\\ud800\"")),
    ("a truncated record", |s| s.any(|line, _| line > 1) && s.has("\"x\":\"y\n")),
    ("a list", |s| s.has("\n[{")),
    ("a comma too many", |s| s.has(",}\n")),
    ("something after a record", |s| s.has("} x\n")),
    ("a number with a zero before it", |s| s.has("\"x\":01}")),
];

#[test]
fn every_shape_turns_up_in_default_streams() {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let shapes = || [RECORDS, BENDS, VIEWS, LINES].into_iter().flatten();
    for script in scripts() {
        let stream = Stream::of(&script);
        for (name, shape) in shapes() {
            *counts.entry(name).or_default() += u32::from(shape(&stream));
        }
    }
    assert_eq!(counts.len(), shapes().count(), "two shapes have the same name");
    let missing: Vec<&str> = counts.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
    assert!(missing.is_empty(), "never generated: {missing:#?}");
}

#[test]
fn default_scripts_are_long_enough_to_matter() {
    let lines: Vec<usize> = scripts().map(|script| script.lines()).collect();
    let nodes: Vec<usize> = scripts()
        .map(|script| {
            let stream = Stream::of(&script);
            stream.records.iter().filter(|(_, r)| is_context(r) && r.get("supersedes").is_none()).count()
        })
        .collect();
    let share =
        |counts: &[usize], least| counts.iter().filter(|&&count| count >= least).count() * 100 / counts.len();
    assert!(share(&lines, 6) >= 75, "{} % have 6 lines", share(&lines, 6));
    assert!(share(&nodes, 3) >= 75, "{} % have 3 nodes", share(&nodes, 3));
}

#[test]
fn half_of_the_default_scripts_have_nothing_odd_and_half_do() {
    let sound = scripts().filter(|script| script.odd() == 0).count();
    assert!((2_000..4_000).contains(&sound), "{sound} of {SEEDS} are sound");
}
