//! Paired measurements: both sides run in turns, so that a change of the machine's speed affects both.

use std::time::Instant;

use super::Outcome;

/// The times of both sides of a paired measurement, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) ours: f64,
    pub(crate) raw: f64,
    /// Our time divided by the raw time: the median over the pairs.
    pub(crate) ratio: f64,
}

/// Measures ours, raw, ours, raw and so on. Each side returns its own time, so that its preparation is not measured.
pub(crate) fn pairs(
    count: usize,
    mut ours: impl FnMut() -> Outcome<f64>,
    mut raw: impl FnMut() -> Outcome<f64>,
) -> Outcome<Pair> {
    let mut samples = Vec::with_capacity(count);
    for _ in 0..count {
        samples.push((ours()?, raw()?));
    }
    Ok(Pair {
        ours: median(samples.iter().map(|sample| sample.0)),
        raw: median(samples.iter().map(|sample| sample.1)),
        ratio: median(samples.iter().map(|sample| sample.0 / sample.1)),
    })
}

/// The median of the seconds that `work` returns.
pub(crate) fn repeated(times: usize, mut work: impl FnMut() -> Outcome<f64>) -> Outcome<f64> {
    let samples: Vec<f64> = (0..times).map(|_| work()).collect::<Result<_, _>>()?;
    Ok(median(samples.into_iter()))
}

pub(crate) fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut samples: Vec<f64> = samples.collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The duration of `work` in seconds.
pub(crate) fn timed(work: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}
