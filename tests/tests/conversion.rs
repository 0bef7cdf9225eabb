//! Native sessions as generators write them, sound and odd: what the converters make of them.
//!
//! `ASR_CASES` sets the number of sessions for each agent; case n is the same in every run.

#[path = "../../fuzz/convert.rs"]
#[expect(dead_code, reason = "the bodies of the fuzz targets are replayed elsewhere")]
mod convert;

use asr_generators::Settings;
use asr_generators::sessions::{Recorded, Session};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn cases() -> u64 {
    match std::env::var("ASR_CASES") {
        Ok(cases) => cases.parse().unwrap_or_else(|_| panic!("ASR_CASES={cases}: expected a number")),
        Err(_) => 4_000,
    }
}

fn every_law_holds<O: Recorded>(law: impl Fn(&Session<O>) -> Result<(), String>) {
    let law = |session: &Session<O>| {
        catch_unwind(AssertUnwindSafe(|| law(session))).unwrap_or_else(|_| Err("a panic".to_owned()))
    };
    let presets = [Settings::valid(), Settings::mixed(), Settings::broken()];
    for case in 0..cases() {
        let mut session: Session<O> = Session::random(case, &presets[(case % 3) as usize]);
        if law(&session).is_ok() {
            continue;
        }
        while let Some(simpler) = session.simpler().find(|simpler| law(simpler).is_err()) {
            session = simpler;
        }
        panic!("case {case}: {}\n{session:?}", law(&session).unwrap_err());
    }
}

#[test]
fn every_law_of_conversion_holds_of_claude_code() {
    every_law_holds(convert::of_claude_code);
}

#[test]
fn every_law_of_conversion_holds_of_pi() {
    every_law_holds(convert::of_pi);
}
