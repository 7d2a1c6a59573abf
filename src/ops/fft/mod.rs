//! Fourier transforms.

mod call;
mod chain;
mod convolution;
mod cosine;
mod element;
mod factors;
mod frequencies;
mod groups;
mod launch;
mod library;
mod norm;
mod offer;
mod passes;
mod plan;
mod real;
mod reals;
#[cfg(test)]
mod reference;
mod run;
mod stft;
mod tables;
#[cfg(test)]
mod tests;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use chain::Pass;
pub use convolution::{ConvolveMode, FftConvolve, fft_convolve, fft_correlate};
pub use cosine::{Dct, DctKind, dct, dst, idct, idst};
pub use element::{ComplexElement, RealElement};
pub use frequencies::{Frequencies, fftfreq, rfftfreq};
pub use norm::FftNorm;
use plan::Kind;
pub use real::{RealFft, irfft, rfft};
use run::Operands;
pub use stft::{SignalElement, Stft, WindowShape};
pub use tables::FftTables;

/// Computes the Fourier transform of all of `x`: `y[k] = sum of x[j] * exp(-2 pi i j k / n)`. See [`Fft`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[[1.0f32, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]])?;
/// let mut y = device.buffer(4)?;
/// anywarp::ops::fft(&x, &mut y)?;
/// assert_eq!(*y.read()?, [[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0], [-2.0, -2.0]]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Fft::run`].
pub fn fft<'x, 'y, T: ComplexElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    Fft::new([x.len()]).run(x, y)
}

/// Computes the inverse Fourier transform of all of `x`: `y[j] = sum of x[k] * exp(2 pi i j k / n) / n`. See [`Fft`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[[4.0f32, 0.0], [0.0, 0.0], [4.0, 0.0], [0.0, 0.0]])?;
/// let mut y = device.buffer(4)?;
/// anywarp::ops::ifft(&x, &mut y)?;
/// assert_eq!(*y.read()?, [[2.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Fft::run`].
pub fn ifft<'x, 'y, T: ComplexElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    Fft::new([x.len()]).inverse().run(x, y)
}

/// A Fourier transform of complex numbers: [`fft`] and [`ifft`] along any axes, in place, on a stream, or into a
/// recording.
///
/// Lengths have any prime factors. Those up to 13 are computed by passes of small transforms in Stockham's order
/// (Cochran et al., 'What is the fast Fourier transform?', 1967), others as convolutions (Bluestein, 1970), which take
/// four to eight times as long. Computed in the type of the elements, with roots that are computed in `f64`: the relative
/// error in the root mean square is at most `2e-7 * log2(n)` for `f32`. Repeated calls on a device return the same bits.
///
/// On a device whose [`Caps::library`](crate::backend::Caps::library) has Fourier transforms, which is `cpu`, the library
/// transforms the lines of an axis of `f32` or `f64` where there are as many of them as threads, or where they are short.
/// It computes large prime lengths as convolutions as well. The bound of the error is the same.
///
/// Arrays of `f16` are transformed in `f32`, with any length, axes and start: the first pass reads `f16`, and the last one
/// rounds to it. The relative error in the root mean square is at most `2e-7 * log2(n) + 2^-11`, where no result is beyond
/// 65504, and few are below `2^-14`, the smallest normal number. The device needs no `f16` in WGSL.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Fft, FftNorm};
///
/// let device = anywarp::Device::open("cpu")?;
/// // Two lines of two numbers: transforms of the columns.
/// let x = device.buffer_from(&[[1.0f32, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 4.0]])?;
/// let mut y = device.buffer(4)?;
/// Fft::new([2, 2]).axes([0]).run(&x, &mut y)?;
/// assert_eq!(*y.read()?, [[4.0, 0.0], [2.0, 4.0], [-2.0, 0.0], [2.0, -4.0]]);
/// Fft::new([2, 2]).axes([0]).inverse().run_in_place(&mut y)?;
/// assert_eq!(*y.read()?, *x.read()?);
/// Fft::new([2, 2]).norm(FftNorm::Forward).run(&x, &mut y)?;
/// assert_eq!(y.read()?[0], [1.5, 1.0]); // the mean
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a Fourier transform does nothing until `run` is called"]
pub struct Fft<'r, T: ComplexElement = [f32; 2]> {
    shape: Vec<usize>,
    axes: Option<Vec<usize>>,
    inverse: bool,
    norm: FftNorm,
    tables: Option<&'r FftTables<T>>,
    destination: Destination<'r>,
}

