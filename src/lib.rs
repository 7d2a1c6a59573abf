//! Runs one WGSL compute kernel on every GPU, and on machines without one: through Vulkan, Metal and DX12, through
//! NVIDIA's CUDA, or on the CPU.
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
//!     let device = Device::open_default()?; // a GPU if there is one, else the CPU
//!     let saxpy = device.kernel(WGSL)?;
//!     let x = device.buffer_from(&vec![1.0f32; 1 << 20])?;
//!     let mut y = device.buffer_from(&vec![2.0f32; 1 << 20])?;
//!     saxpy.launch().set("params.a", 3.0f32).bind("x", &x).bind("y", &mut y).threads(1 << 20)?;
//!     assert_eq!(y.read()?[0], 5.0);
//!     Ok(())
//! }
//! ```
//!
//! - **Little to write.** Arguments are bound by their names in the WGSL. Buffers are transferred automatically, and
//!   only the changed ranges. A grid may have any size. There are no layouts, no staging buffers and no polling.
//! - **Little to get wrong.** A launch checks names, types and lengths before anything runs. A buffer that a kernel
//!   writes is borrowed as `&mut`. The safe API does not panic, and errors say what to do.
//! - **The same everywhere.** No GPU and no driver are needed: without them, kernels are compiled to vector machine
//!   code for the CPU. With the feature `cuda` they are compiled natively for NVIDIA GPUs.
//! - **Inspectable.** The device `cpu:checked` finds data races and indices out of range, [`insight`] tells why a kernel
//!   is slow without a GPU and where a program spends its time, kernels can print on any device, and the tool `anywarp translate` shows the code that is generated from a kernel.
//!
//! Further reading: [the guide](mod@guide), from the first kernel to subgroups and reads without waiting;
//! [coming from elsewhere](mod@guide::coming_from), which compares the terms with those of other frameworks;
//! and the [examples](https://github.com/anywarp/anywarp/tree/main/examples), each of which answers one question.
//!
//! # A tour
//!
//! In the order in which a program uses them:
//!
//! - [`Device`]: a device to compute on: its selection ([`Device::open`]) and its capabilities ([`Device::caps`]).
//! - [`UnifiedBuffer`]: a vector that host and device both access. Only changed ranges are transferred, and none where
//!   host and device share their memory. Its items are [`Element`]s.
//! - [`Kernel`]: one entry point of a WGSL source ([`Wgsl`]); errors in the source name their line.
//! - [`kernels!`]: WGSL files as Rust modules, whose names and types the compiler checks.
//! - [`Launch`]: named bindings and values, then a grid of any size.
//! - [`Submission`]: the result of a launch, to be waited for, polled, awaited or measured.
//! - [`Recording`]: launches, copies and fills to be replayed.
//! - [`Stream`]: a stream, whose work may run at the same time as that of other streams; a [`Destination`] is a stream
//!   or a recording.
//! - [`ops`]: ready-made operators ([`ops::matmul`]), and kernels of one line: [`ops::ElementwiseKernel`],
//!   [`ops::ReductionKernel`].
//! - [`loader`]: data sets, which threads read ahead of the kernels, batch by batch.
//! - [`ring`]: actors, kernels that answer messages while they run.
//! - [`DebugOutput`]: the output printed by kernels ([`Device::debug_output`]).
//! - [`Findings`]: the faults of a kernel, line by line, found by the device `cpu:checked` ([`Device::findings`]).
//! - [`insight`]: why a kernel is slow ([`Device::observations`]), and timelines of a device.
//! - [`Observer`]: the [`Event`]s of a device, with their times ([`Device::observe`]).
//! - [`interop`]: devices and buffers shared with raw wgpu and CUDA code.
//! - [`Error`]: one enum per operation, with names and numbers in it.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `wgpu` | yes | Vulkan, Metal, DX12, WebGPU |
//! | `cpu` | yes | the CPU: kernels are compiled to vector machine code and run on all cores. No effect in a browser |
//! | `cuda` | no | NVIDIA GPUs natively: nothing is needed to build; the driver and NVRTC are needed to run |
//! | `images` | no | folders of pictures as data sets: `loader::ImageFolder` |
//!
//! # Environment
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_DEVICE` | the default device, as a selection string: see [`Device::open`] |
//! | `ANYWARP_VARIANTS` | when kernels are specialised for repeated similar launches, unless the options say so: `in-background`, `at-once`, `at-once-by-conditions` or `never`; see [`DeviceOptions::variants`] |
//! | `ANYWARP_TUNE` | whether results of tuning that were kept are used, also by operators, and new ones kept, unless the program says so: `off`, `pinned` or `record`; see [`tune::Mode`] |
//! | `ANYWARP_CPU_STEPS` | the CPU only: the loop iterations that the 8 or 16 invocations that run together may make in total before their kernel is stopped; default 2^32, for `cpu:checked` 2^26 |
//! | `ANYWARP_CPU_ISA` | the CPU only, for tests: `avx512`: vectors of 512 bits where a kernel's rows allow them, an error where the processor lacks AVX-512 F, BW, CD, DQ or VL; `avx2`: vectors of 256 bits, an error where the processor lacks AVX2, FMA, BMI1, BMI2, LZCNT or POPCNT; `baseline`: vectors of 128 bits, by Cranelift alone; default: the first one that is possible |
//! | `ANYWARP_CPU_FUNCTIONS` | the CPU only: `fast` (the default): `exp`, `exp2`, `log`, `log2`, `tanh`, `sin` and `cos` of `f32` are vector instructions, with errors of up to 1.05, 1.05, 1.05, 1.15, 1.9, 1.6 and 1.6 units in the last place; `precise`: all functions within 0.502 units, more slowly |
//! | `ANYWARP_CUDA_STEPS` | `cuda` only: the iterations that one invocation may run in total in loops that are not proven to end, before its kernel is stopped; default 2^31 |
//! | `ANYWARP_NVRTC` | `cuda` only: the file or folder of NVRTC, if the system does not find it |
//! | `ANYWARP_CACHE` | the folder of compiled kernels (`cuda`, `vulkan`), or `off`; default `anywarp` in the user's cache folder: see [`anywarp_host::cache`] |
//! | `ANYWARP_NVDISASM` | `anywarp translate` only: the file of `nvdisasm` or `cuobjdump` |
//! | `ANYWARP_DEBUG_BYTES` | the size in bytes of the device memory that holds the kernels' debug output until it is collected; default 1 MiB: see [`Device::debug_output`] |
//! | `ANYWARP_LOG`, `ANYWARP_LOG_STYLE` | the log messages of the tool `anywarp`, and their colours: see `env_logger` |
//! | `ANYWARP_REQUIRE` | tests only: backends that must be available, such as `vulkan,cpu`; tests on all devices use only these |
//! | `ANYWARP_UPDATE` | tests only: rewrites the tables of messages with the current ones, and keeps their judgements |
//! | `ANYWARP_FUZZ_SECONDS`, `ANYWARP_FUZZ_SEED` | tests only: how long each entry point for fuzzers is tried, and with which changes of its seeds |
//! | `ANYWARP_SOAK_SECONDS` | tests only: the duration of the test `soak`; default 2 |
//! | `ANYWARP_CHROMIUM` | tests only: the browser that `tools/browser` starts; default `/usr/bin/chromium` |
//! | `ANYWARP_CTS_DIR` | tests only: the folder of WGSL conformance cases |
//! | `ANYWARP_ONNX_DIR` | tests only: the folder of ONNX's node tests |
//! | `ANYWARP_SCIPY_DIR` | tests only: the folder of results that `tests/ops/scipy/cases.py` has made |
//! | `ANYWARP_MATRIX_ALLOW_MISSING` | `tools/matrix` only: `1` skips a place whose tools are missing |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))] // on docs.rs items say which feature they need

// The library's own kernels are generated by `kernels!`, whose code refers to the crate as `anywarp`, as in other crates.
extern crate self as anywarp;

pub mod backend;
mod buffer;
mod debug;
mod device;
mod element;
mod environment;
mod error;
#[cfg(any(doc, doctest))] // documentation only
pub mod guide;
pub mod insight;
pub mod interop;
mod kept;
mod kernel;
#[cfg(not(target_arch = "wasm32"))] // a browser has no threads for loading
pub mod loader;
#[cfg(feature = "npz")]
#[doc(hidden)]
pub mod npy_header;
pub mod ops;
pub mod ring;
mod search;
mod submit;
pub mod tune;

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
    AccessCounts, AccessVerdict, Bind, DeviceCount, ExplainedAccess, ExplainedLoop, Explanation, Extent, Kernel,
    Launch, Variants, Wgsl, typed,
};
pub use submit::{BufferStats, Destination, Event, Observed, Observer, Recording, Stream, Submission};

/// Makes WGSL a Rust module, whose names and types the compiler checks.
///
/// ```
/// use anywarp::Device;
///
/// // The file's path below the folder of Cargo.toml; defines `mod saxpy`.
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
/// Arguments that do not fit the kernel do not compile:
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
