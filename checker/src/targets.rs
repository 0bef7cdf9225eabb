//! The bodies of the fuzz targets. They panic on a finding, which is how a fuzzer learns of one.
//!
//! Targets about streams take the bytes twice: as a script, which is structure from the first byte on, and as
//! they are. What they are for is said in `docs/fuzzing.md`, beside those that stand in `fuzz/convert.rs`.

use crate::fixtures::ExpectedReport;
use crate::{Core, Engine, Oracle, Session, compare_siblings};
use asr_generators::native::NativeScript;
use asr_generators::{Script, Scripted};
use asr_spec::{Head, Json, Outcome, Query, Report, Requirement, What};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// In bytes: 64 phrases of a script. The oracle takes quadratic time.
const MOST_BYTES: usize = 64 * <Script as Scripted>::PHRASE;

/// Bytes as far as a target looks at them.
fn capped(bytes: &[u8]) -> &[u8] {
    bytes.get(..MOST_BYTES).unwrap_or(bytes)
}

/// Reports a finding.
#[expect(clippy::panic, reason = "a panic is how a fuzzer learns of a finding")]
pub fn finding(text: String) -> ! {
    panic!("{text}")
}

/// What an input stands for: a corpus keeps it decoded, as JSON, so that it means the same when the generator
/// changes; a fuzzer makes bytes.
pub fn input<T: Scripted>(bytes: &[u8]) -> T {
    decoded(bytes).unwrap_or_else(|| T::from_bytes(bytes))
}

fn decoded<T: Scripted>(bytes: &[u8]) -> Option<T> {
    bytes.starts_with(b"{\"ops\":").then(|| serde_json::from_slice(bytes).ok())?
}

/// An input as a corpus keeps it.
fn encoded(script: &impl Scripted) -> String {
    serde_json::to_string(script).unwrap_or_default()
}

/// Runs a check on the stream that the bytes spell as a script, and on the bytes themselves.
fn on_both(bytes: &[u8], check: impl Fn(&[u8]) -> Result<(), String>) {
    let bytes = capped(bytes);
    let script: Script = input(bytes);
    for (source, stream) in [("script", script.render()), ("bytes", bytes.to_vec())] {
        if let Err(difference) = check(&stream) {
            let input = encoded(&script);
            finding(format!(
                "on the {source}:\n{}\n{difference}\n{input}\n{script:?}",
                stream.escape_ascii()
            ));
        }
    }
}

/// That oracle and core say the same.
fn agree<T: Debug + PartialEq>(stream: &[u8], ask: impl Fn(&dyn Session) -> T) -> Result<(), String> {
    // Inputs are short, so an engine that refuses one is wrong.
    let (oracle, core) = (Oracle.read(stream)?, Core.read(stream)?);
    let (oracle, core) = (ask(&*oracle), ask(&*core));
    if oracle == core { Ok(()) } else { Err(format!("oracle {oracle:?}\ncore   {core:?}")) }
}

/// Both engines on views.
pub fn context_view(bytes: &[u8]) {
    on_both(bytes, |stream| agree(stream, |session| answers(session, What::View)));
}

/// Both engines on everything, paths and views from two heads; what the validators find, if they agree.
pub fn agreement(stream: &[u8]) -> Result<Report, String> {
    agree(stream, |session| {
        let [paths, views] = [What::Path, What::View].map(|what| answers(session, what));
        (ExpectedReport::from(&session.validate()), session.heads(), paths, views)
    })?;
    Ok(Core.read(stream)?.validate())
}

/// Both engines on heads and paths.
pub fn active_path(bytes: &[u8]) {
    on_both(bytes, |stream| agree(stream, |session| (session.heads(), answers(session, What::Path))));
}

/// The answers from the primary head and from one record. Which one follows from the ids, so it is another
/// one for nearly every input, and no run takes long.
fn answers(session: &dyn Session, what: What) -> Vec<Outcome> {
    let ids = session.ids();
    let at = sum(ids.iter().flat_map(|id| id.bytes())).checked_rem(ids.len());
    let one = at.and_then(|at| ids.get(at)).map(|id| Head::Ref(id.clone()));
    [Some(Head::Primary), one]
        .into_iter()
        .flatten()
        .map(|head| session.answer(&Query { what, head }))
        .collect()
}

/// A number that follows from bytes.
fn sum(bytes: impl Iterator<Item = u8>) -> usize {
    bytes.fold(0, |sum, byte| (sum * 31 + usize::from(byte)) % 65_521)
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
    let script: NativeScript = input(capped(bytes));
    if let Err(difference) = compare_siblings(&script.records()) {
        finding(format!("{difference:?}\n{}\n{script:?}", encoded(&script)));
    }
}

/// The laws of scripts: rendering is total and always the same, JSON keeps a script, and what a deletion
/// leaves is one. But for rendering, where mistakes are made, a run examines at most one: a mistake there would
/// show in any.
pub fn script(bytes: &[u8]) {
    let script: Script = input(capped(bytes));
    let stream = script.render();
    let lines = stream.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    if lines > script.lines() {
        finding(format!("more lines than operations that write one: {script:?}"));
    }
    let sum = sum(bytes.iter().copied());
    match sum % 16 {
        0 if stream != script.render() => finding(format!("rendered twice, differently: {script:?}")),
        1 => {
            let again = serde_json::from_str::<Script>(&encoded(&script));
            if again.ok().as_ref() != Some(&script) {
                finding(format!("lost in JSON: {script:?}"));
            }
        }
        2 => {
            if let Some(at) = sum.checked_rem(script.ops.len()) {
                let mut rest = script;
                rest.ops.remove(at);
                rest.render();
            }
        }
        _ => {}
    }
}

