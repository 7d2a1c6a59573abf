//! The checked mode: a kernel reports what it does ([`crate::ir::Check`]), and the checker finds
//! what is wrong with it.
//!
//! What counts as wrong:
//! - an index that is not below its count, in buffers, workgroup memory, variables and values;
//! - an integer division by zero;
//! - as a note, for it is zero: a read of a variable of an invocation that was declared without a first value and not
//!   yet written, scalar by scalar; of workgroup memory that no invocation of the workgroup has
//!   written (atomics, which can start from nothing but zero, excepted). Reads of storage are not reported: all of it
//!   begins with zeros, and the host may mean them;
//! - two accesses to one word by two invocations, at least one a write and not both atomic, with
//!   no barrier between them that orders this memory: `workgroupBarrier` and
//!   `workgroupUniformLoad` order workgroup memory, `storageBarrier` storage buffers. Nothing
//!   orders two workgroups;
//! - a barrier that not all invocations reach; loops past the limit of steps.
//!
//! Two limits: a word that several invocations only read keeps two of them, which is enough to find
//! that a write races, not with how many; and cells take twelve times the bytes of the storage that
//! a kernel touches and writes. A kernel takes 5 times (Mandelbrot)
//! to 170 times (tiled matrix product) as long.
//!
//! Workgroups run one after the other on one thread, so that findings are the same every time.
//! Every word of workgroup memory, and of storage that is written, has a *cell* that remembers its
//! last write and two reads by different invocations, with the number of barriers each had passed
//! ([`shadow`]; the idea of epochs is that of Flanagan and Freund, "`FastTrack`", PLDI 2009). Storage
//! cells are found by address, so that two bindings of one buffer are one memory.
//!
//! | file | concept |
//! |---|---|
//! | `places` | what the reports of a kernel are about: fixed when it is compiled |
//! | `state` | what is remembered during a dispatch; what each report means |
//! | `shadow` | cells and races |
//! | `record` | findings, each once |

mod places;
mod record;
mod shadow;
mod state;

pub(crate) use places::Checks;
pub(crate) use state::Checker;

use crate::abi::{Frame, LANES};

/// One lane of each of eight invocations.
pub(crate) type Lanes = [u32; LANES];

/// Takes a report from machine code.
///
/// # Safety
/// `frame` is the frame that the kernel was called with, its `checker` a [`Checker`] that nobody
/// else uses meanwhile; `operands` holds as many [`Lanes`] as the check has operands.
pub(crate) unsafe extern "C" fn report(
    frame: *mut Frame,
    number: u32,
    group: u32,
    active: u32,
    operands: *const Lanes,
) {
    if active == 0 {
        return;
    }
    // SAFETY: see above.
    unsafe {
        let slots = (*frame).slots;
        let Some(checker) = (*frame).checker.cast::<Checker>().as_mut() else { return };
        let operands = std::slice::from_raw_parts(operands, checker.operands(number));
        let slot = |binding: u32| slots.add(binding as usize).read();
        checker.report(number, group, active, operands, &slot);
    }
}
