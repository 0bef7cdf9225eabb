//! The corpora of the fuzz targets, on stable and without a fuzzer.

#[path = "../../fuzz/convert.rs"]
#[expect(dead_code, reason = "the laws of single sessions are tested elsewhere")]
mod convert;

use asr_checker::targets;
use std::fs;
use std::path::Path;

/// A target of `fuzz/fuzz_targets` with its body.
type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("active_path", targets::active_path),
    ("context_view", targets::context_view),
    ("convert_claude_code", convert::claude_code),
    ("convert_pi", convert::pi),
    ("lines", targets::lines),
    ("script", targets::script),
    ("session", targets::session),
    ("siblings", targets::siblings),
    ("validate", targets::validate),
];

#[test]
fn every_target_passes_on_every_input_of_its_corpus() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    for (target, body) in TARGETS {
        let inputs = fs::read_dir(fuzz.join("corpus").join(target)).unwrap();
        let replayed = inputs.map(|input| body(&fs::read(input.unwrap().path()).unwrap())).count();
        assert!(replayed > 0, "{target} has no corpus");
    }
}

#[test]
fn every_target_of_the_fuzzer_is_replayed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/fuzz_targets");
    for target in fs::read_dir(folder).unwrap() {
        let name = target.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "{name} is not in TARGETS");
    }
}
