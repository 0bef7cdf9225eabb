#![no_main]

#[path = "../convert.rs"]
#[expect(dead_code, reason = "one target for each agent")]
mod convert;

use asr_checker::targets::mutate;
use asr_generators::sessions::ClaudeCode;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| convert::claude_code(bytes));
fuzz_mutator!(|bytes: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::<ClaudeCode>(bytes, size, most, seed, fuzzer_mutate)
});
