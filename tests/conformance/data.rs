//! Values and sizes that the cases share.

/// The lengths of test buffers: small ones, some around a workgroup of 64, and primes.
pub(crate) const SIZES: &[usize] = &[1, 2, 3, 5, 63, 64, 65, 127, 1009];

/// A hash of the index, by the finaliser of `MurmurHash3`.
pub(crate) fn word(index: usize) -> u32 {
    let mut x = (index as u32).wrapping_add(0x9E37_79B9);
    x = (x ^ (x >> 16)).wrapping_mul(0x85EB_CA6B);
    x = (x ^ (x >> 13)).wrapping_mul(0xC2B2_AE35);
    x ^ (x >> 16)
}

/// The words of the first `length` indices.
pub(crate) fn words(length: usize) -> Vec<u32> {
    (0..length).map(word).collect()
}

/// `length` floats between -1 and 1.
pub(crate) fn floats(length: usize) -> Vec<f32> {
    (0..length).map(|index| word(index) as f32 / u32::MAX as f32 * 2.0 - 1.0).collect()
}
