//! The functions of OpenCL, from its loader, where that is installed: nothing of OpenCL is needed to build.

use std::ffi::{c_char, c_void};
use std::ptr;

use libloading::Library;

use crate::shared::Outcome;

/// A platform, a device, or an object of OpenCL.
pub(super) type Handle = *mut c_void;

/// The name of the loader.
const LOADER: &str = if cfg!(windows) {
    "OpenCL.dll"
} else if cfg!(target_os = "macos") {
    "/System/Library/Frameworks/OpenCL.framework/OpenCL"
} else {
    "libOpenCL.so.1"
};

/// Declares [`Functions`] with a field for each symbol, and its loading.
macro_rules! functions {
    ($($field:ident = $symbol:literal: ($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions that are used, with the types of the specification.
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "system" fn($($argument),*) -> $result,)*
        }

        impl Functions {
            /// Loads the functions. The library stays, because its threads run until the process ends.
            ///
            /// # Errors
            ///
            /// There is no loader of OpenCL, or it lacks a function.
            pub(super) fn load() -> Outcome<&'static Self> {
                // SAFETY: the initialisers of a loader of OpenCL have no requirements.
                let library = Box::leak(Box::new(unsafe { Library::new(LOADER) }?));
                Ok(Box::leak(Box::new(Self {
                    // SAFETY: the types are those of the specification.
                    $($field: *unsafe { library.get($symbol) }?,)*
                })))
            }
        }
    };
}

functions! {
    platforms = c"clGetPlatformIDs": (u32, *mut Handle, *mut u32) -> i32;
    platform_info = c"clGetPlatformInfo": (Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    devices = c"clGetDeviceIDs": (Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    context = c"clCreateContext": (*const isize, u32, *const Handle, *const c_void, *mut c_void, *mut i32) -> Handle;
    queue = c"clCreateCommandQueue": (Handle, Handle, u64, *mut i32) -> Handle;
    buffer = c"clCreateBuffer": (Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    program = c"clCreateProgramWithSource": (Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    build = c"clBuildProgram": (Handle, u32, *const Handle, *const c_char, *const c_void, *mut c_void) -> i32;
    build_info = c"clGetProgramBuildInfo": (Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    kernel = c"clCreateKernel": (Handle, *const c_char, *mut i32) -> Handle;
    argument = c"clSetKernelArg": (Handle, u32, usize, *const c_void) -> i32;
    launch = c"clEnqueueNDRangeKernel":
        (Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> i32;
    fill = c"clEnqueueFillBuffer":
        (Handle, Handle, *const c_void, usize, usize, usize, u32, *const Handle, *mut Handle) -> i32;
    copy = c"clEnqueueCopyBuffer":
        (Handle, Handle, Handle, usize, usize, usize, u32, *const Handle, *mut Handle) -> i32;
    read = c"clEnqueueReadBuffer":
        (Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> i32;
    write = c"clEnqueueWriteBuffer":
        (Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle, *mut Handle) -> i32;
    finish = c"clFinish": (Handle) -> i32;
    release_context = c"clReleaseContext": (Handle) -> i32;
    release_queue = c"clReleaseCommandQueue": (Handle) -> i32;
    release_buffer = c"clReleaseMemObject": (Handle) -> i32;
    release_program = c"clReleaseProgram": (Handle) -> i32;
    release_kernel = c"clReleaseKernel": (Handle) -> i32;
}

/// An object that is released with its owner.
pub(super) struct Object {
    handle: Handle,
    release: unsafe extern "system" fn(Handle) -> i32,
}

impl Object {
    /// Takes the handle that `create` returns.
    ///
    /// # Safety
    ///
    /// `create` returns a new object, of the kind that `release` releases, or writes an error.
    pub(super) unsafe fn new(
        what: &str,
        release: unsafe extern "system" fn(Handle) -> i32,
        create: impl FnOnce(*mut i32) -> Handle,
    ) -> Outcome<Self> {
        let mut status = 0;
        let handle = create(&raw mut status);
        checked(what, status)?;
        Ok(Self { handle, release })
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle
    }

    /// The address of the handle, as a kernel takes it for an argument.
    pub(super) fn address(&self) -> *const c_void {
        (&raw const self.handle).cast()
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the object is of this kind, and its only owner ends here.
        unsafe { (self.release)(self.handle) };
    }
}

/// The error for a status that is not zero.
pub(super) fn checked(what: &str, status: i32) -> Outcome<()> {
    if status == 0 { Ok(()) } else { Err(format!("OpenCL: {what}: error {status}").into()) }
}

/// The handles that a function lists, which is called for their number first.
pub(super) fn listed(what: &str, list: impl Fn(u32, *mut Handle, *mut u32) -> i32) -> Outcome<Vec<Handle>> {
    let mut count = 0;
    checked(what, list(0, ptr::null_mut(), &raw mut count))?;
    let mut handles = vec![ptr::null_mut(); count as usize];
    checked(what, list(count, handles.as_mut_ptr(), ptr::null_mut()))?;
    Ok(handles)
}

/// The text that a function writes, which is called for its length first.
pub(super) fn text(what: &str, write: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Outcome<String> {
    let mut length = 0;
    checked(what, write(0, ptr::null_mut(), &raw mut length))?;
    let mut bytes = vec![0u8; length];
    checked(what, write(length, bytes.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
}
