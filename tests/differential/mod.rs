//! Random kernels, a reference that runs them in plain Rust, and the comparison of devices with it.
//!
//! | module | contents |
//! |---|---|
//! | `ast`, `walk`, `print`, `layout` | kernels as data, as text, and their values in memory |
//! | `random`, `generate` | a kernel from a seed |
//! | `hostile` | kernels whose indices are often out of range |
//! | `evaluate` | the reference |
//! | `run` | a kernel on a device |
//! | `explicit` | a kernel's text with the bounds checks that the middle end finds necessary |
//! | `endless` | loops that never end, which the CPU backend stops |
//! | `known` | known faults of drivers |
//! | `shrink` | a smaller kernel that fails in the same way |
//! | `statistics` | figures about the kernels |
//! | `options`, `worker`, `batch` | the command line, child processes, their parent |

pub(crate) mod ast;
pub(crate) mod batch;
pub(crate) mod endless;
pub(crate) mod evaluate;
mod explicit;
#[allow(dead_code)] // other tests need more of it
#[path = "../support/faults.rs"]
mod faults;
pub(crate) mod generate;
#[path = "../support/harness.rs"]
mod harness;
pub(crate) mod hostile;
mod known;
mod layout;
pub(crate) mod options;
pub(crate) mod print;
pub(crate) mod random;
pub(crate) mod run;
mod shrink;
pub(crate) mod statistics;
mod walk;
pub(crate) mod worker;
