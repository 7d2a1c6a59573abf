//! The queue in which a device compiles its variants: one at a time, on a thread that ends when the queue is empty.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};

use super::Common;
use crate::kernel::{Compiled, KernelInner};

/// The greatest number of variants in the queue; when it is full, further variants are not compiled.
const MAX_WAITING: usize = 64;

/// A variant to compile.
pub(crate) struct Job {
    pub(crate) kernel: Weak<KernelInner>,
    /// The plain or the folded kernel from which the variant is derived.
    pub(crate) base: Arc<Compiled>,
    /// The number of the variant among those of the kernel.
    pub(crate) number: u64,
    pub(crate) common: Common,
}

/// The queue in which a device compiles its variants.
#[derive(Default)]
pub(crate) struct Workshop {
    shared: Arc<Shared>,
    /// The number of launches that ran a variant.
    launches: AtomicU64,
}

#[derive(Default)]
struct Shared {
    work: Mutex<Work>,
    made: AtomicU64,
}

#[derive(Default)]
struct Work {
    waiting: VecDeque<Job>,
    /// Whether a variant is being compiled.
    busy: bool,
    thread: Option<JoinHandle<()>>,
}

impl Workshop {
    /// Appends a variant to the queue, or drops it if the queue is full.
    pub(crate) fn hand_in(&self, job: Job) {
        let mut work = self.shared.lock();
        if work.waiting.len() >= MAX_WAITING {
            drop(work);
            return job.give_up();
        }
        work.waiting.push_back(job);
        if work.busy {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let started = thread::Builder::new().name("anywarp-variants".to_owned()).spawn(move || shared.work_off());
        match started {
            Ok(thread) => (work.busy, work.thread) = (true, Some(thread)),
            Err(error) => {
                log::warn!("variants of kernels are not compiled: the thread for them could not be started: {error}");
                let waiting = std::mem::take(&mut work.waiting);
                drop(work);
                waiting.into_iter().for_each(Job::give_up);
            }
        }
    }

    /// Compiles a variant on this thread.
    pub(crate) fn make(&self, job: &Job) {
        self.shared.make(job);
    }

    /// Counts a launch that runs a variant.
    pub(crate) fn launched(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of compiled variants, of variants in the queue, and of launches that ran a variant.
    pub(crate) fn counted(&self) -> [u64; 3] {
        let work = self.shared.lock();
        let pending = work.waiting.len() as u64 + u64::from(work.busy);
        [self.shared.made.load(Ordering::Relaxed), pending, self.launches.load(Ordering::Relaxed)]
    }

    /// Empties the queue and waits for the current compilation. A process that ended during a compilation would unload
    /// the driver while it compiles.
    ///
    /// The device calls this when it closes. Dropping the queue is not enough: the compiling thread may hold the last
    /// reference to a kernel, which keeps the queue alive.
    pub(crate) fn close(&self) {
        let thread = {
            let mut work = self.shared.lock();
            work.waiting.clear();
            work.thread.take()
        };
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work_off(&self) {
        loop {
            let job = {
                let mut work = self.lock();
                let job = work.waiting.pop_front();
                work.busy = job.is_some();
                if !work.busy {
                    // Detaches this thread, which no longer uses the device: keeping the handle would keep the thread's
                    // stack as well.
                    work.thread = None;
                }
                job
            };
            let Some(job) = job else { return };
            self.make(&job);
        }
    }

    fn make(&self, job: &Job) {
        let Some(kernel) = job.kernel.upgrade() else { return };
        // After a failure only this variant is missing: launches run the unspecialised kernel.
        let made = catch_unwind(AssertUnwindSafe(|| job.base.variant(&job.common)));
        let made = made.map_err(|_| "a pass panicked".to_owned());
        let made = made.and_then(|made| made.map_err(|error| error.to_string()));
        let compiled = made.unwrap_or_else(|reason| {
            log::warn!("{}: a variant could not be compiled: {reason}", job.base.program.name);
            None
        });
        self.made.fetch_add(u64::from(compiled.is_some()), Ordering::Relaxed);
        kernel.made(job.number, compiled);
    }
}

impl Job {
    fn give_up(self) {
        if let Some(kernel) = self.kernel.upgrade() {
            kernel.made(self.number, None);
        }
    }
}
