//! Kernels: from WGSL text to a checked launch. Steps that need no device are in `anywarp_wgsl`.
//!
//! | module | step |
//! |---|---|
//! | `source` | the user's text, composed with its imports |
//! | `front` | the list of steps from text to a compiled kernel |
//! | `program` | the front end alone, without a device |
//! | `explain` | the checks that a kernel keeps, with the reasons |
//! | `passes` | naga IR to naga IR: removal of unused items, grid folding, debug printing |
//! | `kernels` | the kernels of a device, and the state shared by their launches |
//! | `compiled` | the kernels of a device, cached by content; the folded variant |
//! | `handle` | the public handle of a kernel |
//! | `variants` | kernels specialised for similar launches |
//! | `literal` | Rust literals of the type that a field expects |
//! | `values` | uniform and immediate values, by path |
//! | `bind`, `launch` | the builder of one launch |
//! | `checks`, `commit` | the checks of the arguments, then the command |
//! | `resident` | dispatches that run until the host stops them |
//! | `typed` | launches of kernels that `kernels!` generates |
//! | `extent`, `count` | grids, given by the host or counted on the device |

mod bind;
mod checks;
mod commit;
mod compiled;
mod count;
mod explain;
mod extent;
mod front;
mod handle;
mod kernels;
mod launch;
mod literal;
pub(crate) mod passes;
mod program;
mod resident;
mod source;
pub mod typed;
mod values;
mod variants;

pub use bind::Bind;
pub(crate) use bind::{BoundBuffer, bound};
pub(crate) use compiled::{Compiled, KernelInner};
pub use count::DeviceCount;
pub use explain::{AccessCounts, AccessVerdict, ExplainedAccess, ExplainedLoop, Explanation};
pub use extent::Extent;
pub use handle::Kernel;
pub(crate) use kernels::Kernels;
pub use launch::Launch;
pub use source::Wgsl;
pub use variants::Variants;
