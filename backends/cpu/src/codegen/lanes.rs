//! The size of vectors and the number of lanes of a group.
//!
//! A group of 16 lanes has one vector of 512 bits for each value. With vectors of 256 bits it has two, whose operations do
//! not wait for each other; it passes half as often through loops, tests and the computation of addresses, but its machine
//! code is longer and needs more registers, so long kernels have groups of eight lanes, as all kernels with vectors of
//! 128 bits.

use super::isa::Isa;
use crate::abi::LANES;
use crate::ir::{Function, Input, Inst};

/// The number of lanes of a group with a vector of 512 bits, or two of 256.
const TWICE: usize = 2 * LANES;

/// The largest number of instructions of a kernel with two vectors for each value: twice as many take the compiler 3 to
/// 4 ms longer.
const MAX_INSTS: usize = 128;

/// The vectors of a kernel, and its groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vectors {
    /// The size of a vector in bytes: 16, 32 or 64.
    pub(super) bytes: u32,
    /// The number of lanes of a group: 8 or 16; always 16 with vectors of 512 bits, never with those of 128.
    pub(super) lanes: usize,
}

impl Vectors {
    pub(super) const OF_128: Self = Self { bytes: 16, lanes: LANES };
    pub(super) const OF_256: Self = Self { bytes: 32, lanes: LANES };
    const TWO_OF_256: Self = Self { bytes: 32, lanes: TWICE };
    pub(super) const OF_512: Self = Self { bytes: 64, lanes: TWICE };

    /// Chooses the vectors of a kernel. A subgroup has [`LANES`] invocations, so that groups of kernels in which they see
    /// each other have no more.
    pub(super) fn of(kernel: &Function, selected: Isa) -> Self {
        let functions = || std::iter::once(kernel).chain(&kernel.callees);
        let in_rows = kernel.workgroup_size[0].is_multiple_of(TWICE as u32);
        let together = || {
            functions().flat_map(|function| &function.insts).any(|inst| {
                matches!(inst, Inst::Input(Input::Lane | Input::SubgroupId) | Inst::Subgroup(..) | Inst::Atomic { .. })
            })
        };
        let twice = in_rows && kernel.checks.is_empty() && !together();
        let short = || functions().map(|function| function.insts.len()).sum::<usize>() <= MAX_INSTS;
        match selected {
            Isa::Baseline => Self::OF_128,
            Isa::Avx512 if twice => Self::OF_512,
            Isa::Avx2 if twice && short() => Self::TWO_OF_256,
            Isa::Avx2 | Isa::Avx512 => Self::OF_256,
        }
    }
}
