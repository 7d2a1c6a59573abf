//! anywarp's backend for Vulkan, Metal, DX12 and WebGPU, through [wgpu](https://docs.rs/wgpu).
//!
//! [`candidates`] lists the adapters; [`Candidate::open`] opens one as a [`Backend`](anywarp_backend::Backend).
//!
//! wgpu fixes limits and features when a device is created, so a device is opened with the adapter's full limits and
//! with every feature that a compute kernel can use; before a kernel is compiled, its requirements are checked against
//! [`Caps`](anywarp_backend::Caps).
//!
//! | file | content | folder |
//! |---|---|---|
//! | `device` | the backend | opening a device, sharing it with other users of wgpu, errors |
//! | `caps` | the properties of an adapter | |
//! | `memory` | buffers and their mappings | mappings by wgpu, memory that stays mapped, measurements |
//! | `kernel` | pipelines and the layouts of their bindings | the form for wgpu, pipelines on disk |
//! | `record` | from a recording to a command buffer | uniform values, bind groups, timestamps |
//! | `submit` | fences: waits, wakers, timings | polling, the threads that wake tasks, the clock |
//! | `translate` | wgpu's translation of a program, as text | SPIR-V, disassembled |

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

/// The version of wgpu whose devices and buffers can be shared.
pub use wgpu;
