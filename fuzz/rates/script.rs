//! No target: how often a script can be made of bytes, without rendering it.

#![no_main]

use asr_generators::Script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    std::hint::black_box(Script::from_bytes(bytes));
});
