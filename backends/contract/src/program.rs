//! One entry point, ready for a backend.

use std::fmt;
use std::sync::Arc;

use crate::{Checks, Layout, Proofs, Source, Validated};

/// One compiled kernel of one device.
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
    /// The bind group.
    pub group: u32,
    /// The binding within the group.
    pub binding: u32,
}

/// The access of a command to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only reads it.
    Read,
    /// May read and write it.
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

/// One variable that the entry point uses.
#[derive(Clone, Debug)]
pub struct BindingInfo {
    /// The variable's name in the WGSL.
    pub name: String,
    /// Its group and binding.
    pub resource: ResourceId,
    /// Its address space.
    pub class: BindingClass,
    /// The access of the entry point and all it calls.
    pub access: Access,
    /// Its type.
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
    /// The buffers it uses, sorted by group and binding: a dispatch binds one region for each, in
    /// this order.
    pub bindings: Vec<BindingInfo>,
    /// `var<immediate>`: name and type.
    pub immediate: Option<(String, Layout)>,
    /// Workgroup memory in bytes.
    pub workgroup_storage: u32,
    /// The text that it was made from, for messages about a line; `None` for a module made by hand.
    pub source: Option<Arc<Source>>,
    /// The parts that the author lets a backend leave out.
    pub leave: Leave,
    /// The facts proven of `module`, so that a backend may leave out checks under [`Checks::Proven`]; `None`
    /// where nothing was analysed.
    pub proofs: Option<Arc<Proofs>>,
}

/// The liberties that a backend may take with a kernel: none, unless its author grants them.
///
/// A backend need not take them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Leave {
    /// Tests of indices and divisors, and limits of loops.
    pub checks: Checks,
    /// Approximate `f32` arithmetic, beyond the accuracy of WGSL: quotients, roots and functions may be approximated,
    /// and subnormal numbers become zero.
    pub fast_math: bool,
}

/// A compiled program.
#[derive(Clone, Debug, PartialEq)]
pub struct Compilation {
    /// Names it in dispatches.
    pub kernel: KernelId,
    /// The resources that it takes, where the device says.
    pub resources: Option<KernelResources>,
}

/// The resources that a compiled kernel takes of the hardware, and what they leave of its parallelism.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct KernelResources {
    /// Registers of 32 bits that each invocation takes.
    pub registers: u32,
    /// Workgroup memory in bytes, as allocated.
    pub workgroup_bytes: u32,
    /// Bytes of memory of each invocation: arrays that are indexed dynamically, and registers that
    /// were spilled.
    pub private_bytes: u32,
    /// Bytes stored and loaded again for want of registers, where the compiler says.
    pub spilled_bytes: Option<u32>,
    /// The largest workgroup that this kernel could have.
    pub most_invocations: u32,
    /// Workgroups that one multiprocessor runs at a time.
    pub workgroups_per_multiprocessor: u32,
    /// Invocations that one multiprocessor runs at a time, as a share of the most it can: 0 to 1.
    pub occupancy: f32,
}
