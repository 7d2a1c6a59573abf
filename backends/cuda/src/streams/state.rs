//! The streams of a device, by their indices, and the progress of each stream.
//!
//! Recordings name the first 16 streams; the others are for copies and frees. The driver creates each stream at its
//! first use.

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
/// The stream that frees memory which several streams have used, if no other stream's work comes after all the uses.
pub(crate) const RECLAIM: usize = 18;
/// The number of all streams.
pub(crate) const STREAMS: usize = 19;

/// Returns the index of the stream that a recording names; 0, the first stream, if there is no such stream.
pub(crate) fn stream_of(stream: u32) -> usize {
    if stream < NAMED_STREAMS { stream as usize } else { 0 }
}

/// The end of a submission, which is reached when all submissions of the stream up to this number have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) stream: usize,
    pub(crate) sequence: u64,
}

/// The ends of several submissions, to wait for together.
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

    /// Returns a stream, if it was created.
    pub(crate) fn get(&self, stream: usize) -> Option<&Stream> {
        stream.checked_sub(1).map_or(Some(&self.first), |other| self.others[other].get())
    }

    /// Returns a stream, and creates it at its first use; the context is current.
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
    /// The number up to which all submissions to this stream have ended and have an outcome.
    finished: AtomicU64,
}

impl StreamState {
    pub(crate) fn latest(&self) -> u64 {
        self.latest.load(Ordering::Acquire)
    }

    /// Sets the number of the last submission; the caller holds the queue's lock.
    pub(crate) fn submit(&self, sequence: u64) {
        self.latest.store(sequence, Ordering::Release);
    }

    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }

    /// Sets the number up to which all submissions have ended; the caller holds the queue's lock.
    pub(crate) fn finish(&self, sequence: u64) {
        self.finished.store(sequence, Ordering::Release);
    }
}

/// An event in the stream after submission `sequence`.
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) event: Arc<Event>,
}

/// A wait of one stream for a submission of another stream.
pub(crate) struct Join {
    /// The number of the first submission after the wait.
    pub(crate) before: u64,
    /// The submission that the stream waits for.
    pub(crate) point: Point,
}

/// The progress of a stream, kept under the queue's lock.
#[derive(Default)]
pub(crate) struct StreamProgress {
    pub(crate) marks: VecDeque<Mark>,
    /// The number of the last submission that a mapping waits for.
    pub(crate) claimed: u64,
    /// The last submission; the reference is valid while there is a ticket for the submission.
    pub(crate) latest: Weak<Submission>,
    /// The number of the last submission that contains steps other than large copies.
    pub(crate) worked: u64,
    /// The next value of [`StreamState::finished`], set before the submissions that have ended are completed.
    pub(crate) ended: u64,
    /// The number below which all submissions to this stream have ended; valid only while the stream has work.
    pub(crate) first: u64,
    /// For each other stream, the number of its last submission that this stream has waited for.
    pub(crate) joined: [u64; STREAMS],
    /// The waits of this stream that are not known to have ended.
    pub(crate) joins: VecDeque<Join>,
}
