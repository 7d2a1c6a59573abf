//! A buffer without its element type: memory, residency, and how bytes get from one side to the
//! other.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BackendError, HostRange, MemoryId, MemoryKind, Region, Ticket};

use super::host::{Download, Heap, HostCopy, HostView, Reading, Written};
use super::residency::{Residency, State};
use super::staging::{Block, Staging};
use super::traffic::Traffic;
use super::upload;
use super::uses::{Use, Uses};
use crate::device::DeviceInner;
use crate::error::BufferError;
use crate::timeline::{Batch, Pending};

/// Transfers begin and end at multiples of this.
pub(crate) const GRANULE: u64 = 4;

/// Which guard is out, for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardKind {
    Read,
    Write,
    Update,
    /// Code that anywarp knows nothing of uses the buffer on the device.
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

/// Counts a guard while it lives.
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
    residency: Residency,
    last_use: Option<Arc<Batch>>,
    /// Unified memory only: the mapping, kept from one host access to the next.
    mapping: Option<Arc<HostRange>>,
    /// A mapping was asked for, whether or not anybody came for it.
    maybe_mapped: bool,
    /// Staged memory only.
    copy: Option<Arc<HostCopy>>,
    /// Oldest first; a later one wins where they overlap.
    written: Vec<(Range<u64>, Written)>,
    readers: usize,
    writer: Option<GuardKind>,
}

impl Inner {
    /// An error, once, if the work that was last to use the buffer could not be handed over.
    fn check_last_use(&mut self) -> Result<(), BackendError> {
        let outcome = self.last_use.as_ref().map_or(Ok(()), |batch| batch.ticket().map(|_| ()));
        if outcome.is_err() {
            self.last_use = None;
        }
        outcome
    }

    /// Drops what the host wrote within `range`, and gives its staging memory back.
    fn drop_written(&mut self, range: &Range<u64>, staging: &Staging) {
        let within = |(at, _): &mut (Range<u64>, Written)| range.start <= at.start && at.end <= range.end;
        for (_, written) in self.written.extract_if(.., within) {
            if let Written::Staged(block, host) = written {
                drop(host);
                staging.release(block);
            }
        }
    }
}

/// What is allocated for a buffer: no memory is empty, and transfers reach its last granule.
fn reserved(bytes: u64) -> u64 {
    bytes.max(1).next_multiple_of(GRANULE)
}

/// One buffer of one device.
pub(crate) struct Core {
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) memory: MemoryId,
    pub(crate) bytes: u64,
    /// Host and device share the memory.
    pub(crate) unified: bool,
    pub(crate) traffic: Traffic,
    uses: Uses,
    inner: Mutex<Inner>,
}

impl Core {
    pub(crate) fn new(device: &Arc<DeviceInner>, bytes: u64) -> Result<Arc<Self>, BufferError> {
        let unified = device.backend.caps().unified;
        let kind = if unified { MemoryKind::Shared } else { MemoryKind::Device };
        if !unified && bytes > upload::WHOLE as u64 {
            // Then a device may zero the memory beside what it is doing. What cannot be handed over now is later.
            let _ = device.timeline.flush(&mut device.timeline.lock(), &device.staging);
        }
        let memory =
            device.allocate(reserved(bytes), kind).map_err(|error| device.buffer_error("allocating", bytes, error))?;
        Ok(Self::of(device, memory, bytes, unified, Uses::ALL))
    }

