//! What holds of every native session that is converted, well-formed or not.
//!
//! This file is a part of the fuzz targets and of the tests: the checker, where the other bodies stand, does
//! not know the registry.

use asr_checker::compare_siblings;
use asr_checker::targets::{agreement, finding, input};
use asr_generators::Scripted;
use asr_generators::sessions::{ClaudeCode, Pi, Recorded, Session};
use asr_registry::{Agent, Conversion, convert};
use asr_spec::record::{Body, BranchesFrom};
use std::collections::BTreeSet;

/// In bytes. Sessions of a hundred short records show what longer ones do.
const MOST_BYTES: usize = 16 * 1024;

/// The session that the bytes spell, and the bytes as a file of Claude Code.
pub fn claude_code(bytes: &[u8]) {
    both::<asr_generators::sessions::claude_code::Op>(Agent::ClaudeCode, bytes);
}

/// The session that the bytes spell, and the bytes as a file of Pi.
pub fn pi(bytes: &[u8]) {
    both::<asr_generators::sessions::pi::Op>(Agent::Pi, bytes);
}

fn both<O: Recorded>(agent: Agent, bytes: &[u8])
where
    Session<O>: Scripted,
{
    let bytes = bytes.get(..MOST_BYTES).unwrap_or(bytes);
    let session: Session<O> = input(bytes);
    if let Err(broken) = session_is_kept(agent, &session) {
        finding(format!("{broken}\n{session:?}"));
    }
    if let Err(broken) = file_is_kept(agent, bytes) {
        finding(broken);
    }
}

/// Every law on a session that Claude Code, or somebody like it, wrote.
pub fn of_claude_code(session: &ClaudeCode) -> Result<(), String> {
    session_is_kept(Agent::ClaudeCode, session)
}

/// Every law on a session that Pi, or somebody like it, wrote.
pub fn of_pi(session: &Pi) -> Result<(), String> {
    session_is_kept(Agent::Pi, session)
}

/// The laws of all files; and where the agent could have written the file, nothing in it is unreadable or
/// unknown, and what is appended changes no branch before it.
fn session_is_kept<O: Recorded>(agent: Agent, session: &Session<O>) -> Result<(), String> {
    let file = session.render();
    // A conversion is of a file with at least one record.
    let Some(whole) = file_is_kept(agent, &file)?.filter(|_| session.is_sound()) else { return Ok(()) };
    for record in &whole.records {
        if matches!(record.body, Body::Gap(_)) || record.branches_from == Some(BranchesFrom::Unknown) {
            return Err(shown(&file, format!("sound, and yet {}", json(record))));
        }
    }
    let lines = file.split_inclusive(|&byte| byte == b'\n');
    let half = lines.clone().take(lines.count() / 2).collect::<Vec<_>>().concat();
    let Ok(half) = convert(agent, Some(FILE), &half) else { return Ok(()) };
    let (before, after) = (branches(&half), branches(&whole));
    match before.iter().zip(&after).find(|(before, after)| before != after) {
        Some((before, after)) => Err(shown(&file, format!("{before} became {after} with what was appended"))),
        None => Ok(()),
    }
}

const FILE: &str = "session.jsonl";

/// What holds of any bytes: no panic; always the same answer; every line is somewhere in the stream; the
/// stream is valid; both engines read it alike; both implementations of the mechanical-sibling rule find its
/// branches.
fn file_is_kept(agent: Agent, file: &[u8]) -> Result<Option<Conversion>, String> {
    let Ok(conversion) = convert(agent, Some(FILE), file) else { return Ok(None) };
    if conversion != converted(agent, file)? {
        return Err(shown(file, "converted twice, differently".to_owned()));
    }
    let text = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let is_blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let lines = (1..).zip(text.split(|&byte| byte == b'\n')).filter(|(_, line)| !is_blank(line));
    let named: BTreeSet<u64> =
        conversion.records.iter().filter_map(|record| record.native.as_ref()?.line).collect();
    if let Some((line, _)) = lines.into_iter().find(|(line, _)| !named.contains(line)) {
        return Err(shown(file, format!("line {line} is lost")));
    }

    let mut stream = Vec::new();
    conversion.write_to(&mut stream).map_err(|error| error.to_string())?;
    let of_stream = |text: String| shown(file, format!("{text}\non {}", String::from_utf8_lossy(&stream)));
    let report = agreement(&stream).map_err(of_stream)?;
    if !report.is_valid() {
        return Err(of_stream(format!("{:#?}", report.violations)));
    }
    if let Err(difference) = compare_siblings(&conversion.native) {
        return Err(shown(file, format!("{difference:?}")));
    }
    Ok(Some(conversion))
}

fn converted(agent: Agent, file: &[u8]) -> Result<Conversion, String> {
    convert(agent, Some(FILE), file).map_err(|error| shown(file, error.to_string()))
}

/// What the rule says of each record of the conversation, in order.
fn branches(conversion: &Conversion) -> Vec<String> {
    let records = conversion.records.iter().filter(|record| {
        matches!(
            record.body,
            Body::Message(_) | Body::ToolCall(_) | Body::ToolResult(_) | Body::Compaction(_)
        )
    });
    records.map(|record| format!("{} {:?}", record.id, record.branches_from)).collect()
}

fn json(record: &asr_spec::record::Record) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

fn shown(file: &[u8], text: String) -> String {
    format!("{}\n{text}", String::from_utf8_lossy(file))
}
