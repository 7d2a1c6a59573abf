//! Memory that another driver has allocated and exported. All functions need a current context.

use std::ffi::c_int;
use std::ptr::null_mut;

use super::checked;
use crate::driver::error::DriverResult;
use crate::driver::sys::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUdeviceptr, CUexternalMemory,
    CUexternalMemoryHandleType, Driver,
};

impl Driver {
    /// Imports memory by an opaque file descriptor, which belongs to the driver if this succeeds.
    ///
    /// # Safety
    /// The descriptor was exported for a memory of this size of the context's card.
    pub(in crate::driver) unsafe fn import_memory(&self, handle: c_int, bytes: u64) -> DriverResult<CUexternalMemory> {
        // SAFETY: every field is a number, a null pointer, or an enumeration that is set below.
        let mut described: CUDA_EXTERNAL_MEMORY_HANDLE_DESC = unsafe {
            let mut described = std::mem::MaybeUninit::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>::zeroed();
            (*described.as_mut_ptr()).type_ = CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
            described.assume_init()
        };
        described.handle.fd = handle;
        described.size = bytes;
        let mut external = null_mut();
        // SAFETY: the function reads the description, and writes one handle of this frame.
        let code = unsafe { (self.cuImportExternalMemory)(&raw mut external, &raw const described) };
        checked("cuImportExternalMemory", code).map(|()| external)
    }

    /// Maps an imported memory; the address is freed as that of an allocation.
    ///
    /// # Safety
    /// The memory is imported, and has this size.
    pub(in crate::driver) unsafe fn map_imported(
        &self,
        external: CUexternalMemory,
        bytes: u64,
    ) -> DriverResult<CUdeviceptr> {
        let described = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: bytes, flags: 0, reserved: [0; 16] };
        let mut address = 0;
        // SAFETY: as the caller guarantees; the function writes one address of this frame.
        let code = unsafe { (self.cuExternalMemoryGetMappedBuffer)(&raw mut address, external, &raw const described) };
        checked("cuExternalMemoryGetMappedBuffer", code).map(|()| address)
    }

    /// # Safety
    /// The memory is imported, its mappings are freed, and neither is used after this.
    pub(in crate::driver) unsafe fn release_imported(&self, external: CUexternalMemory) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuDestroyExternalMemory", unsafe { (self.cuDestroyExternalMemory)(external) })
    }
}
