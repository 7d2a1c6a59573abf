//! The property of a candidate that counts: its time, or its energy.

use std::time::{Duration, Instant};

use super::{Record, TuneError};
use crate::device::Device;

/// The property by which candidates are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Goal {
    /// The candidate that takes the least time wins.
    #[default]
    Time,
    /// The candidate that uses the least energy wins, what the device uses when idle included: see [`Device::energy`]. A
    /// round takes half a second and more, as counters of energy advance slowly, so that a search needs a budget of
    /// minutes rather than seconds.
    Energy,
}

impl Goal {
    /// The property by which these records were compared.
    pub(super) fn of(records: &[Record]) -> Self {
        if records.iter().any(|record| record.energy.is_some()) { Self::Energy } else { Self::Time }
    }
}

/// The least time of a measurement of energy.
const LEAST: Duration = Duration::from_millis(300);

/// The time within which a counter of energy must advance.
const PATIENCE: Duration = Duration::from_secs(2);

/// Checks that the device has a counter for the goal.
///
/// # Errors
/// [`TuneError::NoEnergy`] if it has none.
pub(super) fn check(device: &Device, goal: Goal) -> Result<(), TuneError> {
    if goal == Goal::Energy && device.energy().is_none() {
        return Err(no_energy(device));
    }
    Ok(())
}

/// The energy of one run as a cost for a search: a joule counts as a second. `run` runs the candidate several times,
/// waits for the end, and returns the number of runs.
pub(super) fn energy<E: From<TuneError>>(device: &Device, run: impl FnMut() -> Result<u32, E>) -> Result<Duration, E> {
    let none = || no_energy(device).into();
    let joules = joules(LEAST, || device.energy().ok_or_else(none), run, none)?;
    Ok(Duration::try_from_secs_f64(joules).unwrap_or(Duration::MAX))
}

fn no_energy(device: &Device) -> TuneError {
    TuneError::NoEnergy { device: device.caps().name.clone() }
}

/// The energy of one run. The measurement begins and ends when the counter advances, so that the steps in which it does
/// have little effect.
fn joules<E>(
    least: Duration,
    mut counter: impl FnMut() -> Result<f64, E>,
    mut run: impl FnMut() -> Result<u32, E>,
    still: impl Fn() -> E,
) -> Result<f64, E> {
    // Runs the candidate until the counter advances after this time; returns its new value and the number of runs.
    let mut until = |from: Option<f64>, least: Duration| -> Result<(f64, u64), E> {
        let (started, mut runs) = (Instant::now(), 0);
        let mut last = from.map_or_else(&mut counter, Ok)?;
        loop {
            runs += u64::from(run()?);
            let now = counter()?;
            let elapsed = started.elapsed();
            if now > last && elapsed >= least {
                return Ok((now, runs));
            }
            // As in some virtual machines.
            if elapsed >= least + PATIENCE {
                return Err(still());
            }
            last = now;
        }
    };
    let (first, _) = until(None, Duration::ZERO)?;
    let (end, runs) = until(Some(first), least)?;
    Ok((end - first) / runs.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread::sleep;

    use super::*;

    /// A counter that advances in steps of 5 joules measures runs of 2 joules.
    #[test]
    fn steps_of_the_counter_have_little_effect() {
        let used = Cell::new(1.3);
        let counter = || Ok::<_, TuneError>((used.get() / 5.0_f64).floor() * 5.0);
        let each = joules(
            Duration::from_millis(40),
            counter,
            || {
                sleep(Duration::from_micros(500));
                used.set(used.get() + 4.0);
                Ok(2)
            },
            || TuneError::NoGrid,
        );
        assert!((each.unwrap() - 2.0).abs() < 0.1);
    }

    #[test]
    fn a_counter_that_fails_ends_the_measurement() {
        let left = Cell::new(3);
        let counter = || {
            left.set(left.get() - 1);
            if left.get() == 0 { Err(TuneError::NoGrid) } else { Ok(0.0) }
        };
        assert!(matches!(joules(Duration::ZERO, counter, || Ok(1), || TuneError::NoChoice), Err(TuneError::NoGrid)));
    }
}
