//! Kernels: from WGSL text to a checked launch. What needs no device is done by `anywarp_wgsl`.
//!
//! | module | step |
//! |---|---|
//! | `source` | what the user hands in, composed with what it imports |
//! | `front` | the list of steps from text to a compiled kernel |
//! | `program` | the front end by itself, without a device |
//! | `explain` | which checks are kept, and why |
//! | `passes` | naga IR to naga IR: dropping what is unused, grid folding, debug printing |
//! | `kernels` | the kernels of a device, and what their launches share |
//! | `compiled` | kernels of a device, kept by content; the folded variant |
//! | `variants` | kernels compiled once more for what their launches have in common |
//! | `literal` | numbers of Rust for a field of another type |
//! | `values` | uniform and immediate values, by path |
//! | `bind`, `launch` | one launch as users put it together |
//! | `checks`, `commit` | whether everything fits, then the command |
//! | `typed` | launches of kernels that `kernels!` made |
//! | `extent`, `count` | grids, given by the host or counted on the device |

mod bind;
mod checks;
mod commit;
mod compiled;
mod count;
mod explain;
mod extent;
mod front;
mod kernels;
mod launch;
mod literal;
pub(crate) mod passes;
mod program;
mod source;
pub mod typed;
mod values;
mod variants;

pub use bind::Bind;
pub(crate) use bind::{BoundBuffer, bound};
pub use compiled::Kernel;
pub(crate) use compiled::{Compiled, KernelInner};
pub use count::DeviceCount;
pub use explain::{ExplainedAccess, ExplainedLoop, Explanation};
pub use extent::Extent;
pub(crate) use kernels::Kernels;
pub use launch::Launch;
pub use source::Wgsl;
pub use variants::Variants;
