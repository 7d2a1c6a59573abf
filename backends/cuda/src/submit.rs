//! Submissions: plans and graphs, enqueued and counted.
//!
//! | file | content |
//! |---|---|
//! | `submit` | a plan or a graph as one submission |
//! | `parts` | a plan as several submissions, to several streams |
//! | `submission` | a submission, as its ticket refers to it |
//! | `queue` | the streams, and the order of submissions |
//! | `wait` | queries whether submissions have ended, and waits until they have |
//! | `progress` | events between submissions, and actions when submissions have ended |
//! | `complete` | outcomes: times, stopped kernels, poisoned memories |
//! | `wakers` | wakers, and waits with a timeout |

pub(crate) mod complete;
mod parts;
mod progress;
pub(crate) mod queue;
pub(crate) mod submission;
mod wait;
pub(crate) mod wakers;

use std::ops::Range;
use std::sync::{Arc, MutexGuard};

use anywarp_backend::{BackendError, MemoryKind};
use anywarp_host::Failure;

use crate::driver::{DeviceMemory, Stream};
use crate::graph::Graph;
use crate::kernel::status::StatusRecord;
use crate::record::enqueue::Enqueue;
use crate::record::parts::LARGE;
use crate::record::plan::Plan;
use crate::streams::state::{Point, Points, STREAMS};
use crate::submit::complete::{HeldPlan, Pending, Timer};
use crate::submit::queue::{Queue, QueueState};
use crate::submit::submission::Submission;

/// The resources of enqueued work that are needed after the work has ended.
#[derive(Default)]
pub(crate) struct Enqueued {
    timers: Vec<Timer>,
    record: Option<StatusRecord>,
    /// The failure because of which only a part of the work was enqueued, if there was one.
    pub(crate) failed: Option<Arc<Failure>>,
}

impl Enqueued {
    /// Returns the value for work that was not enqueued because of an earlier failure.
    pub(crate) fn nothing(failure: Arc<Failure>) -> Self {
        Self { failed: Some(failure), ..Self::default() }
    }

    /// Returns whether the work needs no processing when it has ended.
    pub(crate) fn is_plain(&self) -> bool {
        self.record.is_none() && self.timers.is_empty() && self.failed.is_none()
    }

    /// Converts the value to a pending submission, which is completed when its work has ended.
    pub(crate) fn pending(
        self,
        point: Point,
        submission: &Arc<Submission>,
        held: HeldPlan,
        range: Range<usize>,
        loop_limit: u32,
    ) -> Pending {
        let Self { timers, record, failed } = self;
        Pending { point, submission: Arc::clone(submission), held, range, record, timers, failed, loop_limit }
    }
}

impl Queue {
    /// Submits a plan's commands to a stream. Error messages name the loop limit. The context is current.
    ///
    /// # Errors
    /// A memory is mapped or freed, or the driver refused the first command: no command runs in these cases.
    pub(crate) fn submit(
        self: &Arc<Self>,
        plan: Box<Plan>,
        loop_limit: u32,
        stream: usize,
    ) -> Result<Arc<Submission>, BackendError> {
        let state = self.lock();
        // Most submissions have one part and no other stream to wait for; this path must be fast.
        if stream == 0 && !state.concurrent && plan.copied < LARGE {
            self.submit_whole(state, plan, loop_limit)
        } else {
            self.submit_parts(state, plan, loop_limit, stream)
        }
    }

    fn submit_whole(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, QueueState>,
        mut plan: Box<Plan>,
        loop_limit: u32,
    ) -> Result<Arc<Submission>, BackendError> {
        let range = 0..plan.steps.len();
        let begun = self.begin_whole(&mut state, &plan, 0);
        let point = Point { stream: 0, sequence: self.context.submissions.submitted() + 1 };
        let enqueued = begun.and_then(|()| self.enqueue(&mut state, &mut plan, 0, range.clone()));
        let enqueued = match enqueued {
            Ok(enqueued) => enqueued,
            Err(error) => {
                cancel(&plan, &[point]);
                drop(state);
                self.give_back(plan);
                return Err(error);
            }
        };
        let submission = Submission::new(self, Points::from_buf([point]));
        self.after_submission(&mut state, point, Some(&submission));
        state.progress[0].worked = point.sequence;
        if enqueued.is_plain() && !plan.timed && self.has_nothing_to_report(&state) {
            drop(state);
            self.give_back(plan);
        } else {
            state.pending.push_back(enqueued.pending(point, &submission, HeldPlan::Own(plan), range, loop_limit));
        }
        Ok(submission)
    }

