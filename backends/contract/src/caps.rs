//! The properties of a device, as values.

use naga::valid::Capabilities;

use crate::{BackendKind, CopyCost, Routine, Scalar};

/// The kind of hardware that a device consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU of a virtual machine.
    Virtual,
    /// A device whose kind the driver does not report.
    Other,
    /// Software that runs on the processor.
    Software,
}

impl std::fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}

/// The limits that every launch must respect. Sizes are in bytes.
///
/// ```
/// use anywarp_backend::Limits;
///
/// let mut limits = Limits::webgpu();
/// limits.immediate_size = 64;
/// assert_eq!(limits.workgroup_invocations, 256);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest single allocation in bytes.
    pub buffer_size: u64,
    /// The largest range in bytes that is bound to a storage variable.
    pub storage_binding_size: u64,
    /// The largest range in bytes that is bound to a uniform variable.
    pub uniform_binding_size: u64,
    /// The largest number of storage variables in one kernel.
    pub storage_buffers: u32,
    /// The largest number of uniform variables in one kernel.
    pub uniform_buffers: u32,
    /// The number of bind groups: every `@group` is below this number.
    pub bind_groups: u32,
    /// The number of bindings in one group: every `@binding` is below this number.
    pub bindings_per_group: u32,
    /// The offset of a storage binding must be a multiple of this number of bytes.
    pub storage_offset_alignment: u32,
    /// The offset of a uniform binding must be a multiple of this number of bytes.
    pub uniform_offset_alignment: u32,
    /// The largest workgroup memory of one kernel in bytes.
    pub workgroup_storage: u32,
    /// The largest number of invocations in one workgroup.
    pub workgroup_invocations: u32,
    /// The largest extents of a workgroup in x, y and z, in invocations.
    pub workgroup_size: [u32; 3],
    /// The largest number of workgroups in each dimension of one dispatch; a launch of more is spread over several
    /// dimensions.
    pub workgroups_per_dimension: u32,
    /// The largest size of `var<immediate>` in bytes; 0 where kernels may have no such variable.
    pub immediate_size: u32,
}

/// A product of cooperative matrices, `a * b + c`, as WGSL's `coopMultiplyAdd` computes it: `a`, `b` and `c` have
/// `size` rows and `size` columns each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CooperativeProduct {
    /// The number of rows, and of columns, of each matrix: 8 or 16.
    pub size: u32,
    /// The type of the elements of `a` and `b`.
    pub factors: Scalar,
    /// The type of the elements of `c` and of the result.
    pub sums: Scalar,
}

/// The memory in which the inbox of a resident kernel lies at least; whether a device has
/// [`MemoryKind::Inbox`](crate::MemoryKind::Inbox) shows in its allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Inbox {
    /// Memory of the host, which the kernel reads: over the bus where the device has memory of its own.
    Host,
}

impl std::fmt::Display for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Host => "host memory",
        })
    }
}

/// The support for resident kernels: dispatches that run until the host stops them, and that exchange words with the
/// host meanwhile. See [`Recording::resident`](crate::Recording::resident).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Persistent {
    /// The memory in which the words that the host writes lie.
    pub inbox: Inbox,
    /// The largest number of workgroups of one resident dispatch.
    pub max_residents: u32,
}

