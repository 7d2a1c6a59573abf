//! The graph that belongs to a recording, and how the recording is to be submitted next.

use std::sync::{Arc, Weak};

use anywarp_backend::BackendError;

use super::Graph;
use crate::submit::queue::Queue;

/// What a recording's slot holds.
pub(crate) struct Entry {
    /// The device that it is for.
    queue: Weak<Queue>,
    /// The recording's version when it was submitted last.
    version: u64,
    graph: Option<Arc<Graph>>,
    /// The version of `graph`.
    captured: u64,
    /// Where the recording was submitted last, and where `graph` finds the values that it stored.
    stream: usize,
    /// Capturing was refused: it is not tried again.
    refused: bool,
}

/// How a recording is to be submitted.
pub(crate) enum Action {
    /// As commands.
    Commands,
    /// As commands that are captured into a graph, in place of this former one.
    Capture(Option<Arc<Graph>>),
    /// As the graph that it is.
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

    /// How to submit the recording, which has this version, to a stream.
    pub(crate) fn next(&mut self, version: u64, stream: usize) -> Action {
        let same = std::mem::replace(&mut self.version, version) == version;
        let stays = std::mem::replace(&mut self.stream, stream) == stream;
        match &self.graph {
            Some(graph) if stays && self.captured == version && graph.is_known() => Action::Launch(Arc::clone(graph)),
            _ if same && !self.refused => Action::Capture(self.graph.take()),
            _ => Action::Commands,
        }
    }

    /// Keeps the graph of the version that is being submitted.
    pub(crate) fn keep(&mut self, graph: &Arc<Graph>) {
        self.graph = Some(Arc::clone(graph));
        self.captured = self.version;
    }

    /// Capturing failed.
    pub(crate) fn refuse(&mut self, error: &BackendError) {
        self.refused = true;
        log::warn!("a recording is submitted command by command, because it cannot be captured: {error}");
    }
}
