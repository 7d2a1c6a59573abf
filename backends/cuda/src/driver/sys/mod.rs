//! Types of cuda.h, and a table of the functions that this crate calls.
//!
//! The table replaces cudarc's functions because those panic where a library or a symbol is missing, and newer drivers
//! return results that their enumeration does not have.

mod load;

use std::ffi::{c_char, c_void};

pub(in crate::driver) use cudarc::driver::sys::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUcontext, CUdevice, CUdevice_attribute,
    CUdeviceptr, CUevent, CUexternalMemory, CUexternalMemoryHandleType, CUfunction, CUfunction_attribute, CUgraph,
    CUgraphExec, CUgraphExecUpdateResultInfo, CUjit_option, CUmemAllocationType, CUmemLocationType,
    CUmemPool_attribute, CUmemPoolProps, CUmemoryPool, CUmodule, CUstream, CUuuid,
};

/// Declares the functions as fields, each under its own name. Each function returns a `CUresult` as a plain number.
macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        /// The driver's functions.
        #[allow(non_snake_case)] // the fields are named as the symbols
        pub(crate) struct Driver {
            $(pub(in crate::driver) $name: unsafe extern "C" fn($($argument),*) -> u32,)*
            /// The API version: 13000 for CUDA 13.0.
            pub(crate) version: i32,
        }

        impl Driver {
            /// Looks up all functions; the error lists the missing ones.
            ///
            /// # Safety
            /// The library is NVIDIA's driver, and is never unloaded.
            #[allow(non_snake_case)]
            unsafe fn of(library: &libloading::Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    let symbol = concat!(stringify!($name), "\0").as_bytes();
                    // SAFETY: the types are those of cuda.h; the caller guarantees that the library is the driver.
                    let $name = unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> u32>(symbol) };
                    if $name.is_err() {
                        missing.push(stringify!($name));
                    }
                )*
                $(let Ok($name) = $name else { return Err(missing) };)*
                Ok(Self { $($name: *$name,)* version: 0 })
            }
        }
    };
}

functions! {
    cuInit(u32);
    cuDriverGetVersion(*mut i32);
    cuGetErrorName(u32, *mut *const c_char);
    cuGetErrorString(u32, *mut *const c_char);
    cuDeviceGetCount(*mut i32);
    cuDeviceGet(*mut CUdevice, i32);
    cuDeviceGetName(*mut c_char, i32, CUdevice);
    cuDeviceTotalMem_v2(*mut usize, CUdevice);
    cuDeviceGetPCIBusId(*mut c_char, i32, CUdevice);
    cuDeviceGetUuid_v2(*mut CUuuid, CUdevice);
    cuDeviceGetAttribute(*mut i32, u32, CUdevice);
    cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    cuCtxGetCurrent(*mut CUcontext);
    cuCtxSetCurrent(CUcontext);
    cuMemPoolCreate(*mut CUmemoryPool, *const CUmemPoolProps);
    cuMemPoolDestroy(CUmemoryPool);
    cuMemPoolSetAttribute(CUmemoryPool, u32, *mut c_void);
    cuMemPoolTrimTo(CUmemoryPool, usize);
    cuMemAllocFromPoolAsync(*mut CUdeviceptr, usize, CUmemoryPool, CUstream);
    cuMemFreeAsync(CUdeviceptr, CUstream);
    cuMemAlloc_v2(*mut CUdeviceptr, usize);
    cuMemFree_v2(CUdeviceptr);
    cuMemHostAlloc(*mut *mut c_void, usize, u32);
    cuMemFreeHost(*mut c_void);
    cuMemHostGetDevicePointer_v2(*mut CUdeviceptr, *mut c_void, u32);
    cuImportExternalMemory(*mut CUexternalMemory, *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
    cuExternalMemoryGetMappedBuffer(*mut CUdeviceptr, CUexternalMemory, *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
    cuDestroyExternalMemory(CUexternalMemory);
    cuMemcpyAsync(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuMemsetD32Async(CUdeviceptr, u32, usize, CUstream);
    cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
    cuStreamCreate(*mut CUstream, u32);
    cuStreamDestroy_v2(CUstream);
    cuStreamSynchronize(CUstream);
    cuStreamQuery(CUstream);
    cuStreamWaitEvent(CUstream, CUevent, u32);
    cuStreamBeginCapture_v2(CUstream, u32);
    cuStreamEndCapture(CUstream, *mut CUgraph);
    cuEventCreate(*mut CUevent, u32);
    cuEventDestroy_v2(CUevent);
    cuEventRecord(CUevent, CUstream);
    cuEventQuery(CUevent);
    cuEventSynchronize(CUevent);
    cuEventElapsedTime(*mut f32, CUevent, CUevent);
    cuModuleLoadDataEx(*mut CUmodule, *const c_void, u32, *mut u32, *mut *mut c_void);
    cuModuleUnload(CUmodule);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuFuncGetAttribute(*mut i32, u32, CUfunction);
    cuFuncSetAttribute(CUfunction, u32, i32);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut i32, CUfunction, i32, usize);
    cuLaunchKernel(CUfunction, u32, u32, u32, u32, u32, u32, u32, CUstream, *mut *mut c_void, *mut *mut c_void);
    cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, u64);
    cuGraphExecUpdate_v2(CUgraphExec, CUgraph, *mut CUgraphExecUpdateResultInfo);
    cuGraphLaunch(CUgraphExec, CUstream);
    cuGraphExecDestroy(CUgraphExec);
    cuGraphDestroy(CUgraph);
}
