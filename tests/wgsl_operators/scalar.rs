//! Scalar types of WGSL, and their values as bits.

use std::fmt;

use half::f16;

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    F16,
    F32,
    F64,
    I32,
    U32,
    I64,
    U64,
    Bool,
}

use Scalar::{Bool, F16, F32, F64, I32, I64, U32, U64};

pub(crate) const FLOATS: &[Scalar] = &[F32, F16, F64];
/// The types of floats for which every built-in function is specified.
pub(crate) const SHORT_FLOATS: &[Scalar] = &[F32, F16];
pub(crate) const INTEGERS: &[Scalar] = &[I32, U32, I64, U64];
pub(crate) const SIGNED: &[Scalar] = &[I32, I64, F32, F16, F64];
pub(crate) const NUMBERS: &[Scalar] = &[F32, I32, U32, F16, F64, I64, U64];
pub(crate) const ALL: &[Scalar] = &[F32, I32, U32, Bool, F16, F64, I64, U64];

impl Scalar {
    pub(crate) fn name(self) -> &'static str {
        match self {
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
            I32 => "i32",
            U32 => "u32",
            I64 => "i64",
            U64 => "u64",
            Bool => "bool",
        }
    }

    /// The WGSL name of the type in a buffer, which cannot contain a `bool`.
    pub(crate) fn stored(self) -> &'static str {
        if self == Bool { "u32" } else { self.name() }
    }

    /// The size of a value in a buffer, in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            F16 => 2,
            F32 | I32 | U32 | Bool => 4,
            F64 | I64 | U64 => 8,
        }
    }

    /// The width of an integer, in bits.
    pub(crate) fn width(self) -> u32 {
        self.size() as u32 * 8
    }

    /// The feature that a device needs for the type.
    pub(crate) fn feature(self) -> Option<&'static str> {
        match self {
            F16 => Some("f16"),
            F64 => Some("f64"),
            I64 | U64 => Some("i64"),
            F32 | I32 | U32 | Bool => None,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, I32 | I64)
    }

    /// The number of fraction bits of a float's significand, and the exponent of the float type's least normal value.
    fn significand(self) -> (i32, i32) {
        match self {
            F16 => (10, -14),
            F64 => (52, -1022),
            _ => (23, -126),
        }
    }

    /// The least positive normal value of a float type.
    pub(crate) fn min_normal(self) -> f64 {
        exp2i(self.significand().1)
    }

    /// The greatest finite value of a float type.
    pub(crate) fn greatest(self) -> f64 {
        match self {
            F16 => 65504.0,
            F64 => f64::MAX,
            _ => f64::from(f32::MAX),
        }
    }

    /// The unit in the last place of a float near `value`.
    pub(crate) fn ulp(self, value: f64) -> f64 {
        let (bits, least) = self.significand();
        let magnitude = value.abs().min(self.greatest());
        let exponent = if magnitude < self.min_normal() {
            least
        } else {
            // No f64 value here is subnormal, so the exponent field contains the exponent.
            ((magnitude.to_bits() >> 52) as i32 & 0x7ff) - 1023
        };
        exp2i(exponent - bits)
    }

    /// The least and the greatest value of an integer type.
    pub(crate) fn range(self) -> (i128, i128) {
        match self {
            I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
            U32 => (0, i128::from(u32::MAX)),
            I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
            _ => (0, i128::from(u64::MAX)),
        }
    }
}

/// A power of two, which may be subnormal.
pub(crate) fn exp2i(exponent: i32) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else {
        f64::from_bits(1u64 << (exponent + 1074).max(0))
    }
}

/// A value of a scalar type, as bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) scalar: Scalar,
    pub(crate) bits: u64,
}

impl Value {
    pub(crate) fn new(scalar: Scalar, bits: u64) -> Self {
        let mask = if scalar.size() == 8 { u64::MAX } else { (1 << scalar.width()) - 1 };
        Self { scalar, bits: bits & mask }
    }

    /// The float nearest to `value`, ties to even.
    pub(crate) fn float(scalar: Scalar, value: f64) -> Self {
        let bits = match scalar {
            F64 => value.to_bits(),
            F16 => u64::from(nearest_half(value).to_bits()),
            _ => u64::from((value as f32).to_bits()),
        };
        Self { scalar, bits }
    }

    /// The integer that `value` wraps to.
    pub(crate) fn int(scalar: Scalar, value: i128) -> Self {
        Self::new(scalar, value as u64)
    }

    pub(crate) fn bool(value: bool) -> Self {
        Self { scalar: Bool, bits: u64::from(value) }
    }

    /// The value as an `f64`, for a float.
    pub(crate) fn f(self) -> f64 {
        match self.scalar {
            F16 => f16::from_bits(self.bits as u16).to_f64(),
            F64 => f64::from_bits(self.bits),
            _ => f64::from(f32::from_bits(self.bits as u32)),
        }
    }

    /// The value as an `i128`, for an integer.
    pub(crate) fn i(self) -> i128 {
        match self.scalar {
            I32 => i128::from(self.bits as u32 as i32),
            I64 => i128::from(self.bits as i64),
            _ => i128::from(self.bits),
        }
    }

    pub(crate) fn b(self) -> bool {
        self.bits != 0
    }

    pub(crate) fn is_subnormal(self) -> bool {
        self.scalar.is_float() && self.f() != 0.0 && self.f().abs() < self.scalar.min_normal()
    }

    /// Whether the value is an infinite float or NaN.
    pub(crate) fn is_special(self) -> bool {
        self.scalar.is_float() && !self.f().is_finite()
    }

    pub(crate) fn is_float_zero(self) -> bool {
        self.scalar.is_float() && self.f() == 0.0
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.scalar.size()].to_vec()
    }

    pub(crate) fn from_bytes(scalar: Scalar, bytes: &[u8]) -> Self {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        Self { scalar, bits: u64::from_le_bytes(word) }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.scalar.size() * 2;
        match self.scalar {
            Bool => write!(f, "{} ({})", self.b(), self.bits),
            F16 | F32 | F64 => write!(f, "{:e} (0x{:0digits$x})", self.f(), self.bits),
            _ => write!(f, "{} (0x{:0digits$x})", self.i(), self.bits),
        }
    }
}

/// Rounds once to an f16; a conversion through f32 would round twice.
fn nearest_half(value: f64) -> f16 {
    if !value.is_finite() {
        return f16::from_f64(value);
    }
    let unit = F16.ulp(value);
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() > F16.greatest() {
        return if value > 0.0 { f16::INFINITY } else { f16::NEG_INFINITY };
    }
    f16::from_f64(rounded)
}
