//! Mistakes in variables outside functions, and in their address spaces.

use naga::valid::{Disalignment, GlobalVariableError};
use naga::{AddressSpace, ArraySize, GlobalVariable, Handle, Module, ScalarKind, StructMember, Type, TypeInner};

use super::super::{Finding, types};
use super::statements::space_name;

/// Explains an error in a variable outside functions.
pub(super) fn explain(module: &Module, handle: Handle<GlobalVariable>, error: &GlobalVariableError) -> Option<Finding> {
    let variable = &module.global_variables[handle];
    let (name, space) = (variable.name.as_deref().unwrap_or_default(), space_name(variable.space));
    let ty = types::name_of(module, variable.ty);
    let place = module.global_variables.get_span(handle);
    Some(match error {
        GlobalVariableError::InvalidBinding => match variable.binding {
            None => Finding::new(format!("'{name}' is in `{space}` and has no @group and @binding"))
                .mark(place, "a buffer needs both")
                .help(format!("write `@group(0) @binding({}) var..`", next(module))),
            Some(_) => Finding::new(format!("'{name}' has a binding, but variables in `{space}` are not buffers"))
                .mark(place, "")
                .help("remove @group and @binding, or declare it as `var<storage, read_write>` or `var<uniform>`"),
        },
        GlobalVariableError::MissingTypeFlags { .. } | GlobalVariableError::InvalidType(_) => {
            unfit(module, variable, name, &ty).mark(place, "")
        }
        GlobalVariableError::Alignment(_, ty, disalignment) => {
            aligned(module, name, *ty, disalignment)?.mark(place, "the uniform")
        }
        GlobalVariableError::InitializerNotAllowed(space) => {
            let space = space_name(*space);
            let finding =
                Finding::new(format!("'{name}' is in `{space}`, where variables cannot have an initial value"))
                    .mark(place, "");
            match variable.space {
                AddressSpace::WorkGroup => finding.help(
                    "it is zero at the start; assign another value in one invocation, then call `workgroupBarrier()`",
                ),
                _ => finding.help("remove the value: the bound buffer holds it"),
            }
        }
        GlobalVariableError::InitializerType => {
            Finding::new(format!("'{name}' is `{ty}`, but its initial value is not")).mark(place, "")
        }
        GlobalVariableError::StorageAddressSpaceWriteOnlyNotSupported => {
            Finding::new(format!("'{name}' is write-only, which buffers cannot be"))
                .mark(place, "")
                .help("declare it as `var<storage, read_write>`")
        }
        _ => return None,
    })
}

/// The lowest binding number of group 0 that no variable has.
fn next(module: &Module) -> u32 {
    let taken = |number| {
        let bindings = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
        bindings.into_iter().any(|binding| binding.group == 0 && binding.binding == number)
    };
    (0..).find(|number| !taken(*number)).unwrap_or_default()
}

/// Explains a type that a variable in this address space cannot have.
fn unfit(module: &Module, variable: &GlobalVariable, name: &str, ty: &str) -> Finding {
    let space = space_name(variable.space);
    let finding = Finding::new(format!("'{name}' is in `{space}`, where `{ty}` is not allowed"));
    let part = |test: &dyn Fn(&TypeInner) -> bool| contains(module, variable.ty, test);
    if part(&|inner| matches!(inner, TypeInner::Array { size: ArraySize::Dynamic, .. })) && space != "storage" {
        return finding.help("give the array a length: only `var<storage>` has arrays without one");
    }
    if part(&|inner| matches!(inner, TypeInner::Atomic(_))) {
        return finding.help("only `var<workgroup>` and `var<storage, read_write>` can be atomic");
    }
    if part(&is_bool) {
        return finding.help("a `bool` has no layout shared with the host: use a `u32`, and compare it with 0");
    }
    match variable.space {
        AddressSpace::Handle => Finding::new(format!("'{name}' has no address space"))
            .help(format!("write `var<private>` for one variable per invocation, `var<workgroup>` for one per workgroup, or `var<storage>` and `var<uniform>` for buffers: `var<private> {name}: {ty}`")),
        _ => finding,
    }
}