    /// A buffer on memory that is there already.
    pub(crate) fn of(device: &Arc<DeviceInner>, memory: MemoryId, bytes: u64, unified: bool, uses: Uses) -> Arc<Self> {
        Arc::new(Self {
            device: Arc::clone(device),
            memory,
            bytes,
            unified,
            traffic: Traffic::default(),
            uses,
            inner: Mutex::new(Inner {
                residency: Residency::new(bytes),
                last_use: None,
                mapping: None,
                maybe_mapped: false,
                copy: None,
                written: Vec::new(),
                readers: 0,
                writer: None,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn region(&self, range: &Range<u64>) -> Region {
        Region { memory: self.memory, offset: range.start, bytes: range.end - range.start }
    }

    pub(crate) fn error(&self, operation: &'static str, error: BackendError) -> BufferError {
        self.device.buffer_error(operation, self.bytes, error)
    }

    /// `range`, rounded to what transfers can address. The rounding never leaves the allocation.
    pub(crate) fn aligned(&self, range: &Range<u64>) -> Result<Range<u64>, BufferError> {
        let end = if range.end == self.bytes { range.end.next_multiple_of(GRANULE) } else { range.end };
        if !range.start.is_multiple_of(GRANULE) || !end.is_multiple_of(GRANULE) {
            return Err(BufferError::Misaligned { start: range.start, end: range.end });
        }
        Ok(range.start..end)
    }

    // ---- the host's side

    /// Registers a guard, so that from here on launches are refused.
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

    /// An error unless the buffer may be used like this. `what` ends "the buffer cannot".
    pub(crate) fn allows(&self, one: Use, what: &'static str) -> Result<(), BufferError> {
        if self.uses.contain(one) { Ok(()) } else { Err(BufferError::Usage { what, missing: one.name() }) }
    }

    /// The name of a guard that is out.
    pub(crate) fn guarded(&self) -> Option<&'static str> {
        let state = self.state();
        state.writer.map(GuardKind::name).or((state.readers > 0).then(|| GuardKind::Read.name()))
    }

    /// Starts to make `range` readable by the host. The caller holds a guard.
    pub(crate) fn begin_read(&self, range: &Range<u64>) -> Result<Reading, BackendError> {
        if self.unified {
            return self.begin_shared().map(Reading::Shared);
        }
        if let Some(view) = self.on_host(range) {
            return Ok(Reading::Ready(view));
        }
        let mut pending = self.lock_behind_last_use()?;
        self.upload(&mut pending)?;
        let mut state = self.state();
        state.check_last_use()?;
        // A copy that another guard borrows, or without room for all of `range`, stays as it is;
        // then a fresh one is filled.
        let room = |copy: &HostCopy| copy.range.start <= range.start && range.end <= copy.range.end;
        let kept = state.copy.take().filter(|copy| room(copy)).and_then(|copy| Arc::try_unwrap(copy).ok());
        if kept.is_none() {
            state.residency.host_forgot();
        }
        let stale = state.residency.ranges(range.clone(), |part| !part.on_host());
        // Between two of them both sides have the same.
        let stale = joined(stale, self.device.caps().copy_cost.map_or(0, |cost| cost.gap()));
        let mut valid = state.residency.ranges(0..self.bytes, |part| part == State::Synced);
        valid.push(range.clone());
        // Until the copy has arrived nobody may count on what it held before.
        state.residency.host_forgot();
        let (block, range) = match kept.and_then(|mut copy| copy.block.take().map(|block| (block, copy.range.clone())))
        {
            Some(kept) => kept,
            None => {
                let range = range.start..range.end.next_multiple_of(GRANULE);
                (self.device.staging.acquire(MemoryKind::Readback, range.end - range.start)?, range)
            }
        };
        drop(state);
        let device = Arc::clone(&self.device);
        let (download, ticket) =
            self.download(pending, Download { block: Some(block), range, valid, mapping: None, device }, &stale)?;
        Ok(Reading::Download(download, ticket))
    }

    /// Starts to copy what the device has at `range` into a block that nobody keeps. The caller holds a
    /// guard.
    pub(super) fn fetch(&self, range: &Range<u64>) -> Result<(Download, Ticket), BackendError> {
        let mut pending = self.lock_behind_last_use()?;
        self.upload(&mut pending)?;
        self.state().check_last_use()?;
        let range = range.start..range.end.next_multiple_of(GRANULE);
        let block = self.device.staging.acquire(MemoryKind::Readback, range.end - range.start)?;
        let device = Arc::clone(&self.device);
        let part = range.clone();
        self.download(
            pending,
            Download { block: Some(block), range, valid: Vec::new(), mapping: None, device },
            &[part],
        )
    }

    /// The timeline, turned to the stream of the work that made the data: a copy goes behind that, and
    /// beside all other.
    fn lock_behind_last_use(&self) -> Result<MutexGuard<'_, Pending>, BackendError> {
        let stream = self.state().last_use.as_ref().map_or(0, |batch| batch.stream());
        self.device.timeline.lock_on(stream, &self.device.staging)
    }

    /// Hands over the copies of `parts` into a block.
    fn download(
        &self,
        mut pending: MutexGuard<'_, Pending>,
        mut download: Download,
        parts: &[Range<u64>],
    ) -> Result<(Download, Ticket), BackendError> {
        let (memory, base) = (download.memory(), download.range.start);
        self.device.backend.unmap(memory)?;
        for part in parts {
            let part = part.start / GRANULE * GRANULE..part.end.next_multiple_of(GRANULE);
            let target = Region { memory, offset: part.start - base, bytes: part.end - part.start };
            pending.recording.copy(self.region(&part), target);
            self.traffic.downloaded(target.bytes);
            self.device.traffic.downloaded(target.bytes);
        }
        self.state().last_use = Some(Arc::clone(&pending.batch));
        if let Err(error) = self.device.timeline.flush(&mut pending, &self.device.staging) {
            if matches!(error, BackendError::OutOfMemory { .. }) {
                // The copies stay recorded, and so their block must stay.
                pending.staged.extend(download.block.take());
            }
            return Err(error);
        }
        drop(pending);
        let ticket = self.device.backend.map(memory)?;
        download.mapping = Some(ticket.clone());
        Ok((download, ticket))
    }

    /// Whether the host has all of `range`.
    pub(crate) fn is_on_host(&self, range: &Range<u64>) -> bool {
        self.state().residency.all(range.clone(), State::on_host)
    }

    /// Ends what `begin_read` started; the ticket is done.
    pub(crate) fn end_read(&self, reading: Reading) -> Result<HostView, BackendError> {
        match reading {
            Reading::Ready(view) => Ok(view),
            Reading::Shared(_) => self.end_shared().map(HostView::Shared),
            Reading::Download(mut download, _) => {
                let valid = std::mem::take(&mut download.valid);
                let copy = Arc::new(download.arrived()?);
                let mut state = self.state();
                // Another reader's copy may have come in between: this one replaces it.
                state.residency.host_forgot();
                for part in valid {
                    state.residency.downloaded(part);
                }
                state.copy = Some(Arc::clone(&copy));
                Ok(HostView::Copy(copy))
            }
        }
    }

    /// The bytes, if the host has all of `range` already.
    fn on_host(&self, range: &Range<u64>) -> Option<HostView> {
        let state = self.state();
        if !state.residency.all(range.clone(), State::on_host) {
            return None;
        }
        if state.residency.all(range.clone(), |part| part == State::Synced) {
            return state.copy.clone().map(HostView::Copy);
        }
        // Some of it was written by the host and never left: put it together here.
        let mut heap = Heap::zeroed((range.end - range.start).next_multiple_of(GRANULE));
        let mut overlay = |at: Range<u64>, bytes: &[u8]| {
            let (from, to) = (at.start.max(range.start), at.end.min(range.end));
            if from < to {
                let source = &bytes[(from - at.start) as usize..(to - at.start) as usize];
                heap.bytes_mut()[(from - range.start) as usize..(to - range.start) as usize].copy_from_slice(source);
            }
        };
        if let Some(copy) = &state.copy {
            overlay(copy.range.clone(), copy.bytes());
        }
        for (at, written) in &state.written {
            overlay(at.clone(), written.bytes());
        }
        Some(HostView::Heap(Arc::new(heap), range.start))
    }

    /// Unified memory: waits for the device and maps.
    pub(crate) fn begin_shared(&self) -> Result<Ticket, BackendError> {
        let mut pending = self.device.timeline.lock();
        let mut state = self.state();
        if state.mapping.is_some() {
            return Ok(Ticket::ready());
        }
        let unsubmitted = state.last_use.as_ref().is_some_and(|batch| batch.is_pending());
        state.maybe_mapped = true;
        drop(state);
        if unsubmitted {
            self.device.timeline.flush(&mut pending, &self.device.staging)?;
        }
        drop(pending);
        self.state().check_last_use()?;
        self.device.backend.map(self.memory)
    }

    fn end_shared(&self) -> Result<Arc<HostRange>, BackendError> {
        let mut state = self.state();
        if let Some(mapping) = &state.mapping {
            return Ok(Arc::clone(mapping));
        }
        let mapping = Arc::new(self.device.backend.host(self.memory)?);
        state.mapping = Some(Arc::clone(&mapping));
        Ok(mapping)
    }

    /// Unified memory, for writing: the caller holds the only guard, so the range is unshared.
    pub(crate) fn take_shared(&self) -> Result<HostRange, BackendError> {
        let mapping = self.end_shared()?;
        self.state().mapping = None;
        Arc::try_unwrap(mapping).map_err(|_| BackendError::Rejected {
            operation: "host access",
            message: "another guard of the buffer was leaked".to_owned(),
        })
    }

    /// Gives the unified memory back after a host access.
    pub(crate) fn return_shared(&self, range: &Range<u64>, host: HostRange) {
        let mut state = self.state();
        state.residency.host_wrote(range.clone());
        state.mapping = Some(Arc::new(host));
    }

    /// Takes what the host wrote; it is uploaded at the next device use.
    pub(crate) fn host_wrote(&self, range: Range<u64>, written: Written) {
        let mut state = self.state();
        state.drop_written(&range, &self.device.staging);
        state.written.push((range.clone(), written));
        state.residency.host_wrote(range);
    }

    // ---- the device's side

    /// Records the upload of everything that the host has newer.
    pub(crate) fn upload(&self, pending: &mut Pending) -> Result<(), BackendError> {
        let mut state = self.state();
        let state = &mut *state;
        while let Some((at, written)) = state.written.first_mut() {
            let at = at.start..at.end.next_multiple_of(GRANULE);
            if self.stage(&at, written, pending)? {
                let Written::Staged(block, host) = state.written.remove(0).1 else { continue };
                drop(host);
                self.record_upload(pending, &at, block)?;
            } else {
                let Written::Heap(heap) = written else { continue };
                upload::send(self, pending, at.start, &heap.bytes()[..(at.end - at.start) as usize])?;
                state.written.remove(0);
            }
            state.residency.uploaded(at);
            state.last_use = Some(Arc::clone(&pending.batch));
        }
        Ok(())
    }

    /// Notes that what the host has new at `at` went to the device with `batch`.
    pub(super) fn sent(&self, at: Range<u64>, batch: &Arc<Batch>) {
        let mut state = self.state();
        state.residency.host_wrote(at.clone());
        state.residency.uploaded(at);
        state.last_use = Some(Arc::clone(batch));
    }

    /// Records the copy of a block that the host has written and no longer holds.
    pub(super) fn record_upload(
        &self,
        pending: &mut Pending,
        at: &Range<u64>,
        block: Block,
    ) -> Result<(), BackendError> {
        let at = at.start..at.end.next_multiple_of(GRANULE);
        let source = Region { memory: block.memory, offset: 0, bytes: at.end - at.start };
        pending.staged.push(block);
        self.device.backend.unmap(source.memory)?;
        pending.recording.copy(source, self.region(&at));
        self.traffic.uploaded(source.bytes);
        self.device.traffic.uploaded(source.bytes);
        Ok(())
    }

    /// Moves what the host wrote at `at` into staging memory; false if there is not as much to be had.
    fn stage(&self, at: &Range<u64>, written: &mut Written, pending: &mut Pending) -> Result<bool, BackendError> {
        let Written::Heap(heap) = written else { return Ok(true) };
        let length = (at.end - at.start).next_multiple_of(GRANULE);
        if length > upload::CHUNK as u64 {
            return Ok(false);
        }
        let Some((block, mut host)) = self.device.upload_block(length, Some(pending))? else { return Ok(false) };
        host.bytes_mut()[..length as usize].copy_from_slice(&heap.bytes()[..length as usize]);
        *written = Written::Staged(block, host);
        Ok(true)
    }

    /// Does the part of an upload that can fail, for all that the host wrote but what lies in
    /// `range`: afterwards that can be [superseded](Self::supersede).
    pub(crate) fn stage_around(&self, pending: &mut Pending, range: &Range<u64>) -> Result<(), BackendError> {
        let mut staged = true;
        {
            let mut state = self.state();
            let around = state.written.iter_mut().filter(|(at, _)| at.start < range.start || range.end < at.end);
            for (at, written) in around {
                staged &= self.stage(at, written, pending)?;
            }
        }
        // What does not fit into one block goes now, and what the host wrote before it.
        if staged { Ok(()) } else { self.upload(pending) }
    }

    /// Drops what the host wrote into `range`, which the device is about to overwrite wholly.
    pub(crate) fn supersede(&self, range: &Range<u64>) {
        self.state().drop_written(range, &self.device.staging);
    }

    /// Prepares the buffer for a command: the device has everything, the host nothing.
    pub(crate) fn prepare(&self, pending: &mut Pending) -> Result<(), BackendError> {
        if self.unified {
            let mut state = self.state();
            if state.maybe_mapped {
                state.mapping = None;
                self.device.backend.unmap(self.memory)?;
                state.maybe_mapped = false;
            }
            return Ok(());
        }
        self.upload(pending)
    }

    /// Gets the buffer ready for work that anywarp knows nothing of: the device has everything, and all
    /// that was recorded is handed over. Until the token is dropped nobody else gets at the buffer.
    #[cfg(any(feature = "wgpu", feature = "cuda"))]
    pub(crate) fn lend(self: &Arc<Self>) -> Result<GuardToken, BufferError> {
        let failed = |error| self.error("lending", error);
        let token = self.guard(GuardKind::Lend)?;
        let timeline = &self.device.timeline;
        let mut pending = timeline.lock_on(0, &self.device.staging).map_err(failed)?;
        timeline.alive().map_err(failed)?;
        self.prepare(&mut pending).map_err(failed)?;
        timeline.flush(&mut pending, &self.device.staging).map_err(failed)?;
        self.state().check_last_use().map_err(failed)?;
        Ok(token)
    }

    /// Such work wrote all of it.
    #[cfg(feature = "wgpu")]
    pub(crate) fn others_wrote(&self) {
        self.state().residency.device_wrote(0..self.bytes);
    }

    /// Notes that a command of `batch` uses the buffer, and writes `written`.
    pub(crate) fn used(&self, batch: &Arc<Batch>, written: Option<Range<u64>>) {
        let mut state = self.state();
        if !state.last_use.as_ref().is_some_and(|last| Arc::ptr_eq(last, batch)) {
            state.last_use = Some(Arc::clone(batch));
        }
        if let Some(range) = written {
            state.residency.device_wrote(range);
        }
    }
}

/// Ranges in order, with those joined that lie no further apart than `gap`.
fn joined(ranges: Vec<Range<u64>>, gap: u64) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start - last.end <= gap => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

impl Drop for Core {
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        inner.mapping = None;
        inner.drop_written(&(0..u64::MAX), &self.device.staging);
        self.device.freed(self.memory, reserved(self.bytes), inner.last_use.as_ref());
    }
}
