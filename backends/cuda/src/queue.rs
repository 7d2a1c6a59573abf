//! The order of submissions, and how their ends are noticed.
//!
//! All work of a device goes to one stream, so submissions are numbered and end in that order. No
//! event is recorded for a submission that is the last one: waiting for it is waiting for the
//! stream. Only when another one follows while somebody still holds a ticket on it, an event, a
//! *mark*, is put between the two.
//!
//! Locks are taken in this order: the queue's line, a memory's state, then any of the small ones
//! (plans, records, graveyard, watch).

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use anywarp_backend::BackendError;
use cudarc::driver::sys::CUstream;

use crate::allocate::Pool;
use crate::driver::context::Context;
use crate::driver::error::NOT_READY;
use crate::events::Event;
use crate::flight::Flight;
use crate::graveyard::Graveyard;
use crate::library::LibraryContext;
use crate::plan::Plan;
use crate::settle::Pending;
use crate::status::Slab;
use crate::watch::Watch;

/// How long a wait asks again and again before it sleeps: about what falling asleep takes.
const LOOK: Duration = Duration::from_micros(50);
/// Plans that are kept to be made anew.
const SPARE: usize = 4;
/// Marks in the stream before submissions look whether the oldest is over.
const MANY: usize = 16;

/// A point in the stream behind submission `sequence`.
struct Mark {
    sequence: u64,
    event: Arc<Event>,
}

/// What is changed by one submission after the other.
#[derive(Default)]
pub(crate) struct Line {
    marks: VecDeque<Mark>,
    spare_marks: Vec<Event>,
    /// The last submission that a mapping waits for.
    claimed: u64,
    /// The last submission; alive while somebody has a ticket on it.
    latest: Weak<Flight>,
    /// Submissions of which something is to be told when they end.
    pub(crate) pending: VecDeque<Pending>,
    /// Timing events to be used again.
    pub(crate) timers: Vec<Event>,
    pub(crate) library: LibraryContext,
    /// Room for a launch's parameters.
    pub(crate) pointers: Vec<*mut c_void>,
}

/// What a wait waits for, and up to which submission everything has ended then.
enum Target {
    Stream(u64),
    Mark(u64, Arc<Event>),
}

/// The queue of one device.
pub(crate) struct Queue {
    pub(crate) context: Arc<Context>,
    pub(crate) stream: CUstream,
    /// On which graphs are captured; no work ever runs on it.
    pub(crate) side: CUstream,
    pub(crate) pool: Pool,
    pub(crate) graveyard: Graveyard,
    pub(crate) records: Arc<Slab>,
    /// Set by the first failure, for good: before that no memory needs to be asked for one.
    pub(crate) anything_failed: AtomicBool,
    pub(crate) watch: Watch,
    line: Mutex<Line>,
    #[allow(clippy::vec_box)] // they move between here and `Line::pending`
    plans: Mutex<Vec<Box<Plan>>>,
}

// SAFETY: the driver's functions may be called from any thread; streams are only names, and the
// handles of the libraries are used under the line's lock, one thread at a time.
unsafe impl Send for Queue {}
// SAFETY: as above; all that changes is behind locks and atomics.
unsafe impl Sync for Queue {}

impl Queue {
    /// The queue of a device just opened; the context is current.
    pub(crate) fn create(context: &Arc<Context>, pool: Pool) -> Result<Arc<Self>, BackendError> {
        // Does not wait for the stream that other code of the process may use.
        const NON_BLOCKING: u32 = 1;
        let mut streams = [std::ptr::null_mut(); 2];
        for stream in &mut streams {
            // SAFETY: writes one handle.
            let result = unsafe { (context.driver.cuStreamCreate)(stream, NON_BLOCKING) };
            context.check("opening the device", "cuStreamCreate", result)?;
        }
        Ok(Arc::new(Self {
            context: Arc::clone(context),
            stream: streams[0],
            side: streams[1],
            pool,
            graveyard: Graveyard::new(Arc::clone(context)),
            records: Slab::new(Arc::clone(context)),
            anything_failed: AtomicBool::new(false),
            watch: Watch::default(),
            line: Mutex::default(),
            plans: Mutex::default(),
        }))
    }

