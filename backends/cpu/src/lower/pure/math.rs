//! Lowers built-in functions, with the modules that implement them.

use naga::{MathFunction, ScalarKind};

use super::operand::fit;
use super::{Operand, exponent, float, geometry, integer, matrix, packing};
use crate::ir::{Builder, Value};

/// Lowers a built-in function. `modf` and `frexp` return the members of their struct, in order.
pub(crate) fn math(b: &mut Builder, fun: MathFunction, args: &[Operand<'_>]) -> Result<Vec<Value>, String> {
    use MathFunction as Mf;
    let [first, others @ ..] = args else {
        return Err(format!("the function {fun:?} is not valid without operands"));
    };
    let scalar = first.scalar()?;
    for other in others {
        other.scalar()?;
    }
    match (fun, others) {
        (
            Mf::Dot
            | Mf::Cross
            | Mf::Distance
            | Mf::Length
            | Mf::Normalize
            | Mf::FaceForward
            | Mf::Reflect
            | Mf::Refract,
            _,
        ) => geometry::geometry(b, fun, scalar, args),
        (Mf::Outer, [other]) => matrix::outer(b, *first, *other),
        (Mf::Transpose, []) => matrix::transpose(*first),
        (Mf::Inverse, []) => matrix::inverse(b, *first),
        (Mf::Determinant, []) => {
            let value = matrix::determinant(b, *first)?;
            Ok(vec![fit(b, scalar, value)])
        }
        (Mf::Modf, []) => Ok(exponent::modf(b, scalar, first.values)),
        (Mf::Frexp, []) => Ok(exponent::frexp(b, scalar, first.values)),
        (
            Mf::Pack4x8snorm
            | Mf::Pack4x8unorm
            | Mf::Pack2x16snorm
            | Mf::Pack2x16unorm
            | Mf::Pack2x16float
            | Mf::Pack4xI8
            | Mf::Pack4xU8
            | Mf::Pack4xI8Clamp
            | Mf::Pack4xU8Clamp,
            [],
        ) => packing::pack(b, fun, first.values).map(|word| vec![word]),
        (
            Mf::Unpack4x8snorm
            | Mf::Unpack4x8unorm
            | Mf::Unpack2x16snorm
            | Mf::Unpack2x16unorm
            | Mf::Unpack2x16float
            | Mf::Unpack4xI8
            | Mf::Unpack4xU8,
            [],
        ) => packing::unpack(b, fun, first.component(0)?),
        (Mf::Dot4I8Packed | Mf::Dot4U8Packed, [other]) => {
            packing::dot(b, fun == Mf::Dot4I8Packed, first.component(0)?, other.component(0)?)
        }
        _ => (0..first.values.len())
            .map(|index| {
                let components = args.iter().map(|arg| arg.component(index)).collect::<Result<Vec<_>, _>>()?;
                let result = match scalar.kind {
                    ScalarKind::Float => float::component(b, fun, scalar, &components),
                    _ => integer::component(b, fun, scalar, &components),
                };
                result.ok_or_else(|| format!("{fun:?} is invalid for {} operands of {scalar:?}", components.len()))
            })
            .collect(),
    }
}
