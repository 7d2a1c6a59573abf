//! A kernel as the compiler for a GPU of NVIDIA makes it.

use std::fmt;

use super::{Limiter, Occupancy, Usage};

/// The resources of a kernel on a compute capability of NVIDIA, as the compiler for it reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compiled {
    /// The compute capability: (9, 0) for `sm_90`.
    pub capability: (u32, u32),
    /// The resources of a workgroup.
    pub usage: Usage,
    /// Bytes of private memory of an invocation: spilled registers, and arrays with computed indices.
    pub private_bytes: u32,
    /// Bytes of spilled registers that the instructions of an invocation store and load.
    pub spilled_bytes: u32,
}

impl Compiled {
    /// The occupancy; `None` for an unknown compute capability.
    #[must_use]
    pub fn occupancy(&self) -> Option<Occupancy> {
        Occupancy::on(self.capability, self.usage)
    }

    /// The change that lets one more workgroup fit, in words.
    fn next_step(&self, occupancy: Occupancy) -> Option<String> {
        let (usage, what) = match occupancy.limiter {
            Limiter::Registers => {
                let registers = Occupancy::registers_for_one_more(self.capability, self.usage)?;
                (Usage { registers, ..self.usage }, format!("{registers} registers"))
            }
            Limiter::WorkgroupMemory => {
                let workgroup_bytes = Occupancy::bytes_for_one_more(self.capability, self.usage)?;
                (Usage { workgroup_bytes, ..self.usage }, format!("{workgroup_bytes} bytes of workgroup memory"))
            }
            _ => return None,
        };
        let next = Occupancy::on(self.capability, usage)?;
        Some(format!("with {what}, {} workgroups and {:.0} %", next.workgroups, next.share * 100.0))
    }
}

/// One line: resources, occupancy, its limit, and what a little less of it would give.
impl fmt::Display for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Usage { registers, workgroup_bytes, .. } = self.usage;
        let (major, minor) = self.capability;
        write!(f, "sm_{major}{minor}: {registers} registers, {workgroup_bytes} bytes of workgroup memory")?;
        if self.spilled_bytes > 0 {
            write!(f, ", {} bytes of registers spilled", self.spilled_bytes)?;
        }
        let Some(occupancy) = self.occupancy() else {
            return write!(f, "; the occupancy of sm_{major}{minor} is not known");
        };
        let (workgroups, share, limiter) = (occupancy.workgroups, occupancy.share * 100.0, occupancy.limiter.name());
        if workgroups == 0 {
            return write!(f, "; no workgroup fits into a multiprocessor, limited by {limiter}");
        }
        write!(f, "; {workgroups} workgroups in a multiprocessor, {share:.0} % of its warps, limited by {limiter}")?;
        self.next_step(occupancy).map_or(Ok(()), |step| write!(f, "; {step}"))
    }
}
