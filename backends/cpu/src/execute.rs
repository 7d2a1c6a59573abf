//! Executes a resolved recording: its steps in order, each spread over as many threads as are worthwhile.
//!
//! After a kernel has stopped, no other dispatch of the submission runs, and neither do steps that read memory that the
//! kernel should have written. Copies and fills of valid data still run, so that no data of the host is lost.

mod dispatch;
mod scratch;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anywarp_backend::{
    Access, BackendError, Clock, Findings, MemoryKind, Mode, Observations, Timing, Timings, Transfer,
};
use anywarp_host::Failure;
use anywarp_host::threads::spread_over;
use smallvec::SmallVec;

use crate::library::Call;
use crate::memory::{Memory, SUBMISSION};
use crate::record::{BYTE_COST, Grid, Place, Resolved, Step};
pub(crate) use dispatch::Dispatch;

/// The origin of timings: the start of the first timed step.
static EPOCH: OnceLock<Instant> = OnceLock::new();

/// The size in bytes of one piece of a copy or fill.
const PIECE: usize = 64 << 10;

/// The settings and state that executions of one device share.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// The limit on loop iterations and calls, see [`Frame::steps`](crate::abi::Frame::steps).
    pub(crate) steps: u64,
    /// The number of threads over which work is spread.
    pub(crate) threads: usize,
    /// Whether `submit` executes all work itself.
    pub(crate) alone: bool,
    /// The limit on workgroups in one dimension; an indirect dispatch above the limit runs nothing.
    pub(crate) max_groups: u32,
    /// Whether anything on the device has ever failed; if not, no memory can be poisoned.
    pub(crate) anything_failed: AtomicBool,
}

/// The result of a submission.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) failure: Option<Arc<Failure>>,
    pub(crate) timings: Option<Timings>,
    /// The findings of checked kernels.
    pub(crate) findings: Findings,
    /// The counts of observed kernels.
    pub(crate) observations: Observations,
}

/// Executes a whole recording.
pub(crate) fn execute(resolved: &Resolved, conditions: &Conditions) -> Outcome {
    let mut run = Run {
        resolved,
        conditions,
        stopped: None,
        failure: None,
        timings: Vec::new(),
        transfers: Vec::new(),
        findings: Findings::default(),
        observations: Observations::default(),
    };
    for step in &resolved.steps {
        match step {
            Step::Copy { source, target } => run.transfer(false, target.bytes, |run| run.copy(*source, *target)),
            Step::Fill { target, pattern } => run.transfer(true, target.bytes, |run| run.fill(*target, *pattern)),
            Step::Dispatch { kernel, grid, slots, immediates } => run.dispatch(*kernel, grid, slots, *immediates),
            Step::Library { call, slots } => run.library(call, slots),
        }
    }
    let Run { timings: entries, transfers, .. } = run;
    let timings = resolved.timed.then_some(Timings { clock: Clock::Device, entries, transfers });
    Outcome { failure: run.failure, timings, findings: run.findings, observations: run.observations }
}

/// Returns the outcome of an execution that panicked: all memory that the recording writes is poisoned.
pub(crate) fn abandon(resolved: &Resolved, conditions: &Conditions, error: BackendError) -> Outcome {
    let failure = Failure::new(error);
    conditions.anything_failed.store(true, Ordering::Release);
    for step in &resolved.steps {
        match step {
            Step::Copy { target, .. } | Step::Fill { target, .. } => resolved.memories[target.memory].poison(&failure),
            Step::Dispatch { slots, .. } | Step::Library { slots, .. } => {
                written(resolved, slots).for_each(|memory| memory.poison(&failure));
            }
        }
    }
    Outcome { failure: Some(failure), ..Outcome::default() }
}

fn written<'a>(resolved: &'a Resolved, slots: &Range<usize>) -> impl Iterator<Item = &'a Arc<Memory>> {
    let touches = resolved.touches[slots.clone()].iter().flatten();
    touches.filter(|touch| touch.access == Access::Write).map(|touch| &resolved.memories[touch.memory])
}

/// The time on the clock of timings.
fn since_epoch(moment: Instant) -> Duration {
    moment.saturating_duration_since(*EPOCH.get_or_init(|| moment))
}

