//! How many workgroups a multiprocessor of NVIDIA can hold.

/// The resources that a workgroup uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Usage {
    /// The invocations of the workgroup.
    pub invocations: u32,
    /// The registers of an invocation.
    pub registers: u32,
    /// The bytes of workgroup memory.
    pub workgroup_bytes: u32,
}

/// The limit on the number of workgroups that a multiprocessor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limiter {
    /// The number of warps.
    Warps,
    /// The number of workgroups.
    Workgroups,
    /// The registers.
    Registers,
    /// The workgroup memory.
    WorkgroupMemory,
}

impl Limiter {
    /// The name in listings: `warps`, `workgroups`, `registers`, `workgroup memory`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Workgroups => "workgroups",
            Self::Registers => "registers",
            Self::WorkgroupMemory => "workgroup memory",
        }
    }
}

/// The workgroups that a multiprocessor holds at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupancy {
    /// The workgroups of a multiprocessor; 0 if one needs more than it has.
    pub workgroups: u32,
    /// The share of the multiprocessor's warps that they fill, from 0 to 1.
    pub share: f64,
    /// The limit that is reached first.
    pub limiter: Limiter,
}

/// Compute capability, warps, workgroups, KB of shared memory of a multiprocessor, bytes reserved for each workgroup.
type Row = ((u32, u32), u32, u32, u32, u32);

/// Source: the table of technical specifications in NVIDIA's CUDA C++ programming guide, and `cuda_occupancy.h`.
const CARDS: &[Row] = &[
    ((7, 5), 32, 16, 64, 0),
    ((8, 0), 64, 32, 164, 1024),
    ((8, 6), 48, 16, 100, 1024),
    ((8, 7), 48, 16, 164, 1024),
    ((8, 9), 48, 24, 100, 1024),
    ((9, 0), 64, 32, 228, 1024),
    ((10, 0), 64, 32, 228, 1024),
    ((10, 3), 64, 32, 228, 1024),
    ((11, 0), 48, 24, 228, 1024),
    ((12, 0), 48, 24, 100, 1024),
    ((12, 1), 48, 24, 100, 1024),
];

/// The same for all these cards: the registers of a quarter of a multiprocessor, the registers that are allocated to a
/// warp at once, and the most that an invocation may use.
const QUARTER: u32 = 16_384;
const REGISTER_STEP: u32 = 256;
const MOST_REGISTERS: u32 = 255;

impl Occupancy {
    /// Returns the occupancy on a card of this compute capability; `None` for an unknown card.
    ///
    /// The largest division of memory between workgroup memory and cache is assumed, as the driver chooses it if that
    /// lets more workgroups run.
    ///
    /// ```
    /// use anywarp::insight::{Limiter, Occupancy, Usage};
    ///
    /// let usage = Usage { invocations: 256, registers: 64, workgroup_bytes: 16 << 10 };
    /// let occupancy = Occupancy::on((9, 0), usage).expect("a known card");
    /// assert_eq!((occupancy.workgroups, occupancy.limiter), (4, Limiter::Registers));
    /// assert_eq!(occupancy.share, 0.5);
    /// ```
    #[must_use]
    pub fn on(capability: (u32, u32), usage: Usage) -> Option<Self> {
        let (_, warps, blocks, kilobytes, reserved) = *CARDS.iter().find(|row| row.0 == capability)?;
        let each = usage.invocations.div_ceil(32).max(1);
        let of_warp = (usage.registers.clamp(1, MOST_REGISTERS) * 32).next_multiple_of(REGISTER_STEP);
        let by_registers = if usage.registers > MOST_REGISTERS { 0 } else { QUARTER / of_warp * 4 / each };
        let bytes = usage.workgroup_bytes.saturating_add(reserved);
        // One workgroup may use all but what is reserved for it.
        let by_memory = match bytes.checked_next_multiple_of(memory_step(capability)) {
            Some(bytes) => (kilobytes * 1024).checked_div(bytes).unwrap_or(u32::MAX),
            None => 0,
        };
        let limits = [
            (Limiter::Warps, warps / each),
            (Limiter::Workgroups, blocks),
            (Limiter::Registers, by_registers),
            (Limiter::WorkgroupMemory, by_memory),
        ];
        let (limiter, workgroups) = limits.into_iter().min_by_key(|(_, count)| *count)?;
        Some(Self { workgroups, share: f64::from(workgroups * each) / f64::from(warps), limiter })
    }

    /// Returns the largest number of registers with which one more workgroup fits; `None` if registers are not the limit
    /// or no number suffices.
    #[must_use]
    pub fn registers_for_one_more(capability: (u32, u32), usage: Usage) -> Option<u32> {
        let now = Self::on(capability, usage).filter(|now| now.limiter == Limiter::Registers)?;
        let more = |registers: &u32| {
            Self::on(capability, Usage { registers: *registers, ..usage })
                .is_some_and(|other| other.workgroups > now.workgroups)
        };
        (1..usage.registers.min(MOST_REGISTERS + 1)).rev().find(more)
    }

    /// Returns the largest number of bytes of workgroup memory with which one more workgroup fits; `None` if workgroup
    /// memory is not the limit or no number suffices.
    ///
    /// ```
    /// use anywarp::insight::{Occupancy, Usage};
    ///
    /// let usage = Usage { invocations: 128, registers: 32, workgroup_bytes: 48 << 10 };
    /// // 100 KB for two workgroups, 1 KB of each reserved.
    /// assert_eq!(Occupancy::on((8, 9), usage).map(|now| now.workgroups), Some(2));
    /// assert_eq!(Occupancy::bytes_for_one_more((8, 9), usage), Some(33_024));
    /// ```
    #[must_use]
    pub fn bytes_for_one_more(capability: (u32, u32), usage: Usage) -> Option<u32> {
        let now = Self::on(capability, usage).filter(|now| now.limiter == Limiter::WorkgroupMemory)?;
        let (_, _, _, kilobytes, reserved) = *CARDS.iter().find(|row| row.0 == capability)?;
        let step = memory_step(capability);
        let each = kilobytes * 1024 / (now.workgroups + 1);
        let more = |workgroup_bytes: &u32| {
            Self::on(capability, Usage { workgroup_bytes: *workgroup_bytes, ..usage })
                .is_some_and(|other| other.workgroups > now.workgroups)
        };
        (each - each % step).checked_sub(reserved).filter(more)
    }
}

/// The bytes of shared memory that are allocated at once.
fn memory_step(capability: (u32, u32)) -> u32 {
    if capability == (7, 5) { 256 } else { 128 }
}
