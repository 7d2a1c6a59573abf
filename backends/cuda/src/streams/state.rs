//! Lanes: the streams of the driver's that work goes to, and how far each has come.
//!
//! The first ones are those that recordings name; behind them are some of our own. A stream's stream is
//! made when it is first used.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use anywarp_backend::BackendError;
use smallvec::SmallVec;

use crate::driver::{Context, Event, Stream};
use crate::submit::submission::Submission;

/// The streams that recordings may name.
pub(crate) const NAMED_STREAMS: u32 = 16;
/// Where large copies to the device run beside kernels.
pub(crate) const UPLOAD: usize = 16;
/// Where large copies to the host run beside kernels.
pub(crate) const DOWNLOAD: usize = 17;
/// Where memory is freed that several streams have used.
pub(crate) const RECLAIM: usize = 18;
/// All of them.
pub(crate) const STREAMS: usize = 19;

/// The stream of a recording's stream.
pub(crate) fn stream_of(stream: u32) -> usize {
    if stream < NAMED_STREAMS { stream as usize } else { 0 }
}

/// The end of a submission: it has come when the stream's submissions up to this number have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) stream: usize,
    pub(crate) sequence: u64,
}

/// Several ends that are waited for together.
pub(crate) type Points = SmallVec<[Point; 1]>;

/// The driver's streams, one for each stream.
pub(crate) struct Streams {
    first: Stream,
    /// Empty until the stream is first used; then for good.
    others: [OnceLock<Stream>; STREAMS - 1],
}

impl Streams {
    /// Makes the first one; the context is current.
    pub(crate) fn create(context: &Arc<Context>) -> Result<Self, BackendError> {
        Ok(Self { first: Stream::create(context, "opening the device")?, others: Default::default() })
    }

    pub(crate) fn first(&self) -> &Stream {
        &self.first
    }

    /// A stream's stream, if it was ever used.
    pub(crate) fn get(&self, stream: usize) -> Option<&Stream> {
        stream.checked_sub(1).map_or(Some(&self.first), |other| self.others[other].get())
    }

    /// A stream's stream, made if there is none yet; the context is current.
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

/// What anybody may ask of a stream.
#[derive(Default)]
pub(crate) struct StreamState {
    /// The number of the last submission to this stream.
    latest: AtomicU64,
    /// All submissions to this stream up to this number have ended, and what is to be told of them is
    /// completed.
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

    /// Tells how far the stream has come; the caller holds the queue's lock.
    pub(crate) fn finish(&self, sequence: u64) {
        self.finished.store(sequence, Ordering::Release);
    }
}

/// A point in the stream behind submission `sequence`.
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) event: Arc<Event>,
}

/// That a stream has waited for another one.
pub(crate) struct Join {
    /// Before this submission.
    pub(crate) before: u64,
    /// For this one.
    pub(crate) point: Point,
}

/// What is known of a stream under the queue's lock.
#[derive(Default)]
pub(crate) struct StreamProgress {
    pub(crate) marks: VecDeque<Mark>,
    /// The last submission that a mapping waits for.
    pub(crate) claimed: u64,
    /// The last submission; alive while somebody has a ticket on it.
    pub(crate) latest: Weak<Submission>,
    /// The last submission that is more than large copies.
    pub(crate) worked: u64,
    /// What [`StreamState::finished`] will be when what has ended is completed.
    pub(crate) ended: u64,
    /// While something runs: no submission below this one does.
    pub(crate) first: u64,
    /// Up to where the stream comes after each of the others.
    pub(crate) joined: [u64; STREAMS],
    /// The waits whose ends were not seen yet.
    pub(crate) joins: VecDeque<Join>,
}
