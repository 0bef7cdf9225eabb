//! No target: how often a fuzzer can call anything at all, the measure of the other rates.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    std::hint::black_box(bytes);
});
