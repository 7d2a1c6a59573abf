//! The capabilities of a GPU, from its attributes.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{
    BackendKind, Caps, CooperativeProduct, DeviceKind, Inbox, Limits, Persistent, Scalar, ScalarKind,
};

/// The oldest architecture that is supported: 75 for compute capability 7.5.
pub(crate) const OLDEST: u32 = 75;
/// The largest total size of uniforms and immediates passed as kernel parameters, in bytes. Every driver accepts 4 KiB
/// of parameters; the remaining 1 KiB is for addresses and counts.
pub(crate) const MAX_VALUES: u32 = 3 << 10;
/// The number of invocations of a subgroup: CUDA's warp.
const WARP: u32 = 32;

/// The attributes of a GPU, as the driver reports them.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) name: String,
    /// The versions of the driver and of its API.
    pub(crate) driver: String,
    /// The compute capability as a number: 90 for 9.0.
    pub(crate) architecture: u32,
    /// Device memory in bytes.
    pub(crate) memory: u64,
    /// The shared memory that one block may opt in to, in bytes.
    pub(crate) shared: u32,
    /// Whether the GPU shares the processor's memory.
    pub(crate) integrated: bool,
    /// Whether the GPU accesses the processor's memory through its own page tables.
    pub(crate) host_pages: bool,
    pub(crate) multiprocessors: u32,
    /// The number of threads that one multiprocessor runs at a time.
    pub(crate) resident: u32,
    /// Whether memory can be allocated and freed in stream order.
    pub(crate) pools: bool,
}

impl Card {
    /// Returns the capabilities of the GPU, before it is opened.
    pub(crate) fn caps(&self) -> Caps {
        let mut shader = Caps::known_features().iter().fold(Capabilities::empty(), |all, (flag, _)| all | *flag);
        if self.architecture < OLDEST {
            shader.remove(Capabilities::COOPERATIVE_MATRIX);
        }
        let mut caps = Caps::new(BackendKind::Cuda, self.name.as_str());
        caps.kind = if self.integrated { DeviceKind::Integrated } else { DeviceKind::Discrete };
        caps.driver = self.driver.clone();
        caps.memory = Some(self.memory);
        caps.unified = self.integrated || self.host_pages;
        caps.shader = shader;
        caps.subgroup_size = Some((WARP, WARP));
        caps.timestamps = true;
        caps.aliased_bindings = true;
        caps.cooperative = self.cooperative();
        caps.streams = crate::streams::state::NAMED_STREAMS;
        caps.library = crate::library::routines();
        // Some multiprocessors are left to other kernels.
        let max_residents = (self.multiprocessors - self.multiprocessors / 8).max(1);
        caps.persistent = Some(Persistent { inbox: Inbox::Host, max_residents });
        caps.multiprocessors = Some(self.multiprocessors);
        caps.limits = self.limits();
        caps
    }

    /// Returns the matrix products that tensor cores compute. Other products are computed by ordinary arithmetic.
    fn cooperative(&self) -> Vec<CooperativeProduct> {
        let float = |width| Scalar { kind: ScalarKind::Float, width };
        let of_halves = |sums| CooperativeProduct { size: 16, factors: float(2), sums: float(sums) };
        if self.architecture < OLDEST { Vec::new() } else { [2, 4].map(of_halves).to_vec() }
    }

    fn limits(&self) -> Limits {
        let mut ours = Limits::webgpu();
        ours.buffer_size = self.memory;
        ours.storage_binding_size = self.memory;
        ours.uniform_binding_size = 64 << 10;
        ours.storage_buffers = 64;
        ours.uniform_buffers = 64;
        ours.bind_groups = 16;
        ours.bindings_per_group = 1000;
        // A multiple of 16 bytes, because a vector of four 32-bit components is loaded with one instruction.
        ours.storage_offset_alignment = 16;
        ours.uniform_offset_alignment = 16;
        ours.workgroup_storage = self.shared;
        ours.workgroup_invocations = 1024;
        ours.workgroup_size = [1024, 1024, 64];
        // The limit is one below the largest `u32`, so that a count above the limit can be expressed. For grids that
        // CUDA cannot launch, blocks loop over workgroups.
        ours.workgroups_per_dimension = u32::MAX - 1;
        ours.immediate_size = 1024;
        ours
    }
}

/// Returns the capabilities of a typical GPU of a compute capability (90 for 9.0), for translating on a machine without
/// such a GPU.
#[must_use]
pub fn caps_of(architecture: u32) -> Caps {
    let card = Card {
        name: format!("an NVIDIA GPU of compute capability {}.{}", architecture / 10, architecture % 10),
        driver: "none".to_owned(),
        architecture,
        memory: 16 << 30,
        shared: shared_of(architecture),
        integrated: false,
        host_pages: false,
        multiprocessors: 80,
        resident: if architecture == 75 { 1024 } else { 1536 },
        pools: true,
    };
    let mut caps = card.caps();
    caps.library = Vec::new();
    caps
}

/// Returns the shared memory available to one block: CUDA C++ programming guide, "technical specifications per compute
/// capability".
fn shared_of(architecture: u32) -> u32 {
    let kibibytes = match architecture {
        ..80 => 64,
        80..86 | 87 => 163,
        86..90 => 99,
        90..120 => 227,
        _ => 99,
    };
    kibibytes << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_is_not_there_can_be_translated_for() {
        let caps = caps_of(90);
        assert_eq!((caps.backend, caps.limits.workgroup_storage, caps.unified), (BackendKind::Cuda, 227 << 10, false));
        assert_eq!(caps.feature_names().len(), Caps::known_features().len());
        assert!(!caps_of(61).shader.contains(Capabilities::COOPERATIVE_MATRIX));
    }
}
