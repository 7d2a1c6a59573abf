//! Where a device makes its variants: one at a time, on a thread that is there while there is something to do.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};

use super::Common;
use crate::kernel::{Compiled, KernelInner};

/// Variants that wait at most: any more are not made.
const MOST_WAITING: usize = 64;

/// A variant to be made.
pub(crate) struct Job {
    pub(crate) kernel: Weak<KernelInner>,
    /// What it is a variant of: the kernel as it is or folded.
    pub(crate) base: Arc<Compiled>,
    /// Its number among the kernel's.
    pub(crate) number: u64,
    pub(crate) common: Common,
}

/// Where a device makes its variants.
#[derive(Default)]
pub(crate) struct Workshop {
    shared: Arc<Shared>,
    /// Launches that ran a variant.
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
    /// Whether one is being made.
    busy: bool,
    thread: Option<JoinHandle<()>>,
}

impl Workshop {
    /// Has a variant made, when those before it are.
    pub(crate) fn hand_in(&self, job: Job) {
        let mut work = self.shared.lock();
        if work.waiting.len() >= MOST_WAITING {
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
                log::warn!("variants of kernels are off: their thread could not be started: {error}");
                let waiting = std::mem::take(&mut work.waiting);
                drop(work);
                waiting.into_iter().for_each(Job::give_up);
            }
        }
    }

    /// Makes a variant at once.
    pub(crate) fn make(&self, job: &Job) {
        self.shared.make(job);
    }

    /// A launch runs a variant.
    pub(crate) fn launched(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    /// Variants that were made, those that are not yet, and launches that ran one.
    pub(crate) fn counted(&self) -> [u64; 3] {
        let work = self.shared.lock();
        let pending = work.waiting.len() as u64 + u64::from(work.busy);
        [self.shared.made.load(Ordering::Relaxed), pending, self.launches.load(Ordering::Relaxed)]
    }

    /// Waits for what is being made, and has nothing else made: a process that ends meanwhile would take the driver
    /// away from under it. For the end of the device, as a kernel whose variant is being made keeps the workshop.
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
                job
            };
            let Some(job) = job else { return };
            self.make(&job);
        }
    }

    fn make(&self, job: &Job) {
        let Some(kernel) = job.kernel.upgrade() else { return };
        // A variant that cannot be made is one fewer, no more.
        let made = catch_unwind(AssertUnwindSafe(|| job.base.variant(&job.common)));
        let made = made.map_err(|_| "a pass panicked".to_owned());
        let made = made.and_then(|made| made.map_err(|error| error.to_string()));
        let compiled = made.unwrap_or_else(|reason| {
            log::warn!("{}: no variant is made: {reason}", job.base.program.name);
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
