//! One entry point, ready for a backend to compile.

use std::fmt;
use std::sync::Arc;

use crate::{Checks, Layout, Proofs, Source, Validated};

/// The id of one compiled kernel of one device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(pub u64);

impl fmt::Debug for KernelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}", self.0)
    }
}

/// `@group(group) @binding(binding)` of a WGSL variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId {
    /// The number of the bind group.
    pub group: u32,
    /// The number of the binding within the group.
    pub binding: u32,
}

/// Whether a command only reads a region of memory, or may also write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The command only reads the region.
    Read,
    /// The command may read and write the region.
    Write,
}

/// The address space of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingClass {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    ReadOnlyStorage,
    /// `var<storage, read_write>`
    Storage,
}

/// One buffer variable that an entry point uses.
#[derive(Clone, Debug)]
pub struct BindingInfo {
    /// The variable's name in the WGSL.
    pub name: String,
    /// The variable's group and binding.
    pub resource: ResourceId,
    /// The variable's address space.
    pub class: BindingClass,
    /// The access of the entry point, and of all functions that it calls, to the variable.
    pub access: Access,
    /// The variable's type.
    pub layout: Layout,
}

/// One entry point of a naga module: specialised (no overrides left), valid, reflected.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name that errors and profiles use: file and entry point.
    pub name: Arc<str>,
    /// The module, compacted to what the entry point uses.
    pub module: Validated,
    /// The entry point's name in the module.
    pub entry_point: String,
    /// Invocations of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// The buffer variables that the entry point uses, sorted by group and binding: a dispatch has one
    /// [`Bound`](crate::Bound) for each variable, in this order.
    pub bindings: Vec<BindingInfo>,
    /// The name and type of the `var<immediate>` variable, if the entry point uses one.
    pub immediate: Option<(String, Layout)>,
    /// The workgroup memory that one workgroup needs, in bytes.
    pub workgroup_storage: u32,
    /// The text that the program was made from, for diagnostics that quote a source line; `None` for a module built in
    /// code.
    pub source: Option<Arc<Source>>,
    /// The permissions that the author of the kernel gives to the backend.
    pub leave: Leave,
    /// The facts proven about `module`, with which a backend may omit checks under [`Checks::Proven`]; `None` if the
    /// module was not analysed.
    pub proofs: Option<Arc<Proofs>>,
}

/// The permissions that the author of a kernel gives to a backend: to omit checks, and to compute less accurately. The
/// default gives none.
///
/// A backend need not use a permission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Leave {
    /// The checks of indices and divisors, and the limits of loops, that the kernel is compiled with.
    pub checks: Checks,
    /// Whether `f32` arithmetic may be less accurate than WGSL requires: quotients, roots and functions may be
    /// approximated, and subnormal numbers become zero.
    pub fast_math: bool,
}

/// A compiled program: the id of its kernel, and the hardware resources that the kernel uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Compilation {
    /// The id by which dispatches name the kernel.
    pub kernel: KernelId,
    /// The hardware resources that the kernel uses, where the device reports them.
    pub resources: Option<KernelResources>,
}

/// The hardware resources that a compiled kernel uses, and the parallelism that they allow.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct KernelResources {
    /// Registers of 32 bits per invocation.
    pub registers: u32,
    /// The workgroup memory that is allocated for one workgroup, in bytes.
    pub workgroup_bytes: u32,
    /// Private memory per invocation in bytes: arrays that are indexed dynamically, and spilled registers.
    pub private_bytes: u32,
    /// Bytes of spilled registers, where the compiler reports them.
    pub spilled_bytes: Option<u32>,
    /// The largest possible workgroup of this kernel, in invocations.
    pub max_invocations: u32,
    /// The number of workgroups of this kernel that one multiprocessor runs at a time.
    pub workgroups_per_multiprocessor: u32,
    /// Invocations that run on one multiprocessor at a time, as a share of its maximum: 0 to 1.
    pub occupancy: f32,
}
