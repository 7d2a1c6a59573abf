//! Constant folding: instructions whose result is known at compile time. Arithmetic on floats is not folded.

use crate::ir::{BinaryOp, Class, CompareOp, Convert, Function, Inst, UnaryOp, Value};

/// The replacement of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folded {
    /// A constant of the instruction's class.
    Bits(u64),
    /// Another value, which always equals the instruction's result.
    Same(Value),
}

/// Folds an instruction; `None` if its result is unknown. `known` returns the bits of operands that are constant.
pub(crate) fn fold(function: &Function, inst: &Inst, known: impl Fn(Value) -> Option<u64>) -> Option<Folded> {
    match inst {
        Inst::Const(_, bits) => Some(Folded::Bits(*bits)),
        Inst::Unary(op, a) => unary(*op, function.class(*a), known(*a)?).map(Folded::Bits),
        Inst::Binary(op, a, b) => {
            let class = function.class(*a);
            match (known(*a), known(*b)) {
                (Some(x), Some(y)) => binary(*op, class, x, y).map(Folded::Bits),
                (None, Some(y)) => with_constant(*op, class, *a, y),
                (Some(x), None) if commutes(*op) => with_constant(*op, class, *b, x),
                _ => None,
            }
        }
        Inst::Compare(op, a, b) => {
            let holds = compare(*op, function.class(*a), known(*a)?, known(*b)?)?;
            Some(Folded::Bits(u64::from(holds)))
        }
        Inst::Select(_, a, b) if a == b => Some(Folded::Same(*a)),
        Inst::Select(condition, a, b) => {
            let chosen = if known(*condition)? == 0 { *b } else { *a };
            Some(known(chosen).map_or(Folded::Same(chosen), Folded::Bits))
        }
        Inst::Convert(op, a) => convert(*op, known(*a)?).map(Folded::Bits),
        _ => None,
    }
}

fn is_integer(class: Class) -> bool {
    matches!(class, Class::I32 | Class::I64)
}

fn mask(class: Class) -> u64 {
    if class == Class::I64 { u64::MAX } else { 0xffff_ffff }
}

fn signed(class: Class, bits: u64) -> i64 {
    if class == Class::I64 { bits.cast_signed() } else { i64::from((bits as u32).cast_signed()) }
}

fn unary(op: UnaryOp, class: Class, bits: u64) -> Option<u64> {
    if class == Class::Bool {
        return (op == UnaryOp::Not).then_some(bits ^ 1);
    }
    if !is_integer(class) {
        return None;
    }
    let narrow = u64::from(64 - class.bytes() * 8);
    Some(match op {
        UnaryOp::Neg => bits.wrapping_neg() & mask(class),
        UnaryOp::Not => !bits & mask(class),
        UnaryOp::Clz => u64::from(bits.leading_zeros()) - narrow,
        UnaryOp::Ctz => u64::from(bits.trailing_zeros().min(class.bytes() * 8)),
        UnaryOp::Popcount => u64::from(bits.count_ones()),
        UnaryOp::ReverseBits => bits.reverse_bits() >> narrow,
        _ => return None,
    })
}

fn binary(op: BinaryOp, class: Class, x: u64, y: u64) -> Option<u64> {
    if class == Class::Bool {
        return match op {
            BinaryOp::And => Some(x & y),
            BinaryOp::Or => Some(x | y),
            BinaryOp::Xor => Some(x ^ y),
            _ => None,
        };
    }
    if !is_integer(class) {
        return None;
    }
    let (a, b) = (signed(class, x), signed(class, y));
    let amount = y & u64::from(class.bytes() * 8 - 1);
    let bits = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::DivS => (if b == 0 { a } else { a.wrapping_div(b) }).cast_unsigned(),
        BinaryOp::DivU => x.checked_div(y).unwrap_or(x),
        BinaryOp::RemS => (if b == 0 { 0 } else { a.wrapping_rem(b) }).cast_unsigned(),
        BinaryOp::RemU => x.checked_rem(y).unwrap_or(0),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x << amount,
        BinaryOp::ShrS => (a >> amount).cast_unsigned(),
        BinaryOp::ShrU => x >> amount,
        BinaryOp::MinS => a.min(b).cast_unsigned(),
        BinaryOp::MinU => x.min(y),
        BinaryOp::MaxS => a.max(b).cast_unsigned(),
        BinaryOp::MaxU => x.max(y),
        BinaryOp::Div | BinaryOp::Min | BinaryOp::Max => return None,
    };
    Some(bits & mask(class))
}

fn commutes(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}

/// Folds `a op y`, where only `y` is constant.
fn with_constant(op: BinaryOp, class: Class, a: Value, y: u64) -> Option<Folded> {
    if class == Class::Bool {
        return match (op, y) {
            (BinaryOp::And, 0) => Some(Folded::Bits(0)),
            (BinaryOp::Or, 1) => Some(Folded::Bits(1)),
            (BinaryOp::And, 1) | (BinaryOp::Or | BinaryOp::Xor, 0) => Some(Folded::Same(a)),
            _ => None,
        };
    }
    if !is_integer(class) {
        return None;
    }
    match (op, y) {
        (BinaryOp::Mul | BinaryOp::And, 0) => Some(Folded::Bits(0)),
        (
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::ShrS
            | BinaryOp::ShrU,
            0,
        )
        | (BinaryOp::Mul | BinaryOp::DivU | BinaryOp::DivS, 1) => Some(Folded::Same(a)),
        (BinaryOp::And, _) if y == mask(class) => Some(Folded::Same(a)),
        _ => None,
    }
}

fn compare(op: CompareOp, class: Class, x: u64, y: u64) -> Option<bool> {
    if matches!(class, Class::F32 | Class::F64) {
        return None;
    }
    let (a, b) = (signed(class, x), signed(class, y));
    Some(match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::LtS => a < b,
        CompareOp::LeS => a <= b,
        CompareOp::LtU => x < y,
        CompareOp::LeU => x <= y,
        CompareOp::Lt | CompareOp::Le => return None,
    })
}

/// Folds conversions of booleans and integers, and reinterpretations of bits; `None` for other conversions.
fn convert(op: Convert, bits: u64) -> Option<u64> {
    let (small, wide) = ((bits as u32).cast_signed(), bits.cast_signed());
    Some(match op {
        Convert::BoolToI32
        | Convert::I32ToI64U
        | Convert::BitsI32ToF32
        | Convert::BitsF32ToI32
        | Convert::BitsI64ToF64
        | Convert::BitsF64ToI64 => bits,
        Convert::I32ToI64S => i64::from(small).cast_unsigned(),
        Convert::I64ToI32 => bits & 0xffff_ffff,
        Convert::I32ToF32S => u64::from((small as f32).to_bits()),
        Convert::I32ToF32U => u64::from((bits as u32 as f32).to_bits()),
        Convert::I32ToF64S => f64::from(small).to_bits(),
        Convert::I32ToF64U => f64::from(bits as u32).to_bits(),
        Convert::I64ToF32S => u64::from((wide as f32).to_bits()),
        Convert::I64ToF32U => u64::from((bits as f32).to_bits()),
        Convert::I64ToF64S => (wide as f64).to_bits(),
        Convert::I64ToF64U => (bits as f64).to_bits(),
        _ => return None,
    })
}
