//! The middle end: the analyses and optimisations of kernels between the front end and a backend.
//!
//! All of them are pure functions over naga IR and need no device. Each has a limit of effort. Beyond the limit, the
//! module stays unchanged or has no proofs, and backends check every access.
//!
//! | module | task |
//! |---|---|
//! | [`optimise`](mod@optimise) | unrolls loops, splits private arrays, folds, hoists, removes dead code |
//! | `analysis` | proves that accesses stay in range and that loops end, and gives reasons where it cannot |
//! | [`explicit`](mod@explicit) | adds the checks that are still needed to the module |
//! | [`fuse`] | fuses products with sums for devices that compute both by one instruction |
//! | `domain` | the set of values that an integer may have: an interval and known bits |
//! | [`columns`] | stores to columns of matrices in structs, as naga's HLSL writer loses stores to the whole matrix |
//! | [`members`] | copies arrays in structs to store to their elements, which a compiler of HLSL refuses in loops |
//! | [`odd`] | replaces `atanh` of overrides, which naga may evaluate inexactly near -1 |
//! | [`pointers`] | copies the parts of variables whose pointers are arguments of calls, which SPIR-V does not permit |
//! | [`tables`] | moves constant arrays to variables where naga's SPIR-V writer would copy the array at each access |
//! | [`wide`] | replaces operations on 64-bit integers that naga's SPIR-V writer gets wrong |
//! | `rebuild` | rewrites functions, statement by statement |
//! | [`operands`] | the operands of expressions and statements |

pub mod analysis;
mod circumstances;
pub mod columns;
mod domain;
pub mod explicit;
#[cfg(test)]
mod filetests;
pub mod fuse;
pub mod members;
pub mod odd;
pub mod optimise;
pub mod pointers;
mod rebuild;
pub mod tables;
pub mod wide;

pub use circumstances::{Circumstances, Unrolling};
pub use rebuild::operands;
