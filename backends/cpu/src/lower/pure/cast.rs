//! Conversions and bit casts.

use naga::{Scalar, ScalarKind};

use super::operand::{Operand, class, fit, integer_like};
use crate::ir::{BinaryOp, Builder, Class, CompareOp, Convert, Value};

/// Converts components to a kind and to the width `convert` in bytes. Without `convert`, casts their bits to the kind.
pub(crate) fn cast(
    b: &mut Builder,
    a: Operand<'_>,
    kind: ScalarKind,
    convert: Option<u8>,
) -> Result<Vec<Value>, String> {
    let from = a.scalar()?;
    let to = Scalar { kind, width: convert.unwrap_or(from.width) };
    let Some(to_class) = class(to) else {
        return Err(format!("a conversion to {to:?} cannot be used in a kernel on the CPU backend"));
    };
    a.values
        .iter()
        .map(|&value| match convert {
            Some(_) => Ok(converted(b, from, to, to_class, value)),
            None => same_bits(b, from, to, value).ok_or_else(|| format!("a bit cast of {from:?} to {to:?} is invalid")),
        })
        .collect()
}

fn same_bits(b: &mut Builder, from: Scalar, to: Scalar, value: Value) -> Option<Value> {
    let (from_float, to_float) = (from.kind == ScalarKind::Float, to.kind == ScalarKind::Float);
    if (from.kind == ScalarKind::Bool) != (to.kind == ScalarKind::Bool) {
        return None;
    }
    Some(match (from_float, to_float, from.width) {
        (true, false, 2) => {
            let bits = b.convert(Convert::F32ToHalfBits, value);
            // The bits are zero-extended, which is the form of a `u16`.
            if to.kind == ScalarKind::Sint { fit(b, to, bits) } else { bits }
        }
        (false, true, 2) => b.convert(Convert::HalfBitsToF32, value),
        (true, false, 4) => b.convert(Convert::BitsF32ToI32, value),
        (false, true, 4) => b.convert(Convert::BitsI32ToF32, value),
        (true, false, 8) => b.convert(Convert::BitsF64ToI64, value),
        (false, true, 8) => b.convert(Convert::BitsI64ToF64, value),
        (true, false, _) | (false, true, _) => return None,
        _ if from.kind == to.kind => value,
        _ => fit(b, to, value),
    })
}

fn converted(b: &mut Builder, from: Scalar, to: Scalar, to_class: Class, value: Value) -> Value {
    if from == to {
        return value;
    }
    match (from.kind, to.kind) {
        (_, ScalarKind::Bool) => {
            let class = b.class(value);
            let zero = b.zero(class);
            b.compare(CompareOp::Ne, value, zero)
        }
        (ScalarKind::Bool, _) if to_class == Class::I32 => b.convert(Convert::BoolToI32, value),
        (ScalarKind::Bool, kind) => {
            let zero = b.zero(to_class);
            let one = if kind == ScalarKind::Float { b.float(to_class, 1.0) } else { b.constant(to_class, 1) };
            b.select(value, one, zero)
        }
        (ScalarKind::Float, ScalarKind::Float) => between_floats(b, from, to, value),
        (ScalarKind::Float, _) => float_to_integer(b, from, to, to_class, value),
        (_, ScalarKind::Float) => {
            let value = integer_to_float(b, from, to_class, value);
            // Rounding twice is harmless for `f16`: integers that `f32` has to round are infinite as `f16`.
            fit(b, to, value)
        }
        _ => {
            let signed = from.kind == ScalarKind::Sint;
            let value = match (b.class(value), to_class) {
                (Class::I32, Class::I64) if signed => b.convert(Convert::I32ToI64S, value),
                (Class::I32, Class::I64) => b.convert(Convert::I32ToI64U, value),
                (Class::I64, Class::I32) => b.convert(Convert::I64ToI32, value),
                _ => value,
            };
            fit(b, to, value)
        }
    }
}

