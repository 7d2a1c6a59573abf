//! Tuning of operators: which of its kernels an operator runs for a call.

mod rehearsal;
mod small;
mod tuned;

use std::time::{Duration, Instant};

use self::rehearsal::Rehearsal;
use self::small::SmallCall;
use super::background::Pauses;
use super::inside::compare;
use super::{Candidate, Goal, Mode, Progress, Record, Search, State, Store, Strategy, TuneError, goal};
use crate::device::Device;
use crate::error::Error;
use crate::kept;
use crate::ops::Decision;
use crate::ops::choices::session::{Trial, observe};
use crate::ops::choices::table::Choices;

pub use self::tuned::{TunedCall, TunedOperator};
pub use crate::ops::choices::call::{Call, Contents, Results, Workload};

/// Finds the kernels with which the operators of a call are fastest, on this device and for these sizes.
///
/// An operator has several kernels for most calls, and chooses one by its sizes and the kind of device. The tuner tries
/// all of them, compares their results with those of the default, and keeps the fastest: from then on the operator uses
/// it for calls of about these sizes, in this process and in later ones. No candidate has a lower precision than the
/// default. Sums of floats may have another order, and so other last bits.
///
/// ```
/// use anywarp::ops::Matmul;
/// use anywarp::tune::{Call, OperatorTuner};
///
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (a, b) = (device.buffer_from(&[1.0f32; 32 * 16])?, device.buffer_from(&[1.0f32; 16 * 32])?);
/// let c = device.buffer::<f32>(32 * 32)?;
/// let product = Call::new(&device, c, |c, recording| Matmul::new([32, 16, 32]).record(recording).run(&a, &b, &mut *c))?;
/// let tuned = OperatorTuner::new(&device, product)
/// #   .store(None)
/// #   .budget(std::time::Duration::from_millis(200))
///     .run()?;
/// print!("{tuned}"); // a table of all candidates
/// assert_eq!(tuned.operators()[0].operator(), "matmul f32 aligned");
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// A call of several operators is tuned one operator after the other. `ANYWARP_TUNE=pinned` and `off` measure nothing,
/// as for a [`Tuner`](super::Tuner).
#[must_use = "a tuner does nothing until `run` is called"]
pub struct OperatorTuner<'a, W> {
    device: &'a Device,
    workload: W,
    search: Search,
    goal: Goal,
    budget: Duration,
    only: Option<Vec<String>>,
    tolerance: Option<f64>,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    mode: Option<Mode>,
    store: Option<Store>,
    inside: Option<Step<'a>>,
    small: Option<Small<'a>>,
    exact_now: bool,
    pauses: Option<&'a Pauses>,
}

/// A step of the program, and a small call on another device.
type Step<'a> = Box<dyn FnMut() -> Result<(), Error> + 'a>;
type Small<'a> = Box<dyn Fn(&Device) -> Result<Box<dyn Workload>, Error> + 'a>;

impl<'a, W: Workload> OperatorTuner<'a, W> {
    /// A tuner for the operators of a workload: a [`Call`], or a type of the caller.
    pub fn new(device: &'a Device, workload: W) -> Self {
        Self {
            device,
            workload,
            search: Search::new(),
            goal: Goal::Time,
            budget: Duration::from_secs(10),
            only: None,
            tolerance: None,
            progress: None,
            mode: None,
            store: Store::of_this_user(),
            inside: None,
            small: None,
            exact_now: false,
            pauses: None,
        }
    }

    /// Tries only the default and the candidates of these names, for a second look at them.
    pub fn only<S: Into<String>>(mut self, candidates: impl IntoIterator<Item = S>) -> Self {
        self.only = Some(candidates.into_iter().map(Into::into).collect());
        self
    }

    /// Sets by how much a floating-point number may differ from the default's: see [`Tuner::verify`](super::Tuner::verify).
    /// The default is 1e-4, and 1e-2 for `f16`.
    pub fn verify(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Sets the time after which nothing more is measured, for all operators together. The default is 10 seconds.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the property by which candidates are compared. The default is the time. Candidates with the least energy hold
    /// for this process, and for later ones that run the tuner again with this goal.
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets how the candidates to measure are chosen. The default is successive halving.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.search = self.search.strategy(strategy);
        self
    }

    /// Sets the seed of all random decisions.
    pub fn seed(mut self, seed: u64) -> Self {
        self.search = self.search.seed(seed);
        self
    }

    /// Sets the least time that is possible, at which the search ends: see [`Search::bound`].
    pub fn bound(mut self, least: Duration) -> Self {
        self.search = self.search.bound(least);
        self
    }

