//! What is known of every launch that a module is made for.

use anywarp_backend::{BackendKind, Caps, DeviceKind, ResourceId};

/// The sizes of subgroups on devices that do not say.
const ANY_SUBGROUP: (u32, u32) = (1, 128);

/// What is known of every launch that a module is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The most bytes of a storage variable.
    pub binding_bytes: u64,
    /// The most workgroups in x, y and z, each at least 1.
    pub workgroups: [u32; 3],
    /// The fewest and the most invocations of a subgroup.
    pub subgroup_size: (u32, u32),
    /// Which loops are unrolled before a compiler gets the module.
    pub unrolling: Unrolling,
    /// Uniform variables, and those of their bytes that are always the same. Floats among them stay what they are:
    /// a compiler that knows them may round otherwise than a device.
    pub uniforms: Vec<(ResourceId, Vec<Option<u8>>)>,
    /// The bytes of `var<immediate>` that are always the same.
    pub immediate: Vec<Option<u8>>,
    /// Storage variables whose unsized array always has so many elements.
    pub lengths: Vec<(ResourceId, u32)>,
}

/// Which loops are unrolled before a compiler gets the module. The longer a text is, the longer compilers take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrolling {
    /// All of constant length that come to no more than a few thousand expressions: for the processor, and for CUDA.
    Full,
    /// Those in which that saves what drivers do not find by themselves, or costs nothing. Drivers of hardware unroll,
    /// but leave loops that are worth it: without ours, rounds of a hash take 1.45 times as long on an H200.
    Selective,
    /// Those that index arrays of the function, which may so become variables: software drivers unroll all others by
    /// themselves, and take long over long functions.
    ByCompiler,
}

impl Unrolling {
    /// What suits the compiler that a device has.
    fn of(caps: &Caps) -> Self {
        match (caps.backend, caps.kind) {
            // Cranelift unrolls nothing by itself; what NVRTC takes was never compared with anything.
            (BackendKind::Cpu | BackendKind::Cuda, _) => Self::Full,
            (_, DeviceKind::Software) => Self::ByCompiler,
            (BackendKind::Null, _) => Self::Full,
            _ => Self::Selective,
        }
    }
}

impl Circumstances {
    /// What a device's limits say of all its launches.
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
    /// Nothing: any launch that a device of any kind can make.
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
