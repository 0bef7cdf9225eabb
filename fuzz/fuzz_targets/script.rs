#![no_main]

use asr_checker::targets::{mutate_phrases, script};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| script(bytes));
fuzz_mutator!(|bytes: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate_phrases(bytes, size, most, seed, fuzzer_mutate)
});
