//! The memories of a resident kernel: words that the host accesses at the same time, and words of the device alone.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anywarp_backend::{BackendError, HostRange, MemoryId, MemoryKind, Recording, Region};

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
        Self::of_kind(context, words, MemoryKind::Exchange)
    }

    /// Allocates `words` words, at least 1, on the card. The host only writes them, and then calls [`fence`].
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`BackendError::no_inbox`] with the reason why the device has no such memory.
    ///
    /// [`fence`]: std::sync::atomic::fence
    pub(crate) fn on_card(context: &Arc<Context>, words: usize) -> Result<Self, BackendError> {
        Self::of_kind(context, words, MemoryKind::Inbox)
    }

    fn of_kind(context: &Arc<Context>, words: usize, kind: MemoryKind) -> Result<Self, BackendError> {
        let memory = context.allocate(words as u64 * 4, kind)?;
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
        self.start(self.words)
    }

    /// The first words, as a region for commands.
    pub(crate) fn start(&self, words: usize) -> Region {
        Region { memory: self.memory, offset: 0, bytes: words as u64 * 4 }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.context.free(self.memory, self.words as u64 * 4, None);
    }
}

/// Memory of the device that a resident kernel uses alone while it runs, all zero at first.
pub(crate) struct Private {
    context: Arc<Context>,
    memory: MemoryId,
    words: usize,
}

impl Private {
    /// Allocates `words` words, at least 1.
    ///
    /// # Errors
    /// The errors of [`Backend::allocate`](anywarp_backend::Backend::allocate), and of a fill.
    pub(crate) fn new(context: &Arc<Context>, words: usize) -> Result<Self, BackendError> {
        let memory = context.allocate(words as u64 * 4, MemoryKind::Device)?;
        let own = Self { context: Arc::clone(context), memory, words };
        // A resident kernel has a stream of its own, which does not wait for the zeros of the allocation.
        own.submit(|recording| recording.fill(own.whole(), 0))?;
        Ok(own)
    }

    /// All words, as a region for commands.
    pub(crate) fn whole(&self) -> Region {
        Region { memory: self.memory, offset: 0, bytes: self.words as u64 * 4 }
    }

    /// Copies words to the host. No kernel may use them.
    ///
    /// # Errors
    /// Those of an allocation and of a copy.
    pub(crate) fn read(&self, words: Range<usize>) -> Result<Vec<u32>, BackendError> {
        let bytes = words.len() as u64 * 4;
        let memory = self.context.allocate(bytes, MemoryKind::Readback)?;
        let source = Region { memory: self.memory, offset: words.start as u64 * 4, bytes };
        let copied = self.submit(|recording| recording.copy(source, Region { memory, offset: 0, bytes }));
        let range = copied.and_then(|()| self.context.backend.map(memory)).and_then(|ticket| ticket.wait());
        let range = range.and_then(|()| self.context.backend.host(memory));
        let words = range.map(|range| {
            let four = range.bytes().chunks_exact(4).take(words.len());
            four.map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
        });
        self.context.free(memory, bytes, None);
        words
    }

    /// Replaces each of these words by `word`. No kernel may use them.
    ///
    /// # Errors
    /// Those of a fill.
    pub(crate) fn fill(&self, words: Range<usize>, word: u32) -> Result<(), BackendError> {
        let target = Region { memory: self.memory, offset: words.start as u64 * 4, bytes: words.len() as u64 * 4 };
        self.submit(|recording| recording.fill(target, word))
    }

    /// Submits a recording, and waits for its end.
    fn submit(&self, record: impl FnOnce(&mut Recording)) -> Result<(), BackendError> {
        let mut recording = Recording::new();
        record(&mut recording);
        self.context.backend.submit(&recording)?.wait()
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        self.context.free(self.memory, self.words as u64 * 4, None);
    }
}
