//! The queue of a device: its streams, the order of submissions, and waiting for them.
//!
//! Submissions are numbered in the order in which they came, and end in that order within each stream.
//! No event is recorded for a submission that is a stream's last one: a wait for it is a wait for the
//! whole stream.
//!
//! Locks are taken in this order: the queue's state, a memory's state, then any of the small ones
//! (spare plans, records, deferred frees, waiters).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anywarp_backend::BackendError;

use crate::driver::{Context, Event, Pointers, Pool, Stream};
use crate::kernel::status::Slab;
use crate::library::LibraryContext;
use crate::memory::deferred::DeferredFrees;
use crate::record::plan::Plan;
use crate::streams::state::{Point, Points, STREAMS, StreamProgress, StreamState, Streams};
use crate::streams::uses::Uses;
use crate::submit::complete::Pending;
use crate::submit::waiting::Waiters;

/// The time that a wait spins before it sleeps: about as long as falling asleep takes.
const SPIN: Duration = Duration::from_micros(50);
/// The number of empty plans that are kept for their room.
const SPARE: usize = 4;

/// The state that submissions change, one after the other.
#[derive(Default)]
pub(crate) struct QueueState {
    pub(crate) progress: [StreamProgress; STREAMS],
    pub(crate) spare_marks: Vec<Event>,
    /// Work may be under way in another stream than the first: uses of memories are noted.
    pub(crate) concurrent: bool,
    /// Counts the times that `concurrent` was set.
    pub(crate) period: u64,
    /// Something without a number was enqueued in the first stream: memory was made zero.
    pub(crate) unnumbered: bool,
    /// Submissions that have an outcome beyond their end.
    pub(crate) pending: VecDeque<Pending>,
    /// Timing events for reuse.
    pub(crate) timers: Vec<Event>,
    pub(crate) library: LibraryContext,
    /// The uses of the library's workspace.
    pub(crate) workspace: Uses,
    /// Room for a launch's parameters.
    pub(crate) pointers: Pointers,
    pub(crate) ahead: Ahead,
}

/// Memory that was made zero ahead of the first stream's work.
#[derive(Default)]
pub(crate) struct Ahead {
    pub(crate) bytes: u64,
    /// The submission of the first stream after which the count begins anew.
    pub(crate) since: u64,
}

/// The target of a wait, and the submission of the stream up to which everything has ended then.
pub(crate) enum Target {
    Stream(u64),
    Mark(u64, Arc<Event>),
}

/// The queue of one device.
pub(crate) struct Queue {
    pub(crate) context: Arc<Context>,
    pub(crate) states: [StreamState; STREAMS],
    pub(crate) streams: Streams,
    /// The stream on which graphs are captured; no work ever runs on it.
    pub(crate) capture: Stream,
    pub(crate) pool: Pool,
    pub(crate) deferred: DeferredFrees,
    pub(crate) records: Arc<Slab>,
    /// Set by the first failure, for good: before that no memory can be poisoned.
    pub(crate) anything_failed: AtomicBool,
    pub(crate) waiters: [Waiters; STREAMS],
    state: Mutex<QueueState>,
    #[allow(clippy::vec_box)] // they move between here and `QueueState::pending`
    spare_plans: Mutex<Vec<Box<Plan>>>,
}

