//! Uploads: the transfer of host data to the device.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Region};
use smallvec::SmallVec;

use super::core::{Core, GRANULE, Inner};
use super::joining::{joined, loads, total};
use super::residency::State;
use super::unsent::{SHORT, Staged};
use super::upload::InFlight;
use crate::submit::staging::Block;
use crate::submit::{Batch, Event, Queue};

impl Core {
    /// Records the upload of all data of the buffer that is newer on the host than on the device.
    pub(crate) fn upload(&self, queue: &mut Queue<'_>) -> Result<(), BackendError> {
        self.upload_around(queue, &(0..0))
    }

    /// [`upload`](Self::upload) without the data in `range`, which is discarded because a command that is about to be
    /// recorded overwrites all of it. On an error nothing is discarded.
    pub(crate) fn upload_around(&self, queue: &mut Queue<'_>, range: &Range<u64>) -> Result<(), BackendError> {
        let mut state = self.state();
        let state = &mut *state;
        if state.unsent.is_empty() {
            return Ok(());
        }
        let range = self.granules_within(range);
        if !range.is_empty() {
            state.unsent.split(range.start);
            state.unsent.split(range.end);
        }
        // The steps that can fail come first.
        self.send_loose(state, queue, &range)?;
        self.send_staged(state, queue, &range)?;
        state.drop_unsent(&range, &self.device.staging);
        Ok(())
    }

    /// The granules within `range`: no byte outside `range` is included.
    fn granules_within(&self, range: &Range<u64>) -> Range<u64> {
        let start = range.start.next_multiple_of(GRANULE);
        let end =
            if range.end == self.bytes { range.end.next_multiple_of(GRANULE) } else { range.end / GRANULE * GRANULE };
        if start < end { start..end } else { 0..0 }
    }

    /// Marks the range `at` as written by the host and uploaded with `batch`.
    pub(super) fn sent(&self, at: Range<u64>, batch: &Arc<Batch>) {
        let mut state = self.state();
        state.residency.host_wrote(at.clone());
        state.residency.uploaded(at);
        state.last_use = Some(Arc::clone(batch));
    }

    /// Records the upload of `block` to the range `at` of the buffer; the host has written the block and no longer uses
    /// it.
    pub(super) fn record_upload(
        &self,
        queue: &mut Queue<'_>,
        at: &Range<u64>,
        block: Block,
    ) -> Result<(), BackendError> {
        let at = at.start..at.end.next_multiple_of(GRANULE);
        self.record_uploads(queue, block, [(at, 0)])
    }

    /// Records copies out of a block, each to a range of the buffer from an offset in the block.
    fn record_uploads(
        &self,
        queue: &mut Queue<'_>,
        block: Block,
        parts: impl IntoIterator<Item = (Range<u64>, u64)>,
    ) -> Result<(), BackendError> {
        let memory = block.memory;
        queue.stage(block);
        self.device.backend.unmap(memory)?;
        for (at, offset) in parts {
            let source = Region { memory, offset, bytes: at.end - at.start };
            queue.copy(source, self.region(&at));
            self.traffic.uploaded(source.bytes);
            self.device.traffic.uploaded(source.bytes);
            self.device.events.emit(|| Event::Upload { bytes: source.bytes });
        }
        Ok(())
    }

    /// Records the upload of unsent data in staging memory, except for data in the range `but`.
    fn send_staged(&self, state: &mut Inner, queue: &mut Queue<'_>, but: &Range<u64>) -> Result<(), BackendError> {
        for pieces in state.unsent.staged().chunk_by(|one, next| one.source == next.source) {
            let parts = whole(pieces, but, self.gap());
            if parts.is_empty() {
                continue;
            }
            let Some((block, host)) = state.unsent.take(pieces) else { continue };
            drop(host);
            // The ranges are marked before the submission: if the device is lost, these bytes are lost as well, and a
            // read must not return old ones.
            for piece in pieces {
                state.residency.uploaded(piece.at.clone());
            }
            state.last_use = Some(Arc::clone(queue.batch()));
            self.record_uploads(queue, block, parts)?;
        }
        Ok(())
    }

