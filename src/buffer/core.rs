//! A buffer without its element type: memory, residency, and transfers between host and device.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BackendError, HostRange, MemoryId, MemoryKind, Region};

use super::host::{HostCopy, Written};
use super::residency::Residency;
use super::scratch::ScratchPool;
use super::unsent::{SHORT, Unsent};
use super::upload;
use super::uses::{Use, Uses};
use crate::error::BufferError;
use crate::submit::staging::Staging;
use crate::submit::{Batch, Context, Queue, Resource, Traffic};

/// The alignment of transfers: they begin and end at multiples of this many bytes.
pub(crate) const GRANULE: u64 = 4;

/// The kind of a guard, for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardKind {
    Read,
    Write,
    Update,
    /// The buffer is lent to foreign code, which uses it on the device.
    #[cfg(any(feature = "wgpu", feature = "cuda"))]
    Lend,
}

impl GuardKind {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "ReadGuard",
            Self::Write => "WriteGuard",
            Self::Update => "UpdateGuard",
            #[cfg(any(feature = "wgpu", feature = "cuda"))]
            Self::Lend => "Lent",
        }
    }
}

/// The registration of a guard in the state of its buffer; dropping it ends the registration.
pub(crate) struct GuardToken(Arc<Core>, GuardKind);

impl Drop for GuardToken {
    fn drop(&mut self) {
        let mut state = self.0.state();
        match self.1 {
            GuardKind::Read => state.readers -= 1,
            _ => state.writer = None,
        }
    }
}

pub(crate) struct Inner {
    pub(super) residency: Residency,
    pub(super) last_use: Option<Arc<Batch>>,
    /// The mapping of the memory into the host's address space, kept between host accesses; unified memory only.
    pub(super) mapping: Option<Arc<HostRange>>,
    /// Whether the memory may be mapped: a mapping was requested, even if the host never used it.
    pub(super) maybe_mapped: bool,
    /// The host's copy of the range that was read last; non-unified memory only.
    pub(super) copy: Option<Arc<HostCopy>>,
    /// The host's data of the ranges in the residency states `HostOnly` and `HostDirty`, whose ends are rounded up to
    /// multiples of [`GRANULE`]; non-unified memory only.
    pub(super) unsent: Unsent,
    readers: usize,
    writer: Option<GuardKind>,
}

impl Inner {
    /// Returns an error, once, if the last work that used the buffer could not be submitted.
    pub(super) fn check_last_use(&mut self) -> Result<(), BackendError> {
        let outcome = self.last_use.as_ref().map_or(Ok(()), |batch| batch.ticket().map(|_| ()));
        if outcome.is_err() {
            self.last_use = None;
        }
        outcome
    }

    /// Discards unsent host data in `range`, and releases its staging memory.
    pub(super) fn drop_unsent(&mut self, range: &Range<u64>, staging: &Staging) {
        for written in self.unsent.cut(range) {
            written.give_back(staging);
        }
    }
}

/// The size of the allocation for a buffer of `bytes`: never 0, and a multiple of [`GRANULE`].
fn reserved(bytes: u64) -> u64 {
    bytes.max(1).next_multiple_of(GRANULE)
}

/// One buffer of one device, without its element type.
pub(crate) struct Core {
    pub(crate) device: Arc<Context>,
    pub(crate) memory: MemoryId,
    pub(crate) bytes: u64,
    /// Whether host and device share the memory.
    pub(crate) unified: bool,
    pub(crate) traffic: Traffic,
    uses: Uses,
    /// The pool that receives the memory when the buffer is dropped; without a pool, the memory is freed.
    pool: Option<Arc<ScratchPool>>,
    inner: Mutex<Inner>,
}

impl Core {
    pub(crate) fn new(device: &Arc<Context>, bytes: u64) -> Result<Arc<Self>, BufferError> {
        let memory = Self::allocate(device, bytes)?;
        Ok(Self::of(device, memory, bytes, device.caps().unified, Uses::ALL))
    }

