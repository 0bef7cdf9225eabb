#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| asr_checker::targets::lines(bytes));
