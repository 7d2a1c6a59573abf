//! Errors: one enum per operation, folded into [`Error`].

use anywarp_backend::{BackendError, Spot};
use anywarp_wgsl::TextError;

use crate::device::OpenError;
use crate::handover::HandoverError;
use crate::ops::{MatmulError, OperationError};

/// A result whose error is [`Error`] unless told otherwise.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Anything that anywarp can refuse.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No device could be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A buffer could not be made, read, written or copied.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A kernel could not be made.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A launch was refused.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A matrix product was refused.
    #[error(transparent)]
    Matmul(#[from] MatmulError),
    /// An elementwise operation or a reduction was refused.
    #[error(transparent)]
    Operation(#[from] OperationError),
    /// A device or a buffer could not be handed over.
    #[error(transparent)]
    Handover(#[from] HandoverError),
    /// A loader could not be made, or a batch could not be loaded.
    #[cfg(not(target_arch = "wasm32"))]
    #[error(transparent)]
    Loader(#[from] crate::loader::LoaderError),
    /// Submitting or waiting failed.
    #[error(transparent)]
    Device(#[from] BackendError),
}

/// What can be done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// Trying again may succeed.
    Retryable,
    /// Something ran out: memory, or the size of a limit. Use less of it.
    Resource,
    /// The call, the kernel or the choice of device is wrong.
    Programmer,
    /// The device is gone. [`Device::reopen`](crate::Device::reopen) gives a new one.
    Fatal,
}

impl Error {
    /// What can be done about it.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Open(_) => ErrorClass::Programmer,
            Self::Buffer(error) => match error {
                BufferError::Device { error, .. } => class_of(error),
                BufferError::InUse { .. } => ErrorClass::Retryable,
                _ => ErrorClass::Programmer,
            },
            Self::Kernel(error) | Self::Launch(LaunchError::Kernel(error)) => match error {
                KernelError::Compile { error, .. } => class_of(error),
                KernelError::AboveLimit { .. } | KernelError::TooDeep { .. } => ErrorClass::Resource,
                _ => ErrorClass::Programmer,
            },
            Self::Launch(error) => match error {
                LaunchError::Device { error, .. } => class_of(error),
                LaunchError::InUse { .. } => ErrorClass::Retryable,
                LaunchError::AboveLimit { .. } => ErrorClass::Resource,
                _ => ErrorClass::Programmer,
            },
            Self::Matmul(error) => match error {
                MatmulError::Launch(error) => Self::Launch(error.clone()).class(),
                MatmulError::Device { error, .. } => class_of(error),
                MatmulError::InUse { .. } => ErrorClass::Retryable,
                MatmulError::TooLarge { .. } => ErrorClass::Resource,
                _ => ErrorClass::Programmer,
            },
            Self::Operation(error) => match error {
                OperationError::Kernel(error) => Self::Kernel(error.clone()).class(),
                OperationError::Launch(error) => Self::Launch(error.clone()).class(),
                OperationError::Buffer { error, .. } => Self::Buffer(error.clone()).class(),
                OperationError::TooLarge { .. } => ErrorClass::Resource,
                _ => ErrorClass::Programmer,
            },
            Self::Handover(error) => match error {
                HandoverError::Buffer(error) => Self::Buffer(error.clone()).class(),
                HandoverError::Device { error, .. } => class_of(error),
                _ => ErrorClass::Programmer,
            },
            #[cfg(not(target_arch = "wasm32"))]
            Self::Loader(error) => error.class(),
            Self::Device(error) => class_of(error),
        }
    }
}

fn class_of(error: &BackendError) -> ErrorClass {
    match error {
        BackendError::Lost { .. } => ErrorClass::Fatal,
        BackendError::OutOfMemory { .. } => ErrorClass::Retryable,
        BackendError::TooLarge { .. } => ErrorClass::Resource,
        _ => ErrorClass::Programmer,
    }
}

/// A buffer could not be made, read, written or copied.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BufferError {
    /// The device refused.
    #[error("{operation} a buffer of {bytes} bytes ({live} bytes of buffers are live on {device}): {error}")]
    Device {
        /// `allocating`, `reading`, `writing`, `copying`, `filling`.
        operation: &'static str,
        /// The device's name.
        device: String,
        /// The buffer's size.
        bytes: u64,
        /// What all buffers of the device amount to.
        live: u64,
        /// What the backend said.
        error: BackendError,
    },
    /// A slice that is not within its buffer.
    #[error("the slice {start}..{end} is outside of a buffer of {length} elements")]
    OutOfRange {
        /// First element.
        start: usize,
        /// One past the last element.
        end: usize,
        /// The buffer's length.
        length: usize,
    },
    /// A slice whose ends the device cannot address.
    #[error(
        "the slice starts at byte {start} and ends at byte {end} of its buffer: transfers begin and end at multiples \
         of 4 bytes (or at the buffer's end); choose the elements accordingly"
    )]
    Misaligned {
        /// First byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
    /// Source and target differ in length.
    #[error("{got} elements cannot be copied into {expected}: the lengths must agree")]
    LengthMismatch {
        /// The target's length.
        expected: usize,
        /// The source's length.
        got: usize,
    },
    /// Two buffers of different devices.
    #[error("the buffers belong to different devices, {ours} and {theirs}: read the one and write the other")]
    OtherDevice {
        /// The target's device.
        ours: String,
        /// The source's device.
        theirs: String,
    },
    /// A guard of the buffer is alive.
    #[error("the buffer is in use: drop its {guard} first")]
    InUse {
        /// `ReadGuard`, `WriteGuard`, `UpdateGuard`, or `Lent` of a [hand-over](crate::handover).
        guard: &'static str,
    },
    /// A buffer of somebody else's, who did not create it for this: see [hand-over](crate::handover).
    #[error("the buffer cannot {what}: create it with wgpu::BufferUsages::{missing}, too")]
    Usage {
        /// What was to be done with it.
        what: &'static str,
        /// The usage that it lacks.
        missing: &'static str,
    },
    /// The element type's alignment is above what mapped memory guarantees.
    #[error("{element} wants its memory aligned to {align} bytes, which this device's mapped memory is not")]
    Alignment {
        /// The element type.
        element: &'static str,
        /// Its alignment.
        align: usize,
    },
    /// A buffer larger than the address space.
    #[error("{length} elements of {size} bytes are more than can be addressed")]
    TooLong {
        /// Elements asked for.
        length: usize,
        /// Size of each.
        size: usize,
    },
}

