//! The device that records dispatches and never runs them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anywarp_backend::{
    Backend, BackendError, Caps, Command, Compilation, Counters, HostRange, KernelId, MemoryId, MemoryKind, Program,
    Recording, Ticket,
};
use anywarp_host::{Signature, validity};

use crate::NullOptions;
use crate::memory::Memory;
use crate::record::{Kernels, Memories, Resources, execute};
use crate::submit::Ended;

#[derive(Default)]
struct State {
    memories: Memories,
    kernels: Kernels,
    live: u64,
    counters: Counters,
    submissions: Vec<String>,
    misuse: Vec<String>,
}

/// A device that executes copies and fills, and only records all other commands.
///
/// Work has ended when [`submit`](Backend::submit) returns. Memory has exactly the requested size, and ids count from
/// 1, so that the text of a submission is the same in every run.
pub struct NullBackend {
    caps: Caps,
    next_memory: AtomicU64,
    next_kernel: AtomicU64,
    state: Mutex<State>,
}

impl NullBackend {
    /// Returns a device with memory of its own.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Self::with(&NullOptions::default())
    }

    /// Returns a device with these options.
    #[must_use]
    pub fn with(options: &NullOptions) -> Arc<Self> {
        Arc::new(Self {
            caps: options.caps(),
            next_memory: AtomicU64::new(1),
            next_kernel: AtomicU64::new(1),
            state: Mutex::default(),
        })
    }

    /// The text of every recording that was submitted, oldest first.
    #[must_use]
    pub fn submissions(&self) -> Vec<String> {
        self.state().submissions.clone()
    }

    /// Violations of the contract that cannot be reported as an error: freeing memory or discarding a kernel that does
    /// not exist.
    #[must_use]
    pub fn misuse(&self) -> Vec<String> {
        self.state().misuse.clone()
    }

    /// The number of bytes of memory that were not freed.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        self.state().live
    }

    /// The number of kernels that were not discarded.
    #[must_use]
    pub fn live_kernels(&self) -> usize {
        self.state().kernels.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self, id: MemoryId) -> Result<Arc<Memory>, BackendError> {
        self.state().memories.get(&id).cloned().ok_or(BackendError::UnknownMemory(id))
    }
}

impl Backend for NullBackend {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn allocate(&self, bytes: u64, kind: MemoryKind, _label: &str) -> Result<MemoryId, BackendError> {
        let limit = self.caps.limits.buffer_size;
        if bytes > limit {
            return Err(BackendError::TooLarge { requested: bytes, limit });
        }
        if bytes == 0 {
            return Err(BackendError::rejected("allocating", "expected at least 1 byte, got 0 bytes"));
        }
        if kind == MemoryKind::Shared && !self.caps.unified {
            return Err(BackendError::rejected(
                "allocating",
                "this device shares no memory with the host: use another kind of memory than Shared",
            ));
        }
        if kind == MemoryKind::Exchange {
            return Err(BackendError::no_exchange());
        }
        if kind == MemoryKind::Inbox {
            return Err(BackendError::no_inbox("it has no resident kernels"));
        }
        let mut state = self.state();
        let live = state.live;
        let full = self.caps.memory.is_some_and(|most| live + bytes > most);
        let memory = if full { None } else { Memory::zeroed(bytes, kind) };
        let memory = memory.ok_or(BackendError::OutOfMemory { requested: bytes, kind, live })?;
        let id = MemoryId(self.next_memory.fetch_add(1, Ordering::Relaxed));
        state.live += bytes;
        state.memories.insert(id, Arc::new(memory));
        Ok(id)
    }

    fn free(&self, memory: MemoryId) {
        let mut state = self.state();
        match state.memories.remove(&memory) {
            Some(freed) => state.live -= freed.bytes,
            None => state.misuse.push(format!("{memory:?} was freed, but does not exist")),
        }
    }

    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError> {
        self.memory(memory)?.map()?;
        Ok(Ticket::ready())
    }

    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError> {
        self.memory(memory)?.host()
    }

    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError> {
        self.memory(memory)?.unmap()
    }

    fn compile(&self, program: &Program) -> Result<Compilation, BackendError> {
        let sorted = program.bindings.is_sorted_by(|a, b| a.resource < b.resource);
        if !sorted {
            return Err(BackendError::rejected(
                "compiling",
                format!("the bindings of {} are not sorted", program.name),
            ));
        }
        let id = KernelId(self.next_kernel.fetch_add(1, Ordering::Relaxed));
        let mut state = self.state();
        state.counters.compilations += 1;
        state.kernels.insert(id, Signature::new(program));
        Ok(Compilation { kernel: id, resources: None })
    }

    fn discard(&self, kernel: KernelId) {
        let mut state = self.state();
        if state.kernels.remove(&kernel).is_none() {
            state.misuse.push(format!("{kernel:?} was discarded, but does not exist"));
        }
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        let started = Instant::now();
        let mut state = self.state();
        let state = &mut *state;
        let resources = Resources { memories: &state.memories, kernels: &state.kernels };
        validity::check(recording, &self.caps, &resources)?;
        execute(&state.memories, recording);
        let dispatches = recording.commands().iter().filter(|command| matches!(command, Command::Dispatch(_)));
        state.counters.submissions += 1;
        state.counters.dispatches += dispatches.count() as u64;
        state.counters.barriers += recording.barriers();
        state.submissions.push(recording.to_string());
        Ok(if recording.timed { Ticket::new(Arc::new(Ended::after(started.elapsed()))) } else { Ticket::ready() })
    }

    fn counters(&self) -> Counters {
        self.state().counters
    }
}
