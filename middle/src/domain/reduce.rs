//! Intervals narrowed by bits, and bits found by intervals.
//!
//! Order is that of patterns without a sign; a sign turned over puts those of signed types in order too. The first and
//! the last pattern of the set are found exactly. The bits that these two share from the top are the same in between.
//! No other bit is known by the interval: where the two first differ, the first has a 0 and the last a 1, so that
//! everything is possible below in what follows the first, or comes before the last. One pass is thus all it takes.

use super::bits::Bits;
use super::int::Int;

/// The first and last value of an interval whose bits are as they are known, and what bits all values in it share.
/// `None` if there is no value.
pub(super) fn reduce(ty: Int, low: i64, high: i64, bits: Bits) -> Option<(i64, i64, Bits)> {
    let (low, high) = (low.max(ty.least()), high.min(ty.most()));
    if low > high || bits.zeros & bits.ones & ty.mask() != 0 {
        return None;
    }
    let (mask, sign) = (ty.mask(), ty.sign());
    // Bits above the type are zero.
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

/// The least pattern from `from` that has these bits.
fn first_from(from: u32, bits: Bits) -> Option<u32> {
    let wrong = (from & bits.zeros) | (!from & bits.ones);
    if wrong == 0 {
        return Some(from);
    }
    let highest = 1 << (31 - wrong.leading_zeros());
    // The bit that makes it greater than `from`: the highest wrong one itself if it has to be set, or else the next
    // above that can be.
    let raised = if bits.ones & highest != 0 {
        highest
    } else {
        let free = !from & !bits.zeros & !up_to(highest);
        free & free.wrapping_neg()
    };
    (raised != 0).then(|| (from & !up_to(raised)) | raised | (bits.ones & (raised - 1)))
}

/// The greatest pattern up to `to` that has these bits: the least one with all turned over.
fn last_to(to: u32, bits: Bits) -> Option<u32> {
    first_from(!to, Bits { zeros: bits.ones, ones: bits.zeros }).map(|pattern| !pattern)
}

/// A bit and all below it.
fn up_to(bit: u32) -> u32 {
    bit | (bit - 1)
}
