//! How far the lanes have come: marks between submissions, and what follows from an end.
//!
//! Only when a submission follows another one in its lane while somebody still holds a ticket on that,
//! or while other lanes may have to wait for it, an event, a *mark*, is put between the two.

use std::sync::Arc;

use anywarp_backend::BackendError;

use crate::driver::Event;
use crate::streams::state::{LANES, Mark, Point};
use crate::submit::queue::{Line, Queue, Target};
use crate::submit::submission::Flight;

/// Marks in a lane before submissions look whether the oldest is over.
const MANY: usize = 16;

impl Queue {
    /// Puts a mark behind a lane's last submission, before another one follows, if somebody may wait
    /// for it; and looks whether old ones are over, if there are many.
    pub(crate) fn before_submission(&self, line: &mut Line, lane: usize) -> Result<(), BackendError> {
        let last = self.lanes[lane].latest();
        let course = &line.courses[lane];
        let wanted = line.several || course.claimed >= last || course.latest.strong_count() > 0;
        let marked = course.marks.back().is_some_and(|mark| mark.sequence >= last);
        if wanted && !marked && last > course.ended {
            self.mark(line, lane)?;
        }
        let marks = &line.courses[lane].marks;
        if marks.len() >= MANY
            && let Some(mark) = marks.front()
            && mark.event.is_over()?
        {
            let sequence = mark.sequence;
            self.advance_in(line, Point { lane, sequence });
        }
        Ok(())
    }

    /// Counts a submission that was enqueued.
    pub(crate) fn after_submission(&self, line: &mut Line, point: Point, flight: Option<&Arc<Flight>>) {
        let (lane, course) = (&self.lanes[point.lane], &mut line.courses[point.lane]);
        if course.ended == lane.latest() {
            course.first = point.sequence;
        }
        if let Some(flight) = flight {
            course.latest = Arc::downgrade(flight);
        }
        line.unnumbered &= point.lane != 0;
        lane.submit(point.sequence);
        self.context.submissions.submit(point.sequence);
    }

    /// A mark behind a submission, the nearest there is, or one behind all of its lane.
    pub(crate) fn mark_behind(&self, line: &mut Line, point: Point) -> Result<(u64, Arc<Event>), BackendError> {
        let marks = &line.courses[point.lane].marks;
        match marks.iter().find(|mark| mark.sequence >= point.sequence) {
            Some(mark) => Ok((mark.sequence, Arc::clone(&mark.event))),
            None => self.mark(line, point.lane),
        }
    }

    /// Puts a mark behind a lane's last submission.
    fn mark(&self, line: &mut Line, lane: usize) -> Result<(u64, Arc<Event>), BackendError> {
        let sequence = self.lanes[lane].latest();
        if let Some(mark) = line.courses[lane].marks.back()
            && mark.sequence == sequence
        {
            return Ok((sequence, Arc::clone(&mark.event)));
        }
        let event = line.spare_marks.pop().map_or_else(|| Event::mark(&self.context), Ok)?;
        event.record(self.stream(lane)?)?;
        let event = Arc::new(event);
        line.courses[lane].marks.push_back(Mark { sequence, event: Arc::clone(&event) });
        Ok((sequence, event))
    }

    /// Whether a submission has ended, by asking the driver.
    pub(crate) fn poll_in(&self, line: &mut Line, point: Point) -> Result<bool, BackendError> {
        if self.is_over(point) {
            return Ok(true);
        }
        let (over, upto) = match self.target_in(line, point)? {
            Target::Stream(upto) => (self.is_idle(point.lane)?, upto),
            Target::Mark(upto, event) => (event.is_over()?, upto),
        };
        if over {
            self.advance_in(line, Point { sequence: upto, ..point });
        }
        Ok(over)
    }

    /// All submissions of a lane up to this one have ended.
    pub(crate) fn advance(&self, point: Point) {
        let idle = {
            let mut line = self.line();
            self.advance_in(&mut line, point);
            if line.several && line.courses[point.lane].ended == self.lanes[point.lane].latest() {
                self.look_around(&mut line);
            }
            self.context.submissions.submitted() == self.context.submissions.finished()
        };
        self.graveyard.clear(idle, &self.pool, self.streams.first());
    }

    /// Asks whether the other lanes are idle too: nobody may wait for them.
    fn look_around(&self, line: &mut Line) {
        for (lane, state) in self.lanes.iter().enumerate() {
            if line.courses[lane].ended < state.latest() {
                // An error is for whoever asks for that lane.
                if !self.is_idle(lane).unwrap_or(false) {
                    return;
                }
                self.advance_in(line, Point { lane, sequence: state.latest() });
            }
        }
    }

    /// The same with the lock.
    pub(crate) fn advance_in(&self, line: &mut Line, point: Point) {
        if line.several {
            end_all(line, point);
        } else {
            let ended = &mut line.courses[point.lane].ended;
            *ended = point.sequence.max(*ended);
        }
        // What a submission depends on has a lower number, and has ended if it has.
        let mut index = 0;
        while let Some(pending) = line.pending.get(index) {
            if pending.point.sequence > line.courses[pending.point.lane].ended {
                if !line.several {
                    break;
                }
                index += 1;
            } else if let Some(pending) = line.pending.remove(index) {
                self.settle(line, pending);
            }
        }
        let submitted = self.context.submissions.submitted();
        let mut finished = submitted;
        let lanes = if line.several { LANES } else { 1 };
        for (lane, course) in self.lanes.iter().zip(&mut line.courses).take(lanes) {
            lane.finish(course.ended);
            if course.ended < lane.latest() {
                course.first = course.first.max(course.ended + 1);
                finished = finished.min(course.first - 1);
            }
            while course.marks.front().is_some_and(|mark| mark.sequence <= course.ended) {
                let Some(mark) = course.marks.pop_front() else { break };
                // Unless another thread waits for it just now.
                if let Ok(event) = Arc::try_unwrap(mark.event) {
                    line.spare_marks.push(event);
                }
            }
        }
        self.context.submissions.finish(finished);
        // Nothing runs, so nothing can conflict: from here on the first lane is alone again.
        line.several &= finished < submitted;
    }
}

/// A submission has ended, and with it all that it has waited for.
fn end_all(line: &mut Line, point: Point) {
    let mut ended = vec![point];
    while let Some(point) = ended.pop() {
        let course = &mut line.courses[point.lane];
        course.ended = point.sequence.max(course.ended);
        while course.joins.front().is_some_and(|join| join.before <= course.ended) {
            let Some(join) = course.joins.pop_front() else { break };
            ended.push(join.point);
        }
    }
}