struct Run<'a> {
    resolved: &'a Resolved,
    conditions: &'a Conditions,
    /// The failure of a stopped dispatch, after which no other dispatch runs.
    stopped: Option<Arc<Failure>>,
    /// The first failure of the submission.
    failure: Option<Arc<Failure>>,
    timings: Vec<Timing>,
    transfers: Vec<Transfer>,
    findings: Findings,
    observations: Observations,
}

impl Run<'_> {
    fn anything_failed(&self) -> bool {
        self.conditions.anything_failed.load(Ordering::Acquire)
    }

    fn fails(&mut self, failure: &Arc<Failure>) {
        self.conditions.anything_failed.store(true, Ordering::Release);
        self.failure.get_or_insert_with(|| Arc::clone(failure));
    }

    /// Runs a copy or fill, and measures it if the recording is timed.
    fn transfer(&mut self, is_fill: bool, bytes: usize, run: impl FnOnce(&mut Self)) {
        if !self.resolved.timed {
            return run(self);
        }
        let began = Instant::now();
        run(self);
        let (start, bytes) = (since_epoch(began), bytes as u64);
        self.transfers.push(Transfer { is_fill, bytes, start, duration: began.elapsed() });
    }

    fn copy(&mut self, source: Place, target: Place) {
        let (from, to) = (&self.resolved.memories[source.memory], &self.resolved.memories[target.memory]);
        if self.anything_failed() {
            if let Some(failure) = from.failure() {
                to.poison(&failure);
                if to.kind == MemoryKind::Readback {
                    // The error of the source is about to reach the host, so the source need not report it again.
                    from.clear_poison();
                }
                return self.fails(&failure);
            }
            replaced(to, target);
        }
        // SAFETY: the check of the recording has shown that both places are valid and do not overlap. The device runs
        // its work in order and the memories are not mapped, so no other access happens at the same time.
        unsafe {
            let from = Address(from.bytes.start().as_ptr().add(source.offset));
            let to = Address(to.bytes.start().as_ptr().add(target.offset));
            pieces(self.conditions.threads, target.bytes, &|piece| {
                std::ptr::copy_nonoverlapping(from.at(piece.start), to.at(piece.start), piece.len());
            });
        }
    }

    fn fill(&mut self, target: Place, pattern: u32) {
        let to = &self.resolved.memories[target.memory];
        if self.anything_failed() {
            replaced(to, target);
        }
        // SAFETY: as in `copy`; pieces begin at multiples of 4 of a memory aligned to 64.
        unsafe {
            let to = Address(to.bytes.start().as_ptr().add(target.offset));
            pieces(self.conditions.threads, target.bytes, &|piece| {
                let words = std::slice::from_raw_parts_mut(to.at(piece.start).cast::<u32>(), piece.len() / 4);
                words.fill(pattern.to_le());
            });
        }
    }

    fn dispatch(&mut self, kernel: usize, grid: &Grid, slots: &Range<usize>, immediates: usize) {
        let (resolved, kernel) = (self.resolved, &self.resolved.kernels[kernel]);
        if let Some(failure) = self.hindrance(Some(grid), slots) {
            return self.skips(&kernel.name, slots, &failure);
        }
        let groups = match grid {
            Grid::Groups(groups) => *groups,
            Grid::Indirect(place) => self.groups_at(*place),
        };
        let start = self.resolved.timed.then(Instant::now);
        // SAFETY: there is a valid slot for each binding, and `resolved` keeps slots, memories and values alive.
        let dispatch = unsafe {
            let slots = resolved.slots.as_ptr().add(slots.start);
            Dispatch::new(kernel, slots, resolved.immediates(immediates), groups, self.conditions.steps)
        };
        let result = match &kernel.machine.checks {
            None => spread_over(self.conditions.threads, dispatch.count(), kernel.cost(), &|range| dispatch.run(range)),
            Some(checks) if kernel.machine.mode == Mode::Observed => {
                let (result, observed) = dispatch.run_observed(checks);
                observed.into_iter().for_each(|observed| self.observations.add(observed));
                result.map(|()| 0.0)
            }
            Some(checks) => {
                let (result, findings) = dispatch.run_checked(checks);
                self.findings.extend(findings);
                result.map(|()| 0.0)
            }
        };
        if let Some(start) = start {
            self.took(&kernel.name, start);
        }
        match result {
            Ok(cost) if cost > 0.0 => kernel.took(cost),
            Ok(_) => {}
            Err(error) => self.stops(error, slots),
        }
    }

    fn library(&mut self, call: &Call, slots: &Range<usize>) {
        if let Some(failure) = self.hindrance(None, slots) {
            return self.skips(call.name(), slots, &failure);
        }
        let start = self.resolved.timed.then(Instant::now);
        let arrays: SmallVec<[*mut u8; 3]> = self.resolved.slots[slots.clone()].iter().map(|slot| slot.start).collect();
        // SAFETY: the check of the recording has shown that each array is within its memory and aligned to its elements,
        // and overlaps others only as the routine allows. The device runs its work in order and the memories are not mapped.
        let result = unsafe { call.run(self.conditions.threads, &arrays) };
        if let Some(start) = start {
            self.took(call.name(), start);
        }
        if let Err(error) = result {
            self.stops(error, slots);
        }
    }

    /// Leaves out a step because of an earlier failure: the memory that the step writes has undefined contents.
    fn skips(&mut self, label: &Arc<str>, slots: &Range<usize>, failure: &Arc<Failure>) {
        written(self.resolved, slots).for_each(|memory| memory.poison(failure));
        self.took(label, Instant::now());
        self.fails(failure);
    }

    /// Notes that a step has failed, after which no kernel or product runs.
    fn stops(&mut self, error: BackendError, slots: &Range<usize>) {
        let failure = Failure::new(error);
        written(self.resolved, slots).for_each(|memory| memory.poison(&failure));
        self.stopped = Some(Arc::clone(&failure));
        self.fails(&failure);
    }

    fn took(&mut self, label: &Arc<str>, began: Instant) {
        if self.resolved.timed {
            let start = since_epoch(began);
            let duration = began.elapsed();
            self.timings.push(Timing { label: Arc::clone(label), start, duration });
        }
    }

    /// Returns the failure that prevents a dispatch or product: an earlier stop, or poisoned memory that it would use.
    fn hindrance(&self, grid: Option<&Grid>, slots: &Range<usize>) -> Option<Arc<Failure>> {
        if !self.anything_failed() {
            return None;
        }
        if let Some(failure) = &self.stopped {
            return Some(Arc::clone(failure));
        }
        if let Some(Grid::Indirect(place)) = grid
            && let Some(failure) = self.resolved.memories[place.memory].failure()
        {
            return Some(failure);
        }
        for touch in self.resolved.touches[slots.clone()].iter().flatten() {
            let memory = &self.resolved.memories[touch.memory];
            match memory.failure() {
                // The failure was reported before this submission, so the dispatch may write to the memory again.
                Some(failure) if touch.access == Access::Write && failure.was_reported_before(SUBMISSION + 1) => {
                    memory.clear_poison();
                }
                Some(failure) => return Some(failure),
                None => {}
            }
        }
        None
    }

    /// The workgroup counts of an indirect grid; zeros if one of the counts exceeds [`Conditions::max_groups`].
    fn groups_at(&self, place: Place) -> [u32; 3] {
        let start = self.resolved.memories[place.memory].bytes.start();
        // SAFETY: the check of the recording has shown that the place has twelve valid bytes, aligned to 4.
        let groups = unsafe { start.add(place.offset).cast::<[u32; 3]>().read() };
        if groups.iter().any(|count| *count > self.conditions.max_groups) { [0; 3] } else { groups }
    }
}

/// Clears the poison of a memory that a copy or fill replaces as a whole. The poison of readback memory is always
/// cleared, because such memory contains only the data that the host reads next.
fn replaced(memory: &Memory, place: Place) {
    let whole = place.offset == 0 && place.bytes + crate::memory::bytes::ALIGNMENT > memory.bytes.len();
    if whole || memory.kind == MemoryKind::Readback {
        memory.clear_poison();
    }
}

/// The address of the first byte of memory that several threads access, each in its own piece.
#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: an address is only a number; accesses through it are separate unsafe code.
unsafe impl Sync for Address {}

impl Address {
    fn at(&self, offset: usize) -> *mut u8 {
        self.0.wrapping_add(offset)
    }
}

/// Calls `work` for pieces of the range `0..bytes`, on up to `threads` threads.
fn pieces(threads: usize, bytes: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let count = bytes.div_ceil(PIECE) as u64;
    // `work` cannot fail.
    let _ = spread_over(threads, count, Some(PIECE as f64 * BYTE_COST), &|range| {
        work(range.start as usize * PIECE..bytes.min(range.end as usize * PIECE));
        Ok(())
    });
}
