//! Copies, fills and large uploads, on the device's stream or in a recording.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Recording, Region};

use super::copy;
use super::core::{Core, GRANULE};
use super::host::{Reading, Written};
use super::slice::{Slice, SliceMut, byte_range};
use crate::Element;
use crate::error::BufferError;
use crate::timeline::{Batch, Pending};

/// Copies larger than this leave in pieces of this size. The pieces on their way fit into a large
/// cache, which pays where the device reads through it (256 MiB on lavapipe: 0.75 of one copy into
/// one staging buffer, 0.65 with pieces of 16 MiB).
pub(crate) const CHUNK: usize = 4 << 20;
/// The first of them.
const FIRST_CHUNK: usize = 1 << 20;
/// Pieces on their way at a time: bounds the staging memory of one large copy.
const MOST_IN_FLIGHT: usize = 4;

/// Where a command goes.
pub(crate) enum Target<'a> {
    /// The device's stream, now.
    Stream(&'a mut Pending),
    /// A recording that is kept; buffers are prepared when it is submitted.
    Recording(&'a mut Recording, &'a mut Vec<Touched>),
}

/// A buffer that a kept recording uses.
#[derive(Clone)]
pub(crate) struct Touched {
    pub(crate) core: Arc<Core>,
    pub(crate) written: Option<Range<u64>>,
}

impl Target<'_> {
    pub(super) fn recording(&mut self) -> &mut Recording {
        match self {
            Self::Stream(pending) => &mut pending.recording,
            Self::Recording(recording, _) => recording,
        }
    }

    /// Gets a buffer ready for a command that follows. `overwritten` is a range that the command
    /// replaces as a whole.
    pub(super) fn prepare(&mut self, core: &Arc<Core>, overwritten: Option<&Range<u64>>) -> Result<(), BackendError> {
        match self {
            Self::Stream(pending) => {
                if let Some(range) = overwritten {
                    core.stage_around(pending, range)?;
                    core.supersede(range);
                }
                core.prepare(pending)
            }
            Self::Recording(..) => Ok(()),
        }
    }

    pub(super) fn used(&mut self, core: &Arc<Core>, written: Option<Range<u64>>) {
        match self {
            Self::Stream(pending) => core.used(&pending.batch, written),
            Self::Recording(_, touched) => touched.push(Touched { core: Arc::clone(core), written }),
        }
    }
}

fn unused(core: &Core) -> Result<(), BufferError> {
    core.guarded().map_or(Ok(()), |guard| Err(BufferError::InUse { guard }))
}

/// Appends a copy between buffers.
pub(crate) fn copy<T: Element>(
    target: &mut Target<'_>,
    from: &Slice<'_, T>,
    to: &SliceMut<'_, T>,
) -> Result<(), BufferError> {
    let (source, destination) = (from.range.clone()?, to.range.clone()?);
    if source.len() != destination.len() {
        return Err(BufferError::LengthMismatch { expected: destination.len(), got: source.len() });
    }
    if !Arc::ptr_eq(&from.core.device, &to.core.device) {
        return Err(BufferError::OtherDevice {
            ours: to.core.device.selector.clone(),
            theirs: from.core.device.selector.clone(),
        });
    }
    if source.is_empty() {
        return Ok(());
    }
    let source = from.core.aligned(&byte_range::<T>(&source))?;
    let written = byte_range::<T>(&destination);
    let destination = to.core.aligned(&written)?;
    // The tail of an odd-sized buffer is padding on one side only when the lengths agree in
    // elements but not in padding: both round up alike, or `aligned` refused.
    let bytes = (source.end - source.start).min(destination.end - destination.start);
    unused(from.core)?;
    unused(to.core)?;
    let failed = |error| to.core.error("copying", error);
    target.prepare(from.core, None).map_err(failed)?;
    target.prepare(to.core, Some(&written)).map_err(failed)?;
    let region = |core: &Core, start| Region { memory: core.memory, offset: start, bytes };
    target.recording().copy(region(from.core, source.start), region(to.core, destination.start));
    target.used(from.core, None);
    target.used(to.core, Some(written));
    Ok(())
}

/// Appends a fill.
pub(crate) fn fill<T: Element>(target: &mut Target<'_>, to: &SliceMut<'_, T>, pattern: u32) -> Result<(), BufferError> {
    let written = byte_range::<T>(&to.range.clone()?);
    if written.is_empty() {
        return Ok(());
    }
    let range = to.core.aligned(&written)?;
    unused(to.core)?;
    target.prepare(to.core, Some(&written)).map_err(|error| to.core.error("filling", error))?;
    target.recording().fill(to.core.region(&range), pattern);
    target.used(to.core, Some(written));
    Ok(())
}

