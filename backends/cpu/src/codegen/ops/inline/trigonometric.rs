//! Sine and cosine: x = k pi/2 + r with an integer k and |r| <= pi/4, where k selects sin r, cos r or their negatives.
//!
//! The first step of the reduction is exact: x and k times the first part are multiples of the same power of two, and
//! differ by less than 1. Above the [`LIMIT`] the last part of pi/2 would need another one; such arguments are called.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};

use super::super::{Emit, Parts};
use super::ROUNDER;
use crate::ir::Class;
use crate::math::LaneFunction;

/// The greatest magnitude of an argument that is reduced here.
pub(super) const LIMIT: f32 = 131_072.0;

/// -pi/2 in three parts. All are negative, so that they leave the sign of zero as it is.
const MINUS_HALF_PI: [f32; 3] = [-std::f32::consts::FRAC_PI_2.next_down(), -7.549_789_4e-8, -5.390_302_5e-15];

/// The coefficients of (sin r - r) / r^3; the relative error of sin r is below 2^-32.
const SIN_TAIL: [f32; 4] = [-0.166_666_67, 0.008_333_379, -0.000_198_530_78, 0.000_002_832_775_6];

/// The coefficients of (cos r - 1 + r^2 / 2) / r^4; the relative error of cos r is below 2^-32.
const COS_TAIL: [f32; 3] = [0.041_666_646, -0.001_388_731, 0.000_024_432_327];

impl Emit<'_, '_> {
    /// sin(x), for |x| up to the [`LIMIT`]; cos(x) if `quarter` is 1.
    pub(super) fn sin(&mut self, x: Value, quarter: i32) -> Value {
        let shifted = self.scaled_plus(x, std::f32::consts::FRAC_2_PI, ROUNDER);
        let rounder = self.number(ROUNDER);
        let k = self.b.ins().fsub(shifted, rounder);
        let [first, second, third] = MINUS_HALF_PI;
        let r = self.plus_product(x, k, [first, second]);
        let third = self.number(third);
        let r = self.b.ins().fma(k, third, r);
        let square = self.b.ins().fmul(r, r);

        let tail = self.horner(square, &SIN_TAIL);
        let cube = self.b.ins().fmul(square, r);
        let sine = self.b.ins().fma(cube, tail, r);
        // It has the sign of r, also for zero, whose sign the sum does not keep.
        let [sine, sign] = [sine, r].map(|value| self.cast(self.integers(), value));
        let highest = self.integer(i32::MIN);
        let sign = self.b.ins().band(sign, highest);
        let sine = self.b.ins().bor(sine, sign);
        let tail = self.horner(square, &COS_TAIL);
        let minus_half = self.number(-0.5);
        let tail = self.b.ins().fma(square, tail, minus_half);
        let one = self.number(1.0);
        let cosine = self.b.ins().fma(square, tail, one);

        // The low bits of the shifted number are those of k.
        let bits = self.cast(self.integers(), shifted);
        let quarter = self.integer(quarter);
        let quarters = self.b.ins().iadd(bits, quarter);
        // The lowest bit, in the highest one, selects as a mask.
        let odd = self.ishl_by(quarters, 31);
        let odd = self.sshr_by(odd, 31);
        let value = self.choose(odd, cosine, sine);
        let two = self.integer(2);
        let negative = self.b.ins().band(quarters, two);
        let sign = self.ishl_by(negative, 30);
        let value = self.cast(self.integers(), value);
        let value = self.xor(value, sign);
        self.cast(self.floats(), value)
    }

    /// The results of `function`, which are `near` for arguments up to `limit`; beyond it, and for infinities, those of a
    /// call, which is left out if there are no such lanes.
    pub(super) fn beyond(&mut self, function: LaneFunction, limit: f32, x: &[Value], near: &Parts) -> Parts {
        let limit = self.number(limit);
        let far = self.each(x, |emit, x| {
            let magnitude = emit.b.ins().fabs(x);
            let far = emit.b.ins().fcmp(FloatCC::GreaterThan, magnitude, limit);
            emit.cast(emit.integers(), far)
        });
        let (slow, join) = (self.b.create_block(), self.b.create_block());
        let results: Parts = near.iter().map(|_| self.b.append_block_param(join, self.floats())).collect();
        let arguments = |parts: &Parts| parts.iter().map(|part| BlockArg::from(*part)).collect::<Vec<_>>();
        let any = self.any(&far);
        self.b.ins().brif(any, slow, &[], join, &arguments(near));
        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        let called = self.called(function, Class::F32, &[x]);
        let chosen: Parts = (0..near.len()).map(|part| self.choose(far[part], called[part], near[part])).collect();
        self.b.ins().jump(join, &arguments(&chosen));
        self.b.switch_to_block(join);
        self.b.seal_block(join);
        results
    }
}
