//! Requests to wgpu for mappings, some of them delayed.
//!
//! wgpu 30 keeps a cancelled mapping listed under the submission that it waited for. When that submission ends, wgpu
//! takes a later mapping of the same buffer for the cancelled one, before the work that the later mapping waits for has
//! ended. A mapping that follows a cancelled one is therefore requested only when that submission has ended. No thread
//! waits for the submission: the mapping depends on later work anyway.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::time::Duration;

use anywarp_backend::{BackendError, Completion};

use crate::device::errors::{ErrorSink, scoped};
use crate::submit::clock::Moment;
use crate::submit::{Fence, Poller};

/// The time for which the end of a mapping is repeated while wgpu refuses it.
const MAX_REFUSALS: Duration = Duration::from_secs(1);

/// The progress of a request to wgpu to map a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Requested,
    Cancelled,
}

/// A request to wgpu to map a buffer.
pub(crate) struct Request {
    buffer: wgpu::Buffer,
    mode: wgpu::MapMode,
    /// The fence that is finished when the buffer is mapped.
    pub(crate) fence: Arc<Fence>,
    device: wgpu::Device,
    sink: Arc<ErrorSink>,
    stage: Mutex<Stage>,
}

impl Request {
    pub(crate) fn new(buffer: wgpu::Buffer, mode: wgpu::MapMode, fence: Arc<Fence>, poller: &Arc<Poller>) -> Arc<Self> {
        let (device, sink) = (poller.device.clone(), Arc::clone(&poller.sink));
        Arc::new(Self { buffer, mode, fence, device, sink, stage: Mutex::new(Stage::Waiting) })
    }

    /// Requests the mapping, now or when `earlier` has ended. The caller must hold no lock that a callback of wgpu
    /// takes, because the callback may run inside this function.
    pub(crate) fn request_after(self: &Arc<Self>, earlier: Option<&Arc<Fence>>) {
        match earlier {
            Some(earlier) => earlier.wake(&Waker::from(Arc::clone(self))),
            None => self.request(),
        }
    }

    fn request(&self) {
        // The lock is held, so that a cancellation comes either before the request to wgpu or after it. The callback
        // takes no lock.
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if *stage != Stage::Waiting {
            return;
        }
        *stage = Stage::Requested;
        let (done, sink) = (Arc::clone(&self.fence), Arc::clone(&self.sink));
        self.buffer.map_async(self.mode, .., move |mapped| {
            done.finish(mapped.map_err(|_| {
                sink.alive().err().unwrap_or_else(|| BackendError::Rejected {
                    operation: "mapping",
                    message: "the driver could not map the memory".to_owned(),
                })
            }));
        });
    }

    /// Cancels the request; if wgpu has the request already, ends the mapping, also while it is pending.
    pub(crate) fn cancel(&self) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if *stage == Stage::Requested {
            self.end();
        }
        *stage = Stage::Cancelled;
        self.fence.finish(Err(BackendError::Rejected {
            operation: "mapping",
            message: "the mapping was cancelled: the device uses the memory again".to_owned(),
        }));
    }

    /// Ends the mapping that wgpu has been requested to make, also while it is pending.
    ///
    /// When the submission that the mapping waits for has ended, the thread that polls maps the buffer. Meanwhile wgpu
    /// 30 takes the buffer for one that is not mapped: it refuses `unmap`, and the buffer is mapped afterwards. A
    /// refused `unmap` is therefore repeated until wgpu accepts it, or has reported that the mapping failed.
    fn end(&self) {
        let start = Moment::now();
        loop {
            let reported = self.fence.is_done();
            let refused = scoped(&self.device, || self.buffer.unmap()).1.is_some();
            if !refused || reported || start.elapsed() > MAX_REFUSALS {
                return;
            }
            std::thread::yield_now();
        }
    }
}

impl Wake for Request {
    fn wake(self: Arc<Self>) {
        self.request();
    }
}
