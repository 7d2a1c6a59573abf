//! Mappings that are asked of wgpu, some of them later.
//!
//! wgpu 30 keeps a mapping that was cancelled listed under the submission that it waited for, and when that
//! ends takes a later mapping of the same buffer for it, before the later one's work is done. So a
//! mapping that follows a cancelled one is asked for when that submission has ended. No thread waits for it
//! meanwhile: it has to come after later work anyway.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

use anywarp_backend::{BackendError, Completion};

use crate::device::errors::ErrorSink;
use crate::submit::Fence;

/// How far it has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Asked,
    Cancelled,
}

/// A mapping.
pub(crate) struct Request {
    buffer: wgpu::Buffer,
    mode: wgpu::MapMode,
    /// Ends when the buffer is mapped.
    pub(crate) fence: Arc<Fence>,
    sink: Arc<ErrorSink>,
    stage: Mutex<Stage>,
}

impl Request {
    pub(crate) fn new(
        buffer: wgpu::Buffer,
        mode: wgpu::MapMode,
        fence: Arc<Fence>,
        sink: &Arc<ErrorSink>,
    ) -> Arc<Self> {
        Arc::new(Self { buffer, mode, fence, sink: Arc::clone(sink), stage: Mutex::new(Stage::Waiting) })
    }

    /// Asks for the mapping, now or when `earlier` has ended. No lock may be held that a callback of wgpu
    /// takes, because it may run in here.
    pub(crate) fn ask_after(self: &Arc<Self>, earlier: Option<&Arc<Fence>>) {
        match earlier {
            Some(earlier) => earlier.wake(&Waker::from(Arc::clone(self))),
            None => self.ask(),
        }
    }

    fn ask(&self) {
        // Kept, so that what cancels this comes before wgpu is asked, or after. The callback does without.
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if *stage != Stage::Waiting {
            return;
        }
        *stage = Stage::Asked;
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

    /// Ends the mapping, pending as it may be.
    pub(crate) fn cancel(&self) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if *stage == Stage::Asked {
            self.buffer.unmap();
        }
        *stage = Stage::Cancelled;
        self.fence.finish(Err(BackendError::Rejected {
            operation: "mapping",
            message: "the memory was wanted for work of the device before it was mapped".to_owned(),
        }));
    }
}

impl Wake for Request {
    fn wake(self: Arc<Self>) {
        self.ask();
    }
}
