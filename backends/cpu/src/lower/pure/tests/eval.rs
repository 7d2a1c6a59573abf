//! Interprets a builder's instructions in order, on the bits of scalars.

use crate::ir::{BinaryOp, Builder, Class, CompareOp, Convert, Inst, Stmt, TernaryOp, UnaryOp, Value};
use crate::math::{eval_f32, reference};

/// Returns the bits of `results`, where variable `i` has the bits `vars[i]`.
pub(super) fn eval(b: Builder, vars: &[u64], results: &[Value]) -> Vec<u64> {
    let function = b.finish();
    let mut bits = vec![0; function.insts.len()];
    for (index, inst) in function.insts.iter().enumerate() {
        if let Inst::Const(_, value) = inst {
            bits[index] = *value;
        }
    }
    for statement in &function.body {
        let Stmt::Let(value) = statement else { panic!("{statement:?}") };
        let of = |operand: &Value| bits[operand.0 as usize];
        let class = function.class(*value);
        let result = match function.inst(*value) {
            Inst::Read(var) => vars[var.0 as usize],
            Inst::Unary(op, a) => unary(*op, class, of(a)),
            Inst::Binary(op, a, c) => binary(*op, class, of(a), of(c)),
            Inst::Ternary(TernaryOp::Fma, x, y, z) if class == Class::F32 => {
                single(reference::fma_f32(f32s(of(x)), f32s(of(y)), f32s(of(z))))
            }
            Inst::Compare(op, a, c) => u64::from(compare(*op, function.class(*a), of(a), of(c))),
            Inst::Select(c, x, y) => of(if of(c) != 0 { x } else { y }),
            Inst::Convert(op, a) => convert(*op, of(a)),
            Inst::Call(function, x, y) if class == Class::F32 => single(eval_f32(*function, f32s(of(x)), f32s(of(y)))),
            other => panic!("{other:?}"),
        };
        bits[value.0 as usize] = if class.bytes() == 4 { result & 0xffff_ffff } else { result };
    }
    results.iter().map(|value| bits[value.0 as usize]).collect()
}

fn f32s(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn single(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// The nearest f16, computed with arithmetic rather than with bits as in the compiler.
pub(super) fn round_f16(x: f32) -> f32 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let exponent = (f64::from(x.abs()).log2().floor() as i32).max(-14);
    let quantum = f64::from(exponent - 10).exp2();
    let rounded = (f64::from(x) / quantum).round_ties_even() * quantum;
    if rounded.abs() >= 65520.0 { f32::INFINITY.copysign(x) } else { (rounded as f32).copysign(x) }
}

/// The bits of an f16.
pub(super) fn half_bits(x: f32) -> u32 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = (0..0x7c00).find(|bits| from_half_bits(*bits) == x.abs());
    sign | magnitude.unwrap_or(if x.is_nan() { 0x7e00 } else { 0x7c00 })
}

/// The value of the f16 with these bits.
pub(super) fn from_half_bits(bits: u32) -> f32 {
    let (exponent, fraction) = ((bits >> 10) & 31, (bits & 0x3ff) as f32);
    let magnitude = match exponent {
        0 => fraction * (-24_f32).exp2(),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * (exponent as f32 - 25.0).exp2(),
    };
    if bits & 0x8000 != 0 { -magnitude } else { magnitude }
}

fn unary(op: UnaryOp, class: Class, x: u64) -> u64 {
    let float = |single_op: fn(f32) -> f32, double: fn(f64) -> f64| match class {
        Class::F64 => double(f64::from_bits(x)).to_bits(),
        _ => single(single_op(f32s(x))),
    };
    let wide = class == Class::I64;
    match op {
        UnaryOp::Neg if matches!(class, Class::F32 | Class::F64) => float(|x| -x, |x| -x),
        UnaryOp::Neg => x.wrapping_neg(),
        UnaryOp::Not if class == Class::Bool => x ^ 1,
        UnaryOp::Not => !x,
        UnaryOp::Abs => float(f32::abs, f64::abs),
        UnaryOp::Clz => u64::from(if wide { x.leading_zeros() } else { (x as u32).leading_zeros() }),
        UnaryOp::Ctz => u64::from(if wide { x.trailing_zeros() } else { (x as u32).trailing_zeros() }),
        UnaryOp::Popcount => u64::from(x.count_ones()),
        UnaryOp::ReverseBits if wide => x.reverse_bits(),
        UnaryOp::ReverseBits => u64::from((x as u32).reverse_bits()),
        UnaryOp::Sqrt => float(f32::sqrt, f64::sqrt),
        UnaryOp::Ceil => float(f32::ceil, f64::ceil),
        UnaryOp::Floor => float(f32::floor, f64::floor),
        UnaryOp::Trunc => float(f32::trunc, f64::trunc),
        UnaryOp::Nearest => float(f32::round_ties_even, f64::round_ties_even),
        UnaryOp::RoundF16 => float(round_f16, |_| panic!("RoundF16 of a double")),
    }
}

