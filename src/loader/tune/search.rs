//! Random settings, their search, and one measurement.

use std::time::{Duration, Instant};

use super::{Trial, TuneOptions, Tuning};
use crate::loader::fields::Fields;
use crate::loader::order::SplitMix;
use crate::loader::{Batch, LoaderBuilder, LoaderError, Setting};
use crate::search::{CLOSE, Candidate, Dropped, Judge, Search, Strategy};

/// How many times as often as at first the best settings are measured.
const LAST: u32 = 4;

/// The default setting, and random ones.
pub(super) fn settings(options: &TuneOptions) -> Vec<Setting> {
    let up_to =
        |most: usize, steps: &[usize]| -> Vec<usize> { steps.iter().copied().filter(|step| *step <= most).collect() };
    let default = Setting::default();
    let mut others = Vec::new();
    for workers in up_to(options.max_workers, &[0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]) {
        // Without workers there are no batches ahead.
        for prefetch in up_to(if workers == 0 { 0 } else { options.max_prefetch }, &[0, 1, 2, 4, 8, 16, 32]) {
            let both = [true, false].map(|pinned| Setting { workers, prefetch, pinned });
            others.extend(both.into_iter().filter(|setting| *setting != default));
        }
    }
    shuffle(&mut others, &mut SplitMix(options.seed));
    others.truncate(options.settings.saturating_sub(1));
    others.insert(0, default);
    others
}

fn shuffle<T>(values: &mut [T], random: &mut SplitMix) {
    for last in (1..values.len()).rev() {
        values.swap(last, random.below(last as u64 + 1) as usize);
    }
}

/// Finds the best of `settings`, which has at least one. `measure` returns the time per batch for a number of batches,
/// with the consumer or without.
pub(super) fn search(
    settings: &[Setting],
    options: &TuneOptions,
    measure: impl FnMut(Setting, usize, bool) -> crate::Result<Duration>,
) -> crate::Result<Tuning> {
    let repetitions = u32::try_from(options.repetitions.max(1)).unwrap_or(u32::MAX);
    let search = Search::new().strategy(Strategy::SuccessiveHalving).seed(options.seed).budget(Duration::MAX);
    let search = search.rounds(repetitions.saturating_mul(LAST)).slowest(f64::INFINITY);
    let alone = vec![Duration::ZERO; settings.len()];
    let mut loading = Loading { settings, options, measure, alone, error: None, started: Instant::now() };
    let found = search.find(&Candidate::numbered(settings.len()), &mut loading);
    if let Some(error) = loading.error {
        return Err(error);
    }
    let found = found.map_err(|_| LoaderError::NothingToTune)?;
    let trials: Vec<Trial> = (settings.iter().zip(&found.trials).zip(&loading.alone))
        .map(|((setting, trial), alone)| Trial {
            setting: *setting,
            consumed: trial.median().unwrap_or_default(),
            alone: *alone,
            rounds: u32::try_from(trial.times.len()).unwrap_or(u32::MAX),
        })
        .collect();
    // Those that were measured about as often as the winner.
    let most = trials.iter().map(|trial| trial.rounds).max().unwrap_or(0);
    let last: Vec<usize> = (0..trials.len()).filter(|at| trials[*at].rounds >= most.div_ceil(2)).collect();
    let all: Vec<usize> = (0..trials.len()).collect();
    let (best, alone) = (best(&last, &trials, |trial| trial.consumed), best(&all, &trials, |trial| trial.alone));
    Ok(sorted(trials, best, alone))
}

/// The settings as candidates of a search.
struct Loading<'s, M> {
    settings: &'s [Setting],
    options: &'s TuneOptions,
    measure: M,
    /// The times for each batch with a consumer that does nothing.
    alone: Vec<Duration>,
    /// The error of a batch or of the consumer, which ends the search.
    error: Option<crate::Error>,
    started: Instant,
}

impl<M: FnMut(Setting, usize, bool) -> crate::Result<Duration>> Loading<'_, M> {
    fn measured(&mut self, candidate: usize, consumed: bool) -> Result<Duration, Dropped> {
        let time = (self.measure)(self.settings[candidate], self.options.batches.max(1), consumed);
        time.map_err(|error| {
            let dropped = Dropped::Failed(error.to_string());
            self.error.get_or_insert(error);
            dropped
        })
    }
}

impl<M: FnMut(Setting, usize, bool) -> crate::Result<Duration>> Judge for Loading<'_, M> {
    fn check(&mut self, candidate: usize) -> Result<(), Dropped> {
        let mut times = Vec::new();
        for _ in 0..self.options.repetitions.max(1) {
            times.push(self.measured(candidate, false)?);
        }
        self.alone[candidate] = median(&mut times);
        Ok(())
    }

    fn time(&mut self, candidate: usize, _: Duration) -> Result<Duration, Dropped> {
        self.measured(candidate, true)
    }

    fn elapsed(&self) -> Duration {
        // An error uses up the budget.
        if self.error.is_some() { Duration::MAX } else { self.started.elapsed() }
    }
}

