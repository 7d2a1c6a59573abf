//! The occupancy of a multiprocessor of an NVIDIA GPU, by the rules of the CUDA occupancy calculator.

/// The lanes of a warp, the registers of one of the partitions, and the number of partitions, on all architectures.
const WARP: u32 = 32;
const PARTITION_REGISTERS: u32 = 16_384;
const PARTITIONS: u32 = 4;
/// Registers are given to a warp in units of this number.
const REGISTER_UNIT: u32 = 256;
const MAX_REGISTERS: u32 = 255;
const MAX_THREADS: u32 = 1024;

/// The limits of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// The most warps at a time.
    pub warps: u32,
    /// The most workgroups at a time.
    pub blocks: u32,
    /// The bytes of workgroup memory with the largest carve-out.
    pub shared: u32,
    /// The most bytes of workgroup memory for one workgroup.
    pub shared_per_block: u32,
    /// The bytes of workgroup memory that the system reserves for each workgroup.
    pub reserved: u32,
    /// The bytes in units of which workgroup memory is given.
    pub shared_unit: u32,
}

impl Multiprocessor {
    /// The limits of a compute capability, such as 90 for `sm_90`; `None` if they are unknown.
    #[must_use]
    pub fn of(capability: u32) -> Option<Self> {
        let (warps, blocks, kib) = match capability {
            75 => (32, 16, 64),
            80 => (64, 32, 164),
            86 => (48, 16, 100),
            87 => (48, 16, 164),
            89 | 120 | 121 => (48, 24, 100),
            90 | 100 | 103 => (64, 32, 228),
            110 => (48, 24, 228),
            _ => return None,
        };
        let (reserved, shared_unit) = if capability == 75 { (0, 256) } else { (1024, 128) };
        let shared = kib * 1024;
        Some(Self { warps, blocks, shared, shared_per_block: shared - reserved, reserved, shared_unit })
    }
}

/// The resources of one workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The invocations of a workgroup.
    pub threads: u32,
    /// The registers of an invocation.
    pub registers: u32,
    /// The bytes of workgroup memory.
    pub shared: u32,
}

/// A resource that limits the number of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// The warps of the multiprocessor.
    Warps,
    /// The workgroups of the multiprocessor.
    Blocks,
    /// The registers.
    Registers,
    /// The workgroup memory.
    Shared,
}

/// The workgroups that a multiprocessor holds at a time, with the largest carve-out for workgroup memory.
///
/// ```
/// use anywarp::insight::{Limiter, Multiprocessor, Occupancy, Usage};
///
/// let sm_90 = Multiprocessor::of(90).unwrap();
/// let found = Occupancy::of(&sm_90, &Usage { threads: 256, registers: 128, shared: 0 }).unwrap();
/// assert_eq!((found.blocks, found.warps, found.limiters), (2, 16, vec![Limiter::Registers]));
/// assert_eq!(found.fewer_registers, Some(80)); // with 80 registers, a third workgroup fits
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The number of workgroups; 0 if not even one fits.
    pub blocks: u32,
    /// The number of warps of these workgroups.
    pub warps: u32,
    /// The resources that allow no further workgroup.
    pub limiters: Vec<Limiter>,
    /// The most registers with which more workgroups fit, if fewer registers alone suffice for that.
    pub fewer_registers: Option<u32>,
    /// The most bytes of workgroup memory with which more workgroups fit, if less memory alone suffices for that.
    pub less_shared: Option<u32>,
}

