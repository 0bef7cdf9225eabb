#![no_main]

use asr_checker::targets::{context_view, mutate};
use asr_generators::Script;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| context_view(bytes));
fuzz_mutator!(|bytes: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::<Script>(bytes, size, most, seed, fuzzer_mutate)
});
