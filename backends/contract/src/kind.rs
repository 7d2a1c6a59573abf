//! The names of the backends.

use std::fmt;
use std::str::FromStr;

crate::debug_as_display!(UnknownBackend);

/// The interface through which a device is used: the first part of a selection string.
///
/// ```
/// use anywarp_backend::BackendKind;
///
/// assert_eq!("Vulkan".parse(), Ok(BackendKind::Vulkan));
/// assert_eq!(BackendKind::Dx12.to_string(), "dx12");
/// assert!("opengl".parse::<BackendKind>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BackendKind {
    /// Vulkan, through wgpu.
    Vulkan,
    /// Metal, through wgpu.
    Metal,
    /// Direct3D 12, through wgpu.
    Dx12,
    /// WebGPU of a browser.
    WebGpu,
    /// NVIDIA's driver, without wgpu.
    Cuda,
    /// The host's processor.
    Cpu,
    /// No hardware: a backend for tests.
    Null,
}

impl BackendKind {
    /// Every backend.
    pub const ALL: &'static [Self] =
        &[Self::Vulkan, Self::Metal, Self::Dx12, Self::WebGpu, Self::Cuda, Self::Cpu, Self::Null];

    /// The name in selection strings and listings, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Dx12 => "dx12",
            Self::WebGpu => "webgpu",
            Self::Cuda => "cuda",
            Self::Cpu => "cpu",
            Self::Null => "null",
        }
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for BackendKind {
    type Err = UnknownBackend;

    /// Finds a backend by its name, in lower or upper case.
    fn from_str(text: &str) -> Result<Self, UnknownBackend> {
        let found = Self::ALL.iter().find(|kind| kind.name().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| UnknownBackend(text.to_owned()))
    }
}

/// The error for a name that no backend has.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("no backend is called '{0}': use one of {names}", names = names())]
pub struct UnknownBackend(String);

fn names() -> String {
    BackendKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_to_what_they_name() {
        for kind in BackendKind::ALL {
            assert_eq!(kind.name().parse(), Ok(*kind));
            assert_eq!(kind.name().to_uppercase().parse(), Ok(*kind));
        }
        let error = "opengl".parse::<BackendKind>().unwrap_err().to_string();
        assert!(error.starts_with("no backend is called 'opengl': use one of vulkan, metal, "), "{error}");
        assert_eq!(format!("{:>6}|", BackendKind::Cpu), "   cpu|");
    }
}
