//! NVRTC's functions as one table, and the loaded library.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

/// The loaded library.
pub(super) struct Loaded {
    pub(super) functions: Functions,
    // The library is the last field, so that it is dropped after all fields that point into it.
    _library: Library,
}

impl Loaded {
    /// Loads a file, or a name for the system's loader.
    pub(super) fn open(file: &Path) -> Result<Self, String> {
        preload_builtins(file);
        // SAFETY: the library's initialisers are NVIDIA's and have no requirements.
        let library = unsafe { Library::new(file) }.map_err(|error| reason(&error))?;
        // SAFETY: the types are those of nvrtc.h, unchanged since CUDA 11.2; the library outlives the functions because
        // both are in one value, which lends the functions only by reference.
        let functions = unsafe { Functions::of(&library) }?;
        Ok(Self { functions, _library: library })
    }
}

/// Loads NVRTC's library of built-in functions. Windows, and NVRTC before 13.5 on every system, search for that library
/// in the system's locations, not in NVRTC's own folder; a library that is loaded already is found.
fn preload_builtins(file: &Path) {
    let Some(folder) = file.parent().filter(|folder| folder.is_absolute()) else { return };
    let prefix = if cfg!(windows) { "nvrtc-builtins64_" } else { "libnvrtc-builtins.so" };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            // SAFETY: the library is a part of NVRTC, whose initialisers have no requirements.
            match unsafe { Library::new(entry.path()) } {
                Ok(library) => std::mem::forget(library),
                Err(error) => log::debug!("{}: {}", entry.path().display(), reason(&error)),
            }
        }
    }
}

/// Returns the text of an error with its causes: the outer error alone often only states that loading failed.
fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let inner = error.to_string();
        if !text.contains(&inner) {
            text = format!("{text}: {inner}");
        }
        cause = error.source();
    }
    text
}

/// A handle of a program inside NVRTC.
pub(super) type Program = *mut c_void;
/// The result of every function: 0 for success.
pub(super) type Code = c_int;

/// Declares the functions as fields, each under its name in snake case.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) -> $result:ty,)*) => {
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Functions {
            /// Looks up all functions.
            ///
            /// # Safety
            /// The library is NVRTC, and stays loaded as long as the functions are used.
            unsafe fn of(library: &Library) -> Result<Self, String> {
                $(
                    // SAFETY: the caller guarantees that the symbols are NVRTC's; their types are from nvrtc.h.
                    let $field = *unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> $result>($symbol) }
                        .map_err(|error| format!("the library lacks {}: {}", $symbol, reason(&error)))?;
                )*
                Ok(Self { $($field,)* })
            }
        }
    };
}

functions! {
    get_error_string = "nvrtcGetErrorString": fn(Code) -> *const c_char,
    get_version = "nvrtcVersion": fn(*mut c_int, *mut c_int) -> Code,
    get_num_archs = "nvrtcGetNumSupportedArchs": fn(*mut c_int) -> Code,
    get_archs = "nvrtcGetSupportedArchs": fn(*mut c_int) -> Code,
    create = "nvrtcCreateProgram":
        fn(*mut Program, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char) -> Code,
    destroy = "nvrtcDestroyProgram": fn(*mut Program) -> Code,
    compile = "nvrtcCompileProgram": fn(Program, c_int, *const *const c_char) -> Code,
    ptx_size = "nvrtcGetPTXSize": fn(Program, *mut usize) -> Code,
    ptx = "nvrtcGetPTX": fn(Program, *mut c_char) -> Code,
    cubin_size = "nvrtcGetCUBINSize": fn(Program, *mut usize) -> Code,
    cubin = "nvrtcGetCUBIN": fn(Program, *mut c_char) -> Code,
    log_size = "nvrtcGetProgramLogSize": fn(Program, *mut usize) -> Code,
    log = "nvrtcGetProgramLog": fn(Program, *mut c_char) -> Code,
}
