//! Events: points in a stream.

use std::ptr::null_mut;

use super::checked;
use crate::driver::error::{DriverResult, NOT_READY};
use crate::driver::sys::{CUevent, CUstream, Driver};

/// Flag of an event whose waiters sleep.
const BLOCKING: u32 = 1;
/// Flag of an event that does not record a time and is therefore cheaper.
const UNTIMED: u32 = 2;

impl Driver {
    /// Creates an event: one that records the time if `timed`, otherwise one whose waiters sleep.
    pub(in crate::driver) fn event_create(&self, timed: bool) -> DriverResult<CUevent> {
        let flags = if timed { 0 } else { BLOCKING | UNTIMED };
        let mut event = null_mut();
        // SAFETY: the function writes one handle of this frame.
        checked("cuEventCreate", unsafe { (self.cuEventCreate)(&raw mut event, flags) }).map(|()| event)
    }

    /// # Safety
    /// The event is alive, and not used after this.
    pub(in crate::driver) unsafe fn event_destroy(&self, event: CUevent) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuEventDestroy", unsafe { (self.cuEventDestroy_v2)(event) })
    }

    /// # Safety
    /// Event and stream are alive.
    pub(in crate::driver) unsafe fn event_record(&self, event: CUevent, stream: CUstream) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuEventRecord", unsafe { (self.cuEventRecord)(event, stream) })
    }

    /// Returns whether the stream has passed the event.
    ///
    /// # Safety
    /// The event is alive.
    pub(in crate::driver) unsafe fn event_is_over(&self, event: CUevent) -> DriverResult<bool> {
        // SAFETY: as the caller guarantees.
        match unsafe { (self.cuEventQuery)(event) } {
            NOT_READY => Ok(false),
            code => checked("cuEventQuery", code).map(|()| true),
        }
    }

    /// # Safety
    /// The event is alive.
    pub(in crate::driver) unsafe fn event_synchronize(&self, event: CUevent) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuEventSynchronize", unsafe { (self.cuEventSynchronize)(event) })
    }

    /// Returns the milliseconds between two events.
    ///
    /// # Safety
    /// Both events are alive.
    pub(in crate::driver) unsafe fn event_elapsed(&self, start: CUevent, end: CUevent) -> DriverResult<f32> {
        let mut milliseconds = 0.0;
        // SAFETY: as the caller guarantees; the function writes one number of this frame.
        let code = unsafe { (self.cuEventElapsedTime)(&raw mut milliseconds, start, end) };
        checked("cuEventElapsedTime", code).map(|()| milliseconds)
    }
}
