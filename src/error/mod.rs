//! Errors: one enum per operation, each of which converts into [`Error`].
//!
//! Higher modules (operators, loaders, interop) have errors of their own. These errors convert into [`Error::Part`]
//! through [`Classified`], so this module does not name them.

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

/// A result whose error is [`Error`] unless another type is given.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error that anywarp returns.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No device could be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A buffer could not be allocated, read, written or copied.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A kernel could not be created.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A launch was refused.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A submission or a wait failed.
    #[error(transparent)]
    Device(#[from] BackendError),
    /// An operator, a loader or an exchange with another library failed: see [`Error::downcast_ref`].
    #[error(transparent)]
    Part(PartError),
}

/// The recommended reaction to an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// A later attempt may succeed, for example when a guard was dropped or memory was freed.
    Retryable,
    /// A limit is exceeded, such as the greatest size of a buffer: the program must use less.
    Resource,
    /// The call, the kernel or the choice of device is wrong.
    Programmer,
    /// The device is lost. [`Device::reopen`](crate::Device::reopen) opens a new one.
    Fatal,
}

/// An error with an [`ErrorClass`]. Errors with this trait convert into [`Error`].
pub trait Classified: StdError + Send + Sync + 'static {
    /// The recommended reaction to the error.
    fn class(&self) -> ErrorClass;
}

/// The error of an operator, a loader or an exchange with another library, which are built on buffers and kernels.
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
    /// Wraps the error of a module that is built on buffers and kernels, such as an operator.
    pub(crate) fn part(error: impl Classified) -> Self {
        Self::Part(PartError(Arc::new(error)))
    }

    /// The recommended reaction to the error.
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

    /// The error as its own type `E`: one of the types in the variants of this enum, or the error of a part of the
    /// library, such as `OperationError`, `InteropError` or `LoaderError`.
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

/// The reason why objects of two devices, or of two handles on one device, were refused, with the remedy.
pub(crate) fn different_devices(ours: &str, theirs: &str) -> String {
    let why = match ours == theirs {
        true => {
            "the device was opened twice, and objects of two handles cannot be combined; open it once and clone the `Device`"
        }
        false => "objects of two devices cannot be combined; create all of them with one `Device` and its clones",
    };
    format!("{why}, or use the handle of a buffer (`buffer.device()`)")
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Formats the existing names, with the remedy for a name that does not exist.
fn choices(names: &[String]) -> String {
    if names.is_empty() {
        "the kernel has none; remove this argument".to_owned()
    } else {
        format!("it has {}; use one of these", list(names))
    }
}
