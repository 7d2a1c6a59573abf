//! Recordings that are submitted repeatedly, as graphs of the driver.
//!
//! The first submission of a kept recording enqueues its commands. The second submission without changes captures the
//! commands into a graph, and later submissions launch the graph by one call of the driver. After a change the next
//! submission enqueues the commands again, and the one after it updates the graph.

pub(crate) mod entry;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_backend::BackendError;

use crate::driver::{CapturedGraph, DeviceMemory, ExecutableGraph, Stream};
use crate::kernel::status::{StatusRecord, Stop};
use crate::memory::deferred::Deferred;
use crate::record::enqueue::Enqueue;
use crate::record::plan::Plan;
use crate::record::step::Step;
use crate::submit::queue::Queue;

/// A graph that can be launched.
pub(crate) struct Graph {
    queue: Arc<Queue>,
    /// `None` only while the graph is dropped, or after a successor has taken the executable graph.
    exec: Option<ExecutableGraph>,
    /// The captured plan, stored because it keeps kernels and memories alive.
    pub(crate) plan: Plan,
    /// The status record that all runs of the graph share.
    record: Option<StatusRecord>,
    /// The number of runs after which `record` was not read yet.
    runs: AtomicU32,
    /// Memory for the graph's uniform values.
    arena: Option<DeviceMemory>,
}

impl Graph {
    /// Captures `plan`, which is complete, into a graph for one stream. The executable graph of `former`, a graph of an
    /// older version of the same recording, is updated if possible. The context is current.
    ///
    /// # Errors
    /// An error of the driver, or of a library, that cannot capture the commands.
    pub(crate) fn capture(
        queue: &Arc<Queue>,
        mut plan: Plan,
        former: Option<Arc<Self>>,
        stream: usize,
    ) -> Result<Arc<Self>, BackendError> {
        let record = plan.is_limited().then(|| queue.records.take()).transpose()?;
        if let Some(record) = &record {
            plan.set_status(record.address());
        }
        let native = queue.stream(stream)?;
        let arena = queue.store(&mut plan, native)?;
        match nodes(queue, &plan).and_then(|graph| instantiate(&graph, former)) {
            Ok(exec) => {
                let (queue, exec, runs) = (Arc::clone(queue), Some(exec), AtomicU32::new(0));
                Ok(Arc::new(Self { queue, exec, plan, record, runs, arena }))
            }
            Err(error) => {
                if let Some(arena) = arena {
                    queue.pool.free(arena, native);
                }
                Err(error)
            }
        }
    }

    /// Enqueues a run of the graph.
    pub(crate) fn launch(&self, stream: &Stream) -> Result<(), BackendError> {
        self.exec.as_ref().map_or(Ok(()), |exec| exec.launch(stream))
    }

    /// Counts a run; [`end_run`](Self::end_run) must follow when the run has ended.
    pub(crate) fn begin_run(&self) {
        self.runs.fetch_add(1, Ordering::AcqRel);
    }

    /// Reads the status record after a run. A record that a stopped kernel has written is reset only when no other run
    /// is in flight; until then every run that ends counts as stopped.
    pub(crate) fn end_run(&self) -> Option<Stop> {
        let last = self.runs.fetch_sub(1, Ordering::AcqRel) == 1;
        let record = self.record.as_ref()?;
        let stop = record.read();
        if last && stop.is_some() {
            record.reset();
        }
        stop
    }

    /// Returns whether no kernel of the graph was discarded; memories are checked at submission.
    pub(crate) fn is_known(&self) -> bool {
        self.plan.steps.iter().all(|step| !matches!(step, Step::Launch(launch) if launch.kernel.is_discarded()))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let entry = Deferred::Graph { exec: self.exec.take(), record: self.record.take(), arena: self.arena.take() };
        self.queue.deferred.add(self.queue.context.submissions.submitted(), entry);
    }
}

/// Captures the commands of a plan.
fn nodes(queue: &Queue, plan: &Plan) -> Result<CapturedGraph, BackendError> {
    let mut state = queue.lock();
    if plan.steps.iter().any(|step| matches!(step, Step::Library { .. })) {
        // Memory cannot be allocated during a capture.
        state.library.prepare(&queue.capture)?;
    }
    // The queue's lock is held, so that only one capture uses this stream at a time.
    let native = &queue.capture;
    let mut enqueue = Enqueue { native, state: &mut state, timers: Vec::new(), begun: false };
    native.capture(|| enqueue.run(plan, 0..plan.steps.len()))
}

/// Instantiates a graph, by an update of the former executable graph if possible. The rest of the former graph is freed
/// later.
fn instantiate(graph: &CapturedGraph, former: Option<Arc<Graph>>) -> Result<ExecutableGraph, BackendError> {
    // `into_inner` succeeds only if no submission refers to the former graph, so all its runs are completed.
    if let Some(mut former) = former.and_then(Arc::into_inner)
        && let Some(mut exec) = former.exec.take()
    {
        if exec.update(graph) {
            return Ok(exec);
        }
        former.exec = Some(exec);
    }
    ExecutableGraph::new(graph)
}
