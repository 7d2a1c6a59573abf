//! Allocates memory, and chooses the kind for large copies from the host.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anywarp_backend::{Backend, BackendError, MemoryId, MemoryKind, Recording, Region};

#[cfg(not(any(target_arch = "wasm32", target_vendor = "apple")))]
use super::{pinned, reserved};
use crate::device::WgpuBackend;
use crate::device::errors::{Caught, scoped};
use crate::memory::{Memory, probe};

/// The memory that is used for large copies from the host, instead of memory that wgpu allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The host's own memory, on devices with memory of their own.
    Hosts,
    /// Any memory that the host reads fast, also if host and device have only one memory.
    Any,
}

/// The size of the memories that are compared, in bytes.
const PROBE: u64 = 16 << 20;
const ROUNDS: usize = 4;
const LABEL: &str = "anywarp probe";

impl WgpuBackend {
    /// Allocates memory that wgpu maps.
    pub(crate) fn mappable(&self, bytes: u64, kind: MemoryKind, label: &str) -> Result<Memory, BackendError> {
        let (memory, caught) = scoped(&self.device, || Memory::new(&self.poller, bytes, kind, label));
        match caught {
            Some(Caught::OutOfMemory) => Err(self.out_of_memory(bytes, kind)),
            Some(Caught::Other(message)) => Err(BackendError::Rejected { operation: "allocating", message }),
            None => Ok(memory),
        }
    }

    /// Allocates large staging memory in the host's own memory, if large copies from the host use such memory; see the
    /// module `pinned`.
    #[cfg(not(any(target_arch = "wasm32", target_vendor = "apple")))]
    pub(crate) fn pinned(&self, bytes: u64, kind: MemoryKind, label: &str) -> Result<Option<Memory>, BackendError> {
        use ash::vk::Result as Vulkan;
        let Some(whose) = self.pins.filter(|_| kind == MemoryKind::Staging && bytes >= pinned::SMALLEST) else {
            return Ok(None);
        };
        let (bytes, label) = (reserved(bytes), (!label.is_empty()).then_some(label));
        let (allocated, caught) = scoped(&self.device, || pinned::allocate(&self.device, whose, bytes, label));
        if let Some(Caught::Other(message)) = caught {
            return Err(BackendError::Rejected { operation: "allocating", message });
        }
        match allocated {
            Ok(allocated) => Ok(allocated.map(|allocated| Memory::pinned(allocated, bytes))),
            Err(Vulkan::ERROR_OUT_OF_HOST_MEMORY | Vulkan::ERROR_OUT_OF_DEVICE_MEMORY) => {
                Err(self.out_of_memory(bytes, kind))
            }
            // The driver's limit on the number of allocations is reached. wgpu's memory is used instead, because its
            // buffers are parts of larger allocations.
            Err(Vulkan::ERROR_TOO_MANY_OBJECTS) => Ok(None),
            Err(error) => {
                Err(BackendError::Rejected { operation: "allocating upload memory", message: error.to_string() })
            }
        }
    }

    #[cfg(any(target_arch = "wasm32", target_vendor = "apple"))]
    pub(crate) fn pinned(&self, _: u64, _: MemoryKind, _: &str) -> Result<Option<Memory>, BackendError> {
        Ok(None)
    }

    fn out_of_memory(&self, requested: u64, kind: MemoryKind) -> BackendError {
        BackendError::OutOfMemory { requested, kind, live: self.live.load(Ordering::Relaxed) }
    }

    /// Chooses the memory for large copies from the host: the kind with the higher rate when the host's writes and the
    /// device's copies overlap. If the measurement fails, wgpu's memory is used.
    pub(crate) fn choose_upload_memory(&mut self) {
        self.pins = Some(Whose::Hosts);
        let compared = self.pinned(PROBE, MemoryKind::Staging, LABEL).and_then(|pinned| {
            let Some(pinned) = pinned else { return Ok(None) };
            let mappable = self.mappable(PROBE, MemoryKind::Staging, LABEL)?;
            Ok(Some((self.upload_time(pinned)?, self.upload_time(mappable)?)))
        });
        let faster = match compared {
            Ok(None) => false,
            Ok(Some((pinned, mappable))) => {
                log::debug!("{PROBE} bytes cross in {pinned:?} from the host's memory, in {mappable:?} from wgpu's");
                pinned < mappable
            }
            Err(error) => {
                log::warn!("the host's own memory is not used for uploads: {error}");
                false
            }
        };
        self.pins = faster.then_some(Whose::Hosts);
    }

    /// The longer of two times: for several threads to write the memory, and for the device to copy it.
    fn upload_time(&self, memory: Memory) -> Result<Duration, BackendError> {
        let source = self.keep(memory);
        let measured = self.allocate(PROBE, MemoryKind::Device, LABEL).and_then(|target| {
            let measured = self.upload_between(source, target);
            self.free(target);
            measured
        });
        self.free(source);
        measured
    }

    fn upload_between(&self, source: MemoryId, target: MemoryId) -> Result<Duration, BackendError> {
        let region = |memory| Region { memory, offset: 0, bytes: PROBE };
        let mut recording = Recording::new();
        recording.copy(region(source), region(target));
        let (mut writing, mut copying) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            self.map(source)?.wait()?;
            writing = writing.min(probe::write_time(self.host(source)?.bytes_mut())?);
            self.unmap(source)?;
            let start = Instant::now();
            self.submit(&recording)?.wait()?;
            copying = copying.min(start.elapsed());
        }
        Ok(writing.max(copying))
    }
}
