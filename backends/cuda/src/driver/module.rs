//! Machine code that the driver has loaded.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use anywarp_backend::{BackendError, KernelResources};
use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUjit_option, CUmodule};

use super::context::Context;
use super::error;

/// Bytes for what the driver says about an image.
const LOG: usize = 4096;

/// A loaded kernel.
pub(crate) struct Module {
    context: Arc<Context>,
    handle: CUmodule,
    pub(crate) function: CUfunction,
    pub(crate) resources: KernelResources,
}

// SAFETY: the driver's functions may be called from any thread; the handles are only names.
unsafe impl Send for Module {}
// SAFETY: nothing in it changes.
unsafe impl Sync for Module {}

/// What a kernel needs of the device, to be loaded.
pub(crate) struct Needs<'a> {
    /// For errors.
    pub(crate) kernel: &'a str,
    pub(crate) entry: &'a str,
    /// Bytes.
    pub(crate) dynamic_shared: u32,
    /// In one workgroup.
    pub(crate) invocations: u32,
    /// Of the device, in one workgroup.
    pub(crate) most_shared: u32,
    /// Of the device, resident on one multiprocessor.
    pub(crate) most_resident: u32,
    /// Who made the image: "NVRTC 13.0".
    pub(crate) compiler: &'a str,
}

fn refused<T>(message: String) -> Result<T, BackendError> {
    Err(BackendError::Rejected { operation: "compiling", message })
}

impl Module {
    /// Loads an image into the current context, which is `context`.
    pub(crate) fn load(context: &Arc<Context>, image: &[u8], needs: &Needs<'_>) -> Result<Self, BackendError> {
        let handle = load(context, image, needs)?;
        // From here on the handle is unloaded if anything fails.
        let mut module = Self {
            context: Arc::clone(context),
            handle,
            function: std::ptr::null_mut(),
            resources: KernelResources::default(),
        };
        let Ok(entry) = CString::new(needs.entry) else {
            return refused(format!("kernel '{}': its entry point's name holds a zero byte", needs.kernel));
        };
        // SAFETY: the module is loaded; the name ends in zero; one handle of `module` is written.
        let result = unsafe { (context.driver.cuModuleGetFunction)(&raw mut module.function, handle, entry.as_ptr()) };
        context.check("compiling", "cuModuleGetFunction", result)?;
        module.measure(needs)?;
        Ok(module)
    }

    fn attribute(&self, attribute: CUfunction_attribute) -> Result<u32, BackendError> {
        let mut value = 0;
        // SAFETY: the function is the module's; one integer of this frame is written.
        let result =
            unsafe { (self.context.driver.cuFuncGetAttribute)(&raw mut value, attribute as u32, self.function) };
        self.context.check("compiling", "cuFuncGetAttribute", result)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Learns what the kernel takes, and refuses what the device cannot give.
    fn measure(&mut self, needs: &Needs<'_>) -> Result<(), BackendError> {
        let kernel = needs.kernel;
        let declared = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let shared = declared.saturating_add(needs.dynamic_shared);
        if shared > needs.most_shared {
            let most = needs.most_shared;
            return refused(format!(
                "kernel '{kernel}' takes {shared} bytes of workgroup memory, the device has {most}"
            ));
        }
        if needs.dynamic_shared > 0 {
            let value = i32::try_from(needs.dynamic_shared).unwrap_or(i32::MAX);
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
            // SAFETY: the function is the module's; takes numbers only.
            let result = unsafe { (self.context.driver.cuFuncSetAttribute)(self.function, attribute, value) };
            self.context.check("compiling", "cuFuncSetAttribute", result)?;
        }
        let most = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let registers = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        if most < needs.invocations {
            return refused(format!(
                "kernel '{kernel}' has {} invocations in a workgroup, but with its {registers} registers the device runs \
                 {most}: make the workgroup smaller",
                needs.invocations
            ));
        }
        let mut blocks = 0;
        let threads = i32::try_from(needs.invocations).unwrap_or(i32::MAX);
        // SAFETY: the function is the module's; one integer of this frame is written.
        let result = unsafe {
            (self.context.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor)(
                &raw mut blocks,
                self.function,
                threads,
                needs.dynamic_shared as usize,
            )
        };
        self.context.check("compiling", "cuOccupancyMaxActiveBlocksPerMultiprocessor", result)?;
        let blocks = u32::try_from(blocks).unwrap_or(0);
        let resident = blocks.saturating_mul(needs.invocations);
        let private_bytes = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?;
        let resources = &mut self.resources;
        resources.registers = registers;
        resources.workgroup_bytes = shared;
        resources.private_bytes = private_bytes;
        resources.most_invocations = most;
        resources.workgroups_per_multiprocessor = blocks;
        resources.occupancy = (resident as f32 / needs.most_resident.max(1) as f32).min(1.0);
        Ok(())
    }
}

fn load(context: &Context, image: &[u8], needs: &Needs<'_>) -> Result<CUmodule, BackendError> {
    let mut handle = std::ptr::null_mut();
    let mut log = vec![0_u8; LOG];
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER as u32, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as u32];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut::<c_void>(LOG)];
    // SAFETY: the image is a whole cubin from the compiler or the cache; the log is as long as said,
    // and there are two options with their values.
    let result = unsafe {
        (context.driver.cuModuleLoadDataEx)(
            &raw mut handle,
            image.as_ptr().cast(),
            2,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if result == 0 {
        return Ok(handle);
    }
    let said = log.iter().position(|byte| *byte == 0).map_or(&log[..], |end| &log[..end]);
    let said = String::from_utf8_lossy(said);
    let said = if said.trim().is_empty() { String::new() } else { format!(": {}", said.trim()) };
    if error::is_foreign_image(result) {
        return refused(format!(
            "the driver ({}) cannot load what {} made of kernel '{}' ({}{said}): update the driver, or set ANYWARP_NVRTC \
             to an NVRTC no newer than the driver",
            context.driver.describe(),
            needs.compiler,
            needs.kernel,
            context.driver.text(result),
        ));
    }
    match context.error("compiling", "cuModuleLoadDataEx", result) {
        BackendError::Rejected { operation, message } => {
            Err(BackendError::Rejected { operation, message: format!("kernel '{}': {message}{said}", needs.kernel) })
        }
        error => Err(error),
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter_anyway() else { return };
        // SAFETY: loaded once, unloaded once; work that uses it has ended (see `graveyard`).
        let result = unsafe { (self.context.driver.cuModuleUnload)(self.handle) };
        if result != 0 && !self.context.is_lost() {
            log::debug!("unloading a kernel: {}", self.context.driver.text(result));
        }
    }
}