    /// A buffer whose memory returns to `pool` when it is dropped.
    pub(super) fn pooled(device: &Arc<Context>, bytes: u64, pool: &Arc<ScratchPool>) -> Result<Arc<Self>, BufferError> {
        let memory = Self::allocate(device, bytes)?;
        let unified = device.caps().unified;
        let mut core = Self::plain(device, memory, bytes, unified, Uses::ALL);
        core.pool = Some(Arc::clone(pool));
        Ok(Arc::new(core))
    }

    /// A buffer on memory that another buffer of `pool` used before.
    pub(super) fn recycled(
        device: &Arc<Context>,
        memory: MemoryId,
        bytes: u64,
        last_use: Option<Arc<Batch>>,
        pool: &Arc<ScratchPool>,
    ) -> Arc<Self> {
        let mut core = Self::plain(device, memory, bytes, device.caps().unified, Uses::ALL);
        let mut state = core.state();
        state.last_use = last_use;
        // The memory is not zero, and the host may have mapped it for the previous buffer.
        state.residency.device_wrote(0..bytes);
        state.maybe_mapped = core.unified;
        drop(state);
        core.pool = Some(Arc::clone(pool));
        Arc::new(core)
    }

    fn allocate(device: &Arc<Context>, bytes: u64) -> Result<MemoryId, BufferError> {
        let unified = device.caps().unified;
        let kind = if unified { MemoryKind::Shared } else { MemoryKind::Device };
        if !unified && bytes > upload::WHOLE as u64 {
            // The pending commands are submitted first, so that the memory may be zeroed while the device runs them. A
            // later read or wait reports a failure of this submission.
            let _ = device.queue().flush();
        }
        device.allocate(reserved(bytes), kind).map_err(|error| device.buffer_error("allocating", bytes, error))
    }

    /// A buffer on existing memory.
    pub(crate) fn of(device: &Arc<Context>, memory: MemoryId, bytes: u64, unified: bool, uses: Uses) -> Arc<Self> {
        Arc::new(Self::plain(device, memory, bytes, unified, uses))
    }

