//! Grids of more workgroups per dimension than the device allows.
//!
//! WebGPU guarantees 65 535 workgroups per dimension, and most devices allow no more. A larger *logical* grid runs as a
//! *physical* grid of another shape that covers it ([`physical_grid`]), and the kernel is rewritten to see logical ids
//! only ([`fold_grid`]):
//!
//! ```text
//! linear  = x + nx * (y + ny * z)              the physical workgroup (x, y, z) of (nx, ny, nz)
//! logical = linear in the base (gx, gy, gz)    x fastest, so neighbours stay neighbours
//! ```
//!
//! Workgroups whose `linear` is beyond the logical grid return immediately. This condition is the same for all
//! invocations of a workgroup, so barriers in the kernel remain valid.

mod entry;
#[cfg(test)]
mod tests;

use naga::diagnostic_filter::{
    DiagnosticFilter, DiagnosticFilterNode, FilterableTriggeringRule, Severity, StandardFilterableTriggeringRule,
};
use naga::{
    AddressSpace, Binding, BuiltIn, EntryPoint, Function, GlobalVariable, Handle, MemoryDecorations, Module,
    ResourceBinding, Scalar, ShaderStage, Span, Type, TypeInner, VectorSize,
};

/// The reason why [`fold_grid`] failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum FoldError {
    /// The module has no compute entry point of that name.
    #[error("no compute entry point is named `{entry}`; the module has {available:?}")]
    NoEntryPoint {
        /// The requested name.
        entry: String,
        /// The existing compute entry points.
        available: Vec<String>,
    },
    /// A variable of the module already has the binding for the grid.
    #[error("@group({group}) @binding({binding}) belongs to `{variable}`; fold the grid at a free binding")]
    BindingTaken {
        /// The requested group.
        group: u32,
        /// The requested binding.
        binding: u32,
        /// The variable that has this binding.
        variable: String,
    },
    /// The workgroup size depends on overrides.
    #[error("the workgroup size of `{entry}` depends on overrides; resolve them before folding")]
    UnresolvedWorkgroupSize {
        /// The name of the entry point.
        entry: String,
    },
    /// An input without `@builtin`, or an output; such a module is invalid.
    #[error("{part} of `{entry}` is not a built-in input; validate the module before folding")]
    InvalidInterface {
        /// The name of the entry point.
        entry: String,
        /// The input or output.
        part: String,
    },
}

/// A physical grid that covers `logical`, in workgroups, with no dimension above `limit`.
///
/// Returns `logical` itself if it fits. Otherwise the result `[x, y, z]` has fewer than `y * z` workgroups more than
/// `logical`, and `x` is above `limit / 2`: the share of unused workgroups is below `2 / limit`, 0.004 % at WebGPU's
/// limit.
///
/// `None` if `logical` has a zero, if it has more than `u32::MAX` workgroups or more than `limit` cubed, or if the
/// covering grid has more than `u32::MAX`, which only happens if `logical` has almost as many: ids computed in a shader
/// must not wrap.
#[must_use]
pub(crate) fn physical_grid(logical: [u32; 3], limit: u32) -> Option<[u32; 3]> {
    let total = logical.into_iter().try_fold(1, u32::checked_mul)?;
    if total == 0 || limit == 0 {
        return None;
    }
    if logical.iter().all(|&count| count <= limit) {
        return Some(logical);
    }
    let (total, limit) = (u64::from(total), u64::from(limit));
    // The least number of layers that the limit permits, then the least number of rows in a layer. Rounding up adds
    // less than one workgroup to each row.
    let z = total.div_ceil(limit * limit);
    let layer = total.div_ceil(z);
    let y = layer.div_ceil(limit);
    let x = layer.div_ceil(y);
    let covers = z <= limit && u32::try_from(x * y * z).is_ok();
    let [x, y, z] = [x, y, z].map(|count| u32::try_from(count).ok());
    covers.then_some([x?, y?, z?])
}

/// Rewrites the compute entry point `entry` so that it runs on any physical grid that covers the logical one, and sees
/// logical ids only.
///
/// The module must be valid. The result has one more variable, `var<uniform> anywarp_grid: vec3<u32>` at `at`: the
/// logical grid in workgroups, 12 bytes, which the caller sets before each launch. If it is all zero, every workgroup
/// returns immediately. The physical grid needs no variable, but must have at most `u32::MAX` workgroups and cover the
/// logical one, as [`physical_grid`] guarantees.
///
/// `workgroup_id`, `num_workgroups` and `global_invocation_id` become logical; other built-ins are relative to the
/// workgroup and unchanged. A `global_invocation_id` of 2^32 or more wraps, as it does without folding. Other entry
/// points, and all handles into the module except those of `entry`'s own function, are unchanged.
///
/// # Errors
///
/// [`FoldError`] if `entry` or `at` do not fit the module, or if the module cannot be folded.
pub(crate) fn fold_grid(module: &Module, entry: &str, at: ResourceBinding) -> Result<Module, FoldError> {
    let (index, original) = compute_entry(module, entry)?;
    let inputs = inputs(module, original)?;
    check_free(module, at)?;

    let mut folded = module.clone();
    let vec3_u32 = folded.types.insert(
        Type { name: None, inner: TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 } },
        Span::UNDEFINED,
    );
    let grid = folded.global_variables.append(
        GlobalVariable {
            name: Some("anywarp_grid".into()),
            space: AddressSpace::Uniform,
            binding: Some(at),
            ty: vec3_u32,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        },
        Span::UNDEFINED,
    );
    let body = logical_body(&mut folded, original);
    folded.entry_points[index].function =
        entry::write(&Plan { inputs, grid, vec3_u32, workgroup_size: original.workgroup_size, body });
    Ok(folded)
}

