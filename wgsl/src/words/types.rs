//! Types in WGSL's notation, and conversions between them.

use naga::common::wgsl::TypeContext;
use naga::proc::TypeResolution;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

/// The name of a type as an author writes it. For the abstract types of literals, which authors cannot write, the name
/// says that the value is a constant.
pub(super) fn name(module: &Module, inner: &TypeInner) -> String {
    // naga finds the name of a struct only by its handle.
    let named = match inner {
        TypeInner::Struct { .. } => module.types.iter().find(|(_, ty)| ty.inner == *inner).map(|(handle, _)| handle),
        _ => None,
    };
    if let TypeInner::Array { base, size: ArraySize::Pending(length), .. } = inner {
        let length = module.overrides[*length].name.clone().unwrap_or_else(|| "..".to_owned());
        return format!("array<{}, {length}>", name_of(module, *base));
    }
    match named {
        Some(handle) => spoken(&module.to_ctx().type_to_string(handle)),
        None => spoken(&module.to_ctx().type_resolution_to_string(&TypeResolution::Value(inner.clone()))),
    }
}

/// The name of the type with this handle.
pub(super) fn name_of(module: &Module, handle: Handle<Type>) -> String {
    name(module, &module.types[handle].inner)
}

/// The name of a type for messages, from naga's notation.
pub(super) fn spoken(name: &str) -> String {
    let name = name.trim_matches('`');
    match name {
        "{AbstractFloat}" => "a float constant".to_owned(),
        "{AbstractInt}" => "an integer constant".to_owned(),
        // `vec3<{AbstractFloat}>` is the type of `vec3(1.0)`.
        _ => {
            name.replace("<{AbstractFloat}>", " of float constants").replace("<{AbstractInt}>", " of integer constants")
        }
    }
}

/// The number of components and the scalar type of a scalar or vector.
pub(super) fn shape(inner: &TypeInner) -> Option<(Option<VectorSize>, Scalar)> {
    match *inner {
        TypeInner::Scalar(scalar) => Some((None, scalar)),
        TypeInner::Vector { size, scalar } => Some((Some(size), scalar)),
        _ => None,
    }
}

/// The conversion of an expression to another type, as in `f32(x)`.
pub(super) fn converted(expression: &str, to: &str) -> String {
    let inside = whole(expression).unwrap_or(expression);
    literal(expression, to).unwrap_or_else(|| format!("{to}({inside})"))
}

/// An expression without the brackets around it, if they enclose the whole expression.
fn whole(expression: &str) -> Option<&str> {
    let inside = expression.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0_i32;
    for letter in inside.chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth < 0 {
            return None;
        }
    }
    Some(inside)
}

/// The literal of another type with the same number, such as `2u` for `2.0`, if there is one.
pub(super) fn literal(written: &str, to: &str) -> Option<String> {
    let digits = written.trim_end_matches(['u', 'i', 'f', 'h']);
    let number: f64 = digits.parse().ok().filter(|_| digits.starts_with(|c: char| c.is_ascii_digit() || c == '-'))?;
    let whole = number.fract() == 0.0 && number.abs() < 1e9;
    match to {
        "u32" if whole && number >= 0.0 => Some(format!("{number}u")),
        "i32" if whole => Some(format!("{number}i")),
        "f32" if whole => Some(format!("{number:.1}")),
        "f16" if whole => Some(format!("{number:.1}h")),
        _ => None,
    }
}

/// The name of a scalar type.
pub(super) fn scalar(scalar: Scalar) -> &'static str {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => "f16",
        (ScalarKind::Float, 8) => "f64",
        (ScalarKind::Float, _) => "f32",
        (ScalarKind::Sint, 8) => "i64",
        (ScalarKind::Sint, _) => "i32",
        (ScalarKind::Uint, 8) => "u64",
        (ScalarKind::Uint, _) => "u32",
        (ScalarKind::Bool, _) => "bool",
        (ScalarKind::AbstractInt, _) => "an integer constant",
        (ScalarKind::AbstractFloat, _) => "a float constant",
    }
}

/// The name of a vector or scalar type, such as `vec3<f32>` or `f32`.
pub(super) fn of_shape(size: Option<VectorSize>, kind: Scalar) -> String {
    match size {
        Some(size) => format!("vec{}<{}>", size as u8, scalar(kind)),
        None => scalar(kind).to_owned(),
    }
}

/// The name of a type in backticks, or the words for a constant unchanged.
pub(super) fn quoted(name: &str) -> String {
    if name.starts_with("a ") || name.starts_with("an ") { name.to_owned() } else { format!("`{name}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_use_literals_and_drop_redundant_brackets() {
        let table = [
            ("n", "f32", "f32(n)"),
            ("a + b", "f32", "f32(a + b)"),
            ("(a + b)", "f32", "f32(a + b)"),
            ("(a) + (b)", "u32", "u32((a) + (b))"),
            ("2.0", "u32", "2u"),
            ("1.5", "u32", "u32(1.5)"),
            ("3", "f32", "3.0"),
            ("3u", "i32", "3i"),
        ];
        for (expression, to, expected) in table {
            assert_eq!(converted(expression, to), expected);
        }
    }
}
