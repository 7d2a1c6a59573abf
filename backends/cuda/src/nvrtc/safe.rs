//! A program inside NVRTC, destroyed when the value is dropped. The `SAFETY` comments below rely on one fact: the
//! program's handle is created once and stored in a private field. NVRTC may be called from any thread.

use std::ffi::CStr;

use super::compile::Output;
use super::result::Outcome;
use super::sys::{self, Functions};

/// A program of NVRTC.
pub(super) struct Program<'a> {
    functions: &'a Functions,
    handle: sys::Program,
}

impl<'a> Program<'a> {
    /// Creates a program from a text.
    pub(super) fn create(functions: &'a Functions, text: &CStr, name: &CStr) -> Outcome<Self> {
        Ok(Self { functions, handle: functions.create(text, name)? })
    }

    /// Compiles the program.
    pub(super) fn compile(&mut self, options: &[&CStr]) -> Outcome<()> {
        // SAFETY: the program is alive.
        unsafe { self.functions.compile(self.handle, options) }
    }

    /// Returns NVRTC's messages about the compilation; empty if NVRTC returns none.
    pub(super) fn log(&self) -> String {
        // SAFETY: the program is alive.
        let mut bytes = unsafe { self.functions.log(self.handle) }.unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    /// Returns the compiled image.
    pub(super) fn image(&self, output: Output) -> Outcome<Vec<u8>> {
        match output {
            // SAFETY: the program is alive.
            Output::Cubin => unsafe { self.functions.cubin(self.handle) },
            // SAFETY: as above.
            Output::Ptx => unsafe { self.functions.ptx(self.handle) },
        }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was created once and is destroyed once.
        if let Err(failed) = unsafe { self.functions.destroy(self.handle) } {
            log::debug!("{} failed with {}", failed.function, self.functions.name(failed.code));
        }
    }
}
