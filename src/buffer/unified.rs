//! The buffer type of the public API.

use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use super::core::Core;
use super::span::Span;
use super::{ReadGuard, Slice, SliceMut, UpdateGuard, WriteGuard};
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::{BufferStats, Context};

/// A vector of `T` that host and device both access.
///
/// Host code and kernels use the same elements, and only data that has changed is transferred; with unified memory,
/// nothing is transferred.
///
/// | call | non-unified memory | unified memory |
/// |---|---|---|
/// | [`read`](Self::read) | copies what is missing on the host, waits, borrows | waits, borrows |
/// | [`write`](Self::write) | borrows upload memory, or ordinary memory up to 1 KiB; copied at the next use on the device | waits, borrows |
/// | [`update`](Self::update) | reads, then uploads if the guard was changed | waits, borrows |
/// | bound to a launch | uploads what is newer on the host | nothing |
///
/// Each written byte is uploaded once. Short writes (at most 1 KiB) and updates are uploaded together. The bytes
/// between two of these writes are uploaded, too, if the host has these bytes and copying them is cheaper than a
/// separate copy. Data that only the device has is never overwritten.
///
/// [`stats`](Self::stats) counts the transfers. Launches take `&` for buffers that a kernel reads and `&mut` for
/// buffers that it writes; while a guard exists, launches are refused.
///
/// With non-unified memory, a buffer keeps one host copy, of the range that was read last; dropping the buffer returns
/// the memory of the copy to the pool.
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

    /// A buffer on existing memory.
    pub(crate) fn of(core: Arc<Core>, length: usize) -> Self {
        Self { core, length, _element: PhantomData }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the buffer has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The size of the buffer in bytes.
    #[must_use]
    pub fn byte_len(&self) -> u64 {
        self.core.bytes
    }

    /// The transfers between host and device so far.
    #[must_use]
    pub fn stats(&self) -> BufferStats {
        self.core.traffic.read()
    }

    /// The part of the buffer at `bounds`, in elements. If the range is outside the buffer, using the slice is an
    /// error.
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

    /// Splits the buffer, for writing, into the elements before index `middle` and the elements from `middle` on, for
    /// example to bind both parts to one launch. Guards of both parts cannot exist at the same time.
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
    /// The error of the work that produces the data, or of the copy. After the loss of the device, data that the host
    /// already has can still be read.
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

    /// Borrows memory for overwriting all elements.
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
    /// [`BufferError::Device`] when no staging memory is available.
    pub fn write(&mut self) -> Result<WriteGuard<'_, T>, BufferError> {
        self.slice_mut(..).write()
    }

    /// Waits for the device and borrows all elements for reading and changing them.
    ///
    /// On a device with non-unified memory the elements are held in ordinary memory, as upload memory may be slow to
    /// read. The changed elements are copied again within the call that next uses the buffer on the device. More than 4
    /// MiB are copied in chunks while launches of other threads wait; beyond 64 MiB the call waits for the device. If
    /// that takes too long, use [`read`](Self::read) and then [`copy_from_slice`](Self::copy_from_slice), which do not
    /// block other threads.
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

    /// Copies all elements from `source`, whose length must equal the buffer's.
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`]; otherwise as [`write`](Self::write). After an error in the middle of a large
    /// copy (above 1 MiB, or [`DeviceOptions::staging_limit`](crate::DeviceOptions::staging_limit)), some elements have
    /// their new and the others their old values: copy or write all elements again.
    pub fn copy_from_slice(&mut self, source: &[T]) -> Result<(), BufferError> {
        self.slice_mut(..).copy_from_slice(source)
    }

    /// Copies all elements into `target`, whose length must equal the buffer's.
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`]; otherwise as [`read`](Self::read).
    pub fn copy_to_slice(&self, target: &mut [T]) -> Result<(), BufferError> {
        self.slice(..).copy_to_slice(target)
    }

    /// [`copy_to_slice`](Self::copy_to_slice) without blocking. Dropping the future leaves `target` unchanged.
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
    /// [`BufferError::LengthMismatch`], [`BufferError::OtherDevice`], [`BufferError::InUse`] while a guard of either
    /// buffer exists, or the device's error.
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
    /// [`BufferError::InUse`] while a guard exists, or the device's error.
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
