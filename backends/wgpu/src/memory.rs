//! One allocation and its mapping.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BackendError, Completion, HostRange, MemoryKind, Ticket};

use crate::completion::{Flight, Poller};

/// What a wgpu mapping hands out; must be dropped before the buffer is unmapped.
enum View {
    Read(wgpu::BufferView),
    Write(wgpu::BufferViewMut),
}

enum Mapping {
    Unmapped,
    Pending(Arc<Flight>),
    Mapped { view: Option<View>, lent: Arc<AtomicBool> },
}

/// One buffer.
pub(crate) struct Memory {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) kind: MemoryKind,
    pub(crate) bytes: u64,
    mapping: Mutex<Mapping>,
    last_use: Mutex<Option<wgpu::SubmissionIndex>>,
}

/// Copies, clears and mappings need sizes that are multiples of this.
const GRANULE: u64 = 16;

impl Memory {
    pub(crate) fn new(device: &wgpu::Device, bytes: u64, kind: MemoryKind, label: &str) -> Self {
        use wgpu::BufferUsages as Usage;
        let work = Usage::STORAGE | Usage::UNIFORM | Usage::INDIRECT | Usage::COPY_SRC | Usage::COPY_DST;
        let usage = match kind {
            MemoryKind::Device => work,
            MemoryKind::Upload => Usage::MAP_WRITE | Usage::COPY_SRC,
            MemoryKind::Readback => Usage::MAP_READ | Usage::COPY_DST,
            MemoryKind::Shared => work | Usage::MAP_READ | Usage::MAP_WRITE,
        };
        let bytes = bytes.next_multiple_of(GRANULE);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: (!label.is_empty()).then_some(label),
            size: bytes,
            usage,
            mapped_at_creation: false,
        });
        Self::of(buffer, kind, bytes)
    }

    /// A buffer that is there already.
    pub(crate) fn of(buffer: wgpu::Buffer, kind: MemoryKind, bytes: u64) -> Self {
        Self { buffer, kind, bytes, mapping: Mutex::new(Mapping::Unmapped), last_use: Mutex::new(None) }
    }

    fn mapping(&self) -> MutexGuard<'_, Mapping> {
        self.mapping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_mapped(&self) -> bool {
        !matches!(*self.mapping(), Mapping::Unmapped)
    }

    /// Notes that the submission `index` uses the buffer.
    pub(crate) fn used_by(&self, index: &wgpu::SubmissionIndex) {
        *self.last_use.lock().unwrap_or_else(PoisonError::into_inner) = Some(index.clone());
    }

    pub(crate) fn map(&self, poller: &Arc<Poller>) -> Result<Ticket, BackendError> {
        let mode = match self.kind {
            MemoryKind::Device => {
                return Err(BackendError::Rejected {
                    operation: "mapping",
                    message: "device memory is not visible to the host".to_owned(),
                });
            }
            MemoryKind::Readback => wgpu::MapMode::Read,
            // Also for reading: gpu-allocator places such buffers in coherent memory only.
            MemoryKind::Upload | MemoryKind::Shared => wgpu::MapMode::Write,
        };
        let mut mapping = self.mapping();
        match &*mapping {
            Mapping::Mapped { .. } => return Ok(Ticket::ready()),
            Mapping::Pending(flight) => return Ok(Ticket::new(Arc::clone(flight) as _)),
            Mapping::Unmapped => {}
        }
        let flight = Flight::new(poller, None);
        if let Some(index) = &*self.last_use.lock().unwrap_or_else(PoisonError::into_inner) {
            flight.set_index(index.clone());
        }
        *mapping = Mapping::Pending(Arc::clone(&flight));
        // The callback may run inside `map_async`, so our lock must be free.
        drop(mapping);
        let landing = Arc::clone(&flight);
        let sink = Arc::clone(&poller.sink);
        self.buffer.map_async(mode, .., move |mapped| {
            landing.finish(mapped.map_err(|_| {
                sink.alive().err().unwrap_or_else(|| BackendError::Rejected {
                    operation: "mapping",
                    message: "the driver could not map the memory".to_owned(),
                })
            }));
        });
        Ok(Ticket::new(flight))
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        let refused = |message: &str| BackendError::Rejected { operation: "host access", message: message.to_owned() };
        let mut mapping = self.mapping();
        if let Mapping::Pending(flight) = &*mapping {
            if !flight.is_done() {
                return Err(refused("the mapping is still pending"));
            }
            let view = match self.kind {
                MemoryKind::Readback => self.buffer.get_mapped_range(..).map(View::Read),
                _ => self.buffer.get_mapped_range_mut(..).map(View::Write),
            };
            let view = match view {
                Ok(view) => view,
                Err(error) => {
                    *mapping = Mapping::Unmapped;
                    return Err(refused(&error.to_string()));
                }
            };
            *mapping = Mapping::Mapped { view: Some(view), lent: Arc::new(AtomicBool::new(false)) };
        }
        let Mapping::Mapped { view: Some(view), lent } = &mut *mapping else {
            return Err(refused("the memory is not mapped"));
        };
        let start = match view {
            View::Read(view) => NonNull::from(&**view).cast::<u8>(),
            View::Write(view) => view.slice(..).as_raw_ptr().cast::<u8>(),
        };
        let bytes = usize::try_from(self.bytes).map_err(|_| refused("the memory is larger than the address space"))?;
        // SAFETY: the pointer comes from wgpu's own view of all of the mapped buffer, which stays
        // mapped until `unmap`, and that refuses while `lent` is set; `self` keeps the buffer
        // alive, and a buffer that is dropped elsewhere stays mapped. `HostRange` gives mutable
        // access only to callers that respect the kind: a Readback view is read-only.
        unsafe { HostRange::new(start, bytes, Arc::clone(lent), Arc::clone(self) as _) }
            .ok_or_else(|| refused("the bytes are in use by the host already"))
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        let mut mapping = self.mapping();
        match &mut *mapping {
            Mapping::Unmapped => return Ok(()),
            // Nobody came for it. wgpu 30 keeps a cancelled mapping listed under its submission, and when
            // that ends would take a later mapping for it, before the later one's work is done.
            Mapping::Pending(flight) => {
                // A lost device is told by whatever comes next.
                let _ = flight.wait(None);
            }
            Mapping::Mapped { view, lent } => {
                if lent.load(Ordering::Acquire) {
                    return Err(BackendError::Rejected {
                        operation: "unmapping",
                        message: "the bytes are in use by the host".to_owned(),
                    });
                }
                *view = None;
            }
        }
        *mapping = Mapping::Unmapped;
        drop(mapping);
        self.buffer.unmap();
        Ok(())
    }
}
