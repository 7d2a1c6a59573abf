//! Convolutions and correlations through Fourier transforms.

mod functions;
mod run;
mod sizes;

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::call;
use super::element::RealElement;
use super::real::RealFft;
use super::tables::FftTables;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
pub use functions::{fft_convolve, fft_correlate};
pub use sizes::ConvolveMode;
use sizes::Extent;

/// A convolution or correlation of real arrays through Fourier transforms: [`fft_convolve`] and [`fft_correlate`] along any
/// axes, on a stream, or into a recording.
///
/// Its time grows with `n log(n)`, whatever the size of w: for small w, [`Conv`](crate::ops::Conv) and
/// [`ImageFilter`](crate::ops::ImageFilter) are faster. The transforms have the smallest lengths without prime factors above
/// 7 from which the results are free of each other. The error of a result is about `1e-7` times the product of the roots of
/// the sums of squares of x and of w, for `f32`: small results beside large ones have few digits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{ConvolveMode, FftConvolve};
///
/// let device = anywarp::Device::open("cpu")?;
/// // Two signals, filtered by one kernel.
/// let x = device.buffer_from(&[0.0f32, 3.0, 0.0, 0.0, 6.0, 6.0, 6.0, 6.0])?;
/// let w = device.buffer_from(&[1.0f32 / 3.0; 3])?;
/// let mut y = device.buffer::<f32>(8)?;
/// FftConvolve::new([2, 4], [1, 3]).axes([1]).mode(ConvolveMode::Same).run(&x, &w, &mut y)?;
/// let wanted = [1.0, 1.0, 1.0, 0.0, 4.0, 6.0, 6.0, 4.0];
/// assert!(y.read()?.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "nothing is convolved until `run` is called"]
pub struct FftConvolve<'r, T: RealElement = f32> {
    x: Vec<usize>,
    w: Vec<usize>,
    axes: Option<Vec<usize>>,
    mode: ConvolveMode,
    correlate: bool,
    tables: Option<&'r FftTables<T::Complex>>,
    destination: Destination<'r>,
}

impl<'r, T: RealElement> FftConvolve<'r, T> {
    /// A convolution of an array of the shape `x` with one of the shape `w`, along all axes.
    pub fn new(x: impl AsRef<[usize]>, w: impl AsRef<[usize]>) -> Self {
        Self {
            x: x.as_ref().to_vec(),
            w: w.as_ref().to_vec(),
            axes: None,
            mode: ConvolveMode::default(),
            correlate: false,
            tables: None,
            destination: Destination::Own,
        }
    }

    /// Convolves along these axes only, each of which is named once. Along the others, `w` has the size of `x`, or the size
    /// 1: it is then the same for all of `x`.
    pub fn axes(mut self, axes: impl AsRef<[usize]>) -> Self {
        self.axes = Some(axes.as_ref().to_vec());
        self
    }

    /// Computes this part of the convolution, in place of [`ConvolveMode::Full`].
    pub fn mode(mut self, mode: ConvolveMode) -> Self {
        self.mode = mode;
        self
    }

    /// Computes the correlation, as `SciPy`'s `correlate`: the convolution with the reverse of `w`.
    pub fn correlate(mut self) -> Self {
        self.correlate = true;
        self
    }

    /// Uses tables that several calls share, in place of tables for this call.
    pub fn tables(mut self, tables: &'r FftTables<T::Complex>) -> Self {
        self.tables = Some(tables);
        self
    }

    /// Appends the convolution to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The shape of the result.
    ///
    /// # Errors
    /// [`OperationError::Choice`] for shapes with different numbers of axes, or sizes that do not fit together, and
    /// [`OperationError::Axis`].
    pub fn shape(&self) -> Result<Vec<usize>, OperationError> {
        Ok(self.sizes()?.1.iter().map(|extent| extent.y).collect())
    }

