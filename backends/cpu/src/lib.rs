//! WGSL compute kernels on the processor: naga IR is lowered to a scalar program (`lower`, `ir`) and compiled to vector
//! machine code (`codegen`), which threads run over the workgroups (`device`).
//!
//! | file | content |
//! |---|---|
//! | `device` | the backend |
//! | `caps` | the properties of the processor |
//! | `memory` | allocations with guards; mappings, and poisoned contents |
//! | `kernel` | compilation of a program, to a kernel or to text |
//! | `library` | matrix products and Fourier transforms by crates, on the threads of kernels |
//! | `record` | a recording, checked and resolved |
//! | `submit` | submissions and their completion; the queue, which keeps their order |
//! | `execute` | the steps of a submission; the workgroups of a dispatch; scratch memory of threads |
//! | `resident` | dispatches that threads of their own repeat until the host stops them |
//! | `checker` | the checked mode: the reports of running kernels, and the mistakes found in them |
//! | `abi` | the interface between compiled kernels and the code that runs them |
//! | `lower`, `ir`, `codegen`, `math` | the compiler |
//! | `emitter` | machine code with AVX2, in place of Cranelift's |

mod abi;
mod caps;
mod checker;
mod codegen;
mod device;
mod emitter;
mod environment;
mod execute;
mod ir;
mod kernel;
mod library;
mod lower;
mod math;
mod memory;
mod observer;
mod record;
mod reports;
mod resident;
mod submit;

pub use caps::caps;
pub use device::{CpuDevice, Options, open};
pub use kernel::text::{assembly, check, clif};
pub use math::Functions;
