//! The numbers of a device's submissions, and the names of their kernels: an error that makes the device unusable names
//! the kernels that were running.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of kernel names that are kept for errors that make the device unusable.
const REMEMBERED: usize = 32;

/// The numbers of one device's submissions.
#[derive(Default)]
pub(crate) struct Submissions {
    /// The number of the last submission.
    submitted: AtomicU64,
    /// The number up to which all submissions have ended.
    finished: AtomicU64,
    /// The names of the kernels submitted last, with the numbers of their submissions.
    recent: Mutex<VecDeque<(u64, Arc<str>)>>,
}

impl Submissions {
    /// Returns the number up to which all submissions have ended and have an outcome.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }

    /// Sets the number up to which all submissions have ended; the caller holds the queue's lock.
    pub(crate) fn finish(&self, sequence: u64) {
        self.finished.store(sequence, Ordering::Release);
    }

    /// Returns the number of the last submission.
    pub(crate) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Sets the number of the last submission; the caller holds the queue's lock.
    pub(crate) fn submit(&self, sequence: u64) {
        self.submitted.store(sequence, Ordering::Release);
    }

    /// Stores the names of a submission's kernels, at most a quarter of `REMEMBERED`.
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
