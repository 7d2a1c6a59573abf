//! WGSL compute kernels on NVIDIA GPUs: naga IR becomes CUDA C++ (`translate`), NVRTC makes machine
//! code of it (`nvrtc`, `cache`), and the driver runs that (everything else). All of CUDA is found
//! at run time; without it the crate builds, translates, and says why there is no device.
//!
//! | file | what is in it |
//! |---|---|
//! | `candidates`, `caps` | which devices there are, or why none; what each can do |
//! | `device` | the backend: ids, and what each method of the contract does |
//! | `driver` | the driver's functions as a table; its errors; contexts; loaded modules |
//! | `allocate`, `memory`, `landing` | where memory comes from; mappings, what may be wrong with the contents |
//! | `compile`, `kernel` | from a program to loaded kernels, in the forms that dispatches need |
//! | `plan`, `grid`, `footprint` | a recording, checked and resolved: addresses, blocks, what it touches |
//! | `submit`, `enqueue` | a plan, handed over: its commands as calls of the driver |
//! | `graph` | recordings that come again, as one call |
//! | `queue`, `progress`, `events` | the order of submissions, and how their ends are noticed |
//! | `lane`, `depend`, `uses` | streams, and which of their submissions wait for which |
//! | `parts`, `divide`, `reserve` | large copies beside kernels; where memory is made zero and freed |
//! | `flight`, `watch` | tickets; who waits without a thread of their own |
//! | `settle`, `status` | stopped kernels and what they spoiled; times; who has heard of it |
//! | `handover` | the device in the hands of other CUDA code, and back |
//! | `graveyard` | what is freed only when the device is idle |
//! | `translate` | the translator; `prelude` beneath it is what every kernel may use |
//! | `nvrtc`, `cache`, `resources` | the compiler, the images it has made, what these take |
//! | `stages`, `disassemble`, `installed` | a program as text: CUDA C++, PTX, machine code |
//! | `library` | matrix products by cuBLAS |

mod allocate;
pub mod cache;
mod candidates;
mod caps;
mod compile;
mod depend;
mod device;
pub mod disassemble;
mod divide;
mod driver;
mod enqueue;
mod events;
#[cfg(test)]
mod fake;
mod flight;
mod footprint;
mod graph;
mod graveyard;
mod grid;
pub mod handover;
mod installed;
mod kernel;
mod landing;
mod lane;
mod library;
mod memory;
pub mod nvrtc;
mod parts;
mod plan;
mod progress;
mod queue;
mod reserve;
pub mod resources;
mod settle;
pub mod stages;
mod status;
mod submit;
pub mod translate;
mod uses;
mod watch;

pub use candidates::{Candidate, absence, candidates};
pub use caps::caps_of;
pub use device::{CudaDevice, Options};
