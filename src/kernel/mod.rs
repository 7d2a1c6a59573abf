//! Kernels: from WGSL text to a checked launch. What needs no device is done by `anywarp_wgsl`.
//!
//! | module | step |
//! |---|---|
//! | `source` | what the user hands in, composed with what it imports |
//! | `front` | parse, validate, choose the entry point, resolve overrides |
//! | `program` | the front end by itself, without a device |
//! | `features` | which feature a device lacks, and the line that needs it |
//! | `debug` | functions that print: whether they can |
//! | `middle` | made faster, and what is proven of it |
//! | `explain` | which checks are kept, and why |
//! | `passes` | naga IR to naga IR: grid folding, debug printing |
//! | `kernels` | the kernels of a device, and what their launches share |
//! | `compiled` | kernels of a device, kept by content; the folded variant |
//! | `variants` | kernels compiled once more for what their launches have in common |
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
mod debug;
mod explain;
mod extent;
mod features;
mod front;
mod kernels;
mod launch;
mod middle;
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
