//! Errors of NVRTC, with what to do about them.

use std::fmt;

anywarp_backend::debug_as_display!(NvrtcError);

/// A location where NVRTC was searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// A file, a folder, or a name passed to the system's loader.
    pub place: String,
    /// The reason why the library there is not used.
    pub reason: String,
}

/// A line of the WGSL or, where the generated text names none, of that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the kernel's author named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The error for a missing NVRTC or a failed compilation.
#[derive(Clone, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NvrtcError {
    /// No location has a usable library.
    #[error(
        "NVRTC, CUDA's compiler, was not found: {}install it with `pip install nvidia-cuda-nvrtc` and set ANYWARP_NVRTC \
         to the folder that holds {}, or install the CUDA toolkit",
        listed(tried),
        LIBRARY
    )]
    NotFound {
        /// Every location, in order.
        tried: Vec<Attempt>,
    },
    /// NVRTC does not find its library of built-in functions.
    #[error(
        "{file} cannot compile because it does not find its library of built-in functions, which must have the \
         same version and be in the same folder ({BUILTINS}): install NVRTC as a whole, with \
         `pip install nvidia-cuda-nvrtc` or the CUDA toolkit, and point ANYWARP_NVRTC to its folder; NVRTC says: {log}"
    )]
    Builtins {
        /// The library that was loaded.
        file: String,
        /// NVRTC's messages.
        log: String,
    },
    /// The GPU is older than the architectures that this NVRTC compiles for.
    #[error(
        "NVRTC {}.{} compiles for sm_{oldest} and newer, but the GPU is sm_{architecture}: {}", version.0, version.1,
        remedy(*architecture)
    )]
    TooOld {
        /// The GPU's architecture: 61 for `sm_61`.
        architecture: u32,
        /// The oldest architecture that this NVRTC supports; 0 if NVRTC supports none.
        oldest: u32,
        /// NVRTC's version.
        version: (u32, u32),
    },
    /// NVRTC reports errors in the text.
    #[error(
        "NVRTC {}.{} refused the CUDA C++ of kernel '{kernel}' for {architecture}{}: {message}\n{log}",
        version.0, version.1,
        place.as_ref().map_or_else(String::new, |place| format!(" at {place}"))
    )]
    Compilation {
        /// The name of the kernel: file and entry point.
        kernel: String,
        /// The architecture for which the kernel was compiled: `sm_90`, `compute_90`.
        architecture: String,
        /// NVRTC's version.
        version: (u32, u32),
        /// The position of the first error.
        place: Option<Place>,
        /// The text of the first error.
        message: String,
        /// All messages of NVRTC.
        log: String,
    },
    /// A string that contains a zero byte, which C cannot represent.
    #[error("{what} of kernel '{kernel}' contains a zero byte, which NVRTC cannot accept: remove it")]
    ZeroByte {
        /// The kernel's name.
        kernel: String,
        /// The string that contains the zero byte.
        what: &'static str,
    },
    /// An error of NVRTC that no other variant describes.
    #[error("{function} failed with {code}{}", if log.is_empty() { String::new() } else { format!(": {log}") })]
    Call {
        /// NVRTC's function.
        function: &'static str,
        /// NVRTC's name for the error.
        code: String,
        /// NVRTC's messages; may be empty.
        log: String,
    },
}

const LIBRARY: &str = if cfg!(windows) { "nvrtc64_*.dll" } else { "libnvrtc.so.*" };
const BUILTINS: &str = if cfg!(windows) { "nvrtc-builtins64_*.dll" } else { "libnvrtc-builtins.so.*" };

fn listed(tried: &[Attempt]) -> String {
    let mut text = String::from("tried\n");
    for Attempt { place, reason } in tried {
        text.push_str(&format!("  {place}: {reason}\n"));
    }
    text
}

/// Returns the advice which NVRTC to install for an old GPU. CUDA 11 was the last version for `sm_35` and `sm_37`, CUDA
/// 12 the last one for `sm_50` to `sm_72`.
fn remedy(architecture: u32) -> &'static str {
    match architecture {
        50.. => "install NVRTC 12 (`pip install nvidia-cuda-nvrtc-cu12`) and point ANYWARP_NVRTC to its folder",
        35..50 => "install NVRTC 11 (`pip install nvidia-cuda-nvrtc-cu11`) and point ANYWARP_NVRTC to its folder",
        _ => "no supported NVRTC compiles for this GPU",
    }
}