    /// Sets the number of measurements of each of the last candidates: see [`Search::rounds`].
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.search = self.search.rounds(rounds);
        self
    }

    /// Lets the program decide, as [`Tuner::inside`](super::Tuner::inside): the operators in `step` use the candidate that is
    /// compared. The tuner waits for the end of each step.
    pub fn inside(mut self, step: impl FnMut() -> Result<(), Error> + 'a) -> Self {
        self.inside = Some(Box::new(step));
        self
    }

    /// Checks each candidate at a small size on the device `cpu:checked`, which finds races and indices out of range, as
    /// [`Tuner::checked`](super::Tuner::checked). `call` makes the same call on buffers of that device. A candidate with
    /// findings, or with other results than the default's, is left out; candidates that a processor cannot run, as those
    /// of libraries and of cooperative matrices, are not checked.
    ///
    /// ```
    /// use anywarp::Device;
    /// use anywarp::ops::Sort;
    /// use anywarp::tune::{Call, OperatorTuner};
    ///
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let sorted = |device: &Device, length: u32| {
    ///     let x = device.buffer_from(&(0..length).rev().collect::<Vec<_>>())?;
    ///     let y = device.buffer::<u32>(x.len())?;
    ///     Call::new(device, y, move |y, recording| Sort::new().record(recording).run(&x, &mut *y))
    /// };
    /// let device = Device::open("cpu")?;
    /// let tuned = OperatorTuner::new(&device, sorted(&device, 5000)?)
    ///     .checked(|checked| sorted(checked, 600))
    /// #   .store(None)
    /// #   .budget(std::time::Duration::from_millis(300))
    ///     .run()?;
    /// # assert_eq!(tuned.operators().len(), 1);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`run`](Self::run) returns an error if the device cannot be opened or the call fails there.
    pub fn checked<S: Workload + 'static>(mut self, call: impl Fn(&Device) -> Result<S, Error> + 'a) -> Self {
        self.small = Some(Box::new(move |device| Ok(Box::new(call(device)?))));
        self
    }

    /// Calls a function whenever a new candidate begins.
    pub fn progress(mut self, progress: impl FnMut(Progress) + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Sets which kept results are used, and which results are kept; otherwise `ANYWARP_TUNE` decides. Without it,
    /// [`Mode::Record`] applies.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets where results are kept; with `None`, they hold for this process only. The default is
    /// [`Store::of_this_user`], from which operators take them.
    pub fn store(mut self, store: impl Into<Option<Store>>) -> Self {
        self.store = store.into();
        self
    }

    /// Uses results at once only if they change no bits; others are kept for the next start of the program.
    pub(super) fn exact_now(mut self) -> Self {
        self.exact_now = true;
        self
    }

    /// Measures only in the pauses of a program.
    pub(super) fn pauses(mut self, pauses: &'a Pauses) -> Self {
        self.pauses = Some(pauses);
        self
    }

    /// Tunes each operator of the call.
    ///
    /// # Errors
    /// A [`TuneError`] if the call has no operator with several candidates, or its results differ from run to run; the
    /// library's error if the call fails. Results that cannot be kept are only logged.
    pub fn run(mut self) -> Result<TunedCall, Error> {
        let mode = self.mode.unwrap_or_else(Mode::of_environment);
        if self.goal == Goal::Energy && self.inside.is_some() {
            return Err(TuneError::EnergyInside.into());
        }
        let mut open = self.open(&[])?;
        if open.is_empty() {
            return Err(TuneError::NoChoice.into());
        }
        let started = Instant::now();
        let mut trials: Vec<Trial> = Vec::new();
        let mut tuned = Vec::new();
        while let Some(decision) = open.first() {
            let kept = if mode == Mode::Again { None } else { self.kept(decision) };
            let one = match (kept, mode) {
                (Some(kept), Mode::Record | Mode::Pinned) => {
                    if self.goal == Goal::Energy {
                        // The table of the device holds what is kept for times.
                        self.learn(decision, kept.chosen());
                    }
                    kept
                }
                (_, Mode::Off | Mode::Pinned) => TunedOperator::untouched(decision),
                _ => {
                    let rest = self.budget.saturating_sub(started.elapsed());
                    let budget = rest / u32::try_from(open.len()).unwrap_or(u32::MAX);
                    self.measured(&self.search.clone().budget(budget), &trials, decision)?
                }
            };
            trials.push(trial(decision, one.chosen()));
            tuned.push(one);
            // A candidate may consist of other operators than the default: a convolution by products of matrices.
            open = self.open(&trials)?;
        }
        Ok(TunedCall::new(tuned))
    }

    /// The decisions of the call that have several candidates, without those that are taken already.
    fn open(&mut self, taken: &[Trial]) -> Result<Vec<Decision>, Error> {
        let (recorded, mut decisions) = observe(taken, || self.workload.record());
        recorded?;
        let is_taken = |of: &Decision| taken.iter().any(|by| by.operator == of.operator && by.sizes == of.sizes);
        decisions.retain(|decision| !is_taken(decision));
        if let Some(only) = &self.only {
            for decision in &mut decisions {
                let default = decision.candidates[0].clone();
                decision.candidates.retain(|candidate| *candidate == default || only.contains(candidate));
            }
        }
        decisions.retain(|decision| decision.candidates.len() > 1);
        Ok(decisions)
    }

    fn measured(&mut self, search: &Search, trials: &[Trial], decision: &Decision) -> Result<TunedOperator, Error> {
        goal::check(self.device, self.goal)?;
        let small = self.small.as_ref().map(|call| SmallCall::new(call)).transpose()?;
        let candidates = Candidate::numbered(decision.candidates.len());
        let mut rehearsal = Rehearsal::new(self.device, &mut self.workload, trials, decision, self.tolerance);
        rehearsal.goal = self.goal;
        rehearsal.small = small;
        rehearsal.pauses = self.pauses;
        rehearsal.progress = self.progress.as_deref_mut();
        let found = search.run(&candidates, &mut rehearsal);
        let found = found.map_err(|error| rehearsal.take_error().unwrap_or_else(|| error.into()))?;
        if self.pauses.is_some_and(Pauses::are_over) {
            return Err(TuneError::Stopped.into());
        }
        let mut tuned = TunedOperator::measured(decision, &found, self.goal);
        let choices = self.device.context.extension(|| Choices::of(self.device.caps()));
        if let Some(step) = &mut self.inside {
            let inside = compare(&found, self.budget, |at| {
                choices.learn(&decision.operator, &decision.sizes, &decision.candidates[at]);
                step()?;
                self.device.synchronize()
            });
            if inside.is_err() {
                choices.learn(&decision.operator, &decision.sizes, &decision.candidates[0]);
            }
            tuned.inside(&inside?);
        }
        // A caller who asks for a search wants its result at once, also where it changes the order of sums.
        if decision.exact || !self.exact_now {
            self.learn(decision, tuned.chosen());
        }
        self.keep(decision, &tuned);
        Ok(tuned)
    }

    /// Lets the operator use a candidate from now on.
    fn learn(&self, decision: &Decision, candidate: &str) {
        let choices = self.device.context.extension(|| Choices::of(self.device.caps()));
        choices.learn(&decision.operator, &decision.sizes, candidate);
    }

    fn blank(&self, decision: &Decision) -> Record {
        let mut kernel = kept::kernel_of(&decision.operator);
        if self.goal == Goal::Energy {
            // Operators do not use it without a tuner.
            kernel.push_str(" energy");
        }
        Record::blank(self.device.caps(), kernel, decision.sizes.clone())
    }

    /// The kept result for a question of an operator.
    fn kept(&self, decision: &Decision) -> Option<TunedOperator> {
        let blank = self.blank(decision);
        let all = self.store.as_ref()?.read().map_err(|error| log::warn!("{error}")).ok()?.records;
        let is_ours = |record: &Record| {
            record.is_for(self.device.caps()) && record.kernel == blank.kernel && record.sizes == blank.sizes
        };
        let ours: Vec<Record> = all.into_iter().filter(is_ours).collect();
        let best = ours.iter().filter(|record| record.state == State::Best).max_by_key(|record| record.at)?;
        decision.candidates.contains(&best.values).then(|| TunedOperator::kept(decision, best, &ours))
    }

    fn keep(&self, decision: &Decision, tuned: &TunedOperator) {
        let Some(store) = &self.store else { return };
        let blank = self.blank(decision);
        let tried = tuned.rows().iter().filter(|row| row.rounds > 0 || row.dropped.is_some());
        let record = |row: &super::Row| {
            let state = match &row.dropped {
                Some(dropped) => State::Dropped(dropped.to_string()),
                None if row.values == tuned.chosen() => State::Best,
                None => State::Measured,
            };
            let (values, time, energy) = (row.values.clone(), row.time, row.energy);
            Record { values, time, energy, rounds: row.rounds, state, ..blank.clone() }
        };
        if let Err(error) = store.add(&tried.map(record).collect::<Vec<_>>()) {
            log::warn!("{error}");
        }
    }
}

fn trial(decision: &Decision, candidate: &str) -> Trial {
    Trial { operator: decision.operator.clone(), sizes: decision.sizes.clone(), candidate: candidate.to_owned() }
}

#[cfg(all(test, feature = "cpu"))]
mod tests;
