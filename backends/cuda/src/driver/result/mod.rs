//! Each function of the driver as a method that returns a `Result`, one file for each kind of handle.
//!
//! A method is safe where the driver returns an error for every invalid argument, and unsafe where a handle or an
//! address must be valid. Handles are pointers for the driver, so use of a destroyed handle is undefined behaviour.
//! Each `# Safety` section lists the handles that must be alive.

mod copy;
mod device;
mod event;
mod external;
mod graph;
mod memory;
mod module;
mod stream;

use super::error::{DriverError, DriverResult};

/// Converts a result code of the driver to a `Result`.
fn checked(function: &'static str, code: u32) -> DriverResult<()> {
    if code == 0 { Ok(()) } else { Err(DriverError { function, code }) }
}
