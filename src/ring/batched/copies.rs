//! Copies between the host's words and buffers of the device.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::super::slot::Slots;
use super::super::waits::Waits;
use crate::buffer::{ReadGuard, UnifiedBuffer, WriteGuard};
use crate::error::BufferError;

pub(super) async fn read(
    waits: Waits,
    buffer: &UnifiedBuffer<u32>,
    words: Range<usize>,
) -> Result<ReadGuard<'_, u32>, BufferError> {
    match waits {
        Waits::Blocks => buffer.slice(words).read(),
        Waits::Yields => buffer.slice(words).read_async().await,
    }
}

pub(super) async fn write(
    waits: Waits,
    buffer: &mut UnifiedBuffer<u32>,
    words: Range<usize>,
) -> Result<WriteGuard<'_, u32>, BufferError> {
    match waits {
        Waits::Blocks => buffer.slice_mut(words).write(),
        Waits::Yields => buffer.slice_mut(words).write_async().await,
    }
}

/// Copies words that other threads access at the same time.
pub(super) fn load(target: &mut [u32], mirror: &[AtomicU32], words: Range<usize>) {
    let own = mirror.get(words).unwrap_or_default();
    target.iter_mut().zip(own).for_each(|(target, own)| *target = own.load(Ordering::Relaxed));
}

/// Replaces words that other threads access at the same time.
pub(super) fn store(source: &[u32], mirror: &[AtomicU32], words: Range<usize>) {
    let own = mirror.get(words).unwrap_or_default();
    source.iter().zip(own).for_each(|(word, own)| own.store(*word, Ordering::Relaxed));
}

/// Copies words of the host into a buffer.
pub(super) async fn send(
    waits: Waits,
    buffer: &mut UnifiedBuffer<u32>,
    mirror: &[AtomicU32],
    words: Range<usize>,
) -> Result<(), BufferError> {
    load(&mut write(waits, buffer, words.clone()).await?, mirror, words);
    Ok(())
}

/// Reads words of a buffer back. A word whose actor was idle is as before.
pub(super) async fn receive(
    waits: Waits,
    buffer: &UnifiedBuffer<u32>,
    mirror: &[AtomicU32],
    words: Range<usize>,
) -> Result<(), BufferError> {
    store(&read(waits, buffer, words.clone()).await?, mirror, words);
    Ok(())
}

/// Reads words, and once more if that fails: the first read after a stopped handler reports the stop.
pub(super) async fn read_again(
    waits: Waits,
    buffer: &UnifiedBuffer<u32>,
    words: Range<usize>,
) -> Result<Vec<u32>, BufferError> {
    if let Ok(words) = read(waits, buffer, words.clone()).await {
        return Ok(words.to_vec());
    }
    Ok(read(waits, buffer, words).await?.to_vec())
}

/// The words of the slots with these numbers: one range, or two around the end of the slots.
pub(super) fn ranges(slots: Slots, from: u32, to: u32) -> impl Iterator<Item = Range<usize>> {
    let count = to.wrapping_sub(from).min(slots.count);
    let first = from & (slots.count - 1);
    let before = count.min(slots.count - first);
    let words = move |first: u32, count: u32| {
        let start = slots.first + first as usize * slots.stride();
        (count > 0).then(|| start..start + count as usize * slots.stride())
    };
    words(first, before).into_iter().chain(words(0, count - before))
}
