//! Samples taken in turns, so that disturbances of the machine affect all sides equally.

use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::shared::Outcome;

/// The compared sides, in the order of execution.
pub(crate) const LANES: [&str; 6] = ["cpu", "lavapipe", "rayon", "ispc x8", "ispc x16", "pocl"];
pub(crate) const CPU: usize = 0;
pub(crate) const LAVAPIPE: usize = 1;
pub(crate) const RAYON: usize = 2;
pub(crate) const ISPC: [usize; 2] = [3, 4];
pub(crate) const POCL: usize = 5;

/// One value for each of [`LANES`].
pub(crate) type PerLane<T> = [T; LANES.len()];

/// The shortest sample, long enough that the clock's resolution and interrupts do not matter.
const SHORTEST: Duration = Duration::from_millis(2);
const WARM_UP: Duration = Duration::from_millis(50);

/// The time of a run in seconds, for each lane and round; NaN for a missing lane.
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

    /// The speed of `lane` relative to `other`: the median over the rounds, because the two lanes of a round are
    /// affected equally when the machine slows down.
    pub(crate) fn speed(&self, lane: usize, other: usize) -> f64 {
        median(self.0.iter().map(|round| round[other] / round[lane]))
    }

    /// Whether a lane was measured.
    pub(crate) fn has(&self, lane: usize) -> bool {
        !self.seconds(lane).is_nan()
    }
}

/// Runs every lane once per round, for a total time of about `budget` and at least three rounds, after a warm-up. Short
/// work is repeated within a sample.
pub(crate) fn interleaved(
    lanes: &mut PerLane<Option<impl FnMut() -> Outcome<()>>>,
    budget: Duration,
    clock: Clock,
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
            let start = clock.start();
            for _ in 0..repeats {
                work()?;
            }
            *seconds = start.seconds() / f64::from(repeats);
        }
        samples.push(round);
    }
    Ok(Samples(samples))
}

/// Runs `work` for a while; returns the time of its fastest run in seconds.
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

/// The median; NaN without samples, or if a sample is NaN.
fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut samples: Vec<f64> = samples.collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
