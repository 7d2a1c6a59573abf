//! Copies and fills on the device, on any stream and into any recording.

use std::sync::Arc;

use anywarp_backend::{BackendError, Region};

use super::core::Core;
use super::slice::{Slice, SliceMut};
use super::span::byte_range;
use super::uses::Use;
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::{Context, Destination, Recording, Refusal, Resource, Stream, Submission, Usage};

impl Stream {
    /// Copies all elements of `source` to `target`, on the device and in stream order.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::copy_from`](crate::UnifiedBuffer::copy_from).
    pub fn copy<'s, 't, T: Element + 's + 't>(
        &self,
        source: impl Into<Slice<'s, T>>,
        target: impl Into<SliceMut<'t, T>>,
    ) -> Result<Submission, BufferError> {
        copy(Destination::Stream(self.clone()), &source.into(), &target.into())
    }

    /// Sets every element to `value`, which has 1, 2 or 4 bytes or consists of equal words of 4 bytes, on the device
    /// and in stream order.
    ///
    /// # Errors
    /// As [`Recording::fill`].
    pub fn fill<'t, T: Element + 't>(
        &self,
        target: impl Into<SliceMut<'t, T>>,
        value: T,
    ) -> Result<Submission, BufferError> {
        fill(Destination::Stream(self.clone()), &target.into(), value)
    }
}

impl Recording {
    /// Appends a copy on the device.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let x = device.buffer_from(&[1.0f32; 8])?;
    /// let mut y = device.buffer::<f32>(8)?;
    /// let mut recording = device.recording();
    /// recording.copy(&x, &mut y)?;
    /// recording.fill(y.slice_mut(..4), 0.0)?;
    /// assert_eq!((recording.len(), recording.barriers()), (2, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`], [`BufferError::OtherDevice`], or the error of an invalid slice.
    pub fn copy<'s, 't, T: Element + 's + 't>(
        &mut self,
        source: impl Into<Slice<'s, T>>,
        target: impl Into<SliceMut<'t, T>>,
    ) -> Result<(), BufferError> {
        copy(Destination::Recording(self), &source.into(), &target.into()).map(|_| ())
    }

    /// Appends a fill with `value`, which has 1, 2 or 4 bytes or consists of equal words of 4 bytes.
    ///
    /// # Errors
    /// [`BufferError::OtherDevice`], the error of an invalid slice, or [`BufferError::Device`] for a value of more than
    /// 4 bytes whose words differ.
    pub fn fill<'t, T: Element + 't>(
        &mut self,
        target: impl Into<SliceMut<'t, T>>,
        value: T,
    ) -> Result<(), BufferError> {
        fill(Destination::Recording(self), &target.into(), value).map(|_| ())
    }
}

/// Copies the elements of `from` to `target` on the device, by a command in the destination `to`.
pub(crate) fn copy<T: Element>(
    to: Destination<'_>,
    from: &Slice<'_, T>,
    target: &SliceMut<'_, T>,
) -> Result<Submission, BufferError> {
    let (source, destination) = (from.range.get()?, target.range.get()?);
    if source.len() != destination.len() {
        return Err(BufferError::LengthMismatch { expected: destination.len(), got: source.len() });
    }
    let device = &target.core.device;
    if !Arc::ptr_eq(&from.core.device, device) {
        return Err(other_device(device, "copying", "source", from.core.device.selector.clone()));
    }
    let failed = |refusal| refused(target.core, "copying", refusal);
    let mut encoder = to.encoder(device).map_err(failed)?;
    if !source.is_empty() {
        let source = from.core.aligned(&byte_range::<T>(&source))?;
        let written = byte_range::<T>(&destination);
        let destination = target.core.aligned(&written)?;
        // Both ranges have the same number of elements, so `aligned` has rounded both to the same length, or has
        // failed; the minimum is a safeguard.
        let bytes = (source.end - source.start).min(destination.end - destination.start);
        usable(from.core, Use::CopyFrom, "be copied")?;
        usable(target.core, Use::CopyTo, "be copied to")?;
        let region = |core: &Core, start| Region { memory: core.memory, offset: start, bytes };
        let usages = [Usage::read(from.core), Usage::replace(target.core, written)];
        let (read, replaced) = (region(from.core, source.start), region(target.core, destination.start));
        encoder.command(&usages, None, |commands| commands.copy(read, replaced)).map_err(failed)?;
    }
    encoder.finish(false).map_err(|error| target.core.error("copying", error))
}

/// Sets every element of `target` to `value`, which must be a repeated word, by a command in the destination `to`.
pub(crate) fn fill<T: Element>(
    to: Destination<'_>,
    target: &SliceMut<'_, T>,
    value: T,
) -> Result<Submission, BufferError> {
    let written = byte_range::<T>(&target.range.get()?);
    let failed = |refusal| refused(target.core, "filling", refusal);
    let mut encoder = to.encoder(&target.core.device).map_err(failed)?;
    if !written.is_empty() {
        let pattern = pattern_of(&value).ok_or_else(|| target.core.error("filling", not_a_word()))?;
        let range = target.core.aligned(&written)?;
        usable(target.core, Use::CopyTo, "be filled")?;
        let region = target.core.region(&range);
        let usages = [Usage::replace(target.core, written)];
        encoder.command(&usages, None, |commands| commands.fill(region, pattern)).map_err(failed)?;
    }
    encoder.finish(false).map_err(|error| target.core.error("filling", error))
}

fn usable(core: &Core, one: Use, what: &'static str) -> Result<(), BufferError> {
    core.allows(one, what)?;
    core.guarded().map_or(Ok(()), |guard| Err(BufferError::InUse { guard }))
}

/// The error for a copy or a fill of `core` that was not recorded.
pub(crate) fn refused(core: &Core, operation: &'static str, refusal: Refusal) -> BufferError {
    match refusal {
        Refusal::InUse { guard, .. } => BufferError::InUse { guard },
        Refusal::OtherDevice { what, theirs } => other_device(&core.device, operation, what, theirs),
        Refusal::Device(error) => core.error(operation, error),
    }
}

fn other_device(ours: &Context, operation: &'static str, what: &str, theirs: String) -> BufferError {
    BufferError::OtherDevice { operation, what: format!("the {what}"), ours: ours.selector.clone(), theirs }
}

fn not_a_word() -> BackendError {
    BackendError::Rejected {
        operation: "a fill on the device",
        message:
            "expected a value of 1, 2 or 4 bytes, or one that repeats a 4-byte word; copy other values from a buffer"
                .to_owned(),
    }
}

/// Returns the word with which memory is filled to set elements to `value`; `None` if no single word does this.
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
