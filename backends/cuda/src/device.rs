//! An NVIDIA GPU as a backend.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use anywarp_backend::{
    Backend, BackendError, Caps, Command, Compilation, CopyCost, Counters, HostRange, KernelId, MemoryId, MemoryKind,
    Program, Recording, Ticket,
};
use cudarc::driver::sys::CUdevice;

use crate::allocate::{Pool, is_pinned, pinned};
use crate::candidates::Candidate;
use crate::caps::Card;
use crate::compile::Compiler;
use crate::driver::Driver;
use crate::driver::context::Context;
use crate::flight::Flight;
use crate::graph::{Entry, Graph, Way};
use crate::kernel::{Kernel, usual_form};
use crate::lane::lane_of;
use crate::memory::{Memory, Reserved};
use crate::plan::{Kernels, Known, Memories, Obstacle, Plan};
use crate::queue::Queue;
use crate::settle::GRAIN;
use crate::uses::Uses;
use anywarp_backend::guarded;

/// Iterations of loops that one invocation may make: about a second.
const STEPS: u64 = 1 << 31;
/// The variable that sets another number.
const STEPS_VARIABLE: &str = "ANYWARP_CUDA_STEPS";

/// How a device is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Copy between host and device memory although the two are one.
    pub staged: bool,
    /// Iterations that all loops of one invocation may make together, where it cannot be seen that
    /// they end, before the kernel is stopped; at most 2^32 - 1. Without it `ANYWARP_CUDA_STEPS`,
    /// then 2^31.
    pub steps: Option<u64>,
}

fn steps_of_environment() -> Option<u64> {
    let text = std::env::var(STEPS_VARIABLE).ok()?;
    text.trim().parse().inspect_err(|_| log::warn!("{STEPS_VARIABLE} is '{text}', which is not a number")).ok()
}

#[derive(Default)]
struct Counted {
    submissions: AtomicU64,
    dispatches: AtomicU64,
    barriers: AtomicU64,
    compilations: AtomicU64,
}

/// An NVIDIA GPU. When it is dropped it waits for the work it was given.
pub struct CudaDevice {
    caps: Caps,
    card: Card,
    pub(crate) queue: Arc<Queue>,
    pub(crate) compiler: Compiler,
    memories: RwLock<Memories>,
    kernels: RwLock<Kernels>,
    next_id: AtomicU64,
    /// Bytes allocated.
    live: AtomicU64,
    counted: Counted,
}

impl CudaDevice {
    pub(crate) fn open(
        driver: &'static Driver,
        candidate: &Candidate,
        options: Options,
    ) -> Result<Arc<Self>, BackendError> {
        let Candidate { caps, card, device, .. } = candidate;
        let mut opened = Self::start(driver, *device, caps.clone(), card, options)?;
        if !opened.caps.unified {
            let cost = CopyCost::measure(&*opened).inspect_err(|error| log::warn!("copies are not measured: {error}"));
            // Nobody else has it yet. What was measured is nobody's work.
            if let Some(opened) = Arc::get_mut(&mut opened) {
                opened.caps.copy_cost = cost.ok();
                opened.counted = Counted::default();
            }
        }
        Ok(opened)
    }

    fn start(
        driver: &'static Driver,
        device: CUdevice,
        mut caps: Caps,
        card: &Card,
        options: Options,
    ) -> Result<Arc<Self>, BackendError> {
        caps.unified &= !options.staged;
        let steps = options.steps.or_else(steps_of_environment).unwrap_or(STEPS);
        let steps = u32::try_from(steps).unwrap_or(u32::MAX).max(1);
        let context = Context::of(driver, device)?;
        let queue = {
            let _current = context.enter()?;
            Queue::create(&context, Pool::create(&context, device, card.pools)?)?
        };
        Ok(Arc::new(Self {
            caps,
            card: card.clone(),
            compiler: Compiler::new(&queue, card, steps),
            queue,
            memories: RwLock::default(),
            kernels: RwLock::default(),
            next_id: AtomicU64::new(1),
            live: AtomicU64::new(0),
            counted: Counted::default(),
        }))
    }

