//! Errors: one enum per operation, folded into [`Error`].
//!
//! Parts that stand on these (operators, loaders, interop) have errors of their own; they fold into
//! [`Error::Part`] by [`Classified`], so that nothing here names them.

mod buffer;
mod kernel;
mod launch;
mod open;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use anywarp_backend::BackendError;

pub use buffer::BufferError;
pub use kernel::KernelError;
pub use launch::LaunchError;
pub use open::{OpenError, Rejection};

anywarp_backend::debug_as_display!(Error, PartError);

/// A result whose error is [`Error`] unless another is named.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error that anywarp returns.
#[derive(Clone, thiserror::Error)]
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
    /// Submitting or waiting failed.
    #[error(transparent)]
    Device(#[from] BackendError),
    /// An operator, a loader or an exchange with other libraries failed: see [`Error::downcast_ref`].
    #[error(transparent)]
    Part(PartError),
}

/// The kind of answer that an error needs.
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

/// An error with a class: the errors that convert into [`Error`].
pub trait Classified: StdError + Send + Sync + 'static {
    /// The kind of answer that the error needs.
    fn class(&self) -> ErrorClass;
}

/// The error of a part of anywarp that stands on buffers and kernels.
#[derive(Clone)]
pub struct PartError(Arc<dyn Classified>);

impl PartError {
    fn as_error(&self) -> &(dyn StdError + 'static) {
        &*self.0
    }
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl StdError for PartError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl Error {
    /// The error of a part that stands on buffers and kernels.
    pub(crate) fn part(error: impl Classified) -> Self {
        Self::Part(PartError(Arc::new(error)))
    }

    /// The kind of answer that the error needs.
    ///
    /// ```
    /// use anywarp::{Device, Error, ErrorClass};
    ///
    /// let error = Error::from(Device::open("no such device").unwrap_err());
    /// assert_eq!(error.class(), ErrorClass::Programmer);
    /// ```
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Open(error) => error.class(),
            Self::Buffer(error) => error.class(),
            Self::Kernel(error) => error.class(),
            Self::Launch(error) => error.class(),
            Self::Device(error) => class_of(error),
            Self::Part(error) => error.0.class(),
        }
    }

    /// The error as the type that it was made of: that of the part of the library which reports it, such as
    /// `OperationError`, `InteropError` or `LoaderError`, or one of those with a variant of their own.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::{BufferError, Error};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let error = Error::from(device.buffer::<f32>(usize::MAX).map(|_| ()).unwrap_err());
    /// assert!(error.downcast_ref::<BufferError>().is_some());
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        let error: &(dyn StdError + 'static) = match self {
            Self::Open(error) => error,
            Self::Buffer(error) => error,
            Self::Kernel(error) => error,
            Self::Launch(error) => error,
            Self::Device(error) => error,
            Self::Part(error) => error.as_error(),
        };
        error.downcast_ref()
    }
}

/// The class of an error of a backend.
pub(crate) fn class_of(error: &BackendError) -> ErrorClass {
    match error {
        BackendError::Lost { .. } => ErrorClass::Fatal,
        BackendError::OutOfMemory { .. } => ErrorClass::Retryable,
        BackendError::TooLarge { .. } => ErrorClass::Resource,
        _ => ErrorClass::Programmer,
    }
}

/// Why things of two devices, or of two handles on one, were refused, and what to do.
pub(crate) fn apart(ours: &str, theirs: &str) -> String {
    let why = match ours == theirs {
        true => "it was opened twice, and what two handles make does not mix: open it once and clone the `Device`",
        false => "what two devices make does not mix: make all of it by one `Device` and its clones",
    };
    format!("{why}, or take the handle of a buffer (`buffer.device()`)")
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
