//! The checked mode: a kernel reports its operations ([`crate::ir::Check`]), and the checker finds the mistakes.
//!
//! The mistakes:
//! - an index that is not below its count, in buffers, workgroup memory, variables and values;
//! - an integer division by zero;
//! - as a note, because the value is zero: a read of an invocation's variable that was declared without an initial
//!   value and not yet written, scalar by scalar; a read of workgroup memory that no invocation of the workgroup has
//!   written (except by atomics, which can only start from zero). Reads of storage are not reported: all of it begins
//!   as zeros, which the host may intend;
//! - two accesses to one word by two invocations, at least one a write and not both atomic, with
//!   no barrier between them that orders this memory: `workgroupBarrier` and
//!   `workgroupUniformLoad` order workgroup memory, `storageBarrier` storage buffers. Nothing
//!   orders two workgroups;
//! - a barrier that not all invocations reach; loops that exceed the limit on iterations.
//!
//! Two limitations. Only two of the invocations that read a word are recorded: enough to find that a write races, but
//! not with how many invocations. And the cells described below take twelve times the size of the storage that a
//! kernel accesses and writes. A checked kernel takes 5 times (Mandelbrot) to 170 times (tiled matrix product) as long.
//!
//! Workgroups run in order on one thread, so that findings are reproducible. Every word of workgroup memory, and of
//! storage that is written, has a *cell*. The cell records the word's last write and two reads by different
//! invocations, each with the number of barriers that its invocation had passed ([`shadow`]; the idea of epochs is from
//! Flanagan and Freund, "`FastTrack`", PLDI 2009). Storage cells are found by address, so that two bindings of one
//! buffer share cells.
//!
//! | file | content |
//! |---|---|
//! | `places` | the positions and variables of a kernel's reports, fixed at compilation |
//! | `state` | the state of a dispatch; the meaning of each report |
//! | `shadow` | cells and races |
//! | `record` | findings, without repetitions |

mod places;
mod record;
mod shadow;
mod state;

pub(crate) use places::Checks;
pub(crate) use state::Checker;
