//! The logic of the `cts` test, which needs no device: reading cases, comparing results, selecting traces, and failing
//! workers.

mod choosing;
mod comparing;
mod outliving;
mod reading;