    /// Gathers unsent data from ordinary memory in staging blocks and records its upload, except for data in the range
    /// `but`. If there are several blocks, each is submitted when it is filled; the last one is submitted together with
    /// the following commands.
    fn send_loose(&self, state: &mut Inner, queue: &mut Queue<'_>, but: &Range<u64>) -> Result<(), BackendError> {
        let device = &self.device;
        let loose = state.unsent.loose(but);
        if loose.is_empty() {
            return Ok(());
        }
        // `known` returns whether the bytes between two ranges may be uploaded together with these ranges. Data that
        // only the device has must not be overwritten. Unsent data in `but` need not be uploaded, but may be.
        let within = |part: &Range<u64>, outer: &Range<u64>| outer.start <= part.start && part.end <= outer.end;
        let known = |(part, known): (Range<u64>, State)| match known {
            State::Uninit => true,
            State::Synced => state.copy.as_ref().is_some_and(|copy| within(&part, &copy.range)),
            State::HostOnly | State::HostDirty => within(&part, but),
            State::DeviceOnly | State::DeviceDirty => false,
        };
        let runs = joined(loose, self.gap(), |gap| state.residency.parts(gap).all(known));
        let in_flight = InFlight::default();
        let mut last: Option<u64> = None;
        for load in loads(runs, device.longest_chunk() as u64) {
            if let Some(bytes) = last {
                let batch = Arc::clone(queue.batch());
                queue.flush()?;
                in_flight.push(batch, bytes as usize);
            }
            in_flight.make_room(device)?;
            let bytes = total(&load);
            let (block, mut host) = device.chunk_block(bytes, Some(&mut *queue))?;
            let mut offset = 0;
            let mut parts = Vec::with_capacity(load.len());
            for at in load {
                let length = at.end - at.start;
                self.put_together(state, &at, &mut host.bytes_mut()[offset as usize..(offset + length) as usize]);
                parts.push((at, offset));
                offset += length;
            }
            drop(host);
            self.record_uploads(queue, block, parts.iter().cloned())?;
            for (at, _) in parts {
                state.drop_unsent(&at, &device.staging);
                state.residency.uploaded(at);
            }
            state.last_use = Some(Arc::clone(queue.batch()));
            last = Some(bytes);
        }
        Ok(())
    }

    /// The greatest number of bytes between two ranges for which one upload, which includes these bytes, is cheaper
    /// than two.
    fn gap(&self) -> u64 {
        self.device.caps().copy_cost.unwrap_or_default().up.gap()
    }

    /// Writes the current contents of `range` to `target`: unsent data, and between it data that host and device both
    /// have.
    fn put_together(&self, state: &Inner, range: &Range<u64>, target: &mut [u8]) {
        let within = |part: &Range<u64>| (part.start - range.start) as usize..(part.end - range.start) as usize;
        let mut covered = range.start;
        for (part, bytes) in state.unsent.parts(range) {
            fill_gap(state, covered..part.start, &mut target[within(&(covered..part.start))]);
            let target = &mut target[within(&part)];
            if bytes.len() as u64 > SHORT {
                self.device.stage_all(bytes, target);
            } else {
                target.copy_from_slice(bytes);
            }
            covered = part.end;
        }
        fill_gap(state, covered..range.end, &mut target[within(&(covered..range.end))]);
    }
}

/// Returns the copies that upload the `pieces` of one long write, except for those in `but`: each is a range of the
/// buffer and its offset in the block of that write. Two copies are joined if the bytes between them belong to the same
/// write and are at most `gap`.
fn whole(pieces: &[Staged], but: &Range<u64>, gap: u64) -> SmallVec<[(Range<u64>, u64); 2]> {
    let mut parts: SmallVec<[(Range<u64>, u64); 2]> = SmallVec::new();
    let mut end = 0;
    for Staged { at, offset, .. } in pieces {
        let follows = end == at.start;
        let outside = !but.contains(&at.start);
        match parts.last_mut() {
            Some((part, _)) if outside && follows && at.start - part.end <= gap => part.end = at.end,
            _ if outside => parts.push((at.clone(), *offset)),
            _ => {}
        }
        if outside || follows {
            end = at.end;
        }
    }
    parts
}

/// Writes the data of the range `gap`, which host and device both have, to `target`: the host's copy, or the zeros of a
/// new buffer.
fn fill_gap(state: &Inner, gap: Range<u64>, target: &mut [u8]) {
    for (part, known) in state.residency.parts(gap.clone()) {
        let target = &mut target[(part.start - gap.start) as usize..(part.end - gap.start) as usize];
        match &state.copy {
            Some(copy) if known == State::Synced => {
                let from = (part.start - copy.range.start) as usize..(part.end - copy.range.start) as usize;
                target.copy_from_slice(&copy.bytes()[from]);
            }
            _ => target.fill(0),
        }
    }
}