    /// The cost of a call on a device, to compare its time with the limits of the device: the operations of three
    /// transforms, and a product for each of their numbers.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::FftConvolve::<f32>::new([1000], [25]).cost(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (3 * 5 * 1024 * 10 / 2 + 6 * 513, 4 * (1000 + 25 + 1024)));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`shape`](Self::shape), and [`OperationError::TooLarge`].
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        let (axes, sizes) = self.sizes()?;
        let numbers = |shape: &[usize]| shape.iter().product::<usize>() as u64;
        let y: Vec<usize> = sizes.iter().map(|extent| extent.y).collect();
        if y.contains(&0) {
            return Ok(Cost::default());
        }
        let padded = Self::padded(&sizes)?;
        let fft = RealFft::<T::Complex>::new(&padded).axes(&axes).cost(device)?;
        let halves = numbers(&run::halves(&padded, &axes));
        let size = size_of::<T>() as u64;
        // Both arrays are padded and transformed, multiplied, and the product is transformed and cut.
        let passes = 3 * fft.passes + 4 + usize::from(self.correlate);
        let scratch = fft.scratch + (numbers(&padded) + 4 * halves) * size;
        let bytes = (numbers(&self.x) + numbers(&self.w) + numbers(&y)) * size;
        Ok(Cost { passes, scratch, flops: 3 * fft.flops + 6 * halves, bytes })
    }

    /// The axes of the convolution, and the sizes along all axes.
    fn sizes(&self) -> Result<(Vec<usize>, Vec<Extent>), OperationError> {
        let (x, w) = (&self.x, &self.w);
        if x.len() != w.len() {
            let expected = format!("it has as many axes as x, of shape {x:?}");
            return Err(OPERATOR.choice("w of shape", expected, format!("{w:?}")));
        }
        let axes = call::axes(OPERATOR, self.axes.as_deref(), x)?;
        let Some(last) = axes.last() else {
            return Err(OPERATOR.choice("axes", "name an axis to convolve along", "none".to_owned()));
        };
        let mut sizes = Vec::with_capacity(x.len());
        for (axis, (x_size, w_size)) in x.iter().zip(w).enumerate() {
            let extent = if axes.contains(&axis) {
                Extent::convolved(*x_size, *w_size, self.mode, axis == *last)
            } else {
                (x_size == w_size || *w_size == 1).then(|| Extent::other(*x_size, *w_size))
            };
            sizes.push(extent.ok_or_else(|| {
                let rule = if axes.contains(&axis) {
                    "is at most that of x for `ConvolveMode::Valid`"
                } else {
                    "is that of x, or 1, where nothing is convolved"
                };
                let expected = format!("its size {w_size} along axis {axis} {rule}, whose shape is {x:?}");
                OPERATOR.choice("w of shape", expected, format!("{w:?}"))
            })?);
        }
        Ok((axes, sizes))
    }

    /// The shape of the transforms.
    fn padded(sizes: &[Extent]) -> Result<Vec<usize>, OperationError> {
        let padded: Vec<usize> = sizes.iter().map(|extent| extent.padded).collect();
        operands::counted::<T::Complex>(OPERATOR, "the padded x", &padded)?;
        Ok(padded)
    }

    /// Computes `y`, with the shape [`shape`](Self::shape), from `x` and `w`. All are buffers or slices of any start; `y` is
    /// in another buffer than `x` and `w` unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for shapes with different numbers of axes, sizes that do not fit together, an axis that does not
    /// exist or is named twice, arrays of other lengths, a slice out of range, arrays or tables of two devices, an existing
    /// guard, 2^30 padded numbers or more, `f64` on a device without it, or an error of the device. In that case `y` is
    /// unchanged.
    pub fn run<'x, 'w, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        w: impl Into<Slice<'w, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, w, y) = (x.into(), w.into(), y.into());
        let (axes, sizes) = self.sizes()?;
        let shape: Vec<usize> = sizes.iter().map(|extent| extent.y).collect();
        let padded = Self::padded(&sizes)?;
        let bytes = operands::bytes_mut(OPERATOR, "y", &y)?;
        let arrays = [
            ("x", operands::bytes(OPERATOR, "x", &x)?),
            ("w", operands::bytes(OPERATOR, "w", &w)?),
            ("y", bytes.as_slice()),
        ];
        operands::expect(OPERATOR, "x", (x.len(), &self.x))?;
        operands::expect(OPERATOR, "w", (w.len(), &self.w))?;
        operands::expect(OPERATOR, "y", (y.len(), &shape))?;
        let context = &bytes.core.device;
        operands::check(OPERATOR, context, &arrays, 1, &self.destination)?;
        call::own_tables(OPERATOR, context, self.tables)?;
        if shape.contains(&0) {
            return Ok(());
        }
        let own = FftTables::new(&Device::of(context));
        let call = run::Call {
            device: &Device::of(context),
            tables: self.tables.unwrap_or(&own),
            axes: &axes,
            sizes: &sizes,
            padded: &padded,
            reversed: self.correlate,
        };
        call.run((x, w), y, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("convolution by Fourier transforms");
