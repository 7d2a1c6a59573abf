//! The middle end: what every kernel goes through between the front end and a backend.
//!
//! Pure functions over naga IR. None needs a device, and each gives up rather than take long: then the module stays
//! as it is, or nothing is proven of it, and backends check everything.
//!
//! | module | what it does |
//! |---|---|
//! | [`optimise`](mod@optimise) | unrolls loops, takes private arrays apart, folds, hoists, removes |
//! | `analysis` | which accesses stay in range and which loops end, and why not |
//! | [`explicit`](mod@explicit) | the checks that are left, as part of the module |
//! | `domain` | what is known of an integer: an interval and bits |
//! | [`tables`] | arrays that naga's SPIR-V writer copies at each access, in variables |
//! | [`wide`] | 64-bit integers that naga's SPIR-V writer gets wrong, put right |
//! | `rebuild` | functions written anew, statement by statement |
//! | [`operands`] | what expressions and statements read |

pub mod analysis;
mod circumstances;
mod domain;
pub mod explicit;
pub mod optimise;
mod rebuild;
pub mod tables;
pub mod wide;

pub use circumstances::{Circumstances, Unrolling};
pub use rebuild::operands;
