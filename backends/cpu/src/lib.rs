//! WGSL compute kernels on the processor: naga IR becomes a scalar program (`lower`, `ir`), which
//! becomes vector machine code (`codegen`), which threads run over the workgroups (`device`).
//!
//! | file | what is in it |
//! |---|---|
//! | `caps` | what the processor is and can do |
//! | `device` | the backend |
//! | `bytes`, `memory` | allocations with guards; mappings, and what may be wrong with the contents |
//! | `compile`, `kernel` | from a program to something that can be dispatched |
//! | `plan` | a recording, checked and resolved |
//! | `queue`, `flight` | the order of submissions, and their completion |
//! | `execute`, `dispatch` | the steps of a plan; the workgroups of one of them |
//! | `scratch` | what each thread gives to a kernel |
//! | `checker` | the checked mode: what kernels report while they run, and what is wrong with it |
//! | `text` | what the compiler makes of a program, for reading |
//! | `abi` | what compiled kernels and the code around them agree on |
//! | `lower`, `ir`, `codegen`, `math` | the compiler |

mod abi;
mod bytes;
mod caps;
mod checker;
mod codegen;
mod compile;
mod device;
mod dispatch;
mod execute;
mod flight;
mod ir;
mod kernel;
mod lower;
mod math;
mod memory;
mod plan;
mod queue;
mod scratch;
mod text;

pub use caps::caps;
pub use device::{CpuDevice, Options, open};
pub use text::{assembly, clif};
