//! The types whose values are tracked, and their unknown and zero values.

use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner};

use super::state::Value;
use super::values::{BOOL, Values};
use crate::domain::{Int, Known};

/// The largest number of elements of an array that is tracked. [`optimise`](crate::optimise) replaces arrays with
/// constant indices by variables.
const MAX_ELEMENTS: u32 = 16;

/// The largest nesting depth of types that are tracked.
const MAX_DEPTH: u32 = 4;

/// The integer type of a scalar; `None` for floats and 64-bit integers.
pub(super) fn int(scalar: Scalar) -> Option<Int> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Some(BOOL),
        (ScalarKind::Sint, width @ (2 | 4)) => Some(Int { signed: true, width: width * 8 }),
        (ScalarKind::Uint, width @ (2 | 4)) => Some(Int { signed: false, width: width * 8 }),
        _ => None,
    }
}

/// An unknown value of a type.
pub(super) fn unknown(module: &Module, values: &mut Values, ty: &TypeInner) -> Value {
    of_type(module, ty, MAX_DEPTH, &mut |scalar| match int(scalar) {
        Some(int) => Value::Scalar(values.unknown(Known::any(int))),
        None => Value::Opaque,
    })
}

/// The value of a type in which every number is zero.
pub(super) fn zero(module: &Module, values: &mut Values, ty: &TypeInner) -> Value {
    of_type(module, ty, MAX_DEPTH, &mut |scalar| match int(scalar) {
        Some(int) => Value::Scalar(values.constant(int, 0)),
        None => Value::Opaque,
    })
}

fn of_type(module: &Module, ty: &TypeInner, depth: u32, make: &mut impl FnMut(Scalar) -> Value) -> Value {
    if depth == 0 {
        return Value::Opaque;
    }
    let inner = |handle: Handle<Type>| &module.types[handle].inner;
    match ty {
        TypeInner::Scalar(scalar) => make(*scalar),
        TypeInner::Vector { size, scalar } if int(*scalar).is_some() => {
            Value::Parts((0..*size as u32).map(|_| make(*scalar)).collect())
        }
        TypeInner::Struct { members, .. } if members.len() <= MAX_ELEMENTS as usize => {
            Value::Parts(members.iter().map(|member| of_type(module, inner(member.ty), depth - 1, make)).collect())
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } if count.get() <= MAX_ELEMENTS => {
            // An array whose elements contain no integers is not tracked.
            match of_type(module, inner(*base), depth - 1, make) {
                Value::Opaque => Value::Opaque,
                first => {
                    let rest = (1..count.get()).map(|_| of_type(module, inner(*base), depth - 1, make));
                    Value::Parts(std::iter::once(first).chain(rest.collect::<Vec<_>>()).collect())
                }
            }
        }
        _ => Value::Opaque,
    }
}
