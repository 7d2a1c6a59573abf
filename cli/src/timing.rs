//! Runs a recording several times and collects the times.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anywarp::Recording;
use anywarp::backend::Clock;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// The number of runs from which a progress bar is shown.
const MANY: u32 = 100;

/// The kernel's time in each run.
pub(crate) struct Times {
    pub(crate) clock: Clock,
    /// The times in ascending order, at least one.
    sorted: Vec<Duration>,
}

impl Times {
    /// The time of one run, by the host's clock.
    pub(crate) fn of(time: Duration) -> Self {
        Self::new(Clock::Host, vec![time])
    }

    fn new(clock: Clock, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { clock, sorted: times }
    }

    pub(crate) fn min(&self) -> Duration {
        self.sorted.first().copied().unwrap_or_default()
    }

    /// The median: the middle one, or the mean of the middle two.
    pub(crate) fn median(&self) -> Duration {
        let middle = self.sorted.len() / 2;
        match (self.sorted.len() % 2, self.sorted.get(middle)) {
            (0, Some(upper)) => (self.sorted[middle - 1] + *upper) / 2,
            (_, only) => only.copied().unwrap_or_default(),
        }
    }
}

/// Submits `recording` `runs` times and waits for each.
pub(crate) fn measure(recording: &Recording, runs: u32, quiet: bool) -> Result<Times, Failure> {
    let progress = progress_bar(runs, quiet);
    let mut times = Vec::new();
    let mut clock = Clock::Device;
    for _ in 0..runs {
        let start = Instant::now();
        let submission = recording.submit()?;
        submission.wait()?;
        let elapsed = start.elapsed();
        match submission.timings() {
            Some(timings) => {
                clock = timings.clock;
                times.push(timings.total());
            }
            None => {
                clock = Clock::Host;
                times.push(elapsed);
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(Times::new(clock, times))
}

fn progress_bar(runs: u32, quiet: bool) -> ProgressBar {
    if quiet || runs < MANY || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::from(runs));
    match ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        let times = |values: &[u64]| {
            let times = values.iter().map(|value| Duration::from_micros(*value)).collect();
            let times = Times::new(Clock::Host, times);
            (times.median().as_micros(), times.min().as_micros())
        };
        assert_eq!(times(&[5]), (5, 5));
        assert_eq!(times(&[9, 1, 4]), (4, 1));
        assert_eq!(times(&[9, 1, 4, 6]), (5, 1));
    }
}
