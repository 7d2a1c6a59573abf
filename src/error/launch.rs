//! Errors of launches.

use anywarp_backend::BackendError;

use super::{BufferError, Classified, ErrorClass, KernelError, class_of, list};

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
    /// A buffer, a stream or a recording of another device.
    #[error("kernel '{kernel}' is of {ours}, {what} of {theirs}: all must be of one device")]
    OtherDevice {
        /// The kernel.
        kernel: String,
        /// `the buffer bound to 'x'`, `the indirect grid`, `the stream` or `the recording`.
        what: String,
        /// The kernel's device.
        ours: String,
        /// The other device.
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

impl Classified for LaunchError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Kernel(error) => error.class(),
            Self::Device { error, .. } => class_of(error),
            Self::InUse { .. } => ErrorClass::Retryable,
            Self::AboveLimit { .. } => ErrorClass::Resource,
            _ => ErrorClass::Programmer,
        }
    }
}
