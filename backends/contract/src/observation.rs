//! Counts of an observed device: how the kernels that it runs access memory, and where their invocations diverge.

mod counts;
mod merge;

use std::sync::Arc;

pub use counts::{BranchCounts, LaneCounts, Mix, RequestCounts};

use crate::{Spot, Touch};

/// The numbers of invocations per warp for which an observed device counts; arrays of counts are in this order.
///
/// A warp is the group of invocations that a GPU executes in lockstep: 32 on NVIDIA, 32 or 64 on AMD, 8 to 32 on Intel.
pub const WARP_SIZES: [u32; 4] = [8, 16, 32, 64];

/// The memory of an access site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ObservedSpace {
    /// A storage buffer.
    Storage,
    /// A uniform buffer.
    Uniform,
    /// Workgroup memory.
    Workgroup,
}

impl ObservedSpace {
    /// The name in listings: `storage`, `uniform`, `workgroup`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Uniform => "uniform",
            Self::Workgroup => "workgroup",
        }
    }
}

/// The accesses at one place of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedAccess {
    /// The position in the source.
    pub at: Spot,
    /// The variable, as a path without indices: `tile`, `params.values`.
    pub variable: Arc<str>,
    /// The accessed memory.
    pub space: ObservedSpace,
    /// The kind of access.
    pub touch: Touch,
    /// The bytes that one invocation accesses.
    pub bytes: u32,
    /// The distance in bytes from invocation to invocation of a warp; `None` if it differs from place to place.
    pub stride: Option<i64>,
    /// The offsets in the variable's memory of the first byte that was accessed, and of the end of the last one; in
    /// long loops, those of the first iterations.
    pub extent: [u64; 2],
    /// Whether all observed invocations of a dispatch access the same bytes in the same iteration of the loops around
    /// the place.
    pub common: bool,
    /// The invocations that made the access, in all workgroups that were observed. The counts below cover the first
    /// iterations of long loops; this number covers all.
    pub invocations: u64,
    /// The counts for each of [`WARP_SIZES`].
    pub counts: [RequestCounts; 4],
}

/// A branch or a loop of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedBranch {
    /// The position in the source.
    pub at: Spot,
    /// Whether it is a loop.
    pub is_loop: bool,
    /// The counts for each of [`WARP_SIZES`].
    pub counts: [BranchCounts; 4],
}

/// The use of one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedBuffer {
    /// The variable.
    pub name: Arc<str>,
    /// The size in bytes of the part that is bound, as far as the type of the variable tells it.
    pub bytes: u64,
    /// The different sectors of 32 bytes that each workgroup reads, summed over the observed workgroups.
    pub read: u64,
    /// The different sectors that each workgroup writes; an atomic counts as a read and a write.
    pub written: u64,
}

/// The counts of all dispatches of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedKernel {
    /// The kernel: file and entry point.
    pub kernel: Arc<str>,
    /// The invocations of a workgroup along each axis.
    pub workgroup_size: [u32; 3],
    /// The bytes of workgroup memory that the kernel declares.
    pub workgroup_bytes: u32,
    /// The dispatches.
    pub dispatches: u64,
    /// The workgroups of all dispatches.
    pub workgroups: u64,
    /// The workgroups that were observed; counts are of these only.
    pub observed: u64,
    /// The buffers that observed workgroups accessed, in the order of the bindings.
    pub buffers: Vec<ObservedBuffer>,
    /// The access sites, in the order of the source.
    pub accesses: Vec<ObservedAccess>,
    /// The branches and loops, in the order of the source.
    pub branches: Vec<ObservedBranch>,
    /// The instructions of all lanes, for each of [`WARP_SIZES`].
    pub lanes: [LaneCounts; 4],
    /// The operations of all observed invocations.
    pub mix: Mix,
}

/// The counts of an observed device: one entry for each kernel that ran, in the order of their first dispatches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    kernels: Vec<ObservedKernel>,
}

impl Observations {
    /// Adds the counts of a kernel to those of the same kernel, if there are any.
    pub fn add(&mut self, kernel: ObservedKernel) {
        let same = |known: &&mut ObservedKernel| {
            known.kernel == kernel.kernel && known.workgroup_size == kernel.workgroup_size
        };
        match self.kernels.iter_mut().find(same) {
            Some(known) => known.merge(kernel),
            None => self.kernels.push(kernel),
        }
    }

    /// Adds all counts of `others`.
    pub fn extend(&mut self, others: Self) {
        others.kernels.into_iter().for_each(|kernel| self.add(kernel));
    }

    /// The kernels.
    pub fn iter(&self) -> std::slice::Iter<'_, ObservedKernel> {
        self.kernels.iter()
    }

    /// Whether no kernel was observed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }
}

impl<'a> IntoIterator for &'a Observations {
    type Item = &'a ObservedKernel;
    type IntoIter = std::slice::Iter<'a, ObservedKernel>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
