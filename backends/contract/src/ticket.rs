//! Completion of submitted work.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::waker::Awaited;
use crate::{BackendError, Findings};

/// Which clock a timing comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The device's own timestamps around the dispatch.
    Device,
    /// The host's clock around the whole submission, where the device has no usable timestamps:
    /// an upper bound that includes submission and waiting.
    Host,
}

/// How long one dispatch took.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The kernel's name.
    pub label: Arc<str>,
    /// When it began, on a clock that all submissions of the device share: so timings of two streams tell what
    /// ran at the same time. Zero with [`Clock::Host`].
    pub start: Duration,
    /// How long it took.
    pub duration: Duration,
}

/// The timings of one submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Timings {
    /// Where the times come from.
    pub clock: Clock,
    /// With [`Clock::Device`] one entry a dispatch or library call, in order; with [`Clock::Host`] a single entry
    /// for the submission.
    pub entries: Vec<Timing>,
}

impl Timings {
    /// The sum of all durations.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.entries.iter().map(|entry| entry.duration).sum()
    }
}

/// The backend's side of a [`Ticket`]: how far submitted work has come.
pub trait Completion: Send + Sync {
    /// Whether the work has ended, without waiting; an error when it failed.
    fn done(&self) -> Result<bool, BackendError>;

    /// Whether the work has ended, and then whether well, without reporting its error: for callers that only ask
    /// what may be used again.
    fn ended(&self) -> Option<bool> {
        match self.done() {
            Ok(false) => None,
            Ok(true) => Some(true),
            Err(_) => Some(false),
        }
    }

    /// Waits until the work has ended or the time is over; returns whether it has ended.
    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError>;

    /// Has `waker` woken once the work has ended, or at once if it has. Needs no polling.
    /// It must be woken with no lock held, as a task that is dropped then may give memory
    /// back.
    fn wake(&self, waker: &Waker);

    /// The timings, for a recording that asked for them and has ended.
    fn timings(&self) -> Option<Timings>;

    /// The mistakes that the device found in the kernels of this work, once it has ended. Nothing
    /// unless [`Caps::checked`](crate::Caps::checked) holds.
    fn findings(&self) -> Findings {
        Findings::default()
    }
}

/// A claim on work in flight: to wait for, to await, or to drop (the work goes on).
///
/// May be polled by any number of tasks, one after the other: the last one is woken. Each clone has a
/// task of its own.
#[derive(Clone)]
pub struct Ticket {
    /// `None` for work that has ended.
    completion: Option<Arc<dyn Completion>>,
    awaited: Awaited,
}

impl Ticket {
    /// A ticket on work in flight.
    #[must_use]
    pub fn new(completion: Arc<dyn Completion>) -> Self {
        Self { completion: Some(completion), awaited: Awaited::default() }
    }

    /// A ticket on work that has ended.
    #[must_use]
    pub fn ready() -> Self {
        Self { completion: None, awaited: Awaited::default() }
    }

    /// Whether the work has ended.
    ///
    /// # Errors
    /// Those of the work itself: [`BackendError::Stopped`] by a kernel that could not run to its end,
    /// [`BackendError::Lost`].
    pub fn is_done(&self) -> Result<bool, BackendError> {
        self.completion.as_ref().map_or(Ok(true), |completion| completion.done())
    }

    /// Whether the work has ended, and then whether well; its error is reported later.
    #[must_use]
    pub fn ended(&self) -> Option<bool> {
        self.completion.as_ref().map_or(Some(true), |completion| completion.ended())
    }

    /// Waits until the work has ended.
    ///
    /// # Errors
    /// As [`is_done`](Self::is_done); [`BackendError::CannotBlock`] in a browser.
    pub fn wait(&self) -> Result<(), BackendError> {
        self.completion.as_ref().map_or(Ok(()), |completion| completion.wait(None).map(|_| ()))
    }

    /// Waits at most `timeout`; returns whether the work has ended.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool, BackendError> {
        self.completion.as_ref().map_or(Ok(true), |completion| completion.wait(Some(timeout)))
    }

    /// Has `waker` woken once the work has ended, or at once if it has: for a backend around another,
    /// whose own completion ends with this one. Other callers poll.
    pub fn wake(&self, waker: &Waker) {
        match &self.completion {
            Some(completion) => completion.wake(waker),
            None => waker.wake_by_ref(),
        }
    }

    /// The timings of the submission, once it has ended, if its recording was timed.
    #[must_use]
    pub fn timings(&self) -> Option<Timings> {
        self.completion.as_ref()?.timings()
    }

    /// The mistakes that a checked device found in the kernels of the submission, once it has ended.
    #[must_use]
    pub fn findings(&self) -> Findings {
        self.completion.as_ref().map(|completion| completion.findings()).unwrap_or_default()
    }
}

impl Future for Ticket {
    type Output = Result<(), BackendError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { completion, awaited } = &mut *self;
        let Some(completion) = completion else { return Poll::Ready(Ok(())) };
        let mut done = completion.done();
        if done == Ok(false) {
            if let Some(waker) = awaited.by(context.waker()) {
                completion.wake(&waker);
            }
            // It may have ended between the two calls; then the waker may have come too late.
            done = completion.done();
        }
        if done == Ok(false) {
            return Poll::Pending;
        }
        awaited.clear();
        Poll::Ready(done.map(|_| ()))
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ticket").field(&self.is_done()).finish()
    }
}
