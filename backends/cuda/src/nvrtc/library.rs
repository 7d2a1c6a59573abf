//! The loaded library: its functions, version and architectures.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

use libloading::Library;

use super::error::{Attempt, NvrtcError};
use super::search::{self, Candidate};
use crate::installed::Variable;

/// NVRTC, loaded once for the process, from where `ANYWARP_NVRTC` says or from the usual places.
///
/// # Errors
/// [`NvrtcError::NotFound`] with every place that was tried and what to install; the same on every
/// later call.
pub fn library() -> Result<&'static Nvrtc, NvrtcError> {
    static LIBRARY: OnceLock<Result<Nvrtc, NvrtcError>> = OnceLock::new();
    LIBRARY.get_or_init(|| Nvrtc::find(&|name| std::env::var_os(name))).as_ref().map_err(Clone::clone)
}

/// NVRTC. All threads may compile at once.
pub struct Nvrtc {
    pub(super) functions: Functions,
    file: String,
    version: (u32, u32),
    architectures: Vec<u32>,
    // Last, so that it goes after everything that points into it.
    _library: Library,
}

impl Nvrtc {
    /// Looks at the places that these variables and the system name.
    pub(super) fn find(variable: Variable<'_>) -> Result<Self, NvrtcError> {
        let mut tried = Vec::new();
        for candidate in search::candidates(variable) {
            let (place, loaded) = match candidate {
                Candidate::Name(name) => (name.to_owned(), Self::load(Path::new(name))),
                Candidate::File(file) => (file.display().to_string(), Self::load(&file)),
                Candidate::Nothing(attempt) => {
                    tried.push(attempt);
                    continue;
                }
            };
            match loaded {
                Ok(nvrtc) => {
                    let (major, minor) = nvrtc.version;
                    log::debug!("NVRTC {major}.{minor} from {place}: {:?}", nvrtc.architectures);
                    return Ok(nvrtc);
                }
                Err(reason) => tried.push(Attempt { place, reason }),
            }
        }
        Err(NvrtcError::NotFound { tried })
    }

    fn load(file: &Path) -> Result<Self, String> {
        preload_builtins(file);
        // SAFETY: the library's initialisers are NVIDIA's and ask nothing of the caller.
        let library = unsafe { Library::new(file) }.map_err(|error| reason(&error))?;
        // SAFETY: the types are those of nvrtc.h, the same since CUDA 11.2; the library outlives the
        // functions because both lie in one `Nvrtc`.
        let functions = unsafe { Functions::of(&library) }?;
        let version = functions.version()?;
        let architectures = functions.architectures()?;
        Ok(Self { functions, file: file.display().to_string(), version, architectures, _library: library })
    }

    /// Its version: (13, 5).
    #[must_use]
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The architectures that it compiles for, ascending: 75 for `sm_75`.
    #[must_use]
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// The file, or the name that the system's loader knew.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }
}

impl std::fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nvrtc").field("file", &self.file).field("version", &self.version).finish_non_exhaustive()
    }
}

/// Windows, and NVRTC before 13.5 everywhere, look for the library's second one in the system's places,
/// not beside itself; one that is loaded already is found.
fn preload_builtins(file: &Path) {
    let Some(folder) = file.parent().filter(|folder| folder.is_absolute()) else { return };
    let prefix = if cfg!(windows) { "nvrtc-builtins64_" } else { "libnvrtc-builtins.so" };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            // SAFETY: as for the library itself, of which it is a part.
            match unsafe { Library::new(entry.path()) } {
                Ok(library) => std::mem::forget(library),
                Err(error) => log::debug!("{}: {}", entry.path().display(), reason(&error)),
            }
        }
    }
}

/// An error with its causes: the outer one alone often says only that loading failed.
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

/// A program inside NVRTC.
pub(super) type Program = *mut c_void;
/// What every function returns: 0 for success.
pub(super) type Code = c_int;

/// NVRTC's own functions, of which each is a field under its name in snake case.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) -> $result:ty,)*) => {
        #[derive(Clone, Copy)]
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Functions {
            /// # Safety
            /// The library is NVRTC, and stays loaded as long as the functions are used.
            unsafe fn of(library: &Library) -> Result<Self, String> {
                $(
                    // SAFETY: the caller says that the symbols are NVRTC's; their types are from nvrtc.h.
                    let $field = *unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> $result>($symbol) }
                        .map_err(|error| format!("it lacks {}: {}", $symbol, reason(&error)))?;
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

impl Functions {
    /// NVRTC's name for a code.
    pub(super) fn name(&self, code: Code) -> String {
        // SAFETY: takes any code.
        let text = unsafe { (self.get_error_string)(code) };
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: not null, so it is one of the library's constant strings.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    fn version(&self) -> Result<(u32, u32), String> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both point to integers of this frame.
        let code = unsafe { (self.get_version)(&raw mut major, &raw mut minor) };
        self.checked("nvrtcVersion", code)?;
        Ok((u32::try_from(major).unwrap_or(0), u32::try_from(minor).unwrap_or(0)))
    }

    fn architectures(&self) -> Result<Vec<u32>, String> {
        let mut count = 0;
        // SAFETY: it points to an integer of this frame.
        self.checked("nvrtcGetNumSupportedArchs", unsafe { (self.get_num_archs)(&raw mut count) })?;
        let mut found = vec![0; usize::try_from(count).unwrap_or(0)];
        if !found.is_empty() {
            // SAFETY: there is room for as many as the library has just said.
            self.checked("nvrtcGetSupportedArchs", unsafe { (self.get_archs)(found.as_mut_ptr()) })?;
        }
        let mut known: Vec<u32> = found.into_iter().filter_map(|architecture| architecture.try_into().ok()).collect();
        known.sort_unstable();
        Ok(known)
    }

    fn checked(&self, function: &str, code: Code) -> Result<(), String> {
        if code == 0 { Ok(()) } else { Err(format!("{function} failed with {}", self.name(code))) }
    }
}
