//! Kernels: from WGSL text to a checked launch. What needs no device is done by `anywarp_wgsl`.
//!
//! | module | step |
//! |---|---|
//! | `source` | what the user hands in, composed with what it imports |
//! | `front` | the list of steps from text to a compiled kernel |
//! | `program` | the front end by itself, without a device |
//! | `explain` | which checks are kept, and why |
//! | `passes` | naga IR to naga IR: dropping what is unused, grid folding, debug printing |
//! | `compiled` | kernels of a device, kept by content; the folded variant |
//! | `variants` | kernels compiled once more for what their launches have in common |
//! | `values` | uniform and immediate values, by path |
//! | `bind`, `checks`, `launch` | one launch: what is bound, whether it fits, the commands |
//! | `typed` | launches of kernels that `kernels!` made |
//! | `extent` | grids |

mod bind;
mod checks;
mod compiled;
mod explain;
mod extent;
mod front;
mod launch;
pub(crate) mod passes;
mod program;
mod source;
pub mod typed;
mod values;
mod variants;

pub use bind::Bind;
pub(crate) use bind::{BoundBuffer, bound};
pub use compiled::Kernel;
pub(crate) use compiled::{Compiled, KernelCache, KernelInner};
pub use explain::{ExplainedAccess, ExplainedLoop, Explanation};
pub use extent::Extent;
pub use launch::Launch;
pub use source::Wgsl;
pub use variants::Variants;
pub(crate) use variants::Workshop;
