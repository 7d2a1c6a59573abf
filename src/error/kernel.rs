//! Errors of kernels.

use anywarp_backend::{BackendError, Spot};
use anywarp_wgsl::TextError;

use super::{Classified, ErrorClass, choices, class_of};

anywarp_backend::debug_as_display!(KernelError);

/// A kernel could not be created.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The WGSL does not parse or is not valid; the diagnostic shows the line.
    #[error("{file} is not valid WGSL\n{diagnostic}")]
    Invalid {
        /// The file as named by the user.
        file: String,
        /// The source line as the user wrote it, with a description of the problem.
        diagnostic: String,
        /// The location of the problem, if known.
        place: Option<Spot>,
    },
    /// A wrong import, condition or element type.
    #[error("{file} cannot be composed\n{diagnostic}")]
    Compose {
        /// The file with the wrong line.
        file: String,
        /// The number of the wrong line, counted from 1.
        line: u32,
        /// The source line as the user wrote it, with a description of the problem.
        diagnostic: String,
    },
    /// A file cannot be read.
    #[error("{file} cannot be read: {message}")]
    Unreadable {
        /// The path of the file.
        file: String,
        /// The operating system's message.
        message: String,
    },
    /// The WGSL is nested too deeply to be processed.
    #[error(
        "{file}:{line}: {what} are nested {depth} deep, the limit is {limit}: split them with `let` or a function, or use a loop"
    )]
    TooDeep {
        /// The file as named by the user.
        file: String,
        /// The number of the line, counted from 1.
        line: u32,
        /// The nested items: `expressions` or `blocks`.
        what: &'static str,
        /// The depth of the nesting.
        depth: u32,
        /// The greatest depth allowed.
        limit: u32,
    },
    /// A fault in the translation of WGSL, found by an internal check.
    #[error(
        "internal error while translating {file}: {message}; this is a fault of anywarp, not of the kernel: please report \
         the message together with the WGSL"
    )]
    Internal {
        /// The file as named by the user.
        file: String,
        /// The message of the check.
        message: String,
    },
    /// A function that is marked for debug printing but cannot print: see
    /// [`Device::debug_output`](crate::Device::debug_output).
    #[error("{file}:{line}: {message}")]
    DebugFunction {
        /// The file as named by the user.
        file: String,
        /// The number of the line, counted from 1.
        line: u32,
        /// A description of the problem.
        message: String,
    },
    /// The WGSL has no compute entry point.
    #[error("{file} has no compute entry point: it needs a function with @compute @workgroup_size(..){others}")]
    NoEntryPoint {
        /// The file as named by the user.
        file: String,
        /// The entry points of other stages, as the end of the sentence; empty if there are none.
        others: String,
    },
    /// The WGSL has several compute entry points, and none of them was selected.
    #[error("{file} has several compute entry points ({}); select one with `Wgsl::entry`", candidates.join(", "))]
    WhichEntryPoint {
        /// The file as named by the user.
        file: String,
        /// The names of the compute entry points.
        candidates: Vec<String>,
    },
    /// The selected entry point does not exist.
    #[error("{file} has no compute entry point '{name}'; {}", choices(candidates))]
    UnknownEntryPoint {
        /// The file as named by the user.
        file: String,
        /// The name that the caller passed.
        name: String,
        /// The names of the compute entry points.
        candidates: Vec<String>,
    },
    /// A value for an override that the WGSL does not have.
    #[error("kernel '{kernel}' has no override '{name}'; {}", choices(candidates))]
    UnknownOverride {
        /// The name of the kernel.
        kernel: String,
        /// The name that the caller passed.
        name: String,
        /// The names of the kernel's overrides.
        candidates: Vec<String>,
    },
    /// An override without a value, or with an invalid one.
    #[error("kernel '{kernel}': {message}")]
    Override {
        /// The name of the kernel.
        kernel: String,
        /// A description of the problem.
        message: String,
    },
    /// The kernel uses something that compute-only devices do not support.
    #[error("kernel '{kernel}' uses {what}, which anywarp does not support; use buffers, or remove it{}", line(place))]
    Unsupported {
        /// The name of the kernel.
        kernel: String,
        /// The name and the kind of what is not supported, such as a texture.
        what: String,
        /// The location of the problem, if known.
        place: Option<Spot>,
    },
    /// The kernel needs a feature that the device lacks.
    #[error(
        "kernel '{kernel}' needs {feature}, which {device} does not have; avoid it, or choose a device that has it{}{}",
        line(place),
        sentence(others)
    )]
    MissingFeature {
        /// The name of the kernel.
        kernel: String,
        /// The feature's name.
        feature: String,
        /// The name of the device.
        device: String,
        /// The first location that needs the feature, if known.
        place: Option<Spot>,
        /// A sentence on the devices of this machine that have the feature; empty if no other device was queried.
        others: String,
    },
    /// The kernel exceeds a limit of the device.
    #[error("kernel '{kernel}' needs {what} {wanted}; {device} allows {limit}: {remedy}")]
    AboveLimit {
        /// The name of the kernel.
        kernel: String,
        /// The quantity, after the words "the kernel needs".
        what: String,
        /// The amount that the kernel needs.
        wanted: String,
        /// The largest amount that the device allows.
        limit: String,
        /// The name of the device.
        device: String,
        /// A change to the kernel by which it needs less.
        remedy: String,
    },
    /// The backend failed to compile the kernel.
    #[error("compiling kernel '{kernel}' failed on {device}: {error}")]
    Compile {
        /// The name of the kernel.
        kernel: String,
        /// The name of the device.
        device: String,
        /// The error of the backend.
        error: BackendError,
    },
}

