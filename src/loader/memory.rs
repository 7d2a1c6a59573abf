//! The memory of one field of one batch: a buffer, and the memory into which its elements are written.

use std::sync::Arc;

use super::error::Refused;
use crate::buffer::{OwnedWrite, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::error::BufferError;

/// The buffer of one field between two batches.
pub struct Memory<T: Element> {
    pub(super) buffer: UnifiedBuffer<T>,
    /// Ordinary memory of the buffer's length; empty unless a batch was written there.
    plain: Vec<T>,
}

impl<T: Element> Memory<T> {
    pub(super) fn new(device: &Device, length: Option<usize>) -> Result<Self, BufferError> {
        // A length that overflows is too large for any buffer, and allocating the buffer reports that.
        Ok(Self { buffer: device.buffer(length.unwrap_or(usize::MAX))?, plain: Vec::new() })
    }

    /// Whether a recording, or code to which the buffer was lent, still refers to the buffer.
    pub(super) fn is_held(&self) -> bool {
        Arc::strong_count(&self.buffer.core) > 1
    }

    /// Makes the memory writable: in place, or in ordinary memory.
    pub(super) fn open(mut self, in_place: bool) -> Result<Open<T>, Refused> {
        if in_place {
            return Ok(Open::InPlace(self.buffer.into_write()?));
        }
        let length = self.buffer.len();
        let missing = length.saturating_sub(self.plain.len());
        self.plain.try_reserve_exact(missing).map_err(|_| Refused::Host { bytes: self.buffer.byte_len() })?;
        self.plain.resize(length, T::zeroed());
        Ok(Open::Plain(self))
    }
}

/// The elements of one field while a batch is written.
pub enum Open<T: Element> {
    /// The memory from which the device reads the elements.
    InPlace(OwnedWrite<T>),
    /// Ordinary memory.
    Plain(Memory<T>),
}

impl<T: Element> Open<T> {
    pub(super) fn elements(&mut self) -> &mut [T] {
        match self {
            Self::InPlace(writing) => writing,
            Self::Plain(memory) => &mut memory.plain,
        }
    }

    /// The elements of sample `at` of the batch; none if there is no such sample.
    pub(super) fn sample(&mut self, length: usize, at: usize) -> &mut [T] {
        let range = at.saturating_mul(length)..at.saturating_add(1).saturating_mul(length);
        self.elements().get_mut(range).unwrap_or_default()
    }

    /// Copies from the beginning of `other`, up to the length of this memory.
    pub(super) fn take_from(&mut self, other: &mut Self) {
        let target = self.elements();
        let length = target.len();
        if let Some(source) = other.elements().get(..length) {
            target.copy_from_slice(source);
        }
    }

    /// Transfers the elements to the buffer, if they are needed (`keep`).
    pub(super) fn close(self, keep: bool) -> Result<Memory<T>, BufferError> {
        match self {
            Self::InPlace(writing) => Ok(Memory { buffer: writing.finish(), plain: Vec::new() }),
            Self::Plain(mut memory) => {
                if keep {
                    memory.buffer.copy_from_slice(&memory.plain)?;
                }
                Ok(memory)
            }
        }
    }
}
