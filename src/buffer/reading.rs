//! Host access to a buffer: copies of missing data, or the mapping of unified memory.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, HostRange, MemoryKind, Region, Ticket};

use super::core::{Core, GRANULE};
use super::host::{Download, Heap, HostCopy, HostView, Reading};
use super::joining::joined;
use super::residency::State;
use crate::submit::{Event, Queue};

impl Core {
    /// Starts a read of `range` by the host. The caller holds a guard.
    pub(crate) fn begin_read(&self, range: &Range<u64>) -> Result<Reading, BackendError> {
        if self.unified {
            return self.begin_shared().map(Reading::Shared);
        }
        if let Some(view) = self.on_host(range) {
            return Ok(Reading::Ready(view));
        }
        let mut queue = self.queue_behind_last_use()?;
        self.upload(&mut queue)?;
        let mut state = self.state();
        state.check_last_use()?;
        // The host's existing copy is reused, unless another guard refers to the copy or `range` is not within its
        // range: then a new block is filled.
        let room = |copy: &HostCopy| copy.range.start <= range.start && range.end <= copy.range.end;
        let kept = state.copy.take().filter(|copy| room(copy)).and_then(|copy| Arc::try_unwrap(copy).ok());
        if kept.is_none() {
            state.residency.host_forgot();
        }
        let stale = state.residency.ranges(range.clone(), |part| !part.on_host());
        // The bytes between two stale ranges may be copied, too, as host and device have the same data in these bytes.
        let stale = joined(stale, self.device.caps().copy_cost.unwrap_or_default().down.gap(), |_| true);
        let mut valid = state.residency.ranges(0..self.bytes, |part| part == State::Synced);
        valid.push(range.clone());
        // Until the new copy has arrived, the host's previous copy is invalid.
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
            self.download(queue, Download { block: Some(block), range, valid, mapping: None, device }, &stale)?;
        Ok(Reading::Download(download, ticket))
    }

    /// Starts a copy of the device's data at `range` into a temporary block. The caller holds a guard.
    pub(super) fn fetch(&self, range: &Range<u64>) -> Result<(Download, Ticket), BackendError> {
        let mut queue = self.queue_behind_last_use()?;
        self.upload(&mut queue)?;
        self.state().check_last_use()?;
        let range = range.start..range.end.next_multiple_of(GRANULE);
        let block = self.device.staging.acquire(MemoryKind::Readback, range.end - range.start)?;
        let device = Arc::clone(&self.device);
        let part = range.clone();
        self.download(queue, Download { block: Some(block), range, valid: Vec::new(), mapping: None, device }, &[part])
    }

    /// Locks the timeline and sets it to the stream of the last work on the buffer: a copy on that stream runs after
    /// that work, and concurrently with the work of other streams.
    fn queue_behind_last_use(&self) -> Result<Queue<'_>, BackendError> {
        let stream = self.state().last_use.as_ref().map_or(0, |batch| batch.stream());
        self.device.queue_on(stream)
    }

    /// Submits copies of the ranges `parts` of the buffer into the block of `download`, and requests the mapping of the
    /// block.
    fn download(
        &self,
        mut queue: Queue<'_>,
        mut download: Download,
        parts: &[Range<u64>],
    ) -> Result<(Download, Ticket), BackendError> {
        let (memory, base) = (download.memory(), download.range.start);
        self.device.backend.unmap(memory)?;
        for part in parts {
            let part = part.start / GRANULE * GRANULE..part.end.next_multiple_of(GRANULE);
            let target = Region { memory, offset: part.start - base, bytes: part.end - part.start };
            queue.copy(self.region(&part), target);
            self.traffic.downloaded(target.bytes);
            self.device.traffic.downloaded(target.bytes);
            self.device.events.emit(|| Event::Download { bytes: target.bytes });
        }
        self.state().last_use = Some(Arc::clone(queue.batch()));
        if let Err(error) = queue.flush() {
            if matches!(error, BackendError::OutOfMemory { .. }) {
                // The copies stay recorded and run later, so their block must be kept until then.
                download.block.take().into_iter().for_each(|block| queue.stage(block));
            }
            return Err(error);
        }
        drop(queue);
        let ticket = self.device.backend.map(memory)?;
        download.mapping = Some(ticket.clone());
        Ok((download, ticket))
    }

    /// Whether the host has the current data of all of `range`.
    pub(crate) fn is_on_host(&self, range: &Range<u64>) -> bool {
        self.state().residency.all(range.clone(), State::on_host)
    }

    /// Ends a read that `begin_read` started and whose ticket has completed.
    pub(crate) fn end_read(&self, reading: Reading) -> Result<HostView, BackendError> {
        match reading {
            Reading::Ready(view) => Ok(view),
            Reading::Shared(_) => self.end_shared().map(HostView::Shared),
            Reading::Download(mut download, _) => {
                let valid = std::mem::take(&mut download.valid);
                let copy = Arc::new(download.arrived()?);
                let mut state = self.state();
                // Another reader may have stored its copy meanwhile; the new copy replaces it.
                state.residency.host_forgot();
                for part in valid {
                    state.residency.downloaded(part);
                }
                state.copy = Some(Arc::clone(&copy));
                Ok(HostView::Copy(copy))
            }
        }
    }

    /// Returns a view of the bytes of `range`, if the host already has all of them.
    fn on_host(&self, range: &Range<u64>) -> Option<HostView> {
        let state = self.state();
        if !state.residency.all(range.clone(), State::on_host) {
            return None;
        }
        if state.residency.all(range.clone(), |part| part == State::Synced) {
            return state.copy.clone().map(HostView::Copy);
        }
        // The host wrote a part of the range and has not sent it yet: the view is assembled from the copy and the
        // unsent data.
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
        for (at, bytes) in state.unsent.parts(range) {
            overlay(at, bytes);
        }
        Some(HostView::Heap(Arc::new(heap), range.start))
    }

    /// Requests the mapping of a buffer in unified memory. Submits pending work that uses the buffer; the returned
    /// ticket waits for that work.
    pub(crate) fn begin_shared(&self) -> Result<Ticket, BackendError> {
        let mut queue = self.device.queue();
        let mut state = self.state();
        if state.mapping.is_some() {
            return Ok(Ticket::ready());
        }
        let unsubmitted = state.last_use.as_ref().is_some_and(|batch| batch.is_pending());
        state.maybe_mapped = true;
        drop(state);
        if unsubmitted {
            queue.flush()?;
        }
        drop(queue);
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

    /// Returns the mapping of unified memory for writing. The caller has the only guard, so no other guard uses the
    /// mapping.
    pub(crate) fn take_shared(&self) -> Result<HostRange, BackendError> {
        // If the memory is still mapped, nothing else detects that the device is lost, and writes would have no effect.
        self.device.alive()?;
        let mapping = self.end_shared()?;
        self.state().mapping = None;
        Arc::try_unwrap(mapping).map_err(|_| BackendError::Rejected {
            operation: "host access",
            message: "a guard of this buffer was leaked (as by mem::forget) and still maps it; use another buffer"
                .to_owned(),
        })
    }

    /// Stores the mapping of unified memory again, after the host has accessed `range`.
    pub(crate) fn return_shared(&self, range: &Range<u64>, host: HostRange) {
        let mut state = self.state();
        state.residency.host_wrote(range.clone());
        state.mapping = Some(Arc::new(host));
    }
}
