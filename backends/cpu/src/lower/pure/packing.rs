//! Functions that pack several small numbers into one word of 32 bits, the first number in the lowest bits.

use naga::MathFunction;

use super::float::clamp;
use crate::ir::{BinaryOp, Builder, Convert, UnaryOp, Value};

/// Packs the components of a vector into one word.
pub(super) fn pack(b: &mut Builder, fun: MathFunction, values: &[Value]) -> Result<Value, String> {
    use MathFunction as Mf;
    let bits = if values.len() == 2 { 16 } else { 8 };
    let mut word = None;
    for (index, &x) in (0_u32..).zip(values) {
        let field = match fun {
            Mf::Pack4x8snorm | Mf::Pack2x16snorm => signed_normalised(b, bits, x),
            Mf::Pack4x8unorm | Mf::Pack2x16unorm => unsigned_normalised(b, bits, x),
            Mf::Pack2x16float => b.convert(Convert::F32ToHalfBits, x),
            Mf::Pack4xI8 | Mf::Pack4xU8 => x,
            Mf::Pack4xI8Clamp => {
                let (low, high) = (b.i32(-128), b.i32(127));
                let raised = b.binary(BinaryOp::MaxS, x, low);
                b.binary(BinaryOp::MinS, raised, high)
            }
            Mf::Pack4xU8Clamp => {
                let high = b.u32(255);
                b.binary(BinaryOp::MinU, x, high)
            }
            _ => return Err(format!("the function {fun:?} is not valid: it does not pack")),
        };
        // Bits above a field must be cleared. The shift drops them for the last field, and some functions leave none.
        let last = index as usize + 1 == values.len();
        let clean = matches!(fun, Mf::Pack4x8unorm | Mf::Pack2x16unorm | Mf::Pack2x16float | Mf::Pack4xU8Clamp);
        let field = if last || clean {
            field
        } else {
            let mask = b.u32((1 << bits) - 1);
            b.binary(BinaryOp::And, field, mask)
        };
        let shift = b.u32(index * bits);
        let field = b.binary(BinaryOp::Shl, field, shift);
        word = Some(word.map_or(field, |word| b.binary(BinaryOp::Or, word, field)));
    }
    word.ok_or_else(|| format!("the function {fun:?} is not valid without components"))
}

/// Unpacks the components of a word.
pub(super) fn unpack(b: &mut Builder, fun: MathFunction, word: Value) -> Result<Vec<Value>, String> {
    use MathFunction as Mf;
    let bits = match fun {
        Mf::Unpack2x16snorm | Mf::Unpack2x16unorm | Mf::Unpack2x16float => 16,
        _ => 8,
    };
    let greatest = ((1_u32 << bits) - 1) as f32;
    (0..32 / bits)
        .map(|index| {
            Ok(match fun {
                Mf::Unpack4x8snorm | Mf::Unpack2x16snorm => {
                    let field = signed_field(b, word, bits, index);
                    let value = b.convert(Convert::I32ToF32S, field);
                    let half = b.f32((greatest - 1.0) / 2.0);
                    let value = b.binary(BinaryOp::Div, value, half);
                    let minus_one = b.f32(-1.0);
                    b.binary(BinaryOp::Max, value, minus_one)
                }
                Mf::Unpack4x8unorm | Mf::Unpack2x16unorm => {
                    let field = unsigned_field(b, word, bits, index);
                    // The field is non-negative. A signed conversion is one instruction on every machine.
                    let value = b.convert(Convert::I32ToF32S, field);
                    let greatest = b.f32(greatest);
                    b.binary(BinaryOp::Div, value, greatest)
                }
                Mf::Unpack2x16float => {
                    let shift = b.u32(index * bits);
                    let half = b.binary(BinaryOp::ShrU, word, shift);
                    b.convert(Convert::HalfBitsToF32, half)
                }
                Mf::Unpack4xI8 => signed_field(b, word, bits, index),
                Mf::Unpack4xU8 => unsigned_field(b, word, bits, index),
                _ => return Err(format!("the function {fun:?} is not valid: it does not unpack")),
            })
        })
        .collect()
}

/// The dot product of two words as vectors of four bytes.
pub(super) fn dot(b: &mut Builder, signed: bool, x: Value, y: Value) -> Result<Vec<Value>, String> {
    let field = if signed { signed_field } else { unsigned_field };
    let mut sum = b.u32(0);
    for index in 0..4 {
        let (x, y) = (field(b, x, 8, index), field(b, y, 8, index));
        let product = b.binary(BinaryOp::Mul, x, y);
        sum = b.binary(BinaryOp::Add, sum, product);
    }
    Ok(vec![sum])
}

/// `floor(0.5 + (2^(bits - 1) - 1) * clamp(x, -1, 1))`. The conversion rounds towards 0, so `floor` is needed.
fn signed_normalised(b: &mut Builder, bits: u32, x: Value) -> Value {
    let scaled = scaled_to(b, x, -1.0, (1 << (bits - 1)) - 1);
    let floor = b.unary(UnaryOp::Floor, scaled);
    b.convert(Convert::F32ToI32S, floor)
}

/// `floor(0.5 + (2^bits - 1) * clamp(x, 0, 1))`. The value is not negative, so the conversion rounds down.
fn unsigned_normalised(b: &mut Builder, bits: u32, x: Value) -> Value {
    let scaled = scaled_to(b, x, 0.0, (1 << bits) - 1);
    b.convert(Convert::F32ToI32S, scaled)
}

fn scaled_to(b: &mut Builder, x: Value, low: f32, greatest: u32) -> Value {
    let (low, high) = (b.f32(low), b.f32(1.0));
    let clamped = clamp(b, x, low, high);
    let (factor, half) = (b.f32(greatest as f32), b.f32(0.5));
    let scaled = b.binary(BinaryOp::Mul, clamped, factor);
    b.binary(BinaryOp::Add, scaled, half)
}

fn unsigned_field(b: &mut Builder, word: Value, bits: u32, index: u32) -> Value {
    let shift = b.u32(index * bits);
    let low = b.binary(BinaryOp::ShrU, word, shift);
    if (index + 1) * bits == 32 {
        return low;
    }
    let mask = b.u32((1 << bits) - 1);
    b.binary(BinaryOp::And, low, mask)
}

fn signed_field(b: &mut Builder, word: Value, bits: u32, index: u32) -> Value {
    let (up, down) = (b.u32(32 - (index + 1) * bits), b.u32(32 - bits));
    let top = b.binary(BinaryOp::Shl, word, up);
    b.binary(BinaryOp::ShrS, top, down)
}
