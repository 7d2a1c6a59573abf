//! Device memory beside the pool, for what is allocated once.

use std::sync::Arc;

use anywarp_backend::{BackendError, MemoryKind};

use super::{Context, DeviceSlice};
use crate::driver::error::OUT_OF_MEMORY;
use crate::driver::sys::CUdeviceptr;

/// Device memory that is freed when it is dropped; the driver then waits for work that uses it.
pub(crate) struct DeviceBlock {
    context: Arc<Context>,
    address: CUdeviceptr,
    bytes: u64,
}

impl DeviceBlock {
    /// Allocates it; the context is current.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`], with no count of the device's memory.
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

    /// Returns all of it as a range.
    pub(crate) fn whole(&self) -> DeviceSlice {
        DeviceSlice::whole(self.address, self.bytes)
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // SAFETY: allocated once, freed once; the driver waits for work that still uses it.
        self.context.log_free(unsafe { self.context.driver.free(self.address) });
    }
}
