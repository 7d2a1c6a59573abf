//! The kernels: for each its WGSL, its plain Rust version, its input and its expected result.

mod conv3x3;
mod expected;
mod histogram;
mod mandelbrot;
mod matmul;
mod nbody;
mod reduction;
mod saxpy;
mod scan;
mod sort;
mod tanh;
mod transpose;

use anywarp::Device;
use expected::Expected;

use crate::Outcome;
use crate::side::{Side, on_device, on_host};

/// The number of elements per task of the plain Rust versions, by default.
const CHUNK: usize = 1 << 14;

/// One kernel with its input, and the check of its result.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The smallest number of bytes that a run reads and writes, for a memory-bound kernel.
    pub(crate) bytes: Option<u64>,
    pub(crate) expected: Expected,
    pub(crate) on_device: Box<OnDevice>,
    pub(crate) on_host: Box<dyn Fn() -> Box<dyn Side>>,
}

type OnDevice = dyn Fn(&Device) -> Outcome<Box<dyn Side>>;
type Make = fn() -> Case;

/// Every kernel by name.
pub(crate) const ALL: [(&str, Make); 11] = [
    ("saxpy", saxpy::case),
    ("tanh", tanh::case),
    ("conv3x3", conv3x3::case),
    ("matmul", matmul::case),
    ("nbody", nbody::case),
    ("mandelbrot", mandelbrot::case),
    ("reduction", reduction::case),
    ("scan", scan::case),
    ("histogram", histogram::case),
    ("sort", sort::case),
    ("transpose", transpose::case),
];

/// Returns `count` words determined by `seed`, uniformly distributed.
fn random_words(count: usize, seed: u64) -> Vec<u32> {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    let word = |index: usize| {
        let mut state = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed << 32);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (state >> 32) as u32
    };
    (0..count).map(word).collect()
}

/// Returns `count` values from -1 to 1 determined by `seed`.
fn random_floats(count: usize, seed: u64) -> Vec<f32> {
    random_words(count, seed).into_iter().map(|word| word as f32 / (u32::MAX / 2) as f32 - 1.0).collect()
}
