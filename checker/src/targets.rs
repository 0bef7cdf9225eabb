//! The bodies of the fuzz targets. They panic on a finding, which is how a fuzzer learns of one.

use crate::{Core, Heads, Oracle, compare};
use asr_generators::Script;

/// Larger streams are slow for the oracle and show nothing that smaller ones do not.
const MOST_HEADS: usize = 16;

/// Both engines on the stream that the bytes spell as a script, and on the bytes themselves.
#[expect(clippy::panic, reason = "a panic is how a fuzzer learns of a finding")]
pub fn context_view(bytes: &[u8]) {
    let script = Script::from_bytes(bytes);
    for (source, stream) in [("script", script.render()), ("bytes", bytes.to_vec())] {
        let verdict = compare([&Oracle, &Core], &stream, Heads::AtMost(MOST_HEADS), |_, _| ());
        if !verdict.is_agreement() {
            panic!("on the {source}:\n{}\n{verdict}\n{script:?}", stream.escape_ascii());
        }
    }
}
