//! WGSL compute kernels on NVIDIA GPUs: naga IR becomes CUDA C++ (`translate`), NVRTC makes machine
//! code of it (`nvrtc`, `cache`), and the driver runs that (everything else). All of CUDA is found
//! at run time; without it the crate builds, translates, and says why there is no device.
//!
//! | file | what is in it |
//! |---|---|
//! | `device` | the backend: ids, and each method of the contract; `candidates`: the devices there are, or the reason for none |
//! | `caps` | the capabilities of a card, from its numbers |
//! | `memory` | allocations, mappings, poisoned contents; deferred frees |
//! | `kernel` | compiled kernels in the forms that dispatches need; status records of stopped ones |
//! | `record` | recordings, from commands to calls of the driver |
//! | `submit` | the queue: submissions, their completion, and waiting for it |
//! | `streams` | the streams of a device, and waits between them |
//! | `graph` | recordings that come again, as one call |
//! | `driver` | the driver: its functions, handles, errors; a fake one for tests |
//! | `translate` | programs to CUDA C++; `prelude` beneath it is what every kernel may use |
//! | `nvrtc`, `cache`, `resources` | the compiler, the images it has made, the resources that these take |
//! | `library` | matrix products by cuBLAS |
//! | `stages`, `installed` | a program as text: CUDA C++, PTX, machine code; folders of CUDA toolkits |
//! | `interop` | the device shared with other CUDA code |
//!
//! Unsafe code stands in layers: `sys`, `result` and `safe` in `driver`, `nvrtc` and `library`. `layers` holds that.

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
pub mod resources;
pub mod stages;
mod streams;
mod submit;
pub mod translate;

pub use caps::caps_of;
pub use device::candidates::{Candidate, absence, candidates};
pub use device::{CudaDevice, Options};
