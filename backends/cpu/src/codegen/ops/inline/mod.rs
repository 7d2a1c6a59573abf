//! Functions as instructions in `f32`, in place of calls of [`crate::math`].
//!
//! A call passes its lanes through memory and computes in `f64`, two lanes of a vector at a time; here four lanes stay in
//! their register. The price is precision: errors reach [`bound`] in place of 0.502 ulp, far below what WGSL allows.
//! Reductions are those of [`crate::math`] with constants in two `f32` parts (Cody and Waite, Software Manual for the
//! Elementary Functions, 1980), whose products are exact in a fused multiply-add. Polynomials are minimax fits of the
//! relative error by Lawson's iteration (least squares, reweighted by the error, on 1,200 Chebyshev nodes); coefficients
//! were rounded to `f32` one after the other, lowest power first, with a new fit of those that remained.
//!
//! No lane takes a branch: limits, zeros, subnormal numbers, infinities and NaN go through the same instructions, except
//! for large arguments of sine and cosine, which are called. The tests compare all `f32` arguments with `f64`.

mod exponential;
mod hyperbolic;
mod logarithm;
mod root;
mod trigonometric;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::{Emit, Parts};
use crate::ir::Class;
use crate::math::LaneFunction;

/// 1.5 * 2^23: a float below 2^22 in magnitude plus this number is rounded to the nearest integer, which is then in the
/// low bits of the sum, in two's complement.
const ROUNDER: f32 = 12_582_912.0;

/// The largest error of a function in units in the last place of the exact result, rounded up; `None` for functions that
/// are always called. The tests measure it over all arguments.
pub(super) fn bound(function: LaneFunction) -> Option<f64> {
    Some(match function {
        LaneFunction::Exp | LaneFunction::Exp2 | LaneFunction::Log => 1.05,
        LaneFunction::Log2 => 1.15,
        LaneFunction::Tanh => 1.9,
        LaneFunction::Sin | LaneFunction::Cos => 1.6,
        _ => return None,
    })
}

/// The greatest magnitude of an argument that the instructions of a function take; `None` if they take all.
fn limit(function: LaneFunction) -> Option<f32> {
    matches!(function, LaneFunction::Sin | LaneFunction::Cos).then_some(trigonometric::LIMIT)
}

impl Emit<'_, '_> {
    /// Whether the target has the instructions for a function. They are fused: without that, errors would be larger.
    pub(super) fn is_inline(&self, function: LaneFunction) -> bool {
        self.target.inline && self.target.fma && bound(function).is_some()
    }

    /// Emits an inline function of eight lanes.
    pub(super) fn inline(&mut self, function: LaneFunction, a: &[Value]) -> Parts {
        let near = self.each(a, |emit, a| emit.inline_vector(function, a));
        match limit(function) {
            Some(limit) => self.beyond(function, limit, a, &near),
            None => near,
        }
    }

    /// Emits an inline function of a scalar, with the same result as [`Self::inline`].
    pub(super) fn inline_scalar(&mut self, function: LaneFunction, a: Value) -> Value {
        if limit(function).is_some() {
            let a = self.splat(Class::F32, a);
            let results = self.inline(function, &a);
            return self.lane(Class::F32, &results, 0);
        }
        self.through_vector(Class::F32, Class::F32, a, |emit, a| emit.inline_vector(function, a))
    }

    fn inline_vector(&mut self, function: LaneFunction, x: Value) -> Value {
        match function {
            LaneFunction::Exp => self.exp(x),
            LaneFunction::Exp2 => self.exp2(x),
            LaneFunction::Log => self.log(x),
            LaneFunction::Log2 => self.log2(x),
            LaneFunction::Tanh => self.tanh(x),
            LaneFunction::Sin => self.sin(x, 0),
            LaneFunction::Cos => self.sin(x, 1),
            _ => x,
        }
    }

    /// A number in every lane.
    fn number(&mut self, number: f32) -> Value {
        self.vector(self.floats(), u64::from(number.to_bits()))
    }

    /// An integer in every lane.
    fn integer(&mut self, integer: i32) -> Value {
        self.vector(self.integers(), u64::from(integer.cast_unsigned()))
    }

    /// `x * factor + addend` with constants.
    fn scaled_plus(&mut self, x: Value, factor: f32, addend: f32) -> Value {
        let (factor, addend) = (self.number(factor), self.number(addend));
        self.b.ins().fma(x, factor, addend)
    }

    /// `integer * constant + x`, where the constant is the sum of two parts.
    fn plus_product(&mut self, x: Value, integer: Value, [high, low]: [f32; 2]) -> Value {
        let (high, low) = (self.number(high), self.number(low));
        let x = self.b.ins().fma(integer, high, x);
        self.b.ins().fma(integer, low, x)
    }

    /// The value at `x` of a polynomial, the constant first (Horner's scheme).
    fn horner(&mut self, x: Value, coefficients: &[f32]) -> Value {
        let mut powers = coefficients.iter().rev();
        let mut sum = self.number(powers.next().copied().unwrap_or_default());
        for coefficient in powers {
            let coefficient = self.number(*coefficient);
            sum = self.b.ins().fma(sum, x, coefficient);
        }
        sum
    }

    /// `x`, or `limit` if `x` is above it; NaN stays NaN. This is one instruction on x86-64.
    fn at_most(&mut self, x: Value, limit: f32) -> Value {
        let limit = self.number(limit);
        let above = self.b.ins().fcmp(FloatCC::LessThan, limit, x);
        let above = self.cast(self.floats(), above);
        self.b.ins().bitselect(above, limit, x)
    }

    /// `x`, or `limit` if `x` is below it; NaN stays NaN.
    fn at_least(&mut self, x: Value, limit: f32) -> Value {
        let limit = self.number(limit);
        let below = self.b.ins().fcmp(FloatCC::LessThan, x, limit);
        let below = self.cast(self.floats(), below);
        self.b.ins().bitselect(below, limit, x)
    }
}
