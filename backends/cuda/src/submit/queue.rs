//! The queue of a device: its streams, and the order of submissions.
//!
//! Submissions are numbered in the order of the calls, and end in that order within each stream. No event is recorded
//! for a stream's last submission: a wait for that submission is a wait for the whole stream.
//!
//! Lock order: the queue's state, then a memory's state, then one of the other locks (spare plans, records, deferred
//! frees, waiters).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::BackendError;

use crate::driver::{Context, Event, Pointers, Pool, Stream};
use crate::kernel::status::StatusRecords;
use crate::library::LibraryContext;
use crate::memory::deferred::DeferredFrees;
use crate::record::plan::Plan;
use crate::streams::state::{STREAMS, StreamProgress, StreamState, Streams};
use crate::streams::uses::Uses;
use crate::submit::complete::Pending;
use crate::submit::wakers::Waiters;

/// The number of empty plans that are kept to reuse their capacity.
const SPARE: usize = 4;

/// The state that submissions change, one at a time.
#[derive(Default)]
pub(crate) struct QueueState {
    pub(crate) progress: [StreamProgress; STREAMS],
    pub(crate) spare_marks: Vec<Event>,
    /// Whether streams other than the first may have work; uses of memories are recorded only while this is true.
    pub(crate) concurrent: bool,
    /// The number of times that `concurrent` was set.
    pub(crate) period: u64,
    /// Whether the first stream has work without a number, namely zeroing of memory, after its last submission.
    pub(crate) unnumbered: bool,
    /// Submissions that need processing when they have ended.
    pub(crate) pending: VecDeque<Pending>,
    /// Timing events for reuse.
    pub(crate) timers: Vec<Event>,
    /// The origin of timings: the start of the first timed step.
    pub(crate) epoch: Option<Event>,
    pub(crate) library: LibraryContext,
    /// The uses of the library's workspace.
    pub(crate) workspace: Uses,
    /// Space for a launch's parameters.
    pub(crate) pointers: Pointers,
    pub(crate) ahead: Ahead,
}

/// The memory that is zeroed while the first stream has work.
#[derive(Default)]
pub(crate) struct Ahead {
    pub(crate) bytes: u64,
    /// The number of the submission of the first stream after whose end `bytes` restarts at 0.
    pub(crate) since: u64,
}

/// The streams of one device, and the state of their submissions.
pub(crate) struct Queue {
    pub(crate) context: Arc<Context>,
    pub(crate) states: [StreamState; STREAMS],
    pub(crate) streams: Streams,
    /// The stream on which graphs are captured. No work runs on this stream.
    pub(crate) capture: Stream,
    pub(crate) pool: Pool,
    pub(crate) deferred: DeferredFrees,
    pub(crate) records: Arc<StatusRecords>,
    /// Set by the first failure, and never reset. While it is false, no memory is poisoned.
    pub(crate) anything_failed: AtomicBool,
    pub(crate) waiters: [Waiters; STREAMS],
    state: Mutex<QueueState>,
    #[allow(clippy::vec_box)] // plans move between here and `QueueState::pending`
    spare_plans: Mutex<Vec<Box<Plan>>>,
}

impl Queue {
    /// Creates the queue of a device that was just opened; the context is current.
    pub(crate) fn create(context: &Arc<Context>, pool: Pool) -> Result<Arc<Self>, BackendError> {
        const OPERATION: &str = "opening the device";
        Ok(Arc::new(Self {
            context: Arc::clone(context),
            states: Default::default(),
            streams: Streams::create(context)?,
            capture: Stream::create(context, OPERATION)?,
            pool,
            deferred: DeferredFrees::new(Arc::clone(context)),
            records: StatusRecords::new(Arc::clone(context)),
            anything_failed: AtomicBool::new(false),
            waiters: Default::default(),
            state: Mutex::default(),
            spare_plans: Mutex::default(),
        }))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a stream, and creates it at its first use; the context is current.
    pub(crate) fn stream(&self, stream: usize) -> Result<&Stream, BackendError> {
        self.streams.open(&self.context, stream)
    }

    /// Returns an empty plan, if possible with the capacity of a former one.
    pub(crate) fn plan(&self) -> Box<Plan> {
        self.spare_plans.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Clears a plan and keeps it for reuse.
    pub(crate) fn give_back(&self, mut plan: Box<Plan>) {
        plan.clear();
        let mut plans = self.spare_plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() < SPARE {
            plans.push(plan);
        }
    }

    /// Waits for all work, and drops all values that refer to this queue. Called when the device is dropped.
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
        // Some resources, which host ranges, tickets or recordings held, were dropped after the device was closed.
        self.deferred.clear_up_to(u64::MAX, &self.pool, self.streams.first());
    }
}
