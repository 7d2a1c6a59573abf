//! Where memory comes from: a pool for the device's own, pinned pages for what the host sees.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use anywarp_backend::{BackendError, MemoryKind};
use cudarc::driver::sys::{CUdevice, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps};
use cudarc::driver::sys::{CUmemoryPool, CUstream};

use crate::driver::context::Context;
use crate::driver::error::OUT_OF_MEMORY;

/// Flags of `cuMemHostAlloc`: pinned for every context, and with an address on the device. Without
/// write-combining, so that the host can read it.
const PORTABLE_MAPPED: u32 = 1 | 2;
const OPERATION: &str = "allocating";

/// Where device memory comes from.
pub(crate) struct Pool {
    context: Arc<Context>,
    /// Null on devices without pools: then each allocation asks the driver, and each freeing waits.
    handle: CUmemoryPool,
}

// SAFETY: the driver's functions may be called from any thread; the handle is only a name.
unsafe impl Send for Pool {}
// SAFETY: nothing in it changes.
unsafe impl Sync for Pool {}

impl Pool {
    /// A pool of the device's memory that keeps what is freed.
    pub(crate) fn create(context: &Arc<Context>, device: CUdevice, supported: bool) -> Result<Self, BackendError> {
        let mut pool = Self { context: Arc::clone(context), handle: std::ptr::null_mut() };
        if !supported {
            return Ok(pool);
        }
        // SAFETY: every field is a number, a null pointer, or an enumeration that has zero.
        let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        properties.location.id = device;
        // SAFETY: reads the properties and writes one handle.
        let result = unsafe { (context.driver.cuMemPoolCreate)(&raw mut pool.handle, &raw const properties) };
        context.check("opening the device", "cuMemPoolCreate", result)?;
        let mut threshold = u64::MAX;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as u32;
        // SAFETY: the attribute is a `u64`, which is read.
        let result = unsafe {
            (context.driver.cuMemPoolSetAttribute)(pool.handle, attribute, (&raw mut threshold).cast::<c_void>())
        };
        context.check("opening the device", "cuMemPoolSetAttribute", result)?;
        Ok(pool)
    }

    /// Allocates in the order of `stream`, and fills with zeros; `None` when there is no more. The
    /// context is current.
    pub(crate) fn allocate(&self, bytes: u64, stream: CUstream) -> Result<Option<u64>, BackendError> {
        let Some(address) = self.take(bytes, stream)? else { return Ok(None) };
        self.zero(address, bytes, stream).map(|()| Some(address))
    }

    /// Allocates in the order of `stream`; `None` when there is no more. The context is current.
    pub(crate) fn take(&self, bytes: u64, stream: CUstream) -> Result<Option<u64>, BackendError> {
        let driver = self.context.driver;
        let Ok(length) = usize::try_from(bytes) else { return Ok(None) };
        let mut address = 0;
        let (function, result) = if self.handle.is_null() {
            // SAFETY: writes one address.
            ("cuMemAlloc", unsafe { (driver.cuMemAlloc_v2)(&raw mut address, length) })
        } else {
            // SAFETY: writes one address.
            let result = unsafe { (driver.cuMemAllocFromPoolAsync)(&raw mut address, length, self.handle, stream) };
            ("cuMemAllocFromPoolAsync", result)
        };
        if result == OUT_OF_MEMORY {
            return Ok(None);
        }
        self.context.check(OPERATION, function, result).map(|()| Some(address))
    }

    /// Fills what was just taken in the order of `stream` with zeros; frees it if that cannot be.
    pub(crate) fn zero(&self, address: u64, bytes: u64, stream: CUstream) -> Result<(), BackendError> {
        // SAFETY: the memory is that long, and nobody else knows it yet.
        let result = unsafe { (self.context.driver.cuMemsetD8Async)(address, 0, bytes as usize, stream) };
        let zeroed = self.context.check(OPERATION, "cuMemsetD8Async", result);
        zeroed.inspect_err(|_| self.free(address, stream))
    }

    /// Frees in the order of `stream`.
    pub(crate) fn free(&self, address: u64, stream: CUstream) {
        let driver = self.context.driver;
        // SAFETY: allocated here, freed once; work submitted so far is not disturbed, since the
        // stream's order holds, or the driver waits for it.
        let result = unsafe {
            if self.handle.is_null() {
                (driver.cuMemFree_v2)(address)
            } else {
                (driver.cuMemFreeAsync)(address, stream)
            }
        };
        if result != 0 && !self.context.is_lost() {
            let error = self.context.error("freeing", "cuMemFreeAsync", result);
            log::warn!("{error}");
        }
    }

    /// Gives everything back to the driver that is not in use; the device should be idle.
    pub(crate) fn trim(&self) {
        if !self.handle.is_null() {
            // SAFETY: takes no pointers.
            let result = unsafe { (self.context.driver.cuMemPoolTrimTo)(self.handle, 0) };
            log::debug!("trimmed the memory pool: {result}");
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let (false, Ok(_current)) = (self.handle.is_null(), self.context.enter_anyway()) {
            // SAFETY: created once, destroyed once; what is still allocated goes when it is freed.
            unsafe { (self.context.driver.cuMemPoolDestroy)(self.handle) };
        }
    }
}

/// Pinned memory of zeros with its address on the device; `None` when there is no more. The
/// context is current.
pub(crate) fn pinned(context: &Context, bytes: u64) -> Result<Option<(NonNull<u8>, u64)>, BackendError> {
    let Ok(length) = usize::try_from(bytes) else { return Ok(None) };
    let mut start = std::ptr::null_mut();
    // SAFETY: writes one pointer.
    let result = unsafe { (context.driver.cuMemHostAlloc)(&raw mut start, length, PORTABLE_MAPPED) };
    if result == OUT_OF_MEMORY {
        return Ok(None);
    }
    context.check(OPERATION, "cuMemHostAlloc", result)?;
    let Some(host) = NonNull::new(start.cast::<u8>()) else { return Ok(None) };
    let mut address = 0;
    // SAFETY: the memory was just allocated with an address on the device.
    let result = unsafe { (context.driver.cuMemHostGetDevicePointer_v2)(&raw mut address, start, 0) };
    if let Err(error) = context.check(OPERATION, "cuMemHostGetDevicePointer", result) {
        // SAFETY: nobody knows the memory yet.
        unsafe { (context.driver.cuMemFreeHost)(start) };
        return Err(error);
    }
    // SAFETY: the memory is that long, and nobody knows it yet.
    unsafe { host.as_ptr().write_bytes(0, length) };
    Ok(Some((host, address)))
}

/// Whether the host sees memory of this kind.
pub(crate) fn is_pinned(kind: MemoryKind) -> bool {
    kind != MemoryKind::Device
}
