//! Mistakes in types and overrides.

use naga::valid::{OverrideError, TypeError};
use naga::{ArraySize, Handle, Module, Override, Span, Type, TypeInner};

use super::super::{Finding, types};
use super::Found;

/// Explains an error in a type.
pub(super) fn of_type(found: Found<'_>, module: &Module, handle: Handle<Type>, error: &TypeError) -> Option<Finding> {
    let place = place(found, module, handle);
    let ty = &module.types[handle];
    let name = types::name_of(module, handle);
    Some(match error {
        TypeError::InvalidArrayBaseType(base) => {
            let of = types::name_of(module, *base);
            let finding = Finding::new(format!("an array cannot have elements of `{of}`")).mark(place, "");
            match module.types[*base].inner {
                TypeInner::Array { size: ArraySize::Dynamic, .. } | TypeInner::Struct { .. } => finding
                    .help("array elements need a fixed size: give the inner array a length, as in `array<array<f32, 4>>`, or use one long array and compute the index"),
                _ => finding,
            }
        }
        TypeError::InvalidAtomicWidth(..) => {
            Finding::new(format!("`{name}` does not exist: atomics are `atomic<u32>` and `atomic<i32>`"))
                .mark(place, "")
                .help("store the bits of a float as a `u32`, with `bitcast`")
        }
        TypeError::InvalidDynamicArray(member, _) => Finding::new(format!(
            "'{member}' is an array without a length, and only the last member of a struct may be one"
        ))
        .mark(named(found, place, member), "")
        .help(format!("move '{member}' to the end of '{name}', or give it a length")),
        TypeError::InvalidData(part) => {
            let finding =
                Finding::new(format!("`{}` cannot be part of a struct or array", types::name_of(module, *part)));
            finding.mark(place, "").help("pointers can only be passed to functions: store an index instead")
        }
        TypeError::EmptyStruct => {
            let name = ty.name.clone().unwrap_or_default();
            Finding::new(format!("the struct '{name}' has no member"))
                .mark(place, "")
                .help("a struct needs at least one member")
        }
        TypeError::MatrixElementNotFloat => {
            Finding::new("a matrix has elements of `f32` or `f16`").mark(place, "").help("use an array of vectors")
        }
        TypeError::InvalidPointerToUnsized { .. } => {
            Finding::new(format!("`{name}` points to an array without a length"))
                .mark(place, "")
                .help("only arrays in `storage` have no length, and they cannot be passed: use the buffer by its name")
        }
        _ => return None,
    })
}

/// Explains an error in an override.
pub(super) fn of_override(
    found: Found<'_>,
    module: &Module,
    handle: Handle<Override>,
    name: &str,
    error: &OverrideError,
) -> Option<Finding> {
    let place = module.overrides.get_span(handle);
    let place = if place.is_defined() { place } else { found.span() };
    Some(match error {
        OverrideError::DuplicateID => {
            let id = module.overrides[handle].id?;
            let (first, item) =
                module.overrides.iter().find(|(other, item)| *other != handle && item.id == Some(id))?;
            let other = item.name.clone().unwrap_or_default();
            Finding::new(format!("'{other}' and '{name}' both have @id({id})"))
                .mark(place, "the second one")
                .mark(module.overrides.get_span(first), "the first one")
                .help(format!("give '{name}' another @id, or remove it: the host then sets the override by its name"))
        }
        OverrideError::TypeNotScalar | OverrideError::NonConstructibleType => {
            let ty = types::name_of(module, module.overrides[handle].ty);
            Finding::new(format!("the override '{name}' is `{ty}`; overrides must be scalars"))
                .mark(place, "")
                .help("declare one override for each component")
        }
        OverrideError::InvalidType => {
            let ty = types::name_of(module, module.overrides[handle].ty);
            Finding::new(format!("the override '{name}' is `{ty}`, but its value is not")).mark(place, "")
        }
        _ => return None,
    })
}

/// The span of a type or, if the type has none, of a variable or struct that uses the type.
fn place(found: Found<'_>, module: &Module, handle: Handle<Type>) -> Span {
    let own = module.types.get_span(handle);
    if own.is_defined() {
        return own;
    }
    let has = |ty: Handle<Type>| {
        let mut ty = ty;
        loop {
            if ty == handle {
                return true;
            }
            match &module.types[ty].inner {
                TypeInner::Array { base, .. } | TypeInner::Pointer { base, .. } => ty = *base,
                _ => return false,
            }
        }
    };
    let variables = module.global_variables.iter().find(|(_, variable)| has(variable.ty));
    if let Some((variable, _)) = variables {
        return module.global_variables.get_span(variable);
    }
    let structs = module.types.iter().find(|(_, ty)| match &ty.inner {
        TypeInner::Struct { members, .. } => members.iter().any(|member| has(member.ty)),
        _ => false,
    });
    if let Some((holder, _)) = structs {
        return module.types.get_span(holder);
    }
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    let locals = functions.flat_map(|function| function.local_variables.iter().map(move |item| (function, item)));
    let mut spans = locals
        .filter(|(_, (_, variable))| has(variable.ty))
        .map(|(function, (handle, _))| function.local_variables.get_span(handle));
    spans.next().unwrap_or_else(|| found.span())
}

/// The span of the word `name` within the span `place`.
fn named(found: Found<'_>, place: Span, name: &str) -> Span {
    let Some(range) = place.to_range() else { return place };
    let tokens = found.text.from(range.start);
    tokens.iter().find(|token| token.text == name && token.at < range.end).map_or(place, |token| token.span())
}
