//! The number of lanes of a group.
//!
//! A group of 16 lanes has two vectors of 256 bits for each value, whose operations do not wait for each other, and
//! passes half as often through loops, tests and the computation of addresses. Its machine code is longer and needs more
//! registers, so long kernels have groups of eight lanes, as all kernels with vectors of 128 bits.

use super::isa::Isa;
use crate::abi::LANES;
use crate::ir::{Function, Input, Inst};

/// The number of lanes of a group that has two vectors for each value.
const TWICE: usize = 2 * LANES;

/// The largest number of instructions of a kernel with such groups: twice as many take the compiler 3 to 4 ms longer.
const MAX_INSTS: usize = 128;

/// Chooses the number of lanes of a kernel's groups. A subgroup has [`LANES`] invocations, so that kernels in which they
/// see each other have no more.
pub(super) fn of(kernel: &Function, selected: Isa) -> usize {
    let functions = || std::iter::once(kernel).chain(&kernel.callees);
    let short = functions().map(|function| function.insts.len()).sum::<usize>() <= MAX_INSTS;
    let in_rows = kernel.workgroup_size[0].is_multiple_of(TWICE as u32);
    let together = functions().flat_map(|function| &function.insts).any(|inst| {
        matches!(inst, Inst::Input(Input::Lane | Input::SubgroupId) | Inst::Subgroup(..) | Inst::Atomic { .. })
    });
    let twice = selected == Isa::Avx2 && in_rows && short && !together && kernel.checks.is_empty();
    if twice { TWICE } else { LANES }
}
