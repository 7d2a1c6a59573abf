//! Mistakes in entry points: parameters, bindings, workgroup sizes.

use naga::valid::{EntryPointError, GlobalUse, VaryingError};
use naga::{BuiltIn, EntryPoint, Expression, GlobalVariable, Handle, Span};

use super::super::{Finding, types};
use super::Found;
use super::body::Body;
use super::statements::space_name;

/// Explains an error that concerns an entry point as a whole.
pub(super) fn explain(
    found: Found<'_>,
    body: &Body<'_>,
    entry: &EntryPoint,
    error: &EntryPointError,
) -> Option<Finding> {
    let name = &entry.name;
    let variable = |handle: Handle<GlobalVariable>| {
        let variable = &body.module.global_variables[handle];
        (variable, variable.name.clone().unwrap_or_default(), body.module.global_variables.get_span(handle))
    };
    Some(match error {
        EntryPointError::BindingCollision(handle) => {
            let (second, second_name, second_span) = variable(*handle);
            let mut others = body.module.global_variables.iter().map(|(handle, _)| handle);
            let first = others
                .find(|other| other != handle && body.module.global_variables[*other].binding == second.binding)?;
            let (_, first_name, first_span) = variable(first);
            let binding = second.binding?;
            let place = format!("@group({}) @binding({})", binding.group, binding.binding);
            let free = (0..).find(|number| {
                body.module.global_variables.iter().all(|(_, other)| {
                    other.binding != Some(naga::ResourceBinding { group: binding.group, binding: *number })
                })
            });
            Finding::new(format!("'{first_name}' and '{second_name}' both have {place}, and '{name}' uses both"))
                .mark(second_span, "the second one")
                .mark(first_span, "the first one")
                .help(format!("give '{second_name}' another number, as @binding({})", free.unwrap_or_default()))
        }
        EntryPointError::InvalidGlobalUsage(handle, usage) => {
            let (variable, global, span) = variable(*handle);
            if !usage.contains(GlobalUse::WRITE) {
                return None;
            }
            Finding::new(format!(
                "'{name}' writes '{global}', which is in `{}` and read-only",
                space_name(variable.space)
            ))
            .mark(span, "declared here")
            .help(format!("declare it as `var<storage, read_write> {global}`; atomic operations also write"))
        }
        EntryPointError::OutOfRangeWorkgroupSize => {
            let [x, y, z] = entry.workgroup_size;
            Finding::new(format!("'{name}' has @workgroup_size({x}, {y}, {z}): each number must be at least 1"))
                .mark(head(found, name), "")
                .help("write, for example, @workgroup_size(64)")
        }
        EntryPointError::ForbiddenStageOperations => Finding::new(format!(
            "'{name}' uses operations that compute kernels do not have: derivatives, `discard`, or sampling that needs derivatives"
        ))
        .mark(forbidden(found).unwrap_or_else(|| head(found, name)), ""),
        EntryPointError::Argument(index, error) => parameter(found, body, entry, *index, error)?,
        EntryPointError::Result(VaryingError::MissingBinding | VaryingError::MemberMissingBinding(_)) => {
            Finding::new(format!("'{name}' is a compute entry point, which cannot return a value"))
                .mark(head(found, name), "")
                .help("write results to a `var<storage, read_write>`")
        }
        _ => return None,
    })
}

fn parameter(
    found: Found<'_>,
    body: &Body<'_>,
    entry: &EntryPoint,
    index: u32,
    error: &VaryingError,
) -> Option<Finding> {
    let argument = entry.function.arguments.get(index as usize)?;
    let name = argument.name.clone().unwrap_or_default();
    let expressions = &body.function.expressions;
    let mut handles = expressions.iter().filter(|(_, e)| matches!(e, Expression::FunctionArgument(at) if *at == index));
    let span = handles.next().map(|(handle, _)| body.span(handle)).filter(Span::is_defined);
    let span = span.unwrap_or_else(|| head(found, &entry.name));
    let ty = types::name_of(body.module, argument.ty);
    Some(match error {
        VaryingError::MissingBinding => {
            Finding::new(format!("the parameter '{name}' of the entry point '{}' has no @builtin", entry.name))
                .mark(span, "")
                .help(
                    "entry points accept only built-in values, such as `@builtin(global_invocation_id) id: vec3<u32>`",
                )
                .help(format!(
                    "pass a value of the host in a uniform: `@group(0) @binding(..) var<uniform> {name}: {ty};`"
                ))
        }
        VaryingError::InvalidBuiltInType(builtin, _) => {
            let (builtin, wanted) = spelled(*builtin)?;
            Finding::new(format!("@builtin({builtin}) is `{wanted}`, but '{name}' is `{ty}`"))
                .mark(span, "")
                .help(format!("write `@builtin({builtin}) {name}: {wanted}`, and convert where it is used"))
        }
        VaryingError::InvalidBuiltInStage(builtin) => {
            let builtin =
                spelled(*builtin).map_or_else(|| "that @builtin".to_owned(), |(name, _)| format!("@builtin({name})"));
            Finding::new(format!("{builtin} is not available in compute kernels")).mark(span, "")
        }
        VaryingError::DuplicateBuiltIn(builtin) => {
            let (builtin, _) = spelled(*builtin)?;
            Finding::new(format!("@builtin({builtin}) is used twice")).mark(span, "")
        }
        _ => return None,
    })
}

/// The WGSL name and type of a built-in value of compute kernels.
fn spelled(builtin: BuiltIn) -> Option<(&'static str, &'static str)> {
    Some(match builtin {
        BuiltIn::GlobalInvocationId => ("global_invocation_id", "vec3<u32>"),
        BuiltIn::LocalInvocationId => ("local_invocation_id", "vec3<u32>"),
        BuiltIn::LocalInvocationIndex => ("local_invocation_index", "u32"),
        BuiltIn::WorkGroupId => ("workgroup_id", "vec3<u32>"),
        BuiltIn::NumWorkGroups => ("num_workgroups", "vec3<u32>"),
        BuiltIn::NumSubgroups => ("num_subgroups", "u32"),
        BuiltIn::SubgroupId => ("subgroup_id", "u32"),
        BuiltIn::SubgroupSize => ("subgroup_size", "u32"),
        BuiltIn::SubgroupInvocationId => ("subgroup_invocation_id", "u32"),
        _ => return None,
    })
}

/// The span of the first operation that only other shader stages have.
fn forbidden(found: Found<'_>) -> Option<Span> {
    let is = |word: &str| {
        ["dpdx", "dpdy", "fwidth", "textureSample"].iter().any(|start| word.starts_with(start)) || word == "discard"
    };
    found.text.tokens().iter().find(|token| is(token.text)).map(|token| token.span())
}

/// The span of the name in a function's declaration.
fn head(found: Found<'_>, name: &str) -> Span {
    let tokens = found.text.tokens();
    let mut pairs = tokens.windows(2).filter(|pair| pair[0].text == "fn" && pair[1].text == name);
    pairs.next().map_or_else(|| found.span(), |pair| pair[1].span())
}