    pub(crate) fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty plan.
    pub(crate) fn plan(&self) -> Box<Plan> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes a plan back.
    pub(crate) fn give_back(&self, mut plan: Box<Plan>) {
        plan.clear();
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() < SPARE {
            plans.push(plan);
        }
    }

    /// Whether submission `sequence` was seen to have ended.
    pub(crate) fn is_over(&self, sequence: u64) -> bool {
        self.context.finished() >= sequence
    }

    /// Whether submission `sequence` has ended, by asking the driver. One that was tried, but did not
    /// come about, counts as the last before it; so it does for waits.
    pub(crate) fn poll(&self, sequence: u64) -> Result<bool, BackendError> {
        if self.is_over(sequence) {
            return Ok(true);
        }
        let _current = self.context.enter()?;
        let (over, upto) = match self.target(&mut self.line(), sequence)? {
            Target::Stream(upto) => (self.is_idle()?, upto),
            Target::Mark(upto, event) => (event.is_over()?, upto),
        };
        if over {
            self.advance(upto);
        }
        Ok(over)
    }

    /// Waits until submission `sequence` has ended or the time is over; returns whether it has ended.
    pub(crate) fn wait(self: &Arc<Self>, sequence: u64, timeout: Option<Duration>) -> Result<bool, BackendError> {
        let Some(timeout) = timeout else {
            return self.wait_here(sequence).map(|()| true);
        };
        let start = Instant::now();
        while !self.poll(sequence)? {
            if start.elapsed() >= timeout {
                return Ok(false);
            }
            if start.elapsed() >= LOOK {
                // A time-out beyond what the clock can say is none.
                let Some(deadline) = start.checked_add(timeout) else {
                    return self.wait_here(sequence).map(|()| true);
                };
                self.sleep_until(sequence, deadline);
                return self.poll(sequence);
            }
            std::hint::spin_loop();
        }
        Ok(true)
    }

    /// Waits on this thread, which the driver keeps busy if the work is the last submitted.
    fn wait_here(&self, sequence: u64) -> Result<(), BackendError> {
        if self.is_over(sequence) {
            return Ok(());
        }
        let _current = self.context.enter()?;
        let target = self.target(&mut self.line(), sequence)?;
        let upto = match target {
            Target::Stream(upto) => {
                // SAFETY: takes the handle only.
                let result = unsafe { (self.context.driver.cuStreamSynchronize)(self.stream) };
                self.context.check("waiting", "cuStreamSynchronize", result)?;
                upto
            }
            Target::Mark(upto, event) => {
                let start = Instant::now();
                while !event.is_over()? {
                    if start.elapsed() >= LOOK {
                        event.wait()?;
                        break;
                    }
                    std::hint::spin_loop();
                }
                upto
            }
        };
        self.advance(upto);
        Ok(())
    }

    /// Waits on this thread, which sleeps.
    pub(crate) fn wait_asleep(&self, sequence: u64) -> Result<(), BackendError> {
        if self.is_over(sequence) {
            return Ok(());
        }
        let _current = self.context.enter()?;
        let (upto, event) = {
            let mut line = self.line();
            match self.target(&mut line, sequence)? {
                Target::Stream(_) => self.mark(&mut line)?,
                Target::Mark(upto, event) => (upto, event),
            }
        };
        event.wait()?;
        self.advance(upto);
        Ok(())
    }

    /// Waits for everything; for a device that is being closed.
    pub(crate) fn drain(&self) -> Result<(), BackendError> {
        self.wait_here(self.context.submitted())
    }

    /// Somebody will wait for submission `sequence`.
    pub(crate) fn claim(&self, sequence: u64) {
        let mut line = self.line();
        line.claimed = line.claimed.max(sequence);
    }

