//! The operators `&`, `|`, `^` and `~` on known integers.

use super::bits::Bits;
use super::known::Known;

impl Known {
    /// The results of `self & other`.
    pub(crate) fn and(self, other: Self) -> Self {
        self.by_pattern(other, |left, right| {
            let mask = i64::from(left.ty().mask());
            let bits = Bits { zeros: left.zeros() | right.zeros(), ones: left.ones() & right.ones() };
            // `a & b` is `a + b - (a | b)`, and `a | b` is at most the mask.
            (left.low() + right.low() - mask, left.high().min(right.high()), bits)
        })
    }

    /// The results of `self | other`.
    pub(crate) fn or(self, other: Self) -> Self {
        self.by_pattern(other, |left, right| {
            let bits = Bits { zeros: left.zeros() & right.zeros(), ones: left.ones() | right.ones() };
            let apart = apart(left, right);
            let low = if apart { left.low() + right.low() } else { left.low().max(right.low()) };
            (low, left.high() + right.high(), bits)
        })
    }

    /// The results of `self ^ other`.
    pub(crate) fn xor(self, other: Self) -> Self {
        self.by_pattern(other, |left, right| {
            let mask = i64::from(left.ty().mask());
            let zeros = (left.zeros() & right.zeros()) | (left.ones() & right.ones());
            let ones = (left.zeros() & right.ones()) | (left.ones() & right.zeros());
            let apart = apart(left, right);
            // `a ^ b` is at least `|a - b|`, since `a <= b + (a ^ b)`, and at most `a + b`. The lower bound of the
            // complement, `a ^ ~b`, is another upper bound.
            let difference = (left.low() - right.high()).max(right.low() - left.high());
            let low = if apart { left.low() + right.low() } else { difference };
            let high = (left.high() + right.high()).min(2 * mask - left.low() - right.low());
            (low, high, Bits { zeros, ones })
        })
    }

    /// The results of `~self`.
    pub(crate) fn not(self) -> Self {
        let ty = self.ty();
        let turned = ty.least() + ty.most();
        Self::certain(ty, turned - self.high(), turned - self.low(), self.bits().turned_over(ty.mask()))
    }

    /// Applies an operation that is defined for intervals of unsigned bit patterns. Negative values are handled
    /// separately from others, because their patterns are greater than those of other values.
    fn by_pattern(self, other: Self, operation: impl Fn(Self, Self) -> (i64, i64, Bits)) -> Self {
        let patterns = self.ty().unsigned();
        let results = self.by_sign().flat_map(|left| other.by_sign().map(move |right| (left, right)));
        let results = results.map(|(left, right)| {
            let (low, high, bits) = operation(left.bitcast(patterns), right.bitcast(patterns));
            Self::certain(patterns, low, high, bits).bitcast(self.ty())
        });
        Self::union(results).unwrap_or(Self::any(self.ty()))
    }
}

/// Whether no bit can be 1 in both operands, so that `|` and `^` equal `+`.
fn apart(left: Known, right: Known) -> bool {
    left.zeros() | right.zeros() == left.ty().mask()
}
