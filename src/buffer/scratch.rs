//! Device memory for what an operator leaves between its passes, used again and again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Backend, BackendError, MemoryId};

use super::core::Core;
use super::unified::UnifiedBuffer;
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::staging::class;
use crate::submit::{Batch, Context, Destination};

/// Idle scratch memory beyond this is given back to the device.
const MAX_IDLE: u64 = 256 << 20;

/// Scratch memory of a device since it was opened: see [`Device::scratch`](crate::Device::scratch).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScratchStats {
    /// Requests that memory of earlier ones served.
    pub hits: u64,
    /// Requests that had to allocate.
    pub misses: u64,
    /// Bytes that are kept for later requests; 256 MiB at most.
    pub idle_bytes: u64,
    /// Bytes that buffers hold now, those of kept recordings included.
    pub lent_bytes: u64,
}

/// Memory that no buffer holds.
struct Idle {
    memory: MemoryId,
    bytes: u64,
    last_use: Option<Arc<Batch>>,
}

impl Idle {
    /// Whether commands of this stream can use it without waiting for another stream.
    fn is_free_on(&self, stream: u32) -> bool {
        self.last_use.as_ref().is_none_or(|batch| batch.stream() == stream || batch.is_over())
    }
}

#[derive(Default)]
struct State {
    /// Oldest first.
    idle: Vec<Idle>,
    stats: ScratchStats,
}

/// The scratch memory of one device: an extension of its [`Context`], which it does not hold.
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

    /// Gives all idle memory back to the device.
    pub(crate) fn trim(&self, context: &Context) {
        self.shrink(context, 0);
    }

    fn shrink(&self, context: &Context, most: u64) {
        let mut freed = Vec::new();
        let mut state = self.state();
        while state.stats.idle_bytes > most && !state.idle.is_empty() {
            let oldest = state.idle.remove(0);
            state.stats.idle_bytes -= oldest.bytes;
            freed.push(oldest);
        }
        drop(state);
        for Idle { memory, bytes, last_use } in freed {
            context.free(memory, bytes, last_use.as_ref());
        }
    }

    /// A buffer of this size. Commands take effect in the order of submission, so memory whose last use is
    /// recorded can be used again at once; only on another stream would that be waited for.
    fn take(self: &Arc<Self>, context: &Arc<Context>, bytes: u64, stream: u32) -> Result<Arc<Core>, BufferError> {
        let bytes = class(bytes);
        let mut state = self.state();
        // On a checked device memory of others would hide reads of what was never written.
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
            // Idle memory of other sizes may be what is missing.
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

    /// Takes the memory of a dropped buffer back.
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
    /// A buffer of `length` elements from the scratch memory of a device, for commands that go to
    /// `destination`.
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
