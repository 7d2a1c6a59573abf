//! The search for the fastest of some candidates, by measuring. It knows neither devices nor kernels.

mod arena;
mod candidate;
mod random;
mod strategy;

use std::fmt;
use std::time::Duration;

use self::arena::{Arena, Halt};

pub use self::candidate::Candidate;
pub use self::strategy::Strategy;

anywarp_backend::debug_as_display!(Dropped);

/// The ratio of two times up to which they count as equal, so that the default candidate wins.
pub(crate) const CLOSE: f64 = 1.03;

/// Checks and measures the candidates of a search, which are numbered from 0. Candidate 0 is the default; its results
/// are the right ones.
///
/// ```
/// use std::time::Duration;
/// use anywarp::tune::{Dropped, Judge, Search, Space};
///
/// /// A device on which a workgroup of 128 is best, and one of 512 fails.
/// struct Simulated(Vec<f64>, Duration);
///
/// impl Judge for Simulated {
///     fn check(&mut self, candidate: usize) -> Result<(), Dropped> {
///         let fails = self.0[candidate] == 512.0;
///         if fails { Err(Dropped::Failed("too many registers".to_owned())) } else { Ok(()) }
///     }
///     fn time(&mut self, candidate: usize, _limit: Duration) -> Result<Duration, Dropped> {
///         let time = Duration::from_micros(100 + (self.0[candidate] - 128.0).abs() as u64);
///         self.1 += time;
///         Ok(time)
///     }
///     fn elapsed(&self) -> Duration {
///         self.1
///     }
/// }
///
/// let candidates = Space::new().parameter("WG", 64.0, [64.0, 128.0, 256.0, 512.0]).candidates()?;
/// let sizes = candidates.iter().map(|candidate| candidate.values()[0]).collect();
/// let found = Search::new().run(&candidates, &mut Simulated(sizes, Duration::ZERO))?;
/// assert_eq!(candidates[found.winner].values(), [128.0]);
/// assert!(found.trials[3].dropped.is_some());
/// # Ok::<(), anywarp::tune::TuneError>(())
/// ```
pub trait Judge {
    /// Prepares a candidate and checks its results against those of candidate 0, which is always checked first. It is
    /// called once for each candidate, before its first measurement, and runs the candidate at least once, so that the
    /// first measurement includes no preparations.
    ///
    /// # Errors
    /// The reason why the candidate leaves the search.
    fn check(&mut self, candidate: usize) -> Result<(), Dropped>;

    /// The time of one round of a candidate that passed the check, or another cost in its place.
    ///
    /// # Errors
    /// The reason why the candidate leaves the search. A candidate that takes longer than `limit` may be
    /// interrupted; it leaves the search also if it is not.
    fn time(&mut self, candidate: usize, limit: Duration) -> Result<Duration, Dropped>;

    /// The time that has passed since the search began, checks included.
    fn elapsed(&self) -> Duration;
}

/// The reason why a candidate left a search.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Dropped {
    /// The candidate cannot be compiled or run.
    #[error("failed: {0}")]
    Failed(String),
    /// The results differ from those of the default.
    #[error("wrong: {0}")]
    Wrong(String),
    /// A round took longer than its limit, which is a multiple of the default's time.
    #[error("slow: longer than {0:?}")]
    Slow(Duration),
    /// A run used much more energy than the default's.
    #[error("wasteful: {0}")]
    Wasteful(String),
    /// The candidate left an earlier search, whose results were kept, for this reason.
    #[error("{0}")]
    Earlier(String),
}

impl Dropped {
    /// The reason for a candidate whose energy, a joule as a second, exceeds its limit.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wasteful(energy: Duration, limit: Duration) -> Self {
        let [energy, limit] = [energy, limit].map(|joules| joules.as_secs_f64() * 1e3);
        Self::Wasteful(format!("{energy:.3} mJ, the limit is {limit:.3} mJ"))
    }
}

