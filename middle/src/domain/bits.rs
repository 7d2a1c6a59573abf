//! Bits that are known of a pattern, and of what is made of patterns.

/// Which bits of a pattern are known to be 0 and to be 1. Those that are neither can be either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bits {
    pub(super) zeros: u32,
    pub(super) ones: u32,
}

impl Bits {
    /// Nothing known.
    pub(super) const ANY: Self = Self { zeros: 0, ones: 0 };

    /// Everything known.
    pub(super) fn exactly(pattern: u32) -> Self {
        Self { zeros: !pattern, ones: pattern }
    }

    /// Which are known.
    pub(super) fn known(self) -> u32 {
        self.zeros | self.ones
    }

    /// Only what is known of some bits.
    pub(super) fn within(self, mask: u32) -> Self {
        Self { zeros: self.zeros & mask, ones: self.ones & mask }
    }

    /// These, and some known to be 0.
    pub(super) fn known_zero(self, zeros: u32) -> Self {
        Self { zeros: self.zeros | zeros, ..self }
    }

    /// These, and some known to be 1.
    pub(super) fn known_one(self, ones: u32) -> Self {
        Self { ones: self.ones | ones, ..self }
    }

    /// What both know.
    pub(super) fn join(self, other: Self) -> Self {
        Self { zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    /// What either knows.
    pub(super) fn meet(self, other: Self) -> Self {
        Self { zeros: self.zeros | other.zeros, ones: self.ones | other.ones }
    }

    /// Of a pattern in which some bits are turned over.
    pub(super) fn turned_over(self, mask: u32) -> Self {
        let turned = |kept: u32, other: u32| (kept & !mask) | (other & mask);
        Self { zeros: turned(self.zeros, self.ones), ones: turned(self.ones, self.zeros) }
    }

    /// Of a pattern shifted to the left, by less than 32.
    pub(super) fn shifted_left(self, by: u32) -> Self {
        Self { zeros: (self.zeros << by) | below(by), ones: self.ones << by }
    }

    /// Of a pattern of `width` bits shifted to the right, by less than `width`; its `sign` is repeated, if it has one.
    pub(super) fn shifted_right(self, by: u32, width: u32, sign: u32) -> Self {
        let come = below(width) & !below(width - by);
        let moved = Self { zeros: (self.zeros & below(width)) >> by, ones: (self.ones & below(width)) >> by };
        if self.ones & sign != 0 {
            moved.known_one(come)
        } else if sign == 0 || self.zeros & sign != 0 {
            moved.known_zero(come)
        } else {
            // Nothing is known of copies of a sign that is not.
            moved
        }
    }

    /// Of a sum, and of one more if `carry`.
    ///
    /// Carries grow with the bits that are added. Those with all unknown bits 0, and with all of them 1, are the
    /// fewest and the most: where these two agree a carry is known, and a bit of the sum is if it and both bits are.
    pub(super) fn sum(self, other: Self, carry: bool) -> Self {
        let carry = u32::from(carry);
        let fewest = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        let most = (!self.zeros).wrapping_add(!other.zeros).wrapping_add(carry);
        let carried = fewest ^ self.ones ^ other.ones;
        let not_carried = !(most ^ !self.zeros ^ !other.zeros);
        let known = self.known() & other.known() & (carried | not_carried);
        Self { zeros: !fewest & known, ones: fewest & known }
    }

    /// Of a difference: the sum with the other's complement, and one more.
    pub(super) fn difference(self, other: Self) -> Self {
        self.sum(other.turned_over(u32::MAX), true)
    }

    /// Of a product, its lowest bits: an unknown bit of one factor counts from where it stands, moved up by as many
    /// places as the other factor ends in zeros.
    pub(super) fn product(self, other: Self) -> Self {
        let known = |bits: Self| bits.known().trailing_ones();
        let place = (known(self) + other.trailing_zeros()).min(known(other) + self.trailing_zeros());
        Self::exactly(self.ones.wrapping_mul(other.ones)).within(below(place))
    }

    /// How many zeros the pattern ends in, at least.
    pub(super) fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }
}

/// As many of the lowest bits, all 32 if it is more.
pub(super) fn below(count: u32) -> u32 {
    1_u32.checked_shl(count).map_or(u32::MAX, |bit| bit - 1)
}
