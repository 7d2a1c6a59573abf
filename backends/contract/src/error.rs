//! The errors of backends.

use crate::{KernelId, Library, MemoryId, MemoryKind};

crate::debug_as_display!(BackendError);

/// An error of a backend. The layers above add the names of kernels and bindings.
#[derive(Clone, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// The device is gone: removed, reset by its driver, or crashed.
    #[error("the device was lost: {reason}")]
    Lost {
        /// The reason: the message of the driver, or that of the backend.
        reason: String,
    },
    /// There is not enough free memory for an allocation.
    #[error(
        "out of memory: {requested} bytes of {kind} memory were requested while {live} bytes were live: \
         free buffers, or use smaller ones"
    )]
    OutOfMemory {
        /// The requested size in bytes.
        requested: u64,
        /// The requested kind of memory.
        kind: MemoryKind,
        /// The total size in bytes of the memory that this program had allocated on the device.
        live: u64,
    },
    /// An allocation is larger than the device allows for a single one.
    #[error("a buffer of {requested} bytes is above this device's limit of {limit} bytes: use several buffers")]
    TooLarge {
        /// The requested size in bytes.
        requested: u64,
        /// The size in bytes of the largest allocation that the device allows.
        limit: u64,
    },
    /// The backend refused the operation, or the driver returned an error.
    #[error("{operation} failed: {message}")]
    Rejected {
        /// The operation that failed, for example `allocating`.
        operation: &'static str,
        /// The reason: the message of the driver, or that of the backend.
        message: String,
    },
    /// A kernel did not run to its end. Its results, and those of all work that depends on them, must not be used; the
    /// device stays usable.
    #[error("kernel '{kernel}' was stopped: {reason}")]
    Stopped {
        /// The name of the kernel.
        kernel: String,
        /// The reason, the position in the source and the remedy.
        reason: String,
    },
    /// The id of a memory that never existed, or that was freed.
    #[error("{0:?} does not exist on this device: it was freed, or belongs to another device")]
    UnknownMemory(MemoryId),
    /// The id of a kernel that never existed, or that was discarded.
    #[error("{0:?} does not exist on this device: it was discarded, or belongs to another device")]
    UnknownKernel(KernelId),
    /// A blocking call on a thread that cannot block, as in a browser.
    #[error("blocking is not possible on this thread; use the `_async` method")]
    CannotBlock,
}

impl BackendError {
    /// Returns the error [`Rejected`](Self::Rejected) for `operation`, with the reason as its message.
    #[must_use]
    pub fn rejected(operation: &'static str, message: impl Into<String>) -> Self {
        Self::Rejected { operation, message: message.into() }
    }

    /// Returns the error for a library call whose routine is not in the device's
    /// [`Caps::library`](crate::Caps::library).
    #[must_use]
    pub fn no_routine(call: &Library) -> Self {
        let message =
            format!("this device has no library routine for '{call}': `Caps::library` lists those that it has");
        Self::rejected("submitting", message)
    }

    /// Returns the error for exchange memory on a device without [`Caps::persistent`](crate::Caps::persistent).
    #[must_use]
    pub fn no_exchange() -> Self {
        let message = "this device has no resident kernels, so it has no exchange memory: `Caps::persistent` says so";
        Self::rejected("allocating", message)
    }

    /// Returns the error for memory of the kind [`Inbox`](crate::MemoryKind::Inbox) that a device does not have.
    #[must_use]
    pub fn no_inbox(reason: &str) -> Self {
        Self::rejected("allocating", format!("the host can write no memory of this device: {reason}"))
    }

    /// Whether the device is lost for good.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost { .. })
    }
}