    fn plain(device: &Arc<Context>, memory: MemoryId, bytes: u64, unified: bool, uses: Uses) -> Self {
        Self {
            device: Arc::clone(device),
            memory,
            bytes,
            unified,
            traffic: Traffic::default(),
            uses,
            pool: None,
            inner: Mutex::new(Inner {
                residency: Residency::new(bytes),
                last_use: None,
                mapping: None,
                maybe_mapped: false,
                copy: None,
                unsent: Unsent::default(),
                readers: 0,
                writer: None,
            }),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn region(&self, range: &Range<u64>) -> Region {
        Region { memory: self.memory, offset: range.start, bytes: range.end - range.start }
    }

    pub(crate) fn error(&self, operation: &'static str, error: BackendError) -> BufferError {
        self.device.buffer_error(operation, self.bytes, error)
    }

    /// Returns `range`. An end that is the end of the buffer is rounded up to a multiple of [`GRANULE`], as the end of
    /// the allocation is. Any other start or end that is not such a multiple is an error.
    pub(crate) fn aligned(&self, range: &Range<u64>) -> Result<Range<u64>, BufferError> {
        let end = if range.end == self.bytes { range.end.next_multiple_of(GRANULE) } else { range.end };
        if !range.start.is_multiple_of(GRANULE) || !end.is_multiple_of(GRANULE) {
            return Err(BufferError::Misaligned { start: range.start, end: range.end });
        }
        Ok(range.start..end)
    }

    // ---- host access

    /// Registers a guard; launches that use the buffer are refused until the token is dropped.
    pub(crate) fn guard(self: &Arc<Self>, kind: GuardKind) -> Result<GuardToken, BufferError> {
        if !self.unified && matches!(kind, GuardKind::Read | GuardKind::Update) {
            self.allows(Use::CopyFrom, "be read")?;
        }
        if !self.unified && matches!(kind, GuardKind::Write | GuardKind::Update) {
            self.allows(Use::CopyTo, "be written")?;
        }
        let mut state = self.state();
        if let Some(writer) = state.writer {
            return Err(BufferError::InUse { guard: writer.name() });
        }
        if kind == GuardKind::Read {
            state.readers += 1;
        } else if state.readers > 0 {
            return Err(BufferError::InUse { guard: GuardKind::Read.name() });
        } else {
            state.writer = Some(kind);
        }
        Ok(GuardToken(Arc::clone(self), kind))
    }

    /// Returns an error unless the buffer permits this use. `what` completes the sentence "the buffer cannot".
    pub(crate) fn allows(&self, one: Use, what: &'static str) -> Result<(), BufferError> {
        if self.uses.contain(one) { Ok(()) } else { Err(BufferError::Usage { what, missing: one.name() }) }
    }

    /// Accepts `written`, the data that the host wrote to `range`; this data is uploaded before the next use of the
    /// buffer on the device.
    pub(crate) fn host_wrote(&self, range: Range<u64>, written: Written) {
        let at = range.start..range.end.next_multiple_of(GRANULE);
        let mut state = self.state();
        match written {
            Written::Heap(heap) if at.end - at.start <= SHORT => {
                state.unsent.write_short(at.start, &heap.bytes()[..(at.end - at.start) as usize]);
            }
            written => {
                for replaced in state.unsent.write(at, written) {
                    replaced.give_back(&self.device.staging);
                }
            }
        }
        state.residency.host_wrote(range);
    }

    // ---- device access

    /// Prepares the buffer for foreign code on the device: uploads the host's changes and submits all pending commands.
    /// Every other access is refused until the token is dropped.
    #[cfg(any(feature = "wgpu", feature = "cuda"))]
    pub(crate) fn lend(self: &Arc<Self>) -> Result<GuardToken, BufferError> {
        let failed = |error| self.error("lending", error);
        let token = self.guard(GuardKind::Lend)?;
        let mut queue = self.device.queue_on(0).map_err(failed)?;
        self.device.alive().map_err(failed)?;
        self.prepare(&mut queue, None).map_err(failed)?;
        queue.flush().map_err(failed)?;
        self.state().check_last_use().map_err(failed)?;
        Ok(token)
    }

    /// Marks the whole buffer as written by foreign code.
    #[cfg(feature = "wgpu")]
    pub(crate) fn others_wrote(&self) {
        self.state().residency.device_wrote(0..self.bytes);
    }
}

impl Resource for Core {
    fn guarded(&self) -> Option<&'static str> {
        let state = self.state();
        state.writer.map(GuardKind::name).or((state.readers > 0).then(|| GuardKind::Read.name()))
    }

    fn prepare(&self, queue: &mut Queue<'_>, replaced: Option<&Range<u64>>) -> Result<(), BackendError> {
        if !self.unified {
            return self.upload_around(queue, replaced.unwrap_or(&(0..0)));
        }
        let mut state = self.state();
        if state.maybe_mapped {
            state.mapping = None;
            self.device.backend.unmap(self.memory)?;
            state.maybe_mapped = false;
        }
        Ok(())
    }

    fn used(&self, batch: &Arc<Batch>, written: Option<Range<u64>>) {
        let mut state = self.state();
        if !state.last_use.as_ref().is_some_and(|last| Arc::ptr_eq(last, batch)) {
            state.last_use = Some(Arc::clone(batch));
        }
        if let Some(range) = written {
            state.residency.device_wrote(range);
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        inner.mapping = None;
        inner.drop_unsent(&(0..u64::MAX), &self.device.staging);
        match &self.pool {
            Some(pool) => pool.put(&self.device, self.memory, self.bytes, inner.last_use.take()),
            None => self.device.free(self.memory, reserved(self.bytes), inner.last_use.as_ref()),
        }
    }
}
