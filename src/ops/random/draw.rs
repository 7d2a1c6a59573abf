//! The distributions, in the form that the kernel needs.

use super::super::error::OperationError;
use super::OPERATOR;

/// A distribution, which computes elements from random words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Draw {
    /// All bits of the words, unchanged.
    Bits,
    UniformF16,
    UniformF32,
    UniformF64,
    /// `low` plus a random number below `span`; `span` is 1 to 2^32.
    Integers {
        low: u32,
        span: u64,
    },
    Normal,
    NormalF16,
    Exponential,
    ExponentialF16,
    /// `one` if a word is below `words`, otherwise 0: a probability of `words / 2^32`.
    Chance {
        words: u32,
        one: u32,
    },
}

/// The stream and the distribution from which one call draws its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Source {
    pub(super) seed: u64,
    pub(super) stream: u32,
    /// The index of the call's first word in the stream.
    pub(super) number: u64,
    pub(super) draw: Draw,
}

/// The fields of the kernel's uniform that describe a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    /// The constant of `random.wgsl` for the distribution.
    pub(super) kind: u32,
    pub(super) span: u32,
    pub(super) low: u32,
    pub(super) rest: u32,
}

impl Draw {
    /// The distribution of `one` with the probability `chance`, and 0 otherwise; an error for a chance outside 0 to 1.
    pub(super) fn chance(chance: f64, one: u32) -> Result<Self, OperationError> {
        if !(0.0..=1.0).contains(&chance) {
            return Err(OPERATOR.choice("a chance of", "use a probability from 0 to 1", chance.to_string()));
        }
        let words = (chance * 2f64.powi(32)).round();
        // A probability of 1 would be 2^32 words, which 32 bits cannot count: it is drawn as a range of one value.
        Ok(if words > f64::from(u32::MAX) {
            Self::Integers { low: one, span: 1 }
        } else {
            Self::Chance { words: words as u32, one }
        })
    }

    pub(super) fn parameters(self) -> Parameters {
        let plain = |kind| Parameters { kind, span: 0, low: 0, rest: 0 };
        match self {
            Self::Bits => plain(0),
            Self::UniformF32 => plain(1),
            Self::UniformF64 => plain(2),
            // A range of 2^32 values has all words: adding the lowest value would only permute them.
            Self::Integers { span, .. } if span > u64::from(u32::MAX) => plain(0),
            Self::Integers { low, span } => {
                Parameters { kind: 3, span: span as u32, low, rest: ((1u64 << 32) % span) as u32 }
            }
            Self::Normal => plain(4),
            Self::Exponential => plain(5),
            Self::UniformF16 => plain(7),
            Self::NormalF16 => plain(8),
            Self::ExponentialF16 => plain(9),
            Self::Chance { words, one } => Parameters { kind: 6, span: words, low: one, rest: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_count_words() {
        assert_eq!(Draw::chance(0.0, 1).unwrap(), Draw::Chance { words: 0, one: 1 });
        assert_eq!(Draw::chance(0.25, 1).unwrap(), Draw::Chance { words: 1 << 30, one: 1 });
        assert_eq!(Draw::chance(1.0, 7).unwrap(), Draw::Integers { low: 7, span: 1 });
        assert_eq!(Draw::chance(1.0 - 1e-12, 7).unwrap(), Draw::Integers { low: 7, span: 1 });
        for chance in [-0.1, 1.1, f64::NAN] {
            assert!(Draw::chance(chance, 1).is_err(), "{chance}");
        }
    }

    #[test]
    fn the_rest_of_a_range_is_what_32_bits_leave_over() {
        let of = |span| Draw::Integers { low: 3, span }.parameters();
        assert_eq!(of(6), Parameters { kind: 3, span: 6, low: 3, rest: 4 });
        assert_eq!(of(1 << 31).rest, 0);
        assert_eq!(of((1 << 31) + 1).rest, (1 << 31) - 1);
        assert_eq!(of(1 << 32).kind, 0);
    }
}
