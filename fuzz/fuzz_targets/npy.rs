//! A program for `cargo fuzz`, which calls [`anywarp_fuzz::npy`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anywarp_fuzz::npy(bytes));
