//! Oracle and core give not only the same answers but for the same reasons: they take the same decisions about the same
//! records.

use asr_checker::fixtures::load;
use asr_checker::traces::Traces;
use asr_checker::{Heads, queries};
use asr_generators::{Script, Settings};
use std::path::Path;

/// How many decisions both engines take alike, over all queries that the stream allows.
fn compare(stream: &[u8]) -> Result<usize, String> {
    let indexed = asr_core::Stream::read(stream).unwrap();
    let ids: Vec<_> = indexed.ids().map(|id| id.into_owned()).collect();
    let mut alike = 0;
    for query in queries(&ids, Heads::Every) {
        let traces = Traces::of(stream, &query).unwrap();
        if let Some((about, decisions)) = traces.first_difference() {
            return Err(format!("`{query}`, line {about}, oracle and core:\n{decisions:#?}"));
        }
        alike += traces.decisions();
    }
    Ok(alike)
}

#[test]
fn traces_agree_on_every_fixture() {
    for case in load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")).unwrap() {
        compare(&case.input).unwrap_or_else(|difference| panic!("{}: {difference}", case.id));
    }
}

#[test]
fn traces_agree_on_random_streams() {
    let presets = [Settings::mixed(), Settings::paths(), Settings::compactions(), Settings::broken()];
    let mut decisions = 0;
    for seed in 0..2000 {
        let mut script = Script::random(seed, &presets[seed as usize % presets.len()]);
        if let Ok(alike) = compare(&script.render()) {
            decisions += alike;
            continue;
        }
        while let Some(simpler) = script.simpler().find(|simpler| compare(&simpler.render()).is_err()) {
            script = simpler;
        }
        let stream = script.render();
        let difference = compare(&stream).unwrap_err();
        panic!("case {seed}: {difference}\n{}", String::from_utf8_lossy(&stream));
    }
    assert!(decisions > 100_000, "only {decisions} decisions were compared");
}
