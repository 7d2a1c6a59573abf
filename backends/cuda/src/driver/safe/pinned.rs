//! Pinned memory: host pages that the device can reach.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anywarp_backend::{BackendError, HostRange};
use anywarp_host::mapping::{Mapping, not_mapped};

use super::{Context, DeviceSlice, HostSlice};
use crate::driver::error::OUT_OF_MEMORY;
use crate::driver::sys::CUdeviceptr;

/// Pinned memory. Dropping the value frees the memory, for which the driver may wait for the whole device.
pub(crate) struct PinnedMemory {
    context: Arc<Context>,
    start: NonNull<u8>,
    address: CUdeviceptr,
    bytes: usize,
}

// SAFETY: reason 1 in `safe/mod.rs`; the comments below justify all accesses to the bytes.
unsafe impl Send for PinnedMemory {}
// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    /// Allocates zeroed memory; `None` when no memory is left. The context is current.
    pub(crate) fn allocate(
        context: &Arc<Context>,
        bytes: u64,
        operation: &'static str,
    ) -> Result<Option<Self>, BackendError> {
        let Ok(bytes) = usize::try_from(bytes) else { return Ok(None) };
        let start = match context.driver.allocate_pinned(bytes) {
            Err(failed) if failed.code == OUT_OF_MEMORY => return Ok(None),
            allocated => context.check(operation, allocated)?,
        };
        let Some(start) = NonNull::new(start.cast::<u8>()) else { return Ok(None) };
        // From here on the memory is freed when this function fails, because `memory` is dropped.
        let mut memory = Self { context: Arc::clone(context), start, address: 0, bytes };
        // SAFETY: the memory was just allocated with an address on the device.
        memory.address = context.check(operation, unsafe { context.driver.device_address(start.as_ptr().cast()) })?;
        // SAFETY: the memory has that length, and no other code has its address yet.
        unsafe { start.as_ptr().write_bytes(0, bytes) };
        Ok(Some(memory))
    }

    /// Returns the whole memory as a range on the device.
    pub(crate) fn device(&self) -> DeviceSlice {
        DeviceSlice::whole(self.address, self.bytes as u64)
    }

    /// Returns the whole memory as a range on the host, for copies.
    pub(crate) fn host(&self) -> HostSlice {
        HostSlice::whole(self.start, self.bytes)
    }

    /// Returns the length of the memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Gives the host access to the bytes of the memory that belongs to `owner`, as `mapping` allows.
    ///
    /// The owner drops its pinned memory only when the owner itself is dropped, and refuses work that would use the
    /// bytes while they are mapped. `has_ended` returns whether earlier work has ended. See reason 3 in `safe/mod.rs`.
    ///
    /// # Errors
    /// Those of [`Mapping::host`].
    pub(crate) fn lend<T: Send + Sync + 'static, W>(
        owner: &Arc<T>,
        pinned: fn(&T) -> Option<&Self>,
        mapping: &Mapping<W>,
        has_ended: impl FnOnce(&W) -> bool,
    ) -> Result<HostRange, BackendError> {
        let memory = pinned(owner).ok_or_else(not_mapped)?;
        // SAFETY: the range keeps the owner alive, and the owner keeps the bytes and ensures that no other access
        // happens.
        unsafe { mapping.host(has_ended, (memory.start, memory.bytes), Arc::clone(owner) as _) }
    }
}

impl PinnedMemory {
    /// Lends the memory of `owner` to the host as words that kernels access at the same time.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] if the owner has no pinned memory.
    pub(crate) fn words<T: Send + Sync + 'static>(
        owner: &Arc<T>,
        pinned: fn(&T) -> Option<&Self>,
    ) -> Result<HostRange, BackendError> {
        let memory = pinned(owner).ok_or_else(not_mapped)?;
        // SAFETY: the memory begins at a page, and the owner is kept alive and keeps it. Only exchange memory is lent
        // as words, which resident kernels access by aligned loads and stores.
        Ok(unsafe { HostRange::of_words(memory.start, memory.bytes / 4, Arc::clone(owner) as _) })
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // SAFETY: the memory was allocated once and is freed once; by reason 3 in `safe/mod.rs` no work uses it at this
        // point.
        self.context.log_free(unsafe { self.context.driver.free_pinned(self.start.as_ptr().cast()) });
    }
}

/// Pinned memory as words that host and device may access at the same time.
pub(crate) struct PinnedWords(PinnedMemory);

impl PinnedWords {
    /// Takes ownership of memory that is used as words only.
    pub(crate) fn new(memory: PinnedMemory) -> Self {
        Self(memory)
    }

    /// Returns the range of the words on the device.
    pub(crate) fn device(&self) -> DeviceSlice {
        self.0.device()
    }

    /// Returns the words on the host.
    pub(crate) fn host(&self) -> &[AtomicU32] {
        let words = self.0.bytes / size_of::<AtomicU32>();
        // SAFETY: the memory was allocated at the start of a page, has at least this many words, and was zeroed. The
        // words live as long as `self`, and the host accesses them only here, as atomics.
        unsafe { std::slice::from_raw_parts(self.0.start.as_ptr().cast::<AtomicU32>(), words) }
    }
}
