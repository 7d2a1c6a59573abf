//! Devices and buffers of other wgpu code, and ours in its hands.
//!
//! Both sides use one queue, so that what is submitted first takes effect first, and wgpu itself puts
//! the barriers between. From the first hand-over on errors are caught where they arise, so that
//! neither side gets the other's: see `errors`.

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

/// A device of wgpu with what belongs to it.
#[derive(Clone, Debug)]
pub struct Handles {
    /// The adapter that the device was requested from.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// Its only queue.
    pub queue: wgpu::Queue,
}

/// The owner of a buffer, as far as wgpu can be made to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This device made it.
    Ours,
    /// The host has it mapped, as a whole.
    Mapped,
    /// Another device made it, or a mapping of a part of it is there or on its way.
    Other,
}

impl WgpuBackend {
    /// A backend on a device that its user has made. Its callbacks stay as they are.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] where the three do not belong together, or for a backend of wgpu
    /// that is not used here (GL); [`BackendError::Lost`].
    pub fn over(handles: Handles, options: Options) -> Result<Arc<Self>, BackendError> {
        let Handles { adapter, device, queue } = handles;
        let refused = |message: String| BackendError::Rejected { operation: "taking a wgpu device over", message };
        let (wanted, got) = (device.adapter_info(), adapter.get_info());
        if (wanted.backend, wanted.vendor, wanted.device, &wanted.name)
            != (got.backend, got.vendor, got.device, &got.name)
        {
            let of = |info: &wgpu::AdapterInfo| format!("{} ({:?})", info.name, info.backend);
            return Err(refused(format!("the device is of {}, the adapter is {}", of(&wanted), of(&got))));
        }
        let Some(kind) = backend_kind(got.backend) else {
            return Err(refused(format!("anywarp uses Vulkan, Metal, DX12 and WebGPU, not {:?}", got.backend)));
        };
        let sink = ErrorSink::beside();
        sink.ask(&device)?;
        if !is_queue_of(&queue, &device) {
            return Err(refused("the queue is not that of the device".to_owned()));
        }
        let caps = caps_of(&adapter, kind, device.features(), &device.limits());
        Self::new((adapter, device, queue), sink, caps, options)
    }

    /// The handles of wgpu. From here on others use the device, too.
    #[must_use]
    pub fn share(&self) -> Handles {
        self.sink.share();
        Handles { adapter: self.adapter.clone(), device: self.device.clone(), queue: self.queue.clone() }
    }

    /// Returns the owner of `buffer`, which is at least 4 bytes long.
    ///
    /// Handles of wgpu do not name their device, and are mere numbers within their instance, so that
    /// one of another instance would be taken for some buffer of this one. A mistake made with the
    /// buffer is reported to the device that made it, and to no other: hence one is made.
    #[must_use]
    pub fn origin(&self, buffer: &wgpu::Buffer) -> Origin {
        // A browser's buffers are objects, and it compares the devices itself.
        if cfg!(target_arch = "wasm32") {
            return Origin::Ours;
        }
        // Mappings begin at multiples of 8: this one does not.
        if reports_to(&self.device, || buffer.map_async(wgpu::MapMode::Read, 1.., |_| {})) {
            // wgpu's own side of the handle notes the mapping before it is refused.
            reports_to(&self.device, || buffer.unmap());
            return Origin::Ours;
        }
        if buffer.get_mapped_range(..).is_ok() { Origin::Mapped } else { Origin::Other }
    }

    /// Makes memory of a buffer that is [ours](Origin::Ours) and that another user created. It is
    /// [shared](MemoryKind::Shared) where its usages and the device allow.
    ///
    /// # Errors
    /// [`BackendError::Lost`].
    pub fn adopt(&self, buffer: &wgpu::Buffer) -> Result<(MemoryId, MemoryKind), BackendError> {
        self.sink.ask(&self.device)?;
        let mappable = buffer.usage().contains(BufferUsages::MAP_READ | BufferUsages::MAP_WRITE);
        let kind = if mappable && self.caps().unified { MemoryKind::Shared } else { MemoryKind::Device };
        Ok((self.keep(Memory::adopted(buffer.clone(), kind)), kind))
    }

    /// The buffer of a memory that is not mapped, for commands of another user. From here on others
    /// use the device, too.
    ///
    /// # Errors
    /// [`BackendError::UnknownMemory`], [`BackendError::Rejected`] while it is mapped,
    /// [`BackendError::Lost`].
    pub fn lend(&self, memory: MemoryId) -> Result<wgpu::Buffer, BackendError> {
        self.sink.share();
        self.sink.ask(&self.device)?;
        let memory = self.memory(memory)?;
        if memory.is_mapped() {
            return Err(BackendError::Rejected { operation: "lending", message: "the memory is mapped".to_owned() });
        }
        Ok(memory.buffer.clone())
    }

    /// Takes a memory back: mapping it waits for all that was submitted before.
    pub fn take_back(&self, memory: MemoryId) {
        let Some(memory) = self.memory(memory).ok().filter(|memory| memory.kind == MemoryKind::Shared) else { return };
        // Submitting may run callbacks of others.
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

/// Whether what `queue` does wrong is reported to `device`.
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
        // Writes begin at multiples of 4: this one does not.
        queue.write_buffer(&buffer, 1, &[0; 4]);
    })
}

/// Whether `mistake` is reported to `device`. One of a device of others goes to their handler; without
/// one wgpu panics, which is as good as an answer.
#[cfg(not(target_arch = "wasm32"))]
fn reports_to(device: &wgpu::Device, mistake: impl FnOnce()) -> bool {
    crate::device::errors::scoped(device, || catch_unwind(AssertUnwindSafe(mistake))).1.is_some()
}

#[cfg(target_arch = "wasm32")]
fn reports_to(_: &wgpu::Device, _: impl FnOnce()) -> bool {
    true
}
