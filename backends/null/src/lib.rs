//! Devices for tests.
//!
//! - [`NullBackend`] records its commands. It executes copies and fills on the host, so that buffers behave as usual;
//!   it never runs kernels. It enforces every rule of the [contract](anywarp_backend): it also refuses violations that
//!   a real device would accept.
//! - [`FaultyBackend`] wraps any backend and makes its calls fail as a test requires: out of memory, refused, lost,
//!   slow.
//!
//! | file | content |
//! |---|---|
//! | `device` | the device |
//! | `caps` | the properties that a null device claims |
//! | `memory` | one allocation and its mapping |
//! | `record` | the resources that recordings are checked against; copies and fills |
//! | `submit` | submissions, which have ended when `submit` returns |
//! | `faulty` | the wrapper whose calls fail as a test requires: which call fails, how, and when work ends |
//!
//! Kernels are stored as their [`Signature`](anywarp_host::Signature), and have no file of their own.

mod caps;
mod device;
mod faulty;
mod memory;
mod record;
mod submit;

pub use caps::NullOptions;
pub use device::NullBackend;
pub use faulty::{Call, Fault, Faults, FaultyBackend, Pace, When};
