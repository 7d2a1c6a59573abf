//! Recordings taken apart, so that large copies run beside kernels.
//!
//! While a lane has work under way, the copies to the device that a recording begins with go to a lane
//! of their own, and so do the copies to the host that it ends with. Each part is a submission like any
//! other, and waits for what it conflicts with; the recording's ticket stands for all of them.

use std::ops::Range;

use anywarp_backend::{BackendError, MemoryKind};
use smallvec::{SmallVec, smallvec};

use crate::lane::{DOWN, Point, UP};
use crate::plan::{Plan, Step};
use crate::queue::{Line, Queue};

/// Bytes of copies that are worth a lane of their own: about what the copy engines move in the time
/// that the events between the lanes take, ten times over. Tests copy little.
pub(crate) const LARGE: u64 = if cfg!(test) { 128 } else { 1 << 20 };

/// Some of a plan's steps, and where they run.
pub(crate) struct Part {
    pub(crate) lane: usize,
    pub(crate) steps: Range<usize>,
    /// It is more than large copies.
    pub(crate) work: bool,
}

/// One part, or up to three.
pub(crate) type Parts = SmallVec<[Part; 1]>;

impl Queue {
    /// The parts of a plan for a lane, in the order of its steps.
    pub(crate) fn parts(&self, line: &mut Line, plan: &Plan, lane: usize) -> Result<Parts, BackendError> {
        let all = 0..plan.steps.len();
        let (mut first, last) = large_copies(plan);
        let work = first < last;
        if (first == 0 && last == all.end) || !self.is_busy(line, lane)? {
            return Ok(smallvec![Part { lane, steps: all, work }]);
        }
        // Copies that must wait for the lane gain nothing in another one, where they delay others.
        if first > 0 && self.is_bound(line, plan, 0..first, lane)? {
            first = 0;
        }
        let parts = [(UP, 0..first, false), (lane, first..last, work), (DOWN, last..all.end, false)];
        let parts = parts.into_iter().filter(|(_, steps, _)| !steps.is_empty());
        Ok(parts.map(|(lane, steps, work)| Part { lane, steps, work }).collect())
    }

    /// Whether a lane has anything under way but large copies.
    pub(crate) fn is_busy(&self, line: &mut Line, lane: usize) -> Result<bool, BackendError> {
        let sequence = line.courses[lane].worked;
        self.poll_in(line, Point { lane, sequence }).map(|over| !over)
    }

    /// Whether some of a plan's steps would have to wait for a lane if they ran in another one.
    fn is_bound(&self, line: &mut Line, plan: &Plan, steps: Range<usize>, lane: usize) -> Result<bool, BackendError> {
        self.begin_period(line);
        let needed = self.conflicts(line, UP, plan.uses(&plan.footprint(steps)), false);
        self.poll_in(line, Point { lane, sequence: needed[lane] }).map(|over| !over)
    }
}

/// Where the large copies to the device end that a plan begins with, and where those to the host begin
/// that it ends with.
fn large_copies(plan: &Plan) -> (usize, usize) {
    let steps = &plan.steps;
    let length = |step: &Step, up: bool| match step {
        Step::Copy { source, target } => {
            let [from, to] = [source, target].map(|place| plan.memories[place.memory].kind);
            let fits = match up {
                true => from == MemoryKind::Upload && to == MemoryKind::Device,
                false => from == MemoryKind::Device && to == MemoryKind::Readback,
            };
            fits.then_some(source.bytes)
        }
        _ => None,
    };
    // Timed plans are measured as they are.
    if plan.timed {
        return (0, steps.len());
    }
    let up: SmallVec<[u64; 4]> = steps.iter().map_while(|step| length(step, true)).collect();
    let first = if up.iter().sum::<u64>() >= LARGE { up.len() } else { 0 };
    let down: SmallVec<[u64; 4]> = steps[first..].iter().rev().map_while(|step| length(step, false)).collect();
    let last = if down.iter().sum::<u64>() >= LARGE { steps.len() - down.len() } else { steps.len() };
    (first, last)
}
