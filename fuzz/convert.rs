//! What holds of every native session that is converted, well-formed or not: no panic, and a stream that is
//! valid and that both engines read alike, with the branches that both implementations of the
//! mechanical-sibling rule find.
//!
//! This file is a part of the fuzz targets and of `tests/tests/replay.rs`: the checker, where the other
//! bodies stand, does not know the registry.

use asr_checker::{Core, Engine, Heads, Oracle, compare, compare_siblings};
use asr_registry::{Agent, convert};

/// In bytes. Sessions of a hundred short records show what longer ones do.
const MOST_BYTES: usize = 16 * 1024;

/// Every path takes the oracle linear time.
const MOST_HEADS: usize = 8;

pub fn claude_code(bytes: &[u8]) {
    check(Agent::ClaudeCode, bytes);
}

pub fn pi(bytes: &[u8]) {
    check(Agent::Pi, bytes);
}

fn check(agent: Agent, bytes: &[u8]) {
    let bytes = bytes.get(..MOST_BYTES).unwrap_or(bytes);
    let Ok(conversion) = convert(agent, Some("session.jsonl"), bytes) else { return };
    let mut stream = Vec::new();
    conversion.write_to(&mut stream).expect("a record that can be written");
    let verdict = compare([&Oracle, &Core], &stream, Heads::AtMost(MOST_HEADS), |_, _| ());
    assert!(verdict.is_agreement(), "{}\n{verdict}", stream.escape_ascii());
    if let Err(difference) = compare_siblings(&conversion.native) {
        panic!("{difference:?}");
    }
    let report = Core.read(&stream).expect("a stream of this size").validate();
    assert!(report.is_valid(), "{}\n{:#?}", stream.escape_ascii(), report.violations);
}
