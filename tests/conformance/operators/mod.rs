//! Operators, with elements that every device has. `tests/ops` has all types and options, on the devices of one machine.

mod attention;
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
    reductions::CASES,
    rows::CASES,
    windows::CASES,
    scans::CASES,
    orders::CASES,
    moves::CASES,
    numbers::CASES,
];

/// No element, one, and lengths around a workgroup, around a tile of scans and sorts, and beyond several tiles.
const LENGTHS: [usize; 10] = [0, 1, 2, 255, 256, 257, 1009, 3328, 3329, 20_011];

/// Numbers below 4096 in no order, many of them repeatedly.
fn words(length: usize) -> Vec<u32> {
    (0..length as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect()
}

/// The same as floats, half of them negative: their sums are exact.
fn floats(length: usize) -> Vec<f32> {
    words(length).iter().map(|word| *word as f32 - 2048.0).collect()
}

/// Fails unless the buffer has these elements.
async fn holds<T: Element + PartialEq + std::fmt::Debug>(y: &UnifiedBuffer<T>, wanted: &[T], what: &str) -> TestResult {
    same(&y.read_here().await?[..wanted.len()], wanted, what)
}

/// An array to write into, with contents that no result has.
fn unwritten(device: &Device, length: usize) -> TestResult<UnifiedBuffer<u32>> {
    Ok(device.buffer_from(&vec![0xdead_beef; length])?)
}
