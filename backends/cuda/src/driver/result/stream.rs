//! Streams: order, waiting, capture.

use std::ptr::null_mut;

use super::checked;
use crate::driver::error::{DriverResult, NOT_READY};
use crate::driver::sys::{CUevent, CUgraph, CUstream, Driver};

/// Flag of a stream that does not synchronise with the legacy default stream, which other code of the process may use.
const NON_BLOCKING: u32 = 1;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`: the capture does not restrict the calls of other threads, nor allocations by
/// libraries.
const RELAXED: u32 = 2;

impl Driver {
    pub(in crate::driver) fn stream_create(&self) -> DriverResult<CUstream> {
        let mut stream = null_mut();
        // SAFETY: the function writes one handle of this frame.
        checked("cuStreamCreate", unsafe { (self.cuStreamCreate)(&raw mut stream, NON_BLOCKING) }).map(|()| stream)
    }

    /// # Safety
    /// The stream is alive, and not used after this; work that is enqueued in the stream ends without further calls.
    pub(in crate::driver) unsafe fn stream_destroy(&self, stream: CUstream) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuStreamDestroy", unsafe { (self.cuStreamDestroy_v2)(stream) })
    }

    /// # Safety
    /// The stream is alive.
    pub(in crate::driver) unsafe fn stream_synchronize(&self, stream: CUstream) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuStreamSynchronize", unsafe { (self.cuStreamSynchronize)(stream) })
    }

    /// Returns whether a stream has no work left.
    ///
    /// # Safety
    /// The stream is alive.
    pub(in crate::driver) unsafe fn stream_is_idle(&self, stream: CUstream) -> DriverResult<bool> {
        // SAFETY: as the caller guarantees.
        match unsafe { (self.cuStreamQuery)(stream) } {
            NOT_READY => Ok(false),
            code => checked("cuStreamQuery", code).map(|()| true),
        }
    }

    /// # Safety
    /// Stream and event are alive.
    pub(in crate::driver) unsafe fn stream_wait(&self, stream: CUstream, event: CUevent) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuStreamWaitEvent", unsafe { (self.cuStreamWaitEvent)(stream, event, 0) })
    }

    /// # Safety
    /// The stream is alive.
    pub(in crate::driver) unsafe fn begin_capture(&self, stream: CUstream) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuStreamBeginCapture", unsafe { (self.cuStreamBeginCapture_v2)(stream, RELAXED) })
    }

    /// Ends a capture. After an error the driver has made no graph.
    ///
    /// # Safety
    /// The stream is alive.
    pub(in crate::driver) unsafe fn end_capture(&self, stream: CUstream) -> DriverResult<CUgraph> {
        let mut graph = null_mut();
        // SAFETY: as the caller guarantees; the function writes one handle of this frame.
        checked("cuStreamEndCapture", unsafe { (self.cuStreamEndCapture)(stream, &raw mut graph) }).map(|()| graph)
    }
}
