//! Each function of the driver as a method that returns a `Result`, one file for each kind of handle.
//!
//! A method is safe where the driver answers whatever it is given with an error, and unsafe where a
//! handle or an address must be good. Handles are names that the driver follows as pointers, so a stale one
//! is undefined behaviour; each `# Safety` says which of them must be alive.

mod copy;
mod device;
mod event;
mod graph;
mod memory;
mod module;
mod stream;

use super::error::{DriverError, DriverResult};

/// Returns success, or the error of a result code.
fn checked(function: &'static str, code: u32) -> DriverResult<()> {
    if code == 0 { Ok(()) } else { Err(DriverError { function, code }) }
}
