#![no_main]

#[path = "../convert.rs"]
#[expect(dead_code, reason = "one target for each agent")]
mod convert;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| convert::pi(bytes));
