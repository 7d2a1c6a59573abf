//! Translates recordings from commands to native calls.
//!
//! | file | content |
//! |---|---|
//! | `plan` | a recording, checked and resolved: addresses and machine code in place of ids |
//! | `step` | one command of a plan |
//! | `grid` | the number of blocks for a number of workgroups |
//! | `footprint` | the bytes that steps of a plan access |
//! | `parts` | dividing a plan, so that large copies run beside kernels |
//! | `enqueue` | enqueueing the steps of a plan as calls of the driver |

pub(crate) mod enqueue;
mod footprint;
mod grid;
pub(crate) mod parts;
pub(crate) mod plan;
pub(crate) mod step;
