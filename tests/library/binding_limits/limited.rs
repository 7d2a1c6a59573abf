//! CPU devices that can bind less memory to a kernel than the CPU backend itself.

use std::sync::Arc;

use anywarp::Device;
use anywarp_backend::{
    Backend, BackendError, BackendKind, Caps, Compilation, Counters, DeviceKind, HostRange, KernelId, MemoryId,
    MemoryKind, Program, Recording, Ticket,
};

/// The largest size of a binding in bytes.
pub(super) const LIMIT: u64 = 1 << 20;

/// The CPU backend with other capabilities, which refuses larger bindings than these allow.
struct Limited {
    inner: Arc<dyn Backend>,
    caps: Caps,
}

/// The CPU device unchanged, with bindings of at most [`LIMIT`] bytes, and with this limit and the properties of a
/// graphics card, for which operators choose other kernels.
pub(super) fn devices() -> [(&'static str, Device); 3] {
    let open = || anywarp_cpu::open(anywarp_cpu::Options::default()).expect("the processor");
    let limited = |change: fn(&mut Caps)| {
        let inner: Arc<dyn Backend> = open();
        let mut caps = inner.caps().clone();
        change(&mut caps);
        Device::from_backend(Arc::new(Limited { inner, caps }))
    };
    [
        ("the processor", Device::from_backend(open())),
        ("a limited processor", limited(|caps| caps.limits.storage_binding_size = LIMIT)),
        (
            "a limited card",
            limited(|caps| {
                caps.limits.storage_binding_size = LIMIT;
                caps.limits.storage_offset_alignment = 256;
                caps.aliased_bindings = false;
                caps.kind = DeviceKind::Discrete;
                caps.backend = BackendKind::Vulkan;
            }),
        ),
    ]
}

impl Backend for Limited {
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
