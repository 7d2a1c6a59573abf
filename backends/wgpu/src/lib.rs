//! anywarp's backend for Vulkan, Metal, DX12 and WebGPU, through [wgpu](https://docs.rs/wgpu).
//!
//! [`candidates`] lists the adapters, [`Candidate::open`] makes one a
//! [`Backend`](anywarp_backend::Backend).
//!
//! wgpu fixes limits and features when a device is created, so a device is opened with the
//! adapter's limits in full and with every feature that a compute kernel can ask for; whether a
//! given kernel finds what it needs is checked against [`Caps`](anywarp_backend::Caps) before it
//! is compiled.

mod adapters;
mod bind_groups;
mod caps;
mod clock;
mod completion;
mod device;
mod encode;
mod errors;
mod handover;
mod kernel;
mod memory;
#[cfg(not(any(target_arch = "wasm32", target_vendor = "apple")))]
mod pinned;
mod pipelines;
mod probe;
mod ready;
mod request;
#[cfg(any(target_arch = "wasm32", test))]
mod text;
mod timing;
#[cfg(feature = "translate")]
pub mod translate;
mod uniforms;
mod upload;

pub use adapters::{Candidate, Options, candidates, candidates_async};
pub use device::WgpuBackend;
pub use handover::{Handles, Origin};

/// The release of wgpu that devices and buffers are handed over in.
pub use wgpu;
