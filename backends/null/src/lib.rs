//! Devices for tests.
//!
//! - [`NullBackend`] records what it is given. Copies and fills it carries out on the host, so that
//!   buffers behave; kernels it never runs. It holds the layer above to every rule of the
//!   [contract](anywarp_backend): what a real device would let pass, it refuses.
//! - [`FaultyBackend`] wraps any backend and fails on command: out of memory, refused, lost, slow.
//!
//! | file | what is in it |
//! |---|---|
//! | `options` | what a null device claims to be |
//! | `null` | the device |
//! | `memory` | one allocation and its mapping |
//! | `check` | whether a recording keeps to the contract |
//! | `execute` | copies and fills |
//! | `plan` | which call fails, and how |
//! | `faulty` | the wrapper that obeys a plan |
//! | `flight` | completion that waits for a test's word |

mod check;
mod execute;
mod faulty;
mod flight;
mod memory;
mod null;
mod options;
mod plan;

pub use faulty::FaultyBackend;
pub use null::NullBackend;
pub use options::NullOptions;
pub use plan::{Call, Fault, Pace, Plan, When};
