//! Spaces of kernels: which values of its overrides a kernel may be compiled with.
//!
//! Comments in the WGSL list the values and restrict their combinations; see [`Space`]. A program that measures the
//! candidates of a space finds the fastest form of a kernel for its device.

mod error;
mod space;

pub use error::TuneError;
pub use space::{Candidate, Space};
