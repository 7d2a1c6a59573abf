//! Divides plans, so that large copies run beside kernels.
//!
//! While a stream has work, large copies to the device use a stream of their own, and so do large copies to the host.
//! Each part of a recording is an ordinary submission, in the order of its steps, and waits for the submissions that it
//! conflicts with. The recording's ticket covers all parts.

use std::ops::Range;

use anywarp_backend::{Access, BackendError, MemoryKind};
use smallvec::{SmallVec, smallvec};

use crate::record::plan::Plan;
use crate::record::step::{Step, Touch};
use crate::streams::state::{DOWNLOAD, Point, UPLOAD};
use crate::submit::queue::{Queue, QueueState};

/// The size in bytes from which copies are submitted to a stream of their own: about ten times the bytes that the copy
/// engines transfer in the time that the events between the streams take. Tests use small copies.
pub(crate) const LARGE: u64 = if cfg!(test) { 128 } else { 1 << 20 };
/// The largest number of parts of a plan: all further steps are one part.
const MAX_PARTS: usize = 8;

/// A range of a plan's steps, and their stream.
pub(crate) struct Part {
    pub(crate) stream: usize,
    pub(crate) steps: Range<usize>,
    /// Whether the part contains steps other than large copies.
    pub(crate) work: bool,
}

/// The parts of a plan, usually one.
pub(crate) type Parts = SmallVec<[Part; 1]>;

impl Queue {
    /// Returns the parts of a plan for a stream, in the order of its steps.
    pub(crate) fn parts(&self, state: &mut QueueState, plan: &Plan, stream: usize) -> Result<Parts, BackendError> {
        let all = 0..plan.steps.len();
        // A timed plan is not divided, nor a plan whose copies have fewer bytes in total than one large copy.
        if plan.copied < LARGE || plan.timed {
            return Ok(smallvec![Part { stream, steps: all, work: true }]);
        }
        let busy = self.is_busy(state, stream)?;
        let mut parts = Parts::new();
        // Whether an earlier step of this recording is not a large copy; uploads need not wait for such steps either.
        let mut works = false;
        for (direction, steps) in runs(plan) {
            let aside = match direction {
                Some(UPLOAD) => (busy || works) && !self.is_bound(state, plan, &steps, stream, &parts)?,
                Some(_) => busy,
                None => false,
            };
            let to = direction.filter(|_| aside && parts.len() + 1 < MAX_PARTS).unwrap_or(stream);
            works |= direction.is_none();
            match parts.last_mut().filter(|last| last.stream == to) {
                Some(last) => {
                    last.steps.end = steps.end;
                    last.work |= direction.is_none();
                }
                None => parts.push(Part { stream: to, steps, work: direction.is_none() }),
            }
        }
        Ok(parts)
    }

    /// Returns whether a stream has any work in flight other than large copies.
    pub(crate) fn is_busy(&self, state: &mut QueueState, stream: usize) -> Result<bool, BackendError> {
        let sequence = state.progress[stream].worked;
        self.poll_in(state, Point { stream, sequence }).map(|over| !over)
    }

    /// Returns whether some of a plan's steps would have to wait for a stream, or for the `former` parts in that
    /// stream, if they ran in another stream. Moving such steps gains nothing, and delays other work in the other
    /// stream.
    fn is_bound(
        &self,
        state: &mut QueueState,
        plan: &Plan,
        steps: &Range<usize>,
        stream: usize,
        former: &[Part],
    ) -> Result<bool, BackendError> {
        let touches = plan.footprint(steps.clone());
        let conflict = |part: &Part| {
            let others = plan.footprint(part.steps.clone());
            touches.iter().any(|touch| others.iter().any(|other| conflicts(plan, *touch, *other)))
        };
        if former.iter().filter(|part| part.stream == stream).any(conflict) {
            return Ok(true);
        }
        self.begin_period(state);
        let needed = self.conflicts(state, UPLOAD, plan.uses(&touches), false);
        self.poll_in(state, Point { stream, sequence: needed[stream] }).map(|over| !over)
    }
}

fn conflicts(plan: &Plan, one: Touch, other: Touch) -> bool {
    let same = std::ptr::eq(&raw const *plan.memories[one.memory], &raw const *plan.memories[other.memory]);
    same && (one.access == Access::Write || other.access == Access::Write) && one.span.overlaps(other.span)
}

/// Splits the steps of a plan into runs: consecutive copies in one direction that have at least [`LARGE`] bytes in
/// total, with the stream for that direction; and the other steps between them, with `None`.
fn runs(plan: &Plan) -> SmallVec<[(Option<usize>, Range<usize>); 4]> {
    let mut runs: SmallVec<[(Option<usize>, Range<usize>); 4]> = SmallVec::new();
    let mut add = |direction, steps: Range<usize>| match runs.last_mut().filter(|(last, _)| *last == direction) {
        Some((_, last)) => last.end = steps.end,
        None => runs.push((direction, steps)),
    };
    let mut next = 0;
    while next < plan.steps.len() {
        let start = next;
        let found = direction(plan, start).map(|(stream, _)| stream);
        let mut bytes = 0;
        while let Some((stream, length)) = direction(plan, next)
            && Some(stream) == found
        {
            bytes += length;
            next += 1;
        }
        next = next.max(start + 1);
        add(found.filter(|_| bytes >= LARGE), start..next);
    }
    runs
}

/// Returns the stream for a step that copies between host and device memory, and the number of bytes it copies.
fn direction(plan: &Plan, step: usize) -> Option<(usize, u64)> {
    let Step::Copy { source, target } = plan.steps.get(step)? else { return None };
    let kinds = [source, target].map(|place| plan.memories[place.memory].kind);
    match kinds {
        [MemoryKind::Upload | MemoryKind::Staging, MemoryKind::Device] => Some((UPLOAD, source.bytes)),
        [MemoryKind::Device, MemoryKind::Readback] => Some((DOWNLOAD, source.bytes)),
        _ => None,
    }
}
