//! The errors of backends.

use crate::{KernelId, Library, MemoryId, MemoryKind};

/// An error of a backend. Names of kernels and bindings are added above, where they are known.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// The device is gone: removed, reset by its driver, or crashed.
    #[error("the device was lost: {reason}")]
    Lost {
        /// The driver's own words.
        reason: String,
    },
    /// An allocation did not fit.
    #[error("out of memory: {requested} bytes of {kind} memory were asked for, {live} bytes are live")]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Kind of memory asked for.
        kind: MemoryKind,
        /// Bytes that the device holds for this program.
        live: u64,
    },
    /// An allocation is above what the device can ever give.
    #[error("{requested} bytes are above this device's limit of {limit} bytes for one buffer")]
    TooLarge {
        /// Bytes asked for.
        requested: u64,
        /// The device's limit.
        limit: u64,
    },
    /// The driver, or the layer above it, refused.
    #[error("{operation} was refused: {message}")]
    Rejected {
        /// The operation.
        operation: &'static str,
        /// The driver's own words.
        message: String,
    },
    /// A kernel could not run to its end. Its results, and those of all work that depends on them,
    /// are not to be used; the device is fine.
    #[error("kernel '{kernel}' was stopped: {reason}")]
    Stopped {
        /// The kernel.
        kernel: String,
        /// Why, where, and what to do.
        reason: String,
    },
    /// An id that was never given out, or was given back.
    #[error("{0:?} does not exist on this device")]
    UnknownMemory(MemoryId),
    /// An id that was never given out, or was given back.
    #[error("{0:?} does not exist on this device")]
    UnknownKernel(KernelId),
    /// A blocking call in a place that cannot block.
    #[error("this place cannot block (a browser): use the async form of the call")]
    CannotBlock,
}

impl BackendError {
    /// A refusal of `operation`, with what was wrong about it.
    #[must_use]
    pub fn rejected(operation: &'static str, message: impl Into<String>) -> Self {
        Self::Rejected { operation, message: message.into() }
    }

    /// The refusal of a library command that the device does not list.
    #[must_use]
    pub fn no_routine(call: &Library) -> Self {
        let message = format!("this device has no library routine for '{call}': ask Caps::library first");
        Self::rejected("submitting", message)
    }

    /// Whether the device is gone for good.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost { .. })
    }
}
