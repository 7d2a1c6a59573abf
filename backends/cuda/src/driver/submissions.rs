//! The numbers of a device's submissions, and the kernels in them: an error that ends the device names those that were
//! running.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of kernels that are kept for such errors.
const REMEMBERED: usize = 32;

/// The submissions of one device.
#[derive(Default)]
pub(crate) struct Submissions {
    /// The number of the last submission.
    submitted: AtomicU64,
    /// All submissions up to this number have ended.
    finished: AtomicU64,
    /// The kernels submitted last, with the numbers of their submissions.
    recent: Mutex<VecDeque<(u64, Arc<str>)>>,
}

impl Submissions {
    /// Returns the number up to which all submissions have ended, with their outcomes known.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }

    /// Sets that number; the caller holds the queue's lock.
    pub(crate) fn finish(&self, sequence: u64) {
        self.finished.store(sequence, Ordering::Release);
    }

    /// Returns the number of the last submission.
    pub(crate) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Counts a submission; the caller holds the queue's lock.
    pub(crate) fn submit(&self, sequence: u64) {
        self.submitted.store(sequence, Ordering::Release);
    }

    /// Keeps the names of a submission's kernels, up to the limit.
    pub(crate) fn remember<'a>(&self, sequence: u64, kernels: impl Iterator<Item = &'a Arc<str>>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        for kernel in kernels.take(REMEMBERED / 4) {
            // A repeated kernel takes only one entry.
            if let Some((last, known)) = recent.back_mut()
                && Arc::ptr_eq(known, kernel)
            {
                *last = sequence;
                continue;
            }
            if recent.len() == REMEMBERED {
                recent.pop_front();
            }
            recent.push_back((sequence, Arc::clone(kernel)));
        }
    }

    /// Returns the quoted names of kernels that have not ended.
    pub(super) fn running(&self) -> Vec<String> {
        let finished = self.finished();
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<String> =
            recent.iter().filter(|(at, _)| *at > finished).map(|(_, name)| format!("'{name}'")).collect();
        names.dedup();
        names
    }
}