    fn fresh(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn memory(&self, id: MemoryId) -> Result<Arc<Memory>, BackendError> {
        let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
        memories.get(&id).cloned().ok_or(BackendError::UnknownMemory(id))
    }

    /// Memory of zeros; `None` when there is no more.
    fn reserve(&self, bytes: u64, kind: MemoryKind) -> Result<Option<Reserved>, BackendError> {
        if !is_pinned(kind) {
            return self.queue.allocate(bytes);
        }
        let pinned = pinned(&self.queue.context, bytes)?;
        let reserved = |(host, address)| Reserved { address, host: Some(host), last: 0, uses: Uses::default() };
        Ok(pinned.map(reserved))
    }

    /// Makes the plan of a recording, with all forms of kernels that it needs.
    fn plan(&self, recording: &Recording, plan: &mut Plan) -> Result<(), BackendError> {
        loop {
            let made = {
                let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
                let kernels = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
                let known = Known {
                    memories: &memories,
                    kernels: &kernels,
                    routines: &self.caps.library,
                    multiprocessors: self.card.multiprocessors,
                };
                plan.make(&known, recording)
            };
            match made {
                Ok(()) => return Ok(()),
                Err(Obstacle::Error(error)) => return Err(error),
                Err(Obstacle::Missing(kernel, form)) => {
                    plan.clear();
                    kernel.keep(form, self.compiler.make(&kernel.program, form)?.loaded);
                }
            }
        }
    }

    fn submit_plain(&self, recording: &Recording) -> Result<Arc<Flight>, BackendError> {
        let mut plan = self.queue.plan();
        if let Err(error) = self.plan(recording, &mut plan) {
            self.queue.give_back(plan);
            return Err(error);
        }
        self.queue.submit(plan, self.compiler.steps, lane_of(recording.stream))
    }

    /// Submits a recording that is kept, and may have become a graph.
    fn submit_kept(&self, recording: &Recording, entry: &mut Entry, version: u64) -> Result<Arc<Flight>, BackendError> {
        let lane = lane_of(recording.stream);
        let former = match entry.way(version, lane) {
            Way::Plain => return self.submit_plain(recording),
            Way::Again(graph) => return self.queue.submit_graph(&graph, self.compiler.steps, lane),
            Way::Capture(former) => former,
        };
        let mut plan = Plan::default();
        self.plan(recording, &mut plan)?;
        match Graph::capture(&self.queue, plan, former, lane) {
            Ok(graph) => {
                entry.keep(&graph);
                self.queue.submit_graph(&graph, self.compiler.steps, lane)
            }
            Err(error) if error.is_lost() => Err(error),
            Err(error) => {
                entry.refuse(&error);
                self.submit_plain(recording)
            }
        }
    }

    fn hand_over(&self, recording: &Recording) -> Result<Arc<Flight>, BackendError> {
        let _current = self.queue.context.enter()?;
        let kept = recording.slot().filter(|_| !recording.timed && recording.commands().len() > 1);
        let Some((slot, version)) = kept else { return self.submit_plain(recording) };
        let mut content = slot.lock();
        let entry = content.as_mut().and_then(|content| content.downcast_mut::<Entry>());
        if let Some(entry) = entry.filter(|entry| entry.is_for(&self.queue)) {
            return self.submit_kept(recording, entry, version);
        }
        let mut entry = Entry::new(&self.queue);
        let flight = self.submit_kept(recording, &mut entry, version)?;
        *content = Some(Box::new(entry));
        Ok(flight)
    }
}

impl Backend for CudaDevice {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn allocate(&self, bytes: u64, kind: MemoryKind, _label: &str) -> Result<MemoryId, BackendError> {
        self.queue.context.alive()?;
        let limit = self.caps.limits.buffer_size;
        if bytes > limit {
            return Err(BackendError::TooLarge { requested: bytes, limit });
        }
        if kind == MemoryKind::Shared && !self.caps.unified {
            let message = "host and device have memories of their own here, or were opened as if".to_owned();
            return Err(BackendError::Rejected { operation: "allocating", message });
        }
        let _current = self.queue.context.enter()?;
        let length = bytes.max(1).next_multiple_of(GRAIN);
        let mut reserved = self.reserve(length, kind)?;
        if reserved.is_none() {
            self.queue.make_room()?;
            reserved = self.reserve(length, kind)?;
        }
        let Some(reserved) = reserved else {
            let live = self.live.load(Ordering::Relaxed);
            return Err(BackendError::OutOfMemory { requested: bytes, kind, live });
        };
        let id = MemoryId(self.fresh());
        let memory = Memory::new(id, kind, length, reserved, &self.queue);
        self.live.fetch_add(length, Ordering::Relaxed);
        self.memories.write().unwrap_or_else(PoisonError::into_inner).insert(id, memory);
        Ok(id)
    }

