//! Convolutions of all elements of two arrays.

use super::super::super::error::OperationError;
use super::super::element::RealElement;
use super::FftConvolve;
use crate::buffer::{Slice, SliceMut};

/// Computes the convolution of all of `x` with all of `w`, `y[k] = sum of x[j] * w[k - j]`, through Fourier transforms. The
/// result has `x.len() + w.len() - 1` elements. See [`FftConvolve`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (x, w) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer_from(&[1.0f32, 10.0])?);
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::fft_convolve(&x, &w, &mut y)?;
/// assert!(y.read()?.iter().zip([1.0, 12.0, 23.0, 30.0]).all(|(a, b)| (a - b).abs() < 1e-4));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`FftConvolve::run`].
pub fn fft_convolve<'x, 'w, 'y, T: RealElement>(
    x: impl Into<Slice<'x, T>>,
    w: impl Into<Slice<'w, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let (x, w) = (x.into(), w.into());
    FftConvolve::new([x.len()], [w.len()]).run(x, w, y)
}

/// Computes the correlation of all of `x` with all of `w`, `y[k] = sum of x[k - m + j] * w[j]` with `m = w.len() - 1`,
/// through Fourier transforms. The result has `x.len() + w.len() - 1` elements. See [`FftConvolve::correlate`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (x, w) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer_from(&[1.0f32, 10.0])?);
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::fft_correlate(&x, &w, &mut y)?;
/// assert!(y.read()?.iter().zip([10.0, 21.0, 32.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-4));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`FftConvolve::run`].
pub fn fft_correlate<'x, 'w, 'y, T: RealElement>(
    x: impl Into<Slice<'x, T>>,
    w: impl Into<Slice<'w, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let (x, w) = (x.into(), w.into());
    FftConvolve::new([x.len()], [w.len()]).correlate().run(x, w, y)
}
