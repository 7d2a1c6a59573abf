//! Why something could not be handed over.

use anywarp_backend::BackendError;

use crate::error::{BufferError, Classified, Error, ErrorClass, class_of};

/// A device or a buffer could not be handed over. Nothing has changed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InteropError {
    /// The device is none of this kind.
    #[error("{device} is on '{backend}', not on {wanted}: open a device with {}", selectors(wanted))]
    OtherBackend {
        /// `wgpu` or `CUDA`.
        wanted: &'static str,
        /// The device's name.
        device: String,
        /// Its backend.
        backend: &'static str,
    },
    /// A buffer that another device made.
    #[error(
        "the wgpu buffer was not made by the wgpu device of {device} (or a mapping of it is on its way): make the \
         anywarp device from the wgpu device that made the buffer, with interop::wgpu::device"
    )]
    OtherDevice {
        /// The device that was to have it.
        device: String,
    },
    /// A buffer that the host has mapped.
    #[error("the wgpu buffer is mapped: unmap it first")]
    Mapped,
    /// A buffer that does not hold whole elements.
    #[error("a wgpu buffer of {bytes} bytes does not hold whole {element}s of {size} bytes{}", granule(*bytes))]
    Size {
        /// The buffer's size.
        bytes: u64,
        /// The element type.
        element: &'static str,
        /// Its size.
        size: usize,
    },
    /// A buffer that nothing could be done with.
    #[error("the wgpu buffer has none of the usages {}: create it with those that you need", list(wanted))]
    Usages {
        /// Those that would be of use, by their names in wgpu.
        wanted: Vec<&'static str>,
    },
    /// The buffer is in use, or could not be made ready.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device refused.
    #[error("{device}: {error}")]
    Device {
        /// The device's name.
        device: String,
        /// What the backend said.
        error: BackendError,
    },
}

impl Classified for InteropError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Buffer(error) => error.class(),
            Self::Device { error, .. } => class_of(error),
            _ => ErrorClass::Programmer,
        }
    }
}

impl From<InteropError> for Error {
    fn from(error: InteropError) -> Self {
        Self::part(error)
    }
}

fn selectors(wanted: &str) -> &'static str {
    if wanted == "CUDA" { "'cuda'" } else { "'vulkan', 'metal', 'dx12' or 'webgpu'" }
}

fn granule(bytes: u64) -> &'static str {
    if bytes.is_multiple_of(4) && bytes > 0 { "" } else { "; devices copy and bind multiples of 4 bytes, at least 4" }
}

fn list(names: &[&str]) -> String {
    names.join(", ")
}
