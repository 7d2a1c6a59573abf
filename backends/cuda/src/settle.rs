//! What is to be told of a submission when it has ended: its times, and whether a kernel was
//! stopped, with what follows for the memories that it and later work wrote.
//!
//! A stopped kernel is noticed only after the submission, so the commands behind it have run. What
//! they made of its results is spoiled too; what does not depend on them is sound.
//!
//! Submissions of several lanes are settled as they end, each after those that it depends on. What is
//! wrong with a memory therefore says from which submission on, and until which.

use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anywarp_backend::{Access, Clock, MemoryKind, Timing, Timings};

use crate::events::Event;
use crate::flight::Flight;
use crate::graph::Graph;
use crate::lane::Point;
use crate::memory::Memory;
use crate::plan::{Place, Plan, Step, name};
use crate::queue::{Line, Queue};
use crate::status::{Record, Stop};
use anywarp_host::Failure;

/// Memory is allocated in multiples of this: a copy that ends that near to the end replaces all.
pub(crate) const GRAIN: u64 = 16;

/// Two events around a launch.
pub(crate) struct Timer {
    pub(crate) label: Arc<str>,
    pub(crate) start: Event,
    pub(crate) end: Event,
}

/// The plan of a submission.
pub(crate) enum Held {
    /// Made for it.
    Own(Box<Plan>),
    /// Made for it and other parts of the same recording.
    Part(Arc<Plan>),
    /// That of a graph.
    Graph(Arc<Graph>),
}

impl Deref for Held {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        match self {
            Self::Own(plan) => plan,
            Self::Part(plan) => plan,
            Self::Graph(graph) => &graph.plan,
        }
    }
}

/// A submission of which something is to be told.
pub(crate) struct Pending {
    pub(crate) point: Point,
    pub(crate) flight: Arc<Flight>,
    pub(crate) held: Held,
    /// Those of the plan's steps that it consists of.
    pub(crate) range: Range<usize>,
    /// Of its own; a graph has one for all its runs.
    pub(crate) record: Option<Record>,
    pub(crate) timers: Vec<Timer>,
    /// Not all of it could be enqueued.
    pub(crate) failed: Option<Arc<Failure>>,
    pub(crate) steps: u32,
}

impl Pending {
    fn stop(&self) -> Option<Stop> {
        match &self.held {
            Held::Own(_) | Held::Part(_) => self.record.as_ref()?.read(),
            Held::Graph(graph) => graph.end_run(),
        }
    }
}

impl Queue {
    /// Tells what is to be told of a submission that has ended. Those that it depends on are settled.
    pub(crate) fn settle(&self, line: &mut Line, pending: Pending) {
        let stop = pending.stop();
        let mut failure = None;
        if stop.is_some() || pending.failed.is_some() || self.has_failed() {
            let mut account = Account {
                plan: &pending.held,
                sequence: pending.point.sequence,
                stop,
                steps: pending.steps,
                stopped: None,
                failure: pending.failed.clone(),
            };
            account.run(pending.range.clone());
            failure = account.failure;
            if failure.is_some() {
                self.anything_failed.store(true, Ordering::Release);
            }
        }
        let timings = pending.held.timed.then(|| Timings { clock: Clock::Device, entries: read(&pending.timers) });
        pending.flight.settle(failure, timings);
        line.timers.extend(pending.timers.into_iter().flat_map(|timer| [timer.start, timer.end]));
        if let Held::Own(plan) = pending.held {
            self.give_back(plan);
        }
    }
}

/// The timings of a submission that has ended.
fn read(timers: &[Timer]) -> Vec<Timing> {
    let Some(first) = timers.first() else { return Vec::new() };
    let timing = |timer: &Timer| Timing {
        label: Arc::clone(&timer.label),
        start: between(&first.start, &timer.start),
        duration: between(&timer.start, &timer.end),
    };
    timers.iter().map(timing).collect()
}

/// The time from one event to a later one, both before the end of the submission.
fn between(start: &Event, end: &Event) -> Duration {
    let milliseconds = end.since(start).unwrap_or_else(|error| {
        log::warn!("{error}");
        0.0
    });
    Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default()
}

/// What became of the memories, command by command.
struct Account<'a> {
    plan: &'a Plan,
    sequence: u64,
    stop: Option<Stop>,
    /// Iterations that loops may make, to be told.
    steps: u32,
    /// Once a kernel was stopped: later ones that are limited too may have been, unnoticed.
    stopped: Option<Arc<Failure>>,
    /// The first thing that went wrong. Set from the start if not all was enqueued: then all that
    /// should have been written is spoiled.
    failure: Option<Arc<Failure>>,
}

impl Account<'_> {
    fn run(&mut self, range: Range<usize>) {
        let plan = self.plan;
        let nothing_is_sure = self.failure.clone();
        for (index, step) in plan.steps.iter().enumerate().take(range.end).skip(range.start) {
            if let Some(failure) = &nothing_is_sure {
                self.written(step, |memory| memory.spoil(failure, self.sequence));
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
        let Some(failure) = from.failure(self.sequence) else { return self.replaced(target) };
        to.spoil(&failure, self.sequence);
        if to.kind == MemoryKind::Readback {
            // The host is about to hear it from there.
            from.heal(self.sequence);
        }
        self.failure.get_or_insert(failure);
    }

    /// Whether this launch was stopped, or may have been.
    fn stop_of(&mut self, index: usize, step: &Step) -> Option<Arc<Failure>> {
        let (Step::Launch(launch), Some(stop)) = (step, self.stop) else { return None };
        if !launch.loaded.limited {
            return None;
        }
        if self.stopped.is_none() && stop.launch == name(index) {
            let error = launch.kernel.stopped(&launch.label, stop, self.steps);
            self.stopped = Some(Failure::new(error));
        }
        self.stopped.clone()
    }

    /// The failure of something that was read, or is written only in part.
    fn inherited(&self, touches: &Range<usize>) -> Option<Arc<Failure>> {
        for touch in &self.plan.touches[touches.clone()] {
            let memory = &self.plan.memories[touch.memory];
            match memory.failure(self.sequence) {
                // Whoever was told and writes there again means it.
                Some(failure) if touch.access == Access::Write && failure.was_reported_before(self.sequence) => {
                    memory.heal(self.sequence);
                }
                Some(failure) => return Some(failure),
                None => {}
            }
        }
        None
    }

    fn fails(&mut self, step: &Step, failure: Option<Arc<Failure>>) {
        if let Some(failure) = failure {
            self.written(step, |memory| memory.spoil(&failure, self.sequence));
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

    /// Copies and fills make a memory whole when they replace all of it; readback memory, which takes
    /// whatever is read next, always.
    fn replaced(&self, place: Place) {
        let memory = &self.plan.memories[place.memory];
        let whole = place.offset == 0 && place.bytes + GRAIN > memory.bytes;
        if whole || memory.kind == MemoryKind::Readback {
            memory.heal(self.sequence);
        }
    }
}
