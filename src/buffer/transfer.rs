//! Copies, fills and large uploads, on the device's stream or in a recording.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BackendError, Recording, Region, threads};

use super::copy;
use super::core::Core;
use super::host::Written;
use super::slice::{Slice, SliceMut, byte_range};
use super::uses::Use;
use crate::Element;
use crate::error::BufferError;
use crate::timeline::{Batch, Pending};

/// Copies larger than this go in pieces of this size, each through a block of its own: short, so that
/// the device has something to do soon, and no thread ever waits for another to end the same piece.
pub(crate) const CHUNK: usize = 1 << 20;
/// Bytes on their way at a time: bounds the staging memory of one large copy.
const MOST_IN_FLIGHT: usize = 32 << 20;
/// Nanoseconds that a thread takes for a piece, about: to judge how many threads are worth calling.
const COST: f64 = 100_000.0;

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

fn usable(core: &Core, one: Use, what: &'static str) -> Result<(), BufferError> {
    core.allows(one, what)?;
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
    usable(from.core, Use::CopyFrom, "be copied")?;
    usable(to.core, Use::CopyTo, "be copied to")?;
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
    usable(to.core, Use::CopyTo, "be filled")?;
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

/// Copies `source` to the buffer at once, chunk by chunk: while some are on their way, the next are written,
/// by several threads.
pub(crate) fn upload_in_chunks(core: &Arc<Core>, range: &Range<u64>, source: &[u8]) -> Result<(), BufferError> {
    let range = core.aligned(range)?;
    usable(core, Use::CopyTo, "be written")?;
    let device = &core.device;
    let flying = Flying::default();
    let hand_over = |mut pending: MutexGuard<'_, Pending>| {
        let batch = Arc::clone(&pending.batch);
        let bytes = flying.written.swap(0, Ordering::Relaxed);
        core.upload(&mut pending)?;
        device.timeline.flush(&mut pending, &device.staging)?;
        flying.left(batch, bytes);
        Ok(())
    };
    let each = |chunk: Range<usize>| {
        flying.make_room()?;
        let source = &source[chunk.clone()];
        let (block, mut host) = device.chunk_block(source.len() as u64, None)?;
        device.stage(source, &mut host.bytes_mut()[..source.len()]);
        let at = range.start + chunk.start as u64..range.start + chunk.end as u64;
        flying.written.fetch_add(source.len(), Ordering::Relaxed);
        core.host_wrote(at, Written::Staged(block, host));
        // Who has the timeline takes along what others have written meanwhile: fewer, longer submissions.
        device.timeline.try_lock_on(0, &device.staging)?.map_or(Ok(()), hand_over)
    };
    let chunks: Vec<_> = chunks(source.len(), device.longest_chunk()).collect();
    // Several threads would each hold a block: where that is a good part of the limit, one does all.
    let written = if device.staging.limit() < MOST_IN_FLIGHT as u64 {
        chunks.iter().try_for_each(|chunk| each(chunk.clone()))
    } else {
        for_each(chunks.len(), COST, |index| each(chunks[index].clone()))
    };
    let rest = device.timeline.lock_on(0, &device.staging).and_then(hand_over);
    written.and(rest).map_err(|error| core.error("writing", error))
}

/// Records the upload of `source` to `start`, in chunks that are handed over one by one. The last is left
/// to be handed over with what follows.
pub(super) fn send(core: &Core, pending: &mut Pending, start: u64, source: &[u8]) -> Result<(), BackendError> {
    let device = &core.device;
    let flying = Flying::default();
    for chunk in chunks(source.len(), device.longest_chunk()) {
        if chunk.start > 0 {
            let batch = Arc::clone(&pending.batch);
            device.timeline.flush(pending, &device.staging)?;
            flying.left(batch, CHUNK);
        }
        flying.make_room()?;
        let source = &source[chunk.clone()];
        let (block, mut host) = device.chunk_block(source.len() as u64, Some(&mut *pending))?;
        copy::copy(source, &mut host.bytes_mut()[..source.len()]);
        let at = start + chunk.start as u64;
        core.record_upload(pending, &(at..at + source.len() as u64), block, host)?;
    }
    Ok(())
}

/// Does `work` for every chunk, each of which takes a thread about `cost` nanoseconds, on as many threads as
/// pay.
pub(super) fn for_each(
    chunks: usize,
    cost: f64,
    work: impl Fn(usize) -> Result<(), BackendError> + Sync,
) -> Result<(), BackendError> {
    if threads::count() == 1 {
        return (0..chunks).try_for_each(work);
    }
    threads::spread(chunks as u64, Some(cost), &|range| range.map(|index| index as usize).try_for_each(&work))?;
    Ok(())
}

/// The pieces of a large copy.
pub(super) fn chunks(bytes: usize, length: usize) -> impl Iterator<Item = Range<usize>> {
    (0..bytes).step_by(length).map(move |start| start..bytes.min(start + length))
}

/// The parts of one upload that are on their way.
#[derive(Default)]
struct Flying {
    /// Bytes in staging memory that nobody has handed over.
    written: AtomicUsize,
    batches: Mutex<VecDeque<(Arc<Batch>, usize)>>,
}

impl Flying {
    fn batches(&self) -> MutexGuard<'_, VecDeque<(Arc<Batch>, usize)>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many bytes left with `batch`.
    fn left(&self, batch: Arc<Batch>, bytes: usize) {
        if bytes > 0 {
            self.batches().push_back((batch, bytes));
        }
    }

    /// Waits until there are few.
    fn make_room(&self) -> Result<(), BackendError> {
        loop {
            let oldest = {
                let mut batches = self.batches();
                let bytes: usize = batches.iter().map(|(_, bytes)| bytes).sum();
                if bytes <= MOST_IN_FLIGHT {
                    return Ok(());
                }
                batches.pop_front()
            };
            if let Some((batch, _)) = oldest {
                batch.ticket()?.wait()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_all_of_it_in_order() {
        for bytes in [0, 1, 4096, CHUNK, CHUNK + 1, 100_000_000] {
            for length in [4 << 10, 5000, 1 << 20] {
                let mut end = 0;
                for chunk in chunks(bytes, length) {
                    assert_eq!(chunk.start, end);
                    assert!(chunk.len() <= length && !chunk.is_empty());
                    end = chunk.end;
                }
                assert_eq!(end, bytes, "in pieces of {length}");
            }
        }
    }
}
