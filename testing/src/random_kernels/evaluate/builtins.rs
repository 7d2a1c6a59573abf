//! Built-in functions.

use half::f16;

use super::Stop;
use super::scalar::{binary, each, exact};
use crate::random_kernels::ast::{Binary, Builtin, Value};

const TYPE: Stop = Stop("an argument's type");

pub(crate) fn call(builtin: Builtin, arguments: &[Value]) -> Result<Value, Stop> {
    let all: Vec<&Value> = arguments.iter().collect();
    match builtin {
        Builtin::All => Ok(Value::Bool(parts(&arguments[0]).iter().all(|part| **part == Value::Bool(true)))),
        Builtin::Any => Ok(Value::Bool(parts(&arguments[0]).iter().any(|part| **part == Value::Bool(true)))),
        Builtin::Dot => dot(&parts(&arguments[0]), &parts(&arguments[1])),
        Builtin::Cross => cross(&arguments[0], &arguments[1]),
        Builtin::Transpose => transpose(&arguments[0]),
        Builtin::Determinant => determinant(&arguments[0]),
        Builtin::Dot4U8 | Builtin::Dot4I8 | Builtin::Pack4xU8 | Builtin::Unpack4xU8 | Builtin::Unpack4xI8 => {
            packed(builtin, arguments)
        }
        Builtin::Pack2x16Float | Builtin::Unpack2x16Float => halves(builtin, &arguments[0]),
        // One condition selects a whole vector; a vector of conditions selects by component.
        _ => each(&all, &mut |values| component(builtin, values)),
    }
}

fn parts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Many(parts) => parts.iter().collect(),
        scalar => vec![scalar],
    }
}

fn component(builtin: Builtin, values: &[&Value]) -> Result<Value, Stop> {
    match (builtin, values) {
        (Builtin::Select, [no, yes, Value::Bool(condition)]) => Ok((*if *condition { yes } else { no }).clone()),
        (Builtin::Min, [a, b]) => Ok((*if less(b, a)? { b } else { a }).clone()),
        (Builtin::Max, [a, b]) => Ok((*if less(a, b)? { b } else { a }).clone()),
        (Builtin::Clamp, [e, low, high]) => {
            if matches!(low, Value::F32(_)) && less(high, low)? {
                return Err(Stop("the bounds of clamp are in the wrong order"));
            }
            let raised = if less(e, low)? { low } else { e };
            Ok((*if less(high, raised)? { high } else { raised }).clone())
        }
        (_, [Value::F32(_), ..]) => float(builtin, values),
        (_, [Value::U32(value), rest @ ..]) => word(builtin, *value, rest, false).map(Value::U32),
        (Builtin::Abs, [Value::I32(value)]) => Ok(Value::I32(value.wrapping_abs())),
        (Builtin::Sign, [Value::I32(value)]) => Ok(Value::I32(value.signum())),
        (_, [Value::I32(value), rest @ ..]) => {
            let rest: Vec<Value> = rest.iter().map(|value| unsigned(value)).collect();
            let rest: Vec<&Value> = rest.iter().collect();
            word(builtin, value.cast_unsigned(), &rest, true).map(|bits| Value::I32(bits.cast_signed()))
        }
        _ => Err(TYPE),
    }
}

fn unsigned(value: &Value) -> Value {
    match value {
        Value::I32(value) => Value::U32(value.cast_unsigned()),
        other => other.clone(),
    }
}

fn less(a: &Value, b: &Value) -> Result<bool, Stop> {
    Ok(binary(Binary::Less, a, b)? == Value::Bool(true))
}

fn float(builtin: Builtin, values: &[&Value]) -> Result<Value, Stop> {
    let mut numbers = [0.0f64; 3];
    for (number, value) in numbers.iter_mut().zip(values) {
        let Value::F32(value) = value else { return Err(TYPE) };
        *number = f64::from(*value);
    }
    let [a, b, c] = numbers;
    let result = match builtin {
        Builtin::Abs => a.abs(),
        Builtin::Sign if a == 0.0 => 0.0,
        Builtin::Sign => a.signum(),
        Builtin::Floor => a.floor(),
        Builtin::Ceil => a.ceil(),
        Builtin::Trunc => a.trunc(),
        Builtin::Round => a.round_ties_even(),
        Builtin::Fract => a - a.floor(),
        Builtin::Step => f64::from(u8::from(a <= b)),
        Builtin::Saturate => a.clamp(0.0, 1.0),
        Builtin::Fma => return exact(a * b + c, (a * b).abs() + c.abs()),
        _ => return Err(TYPE),
    };
    exact(result, result.abs())
}

fn word(builtin: Builtin, value: u32, rest: &[&Value], signed: bool) -> Result<u32, Stop> {
    let number = |at: usize| match rest.get(at) {
        Some(Value::U32(value)) => Ok(*value),
        _ => Err(TYPE),
    };
    let window = |at: usize| -> Result<(u32, u32), Stop> {
        let offset = number(at)?.min(32);
        Ok((offset, number(at + 1)?.min(32 - offset)))
    };
    Ok(match builtin {
        Builtin::Abs => value,
        Builtin::CountOneBits => value.count_ones(),
        Builtin::CountLeadingZeros => value.leading_zeros(),
        Builtin::CountTrailingZeros => value.trailing_zeros(),
        Builtin::FirstTrailingBit if value == 0 => u32::MAX,
        Builtin::FirstTrailingBit => value.trailing_zeros(),
        Builtin::FirstLeadingBit => {
            let value = if signed && value >> 31 == 1 { !value } else { value };
            31u32.wrapping_sub(value.leading_zeros())
        }
        Builtin::ReverseBits => value.reverse_bits(),
        Builtin::ExtractBits => match window(0)? {
            (_, 0) => 0,
            (offset, count) => {
                let top = value << (32 - offset - count);
                if signed { (top.cast_signed() >> (32 - count)).cast_unsigned() } else { top >> (32 - count) }
            }
        },
        Builtin::InsertBits => match window(1)? {
            (_, 0) => value,
            (offset, count) => {
                let mask = (u32::MAX >> (32 - count)) << offset;
                value & !mask | (number(0)? << offset) & mask
            }
        },
        _ => return Err(TYPE),
    })
}