    /// Submits a graph to a stream. The context is current.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(crate) fn submit_graph(
        self: &Arc<Self>,
        graph: &Arc<Graph>,
        loop_limit: u32,
        stream: usize,
    ) -> Result<Arc<Submission>, BackendError> {
        let mut state = self.lock();
        let (plan, range) = (&graph.plan, 0..graph.plan.steps.len());
        let begun = self.begin_whole(&mut state, plan, stream);
        let point = Point { stream, sequence: self.context.submissions.submitted() + 1 };
        let launched = begun
            .and_then(|()| self.wait_for_conflicts(&mut state, stream, plan, &range))
            .and_then(|()| graph.launch(self.stream(stream)?));
        launched.inspect_err(|_| cancel(plan, &[point]))?;
        let submission = Submission::new(self, Points::from_buf([point]));
        self.count_with_uses(&mut state, point, plan, &range, &submission);
        state.progress[stream].worked = point.sequence;
        if plan.is_limited() || !self.has_nothing_to_report(&state) {
            graph.begin_run();
            let held = HeldPlan::Graph(Arc::clone(graph));
            state.pending.push_back(Enqueued::default().pending(point, &submission, held, range, loop_limit));
        }
        Ok(submission)
    }

    /// Returns whether no memory that a submission reads has a failure, or can get one from earlier work.
    pub(crate) fn has_nothing_to_report(&self, state: &QueueState) -> bool {
        state.pending.is_empty() && !self.has_failed()
    }

    /// Records in the plan's memories that the next submission of this stream uses them; creates the stream if
    /// necessary.
    fn begin_whole(&self, state: &mut QueueState, plan: &Plan, stream: usize) -> Result<(), BackendError> {
        self.stream(stream)?;
        self.before_submission(state, stream)?;
        if stream != 0 {
            self.begin_period(state);
        }
        let sequence = self.context.submissions.submitted() + 1;
        for memory in &plan.memories {
            memory.begin_use(Point { stream, sequence })?;
        }
        self.context.submissions.remember(sequence, plan.labels());
        Ok(())
    }

    /// Makes a stream wait for the submissions to other streams that conflict with these steps.
    pub(crate) fn wait_for_conflicts(
        &self,
        state: &mut QueueState,
        stream: usize,
        plan: &Plan,
        steps: &Range<usize>,
    ) -> Result<(), BackendError> {
        if !state.concurrent {
            return Ok(());
        }
        let touches = plan.footprint(steps.clone());
        let needed: [u64; STREAMS] = self.conflicts(state, stream, plan.uses(&touches), plan.has_library(steps));
        self.join(state, stream, &needed)
    }

    /// Counts these steps as a submission, and records their uses so that other streams can wait for them.
    pub(crate) fn count_with_uses(
        &self,
        state: &mut QueueState,
        point: Point,
        plan: &Plan,
        steps: &Range<usize>,
        submission: &Arc<Submission>,
    ) {
        self.after_submission(state, point, Some(submission));
        if state.concurrent {
            let touches = plan.footprint(steps.clone());
            self.note(state, point, plan.uses(&touches), plan.has_library(steps));
        }
    }

    /// Enqueues a range of the plan's steps.
    ///
    /// # Errors
    /// The device is lost, or the first step failed, so that no step was enqueued.
    pub(crate) fn enqueue(
        &self,
        state: &mut QueueState,
        plan: &mut Plan,
        stream: usize,
        steps: Range<usize>,
    ) -> Result<Enqueued, BackendError> {
        self.wait_for_conflicts(state, stream, plan, &steps)?;
        let native = self.stream(stream)?;
        let (mut record, mut arena) = (None, None);
        // Only parts with launches need the status record and the stored values.
        if (plan.is_limited() || !plan.stored.is_empty()) && plan.has_launch(&steps) {
            record = plan.is_limited().then(|| self.records.take()).transpose()?;
            if let Some(record) = &record {
                plan.set_status(record.address());
            }
            arena = self.store(plan, native)?;
        }
        let mut enqueue = Enqueue { native, state, timers: Vec::new(), begun: false };
        let result = enqueue.run(plan, steps);
        let (begun, timers) = (enqueue.begun, enqueue.timers);
        if let Some(arena) = arena {
            self.pool.free(arena, native);
        }
        match result {
            Ok(()) => Ok(Enqueued { timers, record, failed: None }),
            Err(error) if error.is_lost() || !begun => Err(error),
            Err(error) => Ok(Enqueued { timers, record, failed: Some(Failure::new(error)) }),
        }
    }

    /// Copies the uniforms that kernels expect in memory to new device memory, in the order of `stream`; returns that
    /// memory.
    pub(crate) fn store(&self, plan: &mut Plan, stream: &Stream) -> Result<Option<DeviceMemory>, BackendError> {
        if plan.stored.is_empty() {
            return Ok(None);
        }
        let bytes = plan.stored.len() as u64;
        let Some(arena) = self.pool.allocate_zeroed(bytes, stream)? else {
            return Err(BackendError::OutOfMemory { requested: bytes, kind: MemoryKind::Device, live: 0 });
        };
        if let Err(error) = stream.copy_bytes(arena.whole(), &plan.stored) {
            self.pool.free(arena, stream);
            return Err(error);
        }
        plan.set_stored(arena.whole().address());
        Ok(Some(arena))
    }
}

/// Removes the recorded uses by submissions that were refused.
pub(crate) fn cancel(plan: &Plan, points: &[Point]) {
    for point in points {
        plan.memories.iter().for_each(|memory| memory.cancel_use(*point));
    }
}
