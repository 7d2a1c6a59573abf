//! Fourier transforms of real numbers.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::plan::{Cost, Plan};
use super::chain::Pass;
use super::element::ComplexElement;
use super::norm::FftNorm;
use super::plan::{Kind, half};
use super::run::{Operands, prepare};
use super::tables::FftTables;
use super::{OPERATOR, call};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

/// Computes the first half of the Fourier transform of all of `x`, `n` real numbers: `n / 2 + 1` numbers, the others are
/// their conjugates. See [`RealFft`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut y = device.buffer::<[f32; 2]>(3)?;
/// anywarp::ops::rfft(&x, &mut y)?;
/// assert_eq!(*y.read()?, [[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0]]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`RealFft::run`].
pub fn rfft<'x, 'y, T: ComplexElement>(
    x: impl Into<Slice<'x, T::Real>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    RealFft::new([x.len()]).run(x, y)
}

/// Computes the real numbers `y` from the first half of their Fourier transform: the inverse of [`rfft`]. See
/// [`RealFft::inverse`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[[10.0f32, 0.0], [-2.0, 2.0], [-2.0, 0.0]])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::irfft(&x, &mut y)?;
/// assert_eq!(*y.read()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`RealFft::inverse`].
pub fn irfft<'x, 'y, T: ComplexElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T::Real>>,
) -> Result<(), OperationError> {
    let y = y.into();
    RealFft::new([y.len()]).inverse(x, y)
}

/// A Fourier transform of real numbers: [`rfft`] and [`irfft`] along any axes, on a stream, or into a recording.
///
/// The shape is that of the real numbers. The array of complex numbers has the same shape, but only `n / 2 + 1` numbers
/// along the last of the transformed axes, as in `SciPy`'s `rfftn`. The other axes are transformed as by
/// [`Fft`](super::Fft), with the same bound of the error. A line of an even length is transformed as half as many complex
/// numbers, without a pass that pairs them if it is along the last axis of the shape, in an array that begins at an even
/// element. Lines of odd lengths take as long as complex ones.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::RealFft;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut y = device.buffer::<[f32; 2]>(4)?;
/// RealFft::new([2, 3]).axes([1]).run(&x, &mut y)?; // two lines of three numbers
/// assert_eq!([y.read()?[0], y.read()?[2]], [[6.0, 0.0], [15.0, 0.0]]);
/// let mut again = device.buffer::<f32>(6)?;
/// RealFft::new([2, 3]).axes([1]).inverse(&y, &mut again)?;
/// assert!(again.read()?.iter().zip(&*x.read()?).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a Fourier transform does nothing until `run` or `inverse` is called"]
pub struct RealFft<'r, T: ComplexElement = [f32; 2]> {
    shape: Vec<usize>,
    axes: Option<Vec<usize>>,
    norm: FftNorm,
    tables: Option<&'r FftTables<T>>,
    destination: Destination<'r>,
}

impl<'r, T: ComplexElement> RealFft<'r, T> {
    /// A transform of real arrays of a shape, along all axes.
    pub fn new(shape: impl AsRef<[usize]>) -> Self {
        Self {
            shape: shape.as_ref().to_vec(),
            axes: None,
            norm: FftNorm::default(),
            tables: None,
            destination: Destination::Own,
        }
    }

    /// Transforms along these axes only, each of which is named once. Complex arrays have halves along the last one.
    pub fn axes(mut self, axes: impl AsRef<[usize]>) -> Self {
        self.axes = Some(axes.as_ref().to_vec());
        self
    }

    /// Sets the factor of the results, in place of [`FftNorm::Backward`].
    pub fn norm(mut self, norm: FftNorm) -> Self {
        self.norm = norm;
        self
    }

    /// Uses tables that several calls share, in place of tables for this call.
    pub fn tables(mut self, tables: &'r FftTables<T>) -> Self {
        self.tables = Some(tables);
        self
    }

    /// Appends the transform to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a transform or an inverse one, of arrays that begin at even elements. A transform of `n` numbers
    /// counts as `2.5 n log2(n)` operations, as is usual for published rates.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::RealFft::<[f32; 2]>::new([1024]).cost(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (5 * 1024 * 10 / 2, 1024 * 4 + 513 * 8));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Choice`] and [`OperationError::TooLarge`].
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        Ok(self.plan(device, false, true)?.cost())
    }

    /// Sets the destination, for operators that are built on transforms.
    pub(super) fn to(mut self, destination: Destination<'r>) -> Self {
        self.destination = destination;
        self
    }

    /// Compiles the kernels of a call on aligned arrays, for operators that are built on transforms. Needs the tables.
    pub(super) fn prepare(&self, device: &Device, inverse: bool) -> Result<(), OperationError> {
        let plan = self.plan(device, inverse, true)?;
        if let Some(tables) = self.tables {
            prepare(device, &plan, tables)?;
        }
        Ok(())
    }

    fn plan(&self, device: &Device, inverse: bool, aligned: bool) -> Result<Plan<Pass>, OperationError> {
        let axes = call::axes(OPERATOR, self.axes.as_deref(), &self.shape)?;
        if axes.is_empty() {
            return Err(OPERATOR.choice("axes", "name an axis for the halves", "none".to_owned()));
        }
        call::plan::<T>(OPERATOR, device, Kind::Real { aligned }, inverse, (&self.shape, axes))
    }

    /// The shape of the complex numbers.
    fn halves(&self) -> Vec<usize> {
        let mut halves = self.shape.clone();
        let last = self.axes.as_ref().map_or(halves.len().checked_sub(1), |axes| axes.last().copied());
        if let Some(size) = last.and_then(|last| halves.get_mut(last)).filter(|size| **size > 0) {
            *size = half(*size as u64) as usize;
        }
        halves
    }

    /// Computes the complex numbers `y` from the real numbers `x`. Both are buffers or slices of any start; `y` is in
    /// another buffer than `x` unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for a shape without axes, an axis that does not exist or is named twice, arrays of other
    /// lengths, a slice out of range, arrays or tables of two devices, an existing guard, 2^30 numbers or more (also in
    /// scratch memory), `f64` on a device without it, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T::Real>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let bytes_of_x = operands::bytes(OPERATOR, "x", &x)?;
        let plan = self.plan(&Device::of(&y.core.device), false, aligned::<T>(operands::start(&bytes_of_x)))?;
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.halves()))?;
        let operands = Operands { x: Some(bytes_of_x), y: operands::bytes_mut(OPERATOR, "y", &y)? };
        let scale = self.norm.scale(&self.shape, self.axes.as_deref(), false);
        call::commands(OPERATOR, &operands, &plan, scale, self.tables, &mut self.destination)
    }

    /// Computes the real numbers `y` from the complex numbers `x`, the first halves of their transforms. Imaginary parts
    /// that would be zero for every real array are ignored.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn inverse<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T::Real>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let bytes_of_y = operands::bytes_mut(OPERATOR, "y", &y)?;
        let plan = self.plan(&Device::of(&y.core.device), true, aligned::<T>(operands::start_mut(&bytes_of_y)))?;
        operands::expect(OPERATOR, "x", (x.len(), &self.halves()))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        let operands = Operands { x: Some(operands::bytes(OPERATOR, "x", &x)?), y: bytes_of_y };
        let scale = self.norm.scale(&self.shape, self.axes.as_deref(), true);
        call::commands(OPERATOR, &operands, &plan, scale, self.tables, &mut self.destination)
    }
}

/// Whether an array of reals that begins at this byte begins with a whole complex number.
fn aligned<T>(start: u64) -> bool {
    start.is_multiple_of(size_of::<T>() as u64)
}
