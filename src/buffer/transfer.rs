//! Copies, fills and large uploads, on the device's stream or in a recording.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Recording, Region};

use super::core::{Core, GRANULE};
use super::host::Written;
use super::slice::{Slice, SliceMut, byte_range};
use crate::Element;
use crate::error::BufferError;
use crate::stream::Pending;

/// Uploads larger than this leave in pieces of this size. The pieces on their way fit into a large
/// cache, which pays where the device reads through it (256 MiB on lavapipe: 0.75 of one copy into
/// one staging buffer, 0.65 with pieces of 16 MiB).
pub(crate) const CHUNK: usize = 4 << 20;
/// Pieces on their way at a time: bounds the staging memory of one large upload.
pub(super) const MOST_IN_FLIGHT: usize = 4;

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
                    core.stage_around(range)?;
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

/// Uploads `source` at once, chunk by chunk.
pub(crate) fn upload_in_chunks(core: &Arc<Core>, range: &Range<u64>, source: &[u8]) -> Result<(), BufferError> {
    let range = core.aligned(range)?;
    unused(core)?;
    let failed = |error| core.error("writing", error);
    let mut batches = VecDeque::new();
    for (index, chunk) in source.chunks(CHUNK).enumerate() {
        let start = range.start + (index * CHUNK) as u64;
        let end = start + (chunk.len() as u64).next_multiple_of(GRANULE);
        if batches.len() == MOST_IN_FLIGHT {
            let oldest: Option<Arc<crate::stream::Batch>> = batches.pop_front();
            oldest.map_or(Ok(()), |batch| batch.ticket().and_then(|ticket| ticket.wait())).map_err(failed)?;
        }
        let (block, mut host) = core.device.upload_block(end - start).map_err(failed)?;
        super::copy::copy(chunk, &mut host.bytes_mut()[..chunk.len()]);
        core.host_wrote(start..end.min(core.bytes), Written::Staged(block, host));
        let mut pending = core.device.stream.lock();
        batches.push_back(Arc::clone(&pending.batch));
        core.upload(&mut pending).map_err(failed)?;
        core.device.stream.flush(&mut pending, &core.device.staging).map_err(failed)?;
    }
    Ok(())
}
