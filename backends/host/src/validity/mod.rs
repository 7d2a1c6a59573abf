//! The check that a recording keeps to the contract and to the rules of WebGPU, which is the same for every backend.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the resources that are checked against; copies and fills |
//! | `region` | ranges of memory |
//! | `dispatch` | kernels, bindings, grids |
//! | `resident` | resident dispatches |
//! | `library` | the vendor's routines |
//!
//! The check has no side effects. A recording that passes the check accesses only existing memory that is not mapped,
//! within the memory's bounds. Encoding the recording therefore cannot fail half-way, and sums of offsets and lengths
//! cannot overflow.

#[cfg(test)]
mod any;
mod dispatch;
mod library;
mod region;
mod resident;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt;

use anywarp_backend::{BackendError, Caps, Command, KernelId, MemoryId, MemoryKind, Recording, Region};

use crate::Signature;
use region::Recent;

/// The properties of a memory that a check depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryState {
    /// The memory's length in bytes, as reserved by the backend.
    pub bytes: u64,
    /// The memory's kind.
    pub kind: MemoryKind,
    /// Whether the memory is mapped, or the mapping is pending.
    pub mapped: bool,
}

/// The memories and kernels that a recording may name.
pub trait Resources {
    /// The memory with this id, if there is one.
    fn memory(&self, id: MemoryId) -> Option<MemoryState>;

    /// The signature of the kernel with this id, if there is one.
    fn kernel(&self, id: KernelId) -> Option<&Signature>;
}

/// Checks every command of a recording.
///
/// # Errors
/// The first violation: [`BackendError::UnknownMemory`], [`BackendError::UnknownKernel`], or
/// [`BackendError::Rejected`] with the command, the memory, and the expected and actual values.
pub fn check(recording: &Recording, caps: &Caps, resources: &impl Resources) -> Result<(), BackendError> {
    let recent = RefCell::default();
    if let Some(control) = recording.resident {
        resident::check(recording, control, caps, resources)?;
    }
    for (index, command) in recording.commands().iter().enumerate() {
        Check { caps, resources, recent: &recent, recording, index, command }.command()?;
    }
    Ok(())
}

/// One command of a recording, with all that its check needs.
struct Check<'a, R> {
    caps: &'a Caps,
    resources: &'a R,
    /// The memories that were looked up last, by the checks of all commands of the recording.
    recent: &'a RefCell<Recent>,
    recording: &'a Recording,
    index: usize,
    command: &'a Command,
}

impl<R: Resources> Check<'_, R> {
    fn command(&self) -> Result<(), BackendError> {
        match self.command {
            Command::Copy { source, target } => self.copy(*source, *target),
            Command::Fill { target, .. } => {
                self.whole_words(*target)?;
                self.region(*target, &[MemoryKind::Device, MemoryKind::Shared])
            }
            Command::Dispatch(dispatch) => self.dispatch(dispatch),
            Command::Library(call) => self.library(call),
        }
    }

    fn copy(&self, source: Region, target: Region) -> Result<(), BackendError> {
        if source.bytes != target.bytes {
            let (from, to) = (source.bytes, target.bytes);
            return self
                .wrong(format_args!("{target} has {to} bytes and {source} has {from}: the lengths must be equal"));
        }
        if source.overlaps(&target) {
            return self.wrong(format_args!("{source} and {target} must not overlap"));
        }
        self.whole_words(source)?;
        self.whole_words(target)?;
        self.region(source, &[MemoryKind::Device, MemoryKind::Upload, MemoryKind::Staging, MemoryKind::Shared])?;
        self.region(target, &[MemoryKind::Device, MemoryKind::Readback, MemoryKind::Shared])
    }

    /// Returns the error that this command has this problem.
    fn wrong<T>(&self, problem: fmt::Arguments<'_>) -> Result<T, BackendError> {
        let message = format!("command {}, {}: {problem}", self.index, Named(self.command));
        Err(BackendError::rejected("submitting", message))
    }
}

/// A command, displayed in the form that errors use.
struct Named<'a>(&'a Command);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Command::Copy { source, target } => write!(f, "a copy from {source} to {target}"),
            Command::Fill { target, .. } => write!(f, "a fill of {target}"),
            Command::Dispatch(dispatch) => write!(f, "a dispatch of {}", dispatch.label),
            Command::Library(call) => write!(f, "a call of '{call}'"),
        }
    }
}
