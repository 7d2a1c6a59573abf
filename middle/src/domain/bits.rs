//! The known bits of a bit pattern, and of the results of operations on bit patterns.

/// The bits of a pattern that are known to be 0, and those known to be 1. All other bits are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bits {
    pub(super) zeros: u32,
    pub(super) ones: u32,
}

impl Bits {
    /// A pattern of which no bit is known.
    pub(super) const ANY: Self = Self { zeros: 0, ones: 0 };

    /// Returns a pattern of which all bits are known.
    pub(super) fn exactly(pattern: u32) -> Self {
        Self { zeros: !pattern, ones: pattern }
    }

    /// A mask of the known bits.
    pub(super) fn known(self) -> u32 {
        self.zeros | self.ones
    }

    /// Keeps the known bits within a mask; all other bits become unknown.
    pub(super) fn within(self, mask: u32) -> Self {
        Self { zeros: self.zeros & mask, ones: self.ones & mask }
    }

    /// Adds bits that are known to be 0.
    pub(super) fn known_zero(self, zeros: u32) -> Self {
        Self { zeros: self.zeros | zeros, ..self }
    }

    /// Adds bits that are known to be 1.
    pub(super) fn known_one(self, ones: u32) -> Self {
        Self { ones: self.ones | ones, ..self }
    }

    /// The bits that are known and equal in both patterns.
    pub(super) fn join(self, other: Self) -> Self {
        Self { zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    /// The bits that are known in either pattern.
    pub(super) fn meet(self, other: Self) -> Self {
        Self { zeros: self.zeros | other.zeros, ones: self.ones | other.ones }
    }

    /// The known bits of the pattern with the bits of `mask` inverted.
    pub(super) fn turned_over(self, mask: u32) -> Self {
        let turned = |kept: u32, other: u32| (kept & !mask) | (other & mask);
        Self { zeros: turned(self.zeros, self.ones), ones: turned(self.ones, self.zeros) }
    }

    /// The known bits of the pattern after a left shift by `by`, which is less than 32.
    pub(super) fn shifted_left(self, by: u32) -> Self {
        Self { zeros: (self.zeros << by) | below(by), ones: self.ones << by }
    }

    /// The known bits of a pattern of `width` bits after a right shift by less than `width`. `sign` is the mask of the
    /// sign bit, which is repeated; 0 for an unsigned type.
    pub(super) fn shifted_right(self, by: u32, width: u32, sign: u32) -> Self {
        let come = below(width) & !below(width - by);
        let moved = Self { zeros: (self.zeros & below(width)) >> by, ones: (self.ones & below(width)) >> by };
        if self.ones & sign != 0 {
            moved.known_one(come)
        } else if sign == 0 || self.zeros & sign != 0 {
            moved.known_zero(come)
        } else {
            // The sign is unknown, so the bits that are shifted in are unknown too.
            moved
        }
    }

    /// The known bits of `self + other`, or of `self + other + 1` if `carry` is true.
    ///
    /// The set of carries grows with the operands. It is smallest if all unknown bits are 0, and largest if all are 1.
    /// A carry is known if it is the same in both cases. A bit of the sum is known if its carry and both operand bits
    /// are.
    pub(super) fn sum(self, other: Self, carry: bool) -> Self {
        let carry = u32::from(carry);
        let fewest = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        let most = (!self.zeros).wrapping_add(!other.zeros).wrapping_add(carry);
        let carried = fewest ^ self.ones ^ other.ones;
        let not_carried = !(most ^ !self.zeros ^ !other.zeros);
        let known = self.known() & other.known() & (carried | not_carried);
        Self { zeros: !fewest & known, ones: fewest & known }
    }

    /// The known bits of a difference: the sum with the complement of `other` and a carry of one.
    pub(super) fn difference(self, other: Self) -> Self {
        self.sum(other.turned_over(u32::MAX), true)
    }

    /// The known lowest bits of a product. An unknown bit of one factor affects only those bits of the product whose
    /// position is at least the bit's own position plus the number of trailing zeros of the other factor.
    pub(super) fn product(self, other: Self) -> Self {
        let known = |bits: Self| bits.known().trailing_ones();
        let place = (known(self) + other.trailing_zeros()).min(known(other) + self.trailing_zeros());
        Self::exactly(self.ones.wrapping_mul(other.ones)).within(below(place))
    }

    /// The least number of trailing zeros that the pattern can have.
    pub(super) fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }
}

/// A mask of the `count` lowest bits, or of all 32 if `count` is larger.
pub(super) fn below(count: u32) -> u32 {
    1_u32.checked_shl(count).map_or(u32::MAX, |bit| bit - 1)
}
