//! Errors of buffers.

use anywarp_backend::BackendError;

use super::{Classified, ErrorClass, class_of};

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
    /// A buffer, a stream or a recording of another device.
    #[error("{operation} on {ours}: {what} is of {theirs}: all must be of one device")]
    OtherDevice {
        /// `copying`, `filling`, `recording`.
        operation: &'static str,
        /// `the source`, `the stream` or `the recording`.
        what: String,
        /// The device of the buffer that would be written, or of the recording.
        ours: String,
        /// The other device.
        theirs: String,
    },
    /// A guard of the buffer is alive.
    #[error("the buffer is in use: drop its {guard} first")]
    InUse {
        /// `ReadGuard`, `WriteGuard`, `UpdateGuard`, or `Lent` of [interop](crate::interop).
        guard: &'static str,
    },
    /// A buffer that other code created, and not for this: see [interop](crate::interop).
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

impl Classified for BufferError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Device { error, .. } => class_of(error),
            Self::InUse { .. } => ErrorClass::Retryable,
            _ => ErrorClass::Programmer,
        }
    }
}
