//! Deferred frees of resources that work in flight may still use.
//!
//! Freeing pinned memory, modules and graphs can make the driver wait for the whole device. The resources are kept
//! until the work that was submitted before has ended, and are freed when the device is idle anyway, or when the pinned
//! memory among them exceeds a limit.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::driver::{Context, DeviceMemory, ExecutableGraph, Module, PinnedMemory, Pool, Stream};
use crate::kernel::status::StatusRecord;

/// The limit on the pinned memory that is kept while the device has work, in bytes.
const MAX_BYTES: usize = 256 << 20;

/// A resource to free.
pub(crate) enum Deferred {
    Pinned(PinnedMemory),
    /// The machine code of a kernel.
    Module(Arc<Module>),
    /// A graph with the memory that its nodes use. `exec` is `None` if the graph's successor has taken the executable
    /// graph.
    Graph {
        exec: Option<ExecutableGraph>,
        record: Option<StatusRecord>,
        arena: Option<DeviceMemory>,
    },
}

/// The deferred frees of a device.
pub(crate) struct DeferredFrees {
    context: Arc<Context>,
    /// Each resource with the number of the last submission that may use it.
    entries: Mutex<Vec<(u64, Deferred)>>,
    /// The number of entries, readable without the lock.
    count: AtomicUsize,
    /// The total size of the pinned memory in `entries`, in bytes.
    bytes: AtomicUsize,
}

impl DeferredFrees {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context, entries: Mutex::default(), count: AtomicUsize::new(0), bytes: AtomicUsize::new(0) }
    }

    /// Adds a resource that is freed after the submissions up to `sequence` have ended.
    pub(crate) fn add(&self, sequence: u64, entry: Deferred) {
        if let Deferred::Pinned(memory) = &entry {
            self.bytes.fetch_add(memory.bytes(), Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push((sequence, entry));
    }

    /// Frees unused resources, if the device is idle or the kept pinned memory exceeds [`MAX_BYTES`]. The context is
    /// current; the call may have to wait for the device.
    pub(crate) fn clear(&self, idle: bool, pool: &Pool, stream: &Stream) {
        if self.count.load(Ordering::Relaxed) == 0 || !(idle || self.bytes.load(Ordering::Relaxed) > MAX_BYTES) {
            return;
        }
        self.clear_up_to(self.context.submissions.finished(), pool, stream);
    }

    /// Frees the resources whose last use was in the submissions up to `sequence`.
    pub(crate) fn clear_up_to(&self, sequence: u64, pool: &Pool, stream: &Stream) {
        let free: Vec<(u64, Deferred)> = {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            entries.extract_if(.., |(last, _)| *last <= sequence).collect()
        };
        self.count.fetch_sub(free.len(), Ordering::Relaxed);
        for (_, entry) in free {
            self.free(entry, pool, stream);
        }
    }

    fn free(&self, entry: Deferred, pool: &Pool, stream: &Stream) {
        match entry {
            Deferred::Pinned(memory) => {
                self.bytes.fetch_sub(memory.bytes(), Ordering::Relaxed);
            }
            Deferred::Module(module) => drop(module),
            Deferred::Graph { exec, record, arena } => {
                if let Some(arena) = arena {
                    pool.free(arena, stream);
                }
                drop((exec, record));
            }
        }
    }
}
