//! One WGSL compute kernel, on every GPU and on none: Vulkan, Metal and DX12, NVIDIA's CUDA, or the
//! processor itself.
//!
//! ```
//! use anywarp::Device;
//!
//! const WGSL: &str = "
//!     struct Params { a: f32 }
//!     @group(0) @binding(0) var<uniform> params: Params;
//!     @group(0) @binding(1) var<storage> x: array<f32>;
//!     @group(0) @binding(2) var<storage, read_write> y: array<f32>;
//!
//!     @compute @workgroup_size(64)
//!     fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
//!         if id.x < arrayLength(&y) { y[id.x] += params.a * x[id.x]; }
//!     }";
//!
//! fn main() -> anywarp::Result<()> {
//!     let device = Device::open_default()?; // a GPU if there is one, else the processor
//!     let saxpy = device.kernel(WGSL)?;
//!     let x = device.buffer_from(&vec![1.0f32; 1 << 20])?;
//!     let mut y = device.buffer_from(&vec![2.0f32; 1 << 20])?;
//!     saxpy.launch().set("params.a", 3.0f32).bind("x", &x).bind("y", &mut y).threads(1 << 20)?;
//!     assert_eq!(y.read()?[0], 5.0);
//!     Ok(())
//! }
//! ```
//!
//! - **Little to write.** Bindings go by their names in the WGSL, buffers move by themselves and only
//!   what changed, grids have any size. There are no layouts, no staging, no polling.
//! - **Little to get wrong.** A launch compares names, types and lengths before anything runs. What a
//!   kernel writes is borrowed as `&mut`. Nothing panics, and errors say what to do.
//! - **The same everywhere.** No GPU and no driver are needed: without them, kernels become vector
//!   machine code for the processor. With the feature `cuda` they become native on NVIDIA.
//! - **Open to look into.** The device `cpu:checked` finds races and indices out of range, kernels can
//!   print on any device, and the tool `anywarp translate` shows what they become.
//!
//! To read next: [the guide](mod@guide), from the first kernel to subgroups and reading without waiting;
//! [coming from elsewhere](mod@guide::coming_from), with the words of other frameworks side by side; and the [examples](https://github.com/anywarp/anywarp/tree/main/examples), each the answer to one
//! question.
//!
//! # A tour
//!
//! In the order in which a program meets things:
//!
//! - [`Device`]: what there is to compute on, how one is chosen ([`Device::open`]), what it can do
//!   ([`Device::caps`]).
//! - [`UnifiedBuffer`]: a vector that both sides see. It moves only what changed, and nothing
//!   where host and device share their memory. What it holds is an [`Element`].
//! - [`Kernel`]: one entry point of a WGSL source ([`Wgsl`]), checked line by line before anything
//!   is compiled.
//! - [`kernels!`]: WGSL files as Rust modules, whose names and types the compiler checks.
//! - [`Launch`]: named bindings and values, then a grid of any size.
//! - [`Submission`]: what a launch returns: to be waited for, polled, awaited, measured.
//! - [`Recording`]: launches, copies and fills to be replayed.
//! - [`Stream`]: leave to run things at the same time; a [`Destination`] is one of these or a recording.
//! - [`ops`]: operations that come with it: [`ops::matmul`]; kernels of one line:
//!   [`ops::ElementwiseKernel`], [`ops::ReductionKernel`].
//! - [`loader`]: data sets, read by threads ahead of the kernels that take them batch by batch.
//! - [`DebugOutput`]: what kernels printed ([`Device::debug_output`]).
//! - [`Findings`]: what is wrong with a kernel, line by line, on the device `cpu:checked`
//!   ([`Device::findings`]).
//! - [`Observer`]: what the device does and when, as [`Event`]s ([`Device::observe`]).
//! - [`interop`]: devices and buffers shared with raw wgpu and CUDA code.
//! - [`Error`]: one enum per operation, with names and numbers in it.
//!
//! # Features
//!
//! | feature | default | what it brings |
//! |---|---|---|
//! | `wgpu` | yes | Vulkan, Metal, DX12, WebGPU |
//! | `cpu` | yes | the processor: kernels become vector machine code, on all cores. Nothing in a browser |
//! | `cuda` | no | NVIDIA GPUs natively: needs nothing to build, and the driver and NVRTC to run |
//! | `images` | no | folders of pictures as data sets: `loader::ImageFolder` |
//!
//! # Environment
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_DEVICE` | the default device, as a selection string: see [`Device::open`] |
//! | `ANYWARP_VARIANTS` | when kernels are compiled once more for launches that are alike, where the options do not say: `in-background`, `at-once` or `never`; see [`DeviceOptions::variants`] |
//! | `ANYWARP_CPU_STEPS` | the processor only: iterations of loops that eight invocations may make together in one workgroup before their kernel is stopped; 2^32 unless set, 2^26 for `cpu:checked` |
//! | `ANYWARP_CUDA_STEPS` | `cuda` only: iterations that the loops of one invocation may make together, where they are not seen to end, before their kernel is stopped; 2^31 unless set |
//! | `ANYWARP_NVRTC` | `cuda` only: the file or folder of NVRTC, where the system does not find it |
//! | `ANYWARP_CACHE` | the folder of compiled kernels (`cuda`, `vulkan`), or `off`; `anywarp` in the user's cache folder unless set: see [`anywarp_host::cache`] |
//! | `ANYWARP_NVDISASM` | `anywarp translate` only: the file of `nvdisasm` or `cuobjdump` |
//! | `ANYWARP_DEBUG_BYTES` | how much memory of a device keeps what kernels print until it is collected; 1 MiB unless set: see [`Device::debug_output`] |
//! | `ANYWARP_LOG`, `ANYWARP_LOG_STYLE` | what the tool `anywarp` logs, and in which colours: see `env_logger` |
//! | `ANYWARP_REQUIRE` | tests only: backends that must be there, as `vulkan,cpu` |
//! | `ANYWARP_UPDATE` | tests only: tables of messages take what came, and keep their judgements |
//! | `ANYWARP_CHROMIUM` | tests only: the browser that `tools/browser` starts; `/usr/bin/chromium` unless set |
//! | `ANYWARP_CTS_DIR` | tests only: the folder of WGSL conformance cases |
//! | `ANYWARP_MATRIX_ALLOW_MISSING` | `tools/matrix` only: `1` lets a place be left out whose tools are missing |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))] // on docs.rs items say which feature they need

// Kernels of our own are made by `kernels!`, which names the crate as users do.
extern crate self as anywarp;

pub mod backend;
mod buffer;
mod debug;
mod device;
mod element;
mod environment;
mod error;
#[cfg(any(doc, doctest))] // words only
pub mod guide;
pub mod interop;
mod kernel;
#[cfg(not(target_arch = "wasm32"))] // a browser has no threads to load with
pub mod loader;
pub mod ops;
mod submit;

pub use buffer::{
    OwnedRead, OwnedWrite, ReadGuard, ScratchStats, Slice, SliceMut, UnifiedBuffer, UpdateGuard, WriteGuard,
};
pub use debug::{DebugArgument, DebugLine, DebugOutput, DebugValue};
pub use device::{Candidate, Device, DeviceOptions, DeviceStats, VariantStats};
pub use element::Element;
#[doc(hidden)]
pub use element::struct_layout;
pub use error::{
    BufferError, Classified, Error, ErrorClass, KernelError, LaunchError, OpenError, PartError, Rejection, Result,
};
pub use kernel::{
    Bind, DeviceCount, ExplainedAccess, ExplainedLoop, Explanation, Extent, Kernel, Launch, Variants, Wgsl, typed,
};
pub use submit::{BufferStats, Destination, Event, Observed, Observer, Recording, Stream, Submission};

/// WGSL as a Rust module, whose names and types the compiler checks.
///
/// ```
/// use anywarp::Device;
///
/// // The file's path below the folder of Cargo.toml; gives `mod saxpy`.
/// anywarp::kernels!("examples/shaders/saxpy.wgsl");
///
/// # fn main() -> anywarp::Result<()> {
/// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))] {
/// let device = Device::open("cpu")?;
/// let saxpy = saxpy::saxpy(&device)?;
/// let x = device.buffer_from(&[1.0f32; 1000])?;
/// let mut y = device.buffer_from(&[2.0f32; 1000])?;
/// let params = saxpy::Params { a: 3.0 };
/// saxpy.launch(saxpy::Args { params, x: &x, y: &mut y }).threads(1000)?;
/// assert_eq!(y.read()?[999], 5.0);
/// # }
/// # Ok(())
/// # }
/// ```
///
/// What does not fit the kernel does not compile:
///
/// ```compile_fail
/// # fn launch(device: &anywarp::Device) -> anywarp::Result<()> {
/// anywarp::kernels!("examples/shaders/saxpy.wgsl");
/// let (x, y) = (device.buffer::<f32>(64)?, device.buffer::<f32>(64)?);
/// let params = saxpy::Params { a: 3.0 };
/// saxpy::saxpy(&device)?.launch(saxpy::Args { params, x: &x, y: &y }).threads(64)?; // writes `y`
/// # Ok(())
/// # }
/// ```
pub use anywarp_macros::kernels;

pub use anywarp_backend::{Checks, Finding, FindingKind, Findings, KernelResources, Severity, Unchecked};
pub use half::{bf16, f16};
