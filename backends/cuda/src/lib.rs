//! WGSL compute kernels on NVIDIA GPUs: naga IR is translated to CUDA C++ (`translate`), which NVRTC compiles to
//! machine code (`nvrtc`, `cache`) for the driver to run (everything else). All of CUDA is loaded at run time; without
//! it the crate still builds and translates, and reports why there is no device.
//!
//! | file | content |
//! |---|---|
//! | `device` | the backend: ids, and each method of the contract; `candidates`: the available devices |
//! | `caps` | the capabilities of a GPU, from its attributes |
//! | `memory` | allocations, mappings, poisoned contents; deferred frees |
//! | `kernel` | compiled kernels in the forms that dispatches need; status records of stopped kernels |
//! | `record` | recordings, from commands to calls of the driver |
//! | `submit` | the queue: submissions, their completion, and waiting for it |
//! | `resident` | kernels that are launched again and again until the host stops them |
//! | `streams` | the streams of a device, and the waits between them |
//! | `graph` | recordings that are submitted repeatedly, each as one call of the driver |
//! | `driver` | the driver: its functions, handles, errors; a fake driver for tests |
//! | `translate` | programs to CUDA C++; `prelude` holds the code that every kernel may use |
//! | `nvrtc`, `cache`, `resources` | the compiler, its images on disk, the resources of kernels |
//! | `library` | matrix products by cuBLAS |
//! | `stages`, `installed` | a program as text: CUDA C++, PTX, machine code; folders of CUDA toolkits |
//! | `interop` | the device shared with other CUDA code |
//!
//! Unsafe code is restricted to layers: `sys`, `result` and `safe` in `driver`, `nvrtc` and `library`. The test in
//! `layers` enforces that.

pub mod cache;
mod caps;
mod device;
mod driver;
mod environment;
mod graph;
mod installed;
pub mod interop;
mod kernel;
#[cfg(test)]
mod layers;
mod library;
mod memory;
pub mod nvrtc;
mod record;
mod resident;
pub mod resources;
pub mod stages;
mod streams;
mod submit;
pub mod translate;

pub use caps::caps_of;
pub use device::candidates::{Candidate, absence, candidates};
pub use device::{CudaDevice, Options};
