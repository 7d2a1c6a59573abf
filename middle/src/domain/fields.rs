//! Known integers whose bits are extracted, inserted or reversed.

use super::bits::{Bits, below};
use super::known::Known;

/// The largest number of pairs of an offset and a count that are evaluated one by one.
const MAX_FIELDS: usize = 64;

impl Known {
    /// The results of `extractBits(self, offset, count)`. The highest bit of a signed field is repeated.
    pub(crate) fn extract_bits(self, offset: Self, count: Self) -> Self {
        let width = u32::from(self.ty().width);
        let field = |(offset, count): (u32, u32)| match count {
            0 => Self::exactly(self.ty(), 0),
            _ => self.shifted_left(width - offset - count).shifted_right(width - count),
        };
        if let Some(fields) = fields(width, offset, count) {
            return Self::union(fields.map(field)).unwrap_or(Self::any(self.ty()));
        }
        // A longer field can have all values that a shorter field can have, so only the longest field matters.
        match most(count, width) {
            0 => Self::exactly(self.ty(), 0),
            longest => Self::any(self.ty()).shifted_right(width - longest),
        }
    }

    /// The results of `insertBits(self, new, offset, count)`.
    pub(crate) fn insert_bits(self, new: Self, offset: Self, count: Self) -> Self {
        let width = u32::from(self.ty().width);
        let field = |(offset, count): (u32, u32)| {
            let replaced = below(offset + count) & !below(offset);
            let moved = if count == 0 { Bits::ANY } else { new.bits().shifted_left(offset) };
            self.outside(replaced, moved)
        };
        if let Some(fields) = fields(width, offset, count) {
            return Self::union(fields.map(field)).unwrap_or(Self::any(self.ty()));
        }
        let replaced = below((most(offset, width) + most(count, width)).min(width)) & !below(least(offset, width));
        self.outside(replaced, Bits::ANY)
    }

    /// The results of `reverseBits(self)`.
    pub(crate) fn reverse_bits(self) -> Self {
        let reversed = |bits: u32| bits.reverse_bits() >> (32 - u32::from(self.ty().width));
        let bits = Bits { zeros: reversed(self.zeros()), ones: reversed(self.ones()) };
        Self::certain(self.ty(), self.ty().least(), self.ty().most(), bits)
    }

    /// The values of `self` with the bits in the mask `replaced` taken from `bits`.
    fn outside(self, replaced: u32, bits: Bits) -> Self {
        let bits = self.bits().within(!replaced).meet(bits.within(replaced));
        Self::certain(self.ty(), self.ty().least(), self.ty().most(), bits)
    }
}

/// All possible fields as pairs of an offset and a count. Fields end at the width. `None` if there are too many pairs.
fn fields(width: u32, offset: Known, count: Known) -> Option<impl Iterator<Item = (u32, u32)>> {
    let numbers = move |known: Known| {
        let can_be = move |number: &u32| known.contains((*number).into()) || *number == width;
        (least(known, width)..=most(known, width)).filter(can_be)
    };
    let pairs = numbers(offset).count() * numbers(count).count();
    let fields = move |offset: u32| numbers(count).map(move |count| (offset, count.min(width - offset)));
    (pairs <= MAX_FIELDS).then(|| numbers(offset).flat_map(fields))
}

/// The least value of a set, clamped to 0 to `width`.
fn least(known: Known, width: u32) -> u32 {
    known.low().clamp(0, width.into()) as u32
}

/// The greatest value of a set, clamped to 0 to `width`.
fn most(known: Known, width: u32) -> u32 {
    known.high().clamp(0, width.into()) as u32
}