/// How to search: the strategy, its limits and its seed.
///
/// The same candidates, times and seed give the same result. See [`Judge`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    strategy: Strategy,
    budget: Duration,
    seed: u64,
    rounds: u32,
    slowest: f64,
    bound: Option<Duration>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            budget: Duration::from_secs(10),
            seed: 0,
            rounds: 25,
            slowest: 10.0,
            bound: None,
        }
    }
}

impl Search {
    /// Successive halving within 10 seconds, at most 25 rounds for each of the last candidates.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how the candidates to measure are chosen.
    #[must_use]
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the time after which nothing more is measured. New candidates are begun only in the first 60 % of it. The
    /// default is checked and measured once in any case.
    #[must_use]
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the seed of all random decisions.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of measurements of each of the last candidates, at least 1. Their medians decide.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds.max(1);
        self
    }

    /// Sets the limit on the time of a candidate, as a multiple of the default's time, at least 1. The limit is never
    /// below a millisecond.
    #[must_use]
    pub fn slowest(mut self, times: f64) -> Self {
        self.slowest = if times >= 1.0 { times } else { 1.0 };
        self
    }

    /// Sets the least time that is possible, such as the bytes of the kernel divided by the bandwidth of the device. A
    /// candidate whose median of three rounds is within 5 % of it ends the search.
    #[must_use]
    pub fn bound(mut self, least: Duration) -> Self {
        self.bound = Some(least);
        self
    }

    /// Whether every candidate is tried, if the budget allows it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn tries_all(&self) -> bool {
        matches!(self.strategy, Strategy::Exhaustive | Strategy::SuccessiveHalving)
    }

    /// The time after which nothing more is measured.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn time(&self) -> Duration {
        self.budget
    }

    /// Searches. Candidate 0 is the default: it wins if no other one is more than 3 % faster.
    ///
    /// # Errors
    /// The reason for which the default candidate fails, or that there are no candidates.
    pub(crate) fn find(&self, candidates: &[Candidate], judge: &mut impl Judge) -> Result<Found, String> {
        if candidates.is_empty() {
            return Err("there are no candidates".to_owned());
        }
        let mut arena = Arena::new(self, candidates.len(), judge);
        let searched = match self.strategy.run(candidates, &mut arena) {
            Ok(()) => Ok(Ended::Finished),
            Err(Halt::Budget) => Ok(Ended::Budget),
            Err(Halt::Bound) => Ok(Ended::Bound),
            Err(Halt::Default(reason)) => Err(reason),
        };
        let confirmed = searched.and_then(|ended| match arena.confirmed() {
            Ok(winner) => Ok((winner, ended)),
            Err(Halt::Default(reason)) => Err(reason),
            Err(_) => Ok((arena.winner(), ended)),
        });
        let (winner, ended) = confirmed.map_err(|reason| {
            let last = arena.last().filter(|last| *last != 0);
            let after = last.map_or(String::new(), |last| format!(" (after candidate {last} ran)"));
            format!("{reason}{after}")
        })?;
        Ok(Found { winner, trials: arena.into_trials(), ended })
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The number of the best candidate.
    pub winner: usize,
    /// The measurements of each candidate, in the order of the candidates.
    pub trials: Vec<Trial>,
    /// The reason for the end of the search.
    pub ended: Ended,
}

/// The reason for the end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// The strategy came to its end.
    Finished,
    /// The budget was used up.
    Budget,
    /// A candidate came close to the least time that is possible.
    Bound,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Finished => "finished",
            Self::Budget => "the budget was used up",
            Self::Bound => "close to the least possible time",
        })
    }
}

/// The measurements of one candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trial {
    /// The time of each round, in the order of the rounds. Empty for a candidate that was not tried.
    pub times: Vec<Duration>,
    /// The reason why the candidate left the search.
    pub dropped: Option<Dropped>,
}

impl Trial {
    /// The median of the times, the lower one of the two in the middle.
    #[must_use]
    pub fn median(&self) -> Option<Duration> {
        self.quantile(2)
    }

    /// The time below which one in `parts` of the times are.
    fn quantile(&self, parts: usize) -> Option<Duration> {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len().saturating_sub(1) / parts).copied()
    }
}

#[cfg(test)]
mod tests;
