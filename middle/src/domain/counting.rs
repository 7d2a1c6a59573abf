//! The number of bits that are 1 in a known integer, and the positions of the first and the last of them.

use super::bits::Bits;
use super::known::Known;

impl Known {
    /// The results of `countOneBits(self)`.
    pub(crate) fn count_one_bits(self) -> Self {
        let most = u32::from(self.ty().width) - self.zeros().count_ones();
        self.counted(self.ones().count_ones(), most)
    }

    /// The results of `countLeadingZeros(self)`.
    pub(crate) fn count_leading_zeros(self) -> Self {
        let patterns = self.patterns();
        let above = 32 - u32::from(self.ty().width);
        let count = |pattern: i64| (pattern as u32).leading_zeros() - above;
        self.counted(count(patterns.high()), count(patterns.low()))
    }

    /// The results of `countTrailingZeros(self)`.
    pub(crate) fn count_trailing_zeros(self) -> Self {
        let (least, most) = self.lowest_bit();
        self.counted(least, most)
    }

    /// The results of `firstLeadingBit(self)`: the position of the highest bit that is 1, or 0 in a negative value; -1
    /// if there is no such bit.
    pub(crate) fn first_leading_bit(self) -> Self {
        let of_part = |part: Self| {
            // The complement of a negative value has no sign bit, so that the patterns are in the order of the values.
            let part = if part.low() < 0 { part.not() } else { part }.patterns();
            let place = |pattern: i64| i128::from(pattern.checked_ilog2().map_or(-1, i64::from));
            self.place(place(part.low()), place(part.high()))
        };
        Self::union(self.by_sign().flat_map(of_part)).unwrap_or(Self::any(self.ty()))
    }

    /// The results of `firstTrailingBit(self)`: the position of the lowest bit that is 1; -1 if there is none.
    pub(crate) fn first_trailing_bit(self) -> Self {
        let none = self.contains(0).then(|| self.place(-1, -1)).into_iter().flatten();
        let others = [self.within(i64::MIN, -1), self.within(1, i64::MAX)].into_iter().flatten();
        let places = others.flat_map(|part| {
            let (least, most) = part.lowest_bit();
            self.place(least.into(), most.into())
        });
        Self::union(none.chain(places)).unwrap_or(Self::any(self.ty()))
    }

    /// The values of the same bit patterns in the unsigned type of the same width.
    fn patterns(self) -> Self {
        self.bitcast(self.ty().unsigned())
    }

    /// The minimum and the maximum position of the lowest bit that is 1. The position is the width if no bit is 1.
    fn lowest_bit(self) -> (u32, u32) {
        let width = u32::from(self.ty().width);
        let least = self.bits().trailing_zeros().min(width);
        let possible = self.ty().mask() & !self.zeros();
        let most = if self.contains(0) { width } else { possible.checked_ilog2().unwrap_or(width) };
        (least, most.min(self.ones().trailing_zeros()))
    }

    /// A count from `least` to `most`, as a value of this type.
    fn counted(self, least: u32, most: u32) -> Self {
        Self::wrapped(self.ty(), least.into(), most.into(), Bits::ANY)
    }

    /// The positions of a bit from `least` to `most`, as values of this type. -1 becomes a separate set, because -1
    /// wraps to the greatest value of an unsigned type.
    fn place(self, least: i128, most: i128) -> impl Iterator<Item = Self> {
        let place = move |least: i128, most: i128| Self::wrapped(self.ty(), least, most, Bits::ANY);
        let none = (least < 0).then(|| place(-1, -1));
        let some = (most >= 0).then(|| place(least.max(0), most));
        none.into_iter().chain(some)
    }
}
