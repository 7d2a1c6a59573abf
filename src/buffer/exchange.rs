//! Words that the host and a resident kernel access at the same time.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anywarp_backend::{BackendError, HostRange, MemoryId, MemoryKind, Region};

use crate::submit::Context;

/// Exchange memory of one device, all zero at first.
pub(crate) struct Exchange {
    context: Arc<Context>,
    memory: MemoryId,
    words: usize,
    range: HostRange,
}

impl Exchange {
    /// Allocates `words` words, at least 1.
    ///
    /// # Errors
    /// The errors of [`Backend::allocate`](anywarp_backend::Backend::allocate), also for a device without
    /// [`Caps::persistent`](anywarp_backend::Caps::persistent).
    pub(crate) fn new(context: &Arc<Context>, words: usize) -> Result<Self, BackendError> {
        let memory = context.allocate(words as u64 * 4, MemoryKind::Exchange)?;
        let range = context.backend.map(memory).and_then(|ticket| ticket.wait());
        let range = range.and_then(|()| context.backend.host(memory)).inspect_err(|_| {
            context.free(memory, words as u64 * 4, None);
        })?;
        Ok(Self { context: Arc::clone(context), memory, words, range })
    }

    /// The words, on the host.
    pub(crate) fn words(&self) -> &[AtomicU32] {
        &self.range.words()[..self.words]
    }

    /// All words, as a region for commands.
    pub(crate) fn whole(&self) -> Region {
        Region { memory: self.memory, offset: 0, bytes: self.words as u64 * 4 }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.context.free(self.memory, self.words as u64 * 4, None);
    }
}
