#![no_main]

use asr_checker::targets::{mutate, siblings};
use asr_generators::native::NativeScript;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| siblings(bytes));
fuzz_mutator!(|bytes: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::<NativeScript>(bytes, size, most, seed, fuzzer_mutate)
});
