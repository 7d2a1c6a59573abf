//! Enqueues the steps of a plan as calls of the driver.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Library, MemoryKind};

use crate::driver::{Event, LaunchShape, Stream};
use crate::record::grid;
use crate::record::plan::Plan;
use crate::record::step::{Launch, Place, Step};
use crate::submit::complete::{Timed, Timer};
use crate::submit::queue::QueueState;

/// A stream to which steps are enqueued, with the state that this needs.
pub(crate) struct Enqueue<'a> {
    /// The stream for work or for a capture.
    pub(crate) native: &'a Stream,
    pub(crate) state: &'a mut QueueState,
    /// The timers of the steps of a timed plan; empty otherwise.
    pub(crate) timers: Vec<Timer>,
    /// Whether any step was enqueued.
    pub(crate) begun: bool,
}

impl Enqueue<'_> {
    /// Enqueues a range of the plan's steps.
    pub(crate) fn run(&mut self, plan: &Plan, steps: Range<usize>) -> Result<(), BackendError> {
        for step in &plan.steps[steps] {
            match step {
                Step::Copy { source, target } => {
                    let start = self.start(plan)?;
                    self.copy(plan, *source, *target)?;
                    self.end(start, || Timed::Transfer { is_fill: false, bytes: target.bytes })?;
                }
                Step::Fill { target, pattern } => {
                    let start = self.start(plan)?;
                    self.fill(plan, *target, *pattern)?;
                    self.end(start, || Timed::Transfer { is_fill: true, bytes: target.bytes })?;
                }
                Step::Launch(launch) => {
                    let start = self.start(plan)?;
                    self.launch(plan, launch)?;
                    self.end(start, || Timed::Launch(Arc::clone(&launch.label)))?;
                }
                Step::Foreign { .. } => {}
                Step::Library { call, places, .. } => {
                    let start = self.start(plan)?;
                    self.library(plan, call, places)?;
                    self.end(start, || Timed::Launch(call.to_string().into()))?;
                }
            }
            self.begun = true;
        }
        Ok(())
    }

    fn copy(&mut self, plan: &Plan, source: Place, target: Place) -> Result<(), BackendError> {
        if source.bytes == 0 {
            return Ok(());
        }
        let (from, to) = (&plan.memories[source.memory], &plan.memories[target.memory]);
        let (start, end) = (plan.slice(source), plan.slice(target));
        let staging = |kind| matches!(kind, MemoryKind::Upload | MemoryKind::Staging | MemoryKind::Readback);
        match (from.host_bytes(), to.host_bytes()) {
            (None, None) => self.native.copy_on_device(end, start),
            (Some(host), _) if staging(from.kind) && !staging(to.kind) => {
                self.native.copy_to_device(end, host.part(source.offset, source.bytes))
            }
            (_, Some(host)) if staging(to.kind) && !staging(from.kind) => {
                self.native.copy_to_host(host.part(target.offset, target.bytes), start)
            }
            _ => self.native.copy(end, start),
        }
    }

    fn fill(&mut self, plan: &Plan, target: Place, pattern: u32) -> Result<(), BackendError> {
        if target.bytes < 4 {
            return Ok(());
        }
        self.native.fill(plan.slice(target), pattern)
    }

    fn launch(&mut self, plan: &Plan, launch: &Launch) -> Result<(), BackendError> {
        if grid::is_empty(launch.blocks) {
            return Ok(());
        }
        let shape = LaunchShape {
            blocks: launch.blocks,
            threads: launch.kernel.program.workgroup_size,
            dynamic_shared: launch.loaded.dynamic_shared,
        };
        let (arguments, room) = (launch.arguments.clone(), &mut self.state.pointers);
        let launched = launch.loaded.module.launch(self.native, &shape, &plan.arguments, arguments, room);
        launched.map_err(|error| match error {
            BackendError::Rejected { operation, message } => {
                BackendError::Rejected { operation, message: format!("{}: {message}", launch.label) }
            }
            error => error,
        })
    }

    fn library(&mut self, plan: &Plan, call: &Library, places: &[Place; 3]) -> Result<(), BackendError> {
        let places = places.map(|place| plan.slice(place));
        match *call {
            Library::MatrixProduct { rows, columns, depth, precision, form, .. } => {
                self.state.library.matrix_product(self.native, places, [rows, columns, depth], precision, form)
            }
            _ => Err(BackendError::no_routine(call)),
        }
    }

    /// Records an event before a step, if the plan is timed. Returns that event and the one for the end.
    fn start(&mut self, plan: &Plan) -> Result<Option<(Event, Event)>, BackendError> {
        if !plan.timed {
            return Ok(None);
        }
        let mut timer = || self.state.timers.pop().map_or_else(|| Event::timer(self.native.context()), Ok);
        let (start, end) = (timer()?, timer()?);
        start.record(self.native)?;
        Ok(Some((start, end)))
    }

    fn end(&mut self, start: Option<(Event, Event)>, of: impl FnOnce() -> Timed) -> Result<(), BackendError> {
        if let Some((start, end)) = start {
            end.record(self.native)?;
            self.timers.push(Timer { of: of(), start, end });
        }
        Ok(())
    }
}
