//! A program for `cargo fuzz`, which calls [`anywarp_fuzz::csv`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anywarp_fuzz::csv(bytes));
