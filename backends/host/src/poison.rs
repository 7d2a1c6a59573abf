//! Memory whose contents a failure has left undefined.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use anywarp_backend::BackendError;

use crate::Failure;

/// The failure that has left the contents of one memory undefined, if there is one.
///
/// Submissions are numbered in the order in which they were made. The submissions of several streams may be processed
/// in the order in which they end, so the numbers decide for which submissions the contents are undefined. A backend
/// whose submissions end in order may use one number for all.
#[derive(Debug, Default)]
pub struct Poison {
    /// Whether `contents` is set, readable without a lock.
    set: AtomicBool,
    contents: Mutex<Option<Undefined>>,
}

#[derive(Debug)]
struct Undefined {
    failure: Arc<Failure>,
    /// The number of the submission that should have written the memory and failed.
    from: u64,
    /// The number of the submission from which on the contents are defined again.
    until: u64,
}

impl Undefined {
    fn concerns(&self, submission: u64) -> bool {
        (self.from..self.until).contains(&submission)
    }
}

impl Poison {
    fn contents(&self) -> MutexGuard<'_, Option<Undefined>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the memory was poisoned since the last [`take`](Self::take); its contents may have been replaced since.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    /// The failure that left the contents undefined for this submission, if they are undefined.
    #[must_use]
    pub fn failure(&self, submission: u64) -> Option<Arc<Failure>> {
        if !self.is_set() {
            return None;
        }
        let contents = self.contents();
        contents
            .as_ref()
            .filter(|undefined| undefined.concerns(submission))
            .map(|undefined| Arc::clone(&undefined.failure))
    }

    /// Records that a submission has left the contents undefined, unless an earlier failure left them undefined.
    pub fn set(&self, failure: &Arc<Failure>, submission: u64) {
        let mut contents = self.contents();
        match &mut *contents {
            Some(earlier) if earlier.concerns(submission) => earlier.until = u64::MAX,
            contents => {
                *contents = Some(Undefined { failure: Arc::clone(failure), from: submission, until: u64::MAX });
            }
        }
        self.set.store(true, Ordering::Release);
    }

    /// Records that a submission has replaced the contents, or that the host has received the failure.
    pub fn clear(&self, submission: u64) {
        if !self.is_set() {
            return;
        }
        if let Some(undefined) = self.contents().as_mut().filter(|undefined| undefined.from <= submission) {
            undefined.until = undefined.until.min(submission);
        }
    }

    /// Returns the failure that left the contents undefined, for a report; afterwards the contents count as defined.
    #[must_use]
    pub fn take(&self) -> Option<Arc<Failure>> {
        if !self.is_set() {
            return None;
        }
        let mut contents = self.contents();
        self.set.store(false, Ordering::Release);
        contents.take().filter(|undefined| undefined.until == u64::MAX).map(|undefined| undefined.failure)
    }
}

/// The outcome that a mapping reports. The outcome is taken from the memory once, and every caller receives the same
/// outcome.
#[derive(Debug, Default)]
pub struct Report(OnceLock<Result<(), BackendError>>);

impl Report {
    /// Whether a caller has received the outcome.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns the outcome. The first call takes the failure from `take`; `submitted` is the number of the last
    /// submission.
    ///
    /// # Errors
    /// The failure that `take` returned.
    pub fn give(&self, submitted: u64, take: impl FnOnce() -> Option<Arc<Failure>>) -> Result<(), BackendError> {
        self.0.get_or_init(|| take().map_or(Ok(()), |failure| Err(failure.report(submitted)))).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure() -> Arc<Failure> {
        Failure::new(BackendError::CannotBlock)
    }

    #[test]
    fn contents_are_undefined_from_the_failure_to_their_replacement() {
        let (poison, failed) = (Poison::default(), failure());
        assert!(poison.failure(0).is_none() && !poison.is_set());
        poison.set(&failed, 3);
        poison.clear(2);
        assert!(poison.failure(2).is_none() && poison.failure(3).is_some());
        poison.clear(7);
        poison.clear(9);
        assert!(poison.failure(6).is_some() && poison.failure(7).is_none());
        assert!(poison.take().is_none(), "replaced contents have nothing to report");
    }

    #[test]
    fn the_earliest_failure_counts_until_the_contents_are_replaced() {
        let (poison, first, second) = (Poison::default(), failure(), failure());
        poison.set(&first, 1);
        poison.set(&second, 2);
        assert!(Arc::ptr_eq(&poison.failure(2).unwrap(), &first));
        poison.clear(3);
        poison.set(&second, 4);
        assert!(Arc::ptr_eq(&poison.failure(4).unwrap(), &second));
        assert!(Arc::ptr_eq(&poison.take().unwrap(), &second));
        assert!(poison.take().is_none() && poison.failure(4).is_none());
    }

    #[test]
    fn a_failure_before_the_replacement_that_ends_later_makes_it_void() {
        let (poison, first, second) = (Poison::default(), failure(), failure());
        poison.set(&first, 1);
        poison.clear(5);
        poison.set(&second, 3);
        assert!(Arc::ptr_eq(&poison.failure(7).unwrap(), &first));
    }

    #[test]
    fn one_number_does_where_submissions_end_in_their_order() {
        let (poison, failed) = (Poison::default(), failure());
        for _ in 0..2 {
            poison.set(&failed, 0);
            assert!(poison.failure(0).is_some());
            poison.clear(0);
            assert!(poison.failure(0).is_none());
        }
        poison.set(&failed, 0);
        assert!(poison.take().is_some());
    }

    #[test]
    fn a_mapping_reports_the_same_to_every_caller() {
        let (report, failed) = (Report::default(), failure());
        assert!(!report.is_given());
        assert_eq!(report.give(5, || Some(Arc::clone(&failed))), Err(BackendError::CannotBlock));
        assert_eq!(report.give(9, || None), Err(BackendError::CannotBlock));
        assert!(report.is_given() && failed.was_reported_before(6));
    }
}
