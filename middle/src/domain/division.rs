//! Quotients and remainders of known integers, as WGSL defines them: `x / 0` is `x`, `x % 0` is 0, and the least value
//! divided by -1 is itself.

use super::bits::{Bits, below};
use super::known::Known;

impl Known {
    /// The results of `self / other`.
    pub(crate) fn div(self, other: Self) -> Self {
        let by_zero = other.contains(0).then_some(self);
        let divisors = [other.within(i64::MIN, -1), other.within(1, i64::MAX)];
        let quotients = divisors.into_iter().flatten().map(|divisors| quotients(self, divisors));
        Self::union(by_zero.into_iter().chain(quotients)).unwrap_or(self)
    }

    /// The results of `self % other`, which have the sign of `self`.
    pub(crate) fn rem(self, other: Self) -> Self {
        let zero = Self::exactly(self.ty(), 0);
        let by_zero = other.contains(0).then_some(zero);
        let divisors = [other.within(i64::MIN, -1), other.within(1, i64::MAX)];
        let remainders = divisors
            .into_iter()
            .flatten()
            .flat_map(|divisors| self.by_sign().map(move |dividends| remainders(dividends, divisors)));
        Self::union(by_zero.into_iter().chain(remainders)).unwrap_or(zero)
    }
}

/// The quotients by divisors that are all negative or all positive.
fn quotients(dividends: Known, divisors: Known) -> Known {
    let ty = dividends.ty();
    if divisors.contains(-1) && dividends.contains(ty.least()) && ty.signed {
        // Only the least value divided by -1 wraps. The other results are computed for all dividends with the other
        // divisors, and for the other dividends with all divisors.
        let wrapped = Some(Known::exactly(ty, ty.least()));
        let others = divisors.within(i64::MIN, -2).map(|divisors| quotients(dividends, divisors));
        let rest = dividends.within(ty.least() + 1, i64::MAX).map(|dividends| quotients(dividends, divisors));
        return Known::union([wrapped, others, rest].into_iter().flatten()).unwrap_or(dividends);
    }
    let of_low = [dividends.low() / divisors.low(), dividends.low() / divisors.high()];
    let of_high = [dividends.high() / divisors.low(), dividends.high() / divisors.high()];
    let low = of_low.into_iter().chain(of_high).fold(i64::MAX, i64::min);
    let high = of_low.into_iter().chain(of_high).fold(i64::MIN, i64::max);
    Known::certain(ty, low, high, bits_of_quotients(dividends, divisors))
}

/// The known bits of quotients by a power of two. Such a division is a shift, unless a negative dividend is rounded
/// towards zero.
fn bits_of_quotients(dividends: Known, divisors: Known) -> Bits {
    let ty = dividends.ty();
    let Some(divisor) = divisors.value().filter(|divisor| divisor.count_ones() == 1 && *divisor > 0) else {
        return Bits::ANY;
    };
    let by = divisor.trailing_zeros();
    if dividends.low() < 0 && dividends.bits().trailing_zeros() < by {
        return Bits::ANY;
    }
    dividends.bits().shifted_right(by, ty.width.into(), ty.sign())
}

/// The remainders of dividends of one sign, by divisors of one sign other than zero.
fn remainders(dividends: Known, divisors: Known) -> Known {
    let ty = dividends.ty();
    // A remainder has the sign of the dividend; the sign of the divisor has no effect.
    let magnitudes = |known: Known| {
        if known.low() < 0 { (-known.high(), -known.low()) } else { (known.low(), known.high()) }
    };
    let (least, most) = magnitudes(divisors);
    let (from, to) = magnitudes(dividends);
    if to < least {
        return dividends;
    }
    let one_quotient = least == most && from / least == to / least;
    let (low, high) = if one_quotient { (from % least, to % least) } else { (0, to.min(most - 1)) };
    // A remainder differs from the dividend by a multiple of the divisor, so the bits below the divisor's lowest bit
    // stay the same.
    let bits = dividends.bits().within(below(divisors.bits().trailing_zeros()));
    if dividends.low() < 0 { Known::certain(ty, -high, -low, bits) } else { Known::certain(ty, low, high, bits) }
}
