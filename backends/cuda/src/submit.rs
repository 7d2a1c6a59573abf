//! A plan, handed over whole.

use std::ops::Range;
use std::sync::{Arc, MutexGuard};

use anywarp_backend::{BackendError, MemoryKind};
use cudarc::driver::sys::CUstream;

use crate::enqueue::Enqueue;
use crate::flight::Flight;
use crate::graph::Graph;
use crate::lane::{LANES, Point, Points};
use crate::parts::LARGE;
use crate::plan::Plan;
use crate::queue::{Line, Queue};
use crate::settle::{Held, Pending, Timer};
use crate::status::Record;
use anywarp_host::Failure;

/// What enqueuing left behind.
#[derive(Default)]
pub(crate) struct Enqueued {
    timers: Vec<Timer>,
    record: Option<Record>,
    /// Something was enqueued, but not all.
    pub(crate) failed: Option<Arc<Failure>>,
}

impl Enqueued {
    /// Nothing was enqueued of what should have been.
    pub(crate) fn nothing(failure: Arc<Failure>) -> Self {
        Self { failed: Some(failure), ..Self::default() }
    }

    /// Whether there is nothing to be told of it.
    pub(crate) fn is_plain(&self) -> bool {
        self.record.is_none() && self.timers.is_empty() && self.failed.is_none()
    }

    /// What is to be told of it when it has ended.
    pub(crate) fn pending(
        self,
        point: Point,
        flight: &Arc<Flight>,
        held: Held,
        range: Range<usize>,
        steps: u32,
    ) -> Pending {
        let Self { timers, record, failed } = self;
        Pending { point, flight: Arc::clone(flight), held, range, record, timers, failed, steps }
    }
}

impl Queue {
    /// Hands over a plan's commands to a lane. `steps` is the limit of loops, to be told. The context
    /// is current.
    ///
    /// # Errors
    /// A memory is mapped or gone, or the driver refused the first command: nothing runs.
    pub(crate) fn submit(
        self: &Arc<Self>,
        plan: Box<Plan>,
        steps: u32,
        lane: usize,
    ) -> Result<Arc<Flight>, BackendError> {
        let line = self.line();
        // Most submissions have one part and nobody to wait for; there each nanosecond counts.
        if lane == 0 && !line.several && plan.copied < LARGE {
            self.submit_alone(line, plan, steps)
        } else {
            self.submit_parts(line, plan, steps, lane)
        }
    }

    fn submit_alone(
        self: &Arc<Self>,
        mut line: MutexGuard<'_, Line>,
        mut plan: Box<Plan>,
        steps: u32,
    ) -> Result<Arc<Flight>, BackendError> {
        let range = 0..plan.steps.len();
        let begun = self.begin_alone(&mut line, &plan, 0);
        let point = Point { lane: 0, sequence: self.context.submitted() + 1 };
        let enqueued = begun.and_then(|()| self.enqueue(&mut line, &mut plan, 0, range.clone()));
        let enqueued = match enqueued {
            Ok(enqueued) => enqueued,
            Err(error) => {
                cancel(&plan, &[point]);
                drop(line);
                self.give_back(plan);
                return Err(error);
            }
        };
        let flight = Flight::new(self, Points::from_buf([point]));
        self.after_submission(&mut line, point, Some(&flight));
        line.courses[0].worked = point.sequence;
        if enqueued.is_plain() && !plan.timed && self.tells_nothing(&line) {
            drop(line);
            self.give_back(plan);
        } else {
            line.pending.push_back(enqueued.pending(point, &flight, Held::Own(plan), range, steps));
        }
        Ok(flight)
    }

