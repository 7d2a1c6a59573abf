//! The commands of a plan as calls of the driver.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Library, MemoryKind};
use cudarc::driver::sys::CUstream;

use crate::driver::context::Context;
use crate::events::Event;
use crate::grid;
use crate::plan::{Launch, Place, Plan, Step};
use crate::queue::Line;
use crate::settle::Timer;

const OPERATION: &str = "submitting";

/// Where the commands go.
pub(crate) struct Enqueue<'a> {
    pub(crate) context: &'a Arc<Context>,
    /// Of work, or of a capture.
    pub(crate) stream: CUstream,
    pub(crate) line: &'a mut Line,
    /// Filled for a timed plan.
    pub(crate) timers: Vec<Timer>,
    /// Something was enqueued.
    pub(crate) begun: bool,
}

impl Enqueue<'_> {
    /// Enqueues these commands, whose memories and addresses are good.
    pub(crate) fn run(&mut self, plan: &mut Plan, steps: Range<usize>) -> Result<(), BackendError> {
        // Parameters are read only, but the driver takes them as mutable.
        let parameters = plan.bytes.as_mut_ptr();
        let plan = &*plan;
        for step in &plan.steps[steps] {
            match step {
                Step::Copy { source, target } => self.copy(plan, *source, *target)?,
                Step::Fill { target, pattern } => self.fill(plan, *target, *pattern)?,
                Step::Launch(launch) => {
                    let start = self.start(plan)?;
                    self.launch(plan, launch, parameters)?;
                    self.end(start, &launch.label)?;
                }
                Step::Foreign { .. } => {}
                Step::Library { call, places, .. } => {
                    let start = self.start(plan)?;
                    self.library(plan, call, places)?;
                    if start.is_some() {
                        self.end(start, &call.to_string().into())?;
                    }
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
        let driver = self.context.driver;
        let (from, to) = (&plan.memories[source.memory], &plan.memories[target.memory]);
        let (start, end) = (plan.address(source), plan.address(target));
        let bytes = source.bytes as usize;
        let staging = |kind| matches!(kind, MemoryKind::Upload | MemoryKind::Staging | MemoryKind::Readback);
        // SAFETY: the plan checked that both places lie within their memories, which are not mapped;
        // they are freed after this, in the order of the stream.
        let result = unsafe {
            match (staging(from.kind).then_some(from.host).flatten(), staging(to.kind).then_some(to.host).flatten()) {
                (None, None) if from.host.is_none() && to.host.is_none() => {
                    (driver.cuMemcpyDtoDAsync_v2)(end, start, bytes, self.stream)
                }
                (Some(host), None) => {
                    let host = host.as_ptr().add(source.offset as usize).cast::<c_void>();
                    (driver.cuMemcpyHtoDAsync_v2)(end, host, bytes, self.stream)
                }
                (None, Some(host)) => {
                    let host = host.as_ptr().add(target.offset as usize).cast::<c_void>();
                    (driver.cuMemcpyDtoHAsync_v2)(host, start, bytes, self.stream)
                }
                _ => (driver.cuMemcpyAsync)(end, start, bytes, self.stream),
            }
        };
        self.context.check(OPERATION, "cuMemcpyAsync", result)
    }

    fn fill(&mut self, plan: &Plan, target: Place, pattern: u32) -> Result<(), BackendError> {
        let words = (target.bytes / 4) as usize;
        if words == 0 {
            return Ok(());
        }
        // SAFETY: as in `copy`; the place begins at a multiple of 4.
        let result =
            unsafe { (self.context.driver.cuMemsetD32Async)(plan.address(target), pattern, words, self.stream) };
        self.context.check(OPERATION, "cuMemsetD32Async", result)
    }

    fn launch(&mut self, plan: &Plan, launch: &Launch, parameters: *mut u8) -> Result<(), BackendError> {
        if grid::is_empty(launch.blocks) {
            return Ok(());
        }
        let pointers = &mut self.line.pointers;
        pointers.clear();
        let offsets = &plan.offsets[launch.parameters.clone()];
        pointers.extend(offsets.iter().map(|offset| parameters.wrapping_add(*offset).cast::<c_void>()));
        let [x, y, z] = launch.blocks;
        let [width, height, depth] = launch.kernel.program.workgroup_size;
        let shared = launch.loaded.dynamic_shared;
        // SAFETY: the function was loaded with these parameters, each of which has its bytes in the
        // plan; the driver copies them before it returns. Addresses are those of checked places.
        let result = unsafe {
            (self.context.driver.cuLaunchKernel)(
                launch.loaded.function,
                x,
                y,
                z,
                width,
                height,
                depth,
                shared,
                self.stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        self.context.check(OPERATION, "cuLaunchKernel", result).map_err(|error| match error {
            BackendError::Rejected { operation, message } => {
                BackendError::Rejected { operation, message: format!("{}: {message}", launch.label) }
            }
            error => error,
        })
    }

    fn library(&mut self, plan: &Plan, call: &Library, places: &[Place; 3]) -> Result<(), BackendError> {
        let [a, b, c] = places.map(|place| plan.address(place));
        match *call {
            Library::MatrixProduct { rows, columns, depth, precision, .. } => {
                self.line.library.matrix_product(self.stream, a, b, c, rows, columns, depth, precision)
            }
            _ => Err(BackendError::no_routine(call)),
        }
    }

    /// The moment before a launch, if the plan is timed.
    fn start(&mut self, plan: &Plan) -> Result<Option<(Event, Event)>, BackendError> {
        if !plan.timed {
            return Ok(None);
        }
        let mut timer = || self.line.timers.pop().map_or_else(|| Event::timer(self.context), Ok);
        let (start, end) = (timer()?, timer()?);
        start.record(self.stream)?;
        Ok(Some((start, end)))
    }

    fn end(&mut self, start: Option<(Event, Event)>, label: &Arc<str>) -> Result<(), BackendError> {
        if let Some((start, end)) = start {
            end.record(self.stream)?;
            self.timers.push(Timer { label: Arc::clone(label), start, end });
        }
        Ok(())
    }
}
