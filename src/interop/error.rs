//! Errors of interop.

use anywarp_backend::{BackendError, BackendKind};

use crate::error::{BufferError, Classified, Error, ErrorClass, class_of};

anywarp_backend::debug_as_display!(InteropError);

/// A device or a buffer could not be shared with another library. No state has changed.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum InteropError {
    /// The device runs on another backend.
    #[error("{device} runs on {backend}, not on {wanted}; open a device with {}", selectors(wanted))]
    OtherBackend {
        /// The backend that the operation needs: `wgpu` or `CUDA`.
        wanted: &'static str,
        /// The device's name.
        device: String,
        /// The backend of the device.
        backend: BackendKind,
    },
    /// A buffer that another device created.
    #[error(
        "the wgpu buffer does not belong to the wgpu device of {device}, or is being mapped; unmap it, or create the \
         anywarp device with `interop::wgpu::device` from the wgpu device that created the buffer"
    )]
    OtherDevice {
        /// The name of the device that the caller passed.
        device: String,
    },
    /// A buffer that the host has mapped.
    #[error("the wgpu buffer is mapped; call `unmap` on it first")]
    Mapped,
    /// A buffer whose size is not a whole number of elements.
    #[error("a wgpu buffer of {bytes} bytes is not a whole number of elements {element} of {size} bytes{}", granule(*bytes))]
    Size {
        /// The size of the buffer in bytes.
        bytes: u64,
        /// The name of the element type.
        element: &'static str,
        /// The size of one element in bytes.
        size: usize,
    },
    /// A buffer without any usage that anywarp needs.
    #[error("the wgpu buffer has none of the usages {}; create it with at least one of them", list(wanted))]
    Usages {
        /// The usages of which the buffer needs at least one, by their names in wgpu.
        wanted: Vec<&'static str>,
    },
    /// The buffer is in use, or could not be prepared.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The backend reported an error.
    #[error("sharing with {device} failed: {error}")]
    Device {
        /// The device's name.
        device: String,
        /// The error of the backend.
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
