//! Each function of NVRTC as a method that returns a `Result`; unsafe where a program handle must be valid.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{null, null_mut};

use super::sys::{Code, Functions, Program};

/// An NVRTC function that failed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed {
    pub(super) function: &'static str,
    pub(super) code: Code,
}

/// The result of an NVRTC function.
pub(super) type Outcome<T> = Result<T, Failed>;

fn checked(function: &'static str, code: Code) -> Outcome<()> {
    if code == 0 { Ok(()) } else { Err(Failed { function, code }) }
}

impl Functions {
    /// Returns NVRTC's name for a code.
    pub(super) fn name(&self, code: Code) -> String {
        // SAFETY: the function accepts any code.
        let text = unsafe { (self.get_error_string)(code) };
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: not null, so it is one of the library's constant strings.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// Returns the version: (13, 5).
    pub(super) fn version(&self) -> Result<(u32, u32), String> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to integers of this frame.
        self.named(checked("nvrtcVersion", unsafe { (self.get_version)(&raw mut major, &raw mut minor) }))?;
        Ok((u32::try_from(major).unwrap_or(0), u32::try_from(minor).unwrap_or(0)))
    }

    /// Returns the supported architectures, ascending.
    pub(super) fn architectures(&self) -> Result<Vec<u32>, String> {
        let mut count = 0;
        // SAFETY: the pointer is to an integer of this frame.
        self.named(checked("nvrtcGetNumSupportedArchs", unsafe { (self.get_num_archs)(&raw mut count) }))?;
        let mut found = vec![0; usize::try_from(count).unwrap_or(0)];
        if !found.is_empty() {
            // SAFETY: `found` has space for the number of architectures that the library has just returned.
            self.named(checked("nvrtcGetSupportedArchs", unsafe { (self.get_archs)(found.as_mut_ptr()) }))?;
        }
        let mut known: Vec<u32> = found.into_iter().filter_map(|architecture| architecture.try_into().ok()).collect();
        known.sort_unstable();
        Ok(known)
    }

    fn named(&self, outcome: Outcome<()>) -> Result<(), String> {
        outcome.map_err(|failed| format!("{} failed with {}", failed.function, self.name(failed.code)))
    }

    /// Creates a program from a text without headers.
    pub(super) fn create(&self, text: &CStr, name: &CStr) -> Outcome<Program> {
        let mut program = null_mut();
        // SAFETY: both texts end with a zero byte and live until the call returns; there are no headers.
        let code = unsafe { (self.create)(&raw mut program, text.as_ptr(), name.as_ptr(), 0, null(), null()) };
        checked("nvrtcCreateProgram", code).map(|()| program)
    }

    /// # Safety
    /// The program is alive.
    pub(super) unsafe fn compile(&self, program: Program, options: &[&CStr]) -> Outcome<()> {
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
        // SAFETY: the program is alive as the caller guarantees; `pointers` has `count` zero-terminated strings.
        checked("nvrtcCompileProgram", unsafe { (self.compile)(program, count, pointers.as_ptr()) })
    }

    /// # Safety
    /// The program is alive.
    pub(super) unsafe fn log(&self, program: Program) -> Outcome<Vec<u8>> {
        // SAFETY: as the caller guarantees.
        unsafe { bytes(program, ("nvrtcGetProgramLogSize", self.log_size), ("nvrtcGetProgramLog", self.log)) }
    }

    /// # Safety
    /// The program is alive.
    pub(super) unsafe fn cubin(&self, program: Program) -> Outcome<Vec<u8>> {
        // SAFETY: as the caller guarantees.
        unsafe { bytes(program, ("nvrtcGetCUBINSize", self.cubin_size), ("nvrtcGetCUBIN", self.cubin)) }
    }

    /// # Safety
    /// The program is alive.
    pub(super) unsafe fn ptx(&self, program: Program) -> Outcome<Vec<u8>> {
        // SAFETY: as the caller guarantees.
        unsafe { bytes(program, ("nvrtcGetPTXSize", self.ptx_size), ("nvrtcGetPTX", self.ptx)) }
    }

    /// # Safety
    /// The program is alive, and not used after this.
    pub(super) unsafe fn destroy(&self, mut program: Program) -> Outcome<()> {
        // SAFETY: as the caller guarantees; the pointer is to a handle of this frame.
        checked("nvrtcDestroyProgram", unsafe { (self.destroy)(&raw mut program) })
    }
}

/// Returns the bytes from a pair of functions, the first of which returns their number.
///
/// # Safety
/// The program is alive, and the functions are such a pair of NVRTC, with types as in nvrtc.h.
unsafe fn bytes(
    program: Program,
    (size_name, size): (&'static str, unsafe extern "C" fn(Program, *mut usize) -> Code),
    (name, fill): (&'static str, unsafe extern "C" fn(Program, *mut c_char) -> Code),
) -> Outcome<Vec<u8>> {
    let mut length = 0usize;
    // SAFETY: as the caller guarantees; the size is written to this frame.
    checked(size_name, unsafe { size(program, &raw mut length) })?;
    let mut bytes = vec![0u8; length];
    if length > 0 {
        // SAFETY: as the caller guarantees; `bytes` has space for the size that NVRTC has just returned.
        checked(name, unsafe { fill(program, bytes.as_mut_ptr().cast()) })?;
    }
    Ok(bytes)
}
