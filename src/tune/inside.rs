//! The last comparison: the best candidates within the program that uses them.
//!
//! A kernel that is fastest alone need not be so beside others, which share its caches and fill the gaps that it leaves.

use std::time::{Duration, Instant};

use super::{Dropped, Found};
use crate::search::CLOSE;

/// The number of candidates beside the default, those that were fastest alone.
const FINALISTS: usize = 3;

/// The number of rounds, and the least number if the budget is short.
const ROUNDS: usize = 11;
const LEAST: usize = 3;

/// The times of steps of the program.
pub(super) struct Inside {
    pub(super) winner: usize,
    /// Each candidate that was compared with its median, or the reason why it left.
    pub(super) times: Vec<(usize, Result<Duration, Dropped>)>,
}

impl Inside {
    pub(super) fn time(&self, candidate: usize) -> Option<Duration> {
        self.outcome(candidate)?.as_ref().ok().copied()
    }

    pub(super) fn dropped(&self, candidate: usize) -> Option<Dropped> {
        self.outcome(candidate)?.as_ref().err().cloned()
    }

    fn outcome(&self, candidate: usize) -> Option<&Result<Duration, Dropped>> {
        self.times.iter().find(|(at, _)| *at == candidate).map(|(_, outcome)| outcome)
    }
}

/// Runs steps with the default and the candidates that were fastest alone, in turn. `step` runs one with a candidate and
/// waits for its end. The default wins if no other one is more than 3 % faster.
///
/// # Errors
/// The error of a step with the default.
pub(super) fn compare(
    found: &Found,
    budget: Duration,
    mut step: impl FnMut(usize) -> crate::Result<()>,
) -> crate::Result<Inside> {
    let alone = |at: &usize| found.trials[*at].median();
    let mut others: Vec<usize> = (1..found.trials.len()).filter(|at| found.trials[*at].dropped.is_none()).collect();
    others.retain(|at| alone(at).is_some());
    others.sort_by_key(|at| (*at != found.winner, alone(at), *at));
    let mut trials: Vec<(usize, Result<Vec<Duration>, Dropped>)> =
        std::iter::once(0).chain(others.into_iter().take(FINALISTS)).map(|at| (at, Ok(Vec::new()))).collect();
    let started = Instant::now();
    // The first round is not counted, as a program is slower at first.
    for round in 0..=ROUNDS {
        if round > LEAST && started.elapsed() > budget {
            break;
        }
        for (at, trial) in &mut trials {
            let Ok(times) = trial else { continue };
            let begun = Instant::now();
            match step(*at) {
                Ok(()) if round == 0 => {}
                Ok(()) => times.push(begun.elapsed()),
                Err(error) if *at == 0 => return Err(error),
                Err(error) => *trial = Err(Dropped::Failed(format!("inside the program: {error}"))),
            }
        }
        // Each candidate follows each other one now and then.
        trials.rotate_left(1);
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times.get(times.len().saturating_sub(1) / 2).copied().unwrap_or_default()
    };
    let times: Vec<(usize, Result<Duration, Dropped>)> =
        trials.into_iter().map(|(at, trial)| (at, trial.map(median))).collect();
    let fastest = times.iter().filter_map(|(at, time)| Some((*time.as_ref().ok()?, *at))).min();
    let mut inside = Inside { winner: fastest.map_or(0, |(_, at)| at), times };
    if let (Some((least, _)), Some(default)) = (fastest, inside.time(0))
        && default.as_secs_f64() <= least.as_secs_f64() * CLOSE
    {
        inside.winner = 0;
    }
    Ok(inside)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::tune::{Ended, Trial};

    fn found(alone: &[u64], winner: usize) -> Found {
        let trial = |us: &u64| Trial { times: vec![Duration::from_micros(*us)], dropped: None };
        Found { winner, trials: alone.iter().map(trial).collect(), ended: Ended::Finished }
    }

    /// The fastest candidate alone loses where it delays others; one that fails there is named.
    #[test]
    fn the_program_decides() {
        let mut steps = [0; 6];
        let inside = compare(&found(&[90, 10, 20, 30, 40, 50], 1), Duration::from_secs(1), |at| {
            steps[at] += 1;
            if at == 3 {
                return Err(crate::tune::TuneError::NoGrid.into());
            }
            thread::sleep(Duration::from_micros([2000, 3000, 500, 0, 0, 0][at]));
            Ok(())
        });
        let inside = inside.unwrap();
        assert_eq!(inside.winner, 2);
        assert!(inside.time(1) > inside.time(0) && inside.time(3).is_none() && inside.time(4).is_none());
        assert!(inside.dropped(3).unwrap().to_string().starts_with("failed: inside the program: the grid is missing"));
        assert_eq!(steps, [12, 12, 12, 1, 0, 0]);
    }

    #[test]
    fn the_default_wins_ties_and_its_errors_end_the_comparison() {
        // A busy machine may delay one of the two.
        let wins = (0..6).any(|_| {
            let same = compare(&found(&[20, 10], 1), Duration::ZERO, |_| {
                thread::sleep(Duration::from_millis(3));
                Ok(())
            });
            same.unwrap().winner == 0
        });
        assert!(wins);
        assert!(compare(&found(&[20, 10], 1), Duration::ZERO, |_| Err(crate::tune::TuneError::NoGrid.into())).is_err());
    }
}
