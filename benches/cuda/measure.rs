//! Paired measurements, the numbers that are computed with, and the check of what came out.

use std::time::{Duration, Instant};

use crate::Outcome;

/// Seconds of both sides of a paired measurement.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) ours: f64,
    pub(crate) raw: f64,
    /// Ours through raw: the median over the pairs, so that a drift of the machine cancels.
    pub(crate) ratio: f64,
}

/// Measures ours, raw, ours, raw and so on, after untimed pairs that bring the card up to speed.
/// Each side times itself, so that it can get ready outside of the time.
pub(crate) fn interleaved(
    pairs: usize,
    mut ours: impl FnMut() -> Outcome<f64>,
    mut raw: impl FnMut() -> Outcome<f64>,
) -> Outcome<Pair> {
    warm_up(|| Ok(ours()? + raw()?))?;
    let mut samples = Vec::with_capacity(pairs);
    for _ in 0..pairs {
        samples.push((ours()?, raw()?));
    }
    Ok(Pair {
        ours: median(samples.iter().map(|sample| sample.0)),
        raw: median(samples.iter().map(|sample| sample.1)),
        ratio: median(samples.iter().map(|sample| sample.0 / sample.1)),
    })
}

/// The median of the seconds that `work` tells.
pub(crate) fn repeated(times: usize, mut work: impl FnMut() -> Outcome<f64>) -> Outcome<f64> {
    warm_up(&mut work)?;
    let samples: Vec<f64> = (0..times).map(|_| work()).collect::<Result<_, _>>()?;
    Ok(median(samples.into_iter()))
}

/// At least once, and for a tenth of a second: an idle card has lowered its clocks.
fn warm_up(mut work: impl FnMut() -> Outcome<f64>) -> Outcome<()> {
    let start = Instant::now();
    loop {
        work()?;
        if start.elapsed() > Duration::from_millis(100) {
            return Ok(());
        }
    }
}

pub(crate) fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut samples: Vec<f64> = samples.collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Seconds that `work` takes.
pub(crate) fn timed(work: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// A number of [-4, 4), different for each seed.
pub(crate) fn number(seed: u32, index: usize) -> f32 {
    let bits = (index as u32 ^ seed.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b9);
    (bits >> 8) as f32 / (1 << 21) as f32 - 4.0
}

pub(crate) fn numbers(seed: u32, length: usize) -> Vec<f32> {
    (0..length).map(|index| number(seed, index)).collect()
}

/// Compares one number in 61, which comes by every lane of every vector, and the last 4096.
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
