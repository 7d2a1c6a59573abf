//! Waits between streams, derived from the bytes that submissions access.
//!
//! While only the first stream has work, no uses are recorded. The first submission to another stream begins a
//! *period*, in which each memory has a list of its uses; the period ends when the device is idle. All uses before the
//! period are in the first stream, up to the last submission there that used the memory.
//!
//! Before a submission is enqueued, its stream waits for the events after conflicting submissions of other streams;
//! afterwards the uses of the submission are recorded. Both happen under the queue's lock, so that no other thread
//! submits in between.

use anywarp_backend::{Access, BackendError};

use crate::memory::Memory;
use crate::record::step::Touch;
use crate::streams::state::{Join, Point, RECLAIM, STREAMS};
use crate::streams::uses::{Span, Use};
use crate::submit::queue::{Queue, QueueState};

impl Queue {
    /// Begins a period, unless one is active: uses are recorded from here on.
    pub(crate) fn begin_period(&self, state: &mut QueueState) {
        if state.concurrent {
            return;
        }
        state.concurrent = true;
        state.period += 1;
        // Zeroing that was enqueued after the last submission gets a number, so that other streams can wait for it.
        if std::mem::take(&mut state.unnumbered) {
            self.number(state, 0);
        }
        state.workspace.enter(state.period, self.states[0].latest());
    }

    /// Assigns a submission number to work that was enqueued in a stream without a ticket.
    pub(crate) fn number(&self, state: &mut QueueState, stream: usize) -> Point {
        let point = Point { stream, sequence: self.context.submissions.submitted() + 1 };
        self.after_submission(state, point, None);
        point
    }

    /// Returns, for each stream, the last submission that these uses in `stream` must come after.
    pub(crate) fn conflicts<'a>(
        &self,
        state: &QueueState,
        stream: usize,
        uses: impl IntoIterator<Item = (&'a Memory, Touch)>,
        workspace: bool,
    ) -> [u64; STREAMS] {
        let mut needed = [0; STREAMS];
        for (memory, Touch { access, span, .. }) in uses {
            memory.conflicts(state.period, stream, access, span, &mut needed);
        }
        if workspace {
            state.workspace.conflicts(stream, Access::Write, Span::WHOLE, &mut needed);
        }
        needed
    }

    /// Makes a stream wait, for each other stream, until the submissions up to the given number have ended.
    pub(crate) fn join(
        &self,
        state: &mut QueueState,
        stream: usize,
        needed: &[u64; STREAMS],
    ) -> Result<(), BackendError> {
        for (other, sequence) in needed.iter().copied().enumerate() {
            let point = Point { stream: other, sequence };
            if other == stream || state.progress[stream].joined[other] >= sequence || self.is_over(point) {
                continue;
            }
            let (upto, event) = self.mark_behind(state, point)?;
            self.stream(stream)?.wait_for(&event)?;
            let before = self.context.submissions.submitted() + 1;
            let progress = &mut state.progress[stream];
            progress.joined[other] = upto;
            progress.joins.push_back(Join { before, point: Point { stream: other, sequence: upto } });
        }
        Ok(())
    }

    /// Records the uses of a submission that was enqueued, so that later submissions can wait for them.
    pub(crate) fn note<'a>(
        &self,
        state: &mut QueueState,
        point: Point,
        uses: impl IntoIterator<Item = (&'a Memory, Touch)>,
        workspace: bool,
    ) {
        let is_over = |point| self.is_over(point);
        for (memory, Touch { access, span, .. }) in uses {
            memory.note(state.period, Use { point, access, span }, is_over);
        }
        if workspace {
            state.workspace.note(Use { point, access: Access::Write, span: Span::WHOLE }, is_over);
        }
    }

    /// Returns a stream in whose order a memory can be freed, because the end of that stream's work comes after all
    /// uses.
    pub(crate) fn last_stream(&self, state: &mut QueueState, memory: &Memory) -> Result<usize, BackendError> {
        if !state.concurrent {
            return Ok(0);
        }
        let mut needed = [0; STREAMS];
        memory.conflicts(state.period, STREAMS, Access::Write, Span::WHOLE, &mut needed);
        for (stream, sequence) in needed.iter_mut().enumerate() {
            if self.is_over(Point { stream, sequence: *sequence }) {
                *sequence = 0;
            }
        }
        let after = |stream: usize| {
            let joined = &state.progress[stream].joined;
            let behind = |(other, sequence): (usize, &u64)| other == stream || joined[other] >= *sequence;
            needed.iter().enumerate().all(behind)
        };
        let mut users = (0..STREAMS).filter(|stream| needed[*stream] != 0).peekable();
        if users.peek().is_none() {
            return Ok(0);
        }
        if let Some(stream) = users.find(|stream| after(*stream)) {
            return Ok(stream);
        }
        self.stream(RECLAIM)?;
        self.join(state, RECLAIM, &needed)?;
        Ok(RECLAIM)
    }
}
