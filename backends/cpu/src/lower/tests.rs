//! Lowers a table of shaders and checks the rules of the scalar program.

mod accepted;
mod rejected;
mod structure;

use anywarp_backend::{Access, BindingClass, BindingInfo, Layout, Leave, Mode, Program, ResourceId, Shape, Validated};
use naga::valid::Capabilities;
use naga::{AddressSpace, StorageAccess};

use super::error::LowerError;
use super::lower;
use crate::ir::{Function, verify};

/// Returns the program of a WGSL text with one entry point and no overrides.
pub(crate) fn program(source: &str) -> Program {
    let module = naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let module =
        Validated::new(module, Capabilities::all()).unwrap_or_else(|refused| panic!("{:?}\n{source}", refused.error));
    let mut bindings: Vec<BindingInfo> = module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| {
            let at = variable.binding.as_ref()?;
            let (class, access) = match variable.space {
                AddressSpace::Uniform => (BindingClass::Uniform, Access::Read),
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    (BindingClass::Storage, Access::Write)
                }
                _ => (BindingClass::ReadOnlyStorage, Access::Read),
            };
            Some(BindingInfo {
                name: variable.name.clone().unwrap_or_default(),
                resource: ResourceId { group: at.group, binding: at.binding },
                class,
                access,
                layout: Layout { name: String::new(), size: 4, align: 4, shape: Shape::Struct { fields: Vec::new() } },
            })
        })
        .collect();
    bindings.sort_by_key(|info| info.resource);
    let entry = &module.entry_points[0];
    Program {
        name: "test".into(),
        workgroup_size: entry.workgroup_size,
        entry_point: entry.name.clone(),
        module,
        bindings,
        immediate: None,
        workgroup_storage: 0,
        source: None,
        leave: Leave::default(),
        proofs: None,
    }
}

/// Lowers a WGSL text, with and without reports to the checker, and verifies both results. Returns the one without.
pub(super) fn lowered(source: &str) -> Result<Function, LowerError> {
    let function = lower(&program(source), Mode::Plain)?;
    assert!(function.checks.is_empty(), "{source}\n{function}");
    for function in [&function, &lower(&program(source), Mode::Checked)?] {
        verify::verify(function).unwrap_or_else(|broken| panic!("{broken}\n{source}\n{function}"));
    }
    Ok(function)
}

/// Lowers the body of a kernel with `data: array<u32>` and the index `i`, like [`lowered`].
pub(super) fn body(statements: &str) -> Function {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            let i = id.x;
            {statements}
        }}"
    );
    lowered(&source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}
