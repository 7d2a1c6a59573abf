//! How the device comes to have what the host wrote.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Region};
use smallvec::SmallVec;

use super::core::{Core, GRANULE, Inner};
use super::joining::{joined, loads, total};
use super::residency::State;
use super::unsent::{SHORT, Staged};
use super::upload::Flying;
use crate::submit::staging::Block;
use crate::submit::{Batch, Event, Queue};

impl Core {
    /// Records the upload of everything that the host has newer.
    pub(crate) fn upload(&self, queue: &mut Queue<'_>) -> Result<(), BackendError> {
        self.upload_around(queue, &(0..0))
    }

    /// [`upload`](Self::upload) of all but what lies in `range`, which is dropped: a command that is about to
    /// be recorded overwrites it wholly. On an error nothing of it is dropped.
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
        // First what can fail.
        self.send_loose(state, queue, &range)?;
        self.send_staged(state, queue, &range)?;
        state.drop_unsent(&range, &self.device.staging);
        Ok(())
    }

    /// What transfers can address of what is overwritten: no byte beside it.
    fn granules_within(&self, range: &Range<u64>) -> Range<u64> {
        let start = range.start.next_multiple_of(GRANULE);
        let end =
            if range.end == self.bytes { range.end.next_multiple_of(GRANULE) } else { range.end / GRANULE * GRANULE };
        if start < end { start..end } else { 0..0 }
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
        queue: &mut Queue<'_>,
        at: &Range<u64>,
        block: Block,
    ) -> Result<(), BackendError> {
        let at = at.start..at.end.next_multiple_of(GRANULE);
        self.record_uploads(queue, block, [(at, 0)])
    }

    /// Records copies of a block, each to a range of the buffer and from a byte of the block on.
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

    /// Records the upload of what lies in staging memory, from there, but not of `but`.
    fn send_staged(&self, state: &mut Inner, queue: &mut Queue<'_>, but: &Range<u64>) -> Result<(), BackendError> {
        for pieces in state.unsent.staged().chunk_by(|one, next| one.source == next.source) {
            let parts = whole(pieces, but, self.gap());
            if parts.is_empty() {
                continue;
            }
            let Some((block, host)) = state.unsent.take(pieces) else { continue };
            drop(host);
            // Said first: if the device is lost the bytes are, too, and a read must not find others.
            for piece in pieces {
                state.residency.uploaded(piece.at.clone());
            }
            state.last_use = Some(Arc::clone(queue.batch()));
            self.record_uploads(queue, block, parts)?;
        }
        Ok(())
    }

    /// Puts what lies in ordinary memory together in staging memory and records its upload, but not of `but`.
    /// What takes several blocks is handed over one by one; the last is left to go with what follows.
    fn send_loose(&self, state: &mut Inner, queue: &mut Queue<'_>, but: &Range<u64>) -> Result<(), BackendError> {
        let device = &self.device;
        let loose = state.unsent.loose(but);
        if loose.is_empty() {
            return Ok(());
        }
        // What only the device has must stay as it is. All else is known here; what lies in `but` need not go,
        // but may.
        let within = |part: &Range<u64>, outer: &Range<u64>| outer.start <= part.start && part.end <= outer.end;
        let known = |(part, known): (Range<u64>, State)| match known {
            State::Uninit => true,
            State::Synced => state.copy.as_ref().is_some_and(|copy| within(&part, &copy.range)),
            State::HostOnly | State::HostDirty => within(&part, but),
            State::DeviceOnly | State::DeviceDirty => false,
        };
        let runs = joined(loose, self.gap(), |gap| state.residency.parts(gap).all(known));
        let flying = Flying::default();
        let mut last: Option<u64> = None;
        for load in loads(runs, device.longest_chunk() as u64) {
            if let Some(bytes) = last {
                let batch = Arc::clone(queue.batch());
                queue.flush()?;
                flying.left(batch, bytes as usize);
            }
            flying.make_room(device)?;
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

    /// The longest gap between two uploads that is cheaper to copy along.
    fn gap(&self) -> u64 {
        self.device.caps().copy_cost.unwrap_or_default().up.gap()
    }

    /// Writes what the device is to have at `range`: what is unsent, and between that what both sides know.
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

/// The copies of one long write, each with the byte of that which it begins at, for all its pieces but those
/// in `but`; what is left of the write between two of them goes along if that is short.
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

/// Writes what both sides know at `gap`: the host's copy, or the zeros of a new buffer.
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
