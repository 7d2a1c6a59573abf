//! The operators `<<` and `>>` on known integers, which shift by an amount modulo the width.

use super::bits::Bits;
use super::known::Known;

impl Known {
    /// The results of `self << other`; `other` may be of another type.
    pub(crate) fn shl(self, other: Self) -> Self {
        self.shifted(other, Self::shifted_left)
    }

    /// The results of `self >> other`, where the sign bit is repeated; `other` may be of another type.
    pub(crate) fn shr(self, other: Self) -> Self {
        self.shifted(other, Self::shifted_right)
    }

    /// The results of `self << by`, where `by` is less than the width.
    pub(super) fn shifted_left(self, by: u32) -> Self {
        let bits = self.bits().shifted_left(by).within(self.ty().mask());
        Self::wrapped(self.ty(), i128::from(self.low()) << by, i128::from(self.high()) << by, bits)
    }

    /// The results of `self >> by`, where `by` is less than the width.
    pub(super) fn shifted_right(self, by: u32) -> Self {
        let bits = self.bits().shifted_right(by, self.ty().width.into(), self.ty().sign());
        Self::certain(self.ty(), self.low() >> by, self.high() >> by, bits)
    }

    /// The union of the shifts by each possible amount.
    fn shifted(self, other: Self, shift: fn(Self, u32) -> Self) -> Self {
        let amounts = other.bitcast(other.ty().unsigned());
        let width = u32::from(self.ty().width);
        let shifts = (0..width).filter(|by| amounts.can_be_modulo(*by, width)).map(|by| shift(self, by));
        Self::union(shifts).unwrap_or(Self::any(self.ty()))
    }

    /// Whether a value of this set may equal `number` modulo `count`. If the result is false, no value does; if it is
    /// true, a value may. The type must be unsigned.
    fn can_be_modulo(self, number: u32, count: u32) -> bool {
        let next = self.low() + (i64::from(number) - self.low()).rem_euclid(count.into());
        let bits = if count.is_power_of_two() { Bits::exactly(number).within(count - 1) } else { Bits::ANY };
        next <= self.high() && Self::reduced(self.ty(), self.low(), self.high(), self.bits().meet(bits)).is_some()
    }
}
