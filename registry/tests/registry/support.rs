//! What the tests of the registry share: short native lines, and a check of everything a stream must be.

use asr_registry::{Agent, Conversion, convert};
use asr_spec::native::{Mapping, NativeRecord};
use asr_spec::record::{Body, BranchesFrom, InsertAt, Record, Replaces};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Native lines as a file.
pub fn file(lines: &[Value]) -> Vec<u8> {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    (text.join("\n") + "\n").into_bytes()
}

/// Converts lines and checks the stream.
pub fn converted(agent: Agent, lines: &[Value]) -> Conversion {
    checked(agent, None, &file(lines))
}

/// Converts a file and checks the stream.
pub fn checked(agent: Agent, name: Option<&str>, bytes: &[u8]) -> Conversion {
    let conversion = convert(agent, name, bytes).unwrap_or_else(|error| panic!("{name:?}: {error}"));
    let problems = problems(&conversion, bytes);
    assert!(problems.is_empty(), "{name:?}: {problems:#?}");
    conversion
}

/// Adds fields to an object.
pub fn with(mut object: Value, fields: Value) -> Value {
    let (Value::Object(object_fields), Value::Object(fields)) = (&mut object, fields) else {
        panic!("two objects");
    };
    object_fields.extend(fields);
    object
}

/// A native record of Claude Code. An empty parent is none.
pub fn claude(r#type: &str, uuid: &str, parent: &str, fields: Value) -> Value {
    let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
    let record = json!({"type": r#type, "uuid": uuid, "parentUuid": parent, "isSidechain": false,
                        "sessionId": "s", "version": "2.1.0", "cwd": "/garden"});
    with(record, fields)
}

/// A prompt.
pub fn user(uuid: &str, parent: &str, text: &str) -> Value {
    claude("user", uuid, parent, json!({"message": {"role": "user", "content": text}}))
}

/// One block of the response `key`.
pub fn block(uuid: &str, parent: &str, key: &str, block: Value) -> Value {
    let message = json!({"id": key, "role": "assistant", "model": "m", "content": [block],
                         "usage": {"input_tokens": 1, "output_tokens": 2}});
    claude("assistant", uuid, parent, json!({"message": message}))
}

/// A text block of the response `key`.
pub fn answer(uuid: &str, parent: &str, key: &str, text: &str) -> Value {
    block(uuid, parent, key, json!({"type": "text", "text": text}))
}

/// A call in the response `key`.
pub fn call(uuid: &str, parent: &str, key: &str, call: &str) -> Value {
    block(uuid, parent, key, json!({"type": "tool_use", "id": call, "name": "Read", "input": {"n": 1}}))
}

/// The result of a call.
pub fn result(uuid: &str, parent: &str, call: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": call, "content": "out"});
    claude("user", uuid, parent, json!({"message": {"role": "user", "content": [block]}}))
}

/// The header of a Pi session.
pub fn header() -> Value {
    json!({"type": "session", "version": 3, "id": "s", "cwd": "/garden"})
}