/// The value as a repeated word, if it is one.
pub(crate) fn pattern_of<T: Element>(value: &T) -> Option<u32> {
    let bytes = bytemuck::bytes_of(value);
    match *bytes {
        [a] => Some(u32::from_le_bytes([a, a, a, a])),
        [a, b] => Some(u32::from_le_bytes([a, b, a, b])),
        _ => {
            let (words, rest) = bytes.as_chunks::<4>();
            let first = *words.first()?;
            (rest.is_empty() && words.iter().all(|word| *word == first)).then_some(u32::from_le_bytes(first))
        }
    }
}

/// Copies `source` to the buffer at once, chunk by chunk: while one is on its way, the next is written.
pub(crate) fn upload_in_chunks(core: &Arc<Core>, range: &Range<u64>, source: &[u8]) -> Result<(), BufferError> {
    let range = core.aligned(range)?;
    unused(core)?;
    let failed = |error| core.error("writing", error);
    let mut sent = Sent::default();
    for chunk in chunks(source.len(), core.device.staging.limit()) {
        let source = &source[chunk.clone()];
        let at = range.start + chunk.start as u64..range.start + chunk.end as u64;
        sent.make_room().map_err(failed)?;
        let (block, mut host) = core.device.chunk_block(source.len() as u64, None).map_err(failed)?;
        copy::copy(source, &mut host.bytes_mut()[..source.len()]);
        core.host_wrote(at, Written::Staged(block, host));
        let device = &core.device;
        let mut pending = device.timeline.lock_on(0, &device.staging).map_err(failed)?;
        sent.0.push_back(Arc::clone(&pending.batch));
        core.upload(&mut pending).map_err(failed)?;
        device.timeline.flush(&mut pending, &device.staging).map_err(failed)?;
    }
    Ok(())
}

/// Records the upload of `source` to `start`, in chunks that are handed over one by one. The last is left
/// to be handed over with what follows.
pub(super) fn send(core: &Core, pending: &mut Pending, start: u64, source: &[u8]) -> Result<(), BackendError> {
    let device = &core.device;
    let mut sent = Sent::default();
    for chunk in chunks(source.len(), device.staging.limit()) {
        if chunk.start > 0 {
            sent.0.push_back(Arc::clone(&pending.batch));
            device.timeline.flush(pending, &device.staging)?;
        }
        sent.make_room()?;
        let source = &source[chunk.clone()];
        let (block, mut host) = device.chunk_block(source.len() as u64, Some(&mut *pending))?;
        copy::copy(source, &mut host.bytes_mut()[..source.len()]);
        let at = start + chunk.start as u64;
        core.record_upload(pending, &(at..at + source.len() as u64), block, host)?;
    }
    Ok(())
}

/// Copies `range` of the buffer to `target` at once, chunk by chunk: while one is on its way, the one
/// before is copied. The caller holds a guard.
pub(super) fn download_in_chunks(core: &Core, range: &Range<u64>, target: &mut [u8]) -> Result<(), BackendError> {
    let mut coming: VecDeque<(Range<usize>, Reading)> = VecDeque::new();
    let mut left = chunks(target.len(), u64::MAX).fuse();
    loop {
        while coming.len() < MOST_IN_FLIGHT
            && let Some(chunk) = left.next()
        {
            let at = range.start + chunk.start as u64..range.start + chunk.end as u64;
            coming.push_back((chunk, core.fetch(&at)?));
        }
        let Some((place, first)) = coming.pop_front() else { return Ok(()) };
        if let Reading::Download(download, ticket) = first {
            ticket.wait()?;
            let length = place.len();
            copy::copy(&download.arrived()?.bytes()[..length], &mut target[place]);
        }
    }
}

/// The pieces of a large copy. The first are short, so that the device has something to do soon.
fn chunks(bytes: usize, limit: u64) -> impl Iterator<Item = Range<usize>> {
    let longest = usize::try_from(limit).unwrap_or(CHUNK).min(CHUNK) / GRANULE as usize * GRANULE as usize;
    let mut next = 0;
    let mut length = FIRST_CHUNK.min(longest);
    std::iter::from_fn(move || {
        let chunk = next..bytes.min(next + length);
        next = chunk.end;
        length = longest.min(2 * length);
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// The chunks of one upload that are on their way.
#[derive(Default)]
struct Sent(VecDeque<Arc<Batch>>);

impl Sent {
    /// Waits until there are few.
    fn make_room(&mut self) -> Result<(), BackendError> {
        while self.0.len() >= MOST_IN_FLIGHT {
            if let Some(oldest) = self.0.pop_front() {
                oldest.ticket()?.wait()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_all_of_it_in_order() {
        for bytes in [0, 1, 4096, FIRST_CHUNK, FIRST_CHUNK + 1, CHUNK + 3, 100_000_000] {
            for limit in [4 << 10, 5000, 1 << 20, u64::MAX] {
                let mut end = 0;
                for chunk in chunks(bytes, limit) {
                    assert_eq!(chunk.start, end);
                    assert!(chunk.len() as u64 <= limit && chunk.start.is_multiple_of(GRANULE as usize));
                    end = chunk.end;
                }
                assert_eq!(end, bytes, "limit {limit}");
            }
        }
    }
}
