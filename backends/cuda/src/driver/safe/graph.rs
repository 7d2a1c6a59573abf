//! Graphs: captured commands that are launched by one call.

use std::sync::Arc;

use anywarp_backend::BackendError;

use super::{Context, Stream};
use crate::driver::sys::{CUgraph, CUgraphExec};

const OPERATION: &str = "capturing";

/// A graph of captured commands.
pub(crate) struct CapturedGraph {
    context: Arc<Context>,
    handle: CUgraph,
}

/// A graph that can be launched. The resources that its nodes use must outlive the graph: nodes refer to memory and
/// kernels by address.
pub(crate) struct ExecutableGraph {
    context: Arc<Context>,
    handle: CUgraphExec,
}

// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Send for ExecutableGraph {}
// SAFETY: reason 1 in `safe/mod.rs`; an update takes `&mut self`, and the queue's lock is held during each launch.
unsafe impl Sync for ExecutableGraph {}

impl Stream {
    /// Captures the commands that `enqueue` enqueues to this stream, instead of running them.
    ///
    /// # Errors
    /// The error of `enqueue`, or of the driver if the capture fails.
    pub(crate) fn capture(
        &self,
        enqueue: impl FnOnce() -> Result<(), BackendError>,
    ) -> Result<CapturedGraph, BackendError> {
        let context = self.context();
        // SAFETY: reason 1 in `safe/mod.rs`.
        context.check(OPERATION, unsafe { context.driver.begin_capture(self.raw()) })?;
        let enqueued = enqueue();
        // SAFETY: reason 1 in `safe/mod.rs`.
        let ended = context.check(OPERATION, unsafe { context.driver.end_capture(self.raw()) });
        let graph = ended.map(|handle| CapturedGraph { context: Arc::clone(context), handle });
        enqueued.and(graph)
    }
}

impl ExecutableGraph {
    /// Creates a graph that can be launched; the captured graph is not needed afterwards.
    pub(crate) fn new(graph: &CapturedGraph) -> Result<Self, BackendError> {
        let context = &graph.context;
        // SAFETY: reason 1 in `safe/mod.rs`.
        let handle = context.check(OPERATION, unsafe { context.driver.graph_instantiate(graph.handle) })?;
        Ok(Self { context: Arc::clone(context), handle })
    }

    /// Replaces the nodes by those of another graph; returns whether the driver could do so. Runs in flight keep the
    /// nodes that they were launched with.
    pub(crate) fn update(&mut self, graph: &CapturedGraph) -> bool {
        // SAFETY: reason 1 in `safe/mod.rs`.
        let updated = unsafe { self.context.driver.graph_update(self.handle, graph.handle) };
        if let Err(failed) = updated {
            log::debug!("a graph is instantiated again: {}", self.context.driver.said(failed));
        }
        updated.is_ok()
    }

    /// Enqueues a run of the graph.
    pub(crate) fn launch(&self, stream: &Stream) -> Result<(), BackendError> {
        // SAFETY: reasons 1, 3 and 4 in `safe/mod.rs`; the plan that the graph was captured from keeps the nodes'
        // resources.
        self.context.check("submitting", unsafe { self.context.driver.graph_launch(self.handle, stream.raw()) })
    }
}

impl Drop for CapturedGraph {
    fn drop(&mut self) {
        // SAFETY: reason 1 in `safe/mod.rs`; executable graphs made from this graph do not need it.
        self.context.log_free(unsafe { self.context.driver.graph_destroy(self.handle) });
    }
}

impl Drop for ExecutableGraph {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // SAFETY: reasons 1 and 3 in `safe/mod.rs`.
        self.context.log_free(unsafe { self.context.driver.graph_exec_destroy(self.handle) });
    }
}