/// A Pi entry. An empty parent is none.
pub fn entry(r#type: &str, id: &str, parent: &str, fields: Value) -> Value {
    let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
    with(json!({"type": r#type, "id": id, "parentId": parent}), fields)
}

/// A Pi message with text.
pub fn message(id: &str, parent: &str, role: &str, text: &str) -> Value {
    entry("message", id, parent, json!({"message": {"role": role, "content": text}}))
}

/// The record with this id.
pub fn find<'a>(conversion: &'a Conversion, id: &str) -> &'a Record {
    let found = conversion.records.iter().find(|record| record.id == id);
    found.unwrap_or_else(|| panic!("no {id} among {:?}", ids(conversion)))
}

/// The record with this id as JSON.
pub fn json_of(conversion: &Conversion, id: &str) -> Value {
    serde_json::to_value(find(conversion, id)).unwrap()
}

/// All ids, in order.
pub fn ids(conversion: &Conversion) -> Vec<&str> {
    conversion.records.iter().map(|record| record.id.as_str()).collect()
}

/// Where the stream branches: `id<-record`, `id<-START`, `id<-?`.
pub fn branches(conversion: &Conversion) -> Vec<String> {
    let show = |record: &Record| {
        if record.supersedes.is_some() {
            return None;
        }
        Some(match record.branches_from.as_ref()? {
            BranchesFrom::Record(id) => format!("{}<-{id}", record.id),
            BranchesFrom::Start => format!("{}<-START", record.id),
            BranchesFrom::Unknown => format!("{}<-?", record.id),
        })
    };
    conversion.records.iter().filter_map(show).collect()
}

/// All statements of heads: the id of the record, and the heads.
pub fn heads(conversion: &Conversion) -> Vec<(String, Vec<Option<String>>)> {
    let show = |record: &Record| match &record.body {
        Body::SessionInfo(info) => Some((record.id.clone(), info.heads.clone()?)),
        _ => None,
    };
    conversion.records.iter().filter_map(show).collect()
}

/// The stream as the core reads it: the active path or the context view from the primary head.
pub fn outcome(conversion: &Conversion, what: asr_spec::What) -> String {
    let mut bytes = Vec::new();
    conversion.write_to(&mut bytes).unwrap();
    let stream = asr_core::Stream::read(&bytes).unwrap();
    assert_eq!(stream.malformed(), 0);
    stream.answer(&asr_spec::Query { what, head: asr_spec::Head::Primary }).to_string()
}

/// The samples of an agent, or a visible word that there are none.
pub fn samples(agent: Agent) -> Vec<(String, Vec<u8>)> {
    let directory =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/samples").join(agent.as_str());
    let mut files = Vec::new();
    let mut directories = vec![directory.clone()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                files.push((name, std::fs::read(path).unwrap()));
            }
        }
    }
    files.sort();
    if files.is_empty() {
        // Written to the terminal, since the test harness hides what a passing test prints.
        use std::io::Write;
        let reason = "third-party files are not part of the repository";
        let _ =
            writeln!(std::io::stderr().lock(), "SKIPPED: no samples in {}: {reason}", directory.display());
    }
    files
}

/// Our own sessions in `fixtures`.
pub fn own(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sessions").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn takes_part(record: &Record) -> bool {
    matches!(record.body, Body::Message(_) | Body::ToolCall(_) | Body::ToolResult(_) | Body::Compaction(_))
}

