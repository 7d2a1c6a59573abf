//! The rearrangements of whole arrays on the default stream.

use super::super::error::OperationError;
use super::{Pad, Rearrange, Steps};
use crate::buffer::{Slice, SliceMut};
use crate::element::Element;

/// Reverses the axes of `x`, which has this shape: as NumPy's `transpose`. See [`Rearrange`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?; // 2 rows of 3
/// let mut y = device.buffer::<f32>(6)?;
/// anywarp::ops::transpose(&x, &mut y, [2, 3])?;
/// assert_eq!(*y.read()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Rearrange::run`].
pub fn transpose<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
) -> Result<(), OperationError> {
    Rearrange::transpose(shape).run(x, y)
}

/// Permutes the axes of `x`, which has this shape: axis `k` of `y` is axis `axes[k]` of `x`, as NumPy's
/// `transpose(x, axes)`.
///
/// # Errors
/// As [`Rearrange::run`].
pub fn permute<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axes: &[usize],
) -> Result<(), OperationError> {
    Rearrange::permute(shape, axes).run(x, y)
}

/// Reverses the order of the elements along some axes of `x`, which has this shape: as NumPy's `flip`.
///
/// # Errors
/// As [`Rearrange::run`].
pub fn flip<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axes: &[usize],
) -> Result<(), OperationError> {
    Rearrange::flip(shape, axes).run(x, y)
}

/// Moves the elements of `x`, which has this shape, along axes: each entry is an axis and a number of positions.
/// Elements that leave the axis come back at its other end, as in NumPy's `roll`.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let (x, mut y) = (device.buffer_from(&[1u8, 2, 3, 4, 5])?, device.buffer::<u8>(5)?);
/// anywarp::ops::roll(&x, &mut y, [5], &[(0, 2)])?;
/// assert_eq!(*y.read()?, [4, 5, 1, 2, 3]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Rearrange::run`].
pub fn roll<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    shifts: &[(usize, isize)],
) -> Result<(), OperationError> {
    Rearrange::roll(shape, shifts).run(x, y)
}

/// Moves the element 0 of `x`, which has this shape, to the middle along each of these axes, as NumPy's `fftshift`: the
/// results of a Fourier transform in the order of their frequencies.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let (x, mut y) = (device.buffer_from(&[0i32, 1, 2, -2, -1])?, device.buffer::<i32>(5)?);
/// anywarp::ops::fftshift(&x, &mut y, [5], &[0])?;
/// assert_eq!(*y.read()?, [-2, -1, 0, 1, 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Rearrange::run`].
pub fn fftshift<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axes: &[usize],
) -> Result<(), OperationError> {
    Rearrange::fftshift(shape, axes).run(x, y)
}

/// Moves the middle element of `x`, which has this shape, to the position 0 along each of these axes, as NumPy's
/// `ifftshift`: the inverse of [`fftshift`], from which it differs for odd sizes.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let (x, mut y) = (device.buffer_from(&[-2i32, -1, 0, 1, 2])?, device.buffer::<i32>(5)?);
/// anywarp::ops::ifftshift(&x, &mut y, [5], &[0])?;
/// assert_eq!(*y.read()?, [0, 1, 2, -2, -1]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Rearrange::run`].
pub fn ifftshift<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axes: &[usize],
) -> Result<(), OperationError> {
    Rearrange::ifftshift(shape, axes).run(x, y)
}

/// Repeats `x`, which has this shape, along its axes: as NumPy's `tile`. If `shape` and `repeats` have different
/// lengths, ones are put in front of the shorter one.
///
/// # Errors
/// As [`Rearrange::run`].
pub fn tile<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    repeats: &[usize],
) -> Result<(), OperationError> {
    Rearrange::tile(shape, repeats).run(x, y)
}

/// Repeats the elements of `x`, which has this shape, along axes of size 1 and new axes in front, up to the shape `to`: as
/// NumPy's `broadcast_to`.
///
/// # Errors
/// As [`Rearrange::run`].
pub fn broadcast<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    to: &[usize],
) -> Result<(), OperationError> {
    Rearrange::broadcast(shape, to).run(x, y)
}

/// Copies a part of `x`, which has this shape: some [`steps`](super::steps()) along each axis, as Python's
/// `x[1:5, ::-1]`. Axes after the last entry of `parts` are copied whole.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{copy_part, steps};
///
/// let (x, mut y) = (device.buffer_from(&[0u32, 1, 2, 3, 4, 5, 6, 7])?, device.buffer::<u32>(4)?);
/// copy_part(&x, &mut y, [2, 4], &[steps(.., 1), steps(-2.., 1)])?;
/// assert_eq!(*y.read()?, [2, 3, 6, 7]);
/// copy_part(&x, &mut y, [2, 4], &[steps(.., -1), steps(.., 2)])?;
/// assert_eq!(*y.read()?, [4, 6, 0, 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Rearrange::run`].
pub fn copy_part<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    parts: &[Steps],
) -> Result<(), OperationError> {
    Rearrange::part(shape, parts).run(x, y)
}

/// Adds elements before and after each axis of `x`, which has this shape: as NumPy's `pad`. `widths` has the numbers of
/// elements before and after each axis.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{Pad, pad};
///
/// let (x, mut y) = (device.buffer_from(&[1i16, 2, 3])?, device.buffer::<i16>(6)?);
/// pad(&x, &mut y, [3], &[[2, 1]], Pad::Constant(-1))?;
/// assert_eq!(*y.read()?, [-1, -1, 1, 2, 3, -1]);
/// pad(&x, &mut y, [3], &[[2, 1]], Pad::Reflect)?;
/// assert_eq!(*y.read()?, [3, 2, 1, 2, 3, 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Rearrange::run`].
pub fn pad<'x, 'y, T: Element>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    widths: &[[usize; 2]],
    pad: Pad<T>,
) -> Result<(), OperationError> {
    Rearrange::pad(shape, widths, pad).run(x, y)
}
