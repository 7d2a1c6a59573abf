//! Errors of launches.

use anywarp_backend::BackendError;

use super::{BufferError, Classified, ErrorClass, KernelError, choices, class_of, different_devices, list};

anywarp_backend::debug_as_display!(LaunchError);

/// A launch was refused; no part of it has run.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A name or number that matches no binding of the kernel.
    #[error("kernel '{kernel}' has no binding '{key}'; {}", choices(candidates))]
    UnknownBinding {
        /// The name of the kernel.
        kernel: String,
        /// The name that the caller passed.
        key: String,
        /// The names of the kernel's bindings.
        candidates: Vec<String>,
    },
    /// A path to a uniform, immediate, field or element that does not exist.
    #[error("kernel '{kernel}': {reason}")]
    UnknownPath {
        /// The name of the kernel.
        kernel: String,
        /// The path that the caller passed.
        path: String,
        /// The part of the path that does not exist, and the names that exist in its place.
        reason: String,
    },
    /// One binding received two buffers, or a buffer and a value.
    #[error("kernel '{kernel}': '{binding}' is given twice; bind one buffer, or set values, but not both")]
    BoundTwice {
        /// The name of the kernel.
        kernel: String,
        /// The name of the binding.
        binding: String,
    },
    /// Bindings without a buffer, or fields without a value.
    #[error("kernel '{kernel}': no argument for {}; call `bind` for buffers and `set` for values", list(missing))]
    Missing {
        /// The name of the kernel.
        kernel: String,
        /// The bindings, and the fields of uniforms, with their types.
        missing: Vec<String>,
    },
    /// A variable that the kernel writes was bound to a buffer borrowed as `&`.
    #[error("kernel '{kernel}' writes '{binding}'; bind the buffer as `&mut`")]
    NotMutable {
        /// The name of the kernel.
        kernel: String,
        /// The name of the binding.
        binding: String,
    },
    /// An argument whose type does not match that of the WGSL.
    #[error(
        "kernel '{kernel}': the layout of the argument for '{binding}' differs from the WGSL type; change one of the two\n{layouts}"
    )]
    Layout {
        /// The name of the kernel.
        kernel: String,
        /// The name of the binding, or the path of the field.
        binding: String,
        /// The layouts of the argument and of the WGSL type, or the difference in words.
        layouts: String,
    },
    /// A bound buffer or slice whose length does not fit the WGSL type.
    #[error(
        "kernel '{kernel}': the buffer bound to '{binding}' has {got} bytes: {expected}; bind a buffer of a length that fits"
    )]
    Length {
        /// The name of the kernel.
        kernel: String,
        /// The name of the binding.
        binding: String,
        /// The length of the bound buffer or slice in bytes.
        got: u64,
        /// The lengths that fit the WGSL type, in words.
        expected: String,
    },
    /// A slice whose start does not meet the device's alignment for bindings.
    #[error(
        "kernel '{kernel}': '{binding}' starts at byte {offset}, but this device binds at multiples of {alignment} bytes; \
         choose another start, or copy the slice into a buffer of its own"
    )]
    Offset {
        /// The name of the kernel.
        kernel: String,
        /// The name of the binding.
        binding: String,
        /// The byte at which the slice starts.
        offset: u64,
        /// The alignment that the device requires, in bytes.
        alignment: u64,
    },
    /// A binding, grid or value that exceeds a limit of the device.
    #[error("kernel '{kernel}': {what} is {wanted}, {device} allows {limit}; use less, or another device")]
    AboveLimit {
        /// The name of the kernel.
        kernel: String,
        /// The quantity that exceeds the limit.
        what: String,
        /// The requested amount.
        wanted: u64,
        /// The largest amount that the device allows.
        limit: u64,
        /// The name of the device.
        device: String,
    },
    /// A grid with a dimension below 0. A dimension of 0 is no error: the launch does nothing.
    #[error("kernel '{kernel}': dimension {axis} of the grid is {got}; use 0 or more")]
    NegativeGrid {
        /// The name of the kernel.
        kernel: String,
        /// The dimension, counted from 0.
        axis: usize,
        /// The requested size of the dimension.
        got: i32,
    },
    /// A grid of 2^32 or more workgroups, or of 2^32 or more threads in one dimension.
    #[error("kernel '{kernel}': the grid {grid:?} has more than 2^32 - 1 {unit}; split the work into several launches")]
    HugeGrid {
        /// The name of the kernel.
        kernel: String,
        /// The requested grid, in workgroups or threads.
        grid: Vec<u64>,
        /// The unit of the limit: `workgroups` or `threads in one dimension`.
        unit: &'static str,
    },
    /// Two bindings share memory in a way the device does not allow.
    #[error("kernel '{kernel}': '{first}' and '{second}' {problem}")]
    Conflict {
        /// The name of the kernel.
        kernel: String,
        /// The name of one binding.
        first: String,
        /// The name of the other binding, or a description of the indirect grid.
        second: String,
        /// The problem with the shared memory.
        problem: &'static str,
    },
    /// A guard of a bound buffer exists.
    #[error("kernel '{kernel}': the buffer bound to '{binding}' is in use by a {guard}; drop the guard first")]
    InUse {
        /// The name of the kernel.
        kernel: String,
        /// The name of the binding.
        binding: String,
        /// The type of the guard, such as `ReadGuard`.
        guard: &'static str,
    },
    /// A buffer, stream or recording that belongs to another device.
    #[error("kernel '{kernel}' belongs to {ours}, {what} to {theirs}: {}", different_devices(ours, theirs))]
    OtherDevice {
        /// The name of the kernel.
        kernel: String,
        /// The object that belongs to another device: `the buffer bound to 'x'`, `the indirect grid`, `the stream` or
        /// `the recording`.
        what: String,
        /// The selection string of the kernel's device.
        ours: String,
        /// The selection string of the device that this object belongs to.
        theirs: String,
    },
    /// An invalid slice was bound.
    #[error("kernel '{kernel}', binding '{binding}': {error}")]
    Slice {
        /// The name of the kernel.
        kernel: String,
        /// The name of the binding, `indirect grid` or `count of threads`.
        binding: String,
        /// The problem with the slice.
        error: BufferError,
    },
    /// The variant of the kernel that the launch needs could not be compiled.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The backend reported an error.
    #[error("kernel '{kernel}' on {device}: {error}")]
    Device {
        /// The name of the kernel.
        kernel: String,
        /// The name of the device.
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
