//! Debug printing from kernels: the memory that they print into, and what was printed.
//!
//! A pass over the kernel (`kernel::passes::debug_print`) makes each call of a marked function write
//! a record. All kernels of a device write into one memory: launches that share a memory run one
//! after the other, so records lie in the order of the launches.

pub(crate) mod collect;
mod decode;
mod memory;
mod output;

pub(crate) use memory::{DebugMemory, Site, Sites};
pub use output::{DebugArgument, DebugLine, DebugOutput, DebugValue};
