//! A plan, handed over.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, MemoryKind};
use cudarc::driver::sys::CUstream;
use smallvec::SmallVec;

use crate::enqueue::Enqueue;
use crate::failure::Failure;
use crate::flight::Flight;
use crate::graph::Graph;
use crate::lane::{LANES, Point, Points};
use crate::parts::Part;
use crate::plan::Plan;
use crate::queue::{Line, Queue};
use crate::settle::{Held, Pending, Timer};
use crate::status::Record;

/// A part that was enqueued, and what that left behind.
struct Enqueued {
    point: Point,
    steps: Range<usize>,
    timers: Vec<Timer>,
    record: Option<Record>,
    /// Something was enqueued, but not all.
    failed: Option<Arc<Failure>>,
}

impl Enqueued {
    /// Whether there is nothing to be told of it.
    fn is_plain(&self) -> bool {
        self.record.is_none() && self.timers.is_empty() && self.failed.is_none()
    }
}

/// All parts of a submission.
type Handed = (Arc<Flight>, SmallVec<[Enqueued; 1]>);

impl Queue {
    /// Hands over a plan's commands to a lane. `steps` is the limit of loops, to be told. The context
    /// is current.
    ///
    /// # Errors
    /// A memory is mapped or gone, or the driver refused the first command: nothing runs.
    pub(crate) fn submit(
        self: &Arc<Self>,
        mut plan: Box<Plan>,
        steps: u32,
        lane: usize,
    ) -> Result<Arc<Flight>, BackendError> {
        let mut line = self.line();
        let (flight, parts) = match self.hand_over(&mut line, &mut plan, lane) {
            Ok(handed) => handed,
            Err(error) => {
                drop(line);
                self.give_back(plan);
                return Err(error);
            }
        };
        let plain = !plan.timed && parts.iter().all(Enqueued::is_plain);
        if plain && line.pending.is_empty() && !self.has_failed() {
            drop(line);
            self.give_back(plan);
            return Ok(flight);
        }
        let mut pend = |Enqueued { point, steps: range, timers, record, failed }, held| {
            let flight = Arc::clone(&flight);
            line.pending.push_back(Pending { point, flight, held, range, record, timers, failed, steps });
        };
        if parts.len() == 1 {
            parts.into_iter().zip([Held::Own(plan)]).for_each(|(part, held)| pend(part, held));
        } else {
            let plan = Arc::from(plan);
            parts.into_iter().for_each(|part| pend(part, Held::Part(Arc::clone(&plan))));
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
        let points = self.begin(&mut line, plan, &[Part { lane, steps: range.clone(), work: true }])?;
        let launched = self.come_after(&mut line, lane, plan, &range).and_then(|()| {
            // SAFETY: the graph is whole, and lives until its runs have ended.
            let result = unsafe { (self.context.driver.cuGraphLaunch)(graph.exec, self.lanes[lane].stream()) };
            self.context.check("submitting", "cuGraphLaunch", result)
        });
        if let Err(error) = launched {
            cancel(plan, &points);
            return Err(error);
        }
        let point = Point { lane, sequence: self.context.submitted() + 1 };
        let flight = Flight::new(self, points);
        self.come_before(&mut line, point, plan, &range, &flight);
        line.courses[lane].worked = point.sequence;
        if plan.is_limited() || !line.pending.is_empty() || self.has_failed() {
            graph.begin_run();
            line.pending.push_back(Pending {
                point,
                flight: Arc::clone(&flight),
                held: Held::Graph(Arc::clone(graph)),
                range,
                record: None,
                timers: Vec::new(),
                failed: None,
                steps,
            });
        }
        Ok(flight)
    }

    fn hand_over(self: &Arc<Self>, line: &mut Line, plan: &mut Plan, lane: usize) -> Result<Handed, BackendError> {
        let parts = self.parts(line, plan, lane)?;
        let points = self.begin(line, plan, &parts)?;
        let flight = Flight::new(self, points.clone());
        let mut handed = SmallVec::new();
        let mut failed = None;
        for (Part { lane, steps, work }, point) in parts.into_iter().zip(&points) {
            let mut enqueued =
                Enqueued { point: *point, steps, timers: Vec::new(), record: None, failed: failed.clone() };
            if failed.is_none()
                && let Err((error, begun)) = self.enqueue(line, plan, lane, &mut enqueued)
            {
                if error.is_lost() || (!begun && handed.is_empty()) {
                    cancel(plan, &points);
                    return Err(error);
                }
                failed = Some(Failure::new(error));
                enqueued.failed.clone_from(&failed);
            }
            self.come_before(line, *point, plan, &enqueued.steps, &flight);
            if work {
                line.courses[lane].worked = point.sequence;
            }
            handed.push(enqueued);
        }
        Ok((flight, handed))
    }

    /// Has the plan's memories wait for the next submissions, one for each part.
    fn begin(&self, line: &mut Line, plan: &Plan, parts: &[Part]) -> Result<Points, BackendError> {
        for part in parts {
            self.open(line, part.lane)?;
            self.before_submission(line, part.lane)?;
        }
        if parts.iter().any(|part| part.lane != 0) {
            self.begin_period(line);
        }
        let first = self.context.submitted() + 1;
        let point = |(part, sequence): (&Part, u64)| Point { lane: part.lane, sequence };
        let points: Points = parts.iter().zip(first..).map(point).collect();
        let begun = match (&*points, parts) {
            ([point], _) => plan.memories.iter().try_for_each(|memory| memory.begin_use(*point)),
            _ => points.iter().zip(parts).try_for_each(|(point, part)| {
                let touches = plan.footprint(part.steps.clone());
                plan.uses(&touches).try_for_each(|(memory, _)| memory.begin_use(*point))
            }),
        };
        begun.inspect_err(|_| cancel(plan, &points))?;
        self.context.remember(first, plan.labels());
        Ok(points)
    }

    /// Has a lane wait for what these steps conflict with in others.
    fn come_after(&self, line: &mut Line, lane: usize, plan: &Plan, steps: &Range<usize>) -> Result<(), BackendError> {
        if !line.several {
            return Ok(());
        }
        let touches = plan.footprint(steps.clone());
        let needed: [u64; LANES] = self.conflicts(line, lane, plan.uses(&touches), plan.has_library(steps));
        self.join(line, lane, &needed)
    }

    /// Counts these steps as a submission, and has others wait for it.
    fn come_before(&self, line: &mut Line, point: Point, plan: &Plan, steps: &Range<usize>, flight: &Arc<Flight>) {
        self.after_submission(line, point, Some(flight));
        if line.several {
            let touches = plan.footprint(steps.clone());
            self.note(line, point, plan.uses(&touches), plan.has_library(steps));
        }
    }

    /// Enqueues a part; with an error whether something of it was enqueued.
    fn enqueue(
        &self,
        line: &mut Line,
        plan: &mut Plan,
        lane: usize,
        enqueued: &mut Enqueued,
    ) -> Result<(), (BackendError, bool)> {
        self.come_after(line, lane, plan, &enqueued.steps).map_err(|error| (error, false))?;
        let stream = self.lanes[lane].stream();
        let mut arena = 0;
        // Only the part with the launches needs more.
        if plan.is_limited() && plan.has_launch(&enqueued.steps) {
            let record = self.records.take().map_err(|error| (error, false))?;
            plan.set_status(record.address());
            enqueued.record = Some(record);
        }
        if !plan.stored.is_empty() && plan.has_launch(&enqueued.steps) {
            arena = self.store(plan, stream).map_err(|error| (error, false))?;
        }
        let context = &self.context;
        let mut enqueue = Enqueue { context, stream, line, timers: Vec::new(), begun: false };
        let result = enqueue.run(plan, enqueued.steps.clone());
        let (begun, timers) = (enqueue.begun, enqueue.timers);
        enqueued.timers = timers;
        if arena != 0 {
            self.pool.free(arena, stream);
        }
        result.map_err(|error| (error, begun))
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
fn cancel(plan: &Plan, points: &[Point]) {
    for point in points {
        plan.memories.iter().for_each(|memory| memory.cancel_use(*point));
    }
}
