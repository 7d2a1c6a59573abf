//! Operators and conversions, component by component.

use super::Stop;
use crate::random_kernels::ast::{Binary, Scalar, Unary, Value};

/// 2^24: an f32 represents every whole number up to this magnitude exactly. Multiples of 1/2 are exact up to half of
/// it, multiples of 1/4 up to a quarter.
pub(crate) const EXACT: f64 = 16_777_216.0;

/// The f32 that is exactly `value`; `magnitude` is an upper bound of every intermediate sum.
pub(crate) fn exact(value: f64, magnitude: f64) -> Result<Value, Stop> {
    let rounded = value as f32;
    let same = f64::from(rounded) == value && magnitude <= EXACT;
    if same { Ok(Value::F32(rounded)) } else { Err(Stop("a float is not exact")) }
}

/// Applies `apply` to each component of `values`; a scalar is used for all components.
pub(crate) fn each(values: &[&Value], apply: &mut dyn FnMut(&[&Value]) -> Result<Value, Stop>) -> Result<Value, Stop> {
    let width = values.iter().find_map(|value| match value {
        Value::Many(parts) => Some(parts.len()),
        _ => None,
    });
    let Some(width) = width else { return apply(values) };
    let mut parts = Vec::with_capacity(width);
    for at in 0..width {
        let components: Vec<&Value> = values
            .iter()
            .map(|value| match value {
                Value::Many(parts) => &parts[at.min(parts.len() - 1)],
                scalar => scalar,
            })
            .collect();
        parts.push(each(&components, apply)?);
    }
    Ok(Value::Many(parts))
}

pub(crate) fn unary(op: Unary, operand: &Value) -> Result<Value, Stop> {
    each(&[operand], &mut |values| match (op, values[0]) {
        (Unary::Negate, Value::I32(value)) => Ok(Value::I32(value.wrapping_neg())),
        (Unary::Negate, Value::F32(value)) => Ok(Value::F32(-value)),
        (Unary::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
        (Unary::Complement, Value::U32(value)) => Ok(Value::U32(!value)),
        (Unary::Complement, Value::I32(value)) => Ok(Value::I32(!value)),
        _ => Err(Stop("an operand's type")),
    })
}

pub(crate) fn binary(op: Binary, left: &Value, right: &Value) -> Result<Value, Stop> {
    each(&[left, right], &mut |values| match (values[0], values[1]) {
        (Value::U32(left), Value::U32(right)) => unsigned(op, *left, *right),
        (Value::I32(left), Value::I32(right)) => signed(op, *left, *right),
        (Value::I32(left), Value::U32(right)) => match op {
            Binary::Shl => Ok(Value::I32(left.wrapping_shl(*right))),
            Binary::Shr => Ok(Value::I32(left.wrapping_shr(*right))),
            _ => Err(Stop("an operand's type")),
        },
        (Value::F32(left), Value::F32(right)) => float(op, *left, *right),
        (Value::Bool(left), Value::Bool(right)) => match op {
            Binary::And => Ok(Value::Bool(left & right)),
            Binary::Or => Ok(Value::Bool(left | right)),
            Binary::Equal => Ok(Value::Bool(left == right)),
            Binary::NotEqual => Ok(Value::Bool(left != right)),
            _ => Err(Stop("an operand's type")),
        },
        _ => Err(Stop("an operand's type")),
    })
}

fn compared(op: Binary, order: std::cmp::Ordering) -> Result<Value, Stop> {
    Ok(Value::Bool(match op {
        Binary::Equal => order.is_eq(),
        Binary::NotEqual => order.is_ne(),
        Binary::Less => order.is_lt(),
        Binary::LessEqual => order.is_le(),
        Binary::Greater => order.is_gt(),
        Binary::GreaterEqual => order.is_ge(),
        _ => return Err(Stop("an operand's type")),
    }))
}

fn unsigned(op: Binary, left: u32, right: u32) -> Result<Value, Stop> {
    Ok(Value::U32(match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Sub => left.wrapping_sub(right),
        Binary::Mul => left.wrapping_mul(right),
        Binary::Div => left.checked_div(right).unwrap_or(left),
        Binary::Rem => left.checked_rem(right).unwrap_or(0),
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::Shl => left.wrapping_shl(right),
        Binary::Shr => left.wrapping_shr(right),
        _ => return compared(op, left.cmp(&right)),
    }))
}

