//! One wgpu device as a backend.

pub(crate) mod adapters;
pub(crate) mod errors;
pub(crate) mod interop;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use anywarp_backend::{
    Backend, BackendError, Caps, Command, Compilation, Counters, DeviceKind, HostRange, KernelId, MemoryId, MemoryKind,
    Program, Recording, Ticket,
};
use anywarp_host::energy::Meter;
use anywarp_host::{measure_copy_cost, validity};
use rustc_hash::FxHashMap;

use crate::kernel::Kernel;
use crate::kernel::pipelines::Pipelines;
use crate::memory::Memory;
use crate::memory::probe;
use crate::memory::upload::Whose;
use crate::record::queries::Pool as QueryPool;
use crate::record::timing::TimingQuery;
use crate::record::{Encoding, Resources, encode};
use crate::submit::{Fence, Poller};
use adapters::Options;
use errors::ErrorSink;

/// A device of wgpu, as one of anywarp's backends.
pub struct WgpuBackend {
    caps: Caps,
    /// The memory that large uploads use instead of wgpu's memory, and that stays mapped; `None` if uploads use wgpu's
    /// memory.
    pub(crate) pins: Option<Whose>,
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) poller: Arc<Poller>,
    pub(crate) sink: Arc<ErrorSink>,
    memories: RwLock<FxHashMap<MemoryId, Arc<Memory>>>,
    kernels: RwLock<FxHashMap<KernelId, Arc<Kernel>>>,
    pipelines: Pipelines,
    /// The state for encoding recordings. The lock is held while a recording is encoded and submitted, so that
    /// recordings run in the order of their submission.
    encoding: Mutex<Encoding>,
    /// Queries for timed submissions.
    queries: Arc<QueryPool>,
    next_id: AtomicU64,
    pub(crate) live: AtomicU64,
    counted: Mutex<Counters>,
    /// The counter of the device's energy, found when it is first read.
    meter: OnceLock<Option<Meter>>,
}

impl WgpuBackend {
    pub(crate) fn new(
        (adapter, device, queue): (wgpu::Adapter, wgpu::Device, wgpu::Queue),
        sink: Arc<ErrorSink>,
        caps: Caps,
        options: Options,
    ) -> Result<Arc<Self>, BackendError> {
        let mut backend = Self {
            adapter,
            poller: Poller::new(device.clone(), Arc::clone(&sink)),
            encoding: Mutex::new(Encoding::new(&device, caps.limits.uniform_offset_alignment)),
            queries: Arc::default(),
            caps,
            pins: None,
            pipelines: Pipelines::of(&device),
            device,
            queue,
            sink,
            memories: RwLock::default(),
            kernels: RwLock::default(),
            next_id: AtomicU64::new(1),
            live: AtomicU64::new(0),
            counted: Mutex::default(),
            meter: OnceLock::new(),
        };
        backend.caps.unified = !options.staged && backend.caps.unified && backend.shared_memory_reads_fast();
        if !backend.caps.unified && backend.caps.blocking {
            match options.pinned {
                Some(pins) => backend.pins = pins.then_some(Whose::Any),
                None => backend.choose_upload_memory(),
            }
            backend.caps.copy_cost =
                measure_copy_cost(&backend).inspect_err(|error| log::warn!("copies are not measured: {error}")).ok();
            // The measurement is not work of the program, so it is not counted.
            *backend.counted() = Counters::default();
        }
        Ok(Arc::new(backend))
    }

    /// The handles of wgpu, for sharing the device with other users of it.
    #[must_use]
    pub fn wgpu_device(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }

    /// Measures whether the host reads shared memory fast enough. If the measurement fails, shared memory is not used.
    fn shared_memory_reads_fast(&self) -> bool {
        let probe = || -> Result<bool, BackendError> {
            let memory = self.allocate(probe::bytes(), MemoryKind::Shared, "anywarp probe")?;
            let host = self.map(memory).and_then(|ticket| ticket.wait()).and_then(|()| self.host(memory));
            let fast = host.map(|host| probe::reads_fast(host.bytes()));
            self.free(memory);
            fast
        };
        probe().unwrap_or_else(|error| {
            log::warn!("shared memory is not used: {error}");
            false
        })
    }

    fn alive(&self) -> Result<(), BackendError> {
        self.sink.check_alive(&self.device)
    }

