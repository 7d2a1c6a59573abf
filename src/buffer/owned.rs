//! Writing to an owned buffer, for example on another thread.

use std::ops::{Deref, DerefMut};

use super::UnifiedBuffer;
use super::guard::Writing;
use crate::element::Element;
use crate::error::BufferError;

/// A buffer together with memory for overwriting all its elements; derefs to `[T]`.
///
/// It works like the guard of [`UnifiedBuffer::write`], but borrows nothing. It can be sent to another thread or stored
/// in a struct, and [`finish`](Self::finish) turns it into the buffer again. The initial contents are unspecified, and
/// every element should be assigned.
pub struct OwnedWrite<T: Element> {
    // Declared before the buffer, so that it is dropped first and transfers the written data to the buffer.
    writing: Writing,
    buffer: UnifiedBuffer<T>,
}

impl<T: Element> UnifiedBuffer<T> {
    /// Turns the buffer into owned memory for overwriting all its elements.
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
    /// As [`write`](Self::write); in that case the buffer is dropped.
    pub fn into_write(mut self) -> Result<OwnedWrite<T>, BufferError> {
        let writing = self.write()?.writing;
        Ok(OwnedWrite { writing, buffer: self })
    }
}

impl<T: Element> OwnedWrite<T> {
    /// Returns the buffer with the written elements. The elements are uploaded before the buffer's next use on the
    /// device.
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
