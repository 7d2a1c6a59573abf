//! Device memory for the intermediate results of operators, reused between calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Backend, BackendError, MemoryId};

use super::core::Core;
use super::unified::UnifiedBuffer;
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::staging::class;
use crate::submit::{Batch, Context, Destination};

/// Idle scratch memory beyond this many bytes is freed.
const MAX_IDLE: u64 = 256 << 20;

/// Counts of a device's scratch memory since it was opened: see [`Device::scratch`](crate::Device::scratch).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScratchStats {
    /// Requests that were served by reused memory.
    pub hits: u64,
    /// Requests that needed an allocation.
    pub misses: u64,
    /// Bytes that are kept for later requests; at most 256 MiB.
    pub idle_bytes: u64,
    /// Bytes in use by buffers, including those of recordings.
    pub lent_bytes: u64,
}

/// Memory that no buffer uses.
struct Idle {
    memory: MemoryId,
    bytes: u64,
    last_use: Option<Arc<Batch>>,
}

impl Idle {
    /// Whether commands on `stream` can use the memory without waiting for another stream.
    fn is_free_on(&self, stream: u32) -> bool {
        self.last_use.as_ref().is_none_or(|batch| batch.stream() == stream || batch.is_over())
    }
}

#[derive(Default)]
struct State {
    /// Ordered by the time of return to the pool, the oldest first.
    idle: Vec<Idle>,
    stats: ScratchStats,
}

/// The scratch memory of one device: an extension of the device's [`Context`], to which it has no reference.
pub(crate) struct ScratchPool {
    backend: Arc<dyn Backend>,
    state: Mutex<State>,
}

impl ScratchPool {
    pub(crate) fn of(context: &Context) -> Arc<Self> {
        context.extension(|| Self { backend: Arc::clone(&context.backend), state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> ScratchStats {
        self.state().stats
    }

    /// Frees all idle memory.
    pub(crate) fn trim(&self, context: &Context) {
        self.shrink(context, 0);
    }

    fn shrink(&self, context: &Context, limit: u64) {
        let mut freed = Vec::new();
        let mut state = self.state();
        while state.stats.idle_bytes > limit && !state.idle.is_empty() {
            let oldest = state.idle.remove(0);
            state.stats.idle_bytes -= oldest.bytes;
            freed.push(oldest);
        }
        drop(state);
        for Idle { memory, bytes, last_use } in freed {
            context.free(memory, bytes, last_use.as_ref());
        }
    }

    /// Returns a buffer of at least `bytes` bytes. Commands take effect in the order of submission, so memory can be
    /// reused as soon as its last use is recorded. Commands on another stream would have to wait for that use, so they
    /// receive other memory.
    fn take(self: &Arc<Self>, context: &Arc<Context>, bytes: u64, stream: u32) -> Result<Arc<Core>, BufferError> {
        let bytes = class(bytes);
        let mut state = self.state();
        // On a checked device, reused memory would hide reads of uninitialised memory.
        let reusable = |idle: &Idle| !context.caps().checked && idle.bytes == bytes && idle.is_free_on(stream);
        if let Some(found) = state.idle.iter().rposition(reusable) {
            let Idle { memory, last_use, .. } = state.idle.remove(found);
            state.stats.hits += 1;
            state.stats.idle_bytes -= bytes;
            state.stats.lent_bytes += bytes;
            drop(state);
            return Ok(Core::recycled(context, memory, bytes, last_use, self));
        }
        drop(state);
        let made = Core::pooled(context, bytes, self).or_else(|error| match error {
            // Idle memory of other sizes may be the reason for the lack of memory, so it is freed.
            BufferError::Device { error: BackendError::OutOfMemory { .. }, .. } => {
                self.trim(context);
                Core::pooled(context, bytes, self)
            }
            error => Err(error),
        })?;
        let mut state = self.state();
        state.stats.misses += 1;
        state.stats.lent_bytes += bytes;
        Ok(made)
    }

    /// Receives the memory of a dropped buffer.
    pub(super) fn put(&self, context: &Context, memory: MemoryId, bytes: u64, last_use: Option<Arc<Batch>>) {
        let mut state = self.state();
        state.stats.lent_bytes -= bytes;
        state.stats.idle_bytes += bytes;
        state.idle.push(Idle { memory, bytes, last_use });
        drop(state);
        self.shrink(context, if context.caps().checked { 0 } else { MAX_IDLE });
    }
}

impl Drop for ScratchPool {
    fn drop(&mut self) {
        for idle in self.state.get_mut().unwrap_or_else(PoisonError::into_inner).idle.drain(..) {
            self.backend.free(idle.memory);
        }
    }
}

impl<T: Element> UnifiedBuffer<T> {
    /// A buffer of `length` elements from the scratch memory of a device, for commands with this `destination`.
    pub(crate) fn scratch(
        context: &Arc<Context>,
        length: usize,
        destination: &Destination<'_>,
    ) -> Result<Self, BufferError> {
        let size = size_of::<T>();
        let bytes = length.checked_mul(size).filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or(BufferError::TooLong { length, size })? as u64;
        let core = ScratchPool::of(context).take(context, bytes, destination.stream())?;
        Ok(Self::of(core, length))
    }
}