/// A kernel could not be made.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The WGSL does not parse or is not valid; the text shows the line.
    #[error("{file} is not valid WGSL\n{diagnostic}")]
    Invalid {
        /// The file as named by the user.
        file: String,
        /// The line as the user wrote it, and what is wrong with it.
        diagnostic: String,
        /// Where, if known.
        place: Option<Spot>,
    },
    /// An import, a condition or an element type that cannot be.
    #[error("{file} cannot be composed\n{diagnostic}")]
    Compose {
        /// The file in which it is.
        file: String,
        /// The line.
        line: u32,
        /// The line as the user wrote it, and what is wrong with it.
        diagnostic: String,
    },
    /// A file cannot be read.
    #[error("{file} cannot be read: {message}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        message: String,
    },
    /// The WGSL nests deeper than anything that reads it can follow.
    #[error(
        "{file}:{line}: {what} are nested {depth} deep, the limit is {limit}: give parts of it names, or use a loop"
    )]
    TooDeep {
        /// The file as named by the user.
        file: String,
        /// The line.
        line: u32,
        /// What nests.
        what: &'static str,
        /// How deep.
        depth: u32,
        /// How deep it may.
        limit: u32,
    },
    /// A mistake in what translates WGSL, found by a check of its own.
    #[error(
        "the translator failed on {file}: {message}; this is no fault of the kernel: please report it with its text"
    )]
    Internal {
        /// The file as named by the user.
        file: String,
        /// What the check said.
        message: String,
    },
    /// A function is marked for debug printing and cannot print: see
    /// [`Device::debug_output`](crate::Device::debug_output).
    #[error("{file}:{line}: {message}")]
    DebugFunction {
        /// The file as named by the user.
        file: String,
        /// The line.
        line: u32,
        /// What is wrong.
        message: String,
    },
    /// No compute entry point at all.
    #[error("{file} has no compute entry point: it needs a function with @compute @workgroup_size(..){others}")]
    NoEntryPoint {
        /// The file as named by the user.
        file: String,
        /// Entry points of other stages, said in words.
        others: String,
    },
    /// Several compute entry points, and none was named.
    #[error("{file} has several compute entry points ({}): name one with Wgsl::entry", candidates.join(", "))]
    WhichEntryPoint {
        /// The file as named by the user.
        file: String,
        /// Their names.
        candidates: Vec<String>,
    },
    /// The entry point that was named does not exist.
    #[error("{file} has no compute entry point '{name}'; it has {}", list(candidates))]
    UnknownEntryPoint {
        /// The file as named by the user.
        file: String,
        /// What was asked for.
        name: String,
        /// What there is.
        candidates: Vec<String>,
    },
    /// A constant that is no override of the WGSL.
    #[error("kernel '{kernel}': there is no override '{name}'; it has {}", list(candidates))]
    UnknownOverride {
        /// The kernel.
        kernel: String,
        /// What was set.
        name: String,
        /// What there is.
        candidates: Vec<String>,
    },
    /// An override without a value, or with one that does not fit.
    #[error("kernel '{kernel}': {message}")]
    Override {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        message: String,
    },
    /// The kernel uses something that compute-only devices do not offer.
    #[error("kernel '{kernel}' uses {what}, which anywarp does not run{}", line(place))]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// A texture, a sampler, ...
        what: String,
        /// Where, if known.
        place: Option<Spot>,
    },
    /// The kernel needs a feature that the device lacks.
    #[error("kernel '{kernel}' needs {feature}, which {device} does not have{}{}", line(place), sentence(others))]
    MissingFeature {
        /// The kernel.
        kernel: String,
        /// The feature's name.
        feature: String,
        /// The device.
        device: String,
        /// The first place that needs it, if known.
        place: Option<Spot>,
        /// Which devices of this machine have it; empty if none was asked.
        others: String,
    },
    /// The kernel needs more of something than the device has.
    #[error("kernel '{kernel}' needs {what} {wanted}; {device} allows {limit}")]
    AboveLimit {
        /// The kernel.
        kernel: String,
        /// What there is too much of.
        what: String,
        /// How much the kernel wants.
        wanted: String,
        /// How much the device allows.
        limit: String,
        /// The device.
        device: String,
    },
    /// The backend could not compile it.
    #[error("kernel '{kernel}' could not be compiled for {device}: {error}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// What the backend said.
        error: BackendError,
    },
}

