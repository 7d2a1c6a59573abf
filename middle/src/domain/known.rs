//! The set of values that an integer may have.

use super::bits::Bits;
use super::int::Int;
use super::reduce::reduce;

/// A set of values of a type: those values in an interval that have some known bits. The set has at least one value.
///
/// Both ends of the interval are values of the set, and every bit that all values share is known. So equal sets are
/// equal as Rust values.
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

    /// The set of one value, which must be a value of the type.
    pub(crate) fn exactly(ty: Int, value: i64) -> Self {
        Self::between(ty, value, value)
    }

    /// The values from `low` to `high`, which must be values of the type.
    pub(crate) fn between(ty: Int, low: i64, high: i64) -> Self {
        debug_assert!(ty.least() <= low && low <= high && high <= ty.most(), "{low} to {high} of {ty:?}");
        Self::reduced(ty, low, high, Bits::ANY).unwrap_or(Self::any(ty))
    }

    /// The values in which the bits of `zeros` are 0 and those of `ones` are 1; `None` if a bit is in both masks.
    #[cfg(test)]
    pub(crate) fn with_bits(ty: Int, zeros: u32, ones: u32) -> Option<Self> {
        Self::reduced(ty, ty.least(), ty.most(), Bits { zeros, ones }.within(ty.mask()))
    }

    /// The type of the values.
    pub(crate) fn ty(&self) -> Int {
        self.ty
    }

    /// The least value of the set.
    pub(crate) fn low(&self) -> i64 {
        self.low
    }

    /// The greatest value of the set.
    pub(crate) fn high(&self) -> i64 {
        self.high
    }

    /// A mask of the bits that are 0 in all values.
    pub(crate) fn zeros(&self) -> u32 {
        self.zeros
    }

    /// A mask of the bits that are 1 in all values.
    pub(crate) fn ones(&self) -> u32 {
        self.ones
    }

    /// The value of a set that has only one value; `None` for other sets.
    pub(crate) fn value(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether the set contains `value`.
    pub(crate) fn contains(&self, value: i64) -> bool {
        let pattern = self.ty.pattern(value);
        (self.low..=self.high).contains(&value) && pattern & self.zeros == 0 && pattern & self.ones == self.ones
    }

    /// The smallest set that contains both sets.
    pub(crate) fn join(self, other: Self) -> Self {
        debug_assert_eq!(self.ty, other.ty);
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Self::certain(self.ty, low, high, self.bits().join(other.bits()))
    }

    /// The intersection of both sets; `None` if it is empty.
    pub(crate) fn meet(self, other: Self) -> Option<Self> {
        debug_assert_eq!(self.ty, other.ty);
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Self::reduced(self.ty, low, high, self.bits().meet(other.bits()))
    }

    /// The values of the set from `low` to `high`, which may be outside of the type; `None` if there are none.
    pub(crate) fn within(self, low: i64, high: i64) -> Option<Self> {
        Self::reduced(self.ty, self.low.max(low), self.high.min(high), self.bits())
    }

    /// The set of an interval and known bits; `None` if it is empty.
    pub(super) fn reduced(ty: Int, low: i64, high: i64, bits: Bits) -> Option<Self> {
        let (low, high, bits) = reduce(ty, low, high, bits)?;
        Some(Self { ty, low, high, zeros: bits.zeros, ones: bits.ones })
    }

    /// The set of an interval and known bits; at least one value must be in the interval and have the bits.
    pub(super) fn certain(ty: Int, low: i64, high: i64, bits: Bits) -> Self {
        Self::reduced(ty, low, high, bits).unwrap_or(Self::any(ty))
    }

    /// The set of known bits and of an interval that may be outside of the type, and whose values wrap. If only some
    /// numbers of the interval wrap, the interval becomes all values of the type.
    pub(super) fn wrapped(ty: Int, low: i128, high: i128, bits: Bits) -> Self {
        let values = i128::from(ty.values());
        let turns = |end: i128| (end - i128::from(ty.least())).div_euclid(values);
        if turns(low) != turns(high) {
            return Self::certain(ty, ty.least(), ty.most(), bits);
        }
        let moved = turns(low) * values;
        Self::certain(ty, (low - moved) as i64, (high - moved) as i64, bits)
    }

    /// The smallest set that contains all of these sets; `None` if there are no sets.
    pub(super) fn union(sets: impl IntoIterator<Item = Self>) -> Option<Self> {
        sets.into_iter().reduce(Self::join)
    }

    /// The bits that are the same in all values of the set.
    pub(super) fn bits(self) -> Bits {
        Bits { zeros: self.zeros, ones: self.ones }
    }

    /// The negative values of the set and its other values, as at most two sets.
    pub(super) fn by_sign(self) -> impl Iterator<Item = Self> {
        [self.within(i64::MIN, -1), self.within(0, i64::MAX)].into_iter().flatten()
    }
}