impl Queue {
    /// Makes the queue of a device just opened; the context is current.
    pub(crate) fn create(context: &Arc<Context>, pool: Pool) -> Result<Arc<Self>, BackendError> {
        const OPERATION: &str = "opening the device";
        Ok(Arc::new(Self {
            context: Arc::clone(context),
            states: Default::default(),
            streams: Streams::create(context)?,
            capture: Stream::create(context, OPERATION)?,
            pool,
            deferred: DeferredFrees::new(Arc::clone(context)),
            records: Slab::new(Arc::clone(context)),
            anything_failed: AtomicBool::new(false),
            waiters: Default::default(),
            state: Mutex::default(),
            spare_plans: Mutex::default(),
        }))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a stream, made if there is none yet; the context is current.
    pub(crate) fn stream(&self, stream: usize) -> Result<&Stream, BackendError> {
        self.streams.open(&self.context, stream)
    }

    /// Returns an empty plan.
    pub(crate) fn plan(&self) -> Box<Plan> {
        self.spare_plans.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes a plan back.
    pub(crate) fn give_back(&self, mut plan: Box<Plan>) {
        plan.clear();
        let mut plans = self.spare_plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() < SPARE {
            plans.push(plan);
        }
    }

    /// Returns whether a submission was seen to have ended.
    pub(crate) fn is_over(&self, point: Point) -> bool {
        self.states[point.stream].finished() >= point.sequence
    }

    /// Asks the driver whether submissions have ended. One that was refused counts as the last before it in
    /// its stream; so it does for waits.
    pub(crate) fn poll(&self, points: &[Point]) -> Result<bool, BackendError> {
        for point in points {
            if !self.poll_one(*point)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn poll_one(&self, point: Point) -> Result<bool, BackendError> {
        if self.is_over(point) {
            return Ok(true);
        }
        let _current = self.context.enter()?;
        let (over, upto) = match self.target(point)? {
            Target::Stream(upto) => (self.is_idle(point.stream)?, upto),
            Target::Mark(upto, event) => (event.is_over()?, upto),
        };
        if over {
            self.advance(Point { sequence: upto, ..point });
        }
        Ok(over)
    }

    /// Waits until submissions have ended or the time is over; returns whether they have ended.
    pub(crate) fn wait(self: &Arc<Self>, points: &[Point], timeout: Option<Duration>) -> Result<bool, BackendError> {
        let Some(timeout) = timeout else {
            return self.wait_here(points).map(|()| true);
        };
        let start = Instant::now();
        while !self.poll(points)? {
            if start.elapsed() >= timeout {
                return Ok(false);
            }
            if start.elapsed() >= SPIN {
                // A time-out beyond what the clock can say is none.
                let Some(deadline) = start.checked_add(timeout) else {
                    return self.wait_here(points).map(|()| true);
                };
                for point in points {
                    self.sleep_until(*point, deadline);
                }
                return self.poll(points);
            }
            std::hint::spin_loop();
        }
        Ok(true)
    }

    /// Waits on this thread, which spins in the driver if the work is the last submitted.
    fn wait_here(&self, points: &[Point]) -> Result<(), BackendError> {
        points.iter().try_for_each(|point| self.wait_for(*point))
    }

    fn wait_for(&self, point: Point) -> Result<(), BackendError> {
        if self.is_over(point) {
            return Ok(());
        }
        let _current = self.context.enter()?;
        let upto = match self.target(point)? {
            Target::Stream(upto) => {
                self.synchronize(point.stream, "waiting")?;
                upto
            }
            Target::Mark(upto, event) => {
                let start = Instant::now();
                while !event.is_over()? {
                    if start.elapsed() >= SPIN {
                        event.wait()?;
                        break;
                    }
                    std::hint::spin_loop();
                }
                upto
            }
        };
        self.advance(Point { sequence: upto, ..point });
        Ok(())
    }

    /// Waits on this thread, asleep.
    pub(crate) fn wait_asleep(&self, point: Point) -> Result<(), BackendError> {
        if self.is_over(point) {
            return Ok(());
        }
        let _current = self.context.enter()?;
        let (upto, event) = self.mark_behind(&mut self.lock(), point)?;
        event.wait()?;
        self.advance(Point { sequence: upto, ..point });
        Ok(())
    }

    /// Waits for everything, also for work that was enqueued without a number.
    pub(crate) fn drain(&self, operation: &'static str) -> Result<(), BackendError> {
        let ends: Points = {
            // With the lock, so that a submission under way counts.
            let _state = self.lock();
            let open = |(stream, _): &(usize, &StreamState)| self.streams.get(*stream).is_some();
            let end = |(stream, each): (usize, &StreamState)| Point { stream, sequence: each.latest() };
            self.states.iter().enumerate().filter(open).map(end).collect()
        };
        let _current = self.context.enter()?;
        for end in ends {
            self.synchronize(end.stream, operation)?;
            self.advance(end);
        }
        Ok(())
    }

    /// Notes that a mapping will wait for submissions.
    pub(crate) fn claim(&self, points: &[Point]) {
        let mut state = self.lock();
        for point in points {
            let claimed = &mut state.progress[point.stream].claimed;
            *claimed = point.sequence.max(*claimed);
        }
    }

    /// Returns the target of a wait.
    fn target(&self, point: Point) -> Result<Target, BackendError> {
        // There is no ticket yet for a submission under way, and a mapping of its memory has had the lock since.
        let latest = self.states[point.stream].latest();
        if point.sequence >= latest {
            return Ok(Target::Stream(latest));
        }
        self.target_in(&mut self.lock(), point)
    }

    /// Does the same under the lock.
    pub(crate) fn target_in(&self, state: &mut QueueState, point: Point) -> Result<Target, BackendError> {
        let latest = self.states[point.stream].latest();
        if point.sequence >= latest {
            return Ok(Target::Stream(latest));
        }
        // Without a mark behind it, all later submissions are waited for, too.
        self.mark_behind(state, point).map(|(upto, event)| Target::Mark(upto, event))
    }

    pub(crate) fn is_idle(&self, stream: usize) -> Result<bool, BackendError> {
        self.stream(stream)?.is_idle()
    }

    fn synchronize(&self, stream: usize, operation: &'static str) -> Result<(), BackendError> {
        self.stream(stream)?.synchronize(operation)
    }

    /// Waits for all work, and drops everything that holds this queue in turn. Called when the
    /// device is dropped.
    pub(crate) fn close(&self) {
        self.waiters.iter().for_each(Waiters::close);
        if let Err(error) = self.drain("closing the device")
            && !error.is_lost()
        {
            log::warn!("closing the device: {error}");
        }
        let Ok(_current) = self.context.enter_anyway() else { return };
        let mut state = self.lock();
        let left = std::mem::take(&mut state.pending);
        state.library = LibraryContext::default();
        drop(state);
        drop(left);
        self.spare_plans.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.deferred.clear_up_to(u64::MAX, &self.pool, self.streams.first());
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.anything_failed.load(Ordering::Acquire)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // Some things were dropped after the device was closed: host ranges, tickets, recordings.
        self.deferred.clear_up_to(u64::MAX, &self.pool, self.streams.first());
    }
}
