//! Polling of the device.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};

use anywarp_backend::BackendError;

use super::{Fence, completion};
use crate::device::errors::ErrorSink;

/// The state with which threads wait for the work of one device.
pub(crate) struct Poller {
    pub(crate) device: wgpu::Device,
    pub(crate) sink: Arc<ErrorSink>,
    /// Submissions that may not have ended, in the order of submission.
    submitted: Mutex<VecDeque<Arc<Fence>>>,
    thread: OnceLock<mpsc::Sender<Arc<Fence>>>,
}

impl Poller {
    pub(crate) fn new(device: wgpu::Device, sink: Arc<ErrorSink>) -> Arc<Self> {
        Arc::new(Self { device, sink, submitted: Mutex::default(), thread: OnceLock::new() })
    }

    /// Records that the work of `fence` was submitted, after all earlier work.
    pub(crate) fn follow(&self, fence: &Arc<Fence>, index: wgpu::SubmissionIndex) {
        fence.set_index(index);
        let mut submitted = self.submitted();
        while submitted.pop_front_if(|first| first.is_done()).is_some() {}
        submitted.push_back(Arc::clone(fence));
    }

    /// Ends all submissions before `last`, which has ended, including those whose callbacks another thread has not run
    /// yet: a thread that has waited for `last` relies on the end of the earlier submissions, too.
    pub(super) fn ended(&self, last: &Fence) {
        let earlier: Vec<Arc<Fence>> = {
            let submitted = self.submitted();
            let Some(at) = submitted.iter().position(|fence| std::ptr::eq(&raw const **fence, last)) else { return };
            // Submissions with timings are left out, because they end when their timings can be read.
            let over = |fence: &&Arc<Fence>| !fence.is_done() && fence.timing.is_none();
            submitted.iter().take(at).filter(over).cloned().collect()
        };
        earlier.iter().for_each(|fence| fence.finish(Ok(())));
    }

    fn submitted(&self) -> MutexGuard<'_, VecDeque<Arc<Fence>>> {
        self.submitted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first submission that has not ended.
    pub(super) fn first(&self) -> Option<Arc<Fence>> {
        self.submitted().iter().find(|fence| !fence.is_done()).cloned()
    }

    /// Runs wgpu's due callbacks; first waits for the submission `index`, if there is one.
    ///
    /// The wait has no time-out: wgpu 30 fails an assertion ("If the queue is empty, the current submission index ..")
    /// where a time-out passes while another thread sees the same work end.
    pub(super) fn poll(&self, index: Option<&wgpu::SubmissionIndex>) -> Result<(), BackendError> {
        self.sink.check_alive(&self.device)?;
        let kind = match index {
            Some(index) => wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: None },
            None => wgpu::PollType::Poll,
        };
        // wgpu panics here when the driver reports anything but a time-out, including a lost device.
        let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.device.poll(kind)));
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => self.sink.alive(),
            Ok(Err(error)) => {
                self.sink.check_alive(&self.device)?;
                Err(BackendError::Rejected { operation: "waiting", message: error.to_string() })
            }
            Err(_) => Err(self.sink.failed("waiting for work", &self.device)),
        }
    }

    /// Passes `fence` to the completion thread; starts the thread at its first use.
    pub(super) fn watch(self: &Arc<Self>, fence: Arc<Fence>) {
        if cfg!(target_arch = "wasm32") {
            return; // the browser's event loop runs the callbacks
        }
        let sender = self.thread.get_or_init(completion::thread);
        if let Err(unsent) = sender.send(fence) {
            // The completion thread could not be started, so this thread waits for the fence.
            let fence = unsent.0;
            if let Err(error) = fence.block() {
                fence.finish(Err(error));
            }
            fence.wake_all();
        }
    }
}