    /// Hands over a graph to a lane. The context is current.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(crate) fn submit_graph(
        self: &Arc<Self>,
        graph: &Arc<Graph>,
        steps: u32,
        lane: usize,
    ) -> Result<Arc<Flight>, BackendError> {
        let mut line = self.line();
        let (plan, range) = (&graph.plan, 0..graph.plan.steps.len());
        let begun = self.begin_alone(&mut line, plan, lane);
        let point = Point { lane, sequence: self.context.submitted() + 1 };
        let launched = begun.and_then(|()| self.come_after(&mut line, lane, plan, &range)).and_then(|()| {
            // SAFETY: the graph is whole, and lives until its runs have ended.
            let result = unsafe { (self.context.driver.cuGraphLaunch)(graph.exec, self.lanes[lane].stream()) };
            self.context.check("submitting", "cuGraphLaunch", result)
        });
        launched.inspect_err(|_| cancel(plan, &[point]))?;
        let flight = Flight::new(self, Points::from_buf([point]));
        self.come_before(&mut line, point, plan, &range, &flight);
        line.courses[lane].worked = point.sequence;
        if plan.is_limited() || !self.tells_nothing(&line) {
            graph.begin_run();
            let held = Held::Graph(Arc::clone(graph));
            line.pending.push_back(Enqueued::default().pending(point, &flight, held, range, steps));
        }
        Ok(flight)
    }

    /// Whether nothing is known, or still to be told, that could be wrong with what a submission reads.
    pub(crate) fn tells_nothing(&self, line: &Line) -> bool {
        line.pending.is_empty() && !self.has_failed()
    }

    /// Has the plan's memories wait for the next submission, in this lane.
    fn begin_alone(&self, line: &mut Line, plan: &Plan, lane: usize) -> Result<(), BackendError> {
        self.open(line, lane)?;
        self.before_submission(line, lane)?;
        if lane != 0 {
            self.begin_period(line);
        }
        let sequence = self.context.submitted() + 1;
        for memory in &plan.memories {
            memory.begin_use(Point { lane, sequence })?;
        }
        self.context.remember(sequence, plan.labels());
        Ok(())
    }

    /// Has a lane wait for what these steps conflict with in others.
    pub(crate) fn come_after(
        &self,
        line: &mut Line,
        lane: usize,
        plan: &Plan,
        steps: &Range<usize>,
    ) -> Result<(), BackendError> {
        if !line.several {
            return Ok(());
        }
        let touches = plan.footprint(steps.clone());
        let needed: [u64; LANES] = self.conflicts(line, lane, plan.uses(&touches), plan.has_library(steps));
        self.join(line, lane, &needed)
    }

    /// Counts these steps as a submission, and has others wait for it.
    pub(crate) fn come_before(
        &self,
        line: &mut Line,
        point: Point,
        plan: &Plan,
        steps: &Range<usize>,
        flight: &Arc<Flight>,
    ) {
        self.after_submission(line, point, Some(flight));
        if line.several {
            let touches = plan.footprint(steps.clone());
            self.note(line, point, plan.uses(&touches), plan.has_library(steps));
        }
    }

    /// Enqueues some of a plan's steps.
    ///
    /// # Errors
    /// The device is lost, or nothing was enqueued.
    pub(crate) fn enqueue(
        &self,
        line: &mut Line,
        plan: &mut Plan,
        lane: usize,
        steps: Range<usize>,
    ) -> Result<Enqueued, BackendError> {
        self.come_after(line, lane, plan, &steps)?;
        let stream = self.lanes[lane].stream();
        let (mut record, mut arena) = (None, 0);
        // Only parts with launches need more.
        if (plan.is_limited() || !plan.stored.is_empty()) && plan.has_launch(&steps) {
            record = plan.is_limited().then(|| self.records.take()).transpose()?;
            if let Some(record) = &record {
                plan.set_status(record.address());
            }
            arena = self.store(plan, stream)?;
        }
        let context = &self.context;
        let mut enqueue = Enqueue { context, stream, line, timers: Vec::new(), begun: false };
        let result = enqueue.run(plan, steps);
        let (begun, timers) = (enqueue.begun, enqueue.timers);
        if arena != 0 {
            self.pool.free(arena, stream);
        }
        match result {
            Ok(()) => Ok(Enqueued { timers, record, failed: None }),
            Err(error) if error.is_lost() || !begun => Err(error),
            Err(error) => Ok(Enqueued { timers, record, failed: Some(Failure::new(error)) }),
        }
    }

    /// Puts the values that kernels want in memory there, in the order of `stream`; returns the
    /// memory's address, or 0.
    pub(crate) fn store(&self, plan: &mut Plan, stream: CUstream) -> Result<u64, BackendError> {
        if plan.stored.is_empty() {
            return Ok(0);
        }
        let bytes = plan.stored.len();
        let Some(arena) = self.pool.allocate(bytes as u64, stream)? else {
            let kind = MemoryKind::Device;
            return Err(BackendError::OutOfMemory { requested: bytes as u64, kind, live: 0 });
        };
        // SAFETY: the arena is that long. The driver copies ordinary host memory before it returns.
        let result =
            unsafe { (self.context.driver.cuMemcpyHtoDAsync_v2)(arena, plan.stored.as_ptr().cast(), bytes, stream) };
        if let Err(error) = self.context.check("submitting", "cuMemcpyHtoDAsync", result) {
            self.pool.free(arena, stream);
            return Err(error);
        }
        plan.set_stored(arena);
        Ok(arena)
    }
}

/// The submissions do not come about.
pub(crate) fn cancel(plan: &Plan, points: &[Point]) {
    for point in points {
        plan.memories.iter().for_each(|memory| memory.cancel_use(*point));
    }
}
