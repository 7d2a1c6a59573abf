//! The memory that the libraries work in.

use std::ffi::c_void;

use anywarp_backend::{BackendError, MemoryKind};
use cudarc::driver::sys::{self, CUdeviceptr, CUresult};

/// What NVIDIA recommends for Hopper; smaller ones rule out the fastest algorithms there.
const BYTES: usize = 32 << 20;

/// Device memory, given back when dropped.
pub(super) struct Workspace(CUdeviceptr);

impl Workspace {
    /// Allocates it in the current context.
    pub(super) fn allocate() -> Result<Self, BackendError> {
        let mut address = 0;
        // SAFETY: a context is current, so the driver is loaded; it writes one address.
        match unsafe { sys::cuMemAlloc_v2(&mut address, BYTES) } {
            CUresult::CUDA_SUCCESS => Ok(Self(address)),
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Err(BackendError::OutOfMemory { requested: BYTES as u64, kind: MemoryKind::Device, live: 0 })
            }
            status => Err(BackendError::Rejected {
                operation: "allocating the workspace of cuBLAS",
                message: format!("cuMemAlloc of {BYTES} bytes says {status:?}"),
            }),
        }
    }

    /// Where it begins: a multiple of 256.
    pub(super) fn address(&self) -> *mut c_void {
        self.0 as *mut c_void
    }

    /// Its size.
    pub(super) fn bytes(&self) -> usize {
        BYTES
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // SAFETY: the address came from `cuMemAlloc` and is given back once. Work that still uses
        // it is waited for by the driver.
        let status = unsafe { sys::cuMemFree_v2(self.0) };
        if status != CUresult::CUDA_SUCCESS {
            log::debug!("freeing the workspace of cuBLAS: {status:?}");
        }
    }
}
