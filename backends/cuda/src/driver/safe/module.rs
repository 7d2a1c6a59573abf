//! Machine code loaded by the driver.

use std::ffi::CString;
use std::sync::Arc;

use anywarp_backend::{BackendError, KernelResources};

use super::Context;
use crate::driver::error;
use crate::driver::sys::{CUfunction, CUfunction_attribute, CUmodule};

const OPERATION: &str = "compiling";

/// The size in bytes of the buffer for the driver's messages about an image.
const LOG: usize = 4096;

/// A loaded kernel. Dropping the value unloads the kernel, for which the driver may wait for the whole device.
pub(crate) struct Module {
    pub(super) context: Arc<Context>,
    handle: CUmodule,
    function: CUfunction,
    pub(crate) resources: KernelResources,
}

// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Send for Module {}
// SAFETY: reason 1 in `safe/mod.rs`; no field changes after loading.
unsafe impl Sync for Module {}

/// The requirements of a kernel that is being loaded, and the limits of the device.
pub(crate) struct Needs<'a> {
    /// The kernel's name in errors.
    pub(crate) kernel: &'a str,
    pub(crate) entry: &'a str,
    /// Dynamic shared memory in bytes.
    pub(crate) dynamic_shared: u32,
    /// Invocations of one workgroup.
    pub(crate) invocations: u32,
    /// The workgroup memory that the device has for one workgroup, in bytes.
    pub(crate) max_shared: u32,
    /// The number of invocations that one multiprocessor of the device runs at a time.
    pub(crate) max_resident: u32,
    /// The compiler of the image: "NVRTC 13.0".
    pub(crate) compiler: &'a str,
}

fn refused<T>(message: String) -> Result<T, BackendError> {
    Err(BackendError::Rejected { operation: OPERATION, message })
}

impl Module {
    /// Loads an image into `context`, which is the current context.
    pub(crate) fn load(context: &Arc<Context>, image: &[u8], needs: &Needs<'_>) -> Result<Self, BackendError> {
        let handle = load(context, image, needs)?;
        // From here on the module is unloaded when this function fails, because `module` is dropped.
        let mut module = Self {
            context: Arc::clone(context),
            handle,
            function: std::ptr::null_mut(),
            resources: KernelResources::default(),
        };
        let Ok(entry) = CString::new(needs.entry) else {
            return refused(format!(
                "kernel '{}': the name of its entry point contains a zero byte, which CUDA cannot represent: rename it",
                needs.kernel
            ));
        };
        // SAFETY: reason 1 in `safe/mod.rs`.
        module.function = context.check(OPERATION, unsafe { context.driver.module_function(handle, &entry) })?;
        module.measure(needs)?;
        Ok(module)
    }

    pub(super) fn function(&self) -> CUfunction {
        self.function
    }

    fn attribute(&self, attribute: CUfunction_attribute) -> Result<u32, BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        let value = unsafe { self.context.driver.function_attribute(self.function, attribute) };
        self.context.check(OPERATION, value).map(|value| u32::try_from(value).unwrap_or(0))
    }

    /// Measures the kernel's resources, and refuses a kernel that exceeds the device's.
    fn measure(&mut self, needs: &Needs<'_>) -> Result<(), BackendError> {
        let kernel = needs.kernel;
        let declared = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let shared = declared.saturating_add(needs.dynamic_shared);
        if shared > needs.max_shared {
            let most = needs.max_shared;
            return refused(format!(
                "kernel '{kernel}' needs {shared} bytes of workgroup memory, but the device has {most}: make its workgroup variables smaller"
            ));
        }
        if needs.dynamic_shared > 0 {
            let value = i32::try_from(needs.dynamic_shared).unwrap_or(i32::MAX);
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: reason 1 in `safe/mod.rs`.
            let set = unsafe { self.context.driver.function_set_attribute(self.function, attribute, value) };
            self.context.check(OPERATION, set)?;
        }
        let most = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let registers = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        if most < needs.invocations {
            return refused(format!(
                "kernel '{kernel}' has {} invocations in a workgroup, but with its {registers} registers the device runs at most \
                 {most}: make the workgroup smaller",
                needs.invocations
            ));
        }
        let threads = i32::try_from(needs.invocations).unwrap_or(i32::MAX);
        // SAFETY: reason 1 in `safe/mod.rs`.
        let blocks = unsafe { self.context.driver.occupancy(self.function, threads, needs.dynamic_shared as usize) };
        let blocks = self.context.check(OPERATION, blocks)?;
        let blocks = u32::try_from(blocks).unwrap_or(0);
        let resident = blocks.saturating_mul(needs.invocations);
        let private_bytes = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?;
        let resources = &mut self.resources;
        resources.registers = registers;
        resources.workgroup_bytes = shared;
        resources.private_bytes = private_bytes;
        resources.max_invocations = most;
        resources.workgroups_per_multiprocessor = blocks;
        resources.occupancy = (resident as f32 / needs.max_resident.max(1) as f32).min(1.0);
        Ok(())
    }
}

fn load(context: &Context, image: &[u8], needs: &Needs<'_>) -> Result<CUmodule, BackendError> {
    let mut log = vec![0_u8; LOG];
    // SAFETY: the image is a whole cubin, or text up to its zero byte, from the compiler or the cache.
    let failed = match unsafe { context.driver.module_load(image, &mut log) } {
        Ok(handle) => return Ok(handle),
        Err(failed) => failed,
    };
    let said = log.iter().position(|byte| *byte == 0).map_or(&log[..], |end| &log[..end]);
    let said = String::from_utf8_lossy(said);
    let said = if said.trim().is_empty() { String::new() } else { format!(": {}", said.trim()) };
    if error::is_foreign_image(failed.code) {
        return refused(format!(
            "the driver ({}) cannot load the code that {} compiled for kernel '{}' ({}{said}): update the driver, or set ANYWARP_NVRTC \
             to an NVRTC no newer than the driver",
            context.driver.describe(),
            needs.compiler,
            needs.kernel,
            context.driver.text(failed.code),
        ));
    }
    match context.error(OPERATION, failed) {
        BackendError::Rejected { operation, message } => {
            Err(BackendError::Rejected { operation, message: format!("kernel '{}': {message}{said}", needs.kernel) })
        }
        error => Err(error),
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // SAFETY: reasons 1 and 3 in `safe/mod.rs`.
        self.context.log_free(unsafe { self.context.driver.module_unload(self.handle) });
    }
}
