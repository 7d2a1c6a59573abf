//! Findings of the inspector.

use std::sync::Arc;

use super::{Change, Resource};
use crate::backend::Spot;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// The lanes of a warp access more sectors of memory than their bytes need.
    Scattered,
    /// The lanes of a warp access different words of the same bank of workgroup memory.
    BankConflict,
    /// Lanes wait while others of their warp are in a branch.
    DivergentBranch,
    /// Lanes that have left a loop wait for others of their warp.
    UnevenLoop,
    /// Many lanes of a warp use an atomic on the same word.
    Contention,
    /// The dispatch has fewer workgroups than the GPU has multiprocessors.
    FewWorkgroups,
    /// The compiler keeps registers in memory, because an invocation needs more than it may have.
    Spilled,
    /// All invocations read the same few places of a storage buffer again and again.
    UniformLoad,
    /// The device checks an index in a hot loop.
    Checked,
}

impl Problem {
    /// The name in listings: `scattered-access`, `bank-conflict`, `divergent-branch`, `uneven-loop`,
    /// `atomic-contention`, `few-workgroups`, `spilled-registers`, `uniform-load`, `checked-index`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scattered => "scattered-access",
            Self::BankConflict => "bank-conflict",
            Self::DivergentBranch => "divergent-branch",
            Self::UnevenLoop => "uneven-loop",
            Self::Contention => "atomic-contention",
            Self::FewWorkgroups => "few-workgroups",
            Self::Spilled => "spilled-registers",
            Self::UniformLoad => "uniform-load",
            Self::Checked => "checked-index",
        }
    }
}

/// One finding: a place of a kernel that may make it slow.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspicion {
    /// The kind.
    pub problem: Problem,
    /// The kernel: file and entry point.
    pub kernel: Arc<str>,
    /// The position in the source.
    pub at: Spot,
    /// The variable, or the access as written for checks; empty where there is none.
    pub variable: Arc<str>,
    /// The counted value: sectors or wavefronts per request, lanes per atomic, the percentage of lane instructions that
    /// are lost or that are checks, workgroups, bytes of spilled registers, or loads of an invocation.
    pub value: f64,
    /// The value without the problem.
    pub ideal: f64,
    /// The resource that the problem occupies.
    pub resource: Resource,
    /// The time in seconds for which it occupies the resource without need.
    pub wasted: f64,
    /// The estimated time in seconds that a fix saves in all dispatches; 0 if another resource is in use for longer.
    pub gain: f64,
    /// The share of the kernel's estimated time that a fix saves, from 0 to 1.
    pub share: f64,
    /// The fix, in words.
    pub help: String,
    /// The lines that the fix changes, where that is mechanical; found by
    /// [`Report::add_source`](super::Report::add_source).
    pub changes: Vec<Change>,
}

impl Suspicion {
    /// The order of findings: by gain, then by the wasted time.
    pub(super) fn rank(&self) -> f64 {
        self.gain + self.wasted * 1e-3
    }

    /// The finding in one sentence.
    #[must_use]
    pub fn headline(&self) -> String {
        let Self { value, ideal, .. } = self;
        let name = if self.variable.is_empty() { "a value" } else { &*self.variable };
        match self.problem {
            Problem::Scattered => {
                format!("each request to '{name}' touches {value:.1} sectors of 32 bytes where {ideal:.1} would do")
            }
            Problem::BankConflict => {
                format!("each request to '{name}' takes {value:.1} passes over the banks where {ideal:.1} would do")
            }
            Problem::DivergentBranch => format!("{value:.0} % of the kernel's lane instructions wait for this branch"),
            Problem::UnevenLoop => {
                format!("{value:.0} % of the kernel's lane instructions wait for the longest run of this loop")
            }
            Problem::Contention => format!("{value:.1} lanes of a warp update the same word of '{name}' at once"),
            Problem::FewWorkgroups => {
                format!("{value:.0} workgroups a dispatch leave most of {ideal:.0} multiprocessors idle")
            }
            Problem::Checked => {
                format!("about {value:.0} % of the kernel's instructions check whether '{name}' is in range")
            }
            Problem::UniformLoad => {
                format!("each invocation reads '{name}' {value:.1} times here, in the same places as all others")
            }
            Problem::Spilled => {
                format!("an invocation stores and loads {value:.0} bytes of registers that do not fit into its own")
            }
        }
    }
}
