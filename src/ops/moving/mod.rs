//! The common parts of operators that move elements without computing with them.
//!
//! | module | step |
//! |---|---|
//! | `indices` | indices along an axis |
//! | `layout` | the position in x of each element of y, axis by axis |
//! | `plan` | the passes: a copy, tiles, or a walk over all elements |
//! | `launch` | the kernels of these passes |
//! | `operands` | the arrays of a call, as bytes, and their checks |

pub(crate) mod indices;
pub(crate) mod launch;
pub(crate) mod layout;
pub(crate) mod operands;
pub(crate) mod plan;

/// The greatest number of cells of an array. Kernels count cells in 31 bits, as positions before the start of x are
/// negative, and the last workgroup also counts cells beyond the end.
pub(crate) const MAX_ELEMENTS: u64 = (1 << 31) - (1 << 16);
