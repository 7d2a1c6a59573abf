//! Random numbers that are the same everywhere (`SplitMix64`).

/// A generator whose sequence depends on the seed only.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x2545_f491_4f6c_dd1d));
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// A number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number from `first` to `last`, inclusive.
    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True with a probability of `percent`.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A word that is likely to find faults: small, large, a power of two, or any.
    pub(crate) fn interesting(&mut self) -> u32 {
        match self.below(8) {
            0..3 => self.below(10) as u32,
            3 => (self.below(10) as u32).wrapping_neg(),
            4 => 1u32 << self.below(32),
            5 => *self.pick(&[0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xff, 0x100, 0xffff, 0x1_0000]),
            6 => self.below(2048) as u32,
            _ => self.word(),
        }
    }

    /// A small whole number, whose products are exact in f32.
    pub(crate) fn small_float(&mut self) -> f32 {
        let span = *self.pick(&[3, 10, 100, 2047]);
        self.between(0, 2 * span) as f32 - span as f32
    }
}
