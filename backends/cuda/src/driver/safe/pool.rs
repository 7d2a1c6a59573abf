//! Device memory, from a pool that keeps freed memory.

use std::sync::Arc;

use anywarp_backend::BackendError;

use super::{Context, Device, DeviceSlice, Stream};
use crate::driver::error::OUT_OF_MEMORY;
use crate::driver::sys::{CUdeviceptr, CUmemoryPool};

const OPENING: &str = "opening the device";
const OPERATION: &str = "allocating";

/// The source of device memory.
pub(crate) struct Pool {
    context: Arc<Context>,
    /// Null on devices without pools: each allocation then calls the driver, and each free waits for the device.
    handle: CUmemoryPool,
}

// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Send for Pool {}
// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Sync for Pool {}

/// Device memory, to be returned to its pool in stream order. Dropping the value leaks the memory, because a drop has
/// no stream in whose order to free it.
#[must_use]
pub(crate) struct DeviceMemory {
    address: CUdeviceptr,
    bytes: u64,
}

impl DeviceMemory {
    /// Returns the whole memory as a range.
    pub(crate) fn whole(&self) -> DeviceSlice {
        DeviceSlice::whole(self.address, self.bytes)
    }
}

impl Pool {
    /// Creates a pool of the device's memory that keeps freed memory.
    pub(crate) fn create(context: &Arc<Context>, device: Device, supported: bool) -> Result<Self, BackendError> {
        let mut pool = Self { context: Arc::clone(context), handle: std::ptr::null_mut() };
        if supported {
            pool.handle = context.check(OPENING, context.driver.pool_create(device.0))?;
            // SAFETY: reason 1 in `safe/mod.rs`.
            context.check(OPENING, unsafe { context.driver.pool_set_threshold(pool.handle, u64::MAX) })?;
        }
        Ok(pool)
    }

    /// Allocates memory in the order of `stream`, and zeroes it; `None` when no memory is left. The context is current.
    pub(crate) fn allocate_zeroed(&self, bytes: u64, stream: &Stream) -> Result<Option<DeviceMemory>, BackendError> {
        let Some(memory) = self.allocate(bytes, stream)? else { return Ok(None) };
        self.zero(memory, stream).map(Some)
    }

    /// Allocates memory in the order of `stream`; `None` when no memory is left. The context is current.
    pub(crate) fn allocate(&self, bytes: u64, stream: &Stream) -> Result<Option<DeviceMemory>, BackendError> {
        let driver = self.context.driver;
        let Ok(length) = usize::try_from(bytes) else { return Ok(None) };
        let allocated = if self.handle.is_null() {
            driver.allocate(length)
        } else {
            // SAFETY: reason 1 in `safe/mod.rs`.
            unsafe { driver.allocate_from_pool(length, self.handle, stream.raw()) }
        };
        match allocated {
            Err(failed) if failed.code == OUT_OF_MEMORY => Ok(None),
            allocated => Ok(Some(DeviceMemory { address: self.context.check(OPERATION, allocated)?, bytes })),
        }
    }

    /// Zeroes memory that was just allocated in the order of `stream`; frees the memory if that fails.
    pub(crate) fn zero(&self, memory: DeviceMemory, stream: &Stream) -> Result<DeviceMemory, BackendError> {
        let bytes = memory.bytes as usize;
        // SAFETY: reasons 1 and 2 in `safe/mod.rs`; the memory is freed later in the order of the same stream, at the
        // earliest.
        let zeroed = unsafe { self.context.driver.fill_bytes(memory.address, 0, bytes, stream.raw()) };
        match self.context.check(OPERATION, zeroed) {
            Ok(()) => Ok(memory),
            Err(error) => {
                self.free(memory, stream);
                Err(error)
            }
        }
    }

    /// Frees memory in the order of `stream`; all uses must come earlier in that order.
    pub(crate) fn free(&self, memory: DeviceMemory, stream: &Stream) {
        let driver = self.context.driver;
        // SAFETY: the memory was allocated by this device's pool, or directly where there is no pool, and is passed
        // back by value. By reason 3 in `safe/mod.rs` its uses come earlier in the stream's order, or the driver waits
        // for them.
        let freed = unsafe {
            if self.handle.is_null() {
                driver.free(memory.address)
            } else {
                driver.free_in_order(memory.address, stream.raw())
            }
        };
        if let Err(failed) = freed
            && !self.context.is_lost()
        {
            log::warn!("{}", self.context.error("freeing", failed));
        }
    }

    /// Returns all unused memory to the driver; the device should be idle.
    pub(crate) fn trim(&self) {
        if !self.handle.is_null() {
            // SAFETY: reason 1 in `safe/mod.rs`.
            let trimmed = unsafe { self.context.driver.pool_trim(self.handle, 0) };
            log::debug!("trimmed the memory pool: {trimmed:?}");
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let (false, Ok(_current)) = (self.handle.is_null(), self.context.enter_anyway()) {
            // SAFETY: reason 1 in `safe/mod.rs`; memory that is still allocated is released when it is freed.
            self.context.log_free(unsafe { self.context.driver.pool_destroy(self.handle) });
        }
    }
}
