//! Operators on element types that every device supports. `tests/ops` tests all types and options, on the devices of
//! one machine.

mod attention;
mod fourier;
mod moves;
mod numbers;
mod orders;
mod reductions;
mod rows;
mod scans;
mod windows;

use anywarp::{Device, Element, UnifiedBuffer};

use crate::suite::case::Case;
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, same};

pub(crate) const CASES: &[&[Case]] = &[
    attention::CASES,
    fourier::CASES,
    reductions::CASES,
    rows::CASES,
    windows::CASES,
    scans::CASES,
    orders::CASES,
    moves::CASES,
    numbers::CASES,
];

/// Array lengths: 0, 1, around a workgroup, around a tile of scans and sorts, and beyond several tiles.
const LENGTHS: [usize; 10] = [0, 1, 2, 255, 256, 257, 1009, 3328, 3329, 20_011];

/// Numbers below 4096 in no order, many of which occur repeatedly.
fn words(length: usize) -> Vec<u32> {
    (0..length as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect()
}

/// The same numbers minus 2048 as floats, whose sums are exact.
fn floats(length: usize) -> Vec<f32> {
    words(length).iter().map(|word| *word as f32 - 2048.0).collect()
}

/// Checks that the buffer begins with the wanted elements.
async fn holds<T: Element + PartialEq + std::fmt::Debug>(y: &UnifiedBuffer<T>, wanted: &[T], what: &str) -> TestResult {
    same(&y.read_here().await?[..wanted.len()], wanted, what)
}

/// A buffer for results, with contents that no result has.
fn unwritten(device: &Device, length: usize) -> TestResult<UnifiedBuffer<u32>> {
    Ok(device.buffer_from(&vec![0xdead_beef; length])?)
}
