//! The graph that belongs to a recording, and the form of its next submission.

use std::sync::{Arc, Weak};

use anywarp_backend::BackendError;

use super::Graph;
use crate::submit::queue::Queue;

/// The graph of a recording, and the state that decides how the recording is submitted next; stored in the recording.
pub(crate) struct Entry {
    /// The queue of the device that the graph runs on.
    queue: Weak<Queue>,
    /// The recording's version at its last submission.
    version: u64,
    graph: Option<Arc<Graph>>,
    /// The version of the recording that `graph` was captured from.
    captured: u64,
    /// The stream of the last submission, in whose order the uniform values of `graph` were stored.
    stream: usize,
    /// Whether a capture has failed: capturing is not tried again.
    refused: bool,
}

/// How a recording is submitted.
pub(crate) enum Action {
    /// Enqueues the commands.
    Commands,
    /// Captures the commands into a graph, in place of this former graph, and launches it.
    Capture(Option<Arc<Graph>>),
    /// Launches the existing graph.
    Launch(Arc<Graph>),
}

impl Entry {
    pub(crate) fn new(queue: &Arc<Queue>) -> Self {
        let queue = Arc::downgrade(queue);
        Self { queue, version: u64::MAX, graph: None, captured: u64::MAX, stream: 0, refused: false }
    }

    pub(crate) fn is_for(&self, queue: &Arc<Queue>) -> bool {
        std::ptr::eq(self.queue.as_ptr(), Arc::as_ptr(queue))
    }

    /// Returns how to submit this version of the recording to a stream next.
    pub(crate) fn next(&mut self, version: u64, stream: usize) -> Action {
        let same = std::mem::replace(&mut self.version, version) == version;
        let stays = std::mem::replace(&mut self.stream, stream) == stream;
        match &self.graph {
            Some(graph) if stays && self.captured == version && graph.is_known() => Action::Launch(Arc::clone(graph)),
            _ if same && !self.refused => Action::Capture(self.graph.take()),
            _ => Action::Commands,
        }
    }

    /// Stores the graph that was captured from the version that is being submitted.
    pub(crate) fn keep(&mut self, graph: &Arc<Graph>) {
        self.graph = Some(Arc::clone(graph));
        self.captured = self.version;
    }

    /// Records that capturing failed, so that it is not tried again.
    pub(crate) fn refuse(&mut self, error: &BackendError) {
        self.refused = true;
        log::warn!("a recording is submitted as single commands, because it cannot be captured as a graph: {error}");
    }
}
