//! The allowed error of a result, from the WGSL specification, section "Floating Point Accuracy".
//!
//! The specification states a bound for some functions; for others the error follows from a formula. [`Inexact`] is a
//! value with such an error: the evaluation of the formula with this type results in the bound.

use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::operator_suite::scalar::{Scalar, Value, exp2i};
use crate::operator_suite::want::Want;

/// The largest error of `cpu` where WGSL allows a smaller error or states no bound.
const MAX_CPU_ULP: f64 = 4.0;

/// Expects a result within WGSL's accuracy of `value`; `within` is an absolute bound.
pub(crate) fn near(scalar: Scalar, value: f64, within: f64) -> Want {
    let own = MAX_CPU_ULP * scalar.ulp(value);
    let cpu = if within.is_finite() { own.max(within) } else { own };
    let cpu = Want::Near { value, within: cpu };
    if within.is_finite() || !value.is_finite() {
        // A bound of 0 is not from WGSL, but belongs to a type that WGSL does not have.
        let others = Want::Near { value, within: within.max(if within == 0.0 { own } else { 0.0 }) };
        return Want::per_backend(cpu, others);
    }
    Want::per_backend(cpu, Want::Any)
}

/// Expects a result that IEEE 754 rounds once, as `cpu` must; others may differ by `ulps`.
pub(crate) fn rounded(scalar: Scalar, value: f64, ulps: f64) -> Want {
    let others = Want::Near { value, within: ulps * scalar.ulp(value) };
    Want::per_backend(Want::float(scalar, value), others)
}

/// Expects a result that IEEE 754 rounds to the nearest, as `cpu` must. "Correctly rounded" allows other backends
/// either neighbour of the exact result, so a result just below the least normal value may be flushed to zero.
pub(crate) fn correctly_rounded(scalar: Scalar, exact: f64) -> Want {
    let nearest = Value::float(scalar, exact);
    if exact.is_nan() || nearest.f() == exact {
        return Want::Is(nearest);
    }
    // Bits minus one are the neighbour towards zero, and bits plus one the neighbour away from it. The neighbour of an
    // infinity is the greatest value.
    let beyond = nearest.f().abs() > exact.abs();
    let other = Value::new(scalar, if beyond { nearest.bits - 1 } else { nearest.bits + 1 });
    Want::per_backend(Want::Is(nearest), Want::OneOf([nearest, other].map(Want::Is).to_vec()))
}

/// Expects a result within the error that its formula accumulates.
pub(crate) fn inherited(value: f64, formula: Inexact) -> Want {
    // The rounding errors of f64 in the formula are negligible.
    near(formula.scalar, value, formula.error)
}

/// A computed value with the largest possible error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inexact {
    pub(crate) scalar: Scalar,
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Inexact {
    pub(crate) fn exact(scalar: Scalar, value: f64) -> Self {
        Self { scalar, value, error: 0.0 }
    }

    /// Returns `value` with the accumulated `error`, plus an error of `ulps` of its own.
    fn result(self, value: f64, error: f64, ulps: f64) -> Self {
        let own = ulps * self.scalar.ulp(value);
        // Subnormal intermediate results may be flushed, and too large ones lost.
        let flushed = if value != 0.0 && value.abs() < self.scalar.min_normal() { value.abs() } else { 0.0 };
        let lost = if value.is_finite() && value.abs() <= self.scalar.greatest() { 0.0 } else { f64::INFINITY };
        let error = error + own.max(flushed) + lost;
        Self { value, error: if error.is_nan() { f64::INFINITY } else { error }, ..self }
    }

    /// A constant of the same type, without an error.
    pub(crate) fn of(self, value: f64) -> Self {
        Self::exact(self.scalar, value)
    }

    pub(crate) fn inverse_sqrt(self) -> Self {
        let value = self.value.sqrt().recip();
        let spread = ((self.value - self.error).max(0.0).sqrt().recip() - value).abs();
        self.result(value, spread, 2.0)
    }

    pub(crate) fn sqrt(self) -> Self {
        if self.value == 0.0 && self.error == 0.0 {
            return self;
        }
        // The specification defines the root as 1 / inverseSqrt(x); near zero the error is the root of the argument's
        // error.
        let value = self.value.sqrt();
        let low = value - (self.value - self.error).max(0.0).sqrt();
        let high = (self.value + self.error).sqrt() - value;
        self.result(value, low.max(high), 5.0)
    }

    pub(crate) fn exp(self) -> Self {
        let value = self.value.exp();
        self.result(value, value * self.error.exp_m1(), self.exponential_ulps())
    }

    pub(crate) fn exp2(self) -> Self {
        let value = self.value.exp2();
        self.result(value, value * (self.error.exp2() - 1.0), self.exponential_ulps())
    }

    /// The error of exponentials in ulps: 3 + 2 |x|, or 1 + 2 |x| for f16.
    fn exponential_ulps(self) -> f64 {
        (if self.scalar == Scalar::F16 { 1.0 } else { 3.0 }) + 2.0 * self.value.abs()
    }

    pub(crate) fn log(self) -> Self {
        self.logarithm(self.value.ln(), 1.0)
    }

    pub(crate) fn log2(self) -> Self {
        self.logarithm(self.value.log2(), std::f64::consts::LN_2)
    }

    fn logarithm(self, value: f64, base: f64) -> Self {
        let low = self.value - self.error;
        let spread = if low > 0.0 { (self.value / low).ln() / base } else { f64::INFINITY };
        if (0.5..=2.0).contains(&self.value) {
            // The bound of every logarithm is absolute in this range.
            let own = match self.scalar {
                Scalar::F16 => exp2i(-7),
                Scalar::F32 => exp2i(-21),
                _ => MAX_CPU_ULP * self.scalar.ulp(1.0),
            };
            return self.result(value, spread + own, 0.0);
        }
        self.result(value, spread, 3.0)
    }

    /// The result of `sin` and `cos`, with an error of 2^-11 from -pi to pi, 2^-7 for f16; elsewhere there is no bound.
    pub(crate) fn circular(self, value: f64) -> Self {
        let own = match self.scalar {
            _ if self.value.abs() > PI => f64::INFINITY,
            Scalar::F16 => exp2i(-7),
            Scalar::F32 => exp2i(-11),
            _ => MAX_CPU_ULP * self.scalar.ulp(1.0),
        };
        self.result(value, self.error + own, 0.0)
    }
}

impl Add for Inexact {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.result(self.value + other.value, self.error + other.error, 1.0)
    }
}

impl Sub for Inexact {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Inexact {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Mul for Inexact {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let error = self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        self.result(self.value * other.value, error, 1.0)
    }
}

impl Div for Inexact {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let divisor = other.value.abs() - other.error;
        // The specification states no accuracy where the reciprocal of the divisor is not normal.
        let bounds = self.scalar.min_normal()..=self.scalar.min_normal().recip();
        if !bounds.contains(&divisor) {
            return self.result(value, f64::INFINITY, 0.0);
        }
        self.result(value, (self.error + value.abs() * other.error) / divisor, 2.5)
    }
}
