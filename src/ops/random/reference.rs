//! The reference implementation in plain Rust.

/// Philox4x32-10 for a counter and a key.
pub(crate) fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut k, mut l]) = (counter, key);
    for _ in 0..10 {
        let (p, q) = (u64::from(a) * 0xd251_1f53, u64::from(c) * 0xcd9e_8d57);
        (a, b, c, d) = ((q >> 32) as u32 ^ b ^ k, q as u32, (p >> 32) as u32 ^ d ^ l, p as u32);
        (k, l) = (k.wrapping_add(0x9e37_79b9), l.wrapping_add(0xbb67_ae85));
    }
    [a, b, c, d]
}

/// Word `number` of a stream.
pub(crate) fn word(seed: u64, stream: u32, number: u64) -> u32 {
    word_of_attempt(seed, stream, number, 0)
}

fn word_of_attempt(seed: u64, stream: u32, number: u64, attempt: u32) -> u32 {
    let block = number / 4;
    let counter = [block as u32, (block >> 32) as u32, stream, attempt];
    philox(counter, [seed as u32, (seed >> 32) as u32])[(number % 4) as usize]
}

/// Converts one word to a number from 0 to 1.
pub(crate) fn uniform_f32(word: u32) -> f32 {
    (word >> 8) as f32 / 16_777_216.0
}

/// Converts two words to a number from 0 to 1.
pub(crate) fn uniform_f64(low: u32, high: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
    bits as f64 / 2f64.powi(53)
}

/// An integer below `span`, from word `number` of a stream or from the words that replace it.
pub(crate) fn below(seed: u64, stream: u32, number: u64, span: u32) -> u32 {
    for attempt in 0.. {
        let whole = u64::from(word_of_attempt(seed, stream, number, attempt)) * u64::from(span);
        if whole % (1 << 32) >= (1 << 32) % u64::from(span) {
            return (whole >> 32) as u32;
        }
    }
    unreachable!("the loop has no end")
}

/// `-ln(p)` for the probability `p` of a word, computed in f64.
pub(crate) fn exponential(word: u32) -> f64 {
    -(f64::from(word | 1) / 2f64.powi(32)).ln()
}

/// Two numbers of the normal distribution from two words, computed in f64.
pub(crate) fn normal_pair(first: u32, second: u32) -> [f64; 2] {
    let radius = (2.0 * exponential(first)).sqrt();
    // The angle in turns: the quadrant, and the middle of a step of 2^-32 turns in it.
    let turns = f64::from(second >> 30) / 4.0 + (f64::from(second & 0x3fff_ffff) + 0.5) / 2f64.powi(32);
    let angle = turns * std::f64::consts::TAU;
    [radius * angle.cos(), radius * angle.sin()]
}
