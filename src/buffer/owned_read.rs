//! Reads that own their buffer, so that results can outlive the scope that creates them.

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use super::core::{Core, GuardKind, GuardToken};
use super::host::{HostView, Reading};
use super::slice::{empty, guard};
use super::span::byte_range;
use super::{ReadGuard, UnifiedBuffer};
use crate::element::Element;
use crate::error::BufferError;

/// All elements of a buffer on the host, together with the buffer; derefs to `[T]`.
///
/// Created by [`UnifiedBuffer::into_read`] and [`UnifiedBuffer::into_read_async`]. It borrows nothing, so it can be
/// returned, stored, and sent to other threads and tasks.
pub struct OwnedRead<T: 'static> {
    /// Declared before the buffer, to whose data it refers, so that it is dropped first.
    elements: ReadGuard<'static, T>,
    buffer: UnifiedBuffer<T>,
}

impl<T: 'static> OwnedRead<T> {
    /// Returns the buffer for further use. The host's copy of the elements stays valid until the device writes the
    /// buffer.
    #[must_use]
    pub fn into_buffer(self) -> UnifiedBuffer<T> {
        self.buffer
    }
}

impl<T: Element> UnifiedBuffer<T> {
    /// [`read`](Self::read), with a result that owns the buffer.
    ///
    /// # Errors
    /// As [`read`](Self::read); in that case the buffer is dropped.
    pub fn into_read(self) -> Result<OwnedRead<T>, BufferError> {
        let begun = Begun::new(&self)?;
        if let Begun::Reading(reading, _) = &begun {
            self.core.device.wait_for(&reading.ticket()).map_err(|error| self.core.error("reading", error))?;
        }
        begun.end(self)
    }

    /// [`read_async`](Self::read_async), with a result that owns the buffer: the future borrows nothing, and can be
    /// spawned, stored, or returned with its result.
    ///
    /// The call itself submits the pending commands and the copy to the host, before the future is first polled. So
    /// several reads can be in flight at the same time. Dropping the future cancels the read and drops the buffer.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let square = device.kernel("")?;
    /// let reads = [3.0f32, 4.0].map(|start| {
    ///     let mut x = device.buffer_from(&[start; 1000])?;
    ///     square.launch().bind("x", &mut x).threads(1000)?;
    ///     Ok::<_, anywarp::Error>(x.into_read_async())
    /// });
    /// for read in reads {
    ///     let x = pollster::block_on(read?)?;
    ///     println!("{}", x[999]);
    ///     let again = x.into_buffer();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read); in that case the buffer is dropped.
    pub fn into_read_async(self) -> impl Future<Output = Result<OwnedRead<T>, BufferError>> + Send + 'static {
        let begun = Begun::new(&self);
        async move {
            let begun = begun?;
            if let Begun::Reading(reading, _) = &begun {
                reading.ticket().await.map_err(|error| self.core.error("reading", error))?;
            }
            begun.end(self)
        }
    }
}

/// A read of a whole buffer in progress.
enum Begun {
    Empty,
    Reading(Reading, GuardToken),
}

impl Begun {
    fn new<T: Element>(buffer: &UnifiedBuffer<T>) -> Result<Self, BufferError> {
        if buffer.is_empty() {
            return Ok(Self::Empty);
        }
        let core: &Arc<Core> = &buffer.core;
        // The token is needed although the buffer is owned: recordings may use the buffer, too.
        let token = core.guard(GuardKind::Read)?;
        let reading = core.begin_read(&byte_range::<T>(&(0..buffer.len())));
        Ok(Self::Reading(reading.map_err(|error| core.error("reading", error))?, token))
    }

    /// Ends the read, whose ticket has completed, and returns the elements together with the buffer.
    fn end<T: Element>(self, buffer: UnifiedBuffer<T>) -> Result<OwnedRead<T>, BufferError> {
        let elements = match self {
            Self::Empty => empty(),
            Self::Reading(reading, token) => {
                let view: HostView =
                    buffer.core.end_read(reading).map_err(|error| buffer.core.error("reading", error))?;
                guard(view, &byte_range::<T>(&(0..buffer.len())), token)?
            }
        };
        Ok(OwnedRead { elements, buffer })
    }
}

impl<T: Element> Deref for OwnedRead<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T: Element + std::fmt::Debug> std::fmt::Debug for OwnedRead<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.elements.fmt(f)
    }
}
