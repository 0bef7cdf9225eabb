//! The bodies of the fuzz targets. They panic on a finding, which is how a fuzzer learns of one.
//!
//! Targets about streams take the bytes twice: as a script, which is structure from the first byte on, and as
//! they are. What they are for is said in `docs/fuzzing.md`, beside those that stand in `fuzz/convert.rs`.

use crate::fixtures::ExpectedReport;
use crate::{Core, Engine, Heads, Oracle, Session, compare, compare_siblings, queries};
use asr_generators::Script;
use asr_generators::native::NativeScript;
use asr_spec::{Json, Requirement, What};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Larger streams are slow for the oracle and show nothing that smaller ones do not.
const MOST_HEADS: usize = 8;

/// In bytes: 64 phrases of a script. The oracle takes quadratic time.
const MOST_BYTES: usize = 64 * Script::PHRASE;

/// Bytes as far as a target looks at them.
fn capped(bytes: &[u8]) -> &[u8] {
    bytes.get(..MOST_BYTES).unwrap_or(bytes)
}

#[expect(clippy::panic, reason = "a panic is how a fuzzer learns of a finding")]
fn finding(text: String) -> ! {
    panic!("{text}")
}

/// Runs a check on the stream that the bytes spell as a script, and on the bytes themselves.
fn on_both(bytes: &[u8], check: impl Fn(&[u8]) -> Result<(), String>) {
    let bytes = capped(bytes);
    let script = Script::from_bytes(bytes);
    for (source, stream) in [("script", script.render()), ("bytes", bytes.to_vec())] {
        if let Err(difference) = check(&stream) {
            finding(format!("on the {source}:\n{}\n{difference}\n{script:?}", stream.escape_ascii()));
        }
    }
}

/// That oracle and core say the same.
fn agree<T: Debug + PartialEq>(stream: &[u8], ask: impl Fn(&dyn Session) -> T) -> Result<(), String> {
    let (Ok(oracle), Ok(core)) = (Oracle.read(stream), Core.read(stream)) else { return Ok(()) };
    let (oracle, core) = (ask(&*oracle), ask(&*core));
    if oracle == core { Ok(()) } else { Err(format!("oracle {oracle:?}\ncore   {core:?}")) }
}

/// Both engines on everything: heads, validation, paths and views.
pub fn context_view(bytes: &[u8]) {
    on_both(bytes, |stream| {
        let verdict = compare([&Oracle, &Core], stream, Heads::AtMost(MOST_HEADS), |_, _| ());
        if verdict.is_agreement() { Ok(()) } else { Err(verdict.to_string()) }
    });
}

/// Both engines on heads and paths only, which is faster.
pub fn active_path(bytes: &[u8]) {
    on_both(bytes, |stream| {
        agree(stream, |session| {
            let ids = session.ids();
            let queries = queries(&ids, Heads::AtMost(MOST_HEADS));
            let paths = queries.filter(|query| query.what == What::Path);
            (session.heads(), paths.map(|query| session.answer(&query)).collect::<Vec<_>>())
        })
    });
}

/// Both validators.
pub fn validate(bytes: &[u8]) {
    on_both(bytes, |stream| agree(stream, |session| ExpectedReport::from(&session.validate())));
}

/// Which lines are records, in the eyes of both engines and of `serde_json`.
///
/// `serde_json` must agree but where it says that a number is out of range: the chapter's numbers have no
/// range. Read as [`Json`], its private keys are keys like others and `-0` is a number like others.
pub fn lines(bytes: &[u8]) {
    let bytes = capped(bytes);
    let malformed = |session: &dyn Session| -> BTreeSet<u64> {
        let warnings = session.validate().warnings.into_iter();
        warnings
            .filter(|warning| warning.requirement == Requirement::Asr009)
            .map(|warning| warning.line)
            .collect()
    };
    if let Err(difference) = agree(bytes, malformed) {
        finding(format!("malformed lines of\n{}\n{difference}", bytes.escape_ascii()));
    }
    let Ok(oracle) = Oracle.read(bytes) else { return };
    let malformed = malformed(&*oracle);
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let is_blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        let is_record = match str::from_utf8(line).map(serde_json::from_str::<Json>) {
            Ok(Err(error)) if error.to_string().starts_with("number out of range") => continue,
            Ok(Ok(value)) => value.as_object().is_some(),
            Ok(Err(_)) | Err(_) => is_blank,
        };
        if is_record == malformed.contains(&number) {
            finding(format!(
                "line {number} is a record for one of oracle and serde_json\n{}",
                line.escape_ascii()
            ));
        }
    }
}