impl Occupancy {
    /// Computes the occupancy. `None` if a workgroup has no or more than 1024 invocations, or an invocation more than
    /// 255 registers: no GPU runs such a kernel.
    #[must_use]
    pub fn of(on: &Multiprocessor, usage: &Usage) -> Option<Self> {
        if !(1..=MAX_THREADS).contains(&usage.threads) || usage.registers > MAX_REGISTERS {
            return None;
        }
        let bounds = bounds(on, usage);
        let blocks = least(&bounds);
        let more = |usage: Usage| least(&self::bounds(on, &usage)) > blocks;
        Some(Self {
            blocks,
            warps: blocks * usage.threads.div_ceil(WARP),
            limiters: bounds.into_iter().filter(|(_, bound)| *bound == blocks).map(|(limiter, _)| limiter).collect(),
            fewer_registers: (1..usage.registers).rev().find(|registers| more(Usage { registers: *registers, ..*usage })),
            less_shared: (0..usage.shared.min(on.shared_per_block + 1).div_ceil(on.shared_unit))
                .rev()
                .map(|units| units * on.shared_unit)
                .find(|shared| more(Usage { shared: *shared, ..*usage })),
        })
    }
}

fn least(bounds: &[(Limiter, u32); 4]) -> u32 {
    bounds.iter().map(|(_, bound)| *bound).min().unwrap_or(0)
}

/// The number of workgroups that each resource allows.
fn bounds(on: &Multiprocessor, usage: &Usage) -> [(Limiter, u32); 4] {
    let warps = usage.threads.div_ceil(WARP);
    let per_warp = (usage.registers.max(1) * WARP).next_multiple_of(REGISTER_UNIT);
    let registers = PARTITION_REGISTERS / per_warp * PARTITIONS / warps;
    let shared = if usage.shared > on.shared_per_block {
        0
    } else {
        let taken = (usage.shared + on.reserved).next_multiple_of(on.shared_unit);
        on.shared.checked_div(taken).unwrap_or(u32::MAX)
    };
    [
        (Limiter::Warps, on.warps / warps),
        (Limiter::Blocks, on.blocks),
        (Limiter::Registers, registers),
        (Limiter::Shared, shared),
    ]
}

#[cfg(test)]
mod tests {
    use super::Limiter::{Blocks, Registers, Shared, Warps};
    use super::*;

    #[test]
    fn cases_computed_by_hand() {
        // Capability; threads, registers, bytes; workgroups, warps, limiters, fewer registers, less memory.
        let table: [(u32, [u32; 3], u32, u32, &[Limiter], Option<u32>, Option<u32>); 9] = [
            (90, [256, 32, 0], 8, 64, &[Warps, Registers], None, None),
            (90, [256, 128, 0], 2, 16, &[Registers], Some(80), None),
            (90, [64, 32, 49_152], 4, 8, &[Shared], None, Some(45_568)),
            (90, [32, 16, 0], 32, 32, &[Blocks], None, None),
            (90, [1024, 255, 0], 0, 0, &[Registers], Some(64), None),
            (90, [64, 32, 232_449], 0, 0, &[Shared], None, Some(232_448)),
            (86, [1024, 32, 0], 1, 32, &[Warps], None, None),
            (75, [128, 64, 16_384], 4, 16, &[Shared], None, Some(13_056)),
            (120, [96, 40, 0], 16, 48, &[Warps, Registers], None, None),
        ];
        for (capability, [threads, registers, shared], blocks, warps, limiters, fewer_registers, less_shared) in table {
            let usage = Usage { threads, registers, shared };
            let found = Occupancy::of(&Multiprocessor::of(capability).unwrap(), &usage);
            let limiters = limiters.to_vec();
            let expected = Occupancy { blocks, warps, limiters, fewer_registers, less_shared };
            assert_eq!(found, Some(expected), "sm_{capability}, {usage:?}");
        }
    }

    #[test]
    fn impossible_kernels_and_unknown_architectures_have_no_occupancy() {
        let on = Multiprocessor::of(80).unwrap();
        for [threads, registers] in [[0, 32], [1025, 32], [32, 256]] {
            assert_eq!(Occupancy::of(&on, &Usage { threads, registers, shared: 0 }), None);
        }
        assert_eq!(Multiprocessor::of(70), None);
    }
}
