//! The buffer that users hold.

use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use super::core::Core;
use super::span::Span;
use super::{ReadGuard, Slice, SliceMut, UpdateGuard, WriteGuard};
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::{BufferStats, Context};

/// A vector of `T` that host and device both see.
///
/// The program asks for one side or the other, and only what changed in between is moved; where
/// the memory is one, nothing is.
///
/// | call | memory of its own | one memory |
/// |---|---|---|
/// | [`read`](Self::read) | copies what the host lacks, waits, borrows | waits, borrows |
/// | [`write`](Self::write) | borrows upload memory, or ordinary up to 1 KiB; copied at the next device use | waits, borrows |
/// | [`update`](Self::update) | reads, then uploads if it was changed | waits, borrows |
/// | bound to a launch | uploads what the host has newer | nothing |
///
/// Each byte that was written goes up once. Short writes (1 KiB at most) and updates go up together, with
/// the bytes between two of them where those are known to the host and copying them along is cheaper than one
/// more copy; what only the device has is never written over.
///
/// [`stats`](Self::stats) counts what was moved. Launches take `&` for what a kernel reads and
/// `&mut` for what it writes; a guard that is alive keeps launches off.
///
/// A buffer on a device of its own memory keeps one host copy after a read, of the buffer's size
/// rounded up to a staging class; dropping the buffer gives it back to the pool.
///
/// ```no_run
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open_default()?;
/// let mut x = device.buffer_from(&[1.0f32, 2.0, 3.0])?;
/// x.update()?[1] = 5.0;
/// assert_eq!(*x.read()?, [1.0, 5.0, 3.0]);
/// # Ok(())
/// # }
/// ```
pub struct UnifiedBuffer<T> {
    pub(crate) core: Arc<Core>,
    length: usize,
    _element: PhantomData<T>,
}

impl<T: Element> UnifiedBuffer<T> {
    pub(crate) fn new(device: &Arc<Context>, length: usize) -> Result<Self, BufferError> {
        const { assert!(size_of::<T>() > 0, "elements of no bytes cannot be addressed") }
        let size = size_of::<T>();
        let bytes = length
            .checked_mul(size)
            .filter(|bytes| isize::try_from(*bytes).is_ok())
            .ok_or(BufferError::TooLong { length, size })?;
        Ok(Self { core: Core::new(device, bytes as u64)?, length, _element: PhantomData })
    }

    /// A buffer on memory that is there already.
    pub(crate) fn of(core: Arc<Core>, length: usize) -> Self {
        Self { core, length, _element: PhantomData }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Size in bytes.
    #[must_use]
    pub fn byte_len(&self) -> u64 {
        self.core.bytes
    }

    /// What was moved between host and device so far.
    #[must_use]
    pub fn stats(&self) -> BufferStats {
        self.core.traffic.read()
    }

    /// The part of the buffer at `bounds`, in elements. A range outside of the buffer is an error
    /// of whatever is done with the slice.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let x = device.buffer_from(&[1, 2, 3, 4])?;
    /// assert_eq!(*x.slice(1..3).read()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn slice(&self, bounds: impl RangeBounds<usize>) -> Slice<'_, T> {
        Slice { core: &self.core, range: Span::within(0..self.length).part(&bounds), _element: PhantomData }
    }

