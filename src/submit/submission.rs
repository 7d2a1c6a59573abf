//! Work that was submitted, or will be.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use anywarp_backend::{BackendError, Ticket, Timings};

use super::batch::Batch;
use super::context::Context;
use super::events::Event;
use super::moment::Stopwatch;
use crate::error::Error;

/// The work of a launch, an operator or a recording, to be waited for, polled, awaited or measured. Dropping the
/// submission does not stop the work.
///
/// The first wait or poll submits the work if it is still pending.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let step = device.kernel(
///     "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
///      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x] += 1u; }")?;
/// let mut data = device.buffer::<u32>(256)?;
/// let submission = step.launch().bind("data", &mut data).threads(256)?;
/// submission.wait()?;
/// assert!(submission.is_done()?);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Submission {
    /// Keeps the device open: a closed device reports no completion.
    context: Arc<Context>,
    /// `None` for a command in a [`Recording`](crate::Recording), which runs when the recording is submitted.
    batch: Option<Arc<Batch>>,
    /// The ticket that this handle polls as a future; set by the first poll.
    polled: Option<Ticket>,
}

impl Submission {
    pub(super) fn of(context: &Arc<Context>, batch: &Arc<Batch>) -> Self {
        Self { context: Arc::clone(context), batch: Some(Arc::clone(batch)), polled: None }
    }

    /// The submission of a command in a [`Recording`](crate::Recording).
    pub(super) fn recorded(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), batch: None, polled: None }
    }

    /// The ticket of the work, which is submitted first if it is still pending.
    fn ticket(&self) -> Result<Ticket, BackendError> {
        let batch = self.batch.as_ref().ok_or_else(|| BackendError::Rejected {
            operation: "waiting for a recorded command",
            message: "the command runs when its recording is submitted; wait for the submission that `Recording::submit` returns".to_owned(),
        })?;
        if batch.is_pending() {
            let mut queue = self.context.queue();
            // Another thread may have submitted the batch meanwhile; then the pending commands do not belong to it.
            if batch.is_pending() {
                self.context.alive()?;
                queue.flush()?;
            }
        }
        batch.ticket()
    }

    /// Waits until the work has ended.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if a kernel could not run to its end, [`BackendError::Lost`],
    /// [`BackendError::CannotBlock`] in a browser, or [`BackendError::Rejected`] for a launch into a
    /// [`Recording`](crate::Recording): wait for the recording's submission instead.
    pub fn wait(&self) -> Result<(), Error> {
        let ticket = self.ticket()?;
        let events = &self.context.events;
        let watch = events.is_observed().then(Stopwatch::start);
        let waited = ticket.wait();
        events.emit(|| Event::Wait { took: watch.map_or(Duration::ZERO, |watch| watch.elapsed()) });
        Ok(waited?)
    }

    /// Waits for at most `timeout` and returns whether the work has ended.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool, Error> {
        Ok(self.ticket()?.wait_timeout(timeout)?)
    }

    /// Whether the work has ended.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn is_done(&self) -> Result<bool, Error> {
        Ok(self.ticket()?.is_done()?)
    }

    /// The duration of each launch, once the work has ended, if it was measured: by
    /// [`Launch::timed`](crate::Launch::timed) or [`Recording::timed`](crate::Recording::timed), or because an
    /// [`Observer`](crate::Observer) existed when it was submitted.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let mut recording = device.recording();
    /// recording.timed(true);
    /// // ... launches with `.record(&mut recording)` ...
    /// let submission = recording.submit()?;
    /// submission.wait()?;
    /// for entry in submission.timings().into_iter().flat_map(|timings| timings.entries) {
    ///     println!("{}: {:?}", entry.label, entry.duration);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn timings(&self) -> Option<Timings> {
        self.batch.as_ref().filter(|batch| !batch.is_pending())?.ticket().ok()?.timings()
    }
}

impl Future for Submission {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        if self.polled.is_none() {
            match self.ticket() {
                Ok(ticket) => self.polled = Some(ticket),
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
        match &mut self.polled {
            Some(ticket) => Pin::new(ticket).poll(task).map_err(Error::from),
            None => Poll::Pending,
        }
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission").field("batch", &self.batch).finish_non_exhaustive()
    }
}
