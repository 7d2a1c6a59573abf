//! anywarp's backend for Vulkan, Metal, DX12 and WebGPU, through [wgpu](https://docs.rs/wgpu).
//!
//! [`candidates`] lists the adapters, [`Candidate::open`] makes one a
//! [`Backend`](anywarp_backend::Backend).
//!
//! wgpu fixes limits and features when a device is created, so a device is opened with the
//! adapter's limits in full and with every feature that a compute kernel can ask for; whether a
//! given kernel finds what it needs is checked against [`Caps`](anywarp_backend::Caps) before it
//! is compiled.
//!
//! | file | what is in it | folder |
//! |---|---|---|
//! | `device` | the backend | how it is opened, shared with other users of wgpu, and what errors mean |
//! | `caps` | what an adapter is and can do | |
//! | `memory` | buffers and their mappings | mappings that are asked of wgpu, memory mapped for good, what was measured |
//! | `kernel` | pipelines and the layouts of their bindings | what wgpu is given, pipelines on disk |
//! | `record` | from a recording to a command buffer | uniform values, bind groups, timestamps |
//! | `submit` | fences: waits, wakers, timings | the thread that polls, the clock |
//! | `translate` | what wgpu makes of a program, as text | SPIR-V, disassembled |

mod caps;
mod device;
mod kernel;
mod memory;
mod record;
mod submit;
#[cfg(feature = "translate")]
pub mod translate;

pub use device::WgpuBackend;
pub use device::adapters::{Candidate, Options, candidates, candidates_async};
pub use device::interop::{Handles, Origin};

/// The release of wgpu that devices and buffers are handed over in.
pub use wgpu;