/// Both implementations of the mechanical-sibling rule on the native session that the bytes spell.
pub fn siblings(bytes: &[u8]) {
    let script = NativeScript::from_bytes(capped(bytes));
    if let Err(difference) = compare_siblings(&script.records()) {
        finding(format!("{difference:?}\n{script:?}"));
    }
}

/// The laws of scripts: rendering is total and always the same, JSON keeps a script, and what a deletion
/// leaves is one.
pub fn script(bytes: &[u8]) {
    let script = Script::from_bytes(capped(bytes));
    let stream = script.render();
    if stream != script.render() {
        finding(format!("rendered twice, differently: {script:?}"));
    }
    let again = serde_json::to_string(&script).and_then(|json| serde_json::from_str::<Script>(&json));
    if again.ok().as_ref() != Some(&script) {
        finding(format!("lost in JSON: {script:?}"));
    }
    let lines = stream.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    if lines > script.lines() {
        finding(format!("more lines than operations that write one: {script:?}"));
    }
    // One deletion in each run: all of them would take quadratic time.
    let sum: usize = bytes.iter().copied().map(usize::from).sum();
    if let Some(at) = sum.checked_rem(script.ops.len()) {
        let mut rest = script.clone();
        rest.ops.remove(at);
        rest.render();
    }
}

/// Mutates bytes by whole phrases, so that what a script says elsewhere stays: deletes, copies or moves one.
/// Half of the time `others`, the fuzzer's own mutations, have their turn, to change what is in a phrase.
/// Returns the new size.
pub fn mutate_phrases(
    bytes: &mut [u8],
    size: usize,
    most: usize,
    seed: u32,
    others: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    let phrases = size / Script::PHRASE;
    let pick = |shift: u32, of: usize| (seed >> shift) as usize % of.max(1);
    let start = |phrase: usize| phrase * Script::PHRASE;
    let (at, to) = (pick(3, phrases), pick(14, phrases));
    let fits = size + Script::PHRASE <= most.min(bytes.len());
    match seed % 6 {
        0 if phrases > 1 => {
            bytes.copy_within(start(at + 1)..size, start(at));
            size - Script::PHRASE
        }
        1 if phrases > 0 && fits => {
            bytes.copy_within(start(to)..size, start(to + 1));
            // A phrase at or behind the gap has moved with it.
            let from = if at < to { at } else { at + 1 };
            bytes.copy_within(start(from)..start(from + 1), start(to));
            size + Script::PHRASE
        }
        2 if phrases > 1 => {
            let (low, high) = (start(at.min(to)), start(at.max(to) + 1));
            if let Some(between) = bytes.get_mut(low..high) {
                between.rotate_left(Script::PHRASE);
            }
            size
        }
        _ => others(bytes, size, most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_keep_phrases_whole() {
        let phrase = |byte: u8| [byte; Script::PHRASE];
        for seed in 0..50_000_u32 {
            let mut bytes = [phrase(1), phrase(2), phrase(3), phrase(0)].concat();
            let size = mutate_phrases(
                &mut bytes,
                3 * Script::PHRASE,
                4 * Script::PHRASE,
                seed * 7919,
                |_, size, _| size,
            );
            let (phrases, rest) = bytes[..size].as_chunks::<{ Script::PHRASE }>();
            assert!(rest.is_empty() && (2..=4).contains(&phrases.len()), "{seed}");
            assert!(phrases.iter().all(|it| [1, 2, 3].iter().any(|&byte| *it == phrase(byte))), "{seed}");
        }
    }
}
