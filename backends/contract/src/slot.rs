//! The slot in which a backend keeps its prepared form of a recording.

use std::any::Any;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A slot that belongs to a recording and is filled by a backend, for example with a graph. Its content is dropped with
/// the recording.
///
/// A clone is empty: a prepared form belongs to one recording.
#[derive(Default)]
pub struct Slot(Mutex<Option<Box<dyn Any + Send>>>);

impl Slot {
    /// Locks the slot and returns its content.
    pub fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").field("filled", &self.lock().is_some()).finish()
    }
}
