//! The backend that runs kernels on the processor.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use anywarp_backend::{
    Backend, BackendError, Caps, Command, Compilation, Counters, HostRange, KernelId, MemoryId, MemoryKind, Mode,
    Program, Recording, Region, Ticket,
};
use anywarp_host::energy::Meter;
use anywarp_host::measure_copy_cost;
use anywarp_host::threads::count;

use crate::caps::caps;
use crate::execute::Conditions;
use crate::kernel::Kernel;
use crate::kernel::compile::compile;
use crate::math::Functions;
use crate::memory::Memory;
use crate::record::{Kernels, Memories, Resolved, Resources};
use crate::resident::{self, Control};
use crate::submit::Queue;
use crate::submit::Submission;

/// The default of [`Options::steps`], some seconds of work.
const STEPS: u64 = 1 << 32;
/// The default of [`Options::steps`] for kernels that report, which are slower: about a second of work.
const REPORTING_STEPS: u64 = 1 << 26;

/// Options for opening a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The work of the device beside running its kernels.
    pub mode: Mode,
    /// Whether buffers are copied between host and device memory, as on a GPU, although both are the same memory.
    pub staged: bool,
    /// The limit on loop iterations that a lane group's invocations may make together in one workgroup before the kernel is
    /// stopped. `None` means `ANYWARP_CPU_STEPS`, or else 2^32, or 2^26 unless the mode is plain.
    pub steps: Option<u64>,
    /// The way in which functions such as `exp` are computed. `None` means `ANYWARP_CPU_FUNCTIONS`, or else
    /// [`Functions::Fast`].
    pub functions: Option<Functions>,
    /// The number of threads that run kernels, copies and products, at most one for each core. With 1, `submit` executes
    /// all work itself and starts no thread. `None` means one for each core.
    pub threads: Option<u32>,
}

/// Opens the device that runs kernels on the processor.
///
/// # Errors
/// [`BackendError::Rejected`] where Cranelift does not support the processor.
pub fn open(options: Options) -> Result<Arc<CpuDevice>, BackendError> {
    let refused = || BackendError::Rejected {
        operation: "opening the device",
        message: format!(
            "the code generator does not support {} processors; use another backend",
            std::env::consts::ARCH
        ),
    };
    let mut caps = caps().ok_or_else(refused)?;
    if options.threads == Some(0) {
        return Err(BackendError::rejected("opening the device", "the option `threads` is 0; give 1 or more"));
    }
    let threads = options.threads.map_or(count(), |threads| count().min(threads as usize));
    caps.multiprocessors = u32::try_from(threads).ok();
    caps.unified = !options.staged;
    caps.checked = options.mode == Mode::Checked;
    caps.observed = options.mode == Mode::Observed;
    let is_plain = options.mode == Mode::Plain;
    if !is_plain {
        // Only kernels report what they do.
        caps.library = Vec::new();
    }
    // Workgroups that report run in order, on one thread; resident ones need threads of their own.
    caps.persistent = caps.persistent.filter(|_| is_plain && options.threads != Some(1));
    let most = if is_plain { STEPS } else { REPORTING_STEPS };
    let steps = options.steps.or_else(crate::environment::steps).unwrap_or(most);
    let conditions = Conditions {
        steps,
        threads,
        alone: options.threads == Some(1),
        max_groups: caps.limits.workgroups_per_dimension,
        anything_failed: AtomicBool::new(false),
    };
    let mut device = CpuDevice {
        caps,
        mode: options.mode,
        steps,
        functions: options.functions.unwrap_or_else(crate::environment::functions),
        memories: RwLock::default(),
        kernels: RwLock::default(),
        queue: Queue::new(conditions),
        next_id: AtomicU64::new(1),
        live: AtomicU64::new(0),
        counted: Counted::default(),
        meter: OnceLock::new(),
    };
    if options.staged {
        let cost = measure_copy_cost(&device).inspect_err(|error| log::warn!("copies are not measured: {error}"));
        device.caps.copy_cost = cost.ok();
        // The counters must not include the measurement, which is not work of the program.
        device.counted = Counted::default();
    }
    Ok(Arc::new(device))
}

#[derive(Default)]
struct Counted {
    submissions: AtomicU64,
    dispatches: AtomicU64,
    barriers: AtomicU64,
    compilations: AtomicU64,
}

/// The device that runs kernels on the processor.
pub struct CpuDevice {
    caps: Caps,
    mode: Mode,
    /// The limit on loop iterations, see [`Options::steps`].
    steps: u64,
    functions: Functions,
    memories: RwLock<Memories>,
    kernels: RwLock<Kernels>,
    queue: Queue,
    next_id: AtomicU64,
    live: AtomicU64,
    counted: Counted,
    /// The counter of the processors' energy, found when it is first read.
    meter: OnceLock<Option<Meter>>,
}

impl CpuDevice {
    fn fresh(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    fn memory(&self, id: MemoryId) -> Result<Arc<Memory>, BackendError> {
        let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
        memories.get(&id).cloned().ok_or(BackendError::UnknownMemory(id))
    }

    fn add(&self, kernel: Kernel) -> KernelId {
        let id = KernelId(self.fresh());
        self.kernels.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(kernel));
        id
    }