/// The setting with the fewest workers and batches loaded ahead, among those whose time is at most [`CLOSE`] times the
/// least time.
fn best(among: &[usize], trials: &[Trial], time: impl Fn(&Trial) -> Duration) -> usize {
    let least = among.iter().map(|at| time(&trials[*at])).min().unwrap_or_default().mul_f64(CLOSE);
    let cost = |at: &usize| {
        let Setting { workers, prefetch, pinned } = trials[*at].setting;
        (workers.saturating_add(prefetch), workers, !pinned, *at)
    };
    among.iter().copied().filter(|at| time(&trials[*at]) <= least).min_by_key(cost).unwrap_or_default()
}

/// Sorts the trials: the best one first, then by the number of rounds and the time.
fn sorted(trials: Vec<Trial>, best: usize, alone: usize) -> Tuning {
    let mut numbered: Vec<(usize, Trial)> = trials.into_iter().enumerate().collect();
    numbered.sort_by_key(|(at, trial)| (*at != best, u32::MAX - trial.rounds, trial.consumed));
    let place = |wanted| numbered.iter().position(|(at, _)| *at == wanted).unwrap_or_default();
    let (best, best_alone) = (place(best), place(alone));
    Tuning { best, best_alone, trials: numbered.into_iter().map(|(_, trial)| trial).collect() }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The time per batch for a number of batches, from the start of an epoch until the device has finished with the last
/// one.
pub(super) fn measure<F: Fields>(
    builder: &LoaderBuilder<F>,
    batches: usize,
    consumer: &mut impl FnMut(Batch<F>) -> crate::Result<()>,
) -> crate::Result<Duration> {
    let mut loader = builder.build()?;
    let mut run = |batches: usize, epochs: std::ops::RangeFrom<u64>| -> crate::Result<()> {
        let mut left = batches;
        for epoch in epochs {
            let before = left;
            for batch in loader.epoch(epoch).take(left) {
                consumer(batch?)?;
                left -= 1;
            }
            if left == before {
                return Err(LoaderError::NothingToTune.into());
            }
            if left == 0 {
                break;
            }
        }
        builder.device.synchronize()
    };
    // A first run, so that starting the threads and allocating memory are not measured.
    let window = builder.setting.workers.saturating_add(builder.setting.prefetch);
    run(window.saturating_add(1).min(batches), 0..)?;
    let start = Instant::now();
    run(batches, 1..)?;
    Ok(start.elapsed() / u32::try_from(batches).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_different_and_within_bounds() {
        let options = TuneOptions { settings: 20, max_workers: 5, max_prefetch: 3, ..TuneOptions::default() };
        let mut settings = settings(&options);
        assert_eq!(settings[0], Setting::default());
        assert!(settings[1..].iter().all(|setting| setting.workers <= 5 && setting.prefetch <= 3), "{settings:?}");
        assert_eq!(settings.len(), 20);
        settings.sort_by_key(|setting| (setting.workers, setting.prefetch, setting.pinned));
        settings.dedup();
        assert_eq!(settings.len(), 20);
    }

    /// Simulates a machine on which more workers load faster, and compete with the consumer for cores beyond two; every
    /// fifth measurement is disturbed.
    #[test]
    fn the_consumer_decides_and_noise_does_not() {
        for seed in 0..20 {
            let options = TuneOptions { settings: 100, repetitions: 7, max_workers: 8, seed, ..TuneOptions::default() };
            let mut calls = 0u32;
            let machine = |setting: Setting, _, consumed| {
                calls += 1;
                let copied = if setting.pinned { 0 } else { 500 };
                let loading = 8000 / (setting.workers as u64 + 1);
                let consuming = 2000 + 500 * (setting.workers as u64).saturating_sub(2);
                let time = copied + if consumed { loading.max(consuming) } else { loading };
                let disturbance = if calls.is_multiple_of(5) { 3 } else { 1 };
                Ok(Duration::from_micros(time * disturbance))
            };
            let tuning = search(&settings(&options), &options, machine).unwrap();
            assert_eq!(tuning.best().workers, 3, "{tuning}");
            assert_eq!(tuning.best_alone().workers, 8, "{tuning}");
            assert!(tuning.best().pinned && tuning.best_alone().pinned, "{tuning}");
            assert!(tuning.to_string().contains("by loading alone: 8 workers"), "{tuning}");
        }
    }

    #[test]
    fn one_setting_is_enough() {
        let options = TuneOptions { settings: 0, repetitions: 0, batches: 0, ..TuneOptions::default() };
        let tuning = search(&settings(&options), &options, |_, _, _| Ok(Duration::ZERO)).unwrap();
        assert_eq!((tuning.best(), tuning.best_alone()), (Setting::default(), Setting::default()));
        assert!(tuning.to_string().contains("best, also alone"));
    }
}
