//! Models of how a GPU executes the warps of a kernel. No device is needed.
//!
//! - [`Request`]: the sectors and lines of memory that one instruction of a warp touches.
//! - [`Wavefronts`]: the passes that one instruction of a warp needs in workgroup memory.
//! - [`Lanes`]: the share of lanes that work, over all instructions that were executed.
//! - [`Occupancy`]: the workgroups that a multiprocessor of an NVIDIA GPU holds at a time, and the resource that limits
//!   them.

mod occupancy;
mod warp;

pub use occupancy::{Limiter, Multiprocessor, Occupancy, Usage};
pub use warp::{Access, Lanes, Request, Wavefronts};
