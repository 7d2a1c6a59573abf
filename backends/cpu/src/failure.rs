//! Work that failed, and who has heard of it.
//!
//! A failure is told by every ticket of the submission it happened in, and once by each memory
//! whose contents it spoiled. Work that would read such a memory does not run: the failure moves on
//! to what that work would have written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anywarp_backend::BackendError;

/// Why some work did not end as it should.
#[derive(Debug)]
pub(crate) struct Failure {
    error: BackendError,
    told: AtomicBool,
}

impl Failure {
    pub(crate) fn new(error: BackendError) -> Arc<Self> {
        Arc::new(Self { error, told: AtomicBool::new(false) })
    }

    /// The error, for somebody who acts on it.
    pub(crate) fn tell(&self) -> BackendError {
        self.told.store(true, Ordering::Release);
        self.error.clone()
    }

    /// Whether anybody was told.
    pub(crate) fn is_told(&self) -> bool {
        self.told.load(Ordering::Acquire)
    }
}
