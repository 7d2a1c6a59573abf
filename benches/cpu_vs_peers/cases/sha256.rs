//! A hash of many short messages: integer arithmetic and rotations in a loop of 64 rounds.

use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, on_device, on_host, random_words};

const COUNT: usize = 1 << 17;
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

pub(super) fn case() -> Case {
    let blocks = random_words(16 * COUNT, 1);
    let keys = keys();
    assert_eq!(hash(&keys, abc()), ABC, "the standard's example");
    let expected = {
        let digests: Vec<[u32; 8]> = (0..COUNT).map(|at| hash(&keys, block(&blocks, at))).collect();
        (0..8 * COUNT).map(|at| digests[at % COUNT][at / COUNT]).collect()
    };
    let device_blocks = blocks.clone();
    Case {
        name: "sha256",
        bytes: None,
        expected: Expected::Exactly(expected),
        spmd: Spmd {
            text: include_str!("../spmd/sha256.ispc"),
            size: 0,
            inputs: [blocks.clone(), Vec::new()],
            initial: vec![0; 8 * COUNT],
            units: COUNT,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/sha256.cl"), [COUNT, 1], [64, 1]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("sha256.wgsl"))?;
            let blocks = device.buffer_from(&device_blocks)?;
            on_device(device, vec![0u32; 8 * COUNT], move |digests| {
                kernel.launch().bind("blocks", &blocks).bind("digests", digests).threads(COUNT)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let blocks = blocks.clone();
            on_host(vec![0u32; 8 * COUNT], move |digests: &mut [u32]| {
                let all: Vec<[u32; 8]> =
                    (0..COUNT).into_par_iter().with_min_len(256).map(|at| hash(&keys, block(&blocks, at))).collect();
                digests.par_chunks_mut(COUNT).enumerate().for_each(|(word, digests)| {
                    for (digest, all) in digests.iter_mut().zip(&all) {
                        *digest = all[word];
                    }
                });
            })
        }),
    }
}

fn block(blocks: &[u32], at: usize) -> [u32; 16] {
    std::array::from_fn(|word| blocks[word * COUNT + at])
}

fn hash(keys: &[u32; 64], mut w: [u32; 16]) -> [u32; 8] {
    let mut s = START;
    for (i, key) in keys.iter().enumerate() {
        if i >= 16 {
            let (a, b) = (w[(i + 1) & 15], w[(i + 14) & 15]);
            let low = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let high = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w[i & 15] = w[i & 15].wrapping_add(low).wrapping_add(w[(i + 9) & 15]).wrapping_add(high);
        }
        let high = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
        let choice = (s[4] & s[5]) ^ (!s[4] & s[6]);
        let one = [high, choice, *key, w[i & 15]].into_iter().fold(s[7], u32::wrapping_add);
        let low = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
        let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        let two = low.wrapping_add(majority);
        s = [one.wrapping_add(two), s[0], s[1], s[2], s[3].wrapping_add(one), s[4], s[5], s[6]];
    }
    std::array::from_fn(|word| START[word].wrapping_add(s[word]))
}

/// The constants of the rounds: the fractions of the cube roots of the first 64 primes.
fn keys() -> [u32; 64] {
    let is_prime = |number: &u64| (2..*number).all(|divisor| !number.is_multiple_of(divisor));
    let mut primes = (2u64..).filter(is_prime);
    std::array::from_fn(|_| {
        // The greatest root whose cube is at most the prime, in units of 2^-32.
        let wanted = u128::from(primes.next().unwrap_or(2)) << 96;
        let (mut low, mut high) = (0u128, 1u128 << 36);
        while high - low > 1 {
            let middle = u128::midpoint(low, high);
            if middle.pow(3) <= wanted { low = middle } else { high = middle }
        }
        low as u32
    })
}

/// The padded message 'abc', and its hash, from the standard (FIPS 180-4).
fn abc() -> [u32; 16] {
    let mut block = [0; 16];
    (block[0], block[15]) = (0x6162_6380, 24);
    block
}

const ABC: [u32; 8] =
    [0xba78_16bf, 0x8f01_cfea, 0x4141_40de, 0x5dae_2223, 0xb003_61a3, 0x9617_7a9c, 0xb410_ff61, 0xf200_15ad];
