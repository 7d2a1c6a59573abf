//! Errors of buffers.

use anywarp_backend::BackendError;

use super::{Classified, ErrorClass, class_of, different_devices};

anywarp_backend::debug_as_display!(BufferError);

/// A buffer could not be allocated, read, written or copied.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum BufferError {
    /// The backend reported an error.
    #[error(
        "{operation} a buffer of {bytes} bytes failed on {device} ({live} bytes of buffers are allocated): {error}"
    )]
    Device {
        /// The operation that failed: `allocating`, `reading`, `writing`, `copying`, `filling` or `lending`.
        operation: &'static str,
        /// The name of the device.
        device: String,
        /// The size of the buffer in bytes.
        bytes: u64,
        /// The size of all live buffers of the device in bytes.
        live: u64,
        /// The error of the backend.
        error: BackendError,
    },
    /// A slice that exceeds its buffer.
    #[error(
        "the slice {start}..{end} is out of range for a buffer of {length} elements; choose a start and an end within \
         the buffer"
    )]
    OutOfRange {
        /// The index of the first element.
        start: usize,
        /// The index after that of the last element.
        end: usize,
        /// The number of elements of the buffer.
        length: usize,
    },
    /// A slice whose start or end the device cannot address.
    #[error(
        "the slice starts at byte {start} and ends at byte {end} of its buffer, but transfers begin and end at multiples \
         of 4 bytes, or at the end of the buffer; choose another start or end"
    )]
    Misaligned {
        /// The start of the slice, in bytes from the start of the buffer.
        start: u64,
        /// The end of the slice, in bytes from the start of the buffer.
        end: u64,
    },
    /// Source and target differ in length.
    #[error("the source has {got} elements, the target has {expected}; copy slices of equal length")]
    LengthMismatch {
        /// The number of elements of the target.
        expected: usize,
        /// The number of elements of the source.
        got: usize,
    },
    /// A buffer, stream or recording that belongs to another device.
    #[error("{operation} on {ours}: {what} belongs to {theirs}: {}", different_devices(ours, theirs))]
    OtherDevice {
        /// The refused operation: `copying`, `filling` or `recording`.
        operation: &'static str,
        /// The object that belongs to another device: `the source`, `the stream` or `the recording`.
        what: String,
        /// The selection string of the device of the buffer that would be written, or of the recording.
        ours: String,
        /// The selection string of the device that this object belongs to.
        theirs: String,
    },
    /// A guard of the buffer exists.
    #[error("the buffer is in use by a {guard}; drop the guard first")]
    InUse {
        /// The type of the guard: `ReadGuard`, `WriteGuard`, `UpdateGuard`, or `Lent` of the module `interop`.
        guard: &'static str,
    },
    /// A wgpu buffer that was created without a required usage: see the module `interop`.
    #[error("the buffer cannot {what}; create it with `wgpu::BufferUsages::{missing}` as well")]
    Usage {
        /// The refused operation, after the words "the buffer cannot".
        what: &'static str,
        /// The name of the missing usage.
        missing: &'static str,
    },
    /// The element type's alignment exceeds that of mapped memory.
    #[error(
        "{element} needs memory aligned to {align} bytes, which this device does not guarantee; use elements of a smaller alignment"
    )]
    Alignment {
        /// The name of the element type.
        element: &'static str,
        /// The alignment of the element type, in bytes.
        align: usize,
    },
    /// A buffer larger than the address space.
    #[error("{length} elements of {size} bytes together exceed the address space; use a smaller buffer")]
    TooLong {
        /// The requested number of elements.
        length: usize,
        /// The size of one element in bytes.
        size: usize,
    },
}

impl Classified for BufferError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Device { error, .. } => class_of(error),
            Self::InUse { .. } => ErrorClass::Retryable,
            _ => ErrorClass::Programmer,
        }
    }
}
