//! The memory that kernels print into, and the kernels whose records it may hold.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Backend, BackendError, MemoryId, MemoryKind, Region};

use super::output::DebugOutput;
use super::record::Signature;
use crate::environment;

/// The default size of the memory in bytes, enough for 30 000 calls with three words of arguments.
const DEFAULT_BYTES: u64 = 1 << 20;
/// The greatest number of lines of output that the host keeps until they are requested: twice as many as a full memory
/// of the default size contains.
const MAX_KEPT: usize = 1 << 16;
/// The minimum size of the memory in bytes, enough for a few records of the greatest length.
const MIN_BYTES: u64 = 1 << 10;

/// One call of a debug function in the text of a kernel.
#[derive(Debug)]
pub(crate) struct Site {
    /// The file of the call.
    pub(crate) file: Arc<str>,
    /// The line of the call, counted from 1.
    pub(crate) line: u32,
    /// The index of the debug function in [`Sites::functions`].
    pub(crate) function: usize,
}

/// The calls of debug functions in one kernel, numbered from `first`.
#[derive(Debug)]
pub(crate) struct Sites {
    pub(crate) first: u32,
    pub(crate) kernel: Arc<str>,
    pub(crate) sites: Vec<Site>,
    pub(crate) functions: Vec<Signature>,
}

/// The calls of all kernels that may have printed, by their first number.
pub(super) type Printers = BTreeMap<u32, Arc<Sites>>;

#[derive(Default)]
struct State {
    memory: Option<MemoryId>,
    printers: Printers,
}

/// The memory that the kernels of one device print into.
pub(crate) struct DebugMemory {
    backend: Arc<dyn Backend>,
    bytes: u64,
    next_site: AtomicU32,
    /// Output that was fetched for the log and not taken yet.
    kept: Mutex<DebugOutput>,
    state: Mutex<State>,
}

impl DebugMemory {
    /// Allocates no memory yet, as most programs print nothing.
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        let limit = backend.caps().limits.storage_binding_size;
        let bytes = bytes(environment::debug_bytes(), limit);
        Self { backend, bytes, next_site: AtomicU32::new(1), kept: Mutex::default(), state: Mutex::default() }
    }

    /// Reserves `count` numbers for sites and returns the first.
    pub(crate) fn number(&self, count: u32) -> u32 {
        self.next_site.fetch_add(count, Ordering::Relaxed)
    }

    /// Registers the sites of a kernel, before it is launched.
    pub(crate) fn register(&self, sites: &Arc<Sites>) {
        self.state().printers.insert(sites.first, Arc::clone(sites));
    }

    /// Returns the memory, which the first call allocates.
    pub(crate) fn region(&self) -> Result<Region, BackendError> {
        let mut state = self.state();
        let memory = match state.memory {
            Some(memory) => memory,
            None => self.backend.allocate(self.bytes, MemoryKind::Device, "anywarp debug output")?,
        };
        state.memory = Some(memory);
        Ok(Region { memory, offset: 0, bytes: self.bytes })
    }

    /// Returns the memory, if any kernel that prints was ever launched.
    pub(super) fn used(&self) -> Option<Region> {
        self.state().memory.map(|memory| Region { memory, offset: 0, bytes: self.bytes })
    }

    /// Keeps fetched output until it is taken: the first lines, and the number of lines beyond [`MAX_KEPT`].
    pub(super) fn keep(&self, output: DebugOutput) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_KEPT.saturating_sub(kept.lines.len());
        kept.dropped += output.dropped + output.lines.len().saturating_sub(room) as u64;
        kept.lines.extend(output.lines.into_iter().take(room));
    }

    /// Takes all kept output, followed by `later`.
    pub(super) fn take_kept(&self, later: DebugOutput) -> DebugOutput {
        let mut all = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        all.lines.extend(later.lines);
        all.dropped += later.dropped;
        all
    }

    /// Returns all kernels that may have printed. Called with the timeline locked while the output is fetched, so
    /// kernels that no longer exist can be removed afterwards.
    pub(super) fn take_printers(&self) -> Printers {
        let mut state = self.state();
        let taken = state.printers.clone();
        // One reference is in `printers` and one in `taken`; without further ones the kernel cannot be launched again.
        state.printers.retain(|_, sites| Arc::strong_count(sites) > 2);
        taken
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DebugMemory {
    fn drop(&mut self) {
        if let Some(memory) = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).memory {
            self.backend.free(memory);
        }
    }
}

/// The size of the debug memory in bytes: `variable`, the value of the environment variable, or the default, but at
/// most `limit`, the size of the largest binding.
fn bytes(variable: Option<u64>, limit: u64) -> u64 {
    let wanted = variable.unwrap_or(DEFAULT_BYTES);
    // The kernels count words in 32 bits, including the length of a further record.
    let limit = limit.min(1 << 33);
    wanted.min(limit).max(MIN_BYTES) / 16 * 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_kept_within_bounds() {
        let most = 128 << 20;
        assert_eq!(bytes(None, most), 1 << 20);
        assert_eq!(bytes(Some(70_000), most), 70_000);
        assert_eq!(bytes(Some(0), most), 1 << 10);
        assert_eq!(bytes(Some(99_999_999_999), most), most);
        assert_eq!(bytes(Some(99_999_999_999), u64::MAX), 1 << 33);
        assert_eq!(bytes(Some(1030), most), 1024);
    }
}
