//! Sources of uniform values: built-in values, and memory that is read-only while a kernel runs.

use naga::{
    AddressSpace, BuiltIn, EntryPoint, Function, FunctionArgument, Handle, ImageClass, Module, ShaderStage,
    StorageAccess, Type, TypeInner,
};

use super::scope::Scope;

/// Returns whether an argument of an entry point is the same for all invocations.
pub(super) fn argument_is_uniform(module: &Module, stage: ShaderStage, scope: Scope, of: &FunctionArgument) -> bool {
    let is_uniform = |binding: &Option<naga::Binding>| match binding {
        Some(naga::Binding::BuiltIn(built_in)) => built_in_is_uniform(*built_in, stage, scope),
        _ => false,
    };
    match (&of.binding, &module.types[of.ty].inner) {
        // A struct is analysed as one value.
        (None, TypeInner::Struct { members, .. }) => members.iter().all(|member| is_uniform(&member.binding)),
        (binding, _) => is_uniform(binding),
    }
}

fn built_in_is_uniform(built_in: BuiltIn, stage: ShaderStage, scope: Scope) -> bool {
    match built_in {
        BuiltIn::WorkGroupId | BuiltIn::NumWorkGroups | BuiltIn::WorkGroupSize | BuiltIn::NumSubgroups => true,
        BuiltIn::SubgroupSize => stage == ShaderStage::Compute,
        BuiltIn::SubgroupId => scope == Scope::Subgroup,
        _ => false,
    }
}

/// Returns whether memory in this address space is read-only while the kernel runs.
pub(super) fn is_read_only(space: AddressSpace) -> bool {
    match space {
        AddressSpace::Uniform | AddressSpace::Immediate | AddressSpace::Handle => true,
        AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
        _ => false,
    }
}

/// Returns whether a texture can be both read and written.
pub(super) fn is_read_write_texture(module: &Module, ty: Handle<Type>) -> bool {
    match module.types[ty].inner {
        TypeInner::Image { class: ImageClass::Storage { access, .. }, .. } => {
            access.contains(StorageAccess::LOAD | StorageAccess::STORE)
        }
        TypeInner::BindingArray { base, .. } => is_read_write_texture(module, base),
        _ => false,
    }
}

/// The address space of the memory that an argument points to, if the argument is a pointer.
pub(super) fn pointer_space(module: &Module, function: &Function, argument: usize) -> Option<AddressSpace> {
    module.types[function.arguments.get(argument)?.ty].inner.pointer_space()
}

/// A function, with the stage if it is an entry point.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) function: &'a Function,
    /// The stage of an entry point; `None` for other functions.
    pub(super) stage: Option<ShaderStage>,
}

impl<'a> From<&'a EntryPoint> for Subject<'a> {
    fn from(entry: &'a EntryPoint) -> Self {
        Self { function: &entry.function, stage: Some(entry.stage) }
    }
}
