//! Loaded machine code: modules, functions, launches.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use super::checked;
use crate::driver::error::DriverResult;
use crate::driver::sys::{CUfunction, CUfunction_attribute, CUjit_option, CUmodule, CUstream, Driver};

impl Driver {
    /// Loads an image into the current context; the driver writes its messages to `log`, terminated by a zero.
    ///
    /// # Safety
    /// The image is a whole cubin, or a text that ends with a zero byte.
    pub(in crate::driver) unsafe fn module_load(&self, image: &[u8], log: &mut [u8]) -> DriverResult<CUmodule> {
        let mut module = null_mut();
        let mut options =
            [CUjit_option::CU_JIT_ERROR_LOG_BUFFER as u32, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as u32];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut::<c_void>(log.len())];
        // SAFETY: the caller guarantees that the image is whole; the log has the given length, and there are two
        // options, each with a value.
        let code = unsafe {
            (self.cuModuleLoadDataEx)(
                &raw mut module,
                image.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        checked("cuModuleLoadDataEx", code).map(|()| module)
    }

    /// # Safety
    /// The module is alive, and used neither after this nor by work in flight.
    pub(in crate::driver) unsafe fn module_unload(&self, module: CUmodule) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuModuleUnload", unsafe { (self.cuModuleUnload)(module) })
    }

    /// # Safety
    /// The module is alive.
    pub(in crate::driver) unsafe fn module_function(&self, module: CUmodule, name: &CStr) -> DriverResult<CUfunction> {
        let mut function = null_mut();
        // SAFETY: as the caller guarantees; the name ends in zero; one handle of this frame is written.
        let code = unsafe { (self.cuModuleGetFunction)(&raw mut function, module, name.as_ptr()) };
        checked("cuModuleGetFunction", code).map(|()| function)
    }

    /// # Safety
    /// The function's module is alive.
    pub(in crate::driver) unsafe fn function_attribute(
        &self,
        function: CUfunction,
        attribute: CUfunction_attribute,
    ) -> DriverResult<i32> {
        let mut value = 0;
        // SAFETY: as the caller guarantees; one integer of this frame is written.
        let code = unsafe { (self.cuFuncGetAttribute)(&raw mut value, attribute as u32, function) };
        checked("cuFuncGetAttribute", code).map(|()| value)
    }

    /// # Safety
    /// The function's module is alive.
    pub(in crate::driver) unsafe fn function_set_attribute(
        &self,
        function: CUfunction,
        attribute: CUfunction_attribute,
        value: i32,
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuFuncSetAttribute", unsafe { (self.cuFuncSetAttribute)(function, attribute as u32, value) })
    }

    /// Returns the number of blocks of `threads` threads that a multiprocessor runs at a time.
    ///
    /// # Safety
    /// The function's module is alive.
    pub(in crate::driver) unsafe fn occupancy(
        &self,
        function: CUfunction,
        threads: i32,
        dynamic_shared: usize,
    ) -> DriverResult<i32> {
        let mut blocks = 0;
        // SAFETY: as the caller guarantees; one integer of this frame is written.
        let code = unsafe {
            (self.cuOccupancyMaxActiveBlocksPerMultiprocessor)(&raw mut blocks, function, threads, dynamic_shared)
        };
        checked("cuOccupancyMaxActiveBlocksPerMultiprocessor", code).map(|()| blocks)
    }

    /// Enqueues a launch; the arguments are read before the call returns.
    ///
    /// # Safety
    /// The function's module and the stream are alive. `arguments` has a pointer for each parameter of the function, to
    /// at least as many bytes as the parameter has. With these arguments the kernel accesses only memory that it may
    /// access, for as long as it runs.
    pub(in crate::driver) unsafe fn launch(
        &self,
        function: CUfunction,
        [x, y, z]: [u32; 3],
        [width, height, depth]: [u32; 3],
        dynamic_shared: u32,
        stream: CUstream,
        arguments: &mut [*mut c_void],
    ) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        let code = unsafe {
            (self.cuLaunchKernel)(
                function,
                x,
                y,
                z,
                width,
                height,
                depth,
                dynamic_shared,
                stream,
                arguments.as_mut_ptr(),
                null_mut(),
            )
        };
        checked("cuLaunchKernel", code)
    }
}
