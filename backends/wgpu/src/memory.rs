//! One allocation and its mapping.

#[cfg(not(any(target_arch = "wasm32", target_vendor = "apple")))]
mod pinned;
pub(crate) mod probe;
mod request;
pub(crate) mod upload;

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BackendError, Completion, HostRange, MemoryKind, Ticket};
use anywarp_host::mapping::{self, Lent, is_visible, not_mapped, pending};

use crate::submit::{Fence, Poller};
use request::Request;

/// A view of a wgpu mapping; must be dropped before the buffer is unmapped.
enum View {
    Read(wgpu::BufferView),
    Write(wgpu::BufferViewMut),
}

enum Mapping {
    Unmapped,
    /// The host's access to memory that stays mapped.
    Open(mapping::Mapping<Arc<Fence>>),
    // The states of mappings by wgpu. These do not use the shared `Mapping`, because they are requested, have a view,
    // and can fail.
    Pending(Arc<Request>),
    Mapped {
        view: Option<View>,
        lent: Lent,
    },
}

/// One allocation: a buffer of wgpu, and the state of its mapping.
pub(crate) struct Memory {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) kind: MemoryKind,
    pub(crate) bytes: u64,
    /// The host's address of memory that stays mapped; `None` for memory that wgpu maps.
    pinned: Option<NonNull<u8>>,
    mapping: Mutex<Mapping>,
    last_use: Mutex<Option<Arc<Fence>>>,
    /// The submission that a cancelled mapping waited for: no mapping is requested from wgpu before it has ended.
    cancelled: Mutex<Option<Arc<Fence>>>,
}

// SAFETY: the pointer is only an address; the host accesses the bytes through `HostRange`, whose rules `host` follows.
unsafe impl Send for Memory {}
// SAFETY: as for `Send`; all mutable state is behind locks.
unsafe impl Sync for Memory {}

/// The unit of sizes in bytes: allocations are rounded up to a multiple, as copies, clears and mappings need.
const GRANULE: u64 = 16;

/// The size in bytes of the allocation for this number of bytes.
pub(crate) fn reserved(bytes: u64) -> u64 {
    bytes.next_multiple_of(GRANULE)
}

impl Memory {
    /// Creates memory that wgpu maps. Memory for the host's writes is created mapped, so that no thread waits before a
    /// first write.
    pub(crate) fn new(poller: &Arc<Poller>, bytes: u64, kind: MemoryKind, label: &str) -> Self {
        use wgpu::BufferUsages as Usage;
        let work = Usage::STORAGE | Usage::UNIFORM | Usage::INDIRECT | Usage::COPY_SRC | Usage::COPY_DST;
        let usage = match kind {
            // `allocate` refuses the last two, which wgpu does not have.
            MemoryKind::Device | MemoryKind::Exchange | MemoryKind::Inbox => work,
            MemoryKind::Upload | MemoryKind::Staging => Usage::MAP_WRITE | Usage::COPY_SRC,
            MemoryKind::Readback => Usage::MAP_READ | Usage::COPY_DST,
            MemoryKind::Shared => work | Usage::MAP_READ | Usage::MAP_WRITE,
        };
        let (bytes, mapped) = (reserved(bytes), matches!(kind, MemoryKind::Upload | MemoryKind::Staging));
        let buffer = poller.device.create_buffer(&wgpu::BufferDescriptor {
            label: (!label.is_empty()).then_some(label),
            size: bytes,
            usage,
            mapped_at_creation: mapped,
        });
        let mapping = if mapped {
            let fence = Fence::new(poller, None);
            fence.finish(Ok(()));
            Mapping::Pending(Request::new(buffer.clone(), wgpu::MapMode::Write, fence, poller))
        } else {
            Mapping::Unmapped
        };
        Self::with(buffer, kind, bytes, None, mapping)
    }

    /// Returns the memory of another wgpu user's buffer.
    pub(crate) fn adopted(buffer: wgpu::Buffer, kind: MemoryKind) -> Self {
        let bytes = buffer.size();
        Self::with(buffer, kind, bytes, None, Mapping::Unmapped)
    }

    /// Returns staging memory that stays mapped.
    #[cfg(not(any(target_arch = "wasm32", target_vendor = "apple")))]
    pub(crate) fn pinned(pinned: pinned::Pinned, bytes: u64) -> Self {
        Self::with(pinned.buffer, MemoryKind::Staging, bytes, Some(pinned.start), Mapping::Unmapped)
    }

    fn with(buffer: wgpu::Buffer, kind: MemoryKind, bytes: u64, pinned: Option<NonNull<u8>>, mapping: Mapping) -> Self {
        Self {
            buffer,
            kind,
            bytes,
            pinned,
            mapping: Mutex::new(mapping),
            last_use: Mutex::default(),
            cancelled: Mutex::default(),
        }
    }

    fn mapping(&self) -> MutexGuard<'_, Mapping> {
        self.mapping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_mapped(&self) -> bool {
        !matches!(*self.mapping(), Mapping::Unmapped)
    }