fn is_bool(inner: &TypeInner) -> bool {
    types::shape(inner).is_some_and(|(_, scalar)| scalar.kind == ScalarKind::Bool)
}

/// Whether `test` returns true for a type, or for a type of its elements or members.
pub(super) fn contains(module: &Module, ty: Handle<Type>, test: &dyn Fn(&TypeInner) -> bool) -> bool {
    let inner = &module.types[ty].inner;
    test(inner)
        || match inner {
            TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => contains(module, *base, test),
            TypeInner::Struct { members, .. } => members.iter().any(|member| contains(module, member.ty, test)),
            _ => false,
        }
}

/// Explains a layout that a uniform cannot have.
fn aligned(module: &Module, name: &str, ty: Handle<Type>, disalignment: &Disalignment) -> Option<Finding> {
    // naga reports the type of the variable, and the index of a member in one of the structs in that type.
    let member = |index: u32| structs(module, ty).into_iter().find_map(|members| members.get(index as usize));
    let spelled = |member: &StructMember| (member.name.clone().unwrap_or_default(), types::name_of(module, member.ty));
    let finding = match disalignment {
        Disalignment::ArrayStride { stride, alignment } => {
            let array = arrays(module, ty)
                .into_iter()
                .find(|(_, of)| *of == *stride)
                .map(|(array, _)| types::name_of(module, array));
            let array = array.unwrap_or_else(|| "array".to_owned());
            Finding::new(format!("'{name}' has an `{array}`, with a stride of {stride} bytes; in a uniform the stride must be a multiple of {alignment} bytes"))
                .help("put four numbers into a `vec4`, as in `array<vec4<f32>, 2>` for 8, or declare it as `var<storage>`, which takes any array")
        }
        Disalignment::MemberOffset { index, offset, alignment } => {
            let (member, of) = spelled(member(*index)?);
            Finding::new(format!("'{name}' has the member '{member}' at byte {offset}; in a uniform, `{of}` must begin at a multiple of {alignment} bytes"))
                .help(format!("write `@align({alignment}) {member}: {of}`, or declare '{name}' as `var<storage>`"))
        }
        Disalignment::MemberOffsetAfterStruct { index, offset, expected } => {
            let (member, of) = spelled(member(*index)?);
            Finding::new(format!("'{name}' has the member '{member}' at byte {offset}; in a uniform, the member after a struct must begin at byte {expected} or later"))
                .help(format!("write `@align(16) {member}: {of}`, or declare '{name}' as `var<storage>`"))
        }
        Disalignment::StructSpan { span, alignment } => Finding::new(format!(
            "'{name}' is {span} bytes long; in a uniform the size must be a multiple of {alignment} bytes"
        ))
        .help("write `@size(16)` before the last member, or declare it as `var<storage>`"),
        Disalignment::NonHostShareable => {
            let of = module.global_variables.iter().find(|(_, variable)| variable.name.as_deref() == Some(name))?.1;
            unfit(module, of, name, &types::name_of(module, of.ty))
        }
        Disalignment::UnsizedMember { index } => {
            let (member, _) = spelled(member(*index)?);
            Finding::new(format!(
                "'{name}' has the member '{member}', an array without a length, which a uniform cannot have"
            ))
            .help("give the array a length, or declare it as `var<storage>`")
        }
    };
    Some(finding)
}

/// The structs in a type, each before the structs that it contains.
fn structs(module: &Module, ty: Handle<Type>) -> Vec<&[StructMember]> {
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => {
            let inner = members.iter().flat_map(|member| structs(module, member.ty));
            std::iter::once(members.as_slice()).chain(inner).collect()
        }
        TypeInner::Array { base, .. } => structs(module, *base),
        _ => Vec::new(),
    }
}

/// The arrays in a type, with their strides in bytes.
fn arrays(module: &Module, ty: Handle<Type>) -> Vec<(Handle<Type>, u32)> {
    match &module.types[ty].inner {
        TypeInner::Array { base, stride, .. } => std::iter::once((ty, *stride)).chain(arrays(module, *base)).collect(),
        TypeInner::Struct { members, .. } => members.iter().flat_map(|member| arrays(module, member.ty)).collect(),
        _ => Vec::new(),
    }
}
