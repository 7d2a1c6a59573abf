//! The set of values that an integer is known to be one of.

use super::bits::Bits;
use super::int::Int;
use super::reduce::reduce;

/// The values of a type in an interval whose bits are as known; at least one.
///
/// Both ends are values of the set, and every bit that all values share is known: equal sets are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    ty: Int,
    low: i64,
    high: i64,
    zeros: u32,
    ones: u32,
}

impl Known {
    /// Every value of a type.
    pub(crate) fn any(ty: Int) -> Self {
        Self { ty, low: ty.least(), high: ty.most(), zeros: 0, ones: 0 }
    }

    /// One value, which the type has.
    pub(crate) fn exactly(ty: Int, value: i64) -> Self {
        Self::between(ty, value, value)
    }

    /// The values from `low` to `high`, which the type has.
    pub(crate) fn between(ty: Int, low: i64, high: i64) -> Self {
        debug_assert!(ty.least() <= low && low <= high && high <= ty.most(), "{low} to {high} of {ty:?}");
        Self::reduced(ty, low, high, Bits::ANY).unwrap_or(Self::any(ty))
    }

    /// The values with some bits 0 and some bits 1; `None` if one is to be both.
    #[cfg(test)]
    pub(crate) fn with_bits(ty: Int, zeros: u32, ones: u32) -> Option<Self> {
        Self::reduced(ty, ty.least(), ty.most(), Bits { zeros, ones }.within(ty.mask()))
    }

    /// The type.
    pub(crate) fn ty(&self) -> Int {
        self.ty
    }

    /// The least value.
    pub(crate) fn low(&self) -> i64 {
        self.low
    }

    /// The greatest value.
    pub(crate) fn high(&self) -> i64 {
        self.high
    }

    /// The bits that are 0.
    pub(crate) fn zeros(&self) -> u32 {
        self.zeros
    }

    /// The bits that are 1.
    pub(crate) fn ones(&self) -> u32 {
        self.ones
    }

    /// The one value that it can be.
    pub(crate) fn value(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether it can be `value`.
    pub(crate) fn contains(&self, value: i64) -> bool {
        let pattern = self.ty.pattern(value);
        (self.low..=self.high).contains(&value) && pattern & self.zeros == 0 && pattern & self.ones == self.ones
    }

    /// The least set that has both in it.
    pub(crate) fn join(self, other: Self) -> Self {
        debug_assert_eq!(self.ty, other.ty);
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Self::certain(self.ty, low, high, self.bits().join(other.bits()))
    }

    /// What is in both; `None` if nothing is.
    pub(crate) fn meet(self, other: Self) -> Option<Self> {
        debug_assert_eq!(self.ty, other.ty);
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Self::reduced(self.ty, low, high, self.bits().meet(other.bits()))
    }

    /// What is in it from `low` to `high`, whether or not the type has these; `None` if nothing is.
    pub(crate) fn within(self, low: i64, high: i64) -> Option<Self> {
        Self::reduced(self.ty, self.low.max(low), self.high.min(high), self.bits())
    }

    /// The set of an interval and bits; `None` if nothing is in it.
    pub(super) fn reduced(ty: Int, low: i64, high: i64, bits: Bits) -> Option<Self> {
        let (low, high, bits) = reduce(ty, low, high, bits)?;
        Some(Self { ty, low, high, zeros: bits.zeros, ones: bits.ones })
    }

    /// The set of an interval and bits that are both true of some value, so that it is not empty.
    pub(super) fn certain(ty: Int, low: i64, high: i64, bits: Bits) -> Self {
        Self::reduced(ty, low, high, bits).unwrap_or(Self::any(ty))
    }

    /// The set of an interval that may leave the type, and of bits, where values wrap. An interval that wraps in its
    /// middle is every value.
    pub(super) fn wrapped(ty: Int, low: i128, high: i128, bits: Bits) -> Self {
        let values = i128::from(ty.values());
        let turns = |end: i128| (end - i128::from(ty.least())).div_euclid(values);
        if turns(low) != turns(high) {
            return Self::certain(ty, ty.least(), ty.most(), bits);
        }
        let moved = turns(low) * values;
        Self::certain(ty, (low - moved) as i64, (high - moved) as i64, bits)
    }

    /// The least set that has all of some in it; `None` if there are none.
    pub(super) fn union(sets: impl IntoIterator<Item = Self>) -> Option<Self> {
        sets.into_iter().reduce(Self::join)
    }

    /// What is known of the bits.
    pub(super) fn bits(self) -> Bits {
        Bits { zeros: self.zeros, ones: self.ones }
    }

    /// The values below zero, and those that are not.
    pub(super) fn by_sign(self) -> impl Iterator<Item = Self> {
        [self.within(i64::MIN, -1), self.within(0, i64::MAX)].into_iter().flatten()
    }
}
