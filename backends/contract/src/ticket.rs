//! Completion of submitted work.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::waker::Awaited;
use crate::{BackendError, Findings, Observations};

/// The clock that measured a timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The device's own clock, which takes timestamps around the dispatch.
    Device,
    /// The host's clock around the whole submission, where the device has no usable timestamps: an upper bound that
    /// includes submission and waiting.
    Host,
}

/// The duration of one dispatch.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The kernel's name.
    pub label: Arc<str>,
    /// The start of the dispatch, on a clock that all submissions of the device share, so that timings of two streams
    /// show which work overlapped. Zero with [`Clock::Host`].
    pub start: Duration,
    /// The duration of the dispatch.
    pub duration: Duration,
}

/// The duration of one copy or fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Whether it is a fill, and not a copy.
    pub is_fill: bool,
    /// The number of bytes that are written.
    pub bytes: u64,
    /// The start, on the clock of [`Timing::start`].
    pub start: Duration,
    /// The duration.
    pub duration: Duration,
}

/// The timings of one submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Timings {
    /// The clock that measured all entries.
    pub clock: Clock,
    /// With [`Clock::Device`] one entry per dispatch or library call, in order; with [`Clock::Host`] one entry for the
    /// submission.
    pub entries: Vec<Timing>,
    /// With [`Clock::Device`] the copies and fills, in order; empty where the backend does not time them.
    pub transfers: Vec<Transfer>,
}

impl Timings {
    /// The sum of the durations of all dispatches and library calls.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.entries.iter().map(|entry| entry.duration).sum()
    }
}

/// The backend's side of a [`Ticket`]: the state of submitted work.
pub trait Completion: Send + Sync {
    /// Whether the work has ended, without waiting; an error when it failed.
    fn done(&self) -> Result<bool, BackendError>;

    /// `None` while the work runs, then whether it succeeded. The method does not report the work's error: it is for
    /// callers that only need to know which resources can be reused.
    fn ended(&self) -> Option<bool> {
        match self.done() {
            Ok(false) => None,
            Ok(true) => Some(true),
            Err(_) => Some(false),
        }
    }

    /// Waits until the work has ended or the timeout has passed; returns whether the work has ended.
    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError>;

    /// Wakes `waker` when the work ends, or immediately if it has ended already; no polling is needed. The backend must
    /// wake with no lock held, because waking may drop a task, and the dropped task may free memory.
    fn wake(&self, waker: &Waker);

    /// The timings of the work, once it has ended, if its recording was timed.
    fn timings(&self) -> Option<Timings>;

    /// The mistakes that the device found in the kernels of this work, once it has ended. Empty unless
    /// [`Caps::checked`](crate::Caps::checked) holds.
    fn findings(&self) -> Findings {
        Findings::default()
    }

    /// The counts of the kernels of this work, once it has ended. Empty unless [`Caps::observed`](crate::Caps::observed)
    /// holds.
    fn observations(&self) -> Observations {
        Observations::default()
    }
}

/// A handle on submitted work: wait for it, await it, or drop it (the work continues).
///
/// Several tasks may poll one ticket in turn: the task that polled last is woken. Each clone of the ticket wakes the
/// task that polled this clone last.
#[derive(Clone)]
pub struct Ticket {
    /// The backend's side of the ticket; `None` for work that had ended when the ticket was created.
    completion: Option<Arc<dyn Completion>>,
    awaited: Awaited,
}

impl Ticket {
    /// Returns a ticket for submitted work.
    #[must_use]
    pub fn new(completion: Arc<dyn Completion>) -> Self {
        Self { completion: Some(completion), awaited: Awaited::default() }
    }

    /// Returns a ticket for work that has ended.
    #[must_use]
    pub fn ready() -> Self {
        Self { completion: None, awaited: Awaited::default() }
    }

    /// Whether the work has ended.
    ///
    /// # Errors
    /// The errors of the work itself: [`BackendError::Stopped`] if a kernel did not run to its end, and
    /// [`BackendError::Lost`].
    pub fn is_done(&self) -> Result<bool, BackendError> {
        self.completion.as_ref().map_or(Ok(true), |completion| completion.done())
    }

    /// `None` while the work runs, then whether it succeeded. The work's error is reported by [`wait`](Self::wait).
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

    /// Wakes `waker` when the work ends, or immediately if it has ended already. For a backend that wraps another
    /// backend and forwards the completion; other callers poll the ticket.
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

    /// The counts of an observed device for the kernels of the submission, once it has ended.
    #[must_use]
    pub fn observations(&self) -> Observations {
        self.completion.as_ref().map(|completion| completion.observations()).unwrap_or_default()
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
            // The work may have ended between the two calls, before the waker was registered.
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
