//! Errors of launches.

use anywarp_backend::BackendError;

use super::{BufferError, Classified, ErrorClass, KernelError, apart, class_of, list};

anywarp_backend::debug_as_display!(LaunchError);

/// A launch was refused; nothing of it has run.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A name or number that no binding of the kernel has.
    #[error("kernel '{kernel}' has no binding '{key}'; it has {}: name one of its own", list(candidates))]
    UnknownBinding {
        /// The kernel.
        kernel: String,
        /// The name given.
        key: String,
        /// The names that exist.
        candidates: Vec<String>,
    },
    /// A path to a uniform, an immediate, a field or an element that does not exist.
    #[error("kernel '{kernel}': {reason}")]
    UnknownPath {
        /// The kernel.
        kernel: String,
        /// The path.
        path: String,
        /// The part that does not exist, and the names that do.
        reason: String,
    },
    /// One binding was given two buffers, or a buffer and a value.
    #[error("kernel '{kernel}': '{binding}' is given twice: bind one buffer, or set values, but not both")]
    BoundTwice {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
    },
    /// Bindings without a buffer, or fields without a value.
    #[error("kernel '{kernel}': no argument for {}: call `bind` for buffers and `set` for values", list(missing))]
    Missing {
        /// The kernel.
        kernel: String,
        /// Bindings, and fields of uniforms, with their types.
        missing: Vec<String>,
    },
    /// A binding that the kernel writes was given a shared borrow.
    #[error("kernel '{kernel}' writes '{binding}': bind the buffer as `&mut`")]
    NotMutable {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
    },
    /// Types that do not fit.
    #[error(
        "kernel '{kernel}': the layout of the argument for '{binding}' differs from the WGSL type: change one of the two\n{layouts}"
    )]
    Layout {
        /// The kernel.
        kernel: String,
        /// The binding or field.
        binding: String,
        /// Both layouts.
        layouts: String,
    },
    /// A length that does not fit.
    #[error(
        "kernel '{kernel}': the buffer bound to '{binding}' has {got} bytes: {expected}: bind one of a length that fits"
    )]
    Length {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// Bytes bound.
        got: u64,
        /// The lengths that fit.
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
    #[error("kernel '{kernel}': {what} is {wanted}; {device} allows {limit}: use less of it, or another device")]
    AboveLimit {
        /// The kernel.
        kernel: String,
        /// The quantity that is too large.
        what: String,
        /// How much was asked for.
        wanted: u64,
        /// How much the device allows.
        limit: u64,
        /// The device.
        device: String,
    },
    /// A grid with a dimension below 0. One of 0 is no error: the launch does nothing.
    #[error("kernel '{kernel}': dimension {axis} of the grid is {got}: a grid has 0 or more of each")]
    NegativeGrid {
        /// The kernel.
        kernel: String,
        /// The dimension, counted from 0.
        axis: usize,
        /// The size that was given.
        got: i32,
    },
    /// A grid beyond 2^32 workgroups or threads in one dimension.
    #[error("kernel '{kernel}': the grid {grid:?} has more than 2^32 - 1 {unit}: split the work over several launches")]
    HugeGrid {
        /// The kernel.
        kernel: String,
        /// The grid given.
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
        /// The problem with that.
        problem: &'static str,
    },
    /// A guard of a bound buffer is alive.
    #[error("kernel '{kernel}': the buffer bound to '{binding}' is in use by a {guard}: drop that first")]
    InUse {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// The guard.
        guard: &'static str,
    },
    /// A buffer, a stream or a recording of another device.
    #[error("kernel '{kernel}' is of {ours}, {what} of {theirs}: {}", apart(ours, theirs))]
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
        /// The problem with it.
        error: BufferError,
    },
    /// The variant of the kernel that the launch needs could not be made.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The backend failed.
    #[error("kernel '{kernel}' on {device}: {error}")]
    Device {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// The error of the backend.
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
