//! Reproducible random numbers.
//!
//! `SplitMix64`, from Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
//! (OOPSLA 2014), with the constants of Vigna's `splitmix64.c`. The state starts at the seed; each
//! element takes one output.

use half::f16;

use crate::dtype::Dtype;

/// The types for `rand:`.
pub(crate) const DTYPES: [(&str, Dtype); 4] =
    [("f32", Dtype::F4), ("f16", Dtype::F2), ("i32", Dtype::I4), ("u32", Dtype::U4)];

/// `SplitMix64`.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The little-endian bytes of `count` elements; `None` if there is not enough memory.
///
/// Floats are uniform in [0, 1): the upper 24 bits (f32) or 11 bits (f16) of an output, as a fraction, so that every
/// value is exact. Integers are the upper 32 bits. `dtype` is one of [`DTYPES`]; for others all bytes are zero.
pub(crate) fn bytes(seed: u64, dtype: Dtype, count: usize) -> Option<Vec<u8>> {
    let total = count.checked_mul(dtype.width())?;
    let mut out = Vec::new();
    out.try_reserve_exact(total).ok()?;
    let mut random = SplitMix64(seed);
    for _ in 0..count {
        let z = random.next();
        match dtype {
            Dtype::F4 => out.extend(((z >> 40) as f32 * (1.0 / 16_777_216.0)).to_le_bytes()),
            Dtype::F2 => out.extend(f16::from_f32((z >> 53) as f32 * (1.0 / 2048.0)).to_le_bytes()),
            Dtype::I4 | Dtype::U4 => out.extend(((z >> 32) as u32).to_le_bytes()),
            _ => out.extend(std::iter::repeat_n(0, dtype.width())),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_those_of_the_reference() {
        // The first outputs of Vigna's splitmix64.c at seed 1234567, which many libraries test.
        let mut random = SplitMix64(1_234_567);
        let expected = [
            6_457_827_717_110_365_317_u64,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.next()), expected);
    }

    #[test]
    fn elements_are_the_upper_bits() {
        let z = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973];
        let words: Vec<u8> = z.iter().flat_map(|z| ((z >> 32) as u32).to_le_bytes()).collect();
        assert_eq!(bytes(1_234_567, Dtype::U4, 2).unwrap(), words);
        assert_eq!(bytes(1_234_567, Dtype::I4, 2).unwrap(), words);

        let floats = bytes(1_234_567, Dtype::F4, 1).unwrap();
        let first = f32::from_le_bytes(floats.try_into().unwrap());
        assert_eq!(first, (z[0] >> 40) as f32 / 16_777_216.0);
        assert!((first - 0.350_077).abs() < 1e-5, "{first}");

        let halves = bytes(1_234_567, Dtype::F2, 1).unwrap();
        assert_eq!(f16::from_le_bytes(halves.try_into().unwrap()).to_f32(), (z[0] >> 53) as f32 / 2048.0);
    }

    #[test]
    fn floats_stay_below_one_and_fill_the_interval() {
        for (dtype, width) in [(Dtype::F4, 4), (Dtype::F2, 2)] {
            let made = bytes(7, dtype, 10_000).unwrap();
            let values = made.chunks(width).map(|chunk| match dtype {
                Dtype::F4 => f32::from_le_bytes(chunk.try_into().unwrap()),
                _ => f16::from_le_bytes(chunk.try_into().unwrap()).to_f32(),
            });
            let (mut sum, mut least, mut most) = (0.0, f32::MAX, f32::MIN);
            for value in values {
                sum += value;
                least = least.min(value);
                most = most.max(value);
            }
            assert!((0.0..0.01).contains(&least) && (0.99..1.0).contains(&most), "{dtype}: {least}..{most}");
            assert!((sum / 10_000.0 - 0.5).abs() < 0.01, "{dtype}: mean {}", sum / 10_000.0);
        }
    }

    #[test]
    fn too_many_elements_are_refused_without_a_crash() {
        assert!(bytes(0, Dtype::F4, usize::MAX).is_none());
        assert!(bytes(0, Dtype::F4, usize::MAX / 8).is_none());
    }
}
