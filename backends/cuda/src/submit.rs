//! A plan, handed over.

use std::sync::Arc;

use anywarp_backend::BackendError;

use crate::enqueue::Enqueue;
use crate::failure::Failure;
use crate::flight::Flight;
use crate::graph::Graph;
use crate::plan::Plan;
use crate::queue::{Line, Queue};
use crate::settle::{Held, Pending, Timer};

/// What enqueuing left behind.
#[derive(Default)]
struct Enqueued {
    timers: Vec<Timer>,
    /// Something was enqueued, but not all.
    failed: Option<Arc<Failure>>,
}

impl Queue {
    /// Hands over a plan's commands. `steps` is the limit of loops, to be told. The context is
    /// current.
    ///
    /// # Errors
    /// A memory is mapped or gone, or the driver refused the first command: nothing runs.
    pub(crate) fn submit(self: &Arc<Self>, mut plan: Box<Plan>, steps: u32) -> Result<Arc<Flight>, BackendError> {
        let mut line = self.line();
        let begun = self.begin(&mut line, &plan);
        let enqueued = begun.and_then(|(sequence, flight)| {
            let record = plan.is_limited().then(|| self.records.take()).transpose()?;
            if let Some(record) = &record {
                plan.set_status(record.address());
            }
            Ok((sequence, flight, record, self.enqueue(&mut line, &mut plan)?))
        });
        let (sequence, flight, record, Enqueued { timers, failed }) = match enqueued {
            Ok(enqueued) => enqueued,
            Err(error) => {
                self.cancel(&plan);
                drop(line);
                self.give_back(plan);
                return Err(error);
            }
        };
        self.after_submission(&mut line, sequence, &flight);
        let plain = record.is_none() && !plan.timed && failed.is_none();
        if plain && line.pending.is_empty() && !self.has_failed() {
            drop(line);
            self.give_back(plan);
        } else {
            let held = Held::Own(plan);
            line.pending.push_back(Pending {
                sequence,
                flight: Arc::clone(&flight),
                held,
                record,
                timers,
                failed,
                steps,
            });
        }
        Ok(flight)
    }

    /// Hands over a graph. The context is current.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(crate) fn submit_graph(self: &Arc<Self>, graph: &Arc<Graph>, steps: u32) -> Result<Arc<Flight>, BackendError> {
        let mut line = self.line();
        let begun = self.begin(&mut line, &graph.plan).and_then(|begun| {
            // SAFETY: the graph is whole, and lives until its runs have ended.
            let result = unsafe { (self.context.driver.cuGraphLaunch)(graph.exec, self.stream) };
            self.context.check("submitting", "cuGraphLaunch", result).map(|()| begun)
        });
        let (sequence, flight) = begun.inspect_err(|_| self.cancel(&graph.plan))?;
        self.after_submission(&mut line, sequence, &flight);
        if graph.plan.is_limited() || !line.pending.is_empty() || self.has_failed() {
            graph.begin_run();
            line.pending.push_back(Pending {
                sequence,
                flight: Arc::clone(&flight),
                held: Held::Graph(Arc::clone(graph)),
                record: None,
                timers: Vec::new(),
                failed: None,
                steps,
            });
        }
        Ok(flight)
    }

    /// Has the plan's memories wait for the next submission.
    fn begin(self: &Arc<Self>, line: &mut Line, plan: &Plan) -> Result<(u64, Arc<Flight>), BackendError> {
        self.before_submission(line)?;
        let sequence = self.context.submitted() + 1;
        for memory in &plan.memories {
            memory.begin_use(sequence)?;
        }
        self.context.remember(sequence, plan.labels());
        Ok((sequence, Flight::new(self, sequence)))
    }

    /// The next submission does not come about.
    fn cancel(&self, plan: &Plan) {
        let sequence = self.context.submitted() + 1;
        plan.memories.iter().for_each(|memory| memory.cancel_use(sequence));
    }

    fn enqueue(&self, line: &mut Line, plan: &mut Plan) -> Result<Enqueued, BackendError> {
        let arena = self.store(plan)?;
        let (context, stream) = (&self.context, self.stream);
        let mut enqueue = Enqueue { context, stream, line, timers: Vec::new(), begun: false };
        let result = enqueue.run(plan);
        let (begun, timers) = (enqueue.begun, enqueue.timers);
        if arena != 0 {
            self.pool.free(arena, self.stream);
        }
        match result {
            Ok(()) => Ok(Enqueued { timers, failed: None }),
            Err(error) if error.is_lost() || !begun => Err(error),
            Err(error) => Ok(Enqueued { timers, failed: Some(Failure::new(error)) }),
        }
    }

    /// Puts the values that kernels want in memory there; returns the memory's address, or 0.
    pub(crate) fn store(&self, plan: &mut Plan) -> Result<u64, BackendError> {
        if plan.stored.is_empty() {
            return Ok(0);
        }
        let bytes = plan.stored.len();
        let Some(arena) = self.pool.allocate(bytes as u64, self.stream)? else {
            let kind = anywarp_backend::MemoryKind::Device;
            return Err(BackendError::OutOfMemory { requested: bytes as u64, kind, live: 0 });
        };
        // SAFETY: the arena is that long. The driver copies ordinary host memory before it returns.
        let result = unsafe {
            (self.context.driver.cuMemcpyHtoDAsync_v2)(arena, plan.stored.as_ptr().cast(), bytes, self.stream)
        };
        if let Err(error) = self.context.check("submitting", "cuMemcpyHtoDAsync", result) {
            self.pool.free(arena, self.stream);
            return Err(error);
        }
        plan.set_stored(arena);
        Ok(arena)
    }
}