fn between_floats(b: &mut Builder, from: Scalar, to: Scalar, value: Value) -> Value {
    match (from.width, to.width) {
        (8, 4) => b.convert(Convert::F64ToF32, value),
        (8, _) => {
            let odd = rounded_to_odd(b, value);
            let single = b.convert(Convert::F64ToF32, odd);
            fit(b, to, single)
        }
        (_, 8) => b.convert(Convert::F32ToF64, value),
        _ => fit(b, to, value),
    }
}

/// Converts a double to a single: truncates it, and sets the last bit if any bits were lost. The result rounds to the
/// same `f16` as the double. The nearest single might not, because it would be rounded twice.
fn rounded_to_odd(b: &mut Builder, value: Value) -> Value {
    const CUT: u64 = (1 << 29) - 1;
    let bits = b.convert(Convert::BitsF64ToI64, value);
    let cut = b.constant(Class::I64, CUT);
    let (kept, last) = (b.constant(Class::I64, !CUT), b.constant(Class::I64, CUT + 1));
    let low = b.binary(BinaryOp::And, bits, cut);
    let carried = b.binary(BinaryOp::Add, low, cut);
    let sticky = b.binary(BinaryOp::And, carried, last);
    let high = b.binary(BinaryOp::And, bits, kept);
    let odd = b.binary(BinaryOp::Or, high, sticky);
    b.convert(Convert::BitsI64ToF64, odd)
}

fn integer_to_float(b: &mut Builder, from: Scalar, to_class: Class, value: Value) -> Value {
    let signed = from.kind == ScalarKind::Sint || from.width == 2;
    let convert = match (b.class(value), to_class, signed) {
        (Class::I64, Class::F64, true) => Convert::I64ToF64S,
        (Class::I64, Class::F64, false) => Convert::I64ToF64U,
        (Class::I64, _, true) => Convert::I64ToF32S,
        (Class::I64, _, false) => Convert::I64ToF32U,
        (_, Class::F64, true) => Convert::I32ToF64S,
        (_, Class::F64, false) => Convert::I32ToF64U,
        (_, _, true) => Convert::I32ToF32S,
        (_, _, false) => Convert::I32ToF32U,
    };
    b.convert(convert, value)
}

/// Converts a float to an integer. The value is clamped to the integers of the target type that the float type represents
/// exactly: from `f32` to `i32`, the greatest is 2147483520.
fn float_to_integer(b: &mut Builder, from: Scalar, to: Scalar, to_class: Class, value: Value) -> Value {
    let signed = to.kind == ScalarKind::Sint;
    let convert = match (b.class(value), to_class, signed) {
        (Class::F64, Class::I64, true) => Convert::F64ToI64S,
        (Class::F64, Class::I64, false) => Convert::F64ToI64U,
        (Class::F64, _, true) => Convert::F64ToI32S,
        (Class::F64, _, false) => Convert::F64ToI32U,
        (_, Class::I64, true) => Convert::F32ToI64S,
        (_, Class::I64, false) => Convert::F32ToI64U,
        (_, _, true) => Convert::F32ToI32S,
        (_, _, false) => Convert::F32ToI32U,
    };
    let value = b.convert(convert, value);
    let magnitude_bits = u32::from(to.width) * 8 - u32::from(signed);
    let significand_bits = match from.width {
        2 => 11,
        4 => 24,
        _ => 53,
    };
    // The integer part of a finite `f16` has at most 16 bits, so for wider integers no clamp is missing.
    let inexact = magnitude_bits > significand_bits && (from.width != 2 || to.width == 2);
    if !inexact && to.width != 2 {
        return value;
    }
    let all = u64::MAX >> (64 - magnitude_bits);
    let greatest = if inexact { all & !(all >> significand_bits) } else { all };
    let greatest = integer_like(b, value, greatest.cast_signed());
    let value = b.binary(if signed { BinaryOp::MinS } else { BinaryOp::MinU }, value, greatest);
    if signed && to.width == 2 {
        let least = b.i32(i32::from(i16::MIN));
        return b.binary(BinaryOp::MaxS, value, least);
    }
    value
}