impl KernelError {
    /// The file, line and column of the problem, where there is a single location. Lines and columns (in bytes) start
    /// at 1; a column of 0 is unknown.
    ///
    /// ```
    /// use anywarp::Wgsl;
    /// use anywarp::backend::Caps;
    ///
    /// let text = "@compute @workgroup_size(1)\nfn main() { undefined(); }";
    /// let error = Wgsl::new(text).file("a.wgsl").program(&Caps::webgpu_baseline()).unwrap_err();
    /// assert_eq!(error.location(), Some(("a.wgsl", 2, 13)));
    /// ```
    #[must_use]
    pub fn location(&self) -> Option<(&str, u32, u32)> {
        match self {
            Self::Invalid { place, .. } | Self::Unsupported { place, .. } | Self::MissingFeature { place, .. } => {
                place.as_ref().filter(|place| place.line > 0).map(|place| (&*place.file, place.line, place.column))
            }
            Self::TooDeep { file, line, .. }
            | Self::Compose { file, line, .. }
            | Self::DebugFunction { file, line, .. } => Some((file, *line, 0)),
            _ => None,
        }
    }
}

/// Formats further text on a line of its own.
fn sentence(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{text}") }
}

/// Formats a location and the text of its line for the end of a sentence.
fn line(place: &Option<Spot>) -> String {
    place.as_ref().map_or_else(String::new, |at| format!("\n  {}:{}: {}", at.file, at.line, at.text.trim()))
}

impl From<TextError> for KernelError {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Invalid { file, diagnostic, place } => Self::Invalid { file, diagnostic, place },
            TextError::Compose { file, line, diagnostic } => Self::Compose { file, line, diagnostic },
            TextError::Unreadable { file, message } => Self::Unreadable { file, message },
            TextError::TooDeep { file, line, what, depth, limit } => Self::TooDeep { file, line, what, depth, limit },
            TextError::Internal { file, message } => Self::Internal { file, message },
            other => Self::Internal { file: String::new(), message: other.to_string() },
        }
    }
}

impl Classified for KernelError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Compile { error, .. } => class_of(error),
            Self::AboveLimit { .. } | Self::TooDeep { .. } => ErrorClass::Resource,
            _ => ErrorClass::Programmer,
        }
    }
}
