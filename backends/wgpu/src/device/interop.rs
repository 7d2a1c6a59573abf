//! Sharing of devices and buffers with other wgpu code, in both directions.
//!
//! Both sides use one queue, so that commands take effect in the order of submission, and wgpu itself inserts the
//! barriers. Once the device is shared, errors are caught by error scopes, so that neither side receives errors that
//! the other side caused: see `errors`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anywarp_backend::{Backend, BackendError, MemoryId, MemoryKind};
use wgpu::BufferUsages;

use crate::caps::{backend_kind, caps_of};
use crate::device::WgpuBackend;
use crate::device::adapters::Options;
use crate::device::errors::ErrorSink;
use crate::memory::Memory;
use crate::submit::Fence;

/// A device of wgpu with its adapter and queue.
#[derive(Clone, Debug)]
pub struct Handles {
    /// The adapter that the device was requested from.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// The device's only queue.
    pub queue: wgpu::Queue,
}

/// The owner of a buffer, as far as wgpu allows to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This device created the buffer.
    Ours,
    /// The buffer is mapped as a whole, so its device cannot be found out.
    Mapped,
    /// Another device created the buffer, or a part of the buffer is mapped or being mapped.
    Other,
}

impl WgpuBackend {
    /// Returns a backend on a device that another user of wgpu has created. The callbacks of the device stay in place.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] where the three handles do not belong together, or for a wgpu backend that anywarp
    /// does not use (GL); [`BackendError::Lost`].
    pub fn over(handles: Handles, options: Options) -> Result<Arc<Self>, BackendError> {
        let Handles { adapter, device, queue } = handles;
        let refused = |message: String| BackendError::Rejected { operation: "taking over a wgpu device", message };
        let (wanted, got) = (device.adapter_info(), adapter.get_info());
        if (wanted.backend, wanted.vendor, wanted.device, &wanted.name)
            != (got.backend, got.vendor, got.device, &got.name)
        {
            let of = |info: &wgpu::AdapterInfo| format!("{} ({:?})", info.name, info.backend);
            return Err(refused(format!("the device belongs to {}, but the adapter is {}", of(&wanted), of(&got))));
        }
        let Some(kind) = backend_kind(got.backend) else {
            return Err(refused(format!("anywarp uses Vulkan, Metal, DX12 and WebGPU, not {:?}", got.backend)));
        };
        let sink = ErrorSink::beside();
        sink.check_alive(&device)?;
        if !is_queue_of(&queue, &device) {
            return Err(refused("the queue belongs to another device".to_owned()));
        }
        let caps = caps_of(&adapter, kind, device.features(), &device.limits());
        Self::new((adapter, device, queue), sink, caps, options)
    }

    /// Returns the handles of wgpu. Other code may use the device from here on.
    #[must_use]
    pub fn share(&self) -> Handles {
        self.sink.share();
        Handles { adapter: self.adapter.clone(), device: self.device.clone(), queue: self.queue.clone() }
    }

    /// Returns the owner of `buffer`, which is at least 4 bytes long.
    ///
    /// wgpu's handles do not name their device, and are plain numbers within their instance: a handle of another
    /// instance would be taken for some buffer of this instance. An error is reported only to the device that created
    /// the buffer, so this method deliberately causes an error.
    #[must_use]
    pub fn origin(&self, buffer: &wgpu::Buffer) -> Origin {
        // A browser's buffers are objects, and the browser compares the devices itself.
        if cfg!(target_arch = "wasm32") {
            return Origin::Ours;
        }
        // Mappings begin at multiples of 8, so this mapping is an error.
        if reports_to(&self.device, || buffer.map_async(wgpu::MapMode::Read, 1.., |_| {})) {
            // The handle on wgpu's side records the mapping before the device refuses it, so the mapping is ended
            // again.
            reports_to(&self.device, || buffer.unmap());
            return Origin::Ours;
        }
        if buffer.get_mapped_range(..).is_ok() { Origin::Mapped } else { Origin::Other }
    }

    /// Registers a buffer that another user created [on this device](Origin::Ours). The kind of the memory is
    /// [shared](MemoryKind::Shared) where the buffer's usages and the device allow it.
    ///
    /// # Errors
    /// [`BackendError::Lost`].
    pub fn adopt(&self, buffer: &wgpu::Buffer) -> Result<(MemoryId, MemoryKind), BackendError> {
        self.sink.check_alive(&self.device)?;
        let mappable = buffer.usage().contains(BufferUsages::MAP_READ | BufferUsages::MAP_WRITE);
        let kind = if mappable && self.caps().unified { MemoryKind::Shared } else { MemoryKind::Device };
        Ok((self.keep(Memory::adopted(buffer.clone(), kind)), kind))
    }

    /// Returns the buffer of a memory that is not mapped, for commands of another user. Other code may use the device
    /// from here on.
    ///
    /// # Errors
    /// [`BackendError::UnknownMemory`], [`BackendError::Rejected`] while the memory is mapped, [`BackendError::Lost`].
    pub fn lend(&self, memory: MemoryId) -> Result<wgpu::Buffer, BackendError> {
        self.sink.share();
        self.sink.check_alive(&self.device)?;
        let memory = self.memory(memory)?;
        if memory.is_mapped() {
            return Err(BackendError::Rejected {
                operation: "lending",
                message: "the memory is mapped: unmap it first".to_owned(),
            });
        }
        Ok(memory.buffer.clone())
    }

    /// Takes a lent memory back: mapping the memory afterwards waits for all work submitted before this call.
    pub fn take_back(&self, memory: MemoryId) {
        let Some(memory) = self.memory(memory).ok().filter(|memory| memory.kind == MemoryKind::Shared) else { return };
        // Submitting may run callbacks of other users, which may panic.
        let submit = || {
            let fence = Fence::new(&self.poller, None);
            self.poller.follow(&fence, self.queue.submit([]));
            self.finish_when_done(&fence);
            fence
        };
        if let (Ok(fence), _) = self.sink.apart(&self.device, || catch_unwind(AssertUnwindSafe(submit))) {
            memory.used_by(&fence);
        }
    }
}

/// Whether errors of `queue` are reported to `device`.
fn is_queue_of(queue: &wgpu::Queue, device: &wgpu::Device) -> bool {
    if cfg!(target_arch = "wasm32") {
        return true;
    }
    reports_to(device, || {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("anywarp probe"),
            size: 16,
            usage: BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // Writes begin at multiples of 4, so this write is an error.
        queue.write_buffer(&buffer, 1, &[0; 4]);
    })
}

/// Whether the error that `mistake` causes is reported to `device`. wgpu passes an error of another device to the
/// handler of that device, and panics if there is no handler: in both cases the answer is no.
#[cfg(not(target_arch = "wasm32"))]
fn reports_to(device: &wgpu::Device, mistake: impl FnOnce()) -> bool {
    crate::device::errors::scoped(device, || catch_unwind(AssertUnwindSafe(mistake))).1.is_some()
}

#[cfg(target_arch = "wasm32")]
fn reports_to(_: &wgpu::Device, _: impl FnOnce()) -> bool {
    true
}
