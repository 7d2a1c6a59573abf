//! Copies and fills, in the order of a stream.

use std::ffi::c_void;

use super::checked;
use crate::driver::error::DriverResult;
use crate::driver::sys::{CUdeviceptr, CUstream, Driver};

/// The requirements of all functions of this `impl` block: the stream is alive; both ranges have the given length, and
/// stay valid until the stream has passed the command.
impl Driver {
    /// Copies between any two addresses that the device can reach.
    ///
    /// # Safety
    /// As the comment on this `impl` block requires.
    pub(in crate::driver) unsafe fn copy(
        &self,
        to: CUdeviceptr,
        from: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemcpyAsync", unsafe { (self.cuMemcpyAsync)(to, from, bytes, stream) })
    }

    /// Copies from the host to the device. Pinned memory is read when the stream reaches the command, other memory
    /// before the call returns.
    ///
    /// # Safety
    /// As the comment on this `impl` block requires.
    pub(in crate::driver) unsafe fn copy_to_device(
        &self,
        to: CUdeviceptr,
        from: *const c_void,
        bytes: usize,
        stream: CUstream,
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemcpyHtoDAsync", unsafe { (self.cuMemcpyHtoDAsync_v2)(to, from, bytes, stream) })
    }

    /// Copies from the device to pinned memory of the host.
    ///
    /// # Safety
    /// As the comment on this `impl` block requires.
    pub(in crate::driver) unsafe fn copy_to_host(
        &self,
        to: *mut c_void,
        from: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemcpyDtoHAsync", unsafe { (self.cuMemcpyDtoHAsync_v2)(to, from, bytes, stream) })
    }

    /// Copies within the device's memory.
    ///
    /// # Safety
    /// As the comment on this `impl` block requires.
    pub(in crate::driver) unsafe fn copy_on_device(
        &self,
        to: CUdeviceptr,
        from: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemcpyDtoDAsync", unsafe { (self.cuMemcpyDtoDAsync_v2)(to, from, bytes, stream) })
    }

    /// Fills with a word.
    ///
    /// # Safety
    /// As the comment on this `impl` block requires.
    pub(in crate::driver) unsafe fn fill_words(
        &self,
        to: CUdeviceptr,
        word: u32,
        words: usize,
        stream: CUstream,
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemsetD32Async", unsafe { (self.cuMemsetD32Async)(to, word, words, stream) })
    }

    /// Fills with a byte.
    ///
    /// # Safety
    /// As the comment on this `impl` block requires.
    pub(in crate::driver) unsafe fn fill_bytes(
        &self,
        to: CUdeviceptr,
        byte: u8,
        bytes: usize,
        stream: CUstream,
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemsetD8Async", unsafe { (self.cuMemsetD8Async)(to, byte, bytes, stream) })
    }
}