    /// Puts a mark behind the last submission, before another one follows, if somebody may wait
    /// for it; and looks whether old ones are over, if there are many.
    pub(crate) fn before_submission(&self, line: &mut Line) -> Result<(), BackendError> {
        let last = self.context.submitted();
        let wanted = line.claimed >= last || line.latest.strong_count() > 0;
        if wanted && last > self.context.finished() && line.marks.back().is_none_or(|mark| mark.sequence < last) {
            self.mark(line)?;
        }
        if line.marks.len() >= MANY
            && let Some(mark) = line.marks.front()
            && mark.event.is_over()?
        {
            let upto = mark.sequence;
            self.advance_in(line, upto);
        }
        Ok(())
    }

    /// Counts a submission that was enqueued.
    pub(crate) fn after_submission(&self, line: &mut Line, sequence: u64, flight: &Arc<Flight>) {
        line.latest = Arc::downgrade(flight);
        self.context.submit(sequence);
    }

    /// What to wait for.
    fn target(&self, line: &mut Line, sequence: u64) -> Result<Target, BackendError> {
        let submitted = self.context.submitted();
        if sequence >= submitted {
            return Ok(Target::Stream(submitted));
        }
        if let Some(mark) = line.marks.iter().find(|mark| mark.sequence >= sequence) {
            return Ok(Target::Mark(mark.sequence, Arc::clone(&mark.event)));
        }
        // Nobody seemed to wait for it when the next submission came: wait for all of them.
        let (upto, event) = self.mark(line)?;
        Ok(Target::Mark(upto, event))
    }

    /// Puts a mark behind the last submission.
    fn mark(&self, line: &mut Line) -> Result<(u64, Arc<Event>), BackendError> {
        let sequence = self.context.submitted();
        if let Some(mark) = line.marks.back()
            && mark.sequence == sequence
        {
            return Ok((sequence, Arc::clone(&mark.event)));
        }
        let event = line.spare_marks.pop().map_or_else(|| Event::mark(&self.context), Ok)?;
        event.record(self.stream)?;
        let event = Arc::new(event);
        line.marks.push_back(Mark { sequence, event: Arc::clone(&event) });
        Ok((sequence, event))
    }

    fn is_idle(&self) -> Result<bool, BackendError> {
        // SAFETY: takes the handle only.
        match unsafe { (self.context.driver.cuStreamQuery)(self.stream) } {
            NOT_READY => Ok(false),
            result => self.context.check("waiting", "cuStreamQuery", result).map(|()| true),
        }
    }

    /// All submissions up to `upto` have ended.
    fn advance(&self, upto: u64) {
        let idle = {
            let mut line = self.line();
            self.advance_in(&mut line, upto);
            self.context.submitted() == upto
        };
        self.graveyard.clear(idle, self.stream);
    }

    fn advance_in(&self, line: &mut Line, upto: u64) {
        while line.pending.front().is_some_and(|pending| pending.sequence <= upto) {
            let Some(pending) = line.pending.pop_front() else { break };
            self.settle(line, pending);
        }
        self.context.finish(upto);
        while line.marks.front().is_some_and(|mark| mark.sequence <= upto) {
            let Some(mark) = line.marks.pop_front() else { break };
            // Unless another thread waits for it just now.
            if let Ok(event) = Arc::try_unwrap(mark.event) {
                line.spare_marks.push(event);
            }
        }
    }

    /// Waits for all work, and lets go of everything that holds this queue in turn. Called when the
    /// device is dropped.
    pub(crate) fn close(&self) {
        self.watch.close();
        if let Err(error) = self.drain()
            && !error.is_lost()
        {
            log::warn!("closing the device: {error}");
        }
        let Ok(_current) = self.context.enter_anyway() else { return };
        let mut line = self.line();
        let left = std::mem::take(&mut line.pending);
        line.library = LibraryContext::default();
        drop(line);
        drop(left);
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.graveyard.clear_up_to(u64::MAX, self.stream);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.anything_failed.load(Ordering::Acquire)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // What was dropped after the device was closed: host ranges, tickets, recordings.
        self.graveyard.clear_up_to(u64::MAX, self.stream);
        for stream in [self.stream, self.side] {
            // SAFETY: created once, destroyed once; its work has ended, or ends by itself.
            unsafe { (self.context.driver.cuStreamDestroy_v2)(stream) };
        }
    }
}
