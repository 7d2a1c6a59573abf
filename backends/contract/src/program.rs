//! One entry point, ready for a backend.

use std::fmt;
use std::sync::Arc;

use crate::Layout;

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

/// What a command does to a region.
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
    /// What the entry point, and all it calls, does to it.
    pub access: Access,
    /// Its type.
    pub layout: Layout,
}

/// The text that a program was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file as the user named it.
    pub file: String,
    /// The WGSL; the module's spans point into it.
    pub text: String,
}

/// One entry point of a naga module: specialised (no overrides left), validated, reflected.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name that errors and profiles use: file and entry point.
    pub name: Arc<str>,
    /// The module, compacted to what the entry point uses.
    pub module: Arc<naga::Module>,
    /// What naga's validator learned about `module`.
    pub info: Arc<naga::valid::ModuleInfo>,
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
    /// What it was made from, for messages about a line; `None` for a module made by hand.
    pub source: Option<Arc<Source>>,
}