    /// Records that a submission uses the buffer.
    pub(crate) fn used_by(&self, fence: &Arc<Fence>) {
        *self.last_use.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(fence));
    }

    /// The last submission that uses the buffer, unless it has ended.
    fn last_use(&self) -> Option<Arc<Fence>> {
        not_ended(&self.last_use)
    }

    pub(crate) fn map(&self, poller: &Arc<Poller>) -> Result<Ticket, BackendError> {
        is_visible(self.kind)?;
        let mode = match self.kind {
            MemoryKind::Readback => wgpu::MapMode::Read,
            // The mode is `Write` for reading, too: gpu-allocator puts such buffers into coherent memory only.
            _ => wgpu::MapMode::Write,
        };
        let mut mapping = self.mapping();
        match &*mapping {
            Mapping::Mapped { .. } => return Ok(Ticket::ready()),
            Mapping::Pending(request) => return Ok(Ticket::new(Arc::clone(&request.fence) as _)),
            Mapping::Open(open) => {
                return Ok(open.waits_for().map_or_else(Ticket::ready, |last| Ticket::new(Arc::clone(last) as _)));
            }
            Mapping::Unmapped if self.pinned.is_some() => {
                let last = self.last_use();
                let ticket = last.clone().map_or_else(Ticket::ready, |last| Ticket::new(last));
                let mut open = mapping::Mapping::default();
                open.open(last);
                *mapping = Mapping::Open(open);
                return Ok(ticket);
            }
            Mapping::Unmapped => {}
        }
        let fence = Fence::new(poller, None);
        if let Some(index) = self.last_use().and_then(|last| last.index()) {
            fence.set_index(index);
        }
        let request = Request::new(self.buffer.clone(), mode, Arc::clone(&fence), poller);
        *mapping = Mapping::Pending(Arc::clone(&request));
        drop(mapping);
        request.request_after(not_ended(&self.cancelled).as_ref());
        Ok(Ticket::new(fence))
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        let refused = |message: &str| BackendError::rejected("host access", message);
        let mut mapping = self.mapping();
        let bytes = usize::try_from(self.bytes).map_err(|_| refused("the memory is larger than the address space"))?;
        if let (Mapping::Open(open), Some(start)) = (&*mapping, self.pinned) {
            // SAFETY: the memory is mapped for as long as the buffer lives, which `self` keeps alive. No submitted work
            // uses it after the last submission has ended, and new work is refused while the mapping is open.
            return unsafe { open.host(|last| last.is_done(), (start, bytes), Arc::clone(self) as _) };
        }
        if let Mapping::Pending(request) = &*mapping {
            if !request.fence.is_done() {
                return Err(pending());
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
            *mapping = Mapping::Mapped { view: Some(view), lent: Lent::default() };
        }
        let Mapping::Mapped { view: Some(view), lent } = &mut *mapping else {
            return Err(not_mapped());
        };
        let start = match view {
            View::Read(view) => NonNull::from(&**view).cast::<u8>(),
            View::Write(view) => view.slice(..).as_raw_ptr().cast::<u8>(),
        };
        // SAFETY: the pointer comes from wgpu's own view of the whole mapped buffer, which stays mapped until `unmap`,
        // which refuses while `lent` is set; `self` keeps the buffer alive, and a buffer that is dropped elsewhere
        // stays mapped. `HostRange` gives mutable access only to callers that respect the kind: a Readback view is
        // read-only.
        unsafe { lent.range((start, bytes), Arc::clone(self) as _) }
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        let mut mapping = self.mapping();
        match &mut *mapping {
            Mapping::Unmapped => return Ok(()),
            Mapping::Open(open) => {
                open.close()?;
                *mapping = Mapping::Unmapped;
                return Ok(());
            }
            // The mapping is pending. In the next arm it is complete, but its view was never requested.
            Mapping::Pending(request) if !request.fence.is_done() => {
                if let Some(last) = self.last_use() {
                    *self.cancelled.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
                    request.cancel();
                    *mapping = Mapping::Unmapped;
                    return Ok(());
                }
                // No work uses the memory, so the mapping is about to complete; the next call reports a lost device.
                let _ = request.fence.wait(None);
            }
            Mapping::Pending(_) => {}
            Mapping::Mapped { view, lent } => {
                lent.is_back()?;
                *view = None;
            }
        }
        *mapping = Mapping::Unmapped;
        drop(mapping);
        self.buffer.unmap();
        Ok(())
    }
}

/// The submission that `submission` contains, unless it has ended.
fn not_ended(submission: &Mutex<Option<Arc<Fence>>>) -> Option<Arc<Fence>> {
    let mut submission = submission.lock().unwrap_or_else(PoisonError::into_inner);
    if submission.as_ref().is_some_and(|fence| fence.is_done()) {
        *submission = None;
    }
    submission.clone()
}
