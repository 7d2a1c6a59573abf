//! The encoder: every command enters a stream or a recording through it.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Recording as Commands, Ticket};
use smallvec::SmallVec;

use super::batch::Batch;
use super::context::Context;
use super::destination::Destination;
use super::events::Event;
use super::queue::Queue;
use super::recording::Recording;
use super::submission::Submission;

/// A resource that commands use and that is prepared for them: a buffer.
pub(crate) trait Resource: Send + Sync + 'static {
    /// The name of the guard that excludes commands, if there is one.
    fn guarded(&self) -> Option<&'static str>;

    /// Brings the device's copy of the data up to date, except for the range `replaced`, which the command overwrites
    /// entirely.
    fn prepare(&self, queue: &mut Queue<'_>, replaced: Option<&Range<u64>>) -> Result<(), BackendError>;

    /// Records that a command of `batch` uses the memory and writes the range `written`.
    fn used(&self, batch: &Arc<Batch>, written: Option<Range<u64>>);
}

/// How one command uses one resource.
pub(crate) struct Usage<'a, R> {
    pub(crate) resource: &'a Arc<R>,
    /// The range of bytes that the command may write.
    pub(crate) written: Option<Range<u64>>,
    /// Whether the command writes all bytes of `written`, so that their old values are not needed.
    pub(crate) replaces: bool,
}

impl<'a, R> Usage<'a, R> {
    /// The command reads the resource.
    pub(crate) fn read(resource: &'a Arc<R>) -> Self {
        Self { resource, written: None, replaces: false }
    }

    /// The command may write some of these bytes, and may read all.
    pub(crate) fn write(resource: &'a Arc<R>, written: Range<u64>) -> Self {
        Self { resource, written: Some(written), replaces: false }
    }

    /// The command writes all of these bytes and reads none.
    pub(crate) fn replace(resource: &'a Arc<R>, written: Range<u64>) -> Self {
        Self { resource, written: Some(written), replaces: true }
    }
}

/// The reason why a command was not recorded.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The resource with this index in the list of usages has a guard.
    InUse { index: usize, guard: &'static str },
    /// The stream or the recording belongs to another device.
    OtherDevice { what: &'static str, theirs: String },
    /// The device reported an error.
    Device(BackendError),
}

impl From<BackendError> for Refusal {
    fn from(error: BackendError) -> Self {
        Self::Device(error)
    }
}

impl Destination<'_> {
    /// Returns a completed submission without commands.
    pub(crate) fn nothing(&self, context: &Arc<Context>) -> Result<Submission, Refusal> {
        self.check(context)?;
        if let Self::Recording(_) = self {
            return Ok(Submission::recorded(context));
        }
        context.alive()?;
        Ok(Submission::of(context, &Batch::submitted(Ticket::ready(), self.stream())))
    }
}

impl<'a> Destination<'a> {
    /// An encoder for this destination.
    pub(crate) fn encoder(self, context: &'a Arc<Context>) -> Result<Encoder<'a>, Refusal> {
        self.check(context)?;
        let stream = match self {
            Self::Recording(recording) => return Ok(Encoder { context, to: To::Recording(recording) }),
            Self::Stream(stream) => stream.number(),
            Self::Own => 0,
        };
        context.alive()?;
        Ok(Encoder { context, to: To::Stream(context.queue_on(stream)?) })
    }
}

/// The only code that appends commands to a stream or a recording. It locks the timeline, prepares the buffers, appends
/// the command, marks its buffers as used, and submits when many commands are pending.
///
/// An encoder exists for one command or a few, and never during a wait, as it locks the timeline.
pub(crate) struct Encoder<'a> {
    context: &'a Arc<Context>,
    to: To<'a>,
}

