//! Outcomes of submissions that have ended: timings, and stopped kernels with the memories that these kernels and later
//! work have poisoned.
//!
//! The status of a stopped kernel is read only after the submission has ended, so the commands after the kernel have
//! run. Memories that these commands computed from the kernel's results are poisoned too; memories that do not depend
//! on the results stay valid.
//!
//! Submissions of several streams are completed as they end, each after the submissions that it depends on. Poison is
//! therefore valid from one submission number up to another.

use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anywarp_backend::{Access, Clock, MemoryKind, Timing, Timings, Transfer};
use anywarp_host::Failure;

use crate::driver::Event;
use crate::graph::Graph;
use crate::kernel::status::{StatusRecord, Stop};
use crate::memory::Memory;
use crate::record::plan::{Plan, launch_number};
use crate::record::step::{Place, Step};
use crate::streams::state::Point;
use crate::submit::queue::{Queue, QueueState};
use crate::submit::submission::Submission;

/// The granularity of allocations in bytes: a copy from the start to a position this close to the end replaces the
/// whole memory.
pub(crate) const GRAIN: u64 = 16;

/// A timed step.
pub(crate) enum Timed {
    Launch(Arc<str>),
    Transfer { is_fill: bool, bytes: u64 },
}

/// The two events around a step.
pub(crate) struct Timer {
    pub(crate) of: Timed,
    pub(crate) start: Event,
    pub(crate) end: Event,
}

/// The plan of a submission.
pub(crate) enum HeldPlan {
    /// A plan that only this submission uses.
    Own(Box<Plan>),
    /// A plan shared with other parts of the same recording.
    Part(Arc<Plan>),
    /// The plan of a graph.
    Graph(Arc<Graph>),
}

impl Deref for HeldPlan {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        match self {
            Self::Own(plan) => plan,
            Self::Part(plan) => plan,
            Self::Graph(graph) => &graph.plan,
        }
    }
}

/// A submission that needs processing when it has ended.
pub(crate) struct Pending {
    pub(crate) point: Point,
    pub(crate) submission: Arc<Submission>,
    pub(crate) held: HeldPlan,
    /// The submission's steps, as a range in the plan.
    pub(crate) range: Range<usize>,
    /// The status record of this submission; a graph has one record for all its runs.
    pub(crate) record: Option<StatusRecord>,
    pub(crate) timers: Vec<Timer>,
    /// The failure because of which only a part of the steps was enqueued, if there was one.
    pub(crate) failed: Option<Arc<Failure>>,
    pub(crate) loop_limit: u32,
}

impl Pending {
    fn stop(&self) -> Option<Stop> {
        match &self.held {
            HeldPlan::Own(_) | HeldPlan::Part(_) => self.record.as_ref()?.read(),
            HeldPlan::Graph(graph) => graph.end_run(),
        }
    }
}

impl Queue {
    /// Completes a submission that has ended; those that it depends on were completed before.
    pub(crate) fn complete(&self, state: &mut QueueState, pending: Pending) {
        let stop = pending.stop();
        let mut failure = None;
        if stop.is_some() || pending.failed.is_some() || self.has_failed() {
            let mut outcome = Outcome {
                plan: &pending.held,
                sequence: pending.point.sequence,
                stop,
                loop_limit: pending.loop_limit,
                stopped: None,
                failure: pending.failed.clone(),
            };
            outcome.run(pending.range.clone());
            failure = outcome.failure;
            if failure.is_some() {
                self.anything_failed.store(true, Ordering::Release);
            }
        }
        let timings = pending.held.timed.then(|| read(&pending.timers, state.epoch.as_ref()));
        pending.submission.complete(failure, timings);
        for Timer { start, end, .. } in pending.timers {
            state.timers.push(end);
            match &state.epoch {
                Some(_) => state.timers.push(start),
                None => state.epoch = Some(start),
            }
        }
        if let HeldPlan::Own(plan) = pending.held {
            self.give_back(plan);
        }
    }
}

/// Returns the timings of a submission that has ended, relative to `epoch` or, without one, to the submission's own
/// start.
fn read(timers: &[Timer], epoch: Option<&Event>) -> Timings {
    let mut timings = Timings { clock: Clock::Device, entries: Vec::new(), transfers: Vec::new() };
    let Some(first) = timers.first() else { return timings };
    // The driver counts time in f32, so the time since `epoch` has fewer correct digits than the short times between
    // events of one submission.
    let began = epoch.map_or(Duration::ZERO, |epoch| between(epoch, &first.start));
    for timer in timers {
        let start = began + between(&first.start, &timer.start);
        let duration = between(&timer.start, &timer.end);
        match &timer.of {
            Timed::Launch(label) => timings.entries.push(Timing { label: Arc::clone(label), start, duration }),
            Timed::Transfer { is_fill, bytes } => {
                timings.transfers.push(Transfer { is_fill: *is_fill, bytes: *bytes, start, duration });
            }
        }
    }
    timings
}