/// A session that grows line by line and now and then loses some: at each step it must be the stream of its
/// lines.
pub fn session(bytes: &[u8]) {
    on_both(bytes, |stream| {
        let mut session = asr_core::Session::new();
        let mut lines: Vec<&[u8]> = Vec::new();
        // How many lines go after which line follows from the lines, so that it stays when others change.
        for line in stream.split(|&byte| byte == b'\n') {
            session.append(line);
            lines.push(line);
            let sum = sum(line.iter().copied());
            if sum % 4 == 0 {
                for _ in 0..=sum / 4 % 4 {
                    if session.pop() != lines.pop().is_some() {
                        return Err(format!("popped from {} lines", lines.len()));
                    }
                }
            }
            if sum % 3 == 0 {
                is_fresh(&mut session, &lines)?;
            }
        }
        is_fresh(&mut session, &lines)
    });
}

/// That a session says what the stream of its lines says.
fn is_fresh(session: &mut asr_core::Session, lines: &[&[u8]]) -> Result<(), String> {
    let text = lines.join(&b'\n');
    let grown = session.stream().map_err(|error| error.to_string())?;
    let fresh = asr_core::Stream::read(&text).map_err(|error| error.to_string())?;
    let all = |stream: &asr_core::Stream<'_>| {
        let [paths, views] = [What::Path, What::View].map(|what| answers(stream, what));
        (paths, views, stream.heads(), stream.validate())
    };
    let (grown, fresh) = (all(grown), all(&fresh));
    if grown == fresh {
        Ok(())
    } else {
        Err(format!("{}\ngrown {grown:?}\nfresh {fresh:?}", text.escape_ascii()))
    }
}

/// Mutates an input: JSON by one operation or operand, bytes by whole phrases, so that what a script says
/// elsewhere stays: deletes, copies or moves one. Half of the time `others`, the fuzzer's own mutations, have
/// their turn with bytes, to change what is in a phrase. Returns the new size.
pub fn mutate<T: Scripted>(
    bytes: &mut [u8],
    size: usize,
    most: usize,
    seed: u32,
    others: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    let Some(script) = bytes.get(..size).and_then(decoded::<T>) else {
        return mutate_phrases(bytes, size, most, seed, T::PHRASE, others);
    };
    let json = encoded(&script.mutated(seed.into()));
    match bytes.get_mut(..json.len()).filter(|_| json.len() <= most) {
        Some(room) => {
            room.copy_from_slice(json.as_bytes());
            json.len()
        }
        None => size,
    }
}

fn mutate_phrases(
    bytes: &mut [u8],
    size: usize,
    most: usize,
    seed: u32,
    phrase: usize,
    others: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    let phrases = size / phrase;
    let pick = |shift: u32, of: usize| (seed >> shift) as usize % of.max(1);
    let start = |at: usize| at * phrase;
    let (at, to) = (pick(3, phrases), pick(14, phrases));
    let fits = size + phrase <= most.min(bytes.len());
    match seed % 6 {
        0 if phrases > 1 => {
            bytes.copy_within(start(at + 1)..size, start(at));
            size - phrase
        }
        1 if phrases > 0 && fits => {
            bytes.copy_within(start(to)..size, start(to + 1));
            // A phrase at or behind the gap has moved with it.
            let from = if at < to { at } else { at + 1 };
            bytes.copy_within(start(from)..start(from + 1), start(to));
            size + phrase
        }
        2 if phrases > 1 => {
            let (low, high) = (start(at.min(to)), start(at.max(to) + 1));
            if let Some(between) = bytes.get_mut(low..high) {
                between.rotate_left(phrase);
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
        const PHRASE: usize = <Script as Scripted>::PHRASE;
        let phrase = |byte: u8| [byte; PHRASE];
        for seed in 0..50_000_u32 {
            let mut bytes = [phrase(1), phrase(2), phrase(3), phrase(0)].concat();
            let size = mutate::<Script>(&mut bytes, 3 * PHRASE, 4 * PHRASE, seed * 7919, |_, size, _| size);
            let (phrases, rest) = bytes[..size].as_chunks::<{ PHRASE }>();
            assert!(rest.is_empty() && (2..=4).contains(&phrases.len()), "{seed}");
            assert!(phrases.iter().all(|it| [1, 2, 3].iter().any(|&byte| *it == phrase(byte))), "{seed}");
        }
    }

    #[test]
    fn decoded_inputs_stay_decoded() {
        let mut script = Script::default();
        for seed in 0..2_000 {
            let json = encoded(&script);
            let mut bytes = vec![0; 4_000];
            bytes[..json.len()].copy_from_slice(json.as_bytes());
            let size = mutate::<Script>(&mut bytes, json.len(), 2_000, seed * 7919, |_, size, _| size);
            script = decoded(&bytes[..size]).unwrap();
        }
        assert!(script.ops.len() > 5, "{script:?}");
    }
}
