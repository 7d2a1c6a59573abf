//! Samples taken in turns, so that what disturbs the machine disturbs all sides alike.

use std::time::{Duration, Instant};

use crate::Outcome;

/// What is compared, in the order in which it is run.
pub(crate) const LANES: [&str; 3] = ["cpu", "lavapipe", "rayon"];
pub(crate) const CPU: usize = 0;
pub(crate) const LAVAPIPE: usize = 1;
pub(crate) const RAYON: usize = 2;

/// One value for each of [`LANES`].
pub(crate) type PerLane<T> = [T; 3];

/// No sample is shorter: the clock and an interrupt must not matter.
const SHORTEST: Duration = Duration::from_millis(2);
const WARM_UP: Duration = Duration::from_millis(50);

/// Seconds a run, of each lane in each round; NaN for a lane that is not there.
pub(crate) struct Samples(Vec<PerLane<f64>>);

impl From<Vec<PerLane<f64>>> for Samples {
    fn from(rounds: Vec<PerLane<f64>>) -> Self {
        Self(rounds)
    }
}

impl Samples {
    pub(crate) fn seconds(&self, lane: usize) -> f64 {
        median(self.0.iter().map(|round| round[lane]))
    }

    /// How many times as fast as `other` `lane` is: the median over the rounds, so that a drift of
    /// the machine cancels.
    pub(crate) fn speed(&self, lane: usize, other: usize) -> f64 {
        median(self.0.iter().map(|round| round[other] / round[lane]))
    }
}

/// Runs every lane once a round, for about `budget` in all and at least three rounds, after a
/// warm-up. Work that is short is repeated within a sample.
pub(crate) fn interleaved(
    lanes: &mut PerLane<Option<impl FnMut() -> Outcome<()>>>,
    budget: Duration,
) -> Outcome<Samples> {
    let mut repeats = [0; LANES.len()];
    let mut round_seconds = 0.0;
    for (repeats, work) in repeats.iter_mut().zip(lanes.iter_mut()) {
        let Some(work) = work else { continue };
        let seconds = warm_up(work)?;
        *repeats = (SHORTEST.as_secs_f64() / seconds).ceil() as u32;
        round_seconds += f64::from(*repeats) * seconds;
    }
    let rounds = (budget.as_secs_f64() / round_seconds).clamp(3.0, 1000.0) as usize;
    let mut samples = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let mut round = [f64::NAN; LANES.len()];
        for ((seconds, work), repeats) in round.iter_mut().zip(lanes.iter_mut()).zip(repeats) {
            let Some(work) = work else { continue };
            let start = Instant::now();
            for _ in 0..repeats {
                work()?;
            }
            *seconds = start.elapsed().as_secs_f64() / f64::from(repeats);
        }
        samples.push(round);
    }
    Ok(Samples(samples))
}

/// Runs `work` for a while; seconds of its fastest run.
fn warm_up(work: &mut impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    let mut fastest = f64::INFINITY;
    let mut runs = 0;
    while runs == 0 || start.elapsed() < WARM_UP {
        let start = Instant::now();
        work()?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
        runs += 1;
    }
    Ok(fastest.max(1e-9))
}

/// NaN for no samples, and for samples that are NaN.
fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut samples: Vec<f64> = samples.collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
