//! A device with other capabilities than its backend has: kernels beyond these are refused before they are compiled.

use std::sync::Arc;

use anywarp::Device;
use anywarp::backend::contract::{
    Backend, BackendError, Caps, Compilation, Counters, HostRange, KernelId, MemoryId, MemoryKind, Program, Recording,
    Ticket,
};
use anywarp::backend::{Capabilities, DeviceKind, Limits};

/// A backend with other capabilities.
struct Limited {
    inner: Arc<dyn Backend>,
    caps: Caps,
}

/// The device of a backend, with its capabilities changed.
pub fn limited(inner: Arc<dyn Backend>, change: impl FnOnce(&mut Caps)) -> Device {
    let mut caps = inner.caps().clone();
    change(&mut caps);
    Device::from_backend(Arc::new(Limited { inner, caps }))
}

/// The limits of WebGPU's specification, which a browser gives every program, without optional features.
pub fn as_webgpu(caps: &mut Caps) {
    caps.limits = Limits::webgpu();
    caps.shader = Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    caps.subgroup_size = None;
    caps.cooperative.clear();
    caps.aliased_bindings = false;
    caps.timestamps = false;
    // Operators choose the kernels of a graphics card.
    caps.kind = DeviceKind::Integrated;
}

/// The limits of phones with Vulkan, whose weakest have half the storage buffers of [`as_webgpu`].
pub fn as_phone(caps: &mut Caps) {
    as_webgpu(caps);
    caps.limits.storage_buffers = 4;
    caps.limits.uniform_binding_size = 16 << 10;
}

/// The lowest limits: those of WebGPU's compatibility mode, with half the invocations in a workgroup.
pub fn as_least(caps: &mut Caps) {
    as_phone(caps);
    caps.limits.workgroup_invocations = 128;
    caps.limits.workgroup_size = [128, 128, 64];
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
