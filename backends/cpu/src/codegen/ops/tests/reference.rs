//! Reference implementations of the operations in plain Rust.

use crate::ir::{BinaryOp, Class, CompareOp, Convert, UnaryOp};

fn f32s(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn from_f32(value: f32) -> u64 {
    u64::from(value.to_bits())
}

pub(super) fn unary(op: UnaryOp, class: Class, a: u64) -> u64 {
    macro_rules! integer {
        ($t:ty) => {{
            let a = a as $t;
            (match op {
                UnaryOp::Neg => a.wrapping_neg(),
                UnaryOp::Not => !a,
                UnaryOp::Clz => a.leading_zeros() as $t,
                UnaryOp::Ctz => a.trailing_zeros() as $t,
                UnaryOp::Popcount => a.count_ones() as $t,
                UnaryOp::ReverseBits => a.reverse_bits(),
                _ => unreachable!(),
            }) as u64
        }};
    }
    macro_rules! float {
        ($a:expr) => {{
            let a = $a;
            match op {
                UnaryOp::Neg => -a,
                UnaryOp::Abs => a.abs(),
                UnaryOp::Sqrt => a.sqrt(),
                UnaryOp::Ceil => a.ceil(),
                UnaryOp::Floor => a.floor(),
                UnaryOp::Trunc => a.trunc(),
                UnaryOp::Nearest => a.round_ties_even(),
                _ => unreachable!(),
            }
        }};
    }
    match class {
        Class::Bool => a ^ 1,
        Class::I32 => integer!(u32),
        Class::I64 => integer!(u64),
        Class::F32 if op == UnaryOp::RoundF16 => from_f32(round_f16(f32s(a))),
        Class::F32 => from_f32(float!(f32s(a))),
        Class::F64 => float!(f64::from_bits(a)).to_bits(),
    }
}

pub(super) fn binary(op: BinaryOp, class: Class, a: u64, b: u64) -> u64 {
    macro_rules! integer {
        ($u:ty, $s:ty) => {{
            let (a, b) = (a as $u, b as $u);
            let (signed_a, signed_b) = (a as $s, b as $s);
            (match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::DivS | BinaryOp::DivU if b == 0 => a,
                BinaryOp::RemS | BinaryOp::RemU if b == 0 => 0,
                BinaryOp::DivS => signed_a.wrapping_div(signed_b) as $u,
                BinaryOp::DivU => a / b,
                BinaryOp::RemS => signed_a.wrapping_rem(signed_b) as $u,
                BinaryOp::RemU => a % b,
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Shl => a.wrapping_shl(b as u32),
                BinaryOp::ShrS => signed_a.wrapping_shr(b as u32) as $u,
                BinaryOp::ShrU => a.wrapping_shr(b as u32),
                BinaryOp::MinS => signed_a.min(signed_b) as $u,
                BinaryOp::MinU => a.min(b),
                BinaryOp::MaxS => signed_a.max(signed_b) as $u,
                BinaryOp::MaxU => a.max(b),
                _ => unreachable!(),
            }) as u64
        }};
    }
    macro_rules! float {
        ($a:expr, $b:expr) => {{
            let (a, b) = ($a, $b);
            match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                BinaryOp::Min | BinaryOp::Max if b.is_nan() => a,
                BinaryOp::Min => {
                    if a < b {
                        a
                    } else {
                        b
                    }
                }
                BinaryOp::Max => {
                    if b < a {
                        a
                    } else {
                        b
                    }
                }
                _ => unreachable!(),
            }
        }};
    }
    match class {
        Class::Bool | Class::I32 => integer!(u32, i32),
        Class::I64 => integer!(u64, i64),
        Class::F32 => from_f32(float!(f32s(a), f32s(b))),
        Class::F64 => float!(f64::from_bits(a), f64::from_bits(b)).to_bits(),
    }
}

pub(super) fn compare(op: CompareOp, class: Class, a: u64, b: u64) -> u64 {
    let (signed_a, signed_b) = match class {
        Class::I32 => (i64::from(a as i32), i64::from(b as i32)),
        _ => (a as i64, b as i64),
    };
    if matches!(class, Class::F32 | Class::F64) {
        let value = |bits| if class == Class::F32 { f64::from(f32s(bits)) } else { f64::from_bits(bits) };
        let (a, b) = (value(a), value(b));
        return u64::from(match op {
            CompareOp::Eq => a == b,
            CompareOp::Ne => a != b,
            CompareOp::Lt => a < b,
            _ => a <= b,
        });
    }
    u64::from(match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::LtS => signed_a < signed_b,
        CompareOp::LeS => signed_a <= signed_b,
        CompareOp::LtU => a < b,
        _ => a <= b,
    })
}

pub(super) fn convert(op: Convert, a: u64) -> u64 {
    let word = a as u32;
    let single = f32s(a);
    let double = f64::from_bits(a);
    match op {
        Convert::BoolToI32 | Convert::BitsI32ToF32 | Convert::BitsF32ToI32 => a,
        Convert::BitsI64ToF64 | Convert::BitsF64ToI64 | Convert::I32ToI64U => a,
        Convert::I32ToF32S => from_f32(word as i32 as f32),
        Convert::I32ToF32U => from_f32(word as f32),
        Convert::I32ToF64S => f64::from(word as i32).to_bits(),
        Convert::I32ToF64U => f64::from(word).to_bits(),
        Convert::I64ToF32S => from_f32(a as i64 as f32),
        Convert::I64ToF32U => from_f32(a as f32),
        Convert::I64ToF64S => (a as i64 as f64).to_bits(),
        Convert::I64ToF64U => (a as f64).to_bits(),
        Convert::F32ToI32S => u64::from(single as i32 as u32),
        Convert::F32ToI32U => u64::from(single as u32),
        Convert::F32ToI64S => single as i64 as u64,
        Convert::F32ToI64U => single as u64,
        Convert::F64ToI32S => u64::from(double as i32 as u32),
        Convert::F64ToI32U => u64::from(double as u32),
        Convert::F64ToI64S => double as i64 as u64,
        Convert::F64ToI64U => double as u64,
        Convert::F32ToF64 => f64::from(single).to_bits(),
        Convert::F64ToF32 => from_f32(double as f32),
        Convert::I32ToI64S => i64::from(word as i32) as u64,
        Convert::I64ToI32 => u64::from(word),
        Convert::HalfBitsToF32 => from_f32(half_to_f32(word as u16)),
        Convert::F32ToHalfBits => u64::from(half_bits(single)),
    }
}

/// The nearest f16: a multiple of the unit in the last place, computed in f64.
pub(super) fn round_f16(x: f32) -> f32 {
    if x.is_nan() || x.is_infinite() || x == 0.0 {
        return x;
    }
    let exponent = ((x.to_bits() >> 23 & 0xff) as i32 - 127).max(-14);
    let unit = 2f64.powi(exponent - 10);
    let rounded = (f64::from(x) / unit).round_ties_even() * unit;
    if rounded.abs() >= 65536.0 { f32::INFINITY.copysign(x) } else { rounded as f32 }
}

fn half_bits(x: f32) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = round_f16(x).abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    (0..=0x7c00).rev().find(|&bits| half_to_f32(bits) <= magnitude).unwrap() | sign
}

pub(super) fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let value = match i32::from(bits >> 10 & 31) {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    (sign * value) as f32
}
