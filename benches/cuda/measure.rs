//! Paired measurements, the input numbers, and the check of results.

use std::time::{Duration, Instant};

use crate::shared::Outcome;
use crate::shared::pairs;
pub(crate) use crate::shared::pairs::{Pair, median, timed};

/// Measures with [`pairs`](pairs::pairs), after untimed runs that raise the GPU's clocks.
pub(crate) fn interleaved(
    pairs: usize,
    mut ours: impl FnMut() -> Outcome<f64>,
    mut raw: impl FnMut() -> Outcome<f64>,
) -> Outcome<Pair> {
    warm_up(|| Ok(ours()? + raw()?))?;
    pairs::pairs(pairs, ours, raw)
}

/// The median of the seconds that `work` returns.
pub(crate) fn repeated(times: usize, mut work: impl FnMut() -> Outcome<f64>) -> Outcome<f64> {
    warm_up(&mut work)?;
    pairs::repeated(times, work)
}

/// Runs the work at least once, and for a tenth of a second, because an idle GPU has lowered its clocks.
fn warm_up(mut work: impl FnMut() -> Outcome<f64>) -> Outcome<()> {
    let start = Instant::now();
    loop {
        work()?;
        if start.elapsed() > Duration::from_millis(100) {
            return Ok(());
        }
    }
}

/// A number in [-4, 4), different for each seed.
pub(crate) fn number(seed: u32, index: usize) -> f32 {
    let bits = (index as u32 ^ seed.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b9);
    (bits >> 8) as f32 / (1 << 21) as f32 - 4.0
}

pub(crate) fn numbers(seed: u32, length: usize) -> Vec<f32> {
    (0..length).map(|index| number(seed, index)).collect()
}

/// Compares every 61st number, which reaches every lane of every vector, and the last 4096.
pub(crate) fn check(what: &str, got: &[f32], tolerance: f32, want: impl Fn(usize) -> f32) -> Outcome<()> {
    let last = got.len().saturating_sub(4096);
    for index in (0..last).step_by(61).chain(last..got.len()) {
        let (got, want) = (got[index], want(index));
        let off = (got - want).abs();
        if off > tolerance * want.abs().max(1.0) || off.is_nan() {
            return Err(format!("wrong result: {what}: element {index} is {got}, not {want}").into());
        }
    }
    Ok(())
}
