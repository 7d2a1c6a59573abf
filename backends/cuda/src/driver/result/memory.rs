//! Memory: pools, device allocations, pinned host pages. All functions need a current context, and return an error
//! without one.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::checked;
use crate::driver::error::DriverResult;
use crate::driver::sys::{
    CUdevice, CUdeviceptr, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool,
    CUstream, Driver,
};

/// Flags of `cuMemHostAlloc`: the pages are pinned for every context, and have a device address. Write-combining is
/// off, because it would make reads by the host slow.
const PORTABLE_MAPPED: u32 = 1 | 2;

impl Driver {
    pub(in crate::driver) fn pool_create(&self, device: CUdevice) -> DriverResult<CUmemoryPool> {
        // SAFETY: every field is a number, a null pointer, or an enumeration that has a zero value.
        let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        properties.location.id = device;
        let mut pool = null_mut();
        // SAFETY: the function reads the properties and writes one handle of this frame.
        let code = unsafe { (self.cuMemPoolCreate)(&raw mut pool, &raw const properties) };
        checked("cuMemPoolCreate", code).map(|()| pool)
    }

    /// Sets the number of unused bytes that a pool keeps at most.
    ///
    /// # Safety
    /// The pool is alive.
    pub(in crate::driver) unsafe fn pool_set_threshold(&self, pool: CUmemoryPool, mut bytes: u64) -> DriverResult<()> {
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as u32;
        // SAFETY: the pool is alive as the caller guarantees; the attribute is a `u64`, which is read.
        let code = unsafe { (self.cuMemPoolSetAttribute)(pool, attribute, (&raw mut bytes).cast::<c_void>()) };
        checked("cuMemPoolSetAttribute", code)
    }

    /// # Safety
    /// The pool is alive.
    pub(in crate::driver) unsafe fn pool_trim(&self, pool: CUmemoryPool, keep: usize) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemPoolTrimTo", unsafe { (self.cuMemPoolTrimTo)(pool, keep) })
    }

    /// # Safety
    /// The pool is alive, and not used after this.
    pub(in crate::driver) unsafe fn pool_destroy(&self, pool: CUmemoryPool) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemPoolDestroy", unsafe { (self.cuMemPoolDestroy)(pool) })
    }

    /// # Safety
    /// Pool and stream are alive.
    pub(in crate::driver) unsafe fn allocate_from_pool(
        &self,
        bytes: usize,
        pool: CUmemoryPool,
        stream: CUstream,
    ) -> DriverResult<CUdeviceptr> {
        let mut address = 0;
        // SAFETY: as the caller guarantees; the function writes one address of this frame.
        let code = unsafe { (self.cuMemAllocFromPoolAsync)(&raw mut address, bytes, pool, stream) };
        checked("cuMemAllocFromPoolAsync", code).map(|()| address)
    }

    /// # Safety
    /// The address came from a pool. The address is used neither after this call, nor by work that may run after the
    /// stream's current work. The stream is alive.
    pub(in crate::driver) unsafe fn free_in_order(&self, address: CUdeviceptr, stream: CUstream) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemFreeAsync", unsafe { (self.cuMemFreeAsync)(address, stream) })
    }

    pub(in crate::driver) fn allocate(&self, bytes: usize) -> DriverResult<CUdeviceptr> {
        let mut address = 0;
        // SAFETY: the function writes one address of this frame.
        checked("cuMemAlloc", unsafe { (self.cuMemAlloc_v2)(&raw mut address, bytes) }).map(|()| address)
    }

    /// # Safety
    /// The address came from [`allocate`](Self::allocate) and is not used after this. Work in flight may still use the
    /// memory: the driver waits for that work.
    pub(in crate::driver) unsafe fn free(&self, address: CUdeviceptr) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemFree", unsafe { (self.cuMemFree_v2)(address) })
    }

    /// Allocates host pages that the device can reach.
    pub(in crate::driver) fn allocate_pinned(&self, bytes: usize) -> DriverResult<*mut c_void> {
        let mut start = null_mut();
        // SAFETY: the function writes one pointer of this frame.
        let code = unsafe { (self.cuMemHostAlloc)(&raw mut start, bytes, PORTABLE_MAPPED) };
        checked("cuMemHostAlloc", code).map(|()| start)
    }

    /// # Safety
    /// The pages came from [`allocate_pinned`](Self::allocate_pinned).
    pub(in crate::driver) unsafe fn device_address(&self, start: *mut c_void) -> DriverResult<CUdeviceptr> {
        let mut address = 0;
        // SAFETY: as the caller guarantees; the function writes one address of this frame.
        let code = unsafe { (self.cuMemHostGetDevicePointer_v2)(&raw mut address, start, 0) };
        checked("cuMemHostGetDevicePointer", code).map(|()| address)
    }

    /// # Safety
    /// The pages came from [`allocate_pinned`](Self::allocate_pinned) and are used neither after this nor by work in
    /// flight.
    pub(in crate::driver) unsafe fn free_pinned(&self, start: *mut c_void) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuMemFreeHost", unsafe { (self.cuMemFreeHost)(start) })
    }
}
