//! Copies and fills, on the device's stream or in a recording.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Recording, Region};

use super::core::Core;
use super::slice::{Slice, SliceMut, byte_range};
use super::uses::Use;
use crate::Element;
use crate::error::BufferError;
use crate::timeline::Pending;

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
                    core.upload_around(pending, range)?;
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

pub(super) fn usable(core: &Core, one: Use, what: &'static str) -> Result<(), BufferError> {
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
