//! Writing to a buffer that is owned rather than borrowed: what a thread of its own can hold.

use std::ops::{Deref, DerefMut};

use super::UnifiedBuffer;
use super::guard::Writing;
use crate::element::Element;
use crate::error::BufferError;

/// A buffer together with the memory to write all its elements anew; derefs to `[T]`.
///
/// It is what [`UnifiedBuffer::write`] lends, without the borrow: it can go to another thread, be kept
/// in a struct, and become the buffer again by [`finish`](Self::finish). What it holds at first is
/// unspecified, and every element should be assigned.
pub struct OwnedWrite<T: Element> {
    // Before the buffer: what was written is handed to it.
    writing: Writing,
    buffer: UnifiedBuffer<T>,
}

impl<T: Element> UnifiedBuffer<T> {
    /// Turns the buffer into memory to write all its elements to, which needs no borrow.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let mut writing = device.buffer::<u32>(1024)?.into_write()?;
    /// let writer = std::thread::spawn(move || {
    ///     writing.fill(7);
    ///     writing.finish()
    /// });
    /// let buffer = writer.join().expect("the thread does not panic");
    /// assert_eq!(buffer.read()?[1023], 7);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write); the buffer is dropped then.
    pub fn into_write(mut self) -> Result<OwnedWrite<T>, BufferError> {
        let writing = self.write()?.writing;
        Ok(OwnedWrite { writing, buffer: self })
    }
}

impl<T: Element> OwnedWrite<T> {
    /// The buffer, with what was written. It reaches the device at its next use there.
    #[must_use]
    pub fn finish(self) -> UnifiedBuffer<T> {
        drop(self.writing);
        self.buffer
    }
}

impl<T: Element> Deref for OwnedWrite<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.writing.elements()
    }
}

impl<T: Element> DerefMut for OwnedWrite<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.writing.elements_mut()
    }
}

impl<T: Element> std::fmt::Debug for OwnedWrite<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnedWrite").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}
