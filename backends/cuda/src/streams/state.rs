//! The streams, by their indices, and the progress of each.
//!
//! Recordings name the first ones; the others are for copies and frees. The driver creates each at its first use.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use anywarp_backend::BackendError;
use smallvec::SmallVec;

use crate::driver::{Context, Event, Stream};
use crate::submit::submission::Submission;

/// The number of streams that recordings may name.
pub(crate) const NAMED_STREAMS: u32 = 16;
/// The stream of large copies to the device, which run beside kernels.
pub(crate) const UPLOAD: usize = 16;
/// The stream of large copies to the host, which run beside kernels.
pub(crate) const DOWNLOAD: usize = 17;
/// The stream in whose order memory is freed that several streams have used.
pub(crate) const RECLAIM: usize = 18;
/// The number of all streams.
pub(crate) const STREAMS: usize = 19;

/// Returns the index of a recording's stream; the first, where the number is too large.
pub(crate) fn stream_of(stream: u32) -> usize {
    if stream < NAMED_STREAMS { stream as usize } else { 0 }
}

/// The end of a submission: reached when the stream's submissions up to this number have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) stream: usize,
    pub(crate) sequence: u64,
}

/// Several ends to wait for together.
pub(crate) type Points = SmallVec<[Point; 1]>;

/// The driver's streams.
pub(crate) struct Streams {
    first: Stream,
    /// Empty until the stream is first used.
    others: [OnceLock<Stream>; STREAMS - 1],
}

impl Streams {
    /// Creates the first stream; the context is current.
    pub(crate) fn create(context: &Arc<Context>) -> Result<Self, BackendError> {
        Ok(Self { first: Stream::create(context, "opening the device")?, others: Default::default() })
    }

    pub(crate) fn first(&self) -> &Stream {
        &self.first
    }

    /// Returns a stream if it was created.
    pub(crate) fn get(&self, stream: usize) -> Option<&Stream> {
        stream.checked_sub(1).map_or(Some(&self.first), |other| self.others[other].get())
    }

    /// Returns a stream, created at its first use; the context is current.
    pub(crate) fn open(&self, context: &Arc<Context>, stream: usize) -> Result<&Stream, BackendError> {
        match self.get(stream) {
            Some(native) => Ok(native),
            None => {
                let fresh = Stream::create(context, "opening a stream")?;
                Ok(self.others[stream - 1].get_or_init(|| fresh))
            }
        }
    }
}

/// The progress of a stream, readable without the queue's lock.
#[derive(Default)]
pub(crate) struct StreamState {
    /// The number of the last submission to this stream.
    latest: AtomicU64,
    /// The number up to which all submissions to this stream have ended, with their outcomes known.
    finished: AtomicU64,
}

impl StreamState {
    pub(crate) fn latest(&self) -> u64 {
        self.latest.load(Ordering::Acquire)
    }

    /// Counts a submission; the caller holds the queue's lock.
    pub(crate) fn submit(&self, sequence: u64) {
        self.latest.store(sequence, Ordering::Release);
    }

    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }

    /// Sets the progress; the caller holds the queue's lock.
    pub(crate) fn finish(&self, sequence: u64) {
        self.finished.store(sequence, Ordering::Release);
    }
}

/// An event in the stream after submission `sequence`.
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) event: Arc<Event>,
}

/// A wait of a stream for another one.
pub(crate) struct Join {
    /// The first submission after the wait.
    pub(crate) before: u64,
    /// The end to wait for.
    pub(crate) point: Point,
}

/// The progress of a stream, kept under the queue's lock.
#[derive(Default)]
pub(crate) struct StreamProgress {
    pub(crate) marks: VecDeque<Mark>,
    /// The last submission that a mapping waits for.
    pub(crate) claimed: u64,
    /// The last submission; alive while there is a ticket for it.
    pub(crate) latest: Weak<Submission>,
    /// The last submission that contains more than large copies.
    pub(crate) worked: u64,
    /// The next value of [`StreamState::finished`], once the submissions that have ended are completed.
    pub(crate) ended: u64,
    /// While the stream has work: all submissions below this number have ended.
    pub(crate) first: u64,
    /// The last submission of each other stream that this one has waited for.
    pub(crate) joined: [u64; STREAMS],
    /// Waits whose ends were not observed yet.
    pub(crate) joins: VecDeque<Join>,
}
