//! The order in which an epoch takes the samples.

use std::collections::TryReserveError;

/// The numbers `0..length` in an order determined by `seed` and `epoch`: the same on every machine, in every version.
///
/// Fisher-Yates (Knuth, "The Art of Computer Programming", volume 2, algorithm P) on [`SplitMix`].
pub(super) fn shuffled(length: usize, seed: u64, epoch: u64) -> Result<Vec<usize>, TryReserveError> {
    let mut order = Vec::new();
    order.try_reserve_exact(length)?;
    order.extend(0..length);
    // One step of the generator between `seed` and `epoch` makes the orders of neighbouring seeds and epochs unrelated.
    let mut random = SplitMix(SplitMix(seed).next() ^ epoch);
    for last in (1..length).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    Ok(order)
}

/// `SplitMix64` (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// It is implemented here because an order must not change between versions, while crates of random numbers change
/// theirs.
pub(super) struct SplitMix(pub(super) u64);

impl SplitMix {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..end`, uniformly distributed; `end` is not zero.
    ///
    /// Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        let unfair = end.wrapping_neg() % end;
        loop {
            let wide = u128::from(self.next()) * u128::from(end);
            if wide as u64 >= unfair {
                return (wide >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first numbers of the reference implementation for the seed 1234567.
        let mut random = SplitMix(1_234_567);
        let first: [u64; 3] = std::array::from_fn(|_| random.next());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn every_position_is_equally_likely_for_every_number() {
        let mut seen = [[0u32; 5]; 5];
        for epoch in 0..10_000 {
            for (place, number) in shuffled(5, 3, epoch).unwrap().into_iter().enumerate() {
                seen[place][number] += 1;
            }
        }
        // 2000 expected, with a standard deviation of 40.
        assert!(seen.iter().flatten().all(|count| (1800..2200).contains(count)), "{seen:?}");
    }

    proptest! {
        #[test]
        fn an_order_has_every_number_once(length in 0usize..2000, seed: u64, epoch: u64) {
            let mut order = shuffled(length, seed, epoch).unwrap();
            prop_assert_eq!(&order, &shuffled(length, seed, epoch).unwrap(), "the same again");
            order.sort_unstable();
            prop_assert!(order.into_iter().eq(0..length));
        }

        #[test]
        fn different_seeds_and_epochs_have_different_orders(seed: u64, epoch in 0u64..1000) {
            let order = shuffled(100, seed, epoch).unwrap();
            prop_assert_ne!(&order, &shuffled(100, seed, epoch + 1).unwrap());
            prop_assert_ne!(&order, &shuffled(100, seed.wrapping_add(1), epoch).unwrap());
        }
    }
}
