//! What waits for what between lanes: derived from the bytes that submissions touch.
//!
//! Nothing is noted while only the first lane has work. With the first submission to another one a
//! *period* begins, in which each memory has a list of its uses; it ends when the device is idle. What a
//! memory was used for before the period lies in the first lane, up to the last submission there that
//! used it.
//!
//! Before a submission its lane waits for the events behind those of other lanes that it conflicts with;
//! afterwards its own uses are noted. Both happen under the line's lock, so that no order of threads can
//! come between.

use anywarp_backend::{Access, BackendError};

use crate::memory::Memory;
use crate::record::plan::Touch;
use crate::streams::state::{Join, LANES, Point, RECLAIM};
use crate::streams::uses::{Span, Use};
use crate::submit::queue::{Line, Queue};

impl Queue {
    /// From here on uses are noted.
    pub(crate) fn begin_period(&self, line: &mut Line) {
        if line.several {
            return;
        }
        line.several = true;
        line.period += 1;
        // Zeros that were written since the last submission.
        if std::mem::take(&mut line.unnumbered) {
            self.number(line, 0);
        }
        line.workspace.enter(line.period, self.lanes[0].latest());
    }

    /// Counts what was enqueued in a lane, but is nobody's submission.
    pub(crate) fn number(&self, line: &mut Line, lane: usize) -> Point {
        let point = Point { lane, sequence: self.context.submissions.submitted() + 1 };
        self.after_submission(line, point, None);
        point
    }

    /// Up to which submission of each lane these uses in `lane` must come after.
    pub(crate) fn conflicts<'a>(
        &self,
        line: &Line,
        lane: usize,
        uses: impl IntoIterator<Item = (&'a Memory, Touch)>,
        workspace: bool,
    ) -> [u64; LANES] {
        let mut needed = [0; LANES];
        for (memory, Touch { access, span, .. }) in uses {
            memory.conflicts(line.period, lane, access, span, &mut needed);
        }
        if workspace {
            line.workspace.conflicts(lane, Access::Write, Span::WHOLE, &mut needed);
        }
        needed
    }

    /// Has a lane wait for all that is needed.
    pub(crate) fn join(&self, line: &mut Line, lane: usize, needed: &[u64; LANES]) -> Result<(), BackendError> {
        for (other, sequence) in needed.iter().copied().enumerate() {
            let point = Point { lane: other, sequence };
            if other == lane || line.courses[lane].joined[other] >= sequence || self.is_over(point) {
                continue;
            }
            let (upto, event) = self.mark_behind(line, point)?;
            self.stream(lane)?.wait_for(&event)?;
            let before = self.context.submissions.submitted() + 1;
            let course = &mut line.courses[lane];
            course.joined[other] = upto;
            course.joins.push_back(Join { before, point: Point { lane: other, sequence: upto } });
        }
        Ok(())
    }

    /// Notes the uses of a submission that was enqueued.
    pub(crate) fn note<'a>(
        &self,
        line: &mut Line,
        point: Point,
        uses: impl IntoIterator<Item = (&'a Memory, Touch)>,
        workspace: bool,
    ) {
        let is_over = |point| self.is_over(point);
        for (memory, Touch { access, span, .. }) in uses {
            memory.note(line.period, Use { point, access, span }, is_over);
        }
        if workspace {
            line.workspace.note(Use { point, access: Access::Write, span: Span::WHOLE }, is_over);
        }
    }

    /// The lane in whose order a memory can be freed, which then comes after all that uses it.
    pub(crate) fn last_lane(&self, line: &mut Line, memory: &Memory) -> Result<usize, BackendError> {
        if !line.several {
            return Ok(0);
        }
        let mut needed = [0; LANES];
        memory.conflicts(line.period, LANES, Access::Write, Span::WHOLE, &mut needed);
        for (lane, sequence) in needed.iter_mut().enumerate() {
            if self.is_over(Point { lane, sequence: *sequence }) {
                *sequence = 0;
            }
        }
        let after = |lane: usize| {
            let joined = &line.courses[lane].joined;
            let behind = |(other, sequence): (usize, &u64)| other == lane || joined[other] >= *sequence;
            needed.iter().enumerate().all(behind)
        };
        let mut users = (0..LANES).filter(|lane| needed[*lane] != 0).peekable();
        if users.peek().is_none() {
            return Ok(0);
        }
        if let Some(lane) = users.find(|lane| after(*lane)) {
            return Ok(lane);
        }
        self.stream(RECLAIM)?;
        self.join(line, RECLAIM, &needed)?;
        Ok(RECLAIM)
    }
}
