//! Ranges of allocated memory. They may be copied and shortened, never extended.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::driver::sys::CUdeviceptr;

/// A range of memory that the device can reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceSlice {
    address: CUdeviceptr,
    bytes: u64,
}

impl DeviceSlice {
    /// Returns the range of a whole allocation.
    pub(super) fn whole(address: CUdeviceptr, bytes: u64) -> Self {
        Self { address, bytes }
    }

    /// Returns the range of `bytes` bytes from `offset` on, clipped to this range.
    pub(crate) fn part(self, offset: u64, bytes: u64) -> Self {
        let offset = offset.min(self.bytes);
        Self { address: self.address + offset, bytes: bytes.min(self.bytes - offset) }
    }

    /// Returns the range's start address, for kernels.
    pub(crate) fn address(self) -> u64 {
        self.address
    }

    /// Returns the range's length in bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes
    }
}

/// A range of pinned memory that the host can reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostSlice {
    start: NonNull<u8>,
    bytes: usize,
}

impl HostSlice {
    /// Returns the range of a whole allocation.
    pub(super) fn whole(start: NonNull<u8>, bytes: usize) -> Self {
        Self { start, bytes }
    }

    /// Returns the range of `bytes` bytes from `offset` on, clipped to this range.
    pub(crate) fn part(self, offset: u64, bytes: u64) -> Self {
        let within = |bytes: u64, most: usize| usize::try_from(bytes).map_or(most, |bytes| bytes.min(most));
        let offset = within(offset, self.bytes);
        // SAFETY: the offset is at most the length of the range, which lies in one allocation.
        Self { start: unsafe { self.start.add(offset) }, bytes: within(bytes, self.bytes - offset) }
    }

    pub(super) fn start(self) -> *mut c_void {
        self.start.as_ptr().cast()
    }

    pub(super) fn bytes(self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_within_the_whole() {
        let whole = DeviceSlice::whole(1000, 64);
        for (offset, bytes, wanted) in [(0, 64, (1000, 64)), (16, 8, (1016, 8)), (60, 8, (1060, 4)), (99, 8, (1064, 0))]
        {
            let part = whole.part(offset, bytes);
            assert_eq!((part.address(), part.bytes()), wanted);
        }
        let mut bytes = [0_u8; 8];
        let whole = HostSlice::whole(NonNull::from(&mut bytes).cast(), 8);
        assert_eq!((whole.part(6, 9).bytes(), whole.part(u64::MAX, 1).bytes()), (2, 0));
    }
}
