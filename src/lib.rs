//! One WGSL compute kernel, on every GPU.
//!
//! ```no_run
//! use anywarp::Device;
//!
//! fn main() -> anywarp::Result<()> {
//!     let device = Device::open_default()?;
//!     let saxpy = device.kernel(
//!         "struct Params { a: f32 }
//!          @group(0) @binding(0) var<uniform> params: Params;
//!          @group(0) @binding(1) var<storage> x: array<f32>;
//!          @group(0) @binding(2) var<storage, read_write> y: array<f32>;
//!
//!          @compute @workgroup_size(64)
//!          fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
//!              if (id.x < arrayLength(&y)) { y[id.x] += params.a * x[id.x]; }
//!          }",
//!     )?;
//!     let x = device.buffer_from(&vec![1.0f32; 1 << 20])?;
//!     let mut y = device.buffer_from(&vec![2.0f32; 1 << 20])?;
//!     saxpy.launch().set("params.a", 3.0f32).bind("x", &x).bind("y", &mut y).threads(1 << 20)?;
//!     assert_eq!(y.read()?[0], 5.0);
//!     Ok(())
//! }
//! ```
//!
//! A tour, in the order in which a program meets things:
//!
//! - [`Device`]: what there is to compute on, how one is chosen ([`Device::open`]), what it can do
//!   ([`Device::caps`]).
//! - [`UnifiedBuffer`]: a vector that both sides see. It moves only what changed, and nothing
//!   where host and device share their memory. What it holds is an [`Element`].
//! - [`Kernel`]: one entry point of a WGSL source ([`Wgsl`]), checked line by line before anything
//!   is compiled.
//! - [`Launch`]: named bindings and values, then a grid of any size.
//! - [`Recording`]: launches, copies and fills to be replayed.
//! - [`ops`]: operations that come with it: [`ops::matmul`]; kernels of one line:
//!   [`ops::ElementwiseKernel`], [`ops::ReductionKernel`].
//! - [`DebugOutput`]: what kernels printed ([`Device::debug_output`]).
//! - [`Findings`]: what is wrong with a kernel, line by line, on the device `cpu:checked`
//!   ([`Device::findings`]).
//! - [`Error`]: one enum per operation, with names and numbers in it.
//!
//! | feature | default | what it brings |
//! |---|---|---|
//! | `wgpu` | yes | Vulkan, Metal, DX12, WebGPU |
//! | `cpu` | yes | the processor: kernels become vector machine code, on all cores. Nothing in a browser |
//! | `cuda` | no | NVIDIA GPUs natively: needs nothing to build, and the driver and NVRTC to run |
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_DEVICE` | the default device, as a selection string: see [`Device::open`] |
//! | `ANYWARP_CPU_STEPS` | the processor only: iterations of loops that eight invocations may make together in one workgroup before their kernel is stopped; 2^32 unless set, 2^26 for `cpu:checked` |
//! | `ANYWARP_CUDA_STEPS` | `cuda` only: iterations that the loops of one invocation may make together, where they are not seen to end, before their kernel is stopped; 2^31 unless set |
//! | `ANYWARP_NVRTC` | `cuda` only: the file or folder of NVRTC, where the system does not find it |
//! | `ANYWARP_CACHE` | `cuda` only: the folder of compiled kernels, or `off`; the user's cache folder unless set |
//! | `ANYWARP_NVDISASM` | `anywarp translate` only: the file of `nvdisasm` or `cuobjdump` |
//! | `ANYWARP_DEBUG_BYTES` | how much memory of a device keeps what kernels print until somebody collects it; 1 MiB unless set: see [`Device::debug_output`] |
//! | `ANYWARP_LOG`, `ANYWARP_LOG_STYLE` | what the tool `anywarp` logs, and in which colours: see `env_logger` |
//! | `ANYWARP_REQUIRE` | tests only: backends that must be there, as `vulkan,cpu` |
//! | `ANYWARP_CTS_DIR` | tests only: the folder of WGSL conformance cases |

#![forbid(unsafe_code)]

mod buffer;
mod debug;
mod device;
mod element;
mod error;
mod kernel;
pub mod ops;
mod recording;
mod stream;

pub use buffer::{BufferStats, ReadGuard, Slice, SliceMut, UnifiedBuffer, UpdateGuard, WriteGuard};
pub use debug::{DebugArgument, DebugLine, DebugOutput, DebugValue};
pub use device::{Candidate, Device, DeviceOptions, DeviceStats, OpenError, Rejection};
pub use element::Element;
#[doc(hidden)]
pub use element::struct_layout;
pub use error::{BufferError, Error, ErrorClass, KernelError, LaunchError, Result};
pub use kernel::{Bind, Extent, Kernel, Launch, Wgsl};
pub use recording::{Recording, Submission};

pub use anywarp_backend::{Finding, FindingKind, Findings, KernelResources, Unchecked};
pub use half::{bf16, f16};

/// The contract that devices are behind: capabilities, layouts, commands, and the
/// [`Backend`](backend::Backend) trait for devices of one's own.
pub use anywarp_backend as backend;
