//! Recordings that are kept and replayed.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use anywarp_backend::{BackendError, Ticket, Timings};

use crate::Element;
use crate::buffer::transfer::{self, Target, Touched};
use crate::buffer::{Slice, SliceMut};
use crate::device::DeviceInner;
use crate::error::{BufferError, Error, LaunchError};
use crate::kernel::{Compiled, Kernel};
use crate::stream::Stream;
use crate::timeline::Batch;

/// Launches, copies and fills that are handed over together, as often as one likes.
///
/// Buffers are borrowed only while a command is recorded; the recording keeps their memory alive.
/// At each [`submit`](Self::submit) what the host has changed meanwhile is uploaded first, and a
/// guard that is alive is an error.
///
/// ```no_run
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// # let step = device.kernel("")?;
/// # let mut state = device.buffer::<f32>(1024)?;
/// let mut recording = device.recording();
/// for _ in 0..10 {
///     step.launch().bind("state", &mut state).record(&mut recording).threads(1024)?;
/// }
/// for _ in 0..100 {
///     recording.submit()?;
/// }
/// println!("{}", state.read()?[0]);
/// # Ok(())
/// # }
/// ```
pub struct Recording {
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) commands: anywarp_backend::Recording,
    pub(crate) touched: Vec<Touched>,
    pub(crate) kernels: Vec<Arc<Compiled>>,
}

impl Recording {
    pub(crate) fn new(device: &Arc<DeviceInner>) -> Self {
        Self {
            device: Arc::clone(device),
            commands: anywarp_backend::Recording::kept(),
            touched: Vec::new(),
            kernels: Vec::new(),
        }
    }

    pub(crate) fn belongs_to(&self, kernel: &Kernel) -> Result<(), LaunchError> {
        if Arc::ptr_eq(&self.device, &kernel.device) {
            return Ok(());
        }
        Err(LaunchError::OtherDevice {
            kernel: kernel.name().to_owned(),
            binding: "recording".to_owned(),
            ours: kernel.device.selector.clone(),
            theirs: self.device.selector.clone(),
        })
    }

    /// Forgets all commands, to record others. Where replays are kept by the device (`cuda` makes a
    /// graph of them), one that differs only in buffers and values is changed in place.
    pub fn clear(&mut self) {
        let timed = self.commands.timed;
        self.commands.clear();
        self.commands.timed = timed;
        self.touched.clear();
        self.kernels.clear();
    }

    /// Has the commands run on this stream from the next submission on, instead of the device's own.
    ///
    /// # Errors
    /// [`BufferError::OtherDevice`].
    pub fn on(&mut self, stream: &Stream) -> Result<(), BufferError> {
        self.same_device(&stream.device)?;
        self.commands.stream = stream.number;
        Ok(())
    }

    /// Measures each launch from the next submission on: see [`Submission::timings`].
    pub fn timed(&mut self, timed: bool) {
        self.commands.timed = timed;
    }

    /// Number of commands.
    #[must_use]
    pub fn len(&self) -> usize {
        self.commands.commands().len()
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// How many times one submission must wait for something within itself.
    #[must_use]
    pub fn barriers(&self) -> u64 {
        self.commands.barriers()
    }

    /// Appends a copy on the device.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let x = device.buffer_from(&[1.0f32; 8])?;
    /// let mut y = device.buffer::<f32>(8)?;
    /// let mut recording = device.recording();
    /// recording.copy(&x, &mut y)?;
    /// recording.fill(y.slice_mut(..4), 0.0)?;
    /// assert_eq!((recording.len(), recording.barriers()), (2, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`], [`BufferError::OtherDevice`] or a bad slice.
    pub fn copy<'s, 't, T: Element + 's + 't>(
        &mut self,
        source: impl Into<Slice<'s, T>>,
        target: impl Into<SliceMut<'t, T>>,
    ) -> Result<(), BufferError> {
        let (source, to) = (source.into(), target.into());
        self.same_device(&to.core.device)?;
        transfer::copy(&mut Target::Recording(&mut self.commands, &mut self.touched), &source, &to)
    }

    /// Appends a fill with a value of 1, 2 or 4 bytes, or of equal words.
    ///
    /// # Errors
    /// [`BufferError::OtherDevice`], a bad slice, or [`BufferError::Device`] for a value that is
    /// not a repeated word.
    pub fn fill<'t, T: Element + 't>(
        &mut self,
        target: impl Into<SliceMut<'t, T>>,
        value: T,
    ) -> Result<(), BufferError> {
        let to = target.into();
        self.same_device(&to.core.device)?;
        let pattern = transfer::pattern_of(&value).ok_or_else(|| {
            to.core.error(
                "filling",
                BackendError::Rejected {
                    operation: "a recorded fill",
                    message: "the value is not a repeated 4-byte word: copy from a buffer that holds it".to_owned(),
                },
            )
        })?;
        transfer::fill(&mut Target::Recording(&mut self.commands, &mut self.touched), &to, pattern)
    }

    pub(crate) fn same_device(&self, other: &Arc<DeviceInner>) -> Result<(), BufferError> {
        if Arc::ptr_eq(&self.device, other) {
            return Ok(());
        }
        Err(BufferError::OtherDevice { ours: self.device.selector.clone(), theirs: other.selector.clone() })
    }

    /// Hands the commands over, after everything launched before.
    ///
    /// # Errors
    /// [`BufferError::InUse`] while a guard of one of its buffers is alive, or what the device
    /// says; nothing of the recording has run then.
    pub fn submit(&self) -> Result<Submission, Error> {
        let device = &self.device;
        device.timeline.alive()?;
        let mut pending = device.timeline.lock_on(self.commands.stream, &device.staging)?;
        for touched in &self.touched {
            if let Some(guard) = touched.core.guarded() {
                return Err(BufferError::InUse { guard }.into());
            }
        }
        for touched in &self.touched {
            touched.core.prepare(&mut pending)?;
        }
        device.timeline.flush(&mut pending, &device.staging)?;
        let submitted = device.backend.submit(&self.commands);
        let ticket = submitted.inspect_err(|error| device.timeline.note(error))?;
        let batch = Batch::done(ticket.clone(), self.commands.stream);
        for touched in &self.touched {
            touched.core.used(&batch, touched.written.clone());
        }
        pending.follow(batch);
        Ok(Submission { ticket })
    }
}

/// The commands, one a line: for snapshots.
impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.commands.fmt(f)
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("commands", &self.len()).finish_non_exhaustive()
    }
}

/// Work that was handed over. Dropping it does not stop the work; awaiting it waits without
/// blocking.
#[derive(Clone, Debug)]
pub struct Submission {
    ticket: Ticket,
}

impl Submission {
    /// Waits until the work has ended.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] by a kernel that could not run to its end, [`BackendError::Lost`], or
    /// [`BackendError::CannotBlock`] in a browser.
    pub fn wait(&self) -> Result<(), Error> {
        Ok(self.ticket.wait()?)
    }

    /// Waits at most this long; returns whether the work has ended.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool, Error> {
        Ok(self.ticket.wait_timeout(timeout)?)
    }

    /// Whether the work has ended.
    ///
    /// # Errors
    /// [`BackendError::Stopped`], [`BackendError::Lost`].
    pub fn is_done(&self) -> Result<bool, Error> {
        Ok(self.ticket.is_done()?)
    }

    /// How long each launch took, once the work has ended, if the recording was
    /// [`timed`](Recording::timed).
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
        self.ticket.timings()
    }
}

impl Future for Submission {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.ticket).poll(context).map_err(Error::from)
    }
}