/// Everything that is wrong with a stream, by plain means: every question is answered by walking.
pub fn problems(conversion: &Conversion, bytes: &[u8]) -> Vec<String> {
    let problems = RefCell::new(Vec::new());
    let report = |problem: String| problems.borrow_mut().push(problem);
    let records = &conversion.records;

    // Numbers and names.
    let mut positions = HashMap::new();
    for (position, record) in records.iter().enumerate() {
        if record.seq != position as i64 + 1 {
            report(format!("{}: seq {}", record.id, record.seq));
        }
        if positions.insert(record.id.as_str(), position).is_some() {
            report(format!("{} twice", record.id));
        }
        if record.native.as_ref().is_none_or(|native| native.kind.is_none()) {
            report(format!("{}: no native kind", record.id));
        }
    }

    // Every native line is in the stream, and no other.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines: HashSet<u64> = (1..)
        .zip(bytes.split(|&byte| byte == b'\n'))
        .filter(|(_, line)| line.iter().any(|byte| !b" \t\r".contains(byte)))
        .map(|(number, _)| number)
        .collect();
    let found: HashSet<u64> = records.iter().filter_map(|record| record.native.as_ref()?.line).collect();
    if lines != found {
        report(format!("lines that are not in the stream: {:?}", lines.difference(&found)));
    }

    // Predecessors, by the scan of the chapter.
    let is_node = |record: &Record| takes_part(record) && record.supersedes.is_none();
    let mut before: Vec<Option<usize>> = vec![None; records.len()];
    let mut last = None;
    for (position, record) in records.iter().enumerate() {
        if !is_node(record) {
            continue;
        }
        before[position] = match &record.branches_from {
            None => last,
            Some(BranchesFrom::Record(id)) => {
                let target = positions.get(id.as_str()).copied().filter(|&target| target < position);
                if !target.is_some_and(|target| takes_part(&records[target])) {
                    report(format!("{}: branches from {id}", record.id));
                }
                if target == last {
                    report(format!("{}: branchesFrom is implicit (ASR-359)", record.id));
                }
                target
            }
            Some(BranchesFrom::Start) => {
                if last.is_none() {
                    report(format!("{}: branchesFrom is implicit (ASR-359)", record.id));
                }
                None
            }
            Some(BranchesFrom::Unknown) => None,
        };
        last = Some(position);
    }

    // Refs.
    for (position, record) in records.iter().enumerate() {
        let earlier = |what: &str, id: &str| {
            let target = positions.get(id).copied().filter(|&target| target < position);
            let good = target.filter(|&target| takes_part(&records[target]));
            if good.is_none() {
                report(format!("{}: {what} {id}", record.id));
            }
            good
        };
        if let Some(superseded) = &record.supersedes {
            let superseded = earlier("supersedes", superseded).map(|target| &records[target]);
            if superseded.is_some_and(|old| old.branches_from != record.branches_from) {
                report(format!("{}: a revision with another branchesFrom (ASR-352)", record.id));
            }
        } else if !takes_part(record) && record.branches_from.is_some() {
            report(format!("{}: branchesFrom on an audit fact (ASR-358)", record.id));
        }
        match &record.body {
            Body::SessionInfo(info) => {
                for head in info.heads.iter().flatten().flatten() {
                    earlier("head", head);
                }
            }
            Body::Compaction(compaction) => {
                let mut path = Vec::new();
                let mut here = before[position];
                while let Some(node) = here {
                    path.push(node);
                    here = before[node];
                }
                let on_path = |what: &str, id: &str| {
                    let target = earlier(what, id)?;
                    let index = path.iter().position(|&node| node == target);
                    if index.is_none() {
                        report(format!("{}: {what} {id} is on another path (ASR-372)", record.id));
                    }
                    index
                };
                let through = match &compaction.replaces {
                    Replaces::Through(id) => on_path("throughId", id),
                    Replaces::Ids(_) | Replaces::Unknown => None,
                };
                if let Some(kept) = &compaction.kept_from_id {
                    // Counted from the end of the path.
                    let kept = on_path("keptFromId", kept);
                    if through.is_none() || kept < through {
                        report(format!("{}: keptFromId after throughId (ASR-372)", record.id));
                    }
                }
                if let Some(InsertAt::After(id) | InsertAt::Before(id)) = &compaction.insert_at {
                    on_path("insertAt", id);
                }
                for retained in &compaction.retains {
                    on_path("retains", &retained.r#ref);
                }
                if let Replaces::Ids(ids) = &compaction.replaces {
                    for id in ids {
                        let target = positions.get(id.as_str()).copied();
                        if !target.is_some_and(|at| at < position && takes_part(&records[at])) {
                            report(format!("{}: replaces {id}", record.id));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    // The rule can be asked again.
    let placements = asr_core::siblings::place(&conversion.native);
    let mut of_units = conversion.native.iter().zip(placements).flat_map(|(native, placement)| match &native
        .mapping
    {
        Mapping::Unit(unit) => unit.iter().map(|record| record.id.clone()).zip(placement).collect::<Vec<_>>(),
        _ => Vec::new(),
    });
    for record in records.iter().filter(|record| takes_part(record)) {
        let asked = of_units.next();
        if asked != Some((record.id.clone(), record.branches_from.clone())) {
            report(format!("{}: the rule, asked again, says {asked:?}", record.id));
            break;
        }
    }
    if of_units.next().is_some() {
        report("units without records".to_owned());
    }
    problems.into_inner()
}

/// How many units the rule found linear although their parent is not the tip.
pub fn mechanical(conversion: &Conversion) -> usize {
    let mut first = HashMap::new();
    for (position, native) in conversion.native.iter().enumerate() {
        first.entry(native.id.as_deref()).or_insert(position);
    }
    let attachment = |record: &NativeRecord| {
        let mut next = record.parent.as_deref().or(record.logical_parent.as_deref());
        for _ in 0..conversion.native.len() {
            let native = &conversion.native[*first.get(&Some(next?))?];
            next = match &native.mapping {
                Mapping::Unit(records) => return Some(records.last()?.id.as_str()),
                Mapping::PartOf(whole) => Some(whole),
                Mapping::Rewind(to) => to.as_deref(),
                Mapping::Nothing => native.parent.as_deref().or(native.logical_parent.as_deref()),
            };
        }
        None
    };
    let branching: HashSet<&str> = conversion
        .records
        .iter()
        .filter(|record| record.branches_from.is_some())
        .map(|record| record.id.as_str())
        .collect();
    let mut tip = None;
    let mut count = 0;
    for native in &conversion.native {
        let Mapping::Unit(records) = &native.mapping else { continue };
        if records.iter().any(|record| record.supersedes.is_some()) {
            continue;
        }
        count += usize::from(attachment(native) != tip && !branching.contains(records[0].id.as_str()));
        tip = records.last().map(|record| record.id.as_str());
    }
    count
}
