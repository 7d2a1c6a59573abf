//! The estimated time of a kernel, by resource.

use super::Model;
use crate::backend::{ObservedKernel, ObservedSpace, Touch};

/// The bytes of a sector.
pub(super) const SECTOR: f64 = 32.0;

/// A resource of a GPU that a kernel may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resource {
    /// The transfer between device memory and the GPU.
    Memory,
    /// The cache that all multiprocessors share.
    Cache,
    /// The transfer of sectors between a multiprocessor and its cache.
    Sectors,
    /// The banks of workgroup memory.
    Banks,
    /// Atomics on the same word.
    Atomics,
    /// The issue of instructions.
    Instructions,
    /// Floating-point arithmetic.
    Float,
    /// Integer arithmetic.
    Integer,
    /// Divisions, roots and library functions.
    Special,
}

impl Resource {
    /// All resources, in the order of [`Estimate::seconds`].
    pub const ALL: [Self; 9] = [
        Self::Memory,
        Self::Cache,
        Self::Sectors,
        Self::Banks,
        Self::Atomics,
        Self::Instructions,
        Self::Float,
        Self::Integer,
        Self::Special,
    ];

    /// The name in listings, such as `device memory`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "device memory",
            Self::Cache => "shared cache",
            Self::Sectors => "sectors of the first cache",
            Self::Banks => "banks of workgroup memory",
            Self::Atomics => "atomics on one word",
            Self::Instructions => "instructions",
            Self::Float => "floating-point arithmetic",
            Self::Integer => "integer arithmetic",
            Self::Special => "divisions and library functions",
        }
    }
}

/// The estimated time of all dispatches of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The time in seconds for which each resource of [`Resource::ALL`] is in use.
    pub seconds: [f64; 9],
    /// The bytes that the kernel must read and write at least once: for each buffer, no more than its size for each
    /// dispatch, because what several workgroups read is in the cache.
    pub compulsory: f64,
    /// The bytes of the sectors that go through the shared cache: those that are read once for each workgroup, those
    /// that are written once for each request.
    pub transferred: f64,
    /// The floating-point operations.
    pub float: f64,
    /// The time of the launches in seconds.
    pub launches: f64,
}

impl Estimate {
    /// Estimates the time of a kernel.
    pub(super) fn of(kernel: &ObservedKernel, model: &Model) -> Self {
        let scale = scale(kernel);
        let mut estimate = Self {
            seconds: [0.0; 9],
            compulsory: 0.0,
            transferred: 0.0,
            float: kernel.mix.float as f64 * scale,
            launches: kernel.dispatches as f64 * model.launch,
        };
        for buffer in &kernel.buffers {
            let size = buffer.bytes as f64 * kernel.dispatches as f64;
            let [read, written] = [buffer.read, buffer.written].map(|sectors| sectors as f64 * SECTOR * scale);
            estimate.transferred += read;
            estimate.compulsory += read.min(size.max(SECTOR)) + written.min(size.max(SECTOR));
        }
        let cycles = model.cycles();
        let (mut sectors, mut banks, mut atomics) = (0.0, 0.0, 0.0);
        for access in &kernel.accesses {
            let counts = &access.counts[model.column()];
            match access.space {
                ObservedSpace::Workgroup => banks += counts.wavefronts as f64 * scale,
                ObservedSpace::Storage => {
                    sectors += cycles_of(counts.requests, counts.sectors, model) * scale;
                    if access.touch != Touch::Read {
                        // The first cache keeps what is read, but passes on each request that writes.
                        estimate.transferred += counts.sectors as f64 * SECTOR * scale;
                    }
                    atomics += counts.contention.saturating_sub(counts.requests) as f64 * scale;
                }
                _ => {}
            }
        }
        // Workgroup memory begins as zeros, which the kernel writes first, 32 words in a pass.
        banks += kernel.workgroups as f64 * f64::from(kernel.workgroup_bytes.div_ceil(128));
        let lanes = &kernel.lanes[model.column()];
        // Lanes that wait occupy the units of arithmetic like those that compute.
        let waste = lanes.issued as f64 / (lanes.executed as f64).max(1.0);
        let busy = |operations: u64, rate: f64| operations as f64 * scale * waste.max(1.0) / (rate * cycles);
        estimate.seconds = [
            estimate.compulsory / model.memory,
            estimate.transferred / model.cache,
            sectors / cycles,
            banks / cycles,
            // Atomics on one word take place one after the other, in the cache.
            atomics / model.clock,
            lanes.issued as f64 * scale / f64::from(model.warp) / (model.instructions * cycles),
            busy(kernel.mix.float, model.float),
            busy(kernel.mix.integer, model.integer),
            busy(kernel.mix.special, model.special),
        ];
        estimate
    }

    /// The time in seconds: that of the launches and of the resource that is longest in use.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.launches + self.seconds.iter().copied().fold(0.0, f64::max)
    }

    /// The resource that is longest in use.
    #[must_use]
    pub fn binding(&self) -> Resource {
        let longest = Resource::ALL.into_iter().zip(self.seconds).max_by(|one, other| one.1.total_cmp(&other.1));
        longest.map_or(Resource::Memory, |(resource, _)| resource)
    }

    /// The time for which a resource is in use, in seconds.
    #[must_use]
    pub fn of_resource(&self, resource: Resource) -> f64 {
        Resource::ALL.iter().position(|one| *one == resource).map_or(0.0, |index| self.seconds[index])
    }

    /// Adds seconds to the use of a resource.
    pub(super) fn add(&mut self, resource: Resource, seconds: f64) {
        if let Some(index) = Resource::ALL.iter().position(|one| *one == resource) {
            self.seconds[index] += seconds;
        }
    }

    /// The time that is saved if the use of some resources falls by these seconds.
    pub(super) fn saved(&self, less: &[(Resource, f64)]) -> f64 {
        let mut after = self.clone();
        for (resource, seconds) in less {
            if let Some(index) = Resource::ALL.iter().position(|one| one == resource) {
                after.seconds[index] = (after.seconds[index] - seconds).max(0.0);
            }
        }
        (self.time() - after.time()).max(0.0)
    }
}

/// By how much the counts of the observed workgroups are multiplied for all workgroups.
pub(super) fn scale(kernel: &ObservedKernel) -> f64 {
    if kernel.observed == 0 { 0.0 } else { kernel.workgroups as f64 / kernel.observed as f64 }
}

/// The cycles of a multiprocessor for requests that touch some sectors.
pub(super) fn cycles_of(requests: u64, sectors: u64, model: &Model) -> f64 {
    (sectors as f64 / model.sectors).max(requests as f64)
}
