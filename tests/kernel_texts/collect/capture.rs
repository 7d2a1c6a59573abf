//! A device that records the programs it compiles, runs them on another device, and reports chosen capabilities.

use std::sync::{Arc, Mutex, PoisonError};

use anywarp_backend::{
    Backend, BackendError, Caps, Compilation, Counters, HostRange, KernelId, MemoryId, MemoryKind, Program, Recording,
    Ticket,
};

/// The device that records programs.
pub(crate) struct Capture {
    inner: Arc<dyn Backend>,
    caps: Caps,
    programs: Mutex<Vec<Program>>,
}

impl Capture {
    /// Returns a device that reports `caps`. It passes programs to `inner`, which must support everything in `caps`.
    pub(crate) fn new(inner: Arc<dyn Backend>, caps: Caps) -> Arc<Self> {
        Arc::new(Self { inner, caps, programs: Mutex::default() })
    }

    /// Removes and returns the programs recorded so far.
    pub(crate) fn take(&self) -> Vec<Program> {
        std::mem::take(&mut *self.programs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Backend for Capture {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn allocate(&self, bytes: u64, kind: MemoryKind, label: &str) -> Result<MemoryId, BackendError> {
        self.inner.allocate(bytes, kind, label)
    }

    fn free(&self, memory: MemoryId) {
        self.inner.free(memory);
    }

    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError> {
        self.inner.map(memory)
    }

    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError> {
        self.inner.host(memory)
    }

    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError> {
        self.inner.unmap(memory)
    }

    fn compile(&self, program: &Program) -> Result<Compilation, BackendError> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner).push(program.clone());
        self.inner.compile(program)
    }

    fn discard(&self, kernel: KernelId) {
        self.inner.discard(kernel);
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        self.inner.submit(recording)
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }
}
