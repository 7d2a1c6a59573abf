//! A program for `cargo fuzz`, which calls [`anywarp_fuzz::front_end`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anywarp_fuzz::front_end(bytes));
