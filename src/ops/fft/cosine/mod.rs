//! Transforms by cosines and sines.

mod functions;
pub(super) mod kind;
pub(super) mod passes;

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::{Cost, Plan};
use super::call;
use super::chain::Pass;
use super::element::RealElement;
use super::norm::FftNorm;
use super::plan::Kind;
use super::run::Operands;
use super::tables::FftTables;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
pub use functions::{dct, dst, idct, idst};
pub use kind::DctKind;

/// A discrete cosine or sine transform: [`dct`], [`dst`] and their inverses along any axes, of the types I to IV, in
/// place, on a stream, or into a recording.
///
/// Lengths have any prime factors. A line is transformed by a Fourier transform of as many real numbers, or of about twice
/// as many for type I, with the bound of the error of [`Fft`](super::Fft). Along several axes, results are transformed
/// axis by axis, as by `SciPy`'s `dctn`.
///
/// With [`FftNorm::Ortho`], the numbers at the ends of a line are weighted such that the transform is orthogonal, which is
/// `SciPy`'s `orthogonalize` in its default form.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Dct, DctKind, FftNorm};
///
/// let device = anywarp::Device::open("cpu")?;
/// // The blocks of an image, as in JPEG: both axes of each block.
/// let x = device.buffer_from(&[3.0f32; 2 * 8 * 8])?;
/// let mut y = device.buffer::<f32>(2 * 8 * 8)?;
/// let blocks = || Dct::new([2, 8, 8], DctKind::Dct2).axes([1, 2]).norm(FftNorm::Ortho);
/// blocks().run(&x, &mut y)?;
/// let all = y.read()?.to_vec();
/// assert!((all[0] - 24.0).abs() < 1e-4 && all[1..64].iter().all(|number| number.abs() < 1e-4));
/// blocks().inverse().run_in_place(&mut y)?;
/// assert!(y.read()?.iter().all(|number| (number - 3.0).abs() < 1e-5));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a transform does nothing until `run` is called"]
pub struct Dct<'r, T: RealElement = f32> {
    shape: Vec<usize>,
    kind: DctKind,
    axes: Option<Vec<usize>>,
    inverse: bool,
    norm: FftNorm,
    tables: Option<&'r FftTables<T::Complex>>,
    destination: Destination<'r>,
}

impl<'r, T: RealElement> Dct<'r, T> {
    /// The greatest length of an axis: kernels count eighths of elements in 32 bits.
    const LONGEST: usize = 1 << 28;

    /// A transform of arrays of a shape, along all axes.
    pub fn new(shape: impl AsRef<[usize]>, kind: DctKind) -> Self {
        Self {
            shape: shape.as_ref().to_vec(),
            kind,
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

    /// Computes the inverse transform: type III for type II and the reverse, divided by the factor of both.
    pub fn inverse(mut self) -> Self {
        self.inverse = true;
        self
    }

    /// Sets the factor of the results, in place of [`FftNorm::Backward`]. The factor of a transform and its inverse, which
    /// norms divide by, is `2 n`; `2 (n - 1)` for [`DctKind::Dct1`] and `2 (n + 1)` for [`DctKind::Dst1`].
    pub fn norm(mut self, norm: FftNorm) -> Self {
        self.norm = norm;
        self
    }

    /// Uses tables that several calls share, in place of tables for this call.
    pub fn tables(mut self, tables: &'r FftTables<T::Complex>) -> Self {
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
    /// counts as `2.5 n log2(n)` operations, as one of real numbers.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::{Dct, DctKind};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = Dct::<f32>::new([1024], DctKind::Dct2).cost(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (5 * 1024 * 10 / 2, 1024 * 8));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Choice`] and [`OperationError::TooLarge`].
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        Ok(self.plan(device)?.cost())
    }

    fn kind(&self) -> DctKind {
        if self.inverse { self.kind.inverse() } else { self.kind }
    }

    fn plan(&self, device: &Device) -> Result<Plan<Pass>, OperationError> {
        let axes = call::axes(OPERATOR, self.axes.as_deref(), &self.shape)?;
        if axes.is_empty() {
            return Err(OPERATOR.choice("axes", "name an axis to transform", "none".to_owned()));
        }
        if axes.iter().any(|axis| self.shape[*axis] > Self::LONGEST) {
            return Err(OPERATOR.too_large("x", self.shape.clone(), Self::LONGEST as u64));
        }
        if self.kind == DctKind::Dct1 && axes.iter().any(|axis| self.shape[*axis] == 1) {
            let expected = "`Dct1` needs two elements or more along each axis; choose `Dct2`";
            return Err(OPERATOR.choice("an axis of", expected, "1 element".to_owned()));
        }
        let kind = Kind::Cosine { kind: self.kind(), orthogonal: self.norm == FftNorm::Ortho };
        call::plan::<T::Complex>(OPERATOR, device, kind, false, (&self.shape, axes))
    }

    /// The factor of results.
    fn scale(&self) -> f64 {
        let period = |axis: usize| self.kind.period(self.shape[axis]);
        let periods: Vec<usize> = match &self.axes {
            Some(axes) => axes.iter().map(|axis| period(*axis)).collect(),
            None => (0..self.shape.len()).map(period).collect(),
        };
        self.norm.scale(&periods, None, self.inverse)
    }

    /// Computes `y` from `x`, both with the shape of the transform. Both are buffers or slices of any start; `y` is in
    /// another buffer than `x` unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for a shape without axes, an axis that does not exist or is named twice, a single element along an
    /// axis for [`DctKind::Dct1`], more than 2^28 elements along an axis, arrays of other lengths, a slice out of range,
    /// arrays or tables of two devices, an existing guard, 2^30 numbers or more (also in scratch memory), `f64` on a
    /// device without it, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let plan = self.plan(&Device::of(&y.core.device))?;
        let (bytes, x_bytes) = (operands::bytes_mut(OPERATOR, "y", &y)?, operands::bytes(OPERATOR, "x", &x)?);
        let operands = Operands { x: Some(x_bytes), y: bytes };
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        self.commands(&operands, &plan)
    }

    /// Replaces `x` by its transform. Passes use scratch memory.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<'x>(mut self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        let x = x.into();
        let plan = self.plan(&Device::of(&x.core.device))?;
        let operands = Operands { x: None, y: operands::bytes_mut(OPERATOR, "x", &x)? };
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        self.commands(&operands, &plan)
    }

    fn commands(&mut self, operands: &Operands<'_, '_>, plan: &Plan<Pass>) -> Result<(), OperationError> {
        let scale = self.scale();
        call::commands(OPERATOR, operands, plan, scale, self.tables, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("cosine transform");