/// The identity and the capabilities of a device.
///
/// ```
/// use anywarp_backend::{BackendKind, Caps};
///
/// let mut caps = Caps::new(BackendKind::Null, "a device for tests");
/// caps.limits.workgroup_invocations = 1024;
/// assert!(!caps.unified);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Caps {
    /// The name of the hardware, as the driver gives it.
    pub name: String,
    /// The interface through which the device is used.
    pub backend: BackendKind,
    /// The kind of hardware.
    pub kind: DeviceKind,
    /// Driver name and version.
    pub driver: String,
    /// Device memory in bytes, where the driver reports it.
    pub memory: Option<u64>,
    /// Whether host and device share one memory that the host can read fast: buffers need no copies.
    pub unified: bool,
    /// The WGSL features that kernels may use.
    pub shader: Capabilities,
    /// Smallest and largest number of invocations in a subgroup; `None` without subgroups.
    pub subgroup_size: Option<(u32, u32)>,
    /// Whether kernels are timed by the device's own clock.
    pub timestamps: bool,
    /// Whether two bindings of one dispatch may use the same allocation while one of them is written.
    pub aliased_bindings: bool,
    /// Whether products are to be fused with sums before the device receives a kernel: `fma` is one instruction, and the
    /// compiler of the device does not fuse by itself.
    pub fused: bool,
    /// Whether the device looks for mistakes in kernels while they run; [`Ticket::findings`](crate::Ticket::findings)
    /// then returns the mistakes that it has found.
    pub checked: bool,
    /// Whether the device counts the memory accesses and branches of kernels while they run;
    /// [`Ticket::observations`](crate::Ticket::observations) then returns the counts.
    pub observed: bool,
    /// The number of streams whose work may run at the same time; at least 1.
    pub streams: u32,
    /// The number of parts that run workgroups independently of each other: streaming multiprocessors, or threads of a
    /// processor; `None` where the driver does not report it.
    pub multiprocessors: Option<u32>,
    /// The cost of copies between host and device, measured when the device was opened; this cost decides which
    /// neighbouring ranges are copied together. `None`, which stands for [`CopyCost::default`], for a device that needs
    /// no copies, is not open or allows no measurement, as in a browser.
    pub copy_cost: Option<CopyCost>,
    /// Whether a host thread can block until submitted work has ended: false in a browser.
    pub blocking: bool,
    /// The products of cooperative matrices that the device can compute; each matrix has 16 x 16 or 8 x 8 elements.
    pub cooperative: Vec<CooperativeProduct>,
    /// The routines of the device's library that a [`Command::Library`](crate::Command::Library) for this device may
    /// call. A call of another one is refused with an error that names it.
    pub library: Vec<Routine>,
    /// The support for resident kernels; `None` where host and running kernel cannot exchange words.
    pub persistent: Option<Persistent>,
    /// The limits that every launch must respect.
    pub limits: Limits,
}

impl Caps {
    /// Returns the properties of a device with memory of its own, the limits of [`Limits::webgpu`] and no optional
    /// feature; a backend then sets those that differ.
    #[must_use]
    pub fn new(backend: BackendKind, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            backend,
            kind: DeviceKind::Other,
            driver: String::new(),
            memory: None,
            unified: false,
            shader: Capabilities::empty(),
            subgroup_size: None,
            timestamps: false,
            aliased_bindings: false,
            fused: false,
            checked: false,
            observed: false,
            streams: 1,
            multiprocessors: None,
            copy_cost: None,
            blocking: true,
            cooperative: Vec::new(),
            library: Vec::new(),
            persistent: None,
            limits: Limits::webgpu(),
        }
    }

    /// Returns the names of the device's optional WGSL features, in a stable order.
    #[must_use]
    pub fn feature_names(&self) -> Vec<&'static str> {
        FEATURES.iter().filter(|(flag, _)| self.shader.contains(*flag)).map(|(_, name)| *name).collect()
    }
}

/// Optional features of compute WGSL, with the names that errors and listings use.
pub(crate) const FEATURES: &[(Capabilities, &str)] = &[
    (Capabilities::SHADER_FLOAT16, "f16"),
    (Capabilities::SHADER_FLOAT16_IN_FLOAT32, "quantizeToF16"),
    (Capabilities::SHADER_INT16, "i16"),
    (Capabilities::SHADER_INT64, "i64"),
    (Capabilities::FLOAT64, "f64"),
    (Capabilities::SUBGROUP, "subgroups"),
    (Capabilities::SUBGROUP_BARRIER, "subgroup_barrier"),
    (Capabilities::SHADER_FLOAT32_ATOMIC, "f32_atomics"),
    (Capabilities::SHADER_INT64_ATOMIC_MIN_MAX, "i64_atomic_min_max"),
    (Capabilities::SHADER_INT64_ATOMIC_ALL_OPS, "i64_atomics"),
    (Capabilities::IMMEDIATES, "immediates"),
    (Capabilities::COOPERATIVE_MATRIX, "cooperative_matrix"),
    (Capabilities::MEMORY_DECORATION_COHERENT, "coherent"),
    (Capabilities::MEMORY_DECORATION_VOLATILE, "volatile"),
];

impl Caps {
    /// Every optional feature that a compute kernel can ask for, with its name.
    pub fn known_features() -> &'static [(Capabilities, &'static str)] {
        FEATURES
    }
}
