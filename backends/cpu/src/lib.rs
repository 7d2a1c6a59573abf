//! WGSL compute kernels on the processor: naga IR becomes a scalar program (`lower`, `ir`), which
//! becomes vector machine code (`codegen`), which threads run over the workgroups (`device`).
//!
//! | file | what is in it |
//! |---|---|
//! | `device` | the backend |
//! | `caps` | what the processor is and can do |
//! | `memory` | allocations with guards; mappings, and what may be wrong with the contents |
//! | `kernel` | from a program to something that can be dispatched, or read as text |
//! | `record` | a recording, checked and resolved |
//! | `submit` | submissions and their completion; the queue, which keeps their order |
//! | `execute` | the steps of a submission; the workgroups of a dispatch; what each thread gives to a kernel |
//! | `checker` | the checked mode: what kernels report while they run, and what is wrong with it |
//! | `abi` | what compiled kernels and the code around them agree on |
//! | `lower`, `ir`, `codegen`, `math` | the compiler |

mod abi;
mod caps;
mod checker;
mod codegen;
mod device;
mod environment;
mod execute;
mod ir;
mod kernel;
mod lower;
mod math;
mod memory;
mod record;
mod submit;

pub use caps::caps;
pub use device::{CpuDevice, Options, open};
pub use kernel::text::{assembly, check, clif};