enum To<'a> {
    Stream(Queue<'a>),
    /// A recording, whose buffers are prepared at each submission.
    Recording(&'a mut Recording),
}

impl Encoder<'_> {
    /// Starts a submission of its own for the following commands and has them measured, so that the timings of this
    /// submission cover only these commands.
    pub(crate) fn timed(&mut self) -> Result<(), BackendError> {
        match &mut self.to {
            To::Stream(queue) => {
                queue.flush()?;
                queue.recording().timed = true;
            }
            To::Recording(recording) => recording.timed(true),
        }
        Ok(())
    }

    /// Prepares resources for the commands of an operator, so that a resource that cannot be prepared causes an error
    /// before the first command is recorded. A recording prepares all of its resources when it is submitted.
    pub(crate) fn prepare<R: Resource>(&mut self, resources: &[&Arc<R>]) -> Result<(), Refusal> {
        let To::Stream(queue) = &mut self.to else { return Ok(()) };
        for (index, resource) in resources.iter().enumerate() {
            if let Some(guard) = resource.guarded() {
                return Err(Refusal::InUse { index, guard });
            }
        }
        for resource in resources {
            resource.prepare(queue, None)?;
        }
        Ok(())
    }

    /// Appends one command that uses `usages`, and keeps `kept` alive while it may run. If the command is refused, it
    /// is not recorded; uploads that were already recorded remain, as their data is current.
    pub(crate) fn command<R: Resource>(
        &mut self,
        usages: &[Usage<'_, R>],
        kept: Option<&Arc<dyn Any + Send + Sync>>,
        append: impl FnOnce(&mut Commands),
    ) -> Result<(), Refusal> {
        match &mut self.to {
            To::Stream(queue) => {
                for (index, usage) in usages.iter().enumerate() {
                    if let Some(guard) = usage.resource.guarded() {
                        return Err(Refusal::InUse { index, guard });
                    }
                }
                for usage in usages {
                    let replaced = usage.written.as_ref().filter(|_| usage.replaces);
                    usage.resource.prepare(queue, replaced)?;
                }
                append(queue.recording());
                for usage in usages {
                    usage.resource.used(queue.batch(), usage.written.clone());
                }
                if let Some(kept) = kept {
                    queue.keep(kept);
                }
            }
            To::Recording(recording) => {
                append(recording.commands());
                for usage in usages {
                    recording.uses(usage);
                }
                recording.keep(kept.cloned());
            }
        }
        let events = &self.context.events;
        events.emit(|| Event::Record { stream: self.stream(), kept: matches!(self.to, To::Recording(_)) });
        Ok(())
    }

    /// The number of the stream that the commands run on.
    fn stream(&self) -> u32 {
        match &self.to {
            To::Stream(queue) => queue.batch().stream(),
            To::Recording(recording) => recording.stream(),
        }
    }

    /// Ends a launch or library call: counts it, and submits if many commands are pending.
    pub(crate) fn launched(self, timed: bool) -> Result<Submission, BackendError> {
        if matches!(self.to, To::Stream(_)) {
            self.context.launched();
        }
        self.finish(timed)
    }

    /// Ends the encoding, and submits if many commands are pending or the commands are to be measured.
    pub(crate) fn finish(self, timed: bool) -> Result<Submission, BackendError> {
        let To::Stream(mut queue) = self.to else { return Ok(Submission::recorded(self.context)) };
        let submission = Submission::of(self.context, queue.batch());
        if timed {
            queue.flush()?;
        } else {
            queue.flush_when_full()?;
        }
        Ok(submission)
    }
}

/// Submits a recording, after all commands that were recorded before.
pub(super) fn replay(recording: &Recording) -> Result<Submission, Refusal> {
    let (context, commands) = (recording.context(), recording.recorded());
    context.alive()?;
    let mut queue = context.queue_on(commands.stream)?;
    for (index, touched) in recording.touched().iter().enumerate() {
        if let Some(guard) = touched.resource.guarded() {
            return Err(Refusal::InUse { index, guard });
        }
    }
    for touched in recording.touched() {
        touched.resource.prepare(&mut queue, None)?;
    }
    queue.flush()?;
    // A clone lacks what the backend cached for the recording, so the recording is cloned only when times are wanted.
    let timed = (context.events.is_observed() && !commands.timed).then(|| {
        let mut timed = commands.clone();
        timed.timed = true;
        timed
    });
    let began = context.events.now();
    let ticket = context.backend.submit(timed.as_ref().unwrap_or(commands)).inspect_err(|error| context.note(error))?;
    let took = context.events.since(began);
    let batch = Batch::submitted(ticket, commands.stream);
    context.submitted();
    if context.events.is_observed() {
        batch.observe(commands);
    }
    for touched in recording.touched() {
        touched.resource.used(&batch, touched.written.clone());
    }
    let (stream, commands) = (commands.stream, commands.commands().len());
    let number = batch.number();
    context.events.emit_at(began, || Event::Submission { stream, number, commands, took });
    let submission = Submission::of(context, &batch);
    queue.track(batch);
    Ok(submission)
}

/// The usages of one command: usually few, as kernels have few bindings.
pub(crate) type Usages<'a, R> = SmallVec<[Usage<'a, R>; 8]>;
