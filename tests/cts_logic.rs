//! The logic of the `cts` test, which needs no device: reading cases, comparing results, selecting traces, and failing
//! workers.

#[allow(dead_code, reason = "the modules are shared with the test that runs the cases")]
#[path = "cts/mod.rs"]
mod cts;

#[path = "cts_logic/choosing.rs"]
mod choosing;
#[path = "cts_logic/comparing.rs"]
mod comparing;
#[path = "cts_logic/outliving.rs"]
mod outliving;
#[path = "cts_logic/reading.rs"]
mod reading;
