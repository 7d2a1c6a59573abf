//! An NVIDIA GPU as a backend.

pub(crate) mod candidates;
mod options;
mod recordings;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use anywarp_backend::{
    Backend, BackendError, Caps, Command, Compilation, Counters, HostRange, KernelId, MemoryId, MemoryKind, Program,
    Recording, Ticket,
};
use anywarp_host::energy::Meter;
use anywarp_host::{guarded, measure_copy_cost};

use crate::caps::Card;
use crate::driver::{Context, Device, Driver, PinnedMemory, Pool, Window};
use crate::kernel::compile::Compiler;
use crate::kernel::{Kernel, usual_form};
use crate::memory::{Backing, Memory, Reserved, is_pinned};
use crate::record::plan::{Kernels, Memories};
use crate::streams::uses::Uses;
use crate::submit::complete::GRAIN;
use crate::submit::queue::Queue;
use candidates::Candidate;
pub use options::Options;

#[derive(Default)]
struct Counted {
    submissions: AtomicU64,
    dispatches: AtomicU64,
    barriers: AtomicU64,
    compilations: AtomicU64,
}

/// An NVIDIA GPU. Dropping the value waits for its submitted work.
pub struct CudaDevice {
    caps: Caps,
    card: Card,
    pub(crate) queue: Arc<Queue>,
    pub(crate) compiler: Compiler,
    memories: RwLock<Memories>,
    kernels: RwLock<Kernels>,
    next_id: AtomicU64,
    /// The number of bytes allocated.
    live: AtomicU64,
    counted: Counted,
    driver: &'static Driver,
    device: Device,
    /// The counter of the card's energy, found when it is first read.
    meter: OnceLock<Option<Meter>>,
    /// The way to memory of the card that the host can write.
    window: Window,
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
            let cost = measure_copy_cost(&*opened).inspect_err(|error| log::warn!("copies are not measured: {error}"));
            // There is no other reference to the device yet. The counters must not include the commands of the
            // measurement.
            if let Some(opened) = Arc::get_mut(&mut opened) {
                opened.caps.copy_cost = cost.ok();
                opened.counted = Counted::default();
            }
        }
        Ok(opened)
    }

    fn start(
        driver: &'static Driver,
        device: Device,
        mut caps: Caps,
        card: &Card,
        options: Options,
    ) -> Result<Arc<Self>, BackendError> {
        caps.unified &= !options.staged;
        let context = Context::of(driver, device)?;
        let queue = {
            let _current = context.enter()?;
            Queue::create(&context, Pool::create(&context, device, card.pools)?)?
        };
        Ok(Arc::new(Self {
            caps,
            card: card.clone(),
            compiler: Compiler::new(&queue, card, options.loop_limit()),
            queue,
            memories: RwLock::default(),
            kernels: RwLock::default(),
            next_id: AtomicU64::new(1),
            live: AtomicU64::new(0),
            counted: Counted::default(),
            driver,
            device,
            meter: OnceLock::new(),
            window: Window::default(),
        }))
    }

    fn fresh(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn memory(&self, id: MemoryId) -> Result<Arc<Memory>, BackendError> {
        let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
        memories.get(&id).cloned().ok_or(BackendError::UnknownMemory(id))
    }

    /// Allocates zeroed memory; `None` when no memory is left.
    fn reserve(&self, bytes: u64, kind: MemoryKind) -> Result<Option<Reserved>, BackendError> {
        if !is_pinned(kind) {
            return self.queue.allocate(bytes);
        }
        let pinned = match kind {
            MemoryKind::Inbox => Some(self.window.allocate(&self.queue.context, self.device, bytes)?),
            _ => PinnedMemory::allocate(&self.queue.context, bytes, "allocating")?,
        };
        let reserved = |memory| Reserved { backing: Backing::Pinned(memory), last: 0, uses: Uses::default() };
        Ok(pinned.map(reserved))
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
            let message = "shared memory is not available: host and device do not share memory on this GPU, or the \
                           device was opened with `staged`; use memory of another kind"
                .to_owned();
            return Err(BackendError::Rejected { operation: "allocating", message });
        }
        if kind == MemoryKind::Exchange && self.caps.persistent.is_none() {
            return Err(BackendError::no_exchange());
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
        let memory = Memory::new(id, kind, reserved, &self.queue);
        self.live.fetch_add(length, Ordering::Relaxed);
        self.memories.write().unwrap_or_else(PoisonError::into_inner).insert(id, memory);
        Ok(id)
    }

    fn free(&self, memory: MemoryId) {
        let freed = self.memories.write().unwrap_or_else(PoisonError::into_inner).remove(&memory);
        let Some(freed) = freed else { return };
        self.live.fetch_sub(freed.bytes, Ordering::Relaxed);
        let current = self.queue.context.enter_anyway();
        // Holds the queue's lock, so that no use of the memory is enqueued after it is freed.
        let mut state = self.queue.lock();
        if let (Some(device), Ok(_current)) = (freed.retire(), &current) {
            self.queue.release(&mut state, &freed, device);
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
        if let Some(control) = recording.resident {
            let resident = guarded("submitting", || self.start_resident(recording, control))?;
            self.counted.submissions.fetch_add(1, Ordering::Relaxed);
            self.counted.dispatches.fetch_add(1, Ordering::Relaxed);
            return Ok(Ticket::new(resident));
        }
        let submission = guarded("submitting", || self.submit_recording(recording))?;
        let dispatches = recording.commands().iter().filter(|command| matches!(command, Command::Dispatch(_)));
        self.counted.submissions.fetch_add(1, Ordering::Relaxed);
        self.counted.dispatches.fetch_add(dispatches.count() as u64, Ordering::Relaxed);
        self.counted.barriers.fetch_add(recording.barriers(), Ordering::Relaxed);
        Ok(Ticket::new(submission))
    }

    fn counters(&self) -> Counters {
        let mut counters = Counters::new();
        counters.submissions = self.counted.submissions.load(Ordering::Relaxed);
        counters.dispatches = self.counted.dispatches.load(Ordering::Relaxed);
        counters.barriers = self.counted.barriers.load(Ordering::Relaxed);
        counters.compilations = self.counted.compilations.load(Ordering::Relaxed);
        counters
    }

    fn energy(&self) -> Option<f64> {
        let find = || self.device.place(self.driver).ok().and_then(|place| Meter::of_card(&place));
        self.meter.get_or_init(find).as_ref()?.joules()
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        self.queue.close();
        let Ok(_current) = self.queue.context.enter_anyway() else { return };
        let memories = std::mem::take(&mut *self.memories.write().unwrap_or_else(PoisonError::into_inner));
        for memory in memories.into_values() {
            if let Some(device) = memory.retire() {
                self.queue.pool.free(device, self.queue.streams.first());
            }
        }
    }
}
