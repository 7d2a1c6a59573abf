//! Devices for tests.
//!
//! - [`NullBackend`] records what it is given. Copies and fills it carries out on the host, so that
//!   buffers behave; kernels it never runs. It holds the layer above to every rule of the
//!   [contract](anywarp_backend): what a real device would let pass, it refuses.
//! - [`FaultyBackend`] wraps any backend and fails on command: out of memory, refused, lost, slow.
//!
//! | file | what is in it |
//! |---|---|
//! | `device` | the device |
//! | `caps` | the properties that a null device claims |
//! | `memory` | one allocation and its mapping |
//! | `record` | what recordings are checked against; copies and fills |
//! | `submit` | submissions, which have ended when they are made |
//! | `faulty` | the wrapper that fails on command: which call, how, and when work ends |
//!
//! Kernels are kept as their [`Signature`](anywarp_host::Signature), and have no file of their own.

mod caps;
mod device;
mod faulty;
mod memory;
mod record;
mod submit;

pub use caps::NullOptions;
pub use device::NullBackend;
pub use faulty::{Call, Fault, Faults, FaultyBackend, Pace, When};
