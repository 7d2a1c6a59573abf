//! Transforms of all elements of an array by cosines or sines.

use super::super::super::error::OperationError;
use super::super::element::RealElement;
use super::Dct;
use super::kind::DctKind;
use crate::buffer::{Slice, SliceMut};

/// Computes the discrete cosine transform of all of `x`: `y[k] = 2 * sum of x[j] * cos(pi k (2 j + 1) / (2 n))`. See [`Dct`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::dct(&x, &mut y)?;
/// let wanted = [20.0, -6.308644, 0.0, -0.448342];
/// assert!(y.read()?.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-4));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Dct::run`].
pub fn dct<'x, 'y, T: RealElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    Dct::new([x.len()], DctKind::Dct2).run(x, y)
}

/// Computes the inverse of [`dct`] of all of `x`. See [`Dct::inverse`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let (mut y, mut again) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
/// anywarp::ops::dct(&x, &mut y)?;
/// anywarp::ops::idct(&y, &mut again)?;
/// assert!(again.read()?.iter().zip(&*x.read()?).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Dct::run`].
pub fn idct<'x, 'y, T: RealElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    Dct::new([x.len()], DctKind::Dct2).inverse().run(x, y)
}

/// Computes the discrete sine transform of all of `x`: `y[k] = 2 * sum of x[j] * sin(pi (k + 1) (2 j + 1) / (2 n))`. See [`Dct`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::dst(&x, &mut y)?;
/// let wanted = [13.065630, -5.656854, 5.411961, -4.0];
/// assert!(y.read()?.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-4));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Dct::run`].
pub fn dst<'x, 'y, T: RealElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    Dct::new([x.len()], DctKind::Dst2).run(x, y)
}

/// Computes the inverse of [`dst`] of all of `x`. See [`Dct::inverse`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let (mut y, mut again) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
/// anywarp::ops::dst(&x, &mut y)?;
/// anywarp::ops::idst(&y, &mut again)?;
/// assert!(again.read()?.iter().zip(&*x.read()?).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Dct::run`].
pub fn idst<'x, 'y, T: RealElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    Dct::new([x.len()], DctKind::Dst2).inverse().run(x, y)
}
