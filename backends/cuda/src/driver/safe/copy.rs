//! Copies and fills in stream order. Both ranges of a copy should have the same length; otherwise the shorter length is
//! used.

use anywarp_backend::BackendError;

use super::{DeviceSlice, HostSlice, Stream};
use crate::driver::error::DriverResult;

impl Stream {
    fn enqueued(&self, outcome: DriverResult<()>) -> Result<(), BackendError> {
        self.context().check("submitting", outcome)
    }

    /// Copies between any two ranges that the device can reach.
    pub(crate) fn copy(&self, to: DeviceSlice, from: DeviceSlice) -> Result<(), BackendError> {
        let bytes = to.bytes().min(from.bytes()) as usize;
        // SAFETY: reasons 1 to 3 in `safe/mod.rs`.
        self.enqueued(unsafe { self.context().driver.copy(to.address(), from.address(), bytes, self.raw()) })
    }

    /// Copies within the device's memory.
    pub(crate) fn copy_on_device(&self, to: DeviceSlice, from: DeviceSlice) -> Result<(), BackendError> {
        let bytes = to.bytes().min(from.bytes()) as usize;
        // SAFETY: reasons 1 to 3 in `safe/mod.rs`.
        self.enqueued(unsafe { self.context().driver.copy_on_device(to.address(), from.address(), bytes, self.raw()) })
    }

    /// Copies from pinned memory to the device.
    pub(crate) fn copy_to_device(&self, to: DeviceSlice, from: HostSlice) -> Result<(), BackendError> {
        let bytes = from.bytes().min(to.bytes() as usize);
        // SAFETY: reasons 1 to 3 in `safe/mod.rs`.
        self.enqueued(unsafe { self.context().driver.copy_to_device(to.address(), from.start(), bytes, self.raw()) })
    }

    /// Copies from the device to pinned memory.
    pub(crate) fn copy_to_host(&self, to: HostSlice, from: DeviceSlice) -> Result<(), BackendError> {
        let bytes = to.bytes().min(from.bytes() as usize);
        // SAFETY: reasons 1 to 3 in `safe/mod.rs`.
        self.enqueued(unsafe { self.context().driver.copy_to_host(to.start(), from.address(), bytes, self.raw()) })
    }

    /// Copies ordinary host memory to the device; the host memory is read before this returns.
    pub(crate) fn copy_bytes(&self, to: DeviceSlice, from: &[u8]) -> Result<(), BackendError> {
        let bytes = from.len().min(to.bytes() as usize);
        // SAFETY: reasons 1 to 3 in `safe/mod.rs` for the target; the driver reads ordinary memory before it returns,
        // and no slice of pinned memory is passed here.
        self.enqueued(unsafe {
            self.context().driver.copy_to_device(to.address(), from.as_ptr().cast(), bytes, self.raw())
        })
    }

    /// Fills a range with a word, up to the last whole word; the range begins at a multiple of 4 bytes.
    pub(crate) fn fill(&self, to: DeviceSlice, word: u32) -> Result<(), BackendError> {
        let words = (to.bytes() / 4) as usize;
        // SAFETY: reasons 1 to 3 in `safe/mod.rs`; the driver refuses misaligned ranges.
        self.enqueued(unsafe { self.context().driver.fill_words(to.address(), word, words, self.raw()) })
    }
}
