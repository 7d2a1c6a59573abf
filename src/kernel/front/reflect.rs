//! The bindings, values and memory of a kernel, read from its module.

use std::sync::Arc;

use anywarp_backend::{BindingInfo, Caps, Program, Validated};
use anywarp_wgsl::reflect::{Reflection, reflect};

use super::entry_point::Entry;
use super::{Text, features};
use crate::error::KernelError;

/// Returns the program of a module with one entry point; an error if a resource is not a buffer.
pub(super) fn program(text: &Text<'_>, entry: Entry, module: Validated) -> Result<Program, KernelError> {
    let Reflection { bindings, immediate, workgroup_storage, foreign } = reflect(&module, 0);
    if let Some((name, span)) = foreign {
        return Err(KernelError::Unsupported {
            kernel: entry.kernel.to_string(),
            what: format!("'{name}', a texture, sampler or other resource that is not a buffer"),
            place: features::place(&text.source, Some(span)),
        });
    }
    Ok(Program {
        name: entry.kernel,
        workgroup_size: module.entry_points[0].workgroup_size,
        module,
        entry_point: entry.point,
        bindings,
        immediate,
        workgroup_storage,
        source: Some(Arc::clone(&text.source)),
        leave: text.wgsl.leave,
        proofs: None,
    })
}

/// Returns `program` with a module to which a pass has added variables, and without proofs. Bindings that are no longer
/// used stay in the program, as launches still pass their buffers.
pub(super) fn with_module(program: &Program, module: Validated) -> Program {
    let Reflection { bindings: found, workgroup_storage, .. } = reflect(&module, 0);
    let mut program = Program { module, workgroup_storage, proofs: None, ..program.clone() };
    let is_new = |info: &BindingInfo| program.bindings.iter().all(|known| known.resource != info.resource);
    let added: Vec<BindingInfo> = found.into_iter().filter(is_new).collect();
    program.bindings.extend(added);
    program
}

/// The next binding after `bindings`, the first of the next group if the last group is full.
pub(super) fn next_binding(bindings: &[BindingInfo], caps: &Caps) -> naga::ResourceBinding {
    let group = bindings.last().map_or(0, |last| last.resource.group);
    let binding = bindings.last().map_or(0, |last| last.resource.binding + 1);
    if binding < caps.limits.bindings_per_group {
        naga::ResourceBinding { group, binding }
    } else {
        naga::ResourceBinding { group: group + 1, binding: 0 }
    }
}
