//! Tuning of operators while the program leaves the device idle.

mod pauses;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{Mode, OperatorTuner, Store, TuneError, TunedCall};
use crate::device::Device;
use crate::error::Error;
use crate::ops::choices::offers::Make;
use crate::ops::choices::table::Choices;

pub(super) use self::pauses::Pauses;

/// The longest search for one call.
const SEARCH: Duration = Duration::from_secs(10);

/// Tunes the operators that a program calls, while the program leaves the device idle, if `ANYWARP_TUNE` is `record`.
///
/// Calls need not be listed. An operator that has no measured choice for a call describes the call: settings, lengths and
/// alignment of its arrays. When the program has submitted nothing for some time and no work is running, a thread repeats
/// the call with all candidates, on arrays of random numbers and on a device handle of its own, which has the default
/// options. A measurement during which
/// the program used the device is repeated. The program's arrays are neither read nor kept.
///
/// Results that change no bits are used at once. Those that change the order of sums are kept for the next start of the
/// program, so that the same call gives the same bits as long as the program runs. Operators whose time depends on the
/// contents of arrays, as sparse products, histograms and segments, are not tuned in this way: see
/// [`Spare`](super::Spare). Matrix products, convolutions and their derivatives, attention, softmax and its
/// derivative, norms, poolings, scans, sorts of keys and pairs, selections of the greatest elements, and Fourier
/// transforms of complex numbers are.
///
/// ```
/// use anywarp::tune::Background;
///
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// // As long as it lives; without `ANYWARP_TUNE=record` it does nothing.
/// let tuner = Background::new(&device).start()?;
/// let mut x = device.buffer_from(&[3u32, 1, 2])?;
/// anywarp::ops::sort(&mut x)?;
/// for call in tuner.tuned() {
///     print!("{call}"); // a table of all candidates
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "nothing is tuned until `start` is called"]
pub struct Background<'a> {
    device: &'a Device,
    budget: Duration,
    pause: Duration,
    mode: Option<Mode>,
    store: Option<Store>,
}

impl<'a> Background<'a> {
    /// A tuner for the calls on a device.
    pub fn new(device: &'a Device) -> Self {
        let (budget, pause) = (Duration::from_secs(60), Duration::from_millis(100));
        Self { device, budget, pause, mode: Mode::named(), store: Store::of_this_user() }
    }

    /// Sets the time of all searches together. The default is 60 seconds.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Sets how long the device must be idle before it is used. The default is 100 milliseconds.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Sets the mode in place of that of `ANYWARP_TUNE`.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets where results are kept; with `None`, they hold for this process only.
    pub fn store(mut self, store: impl Into<Option<Store>>) -> Self {
        self.store = store.into();
        self
    }

    /// Starts the thread, unless the mode is another than [`Mode::Record`].
    ///
    /// # Errors
    /// The error of opening the device a second time, or [`TuneError::OtherHandle`] if its name opens another device.
    pub fn start(self) -> Result<BackgroundTuner, Error> {
        let pauses = Arc::new(Pauses::new(self.device, self.pause));
        let tuned = Arc::new(Mutex::new(Vec::new()));
        let choices = self.device.context.extension(|| Choices::of(self.device.caps()));
        if self.mode != Some(Mode::Record) {
            return Ok(BackgroundTuner { pauses, choices, tuned, thread: None });
        }
        let own = Device::open(&self.device.context.selector)?;
        let (ours, theirs) = (self.device.caps(), own.caps());
        if (ours.backend, &ours.name, ours.checked) != (theirs.backend, &theirs.name, theirs.checked) {
            let selector = self.device.context.selector.clone();
            return Err(TuneError::OtherHandle { selector, got: theirs.name.clone() }.into());
        }
        choices.offers.gather(true);
        let work = Work {
            own,
            choices: Arc::clone(&choices),
            pauses: Arc::clone(&pauses),
            tuned: Arc::clone(&tuned),
            store: self.store,
            budget: self.budget,
        };
        let thread = thread::Builder::new().name("anywarp tuner".to_owned()).spawn(move || work.run());
        let thread = thread.map_err(|error| TuneError::NoThread { reason: error.to_string() })?;
        Ok(BackgroundTuner { pauses, choices, tuned, thread: Some(thread) })
    }
}

/// The thread that tunes the calls on a device until this value is dropped; see [`Background`].
#[must_use = "the thread ends when this value is dropped"]
pub struct BackgroundTuner {
    pauses: Arc<Pauses>,
    choices: Arc<Choices>,
    tuned: Arc<Mutex<Vec<TunedCall>>>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundTuner {
    /// The calls that were tuned so far.
    #[must_use]
    pub fn tuned(&self) -> Vec<TunedCall> {
        self.tuned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of calls that wait for a pause of the program; the call that is being tuned is not counted.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.choices.offers.waiting()
    }
}

impl Drop for BackgroundTuner {
    /// Ends the thread after the run of the candidate that is measured; the search has no result.
    fn drop(&mut self) {
        self.pauses.end();
        if let Some(thread) = self.thread.take() {
            self.choices.offers.gather(false);
            if thread.join().is_err() {
                log::warn!("the thread that tunes operators has panicked");
            }
        }
    }
}

/// The work of the thread.
struct Work {
    /// The handle for measurements.
    own: Device,
    /// The choices of the program's device.
    choices: Arc<Choices>,
    pauses: Arc<Pauses>,
    tuned: Arc<Mutex<Vec<TunedCall>>>,
    store: Option<Store>,
    budget: Duration,
}

impl Work {
    fn run(mut self) {
        while !self.budget.is_zero() && self.pauses.wait().is_some() {
            let Some(make) = self.choices.offers.take() else {
                self.pauses.rest();
                continue;
            };
            match self.tune(make) {
                Ok(tuned) => self.tuned.lock().unwrap_or_else(PoisonError::into_inner).push(tuned),
                // As of a call without several candidates, or without memory for its arrays.
                Err(error) => log::debug!("a call is not tuned: {error}"),
            }
        }
        self.choices.offers.gather(false);
    }

    fn tune(&mut self, make: Make) -> Result<TunedCall, Error> {
        let (started, waited) = (Instant::now(), self.pauses.waited());
        let tuned = make(&self.own).and_then(|call| {
            let tuner = OperatorTuner::new(&self.own, call).mode(Mode::Record).store(self.store.clone());
            tuner.budget(self.budget.min(SEARCH)).pauses(&self.pauses).run()
        });
        let waited = self.pauses.waited().saturating_sub(waited);
        self.budget = self.budget.saturating_sub(started.elapsed().saturating_sub(waited));
        let tuned = tuned?;
        for operator in tuned.operators().iter().filter(|operator| operator.exact()) {
            self.choices.learn(operator.operator(), operator.sizes(), operator.chosen());
        }
        Ok(tuned)
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests;
