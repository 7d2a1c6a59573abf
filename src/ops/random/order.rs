//! The cipher that computes a permutation.

use super::super::error::OperationError;
use super::philox::philox;
use super::{MAX_WORDS, OPERATOR};

/// The number of rounds of the cipher.
const ROUNDS: usize = 24;
/// The smallest number of bits that the cipher mixes well.
const MIN_BITS: u32 = 8;

/// A permutation of the numbers below `n`, as the parameters of the cipher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) n: u32,
    /// The numbers of bits of the left and the right half of a number.
    pub(super) halves: [u32; 2],
    pub(super) keys: [u32; ROUNDS],
}

impl Order {
    pub(super) fn of(n: usize, seed: u64, stream: u32) -> Result<Self, OperationError> {
        let Some(n) = u32::try_from(n).ok().filter(|n| u64::from(*n) <= MAX_WORDS) else {
            return Err(OPERATOR.too_large("a permutation", vec![n], MAX_WORDS));
        };
        let bits = (u32::BITS - n.saturating_sub(1).leading_zeros()).max(MIN_BITS);
        let mut keys = [0; ROUNDS];
        for (block, keys) in (0..).zip(keys.chunks_exact_mut(4)) {
            // No distribution uses a counter whose last word is `u32::MAX`: that of integers is at most 64.
            keys.copy_from_slice(&philox([block, 0, stream, u32::MAX], [seed as u32, (seed >> 32) as u32]));
        }
        Ok(Self { n, halves: [bits / 2, bits.div_ceil(2)], keys })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_the_bits_of_all_numbers() {
        let halves = |n| Order::of(n, 1, 2).unwrap().halves;
        assert_eq!((halves(0), halves(1), halves(256), halves(257)), ([4, 4], [4, 4], [4, 4], [4, 5]));
        assert_eq!((halves(1 << 20), halves((1 << 20) + 1), halves((1 << 31) + 1)), ([10, 10], [10, 11], [16, 16]));
    }

    #[test]
    fn keys_depend_on_the_seed_and_the_stream() {
        let keys = |seed, stream| Order::of(9, seed, stream).unwrap().keys;
        assert_ne!(keys(1, 0), keys(1 << 32, 0));
        assert_ne!(keys(1, 0), keys(1, 1));
    }

    #[test]
    fn longer_orders_are_refused() {
        assert!(matches!(Order::of(1 << 32, 0, 0), Err(OperationError::TooLarge { .. })));
    }
}
