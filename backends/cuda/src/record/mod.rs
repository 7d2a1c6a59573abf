//! Recordings, from commands to native calls.
//!
//! | file | what is in it |
//! |---|---|
//! | `plan` | a recording, checked and resolved: ids became addresses and machine code |
//! | `grid` | blocks for a number of workgroups; pure |
//! | `footprint` | the bytes that steps of a plan touch |
//! | `parts` | a plan taken apart, so that large copies run beside kernels |
//! | `enqueue` | the steps of a plan as calls of the driver |

pub(crate) mod enqueue;
mod footprint;
mod grid;
pub(crate) mod parts;
pub(crate) mod plan;