    fn free(&self, memory: MemoryId) {
        let freed = self.memories.write().unwrap_or_else(PoisonError::into_inner).remove(&memory);
        let Some(freed) = freed else { return };
        self.live.fetch_sub(freed.bytes, Ordering::Relaxed);
        let current = self.queue.context.enter_anyway();
        // Under the lock, so that nothing that uses the memory is enqueued behind its end.
        let mut line = self.queue.line();
        if freed.retire() && current.is_ok() {
            self.queue.release(&mut line, &freed);
        }
    }

    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError> {
        self.queue.context.alive()?;
        self.memory(memory)?.map()
    }

    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError> {
        self.queue.context.alive()?;
        self.memory(memory)?.host()
    }

    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError> {
        self.memory(memory)?.unmap()
    }

    fn compile(&self, program: &Program) -> Result<Compilation, BackendError> {
        guarded("compiling", || {
            let _current = self.queue.context.enter()?;
            let usual = usual_form(&program.bindings);
            let made = self.compiler.make(program, usual)?;
            if made.fresh {
                self.counted.compilations.fetch_add(1, Ordering::Relaxed);
            }
            let resources = made.loaded.resources.clone();
            let id = KernelId(self.fresh());
            let kernel = Arc::new(Kernel::new(program, usual, made.loaded));
            self.kernels.write().unwrap_or_else(PoisonError::into_inner).insert(id, kernel);
            Ok(Compilation { kernel: id, resources: Some(resources) })
        })
    }

    fn discard(&self, kernel: KernelId) {
        let gone = self.kernels.write().unwrap_or_else(PoisonError::into_inner).remove(&kernel);
        if let Some(gone) = gone {
            gone.discard();
        }
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        let flight = guarded("submitting", || self.hand_over(recording))?;
        let dispatches = recording.commands().iter().filter(|command| matches!(command, Command::Dispatch(_)));
        self.counted.submissions.fetch_add(1, Ordering::Relaxed);
        self.counted.dispatches.fetch_add(dispatches.count() as u64, Ordering::Relaxed);
        self.counted.barriers.fetch_add(recording.barriers(), Ordering::Relaxed);
        Ok(Ticket::new(flight))
    }

    fn counters(&self) -> Counters {
        let mut counters = Counters::new();
        counters.submissions = self.counted.submissions.load(Ordering::Relaxed);
        counters.dispatches = self.counted.dispatches.load(Ordering::Relaxed);
        counters.barriers = self.counted.barriers.load(Ordering::Relaxed);
        counters.compilations = self.counted.compilations.load(Ordering::Relaxed);
        counters
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        self.queue.close();
        let Ok(_current) = self.queue.context.enter_anyway() else { return };
        let memories = std::mem::take(&mut *self.memories.write().unwrap_or_else(PoisonError::into_inner));
        for memory in memories.into_values() {
            if memory.retire() {
                self.queue.pool.free(memory.address, self.queue.first());
            }
        }
    }
}

#[cfg(test)]
#[path = "device/tests.rs"]
mod tests;
