//! Intervals narrowed by known bits, and bits derived from intervals.
//!
//! Patterns are compared as unsigned numbers; inverting the sign bit puts the patterns of signed types into the order
//! of their values. The first and the last pattern of the set are computed exactly. The leading bits that these two
//! share are the same for all patterns between them. No further bits follow from the interval: at the highest bit that
//! differs, the first pattern has 0 and the last has 1, so each lower bit can be 0 or 1. So one pass is enough.

use super::bits::Bits;
use super::int::Int;

/// The first and the last value of an interval with some known bits, and the bits that all values between these two
/// share; `None` if the interval has no value with these known bits.
pub(super) fn reduce(ty: Int, low: i64, high: i64, bits: Bits) -> Option<(i64, i64, Bits)> {
    let (low, high) = (low.max(ty.least()), high.min(ty.most()));
    if low > high || bits.zeros & bits.ones & ty.mask() != 0 {
        return None;
    }
    let (mask, sign) = (ty.mask(), ty.sign());
    // Bits above the width of the type are zero.
    let ordered = bits.turned_over(sign).known_zero(!mask);
    let first = first_from(ty.pattern(low) ^ sign, ordered)?;
    let last = last_to(ty.pattern(high) ^ sign, ordered)?;
    if first > last {
        return None;
    }
    let shared = !u32::MAX.checked_shr((first ^ last).leading_zeros()).unwrap_or(0);
    let ordered = ordered.known_zero(!first & shared).known_one(first & shared);
    let bits = ordered.turned_over(sign).within(mask);
    Some((ty.value(first ^ sign), ty.value(last ^ sign), bits))
}

/// The least pattern that is at least `from` and has these bits; `None` if there is none.
fn first_from(from: u32, bits: Bits) -> Option<u32> {
    let wrong = (from & bits.zeros) | (!from & bits.ones);
    if wrong == 0 {
        return Some(from);
    }
    let highest = 1 << (31 - wrong.leading_zeros());
    // The bit that becomes 1, so that the pattern is greater than `from`: the highest bit in which `from` contradicts
    // `bits`, if that bit has to be 1; otherwise the next higher bit that can become 1.
    let raised = if bits.ones & highest != 0 {
        highest
    } else {
        let free = !from & !bits.zeros & !up_to(highest);
        free & free.wrapping_neg()
    };
    (raised != 0).then(|| (from & !up_to(raised)) | raised | (bits.ones & (raised - 1)))
}

/// The greatest pattern that is at most `to` and has these bits; `None` if there is none. With all bits inverted, this
/// is the least pattern that is at least `!to`.
fn last_to(to: u32, bits: Bits) -> Option<u32> {
    first_from(!to, Bits { zeros: bits.ones, ones: bits.zeros }).map(|pattern| !pattern)
}

/// A mask of a bit and all bits below it.
fn up_to(bit: u32) -> u32 {
    bit | (bit - 1)
}
