//! The kernels: for each its WGSL, its plain Rust version, its texts for ISPC and OpenCL, its input and its expected
//! result.

mod black_scholes;
mod conv3x3;
mod expected;
mod histogram;
mod mandelbrot;
mod matmul;
mod nbody;
mod reduction;
mod remap;
mod saxpy;
mod scan;
mod sha256;
mod sort;
mod stencil;
mod tanh;
mod transpose;
mod yuv;

use anywarp::Device;
use anywarp_testing::random::{floats as random_floats, words as random_words};
use expected::Expected;

use crate::Outcome;
use crate::ispc::{Spmd, words};
use crate::opencl::{Program, Step};
use crate::side::{Side, on_device, on_host};

/// The number of elements per task of the plain Rust versions, by default.
const CHUNK: usize = 1 << 14;

/// One kernel with its input, and the check of its result.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The smallest number of bytes that a run reads and writes, for a memory-bound kernel.
    pub(crate) bytes: Option<u64>,
    pub(crate) expected: Expected,
    pub(crate) spmd: Spmd,
    pub(crate) opencl: Program,
    pub(crate) on_device: Box<OnDevice>,
    pub(crate) on_host: Box<dyn Fn() -> Box<dyn Side>>,
}

type OnDevice = dyn Fn(&Device) -> Outcome<Box<dyn Side>>;
type Make = fn() -> Case;

/// Every kernel by name.
pub(crate) const ALL: [(&str, Make); 17] = [
    ("saxpy", saxpy::case),
    ("tanh", tanh::case),
    ("conv3x3", conv3x3::case),
    ("stencil", stencil::case),
    ("matmul", matmul::of_512),
    ("matmul_1024", matmul::of_1024),
    ("nbody", nbody::case),
    ("mandelbrot", mandelbrot::case),
    ("reduction", reduction::case),
    ("scan", scan::case),
    ("histogram", histogram::case),
    ("sort", sort::case),
    ("transpose", transpose::case),
    ("black_scholes", black_scholes::case),
    ("sha256", sha256::case),
    ("rgb_to_yuv", yuv::case),
    ("remap", remap::case),
];
