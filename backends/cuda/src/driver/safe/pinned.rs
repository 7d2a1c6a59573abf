//! Pinned memory: host pages that the device can reach, and pages of the card that the host can write.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anywarp_backend::{BackendError, HostRange};
use anywarp_host::mapping::{Mapping, not_mapped};

use super::vulkan::{Exported, Handle};
use super::{Context, DeviceSlice, HostSlice};
use crate::driver::error::{DriverResult, OUT_OF_MEMORY};
use crate::driver::sys::{CUdeviceptr, CUexternalMemory};

/// Pinned memory. Dropping the value frees the memory, for which the driver may wait for the whole device.
pub(crate) struct PinnedMemory {
    context: Arc<Context>,
    start: NonNull<u8>,
    address: CUdeviceptr,
    bytes: usize,
    pages: Pages,
}

/// Where the memory lies.
enum Pages {
    Host,
    Card {
        external: CUexternalMemory,
        /// The mapping for the host, and the memory itself.
        _exported: Exported,
    },
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
        let mut memory = Self { context: Arc::clone(context), start, address: 0, bytes, pages: Pages::Host };
        // SAFETY: the memory was just allocated with an address on the device.
        memory.address = context.check(operation, unsafe { context.driver.device_address(start.as_ptr().cast()) })?;
        // SAFETY: the memory has that length, and no other code has its address yet.
        unsafe { start.as_ptr().write_bytes(0, bytes) };
        Ok(Some(memory))
    }

    /// Takes the first bytes of a memory of the card that another driver has exported; the context is current. The bytes
    /// have any value.
    pub(super) fn import(context: &Arc<Context>, exported: Exported, handle: Handle, bytes: u64) -> DriverResult<Self> {
        let (driver, start, size) = (context.driver, exported.start(), exported.bytes());
        // SAFETY: the handle was exported for this memory, on the card of the context.
        let external = unsafe { driver.import_memory(handle.number(), size) }?;
        // It belongs to the driver now.
        handle.give();
        let pages = Pages::Card { external, _exported: exported };
        // From here on all is released when this function fails, because `memory` is dropped.
        let mut memory =
            Self { context: Arc::clone(context), start, address: 0, bytes: bytes.min(size) as usize, pages };
        // SAFETY: the memory was just imported, with this size.
        memory.address = unsafe { driver.map_imported(external, size) }?;
        Ok(memory)
    }

    /// The bytes as words that the device may access at the same time.
    pub(super) fn as_words(&self) -> &[AtomicU32] {
        // SAFETY: the memory begins at a page, has at least this many words, and lives as long as `self`. The host
        // accesses memory as words only here, and as bytes only where it is no exchange memory.
        unsafe {
            std::slice::from_raw_parts(self.start.as_ptr().cast::<AtomicU32>(), self.bytes / size_of::<AtomicU32>())
        }
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
        let driver = self.context.driver;
        // SAFETY: the memory was allocated or imported once and is freed once; by reason 3 in `safe/mod.rs` no work uses
        // it at this point. Memory that Vulkan has allocated is freed after this.
        unsafe {
            match &self.pages {
                Pages::Host => self.context.log_free(driver.free_pinned(self.start.as_ptr().cast())),
                Pages::Card { external, .. } => {
                    if self.address != 0 {
                        self.context.log_free(driver.free(self.address));
                    }
                    self.context.log_free(driver.release_imported(*external));
                }
            }
        }
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
        self.0.as_words()
    }
}