impl<'r, T: ComplexElement> Fft<'r, T> {
    /// A transform of arrays of a shape, along all axes.
    pub fn new(shape: impl AsRef<[usize]>) -> Self {
        Self {
            shape: shape.as_ref().to_vec(),
            axes: None,
            inverse: false,
            norm: FftNorm::default(),
            tables: None,
            destination: Destination::Own,
        }
    }

    /// Transforms along these axes only, each of which is named once. The other axes count the transforms.
    pub fn axes(mut self, axes: impl AsRef<[usize]>) -> Self {
        self.axes = Some(axes.as_ref().to_vec());
        self
    }

    /// Computes the inverse transform.
    pub fn inverse(mut self) -> Self {
        self.inverse = true;
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

    /// The cost of a call on a device, to compare its time with the limits of the device. A transform of `n` numbers
    /// counts as `5 n log2(n)` operations, as is usual for published rates.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Fft::<[f32; 2]>::new([3, 1024]).axes([1]).cost(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (3 * 5 * 1024 * 10, 3 * 1024 * 16));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Choice`] and [`OperationError::TooLarge`].
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        Ok(self.plan(device, false)?.cost())
    }

    /// Sets the destination, for operators that are built on transforms.
    pub(super) fn to(mut self, destination: Destination<'r>) -> Self {
        self.destination = destination;
        self
    }

    /// Compiles the kernels of a call out of place, for operators that are built on transforms. Needs the tables.
    pub(super) fn prepare(&self, device: &Device) -> Result<(), OperationError> {
        let plan = self.plan(device, false)?;
        if let Some(tables) = self.tables {
            run::prepare(device, &plan, tables)?;
        }
        Ok(())
    }

    fn plan(&self, device: &Device, in_place: bool) -> Result<Plan<Pass>, OperationError> {
        let axes = call::axes(OPERATOR, self.axes.as_deref(), &self.shape)?;
        call::plan::<T>(OPERATOR, device, Kind::Complex { in_place }, self.inverse, (&self.shape, axes))
    }

    /// Computes `y` from `x`, both with the shape of the transform. Both are buffers or slices of any start; `y` is in
    /// another buffer than `x` unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for an axis that does not exist or is named twice, arrays of other lengths, a slice out of range,
    /// arrays or tables of two devices, an existing guard, 2^30 numbers or more (also in scratch memory), `f64` on a
    /// device without it, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let plan = self.plan(&Device::of(&y.core.device), false)?;
        let operands =
            Operands { x: Some(operands::bytes(OPERATOR, "x", &x)?), y: operands::bytes_mut(OPERATOR, "y", &y)? };
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        self.offer(Some(&x), &y);
        self.commands(&operands, &plan)
    }

    /// Replaces `x` by its transform. Passes alternate between `x` and scratch memory.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<'x>(mut self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        let x = x.into();
        let plan = self.plan(&Device::of(&x.core.device), true)?;
        let operands = Operands { x: None, y: operands::bytes_mut(OPERATOR, "x", &x)? };
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        self.offer(None, &x);
        self.commands(&operands, &plan)
    }

    fn commands(&mut self, operands: &Operands<'_, '_>, plan: &Plan<Pass>) -> Result<(), OperationError> {
        let scale = self.norm.scale(&self.shape, self.axes.as_deref(), self.inverse);
        call::commands(OPERATOR, operands, plan, scale, self.tables, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("Fourier transform");
