//! Tuning of operators in the time that a program has to spare.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::{Mode, OperatorTuner, Store, TunedCall, Workload};
use crate::device::Device;
use crate::error::Error;

/// Calls of operators that are tuned when the program has time, if `ANYWARP_TUNE` is `record`.
///
/// No call of an operator is ever measured while the program waits for it. Instead the program lists calls, as examples
/// of those that it makes often, and says when nothing else has to be done: between two requests, or while it waits for
/// input. Results that change no bits are used at once. Those that change the order of sums are kept for the next start
/// of the program, so that the same call gives the same bits as long as the program runs.
///
/// ```
/// use std::time::Duration;
///
/// use anywarp::ops::Sort;
/// use anywarp::tune::{Call, Spare};
///
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[3u32, 1, 2])?;
/// let y = device.buffer::<u32>(3)?;
/// let mut spare = Spare::new(&device, Duration::from_secs(5));
/// spare.add(Call::new(&device, y, |y, recording| Sort::new().record(recording).run(&x, &mut *y))?);
/// // Whenever there is time; without `ANYWARP_TUNE=record` it does nothing.
/// spare.run(Duration::from_millis(10))?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct Spare<'a> {
    device: &'a Device,
    /// The rest of the time for all searches together.
    budget: Duration,
    waiting: VecDeque<Box<dyn Workload + 'a>>,
    mode: Option<Mode>,
    store: Option<Store>,
}

impl<'a> Spare<'a> {
    /// An empty list, for a device. All searches together take at most `budget`.
    #[must_use]
    pub fn new(device: &'a Device, budget: Duration) -> Self {
        Self { device, budget, waiting: VecDeque::new(), mode: Mode::named(), store: Store::of_this_user() }
    }

    /// Sets the mode in place of that of `ANYWARP_TUNE`.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets where results are kept; with `None`, they hold for this process only.
    #[must_use]
    pub fn store(mut self, store: impl Into<Option<Store>>) -> Self {
        self.store = store.into();
        self
    }

    /// Adds a call. Its buffers are those of the tuner alone, as all candidates write into them.
    pub fn add(&mut self, call: impl Workload + 'a) {
        self.waiting.push_back(Box::new(call));
    }

    /// The number of calls that are not tuned yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Tunes waiting calls for about this time, one after the other; returns those that are done. A call that is begun has
    /// the given time for its search, and checks the default in any case. Nothing happens unless the mode is
    /// [`Mode::Record`], or if the budget is used up.
    ///
    /// # Errors
    /// The error of a call, which is removed from the list.
    pub fn run(&mut self, time: Duration) -> Result<Vec<TunedCall>, Error> {
        let mut done = Vec::new();
        let started = Instant::now();
        while self.mode == Some(Mode::Record) && !self.budget.is_zero() && started.elapsed() < time {
            let Some(call) = self.waiting.pop_front() else { break };
            let begun = Instant::now();
            let rest = time.saturating_sub(started.elapsed()).min(self.budget);
            let tuner = OperatorTuner::new(self.device, call).mode(Mode::Record).store(self.store.clone());
            let tuned = tuner.budget(rest).exact_now().run();
            self.budget = self.budget.saturating_sub(begun.elapsed());
            done.push(tuned?);
        }
        Ok(done)
    }
}

impl<W: Workload + ?Sized> Workload for Box<W> {
    fn record(&mut self) -> Result<crate::submit::Recording, Error> {
        (**self).record()
    }

    fn reset(&mut self, poisoned: bool) -> Result<(), Error> {
        (**self).reset(poisoned)
    }

    fn results(&mut self) -> Result<Vec<super::Contents>, Error> {
        (**self).results()
    }
}