    /// Reserves `bytes` of the available memory; returns false if there is not enough.
    fn reserve(&self, bytes: u64) -> bool {
        let most = self.caps.memory.unwrap_or(u64::MAX);
        let grown = |live: u64| live.checked_add(bytes).filter(|live| *live <= most);
        self.live.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).is_ok()
    }

    /// Starts the threads of a resident dispatch, which was checked and resolved.
    fn start(
        &self,
        resolved: Box<Resolved>,
        control: Region,
        submission: &Arc<Submission>,
    ) -> Result<(), BackendError> {
        let control = Control::new(self.memory(control.memory)?, control.offset);
        resident::start(resolved, control, self.steps, submission)
    }

    /// Checks and resolves the recording, and marks its memories as in use by `submission`.
    fn prepare(
        &self,
        resolved: &mut Resolved,
        recording: &Recording,
        submission: &Arc<Submission>,
    ) -> Result<(), BackendError> {
        {
            let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
            let kernels = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
            let resources = Resources { memories: &memories, kernels: &kernels };
            resolved.make(&self.caps, resources, recording)?;
        }
        if !resolved.memories.iter().all(|memory| memory.begin_use(submission)) {
            // Another thread has just mapped one of the memories. The other memories already count this submission as a
            // use, so the submission is queued without commands.
            let mut nothing = self.queue.empty();
            nothing.memories.append(&mut resolved.memories);
            self.queue.submit(nothing, submission);
            return Err(BackendError::rejected(
                "submitting",
                "the host has mapped a memory that the recording uses; end the mapping first",
            ));
        }
        Ok(())
    }
}

impl Backend for CpuDevice {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn allocate(&self, bytes: u64, kind: MemoryKind, _label: &str) -> Result<MemoryId, BackendError> {
        let limit = self.caps.limits.buffer_size;
        if bytes > limit {
            return Err(BackendError::TooLarge { requested: bytes, limit });
        }
        if kind == MemoryKind::Shared && !self.caps.unified {
            let message = "this device was opened with staging, so it has no shared memory".to_owned();
            return Err(BackendError::Rejected { operation: "allocating", message });
        }
        if kind == MemoryKind::Exchange && self.caps.persistent.is_none() {
            return Err(BackendError::no_exchange());
        }
        if kind == MemoryKind::Inbox {
            return Err(BackendError::no_inbox("it is the host itself"));
        }
        let missing = || BackendError::OutOfMemory { requested: bytes, kind, live: self.live.load(Ordering::Relaxed) };
        if !self.reserve(bytes) {
            return Err(missing());
        }
        let Some(memory) = Memory::zeroed(bytes, kind) else {
            self.live.fetch_sub(bytes, Ordering::Relaxed);
            return Err(missing());
        };
        self.live.fetch_add(memory.bytes.len() as u64 - bytes, Ordering::Relaxed);
        let id = MemoryId(self.fresh());
        self.memories.write().unwrap_or_else(PoisonError::into_inner).insert(id, memory);
        Ok(id)
    }

    fn free(&self, memory: MemoryId) {
        let freed = self.memories.write().unwrap_or_else(PoisonError::into_inner).remove(&memory);
        if let Some(freed) = freed {
            self.live.fetch_sub(freed.bytes.len() as u64, Ordering::Relaxed);
        }
    }

    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError> {
        self.memory(memory)?.map()
    }

    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError> {
        self.memory(memory)?.host()
    }

    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError> {
        self.memory(memory)?.unmap()
    }

    fn compile(&self, program: &Program) -> Result<Compilation, BackendError> {
        let machine = compile(program, self.mode, self.functions)?;
        self.counted.compilations.fetch_add(1, Ordering::Relaxed);
        Ok(Compilation { kernel: self.add(Kernel::new(program, machine)), resources: None })
    }

    fn discard(&self, kernel: KernelId) {
        let gone = self.kernels.write().unwrap_or_else(PoisonError::into_inner).remove(&kernel);
        // Dropping the last handle frees the machine code, which must not happen under the lock.
        drop(gone);
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        let submission = Arc::new(Submission::default());
        let mut resolved = self.queue.empty();
        if let Err(error) = self.prepare(&mut resolved, recording, &submission) {
            self.queue.give_back(resolved);
            return Err(error);
        }
        let dispatches = recording.commands().iter().filter(|command| matches!(command, Command::Dispatch(_)));
        self.counted.submissions.fetch_add(1, Ordering::Relaxed);
        self.counted.dispatches.fetch_add(dispatches.count() as u64, Ordering::Relaxed);
        self.counted.barriers.fetch_add(recording.barriers(), Ordering::Relaxed);
        if let Some(control) = recording.resident {
            self.start(resolved, control, &submission)?;
            return Ok(Ticket::new(submission));
        }
        self.queue.submit(resolved, &submission);
        Ok(if submission.is_over() && submission.is_plain() { Ticket::ready() } else { Ticket::new(submission) })
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
        self.meter.get_or_init(Meter::of_processors).as_ref()?.joules()
    }
}

#[cfg(test)]
#[path = "device/tests.rs"]
mod tests;
