//! Queries to the driver whether submissions have ended, and waits until they have.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anywarp_backend::BackendError;

use crate::driver::Event;
use crate::streams::state::{Point, Points, StreamState};
use crate::submit::queue::{Queue, QueueState};

/// The time that a wait spins before it sleeps: about the time that going to sleep and waking up takes.
const SPIN: Duration = Duration::from_micros(50);
/// The target of a wait: the whole stream, or a mark. The number is that of the last submission of the stream that has
/// ended when the wait ends.
pub(crate) enum Target {
    Stream(u64),
    Mark(u64, Arc<Event>),
}

impl Queue {
    /// Returns whether a submission is known to have ended.
    pub(crate) fn is_over(&self, point: Point) -> bool {
        self.states[point.stream].finished() >= point.sequence
    }

    /// Queries the driver whether submissions have ended. A submission that was refused counts as ended when the last
    /// submission before it in its stream has ended; the same holds for waits.
    pub(crate) fn poll(&self, points: &[Point]) -> Result<bool, BackendError> {
        for point in points {
            if !self.poll_one(*point)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn poll_one(&self, point: Point) -> Result<bool, BackendError> {
        if self.is_over(point) {
            return Ok(true);
        }
        let _current = self.context.enter()?;
        let (over, upto) = match self.target(point)? {
            Target::Stream(upto) => (self.is_idle(point.stream)?, upto),
            Target::Mark(upto, event) => (event.is_over()?, upto),
        };
        if over {
            self.advance(Point { sequence: upto, ..point });
        }
        Ok(over)
    }

    /// Waits until submissions have ended or the timeout has passed; returns whether they have ended.
    pub(crate) fn wait(self: &Arc<Self>, points: &[Point], timeout: Option<Duration>) -> Result<bool, BackendError> {
        let Some(timeout) = timeout else {
            return self.wait_here(points).map(|()| true);
        };
        let start = Instant::now();
        while !self.poll(points)? {
            if start.elapsed() >= timeout {
                return Ok(false);
            }
            if start.elapsed() >= SPIN {
                // A timeout beyond the clock's range means no timeout.
                let Some(deadline) = start.checked_add(timeout) else {
                    return self.wait_here(points).map(|()| true);
                };
                for point in points {
                    self.sleep_until(*point, deadline);
                }
                return self.poll(points);
            }
            std::hint::spin_loop();
        }
        Ok(true)
    }

    /// Waits on the calling thread. A wait for a stream's last submission spins in the driver.
    fn wait_here(&self, points: &[Point]) -> Result<(), BackendError> {
        points.iter().try_for_each(|point| self.wait_for(*point))
    }

    fn wait_for(&self, point: Point) -> Result<(), BackendError> {
        if self.is_over(point) {
            return Ok(());
        }
        let _current = self.context.enter()?;
        let upto = match self.target(point)? {
            Target::Stream(upto) => {
                self.synchronize(point.stream, "waiting")?;
                upto
            }
            Target::Mark(upto, event) => {
                let start = Instant::now();
                while !event.is_over()? {
                    if start.elapsed() >= SPIN {
                        event.wait()?;
                        break;
                    }
                    std::hint::spin_loop();
                }
                upto
            }
        };
        self.advance(Point { sequence: upto, ..point });
        Ok(())
    }

    /// Waits on the calling thread without spinning.
    pub(crate) fn wait_asleep(&self, point: Point) -> Result<(), BackendError> {
        if self.is_over(point) {
            return Ok(());
        }
        let _current = self.context.enter()?;
        let (upto, event) = self.mark_behind(&mut self.lock(), point)?;
        event.wait()?;
        self.advance(Point { sequence: upto, ..point });
        Ok(())
    }

    /// Waits for all work, including work without a number.
    pub(crate) fn drain(&self, operation: &'static str) -> Result<(), BackendError> {
        let ends: Points = {
            // The lock is held, so that a submission in progress is included.
            let _state = self.lock();
            let open = |(stream, _): &(usize, &StreamState)| self.streams.get(*stream).is_some();
            let end = |(stream, each): (usize, &StreamState)| Point { stream, sequence: each.latest() };
            self.states.iter().enumerate().filter(open).map(end).collect()
        };
        let _current = self.context.enter()?;
        for end in ends {
            self.synchronize(end.stream, operation)?;
            self.advance(end);
        }
        Ok(())
    }

    /// Records that a mapping will wait for these submissions, so that events are recorded after them.
    pub(crate) fn claim(&self, points: &[Point]) {
        let mut state = self.lock();
        for point in points {
            let claimed = &mut state.progress[point.stream].claimed;
            *claimed = point.sequence.max(*claimed);
        }
    }

    /// Returns the target of a wait for a submission.
    fn target(&self, point: Point) -> Result<Target, BackendError> {
        // No lock is needed. For a submission in progress there is no ticket yet, and a mapping of its memory has taken
        // the lock since.
        let latest = self.states[point.stream].latest();
        if point.sequence >= latest {
            return Ok(Target::Stream(latest));
        }
        self.target_in(&mut self.lock(), point)
    }

    /// Same as [`target`](Self::target), for callers that hold the lock.
    pub(crate) fn target_in(&self, state: &mut QueueState, point: Point) -> Result<Target, BackendError> {
        let latest = self.states[point.stream].latest();
        if point.sequence >= latest {
            return Ok(Target::Stream(latest));
        }
        // Without a mark that follows the submission, the wait includes all later submissions.
        self.mark_behind(state, point).map(|(upto, event)| Target::Mark(upto, event))
    }

    pub(crate) fn is_idle(&self, stream: usize) -> Result<bool, BackendError> {
        self.stream(stream)?.is_idle()
    }

    fn synchronize(&self, stream: usize, operation: &'static str) -> Result<(), BackendError> {
        self.stream(stream)?.synchronize(operation)
    }
}
