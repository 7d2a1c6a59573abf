//! The library through its public API: submission, memory, errors, debug output. The suites `conformance`, `ops` and
//! `wgsl_operators` check the results on each device.
//!
//! Tests run concurrently in one process. A test of something that a process has only once, such as its threads, its
//! memory or its log, runs in a process of its own by `anywarp_testing::process::in_own_process`.

#[cfg(target_os = "linux")]
mod asynchronous_threads;
mod backend_failures;
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
mod binding_limits;
mod debug_log;
mod debug_print;
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
mod energy;
mod errors;
mod imports;
mod interop;
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
mod invalid_input;
#[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
mod invalid_input_cuda;
#[cfg(feature = "cpu")]
mod main_error;
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
mod observed;
mod recordings;
mod residency;
mod staging;
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
mod submission;
#[cfg(feature = "cpu")]
mod typed_kernels;
mod variants;
