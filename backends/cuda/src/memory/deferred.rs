//! What nobody needs any more but work under way may still use.
//!
//! Freeing pinned memory, modules and graphs can make the driver wait for the whole device. So they
//! lie here until the work that was submitted before has ended, and are freed when the device is
//! idle anyway, or when they become many.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::driver::{Context, DeviceMemory, ExecutableGraph, Module, PinnedMemory, Pool, Stream};
use crate::kernel::status::Record;

/// Bytes of pinned memory that may lie here while the device is busy.
const MOST: usize = 256 << 20;

/// One thing to be freed.
pub(crate) enum Deferred {
    Pinned(PinnedMemory),
    /// A kernel.
    Module(Arc<Module>),
    /// What is left of a graph: itself, unless it lives on, and what its nodes use.
    Graph {
        exec: Option<ExecutableGraph>,
        record: Option<Record>,
        arena: Option<DeviceMemory>,
    },
}

/// All of a device.
pub(crate) struct DeferredFrees {
    context: Arc<Context>,
    /// With the number of the last submission that may use them.
    dead: Mutex<Vec<(u64, Deferred)>>,
    /// How many there are, to be asked without the lock.
    count: AtomicUsize,
    /// Of pinned memory.
    bytes: AtomicUsize,
}

impl DeferredFrees {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context, dead: Mutex::default(), count: AtomicUsize::new(0), bytes: AtomicUsize::new(0) }
    }

    /// Keeps `remains` until the submissions up to `sequence` have ended.
    pub(crate) fn add(&self, sequence: u64, remains: Deferred) {
        if let Deferred::Pinned(memory) = &remains {
            self.bytes.fetch_add(memory.bytes(), Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.dead.lock().unwrap_or_else(PoisonError::into_inner).push((sequence, remains));
    }

    /// Frees what no work uses, if the device is idle or too much lies here; the context is current,
    /// and the caller may be made to wait.
    pub(crate) fn clear(&self, idle: bool, pool: &Pool, stream: &Stream) {
        if self.count.load(Ordering::Relaxed) == 0 || !(idle || self.bytes.load(Ordering::Relaxed) > MOST) {
            return;
        }
        self.clear_up_to(self.context.submissions.finished(), pool, stream);
    }

    /// Frees what the submissions up to `sequence` were the last to use.
    pub(crate) fn clear_up_to(&self, sequence: u64, pool: &Pool, stream: &Stream) {
        let free: Vec<(u64, Deferred)> = {
            let mut dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
            dead.extract_if(.., |(last, _)| *last <= sequence).collect()
        };
        self.count.fetch_sub(free.len(), Ordering::Relaxed);
        for (_, remains) in free {
            self.free(remains, pool, stream);
        }
    }

    fn free(&self, remains: Deferred, pool: &Pool, stream: &Stream) {
        match remains {
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
