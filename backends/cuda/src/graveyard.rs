//! What nobody needs any more but work under way may still use.
//!
//! Freeing pinned memory, modules and graphs can make the driver wait for the whole device. So they
//! lie here until the work that was submitted before has ended, and are freed when the device is
//! idle anyway, or when they become many.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUgraphExec, CUstream};

use crate::driver::context::Context;
use crate::driver::module::Module;
use crate::status::Record;

/// Bytes of pinned memory that may lie here while the device is busy.
const MOST: usize = 256 << 20;

/// One thing to be freed.
pub(crate) enum Remains {
    /// Pinned memory and its length.
    Pinned(*mut c_void, usize),
    /// A kernel.
    Module(Module),
    /// A graph, null if it lives on, with what its nodes use.
    Graph { exec: CUgraphExec, _record: Option<Record>, arena: u64 },
}

// SAFETY: handles and addresses are only names, and each lies here alone.
unsafe impl Send for Remains {}

/// All of a device.
pub(crate) struct Graveyard {
    context: Arc<Context>,
    /// With the number of the last submission that may use them.
    dead: Mutex<Vec<(u64, Remains)>>,
    /// How many there are, to be asked without the lock.
    count: AtomicUsize,
    /// Of pinned memory.
    bytes: AtomicUsize,
}

impl Graveyard {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context, dead: Mutex::default(), count: AtomicUsize::new(0), bytes: AtomicUsize::new(0) }
    }

    /// Keeps `remains` until the submissions up to `sequence` have ended.
    pub(crate) fn add(&self, sequence: u64, remains: Remains) {
        if let Remains::Pinned(_, bytes) = &remains {
            self.bytes.fetch_add(*bytes, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.dead.lock().unwrap_or_else(PoisonError::into_inner).push((sequence, remains));
    }

    /// Frees what no work uses, if the device is idle or too much lies here; the context is current,
    /// and the caller may be made to wait.
    pub(crate) fn clear(&self, idle: bool, stream: CUstream) {
        if self.count.load(Ordering::Relaxed) == 0 || !(idle || self.bytes.load(Ordering::Relaxed) > MOST) {
            return;
        }
        self.clear_up_to(self.context.finished(), stream);
    }

    /// Frees what the submissions up to `sequence` were the last to use.
    pub(crate) fn clear_up_to(&self, sequence: u64, stream: CUstream) {
        let free: Vec<(u64, Remains)> = {
            let mut dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
            dead.extract_if(.., |(last, _)| *last <= sequence).collect()
        };
        self.count.fetch_sub(free.len(), Ordering::Relaxed);
        for (_, remains) in free {
            self.free(remains, stream);
        }
    }

    fn free(&self, remains: Remains, stream: CUstream) {
        let driver = self.context.driver;
        let result = match remains {
            Remains::Pinned(start, bytes) => {
                self.bytes.fetch_sub(bytes, Ordering::Relaxed);
                // SAFETY: allocated by `cuMemHostAlloc`, and used by nobody any more.
                unsafe { (driver.cuMemFreeHost)(start) }
            }
            Remains::Module(module) => {
                drop(module);
                0
            }
            Remains::Graph { exec, arena, .. } => {
                if arena != 0 {
                    // SAFETY: allocated in the order of this stream, and used by the graph alone.
                    unsafe { (driver.cuMemFreeAsync)(arena, stream) };
                }
                if exec.is_null() {
                    return;
                }
                // SAFETY: instantiated once, destroyed once; its runs have ended.
                unsafe { (driver.cuGraphExecDestroy)(exec) }
            }
        };
        if result != 0 && !self.context.is_lost() {
            log::debug!("freeing: {}", driver.text(result));
        }
    }
}