fn signed(op: Binary, left: i32, right: i32) -> Result<Value, Stop> {
    Ok(Value::I32(match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Sub => left.wrapping_sub(right),
        Binary::Mul => left.wrapping_mul(right),
        Binary::Div if right == 0 => left,
        Binary::Div => left.wrapping_div(right),
        Binary::Rem if right == 0 => 0,
        Binary::Rem => left.wrapping_rem(right),
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        _ => return compared(op, left.cmp(&right)),
    }))
}

fn float(op: Binary, left: f32, right: f32) -> Result<Value, Stop> {
    let (a, b) = (f64::from(left), f64::from(right));
    match op {
        Binary::Add => exact(a + b, a.abs() + b.abs()),
        Binary::Sub => exact(a - b, a.abs() + b.abs()),
        Binary::Mul => exact(a * b, (a * b).abs()),
        _ => compared(op, left.partial_cmp(&right).ok_or(Stop("a float is not a number"))?),
    }
}

pub(crate) fn convert(to: Scalar, operand: &Value) -> Result<Value, Stop> {
    each(&[operand], &mut |values| {
        Ok(match (to, values[0]) {
            (Scalar::Bool, Value::Bool(value)) => Value::Bool(*value),
            (Scalar::Bool, Value::U32(value)) => Value::Bool(*value != 0),
            (Scalar::Bool, Value::I32(value)) => Value::Bool(*value != 0),
            (Scalar::Bool, Value::F32(value)) => Value::Bool(*value != 0.0),
            (Scalar::U32, Value::Bool(value)) => Value::U32(u32::from(*value)),
            (Scalar::U32, Value::U32(value)) => Value::U32(*value),
            (Scalar::U32, Value::I32(value)) => Value::U32(value.cast_unsigned()),
            (Scalar::U32, Value::F32(value)) => Value::U32(*value as u32),
            (Scalar::I32, Value::Bool(value)) => Value::I32(i32::from(*value)),
            (Scalar::I32, Value::U32(value)) => Value::I32(value.cast_signed()),
            (Scalar::I32, Value::I32(value)) => Value::I32(*value),
            (Scalar::I32, Value::F32(value)) => Value::I32(*value as i32),
            (Scalar::F32, Value::Bool(value)) => Value::F32(f32::from(*value)),
            (Scalar::F32, Value::U32(value)) => return exact(f64::from(*value), f64::from(*value)),
            (Scalar::F32, Value::I32(value)) => return exact(f64::from(*value), f64::from(*value).abs()),
            (Scalar::F32, Value::F32(value)) => Value::F32(*value),
            _ => return Err(Stop("an operand's type")),
        })
    })
}

pub(crate) fn bitcast(to: Scalar, operand: &Value, keeps_zero: bool) -> Result<Value, Stop> {
    each(&[operand], &mut |values| {
        let bits = match values[0] {
            Value::U32(value) => *value,
            Value::I32(value) => value.cast_unsigned(),
            // WGSL does not define the sign of a zero.
            Value::F32(value) if *value == 0.0 && !keeps_zero => return Err(Stop("the sign of a zero shows")),
            Value::F32(value) => value.to_bits(),
            _ => return Err(Stop("an operand's type")),
        };
        match to {
            Scalar::U32 => Ok(Value::U32(bits)),
            Scalar::I32 => Ok(Value::I32(bits.cast_signed())),
            Scalar::F32 => {
                let value = f32::from_bits(bits);
                let plain = value == 0.0 && bits == 0 || value.is_normal();
                if plain { Ok(Value::F32(value)) } else { Err(Stop("a float is not exact")) }
            }
            Scalar::Bool => Err(Stop("an operand's type")),
        }
    })
}
