//! Debug printing from kernels: the memory for the output, and its decoding.
//!
//! A pass over the kernel (`kernel::passes::debug_print`) makes each call of a debug function write a record. All
//! kernels of a device write into one memory. Launches that share memory run one after the other, so the records are in
//! the order of the launches.

pub(crate) mod collect;
mod decode;
mod memory;
mod output;
pub(crate) mod record;

pub(crate) use memory::{DebugMemory, Site, Sites};
pub use output::{DebugArgument, DebugLine, DebugOutput, DebugValue};
