//! NVIDIA's driver: its functions as one table, loaded once.
//!
//! | file | what is in it |
//! |---|---|
//! | `mod` | the table: which functions there are, and whether this machine has them |
//! | `error` | what the driver's numbers mean, and which of them are the end of a device |
//! | `context` | one device's context: made current for the calling thread, lost, destroyed |
//! | `module` | machine code that the driver has loaded |
//!
//! A table of our own, instead of cudarc's functions: those panic where a library or a symbol is
//! missing, and results that a newer driver has invented are no values of their enumeration.

pub(crate) mod context;
pub(crate) mod error;
pub(crate) mod module;

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec, CUmemPoolProps, CUmemoryPool,
    CUmodule, CUstream,
};

/// The oldest driver that has every function below: the API version as the driver counts.
const OLDEST: i32 = 12_000;

/// The functions that are called, each a field under its own name. Every one of them returns a
/// `CUresult`, taken as the number that it is.
macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        /// The driver's functions.
        #[allow(non_snake_case)] // the fields are symbols
        pub(crate) struct Driver {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> u32,)*
            /// The API version: 13000 for CUDA 13.0.
            pub(crate) version: i32,
        }

        impl Driver {
            /// # Safety
            /// The library is NVIDIA's driver, and is never unloaded.
            #[allow(non_snake_case)]
            unsafe fn of(library: &libloading::Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    let symbol = concat!(stringify!($name), "\0").as_bytes();
                    // SAFETY: the types are those of cuda.h; the caller vouches for the library.
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
    cuGraphExecUpdate_v2(CUgraphExec, CUgraph, *mut sys::CUgraphExecUpdateResultInfo);
    cuGraphLaunch(CUgraphExec, CUstream);
    cuGraphExecDestroy(CUgraphExec);
    cuGraphDestroy(CUgraph);
}

impl Driver {
    /// The driver, initialised. The same answer on every call.
    ///
    /// # Errors
    /// Why there is none, and what to do.
    pub(crate) fn get() -> Result<&'static Self, &'static str> {
        static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
        DRIVER.get_or_init(Self::load).as_ref().map_err(String::as_str)
    }

    fn load() -> Result<Self, String> {
        // SAFETY: loads the driver's library and lets it go again; its initialisers ask nothing.
        if !unsafe { sys::is_culib_present() } {
            return Err("there is no NVIDIA driver: its library (libcuda.so.1, on Windows nvcuda.dll) is not found; \
                        in a container, start it with the NVIDIA runtime"
                .to_owned());
        }
        // SAFETY: it is there, as just seen, so this does not panic; it is never unloaded.
        let library = unsafe { sys::culib() };
        // SAFETY: the library is the driver's, and lives as long as the process.
        let loaded = unsafe { Self::of(library) };
        let mut driver = loaded.map_err(|missing| {
            format!(
                "the NVIDIA driver{} lacks {}: CUDA {}.{} (driver 525) or newer is needed, so update the driver",
                kernel_module().map_or_else(String::new, |version| format!(" {version}")),
                missing.join(", "),
                OLDEST / 1000,
                OLDEST % 1000 / 10
            )
        })?;
        // SAFETY: takes no pointer.
        let result = unsafe { (driver.cuInit)(0) };
        if result != 0 {
            return Err(format!("the NVIDIA driver does not start: {}{}", driver.text(result), error::remedy(result)));
        }
        let mut version = 0;
        // SAFETY: writes one integer of this frame.
        let result = unsafe { (driver.cuDriverGetVersion)(&raw mut version) };
        if result != 0 {
            return Err(format!("the NVIDIA driver does not tell its version: {}", driver.text(result)));
        }
        driver.version = version;
        Ok(driver)
    }

    /// "580.95.05, CUDA 13.0", the first only where the system tells.
    pub(crate) fn describe(&self) -> String {
        let cuda = format!("CUDA {}.{}", self.version / 1000, self.version % 1000 / 10);
        kernel_module().map_or(cuda.clone(), |version| format!("{version}, {cuda}"))
    }
}

/// The version of the driver's part in the kernel of Linux.
fn kernel_module() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    version_in(&std::fs::read_to_string("/proc/driver/nvidia/version").ok()?)
}

/// The first word of the first line that is a version: digits and at least one dot.
fn version_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_among_words() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs)\nGCC 12.3";
        assert_eq!(version_in(text).as_deref(), Some("580.95.05"));
        assert_eq!(version_in("nothing here"), None);
    }

    #[test]
    fn without_a_driver_there_is_a_reason() {
        if let Err(reason) = Driver::get() {
            assert!(reason.contains("NVIDIA driver"), "{reason}");
        }
    }
}
