//! Status records, in which kernels report a loop that exceeds its limit.
//!
//! A record is four words of pinned host memory that the device can reach. The words are zero unless a launch was
//! stopped; then they hold the number of the first such launch and the line of its loop.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anywarp_backend::{BackendError, MemoryKind};

use crate::driver::{Context, PinnedMemory, PinnedWords};

/// The number of records that one allocation holds.
const TOGETHER: usize = 256;
/// The number of words of a record.
const WORDS: usize = 4;

/// The status records of a device.
pub(crate) struct StatusRecords {
    context: Arc<Context>,
    free: Mutex<Vec<Place>>,
}

#[derive(Clone)]
struct Place {
    words: Arc<PinnedWords>,
    /// The index of the record's first word in `words`.
    index: usize,
}

/// A status record. It is zero when taken, and must be dropped only after the work that may write it has ended.
pub(crate) struct StatusRecord {
    records: Arc<StatusRecords>,
    place: Place,
}

/// A stopped launch, as its kernel reported it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The number of the launch that was stopped first, from 1.
    pub(crate) launch: u32,
    /// The line of the loop in the WGSL; 0 if it is not known.
    pub(crate) line: u32,
}

impl StatusRecords {
    pub(crate) fn new(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { context, free: Mutex::default() })
    }

    /// Takes a free record; the context is current.
    pub(crate) fn take(self: &Arc<Self>) -> Result<StatusRecord, BackendError> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.is_empty() {
            self.grow(&mut free)?;
        }
        let nothing = || BackendError::Rejected {
            operation: "submitting",
            message: "no status record is left, in which kernels report a loop that exceeds its limit".to_owned(),
        };
        let place = free.pop().ok_or_else(nothing)?;
        Ok(StatusRecord { records: Arc::clone(self), place })
    }

    /// Allocates more records, which are all freed together.
    fn grow(&self, free: &mut Vec<Place>) -> Result<(), BackendError> {
        const OPERATION: &str = "submitting";
        let bytes = (TOGETHER * WORDS * size_of::<u32>()) as u64;
        let Some(memory) = PinnedMemory::allocate(&self.context, bytes, OPERATION)? else {
            return Err(BackendError::OutOfMemory { requested: bytes, kind: MemoryKind::Readback, live: 0 });
        };
        let words = Arc::new(PinnedWords::new(memory));
        free.extend((0..TOGETHER).map(|record| Place { words: Arc::clone(&words), index: record * WORDS }));
        Ok(())
    }
}

impl StatusRecord {
    /// Returns the record's device address, for kernels.
    pub(crate) fn address(&self) -> u64 {
        self.place.words.device().address() + (self.place.index * size_of::<u32>()) as u64
    }

    fn words(&self) -> &[AtomicU32] {
        &self.place.words.host()[self.place.index..self.place.index + WORDS]
    }

    /// Returns the launch that was stopped, if one was; the work has ended.
    pub(crate) fn read(&self) -> Option<Stop> {
        let [launch, line, ..] = self.words() else { return None };
        let (launch, line) = (launch.load(Ordering::Acquire), line.load(Ordering::Acquire));
        (launch != 0).then_some(Stop { launch, line })
    }

    /// Resets the record to zero; no work that may write it is in flight.
    pub(crate) fn reset(&self) {
        self.words().iter().for_each(|word| word.store(0, Ordering::Release));
    }
}

impl Drop for StatusRecord {
    fn drop(&mut self) {
        self.reset();
        self.records.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.place.clone());
    }
}