impl KernelError {
    /// File, line and column of what is wrong, where one place can be named. Lines and columns (in
    /// bytes) start at 1; a column of 0 is not known.
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

/// More to say, on a line of its own.
fn sentence(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{text}") }
}

/// A place and its line's text, for the end of a sentence.
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

/// A launch was refused; nothing of it has run.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A name that is none of the kernel's.
    #[error("kernel '{kernel}' has no binding '{key}'; it has {}", list(candidates))]
    UnknownBinding {
        /// The kernel.
        kernel: String,
        /// What was named.
        key: String,
        /// What there is.
        candidates: Vec<String>,
    },
    /// A path that leads nowhere in a uniform or immediate.
    #[error("kernel '{kernel}': '{path}' leads to nothing: {reason}")]
    UnknownPath {
        /// The kernel.
        kernel: String,
        /// The path.
        path: String,
        /// Where it goes wrong.
        reason: String,
    },
    /// One binding was given two buffers, or a buffer and a value.
    #[error("kernel '{kernel}': '{binding}' is bound twice")]
    BoundTwice {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
    },
    /// Something is not bound or not set.
    #[error("kernel '{kernel}': nothing is bound to {}", list(missing))]
    Missing {
        /// The kernel.
        kernel: String,
        /// Bindings, and fields of uniforms, with their types.
        missing: Vec<String>,
    },
    /// A binding that the kernel writes was given a shared borrow.
    #[error("kernel '{kernel}' writes '{binding}': bind it with &mut")]
    NotMutable {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
    },
    /// Types that do not fit.
    #[error("kernel '{kernel}': '{binding}' does not fit\n{layouts}")]
    Layout {
        /// The kernel.
        kernel: String,
        /// The binding or field.
        binding: String,
        /// Both layouts.
        layouts: String,
    },
    /// A length that does not fit.
    #[error("kernel '{kernel}': '{binding}' got {got} bytes: {expected}")]
    Length {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// Bytes bound.
        got: u64,
        /// What would fit.
        expected: String,
    },
    /// A slice that starts where the device cannot bind.
    #[error(
        "kernel '{kernel}': '{binding}' starts at byte {offset}; this device binds at multiples of {alignment}: \
         choose another start or copy the slice into a buffer of its own"
    )]
    Offset {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// Where the slice starts.
        offset: u64,
        /// The device's alignment.
        alignment: u64,
    },
    /// A binding, grid or value above the device's limit.
    #[error("kernel '{kernel}': {what} is {wanted}; {device} allows {limit}")]
    AboveLimit {
        /// The kernel.
        kernel: String,
        /// What there is too much of.
        what: String,
        /// How much was asked for.
        wanted: u64,
        /// How much the device allows.
        limit: u64,
        /// The device.
        device: String,
    },
    /// A grid with nothing in it.
    #[error("kernel '{kernel}': the grid {grid:?} is empty: every dimension must be at least 1")]
    EmptyGrid {
        /// The kernel.
        kernel: String,
        /// What was asked for.
        grid: Vec<u64>,
    },
    /// A grid beyond 2^32 workgroups or threads in one dimension.
    #[error("kernel '{kernel}': the grid {grid:?} has more than 2^32 - 1 {unit}: split the work over several launches")]
    HugeGrid {
        /// The kernel.
        kernel: String,
        /// What was asked for.
        grid: Vec<u64>,
        /// `workgroups` or `threads in one dimension`.
        unit: &'static str,
    },
    /// Two bindings share memory in a way the device does not allow.
    #[error("kernel '{kernel}': '{first}' and '{second}' {problem}")]
    Conflict {
        /// The kernel.
        kernel: String,
        /// One binding.
        first: String,
        /// The other.
        second: String,
        /// What is wrong with that.
        problem: &'static str,
    },
    /// A guard of a bound buffer is alive.
    #[error("kernel '{kernel}': the buffer bound to '{binding}' is in use: drop its {guard} first")]
    InUse {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// The guard.
        guard: &'static str,
    },
    /// A buffer of another device.
    #[error("kernel '{kernel}' is of {ours}, the buffer bound to '{binding}' of {theirs}")]
    OtherDevice {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// The kernel's device.
        ours: String,
        /// The buffer's device.
        theirs: String,
    },
    /// A bad slice was bound.
    #[error("kernel '{kernel}', binding '{binding}': {error}")]
    Slice {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// What is wrong with it.
        error: BufferError,
    },
    /// The variant of the kernel that the launch needs could not be made.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The device refused.
    #[error("kernel '{kernel}' on {device}: {error}")]
    Device {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// What the backend said.
        error: BackendError,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
