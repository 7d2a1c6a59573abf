//! Sums, differences and products of known integers, which wrap; negation, absolute value and sign.

use super::known::Known;

impl Known {
    /// The results of `self + other`.
    pub(crate) fn add(self, other: Self) -> Self {
        let (low, high) = sums(self, other);
        Self::wrapped(self.ty(), low, high, self.bits().sum(other.bits(), false).within(self.ty().mask()))
    }

    /// The results of `self - other`.
    pub(crate) fn sub(self, other: Self) -> Self {
        let (low, high) = differences(self, other);
        Self::wrapped(self.ty(), low, high, self.bits().difference(other.bits()).within(self.ty().mask()))
    }

    /// The results of `self * other`.
    pub(crate) fn mul(self, other: Self) -> Self {
        let (low, high) = products(self, other);
        Self::wrapped(self.ty(), low, high, self.bits().product(other.bits()).within(self.ty().mask()))
    }

    /// The results of `-self`; the negation of the least value of the type is the value itself.
    pub(crate) fn neg(self) -> Self {
        Self::exactly(self.ty(), 0).sub(self)
    }

    /// The results of `abs(self)`; for the least value of the type, that is the value itself.
    pub(crate) fn abs(self) -> Self {
        let magnitude = |part: Self| if part.low() < 0 { part.neg() } else { part };
        Self::union(self.by_sign().map(magnitude)).unwrap_or(self)
    }

    /// The results of `sign(self)`, each -1, 0 or 1.
    pub(crate) fn sign(self) -> Self {
        let sign = |part: Self| Self::between(part.ty(), part.low().signum(), part.high().signum());
        Self::union(self.by_sign().map(sign)).unwrap_or(self)
    }

    /// Whether `self + other` can wrap.
    pub(crate) fn wraps_add(&self, other: Self) -> bool {
        self.leaves(sums(*self, other))
    }

    /// Whether `self - other` can wrap.
    pub(crate) fn wraps_sub(&self, other: Self) -> bool {
        self.leaves(differences(*self, other))
    }

    /// Whether `self * other` can wrap.
    pub(crate) fn wraps_mul(&self, other: Self) -> bool {
        self.leaves(products(*self, other))
    }

    /// Whether an interval has values outside of the type's range.
    fn leaves(&self, (low, high): (i128, i128)) -> bool {
        low < i128::from(self.ty().least()) || high > i128::from(self.ty().most())
    }
}

/// The least and the greatest sum, without wrapping.
fn sums(left: Known, right: Known) -> (i128, i128) {
    (i128::from(left.low() + right.low()), i128::from(left.high() + right.high()))
}

/// The least and the greatest difference, without wrapping.
fn differences(left: Known, right: Known) -> (i128, i128) {
    (i128::from(left.low() - right.high()), i128::from(left.high() - right.low()))
}

/// The least and the greatest product, without wrapping. Both are products of ends of the intervals. The result is an
/// `i128`, because products of two `u32` do not fit in an `i64`.
fn products(left: Known, right: Known) -> (i128, i128) {
    let product = |left: i64, right: i64| i128::from(left) * i128::from(right);
    let of_low = [product(left.low(), right.low()), product(left.low(), right.high())];
    let of_high = [product(left.high(), right.low()), product(left.high(), right.high())];
    let least = of_low.into_iter().chain(of_high).fold(i128::MAX, i128::min);
    (least, of_low.into_iter().chain(of_high).fold(i128::MIN, i128::max))
}
