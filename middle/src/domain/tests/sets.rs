//! Sets of integers of few bits with their values: all sets, or a sample.

use super::super::bits::Bits;
use super::super::{Int, Known};

/// A list of values of at most eight bits, as a bit set of the values' patterns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Values([u64; 4]);

impl Values {
    pub(super) fn insert(&mut self, ty: Int, value: i64) {
        let pattern = ty.pattern(value) as usize;
        self.0[pattern / 64] |= 1 << (pattern % 64);
    }

    pub(super) fn add(&mut self, others: &Self) {
        for (own, other) in self.0.iter_mut().zip(others.0) {
            *own |= other;
        }
    }

    pub(super) fn intersection(&self, others: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & others.0[word]))
    }

    /// The first value that is not in `others`.
    pub(super) fn missing_from(&self, ty: Int, others: &Self) -> Option<i64> {
        (0..4).find_map(|word| {
            let missing = self.0[word] & !others.0[word];
            (missing != 0).then(|| ty.value(word as u32 * 64 + missing.trailing_zeros()))
        })
    }

    pub(super) fn iter(&self, ty: Int) -> impl Iterator<Item = i64> {
        let patterns =
            (0..1_u32 << ty.width).filter(|pattern| self.0[*pattern as usize / 64] >> (pattern % 64) & 1 == 1);
        patterns.map(move |pattern| ty.value(pattern))
    }

    /// The least and the greatest value, the mask of bits that are 0 in all values, and the mask of those that are 1;
    /// `None` if there is no value.
    pub(super) fn smallest_set(&self, ty: Int) -> Option<(i64, i64, u32, u32)> {
        let of = |value: i64| (value, value, ty.mask() & !ty.pattern(value), ty.pattern(value));
        self.iter(ty)
            .map(of)
            .reduce(|left, right| (left.0.min(right.0), left.1.max(right.1), left.2 & right.2, left.3 & right.3))
    }
}

/// The ends of a set's interval and its known zeros and ones, in the order of [`Values::smallest_set`].
pub(super) fn parts(known: Known) -> (i64, i64, u32, u32) {
    (known.low(), known.high(), known.zeros(), known.ones())
}

/// A set with its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set {
    pub(super) known: Known,
    pub(super) values: Values,
}

impl Set {
    pub(super) fn of(known: Known) -> Self {
        Self { known, values: values(known) }
    }
}

/// The values of a set, by trying each value of its type.
pub(super) fn values(known: Known) -> Values {
    let mut values = Values::default();
    for value in known.ty().least()..=known.ty().most() {
        if known.contains(value) {
            values.insert(known.ty(), value);
        }
    }
    values
}

/// All sets of a type, which must have few bits.
pub(super) fn all(ty: Int) -> Vec<Set> {
    let ends = (ty.least()..=ty.most()).collect::<Vec<_>>();
    let patterns = 0..=ty.mask();
    let bits = patterns.clone().flat_map(|zeros| patterns.clone().map(move |ones| Bits { zeros, ones }));
    sets(ty, &ends, &bits.collect::<Vec<_>>())
}

/// Sets of eight bits: intervals between ends that often reveal faults, with typical known bits.
pub(super) fn sample(signed: bool) -> Vec<Set> {
    let ty = Int { signed, width: 8 };
    let ends: &[i64] = if signed {
        &[-128, -127, -65, -64, -3, -1, 0, 1, 2, 15, 64, 126, 127]
    } else {
        &[0, 1, 2, 3, 7, 15, 64, 127, 128, 129, 200, 254, 255]
    };
    let bits = [
        (0, 0),
        (0x01, 0),
        (0, 0x01),
        (0x03, 0),
        (0x07, 0),
        (0x0e, 0x01),
        (0xf0, 0),
        (0, 0x80),
        (0x55, 0),
        (0x18, 0x40),
    ];
    sets(ty, ends, &bits.map(|(zeros, ones)| Bits { zeros, ones }))
}

/// The distinct sets of all intervals between `ends` with each of `bits`.
fn sets(ty: Int, ends: &[i64], bits: &[Bits]) -> Vec<Set> {
    let mut sets: Vec<Set> = Vec::new();
    for low in ends {
        for high in ends.iter().filter(|high| low <= high) {
            for bits in bits {
                let Some(known) = Known::reduced(ty, *low, *high, *bits) else { continue };
                if !sets.iter().any(|set| set.known == known) {
                    sets.push(Set::of(known));
                }
            }
        }
    }
    sets
}
