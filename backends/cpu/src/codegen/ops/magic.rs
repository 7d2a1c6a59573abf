//! Integer division of vectors by constants.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::halves::ODD;
use super::{Emit, Parts, width};
use crate::ir::{BinaryOp, Class};

/// The parameters for dividing 32-bit unsigned integers by a constant with a multiplication (Granlund and Montgomery,
/// Division by invariant integers using multiplication, 1994).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Magic {
    /// The factor of the multiplication, of whose product the high half is used.
    factor: u32,
    /// Whether the actual factor is `factor` plus 2^32.
    long: bool,
    /// The number of bits by which the high half is shifted right.
    shift: u32,
}

impl Magic {
    /// Returns the parameters for a divisor that is neither 0 nor a power of two.
    pub(super) fn new(divisor: u32) -> Self {
        let log = 32 - (divisor - 1).leading_zeros();
        for shift in 0..log {
            let power = 1u64 << (32 + shift);
            let factor = power.div_ceil(u64::from(divisor));
            let error = factor * u64::from(divisor) - power;
            if let Ok(factor) = u32::try_from(factor)
                && error <= 1 << shift
            {
                return Self { factor, long: false, shift };
            }
        }
        let factor = ((1u64 << 32) * ((1u64 << log) - u64::from(divisor)) / u64::from(divisor) + 1) as u32;
        Self { factor, long: true, shift: log - 1 }
    }
}

impl Emit<'_, '_> {
    /// The quotient or remainder of a division by a constant; `None` if the code for unknown divisors is faster.
    pub(super) fn divide_by_constant(
        &mut self,
        op: BinaryOp,
        class: Class,
        a: &[Value],
        divisor: u64,
    ) -> Option<Parts> {
        let signed = matches!(op, BinaryOp::DivS | BinaryOp::RemS);
        let quotient = matches!(op, BinaryOp::DivS | BinaryOp::DivU);
        let ty = self.target.vector(class);
        if divisor == 0 {
            return Some(if quotient { a.into() } else { self.constant(class, 0) });
        }
        if !signed && divisor.is_power_of_two() {
            let shift = i64::from(divisor.trailing_zeros());
            return Some(self.each(a, |emit, a| {
                if quotient {
                    return emit.ushr_by(a, shift);
                }
                let mask = emit.vector(ty, divisor - 1);
                emit.b.ins().band(a, mask)
            }));
        }
        if class != Class::I32 {
            return None;
        }
        let divisor = divisor as u32;
        Some(self.each(a, |emit, a| {
            let result =
                if signed { emit.signed_quotient(a, divisor as i32) } else { emit.unsigned_quotient(a, divisor) };
            if quotient {
                return result;
            }
            let divisor = emit.vector(ty, u64::from(divisor));
            let product = emit.b.ins().imul(result, divisor);
            emit.sub(a, product)
        }))
    }

    /// The quotient of signed integers: that of their magnitudes, with the correct sign.
    fn signed_quotient(&mut self, a: Value, divisor: i32) -> Value {
        let last = i64::from(width(Class::I32)) - 1;
        let sign = self.sshr_by(a, last);
        let flipped = self.xor(a, sign);
        let magnitude = self.sub(flipped, sign);
        let quotient = self.unsigned_quotient(magnitude, divisor.unsigned_abs());
        let sign = if divisor < 0 { self.not(sign) } else { sign };
        let flipped = self.xor(quotient, sign);
        self.sub(flipped, sign)
    }

    fn unsigned_quotient(&mut self, a: Value, divisor: u32) -> Value {
        if divisor.is_power_of_two() {
            return self.ushr_by(a, i64::from(divisor.trailing_zeros()));
        }
        let magic = Magic::new(divisor);
        let ty = self.integers();
        let factor = self.vector(ty, u64::from(magic.factor));
        let [low, high] = self.widening_product(a, factor);
        let product = if self.target.is_wide() {
            let (low, high) = (self.ushr_by(low, 32), self.ushr_by(high, 32));
            self.narrow_pair(ty, low, high)
        } else {
            let (low, high) = (self.cast(ty, low), self.cast(ty, high));
            self.permute(ODD, low, high)
        };
        let sum = if magic.long {
            // (a + product) / 2 without losing the carry.
            let rest = self.sub(a, product);
            let half = self.ushr_by(rest, 1);
            self.b.ins().iadd(half, product)
        } else {
            product
        };
        if magic.shift == 0 { sum } else { self.ushr_by(sum, i64::from(magic.shift)) }
    }
}
