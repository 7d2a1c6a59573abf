//! The facts that hold for every launch of a module.

use anywarp_backend::{BackendKind, Caps, DeviceKind, ResourceId};

/// The minimum and the maximum subgroup size, in invocations, that are assumed for devices that do not report them.
const ANY_SUBGROUP: (u32, u32) = (1, 128);

/// The facts that hold for every launch of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The maximum size of a storage binding, in bytes.
    pub binding_bytes: u64,
    /// The maximum number of workgroups in x, y and z, each at least 1.
    pub workgroups: [u32; 3],
    /// The minimum and the maximum number of invocations in a subgroup.
    pub subgroup_size: (u32, u32),
    /// The loops that are unrolled before the module is passed to a compiler.
    pub unrolling: Unrolling,
    /// Uniform variables, each with its bytes; bytes that may differ between launches are `None`. Floats never become
    /// constants, because a compiler may round differently from the device.
    pub uniforms: Vec<(ResourceId, Vec<Option<u8>>)>,
    /// The bytes of `var<immediate>`; bytes that may differ between launches are `None`.
    pub immediate: Vec<Option<u8>>,
    /// Storage variables whose runtime-sized array has the same number of elements in every launch, with this number.
    pub lengths: Vec<(ResourceId, u32)>,
}

/// The loops that are unrolled before the module is passed to a compiler. Longer code takes longer to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrolling {
    /// All loops of constant length that unroll to at most a few thousand expressions. For the CPU backend and CUDA.
    Full,
    /// Loops whose unrolling saves work that drivers do not save, or adds almost no code. Drivers of GPUs unroll loops
    /// too, but not every loop that unrolling makes faster: the rounds of a hash take 1.45 times as long on an H200
    /// without our unrolling.
    Selective,
    /// Loops that index local array variables of the function, so that these arrays may become scalar variables.
    /// Software drivers unroll all other loops themselves, and compile long functions slowly.
    ByCompiler,
}

impl Unrolling {
    /// The loops to unroll for the compiler of a device.
    fn of(caps: &Caps) -> Self {
        match (caps.backend, caps.kind) {
            // Cranelift does not unroll loops. For NVRTC, the other variants were never measured.
            (BackendKind::Cpu | BackendKind::Cuda, _) => Self::Full,
            (_, DeviceKind::Software) => Self::ByCompiler,
            (BackendKind::Null, _) => Self::Full,
            _ => Self::Selective,
        }
    }
}

impl Circumstances {
    /// The facts that follow from the limits of a device.
    #[must_use]
    pub fn of(caps: &Caps) -> Self {
        Self {
            binding_bytes: caps.limits.storage_binding_size,
            workgroups: [caps.limits.workgroups_per_dimension.max(1); 3],
            subgroup_size: caps.subgroup_size.map_or(ANY_SUBGROUP, |(least, most)| (least.max(1), most.max(1))),
            unrolling: Unrolling::of(caps),
            uniforms: Vec::new(),
            immediate: Vec::new(),
            lengths: Vec::new(),
        }
    }
}

impl Default for Circumstances {
    /// Returns circumstances without any facts, for any launch on any device.
    fn default() -> Self {
        Self {
            binding_bytes: u64::from(u32::MAX),
            workgroups: [u32::MAX; 3],
            subgroup_size: ANY_SUBGROUP,
            unrolling: Unrolling::Full,
            uniforms: Vec::new(),
            immediate: Vec::new(),
            lengths: Vec::new(),
        }
    }
}
