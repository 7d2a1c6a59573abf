//! Device memory outside of the pool, for memory that is allocated only once.

use std::sync::Arc;

use anywarp_backend::{BackendError, MemoryKind};

use super::{Context, DeviceSlice};
use crate::driver::error::OUT_OF_MEMORY;
use crate::driver::sys::CUdeviceptr;

/// Device memory that is freed when the value is dropped; the driver then waits for work that uses the memory.
pub(crate) struct DeviceBlock {
    context: Arc<Context>,
    address: CUdeviceptr,
    bytes: u64,
}

impl DeviceBlock {
    /// Allocates the memory; the context is current.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`], whose `live` is 0: the device's memory is not counted here.
    pub(crate) fn allocate(context: &Arc<Context>, bytes: u64, operation: &'static str) -> Result<Self, BackendError> {
        match context.driver.allocate(bytes as usize) {
            Err(failed) if failed.code == OUT_OF_MEMORY => {
                Err(BackendError::OutOfMemory { requested: bytes, kind: MemoryKind::Device, live: 0 })
            }
            allocated => {
                let address = context.check(operation, allocated)?;
                Ok(Self { context: Arc::clone(context), address, bytes })
            }
        }
    }

    /// Returns the whole memory as a range.
    pub(crate) fn whole(&self) -> DeviceSlice {
        DeviceSlice::whole(self.address, self.bytes)
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // SAFETY: the memory was allocated once and is freed once; the driver waits for work that still uses the
        // memory.
        self.context.log_free(unsafe { self.context.driver.free(self.address) });
    }
}