    /// The part of the buffer at `bounds`, for writing.
    #[must_use]
    pub fn slice_mut(&mut self, bounds: impl RangeBounds<usize>) -> SliceMut<'_, T> {
        SliceMut { core: &self.core, range: Span::within(0..self.length).part(&bounds), _element: PhantomData }
    }

    /// Two parts, before and from element `middle` on, for writing. Guards of both cannot be alive
    /// at once; binding both to one launch is what it is for.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let mut x = device.buffer::<f32>(1024)?;
    /// let (mut left, right) = x.split_at_mut(512);
    /// left.slice_mut(..).copy_from(&right)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn split_at_mut(&mut self, middle: usize) -> (SliceMut<'_, T>, SliceMut<'_, T>) {
        self.slice_mut(..).split_at_mut(middle)
    }

    /// Waits for the device and borrows all elements.
    ///
    /// # Errors
    /// What went wrong with the work that produces the data, or with the copy. After the loss of
    /// the device, data that the host already has can still be read.
    pub fn read(&self) -> Result<ReadGuard<'_, T>, BufferError> {
        self.slice(..).read()
    }

    /// [`read`](Self::read) without blocking. Dropping the future cancels the read.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let x = device.buffer_from(&[1, 2, 3])?;
    /// pollster::block_on(async {
    ///     assert_eq!(x.read_async().await?[2], 3);
    ///     Ok::<_, anywarp::Error>(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub async fn read_async(&self) -> Result<ReadGuard<'_, T>, BufferError> {
        self.slice(..).read_async().await
    }

    /// Borrows memory for all elements, to be written anew.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let mut x = device.buffer::<u32>(1024)?;
    /// for (index, element) in x.write()?.iter_mut().enumerate() {
    ///     *element = index as u32;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BufferError::Device`] when there is no staging memory to be had.
    pub fn write(&mut self) -> Result<WriteGuard<'_, T>, BufferError> {
        self.slice_mut(..).write()
    }

    /// Waits for the device and borrows all elements, to be changed.
    ///
    /// On a device with memory of its own they lie in ordinary memory meanwhile, because upload memory may be
    /// slow to read. The next use on the device copies what was changed once more, within the call that asks
    /// for it: of more than 4 MiB in chunks, while other threads' launches wait, and beyond 64 MiB it waits
    /// for the device. Where that is too long, [`read`](Self::read) and then
    /// [`copy_from_slice`](Self::copy_from_slice) keep nobody off.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn update(&mut self) -> Result<UpdateGuard<'_, T>, BufferError> {
        self.slice_mut(..).update()
    }

    /// [`update`](Self::update) without blocking.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub async fn update_async(&mut self) -> Result<UpdateGuard<'_, T>, BufferError> {
        self.slice_mut(..).update_async().await
    }

    /// Copies all elements from `source`, whose length must be the buffer's.
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`]; else as [`write`](Self::write). After an error in the midst of a large copy
    /// (above 1 MiB, or [`DeviceOptions::staging_limit`](crate::DeviceOptions::staging_limit)) some of its elements
    /// are the new ones and the others what they were: copy once more, or write them anew.
    pub fn copy_from_slice(&mut self, source: &[T]) -> Result<(), BufferError> {
        self.slice_mut(..).copy_from_slice(source)
    }

    /// Copies all elements into `target`, whose length must be the buffer's.
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`]; else as [`read`](Self::read).
    pub fn copy_to_slice(&self, target: &mut [T]) -> Result<(), BufferError> {
        self.slice(..).copy_to_slice(target)
    }

    /// [`copy_to_slice`](Self::copy_to_slice) without blocking. Dropping the future leaves `target` as
    /// it is.
    ///
    /// # Errors
    /// As [`copy_to_slice`](Self::copy_to_slice).
    pub async fn copy_to_slice_async(&self, target: &mut [T]) -> Result<(), BufferError> {
        self.slice(..).copy_to_slice_async(target).await
    }

    /// Copies all elements of another buffer or slice of the same length, on the device.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let x = device.buffer_from(&[1.0f32; 8])?;
    /// let mut y = device.buffer::<f32>(4)?;
    /// y.copy_from(x.slice(2..6))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`], [`BufferError::OtherDevice`], [`BufferError::InUse`] while
    /// a guard of either is alive, or what the device says.
    pub fn copy_from<'b>(&mut self, source: impl Into<Slice<'b, T>>) -> Result<(), BufferError>
    where
        T: 'b,
    {
        self.slice_mut(..).copy_from(source)
    }

    /// Sets every element to `value`, on the device.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let mut x = device.buffer::<f32>(1024)?;
    /// x.fill(0.5)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BufferError::InUse`] while a guard is alive, or what the device says.
    pub fn fill(&mut self, value: T) -> Result<(), BufferError> {
        self.slice_mut(..).fill(value)
    }
}

impl<'a, T: Element> From<&'a UnifiedBuffer<T>> for Slice<'a, T> {
    fn from(buffer: &'a UnifiedBuffer<T>) -> Self {
        buffer.slice(..)
    }
}

impl<'a, T: Element> From<&'a mut UnifiedBuffer<T>> for SliceMut<'a, T> {
    fn from(buffer: &'a mut UnifiedBuffer<T>) -> Self {
        buffer.slice_mut(..)
    }
}

impl<T> std::fmt::Debug for UnifiedBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnifiedBuffer")
            .field("element", &std::any::type_name::<T>())
            .field("length", &self.length)
            .field("device", &self.core.device.selector)
            .finish()
    }
}
