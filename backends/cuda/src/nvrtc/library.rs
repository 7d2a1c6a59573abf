//! The NVRTC library: how it is found, its version and its architectures.

use std::path::Path;
use std::sync::OnceLock;

use super::error::{Attempt, NvrtcError};
use super::search::{self, Candidate};
use super::sys::{Functions, Loaded};
use crate::installed::Variable;

/// Returns NVRTC, loaded once for the process, from `ANYWARP_NVRTC` or the usual locations.
///
/// # Errors
/// [`NvrtcError::NotFound`] with every location that was tried and what to install; every later call returns the same
/// error.
pub fn library() -> Result<&'static Nvrtc, NvrtcError> {
    static LIBRARY: OnceLock<Result<Nvrtc, NvrtcError>> = OnceLock::new();
    LIBRARY.get_or_init(|| Nvrtc::find(&anywarp_host::environment::raw)).as_ref().map_err(Clone::clone)
}

/// A loaded NVRTC library. Several threads may compile at the same time.
pub struct Nvrtc {
    loaded: Loaded,
    file: String,
    version: (u32, u32),
    architectures: Vec<u32>,
}

impl Nvrtc {
    /// Loads the first usable library from the locations that the environment variables and the system name.
    pub(super) fn find(variable: Variable<'_>) -> Result<Self, NvrtcError> {
        let mut tried = Vec::new();
        for candidate in search::candidates(variable) {
            let (place, loaded) = match candidate {
                Candidate::Name(name) => (name.to_owned(), Self::load(Path::new(name))),
                Candidate::File(file) => (file.display().to_string(), Self::load(&file)),
                Candidate::Nothing(attempt) => {
                    tried.push(attempt);
                    continue;
                }
            };
            match loaded {
                Ok(nvrtc) => {
                    let (major, minor) = nvrtc.version;
                    log::debug!("NVRTC {major}.{minor} from {place}: {:?}", nvrtc.architectures);
                    return Ok(nvrtc);
                }
                Err(reason) => tried.push(Attempt { place, reason }),
            }
        }
        Err(NvrtcError::NotFound { tried })
    }

    fn load(file: &Path) -> Result<Self, String> {
        let loaded = Loaded::open(file)?;
        let version = loaded.functions.version()?;
        let architectures = loaded.functions.architectures()?;
        Ok(Self { loaded, file: file.display().to_string(), version, architectures })
    }

    pub(super) fn functions(&self) -> &Functions {
        &self.loaded.functions
    }

    /// Returns the library's version: (13, 5).
    #[must_use]
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Returns the architectures that NVRTC compiles for, ascending: 75 for `sm_75`.
    #[must_use]
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// Returns the library's file, or the name that was passed to the system's loader.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }
}

impl std::fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nvrtc").field("file", &self.file).field("version", &self.version).finish_non_exhaustive()
    }
}