fn dot(a: &[&Value], b: &[&Value]) -> Result<Value, Stop> {
    let mut sum = binary(Binary::Mul, a[0], b[0])?;
    let mut magnitude = size(&sum);
    for (a, b) in a.iter().zip(b).skip(1) {
        let product = binary(Binary::Mul, a, b)?;
        magnitude += size(&product);
        sum = binary(Binary::Add, &sum, &product)?;
    }
    // WGSL does not define the order of the sum, so every order must be exact.
    if let Value::F32(sum) = sum { exact(f64::from(sum), magnitude) } else { Ok(sum) }
}

fn size(value: &Value) -> f64 {
    if let Value::F32(value) = value { f64::from(value.abs()) } else { 0.0 }
}

fn cross(a: &Value, b: &Value) -> Result<Value, Stop> {
    let (a, b) = (parts(a), parts(b));
    let mut result = Vec::new();
    for at in 0..3 {
        let (next, last) = ((at + 1) % 3, (at + 2) % 3);
        let left = binary(Binary::Mul, a[next], b[last])?;
        let right = binary(Binary::Mul, a[last], b[next])?;
        result.push(binary(Binary::Sub, &left, &right)?);
    }
    Ok(Value::Many(result))
}

pub(crate) fn transpose(matrix: &Value) -> Result<Value, Stop> {
    let columns = parts(matrix);
    let rows = columns.first().map_or(0, |column| parts(column).len());
    let row = |at: usize| Value::Many(columns.iter().map(|column| parts(column)[at].clone()).collect());
    Ok(Value::Many((0..rows).map(row).collect()))
}

/// Supports 2x2 matrices only: WGSL does not define the order of operations for larger ones.
fn determinant(matrix: &Value) -> Result<Value, Stop> {
    let columns: Vec<Vec<&Value>> = parts(matrix).into_iter().map(parts).collect();
    let left = binary(Binary::Mul, columns[0][0], columns[1][1])?;
    let right = binary(Binary::Mul, columns[0][1], columns[1][0])?;
    binary(Binary::Sub, &left, &right)
}

/// A product with at least one matrix.
pub(crate) fn matrix_product(
    left: &Value,
    right: &Value,
    left_is_matrix: bool,
    right_is_matrix: bool,
) -> Result<Value, Stop> {
    let rows = if left_is_matrix { transpose(left)? } else { Value::Many(vec![left.clone()]) };
    let columns = if right_is_matrix { parts(right) } else { vec![right] };
    let mut product = Vec::new();
    for column in columns {
        let mut results = Vec::new();
        for row in parts(&rows) {
            results.push(dot(&parts(row), &parts(column))?);
        }
        product.push(if left_is_matrix { Value::Many(results) } else { results.swap_remove(0) });
    }
    Ok(if right_is_matrix { Value::Many(product) } else { product.swap_remove(0) })
}

fn packed(builtin: Builtin, arguments: &[Value]) -> Result<Value, Stop> {
    let bytes = |at: usize| match arguments.get(at) {
        Some(Value::U32(word)) => Ok(word.to_le_bytes()),
        _ => Err(TYPE),
    };
    Ok(match builtin {
        Builtin::Dot4U8 => {
            let products = bytes(0)?.into_iter().zip(bytes(1)?).map(|(a, b)| u32::from(a) * u32::from(b));
            Value::U32(products.sum())
        }
        Builtin::Dot4I8 => {
            let signed = |byte: u8| i32::from(byte.cast_signed());
            Value::I32(bytes(0)?.into_iter().zip(bytes(1)?).map(|(a, b)| signed(a) * signed(b)).sum())
        }
        Builtin::Unpack4xU8 => Value::Many(bytes(0)?.map(|byte| Value::U32(u32::from(byte))).to_vec()),
        Builtin::Unpack4xI8 => Value::Many(bytes(0)?.map(|byte| Value::I32(i32::from(byte.cast_signed()))).to_vec()),
        _ => {
            let mut word = 0;
            for (at, part) in parts(&arguments[0]).into_iter().enumerate() {
                let Value::U32(part) = part else { return Err(TYPE) };
                word |= (part & 0xff) << (8 * at);
            }
            Value::U32(word)
        }
    })
}

fn halves(builtin: Builtin, argument: &Value) -> Result<Value, Stop> {
    if let (Builtin::Unpack2x16Float, Value::U32(word)) = (builtin, argument) {
        let half = |bits: u32| {
            let value = f16::from_bits((bits & 0xffff) as u16).to_f32();
            let plain = value == 0.0 && bits & 0xffff == 0 || value.is_finite() && value.abs() >= 1.0;
            if plain { Ok(Value::F32(value)) } else { Err(Stop("a float is not exact")) }
        };
        return Ok(Value::Many(vec![half(*word)?, half(word >> 16)?]));
    }
    let mut word = 0;
    for (at, part) in parts(argument).into_iter().enumerate() {
        let Value::F32(part) = part else { return Err(TYPE) };
        let half = f16::from_f32(*part);
        if half.to_f32() != *part || part.to_bits() == 1 << 31 {
            return Err(Stop("a float is not exact"));
        }
        word |= u32::from(half.to_bits()) << (16 * at);
    }
    Ok(Value::U32(word))
}
