//! Each function of the driver as a method that returns a `Result`, one file for each kind of handle.
//!
//! A method is safe where the driver returns an error for every invalid argument, and unsafe where a handle or an
//! address must be valid. Handles are pointers for the driver, so a stale one is undefined behaviour; each `# Safety`
//! lists those that must be alive.

mod copy;
mod device;
mod event;
mod graph;
mod memory;
mod module;
mod stream;

use super::error::{DriverError, DriverResult};

/// Converts a result code.
fn checked(function: &'static str, code: u32) -> DriverResult<()> {
    if code == 0 { Ok(()) } else { Err(DriverError { function, code }) }
}
