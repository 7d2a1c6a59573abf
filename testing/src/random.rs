//! Random numbers that are the same everywhere: `SplitMix64` (Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014).

/// A generator of random numbers whose sequence depends only on the seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose sequence is unrelated to the sequences of neighbouring seeds.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x2545_f491_4f6c_dd1d));
        random.bits();
        random
    }

    /// The generator as published, in the state `state`.
    pub fn from_state(state: u64) -> Self {
        Self(state)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A random word of 32 bits.
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// A random number from 0 up to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// A number from `first` to `last`, inclusive.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// Returns true with a probability of `percent` percent.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A random one of the values.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A word of 32 bits that is likely to reveal faults: small, large, a power of two, or any.
    pub fn interesting(&mut self) -> u32 {
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
    pub fn small_float(&mut self) -> f32 {
        let span = *self.pick(&[3, 10, 100, 2047]);
        self.between(0, 2 * span) as f32 - span as f32
    }
}

/// `count` random words of 32 bits, uniformly distributed.
pub fn words(count: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(|| random.word()).take(count).collect()
}

/// `count` random numbers from -1 up to 1, without 1.
pub fn floats(count: usize, seed: u64) -> Vec<f32> {
    // 24 bits, so that every number is exact.
    words(count, seed).into_iter().map(|word| (word >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs that the generator's authors publish for this state.
    #[test]
    fn the_generator_is_splitmix64() {
        let mut random = Random::from_state(1_234_567);
        let found = [random.bits(), random.bits(), random.bits()];
        assert_eq!(found, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn floats_stay_in_their_range() {
        let floats = floats(10_000, 1);
        assert!(floats.iter().all(|float| (-1.0..1.0).contains(float)));
        let mean = floats.iter().sum::<f32>() / floats.len() as f32;
        assert!(mean.abs() < 0.05, "{mean}");
    }
}