/// Returns the time from one event to a later one.
fn between(start: &Event, end: &Event) -> Duration {
    let milliseconds = end.since(start).unwrap_or_else(|error| {
        log::warn!("{error}");
        0.0
    });
    Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default()
}

/// Determines the outcome for each memory, command by command.
struct Outcome<'a> {
    plan: &'a Plan,
    sequence: u64,
    stop: Option<Stop>,
    /// The loop limit, for error messages.
    loop_limit: u32,
    /// The failure of the first stopped kernel. Later kernels with limited loops may have been stopped too, but a
    /// record holds only the first one.
    stopped: Option<Arc<Failure>>,
    /// The first failure. If only a part of the steps was enqueued, this is set from the start, and all memories that
    /// the steps should have written are poisoned.
    failure: Option<Arc<Failure>>,
}

impl Outcome<'_> {
    fn run(&mut self, range: Range<usize>) {
        let plan = self.plan;
        let nothing_ran = self.failure.clone();
        for (index, step) in plan.steps.iter().enumerate().take(range.end).skip(range.start) {
            if let Some(failure) = &nothing_ran {
                self.written(step, |memory| memory.poison.set(failure, self.sequence));
                continue;
            }
            match step {
                Step::Copy { source, target } => self.copy(*source, *target),
                Step::Fill { target, .. } => self.replaced(*target),
                Step::Launch(launch) => {
                    let failure = self.stop_of(index, step).or_else(|| self.inherited(&launch.touches));
                    self.fails(step, failure);
                }
                Step::Library { touches, .. } | Step::Foreign { touches } => {
                    let failure = self.inherited(touches);
                    self.fails(step, failure);
                }
            }
        }
    }

    fn copy(&mut self, source: Place, target: Place) {
        let (from, to) = (&self.plan.memories[source.memory], &self.plan.memories[target.memory]);
        let Some(failure) = from.poison.failure(self.sequence) else { return self.replaced(target) };
        to.poison.set(&failure, self.sequence);
        if to.kind == MemoryKind::Readback {
            // The next mapping of the copy reports the failure, so the source needs no poison any more.
            from.poison.clear(self.sequence);
        }
        self.failure.get_or_insert(failure);
    }

    /// Returns the failure of a launch that was stopped, or may have been stopped.
    fn stop_of(&mut self, index: usize, step: &Step) -> Option<Arc<Failure>> {
        let (Step::Launch(launch), Some(stop)) = (step, self.stop) else { return None };
        if !launch.loaded.limited {
            return None;
        }
        if self.stopped.is_none() && stop.launch == launch_number(index) {
            let error = launch.kernel.stopped(&launch.label, stop, self.loop_limit);
            self.stopped = Some(Failure::new(error));
        }
        self.stopped.clone()
    }

    /// Returns the failure of a memory that is read or partly written, if it has one.
    fn inherited(&self, touches: &Range<usize>) -> Option<Arc<Failure>> {
        for touch in &self.plan.touches[touches.clone()] {
            let memory = &self.plan.memories[touch.memory];
            match memory.poison.failure(self.sequence) {
                // The failure was reported before this submission, so the program may write to the memory again.
                Some(failure) if touch.access == Access::Write && failure.was_reported_before(self.sequence) => {
                    memory.poison.clear(self.sequence);
                }
                Some(failure) => return Some(failure),
                None => {}
            }
        }
        None
    }

    fn fails(&mut self, step: &Step, failure: Option<Arc<Failure>>) {
        if let Some(failure) = failure {
            self.written(step, |memory| memory.poison.set(&failure, self.sequence));
            self.failure.get_or_insert(failure);
        }
    }

    fn written(&self, step: &Step, mut visit: impl FnMut(&Memory)) {
        let touches = match step {
            Step::Copy { target, .. } | Step::Fill { target, .. } => return visit(&self.plan.memories[target.memory]),
            Step::Launch(launch) => &launch.touches,
            Step::Library { touches, .. } | Step::Foreign { touches } => touches,
        };
        for touch in &self.plan.touches[touches.clone()] {
            if touch.access == Access::Write {
                visit(&self.plan.memories[touch.memory]);
            }
        }
    }

    /// Clears the poison of a memory that a copy or fill replaces as a whole. In readback memory, every copy clears it,
    /// because the copied bytes are those that are read next.
    fn replaced(&self, place: Place) {
        let memory = &self.plan.memories[place.memory];
        let whole = place.offset == 0 && place.bytes + GRAIN > memory.bytes;
        if whole || memory.kind == MemoryKind::Readback {
            memory.poison.clear(self.sequence);
        }
    }
}
