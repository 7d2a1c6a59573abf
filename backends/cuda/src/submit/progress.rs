//! Progress of the streams: events between submissions, and actions when submissions have ended.
//!
//! A *mark* is an event between two submissions of a stream. A mark is recorded only while there is a ticket for the
//! first of them, or while other streams may have to wait for it.

use std::sync::Arc;

use anywarp_backend::BackendError;

use crate::driver::Event;
use crate::streams::state::{Mark, Point, STREAMS};
use crate::submit::queue::{Queue, QueueState};
use crate::submit::submission::Submission;
use crate::submit::wait::Target;

/// The number of marks in a stream from which on each submission queries whether the stream has passed the oldest mark.
const MANY: usize = 16;

impl Queue {
    /// Prepares the next submission to a stream: records a mark after the last submission, if there may be a wait for
    /// that submission. If there are many marks, also queries whether the stream has passed the oldest one.
    pub(crate) fn before_submission(&self, state: &mut QueueState, stream: usize) -> Result<(), BackendError> {
        let last = self.states[stream].latest();
        let progress = &state.progress[stream];
        let wanted = state.concurrent || progress.claimed >= last || progress.latest.strong_count() > 0;
        let marked = progress.marks.back().is_some_and(|mark| mark.sequence >= last);
        if wanted && !marked && last > progress.ended {
            self.mark(state, stream)?;
        }
        let marks = &state.progress[stream].marks;
        if marks.len() >= MANY
            && let Some(mark) = marks.front()
            && mark.event.is_over()?
        {
            let sequence = mark.sequence;
            self.advance_in(state, Point { stream, sequence });
        }
        Ok(())
    }

    /// Records that a submission was enqueued.
    pub(crate) fn after_submission(&self, state: &mut QueueState, point: Point, submission: Option<&Arc<Submission>>) {
        let (stream, progress) = (&self.states[point.stream], &mut state.progress[point.stream]);
        if progress.ended == stream.latest() {
            progress.first = point.sequence;
        }
        if let Some(submission) = submission {
            progress.latest = Arc::downgrade(submission);
        }
        state.unnumbered &= point.stream != 0;
        stream.submit(point.sequence);
        self.context.submissions.submit(point.sequence);
    }

    /// Returns the first mark that follows a submission, or a new mark after all work of the submission's stream.
    pub(crate) fn mark_behind(&self, state: &mut QueueState, point: Point) -> Result<(u64, Arc<Event>), BackendError> {
        let marks = &state.progress[point.stream].marks;
        match marks.iter().find(|mark| mark.sequence >= point.sequence) {
            Some(mark) => Ok((mark.sequence, Arc::clone(&mark.event))),
            None => self.mark(state, point.stream),
        }
    }

    /// Records a mark after a stream's last submission.
    fn mark(&self, state: &mut QueueState, stream: usize) -> Result<(u64, Arc<Event>), BackendError> {
        let sequence = self.states[stream].latest();
        if let Some(mark) = state.progress[stream].marks.back()
            && mark.sequence == sequence
        {
            return Ok((sequence, Arc::clone(&mark.event)));
        }
        let event = state.spare_marks.pop().map_or_else(|| Event::mark(&self.context), Ok)?;
        event.record(self.stream(stream)?)?;
        let event = Arc::new(event);
        state.progress[stream].marks.push_back(Mark { sequence, event: Arc::clone(&event) });
        Ok((sequence, event))
    }

    /// Queries the driver whether a submission has ended; the caller holds the lock.
    pub(crate) fn poll_in(&self, state: &mut QueueState, point: Point) -> Result<bool, BackendError> {
        if self.is_over(point) {
            return Ok(true);
        }
        let (over, upto) = match self.target_in(state, point)? {
            Target::Stream(upto) => (self.is_idle(point.stream)?, upto),
            Target::Mark(upto, event) => (event.is_over()?, upto),
        };
        if over {
            self.advance_in(state, Point { sequence: upto, ..point });
        }
        Ok(over)
    }

    /// Records that all submissions of a stream up to this one have ended.
    pub(crate) fn advance(&self, point: Point) {
        let idle = {
            let mut state = self.lock();
            self.advance_in(&mut state, point);
            if state.concurrent && state.progress[point.stream].ended == self.states[point.stream].latest() {
                self.poll_others(&mut state);
            }
            self.context.submissions.submitted() == self.context.submissions.finished()
        };
        self.deferred.clear(idle, &self.pool, self.streams.first());
    }

    /// Queries whether the other streams are idle too: the program may never wait for them.
    fn poll_others(&self, state: &mut QueueState) {
        for (stream, each) in self.states.iter().enumerate() {
            if state.progress[stream].ended < each.latest() {
                // A wait for that stream reports the error.
                if !self.is_idle(stream).unwrap_or(false) {
                    return;
                }
                self.advance_in(state, Point { stream, sequence: each.latest() });
            }
        }
    }

    /// Same as [`advance`](Self::advance), for callers that hold the lock.
    pub(crate) fn advance_in(&self, state: &mut QueueState, point: Point) {
        if state.concurrent {
            end_all(state, point);
        } else {
            let ended = &mut state.progress[point.stream].ended;
            *ended = point.sequence.max(*ended);
        }
        // A submission depends only on submissions with lower numbers: once it has ended, they have ended, too.
        let mut index = 0;
        while let Some(pending) = state.pending.get(index) {
            if pending.point.sequence > state.progress[pending.point.stream].ended {
                if !state.concurrent {
                    break;
                }
                index += 1;
            } else if let Some(pending) = state.pending.remove(index) {
                self.complete(state, pending);
            }
        }
        let submitted = self.context.submissions.submitted();
        let mut finished = submitted;
        let streams = if state.concurrent { STREAMS } else { 1 };
        for (stream, progress) in self.states.iter().zip(&mut state.progress).take(streams) {
            stream.finish(progress.ended);
            if progress.ended < stream.latest() {
                progress.first = progress.first.max(progress.ended + 1);
                finished = finished.min(progress.first - 1);
            }
            while progress.marks.front().is_some_and(|mark| mark.sequence <= progress.ended) {
                let Some(mark) = progress.marks.pop_front() else { break };
                // The event can be reused, unless another thread is waiting for it.
                if let Ok(event) = Arc::try_unwrap(mark.event) {
                    state.spare_marks.push(event);
                }
            }
        }
        self.context.submissions.finish(finished);
        // When the device is idle, there are no conflicts, and the period ends.
        state.concurrent &= finished < submitted;
    }
}

/// Records that a submission has ended, and with it all submissions that its stream has waited for.
fn end_all(state: &mut QueueState, point: Point) {
    let mut ended = vec![point];
    while let Some(point) = ended.pop() {
        let progress = &mut state.progress[point.stream];
        progress.ended = point.sequence.max(progress.ended);
        while progress.joins.front().is_some_and(|join| join.before <= progress.ended) {
            let Some(join) = progress.joins.pop_front() else { break };
            ended.push(join.point);
        }
    }
}
