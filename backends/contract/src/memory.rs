//! Allocations and the host's view of them.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One allocation of one device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub u64);

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory {}", self.0)
    }
}

/// Which side may touch a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// The device only: kernels, copies and fills.
    Device,
    /// Written by the host, then read by copies.
    Upload,
    /// Written by copies, then read by the host: cached memory.
    Readback,
    /// One memory for both: read and written by the host while mapped, by the device while not.
    Shared,
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "device",
            Self::Upload => "upload",
            Self::Readback => "readback",
            Self::Shared => "shared",
        })
    }
}

/// The bytes of one mapped memory, exclusively owned.
///
/// While it lives the backend refuses to unmap the memory, so the bytes stay valid; dropping it
/// lets go of them.
pub struct HostRange {
    start: NonNull<u8>,
    bytes: usize,
    lent: Arc<AtomicBool>,
    /// Keeps the allocation itself alive, also when the memory was freed meanwhile.
    _owner: Arc<dyn std::any::Any + Send + Sync>,
}

impl HostRange {
    /// Wraps mapped memory. Returns `None` when `lent` says that a range is out already.
    ///
    /// # Safety
    /// `start..start + bytes` must be readable and writable (for Readback memory: readable), and
    /// touched by nobody else, until the range is dropped, which sets `lent` to false; `owner`
    /// keeps the memory alive that long.
    pub unsafe fn new(
        start: NonNull<u8>,
        bytes: usize,
        lent: Arc<AtomicBool>,
        owner: Arc<dyn std::any::Any + Send + Sync>,
    ) -> Option<Self> {
        if lent.swap(true, Ordering::AcqRel) {
            return None;
        }
        Some(Self { start, bytes, lent, _owner: owner })
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `new` demands memory that is valid and not aliased for as long as `self` lives.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    /// The bytes, to be written. Not for Readback memory, whose mapping may be read-only.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; `&mut self` makes the borrow unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

// SAFETY: the range owns its memory exclusively (see `new`), like a `Box<[u8]>`.
unsafe impl Send for HostRange {}
// SAFETY: `&HostRange` only gives `&[u8]`.
unsafe impl Sync for HostRange {}

impl Drop for HostRange {
    fn drop(&mut self) {
        self.lent.store(false, Ordering::Release);
    }
}

impl fmt::Debug for HostRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostRange").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
