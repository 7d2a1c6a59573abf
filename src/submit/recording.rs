//! Recordings, which are kept and replayed.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::context::Context;
use super::encoder::{self, Refusal, Resource, Usage};
use super::stream::Stream;
use super::submission::Submission;
use crate::error::{BufferError, Error};

/// Launches, copies and fills that are submitted together, any number of times.
///
/// Buffers are borrowed only while a command is recorded; the recording keeps their memory alive. Each
/// [`submit`](Self::submit) first uploads the host's changes to these buffers; `submit` fails while one of the buffers
/// has a guard.
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
    context: Arc<Context>,
    commands: anywarp_backend::Recording,
    touched: Vec<Touched>,
    /// The kernels and scratch memory of the commands.
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

/// A buffer that a recording uses.
pub(super) struct Touched {
    pub(super) resource: Arc<dyn Resource>,
    pub(super) written: Option<Range<u64>>,
}

impl Recording {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self {
            context: Arc::clone(context),
            commands: anywarp_backend::Recording::kept(),
            touched: Vec::new(),
            kept: Vec::new(),
        }
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(super) fn stream(&self) -> u32 {
        self.commands.stream
    }

    pub(super) fn recorded(&self) -> &anywarp_backend::Recording {
        &self.commands
    }

    pub(super) fn touched(&self) -> &[Touched] {
        &self.touched
    }

    pub(super) fn commands(&mut self) -> &mut anywarp_backend::Recording {
        &mut self.commands
    }

    /// Registers a buffer that a command uses.
    pub(super) fn uses<R: Resource>(&mut self, usage: &Usage<'_, R>) {
        let resource: Arc<dyn Resource> = Arc::clone(usage.resource) as Arc<dyn Resource>;
        self.touched.push(Touched { resource, written: usage.written.clone() });
    }

    /// Keeps an object alive as long as the commands.
    pub(crate) fn keep(&mut self, object: impl IntoIterator<Item = Arc<dyn Any + Send + Sync>>) {
        self.kept.extend(object);
    }

    /// Removes all commands, so that new ones can be recorded. If the device caches recordings, as `cuda` does in
    /// graphs, the cache is updated in place when the new commands differ only in buffers and values.
    pub fn clear(&mut self) {
        let timed = self.commands.timed;
        self.commands.clear();
        self.commands.timed = timed;
        self.touched.clear();
        self.kept.clear();
    }

    /// Directs the commands to this stream from the next submission on, in place of the device's default stream.
    ///
    /// # Errors
    /// [`BufferError::OtherDevice`] if the stream belongs to another device.
    pub fn on(&mut self, stream: &Stream) -> Result<(), BufferError> {
        if !Arc::ptr_eq(&self.context, stream.context()) {
            return Err(self.other_device("stream", stream.context().selector.clone()));
        }
        self.commands.stream = stream.number();
        Ok(())
    }

    /// Measures each launch from the next submission on: see [`Submission::timings`].
    pub fn timed(&mut self, timed: bool) {
        self.commands.timed = timed;
    }

    /// The number of commands.
    #[must_use]
    pub fn len(&self) -> usize {
        self.commands.commands().len()
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The number of barriers within one submission: points where a command waits for earlier ones.
    #[must_use]
    pub fn barriers(&self) -> u64 {
        self.commands.barriers()
    }

    /// Submits the commands, after all work launched before.
    ///
    /// # Errors
    /// [`BufferError::InUse`] while a guard of one of the recording's buffers exists, or the device's error; in both
    /// cases no part of the recording has run.
    pub fn submit(&self) -> Result<Submission, Error> {
        encoder::replay(self).map_err(|refusal| match refusal {
            Refusal::InUse { guard, .. } => BufferError::InUse { guard }.into(),
            Refusal::Device(error) => error.into(),
            Refusal::OtherDevice { what, theirs } => self.other_device(what, theirs).into(),
        })
    }

    fn other_device(&self, what: &str, theirs: String) -> BufferError {
        let ours = self.context.selector.clone();
        BufferError::OtherDevice { operation: "recording", what: format!("the {what}"), ours, theirs }
    }
}

/// Formats the commands, one on each line, for snapshots.
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
