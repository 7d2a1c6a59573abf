//! How the device comes to have what the host wrote.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Region};

use super::core::{Core, GRANULE};
use super::host::Written;
use super::staging::Block;
use super::upload;
use crate::timeline::{Batch, Pending};

impl Core {
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
}
