#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anywarp_fuzz::compile(bytes));