fn binary(op: BinaryOp, class: Class, x: u64, y: u64) -> u64 {
    match class {
        Class::F32 => single(float(op, f64::from(f32s(x)), f64::from(f32s(y))) as f32),
        Class::F64 => float(op, f64::from_bits(x), f64::from_bits(y)).to_bits(),
        Class::I64 => integer(op, x, y, 64),
        Class::I32 | Class::Bool => {
            let extend = |x: u64| i64::from((x as u32).cast_signed()).cast_unsigned();
            let signed =
                matches!(op, BinaryOp::DivS | BinaryOp::RemS | BinaryOp::MinS | BinaryOp::MaxS | BinaryOp::ShrS);
            if signed { integer(op, extend(x), extend(y), 32) } else { integer(op, x, y, 32) }
        }
    }
}

/// Computes in double precision: sums, products and quotients of singles are still correctly rounded afterwards.
fn float(op: BinaryOp, x: f64, y: f64) -> f64 {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        BinaryOp::Min => x.min(y),
        BinaryOp::Max => x.max(y),
        other => panic!("{other:?} of floats"),
    }
}

fn integer(op: BinaryOp, x: u64, y: u64, width: u64) -> u64 {
    let (s, t) = (x.cast_signed(), y.cast_signed());
    let amount = y % width;
    match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::DivS => {
            if t == 0 {
                x
            } else {
                s.wrapping_div(t).cast_unsigned()
            }
        }
        BinaryOp::RemS => {
            if t == 0 {
                0
            } else {
                s.wrapping_rem(t).cast_unsigned()
            }
        }
        BinaryOp::DivU => x.checked_div(y).unwrap_or(x),
        BinaryOp::RemU => x.checked_rem(y).unwrap_or(0),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x << amount,
        BinaryOp::ShrS => (s >> amount).cast_unsigned(),
        BinaryOp::ShrU => x >> amount,
        BinaryOp::MinS => s.min(t).cast_unsigned(),
        BinaryOp::MaxS => s.max(t).cast_unsigned(),
        BinaryOp::MinU => x.min(y),
        BinaryOp::MaxU => x.max(y),
        other => panic!("{other:?} of integers"),
    }
}

fn compare(op: CompareOp, class: Class, x: u64, y: u64) -> bool {
    let (u, v) = match class {
        Class::F32 => (f64::from(f32s(x)), f64::from(f32s(y))),
        Class::F64 => (f64::from_bits(x), f64::from_bits(y)),
        _ => (0.0, 0.0),
    };
    let float = matches!(class, Class::F32 | Class::F64);
    let sign = |x: u64| if class == Class::I64 { x.cast_signed() } else { i64::from((x as u32).cast_signed()) };
    match op {
        CompareOp::Eq if float => u == v,
        CompareOp::Ne if float => u != v,
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::Lt => u < v,
        CompareOp::Le => u <= v,
        CompareOp::LtS => sign(x) < sign(y),
        CompareOp::LeS => sign(x) <= sign(y),
        CompareOp::LtU => x < y,
        CompareOp::LeU => x <= y,
    }
}

fn convert(op: Convert, x: u64) -> u64 {
    let (word, signed) = (x as u32, (x as u32).cast_signed());
    let (f, d) = (f32s(x), f64::from_bits(x));
    match op {
        Convert::BoolToI32 | Convert::I32ToI64U | Convert::I64ToI32 => x,
        Convert::BitsI32ToF32 | Convert::BitsF32ToI32 | Convert::BitsI64ToF64 | Convert::BitsF64ToI64 => x,
        Convert::I32ToF32S => single(signed as f32),
        Convert::I32ToF32U => single(word as f32),
        Convert::I32ToF64S => f64::from(signed).to_bits(),
        Convert::I32ToF64U => f64::from(word).to_bits(),
        Convert::I64ToF32S => single(x.cast_signed() as f32),
        Convert::I64ToF32U => single(x as f32),
        Convert::I64ToF64S => (x.cast_signed() as f64).to_bits(),
        Convert::I64ToF64U => (x as f64).to_bits(),
        Convert::F32ToI32S => u64::from((f as i32).cast_unsigned()),
        Convert::F32ToI32U => u64::from(f as u32),
        Convert::F32ToI64S => (f as i64).cast_unsigned(),
        Convert::F32ToI64U => f as u64,
        Convert::F64ToI32S => u64::from((d as i32).cast_unsigned()),
        Convert::F64ToI32U => u64::from(d as u32),
        Convert::F64ToI64S => (d as i64).cast_unsigned(),
        Convert::F64ToI64U => d as u64,
        Convert::F32ToF64 => f64::from(f).to_bits(),
        Convert::F64ToF32 => single(d as f32),
        Convert::I32ToI64S => i64::from(signed).cast_unsigned(),
        Convert::HalfBitsToF32 => single(from_half_bits(word & 0xffff)),
        Convert::F32ToHalfBits => u64::from(half_bits(round_f16(f))),
    }
}