/// The inputs for writing the new entry point.
struct Plan {
    /// The arguments that `body` takes.
    inputs: Vec<Input>,
    /// The variable with the logical grid.
    grid: Handle<GlobalVariable>,
    /// `vec3<u32>`
    vec3_u32: Handle<Type>,
    /// The number of invocations of a workgroup in x, y and z.
    workgroup_size: [u32; 3],
    /// The original kernel, which is called with logical ids.
    body: Handle<Function>,
}

/// One argument of the original entry point.
enum Input {
    /// `@builtin(..) name: ty`
    BuiltIn(BuiltIn, Handle<Type>),
    /// A struct whose members are built-ins.
    Struct(Handle<Type>, Vec<(BuiltIn, Handle<Type>)>),
}

fn compute_entry<'m>(module: &'m Module, name: &str) -> Result<(usize, &'m EntryPoint), FoldError> {
    let compute = || {
        let all = module.entry_points.iter().enumerate();
        all.filter(|(_, entry)| entry.stage == ShaderStage::Compute)
    };
    let Some((index, entry)) = compute().find(|(_, entry)| entry.name == name) else {
        let available = compute().map(|(_, entry)| entry.name.clone()).collect();
        return Err(FoldError::NoEntryPoint { entry: name.into(), available });
    };
    if entry.workgroup_size_overrides.is_some_and(|sizes| sizes.iter().any(Option::is_some)) {
        return Err(FoldError::UnresolvedWorkgroupSize { entry: name.into() });
    }
    Ok((index, entry))
}

fn inputs(module: &Module, entry: &EntryPoint) -> Result<Vec<Input>, FoldError> {
    let invalid = |part: String| FoldError::InvalidInterface { entry: entry.name.clone(), part };
    let built_in = |binding: &Option<Binding>, part: String| match binding {
        Some(Binding::BuiltIn(built_in)) => Ok(*built_in),
        _ => Err(invalid(part)),
    };
    if entry.function.result.is_some() {
        return Err(invalid("the result".into()));
    }
    let arguments = entry.function.arguments.iter().enumerate();
    arguments
        .map(|(position, argument)| match &module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => {
                let members = members.iter().enumerate().map(|(index, member)| {
                    let part = format!("member {index} of argument {position}");
                    Ok((built_in(&member.binding, part)?, member.ty))
                });
                Ok(Input::Struct(argument.ty, members.collect::<Result<_, _>>()?))
            }
            _ => {
                let part = format!("argument {position}");
                Ok(Input::BuiltIn(built_in(&argument.binding, part)?, argument.ty))
            }
        })
        .collect()
}

fn check_free(module: &Module, at: ResourceBinding) -> Result<(), FoldError> {
    match module.global_variables.iter().find(|(_, variable)| variable.binding == Some(at)) {
        None => Ok(()),
        Some((_, variable)) => Err(FoldError::BindingTaken {
            group: at.group,
            binding: at.binding,
            variable: variable.name.clone().unwrap_or_default(),
        }),
    }
}

/// Turns the function of the entry point into an ordinary function.
fn logical_body(module: &mut Module, original: &EntryPoint) -> Handle<Function> {
    let mut body = original.function.clone();
    // A distinct name keeps the generated code readable, as backends give the plain name to the entry point.
    body.name = Some(format!("{}_on_logical_grid", original.name));
    for argument in &mut body.arguments {
        argument.binding = None;
    }
    // naga treats every argument of an ordinary function as non-uniform, and would refuse cooperative matrices under a
    // branch on `workgroup_id`. The original has been checked, and logical ids are as uniform as physical ones, so the
    // check is disabled.
    let filter = DiagnosticFilterNode {
        inner: DiagnosticFilter {
            new_severity: Severity::Off,
            triggering_rule: FilterableTriggeringRule::Standard(StandardFilterableTriggeringRule::DerivativeUniformity),
        },
        parent: body.diagnostic_filter_leaf,
    };
    let filter = module.diagnostic_filters.append(filter, Span::UNDEFINED);
    body.diagnostic_filter_leaf = Some(filter);
    module.functions.append(body, Span::UNDEFINED)
}