    /// Registers a memory and returns its id; the memory counts as live until it is freed.
    pub(crate) fn keep(&self, memory: Memory) -> MemoryId {
        self.live.fetch_add(memory.bytes, Ordering::Relaxed);
        let id = MemoryId(self.fresh());
        self.memories.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(memory));
        id
    }

    pub(crate) fn memory(&self, id: MemoryId) -> Result<Arc<Memory>, BackendError> {
        let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
        memories.get(&id).cloned().ok_or(BackendError::UnknownMemory(id))
    }

    fn fresh(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    fn counted(&self) -> MutexGuard<'_, Counters> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timing(&self, recording: &Recording) -> Option<TimingQuery> {
        recording
            .timed
            .then(|| TimingQuery::new(&self.device, &self.queue, &self.queries, self.caps.timestamps, recording))
    }

    /// Encodes and submits a recording; the returned fence is finished when the work has ended. wgpu panics where a
    /// device is lost during the call (its staging belt maps memory that no longer exists); the panic is caught and
    /// reported as the loss.
    fn hand_over(
        &self,
        resources: &Resources<'_>,
        encoding: &mut Encoding,
        recording: &Recording,
    ) -> Result<Arc<Fence>, BackendError> {
        let attempt = || {
            let fence = Fence::new(&self.poller, self.timing(recording));
            let commands = encode(resources, encoding, recording, fence.timing.as_ref())?;
            let index = self.queue.submit([commands]);
            encoding.belt.recall();
            self.poller.follow(&fence, index);
            self.finish_when_done(&fence);
            Ok(fence)
        };
        let (attempt, reported) =
            self.sink.within(&self.device, || std::panic::catch_unwind(std::panic::AssertUnwindSafe(attempt)));
        let handed_over = attempt.unwrap_or_else(|_| Err(self.sink.failed("work was submitted", &self.device)));
        self.alive()?;
        match reported {
            Some(message) => Err(BackendError::Rejected { operation: "submitting", message }),
            None => handed_over,
        }
    }

    /// Finishes `fence` when everything submitted so far has ended.
    pub(crate) fn finish_when_done(&self, fence: &Arc<Fence>) {
        let done = Arc::clone(fence);
        match fence.timing.as_ref().and_then(TimingQuery::readback) {
            // The mapping succeeds only after the submission has ended.
            Some(readback) => readback.map_async(wgpu::MapMode::Read, .., move |mapped| {
                if let (Ok(()), Some(timing)) = (mapped, &done.timing) {
                    timing.mapped();
                }
                done.finish(Ok(()));
            }),
            None => self.queue.on_submitted_work_done(move || done.finish(Ok(()))),
        }
    }
}

impl Backend for WgpuBackend {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn allocate(&self, bytes: u64, kind: MemoryKind, label: &str) -> Result<MemoryId, BackendError> {
        self.alive()?;
        let limit = self.caps.limits.buffer_size;
        if bytes > limit {
            return Err(BackendError::TooLarge { requested: bytes, limit });
        }
        if kind == MemoryKind::Exchange {
            return Err(BackendError::no_exchange());
        }
        if kind == MemoryKind::Inbox {
            return Err(BackendError::no_inbox("it has no resident kernels"));
        }
        let memory = match self.pinned(bytes, kind, label)? {
            Some(memory) => memory,
            None => self.mappable(bytes, kind, label)?,
        };
        Ok(self.keep(memory))
    }

    fn free(&self, memory: MemoryId) {
        let freed = self.memories.write().unwrap_or_else(PoisonError::into_inner).remove(&memory);
        if let Some(freed) = freed {
            self.live.fetch_sub(freed.bytes, Ordering::Relaxed);
            let mut encoding = self.encoding.lock().unwrap_or_else(PoisonError::into_inner);
            encoding.bind_groups.forget_memory(memory.0);
        }
    }

    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError> {
        self.alive()?;
        let memory = self.memory(memory)?;
        match self.sink.apart(&self.device, || memory.map(&self.poller)) {
            (ticket, None) => ticket,
            (_, Some(message)) => Err(BackendError::Rejected { operation: "mapping", message }),
        }
    }

    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError> {
        self.memory(memory)?.host()
    }

    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError> {
        let memory = self.memory(memory)?;
        // An error of wgpu is discarded: a buffer that another user of wgpu destroyed is no longer mapped.
        self.sink.apart(&self.device, || memory.unmap()).0
    }

    fn compile(&self, program: &Program) -> Result<Compilation, BackendError> {
        self.alive()?;
        let kernel = Kernel::new(&self.device, &self.pipelines, program)?;
        self.counted().compilations += 1;
        let id = KernelId(self.fresh());
        self.kernels.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(kernel));
        Ok(Compilation { kernel: id, resources: None })
    }

    fn discard(&self, kernel: KernelId) {
        let gone = self.kernels.write().unwrap_or_else(PoisonError::into_inner).remove(&kernel);
        if let Some(gone) = gone {
            let mut encoding = self.encoding.lock().unwrap_or_else(PoisonError::into_inner);
            for group in &gone.groups {
                encoding.bind_groups.forget_layout(group.layout_id);
            }
        }
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        self.alive()?;
        let mut encoding = self.encoding.lock().unwrap_or_else(PoisonError::into_inner);
        let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
        let kernels = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
        let resources = Resources { device: &self.device, memories: &memories, kernels: &kernels };
        validity::check(recording, &self.caps, &resources)?;

        let fence =
            self.hand_over(&resources, &mut encoding, recording).inspect_err(|_| encoding.uniforms.abandoned())?;
        encoding.uniforms.submitted(&fence);

        for memory in encoding.used(recording).iter().filter_map(|id| memories.get(id)) {
            memory.used_by(&fence);
        }
        let is_dispatch = |command: &&Command| matches!(command, Command::Dispatch(_));
        let mut counted = self.counted();
        counted.dispatches += recording.commands().iter().filter(is_dispatch).count() as u64;
        counted.submissions += 1;
        counted.barriers += recording.barriers();
        Ok(Ticket::new(fence))
    }

    fn counters(&self) -> Counters {
        let built = self.encoding.lock().unwrap_or_else(PoisonError::into_inner).bind_groups.built;
        let mut counters = *self.counted();
        counters.bind_groups = built;
        counters
    }

    fn energy(&self) -> Option<f64> {
        let find = || match self.caps.kind {
            DeviceKind::Software => Meter::of_processors(),
            _ => Meter::of_card(&self.adapter.get_info().device_pci_bus_id),
        };
        self.meter.get_or_init(find).as_ref()?.joules()
    }
}
