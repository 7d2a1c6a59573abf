//! Filters of images.

mod border;
mod kernel;
mod run;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
pub use border::Border;
use kernel::{Given, Kernel};
use run::{Operands, Pass};

/// Correlates images of `[.., height, width]` with a kernel of `[rows, columns]`, as `SciPy`'s `ndimage.correlate` with its
/// default border. See [`ImageFilter`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 4.0])?;
/// let mut y = device.buffer::<f32>(3)?;
/// anywarp::ops::correlate(&x, &mut y, [1, 3], &[-1.0, 0.0, 1.0], [1, 3])?;
/// assert_eq!(*y.read()?, [1.0, 3.0, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`ImageFilter::run`].
pub fn correlate<'x, 'y>(
    x: impl Into<Slice<'x, f32>>,
    y: impl Into<SliceMut<'y, f32>>,
    shape: impl Into<Vec<usize>>,
    kernel: &[f32],
    sizes: [usize; 2],
) -> Result<(), OperationError> {
    ImageFilter::correlate(shape, kernel, sizes).run(x, y)
}

/// Convolves images of `[.., height, width]` with a kernel of `[rows, columns]`: as [`correlate`] with the kernel reversed,
/// and `SciPy`'s `ndimage.convolve`. See [`ImageFilter`].
///
/// # Errors
/// As [`ImageFilter::run`].
pub fn convolve<'x, 'y>(
    x: impl Into<Slice<'x, f32>>,
    y: impl Into<SliceMut<'y, f32>>,
    shape: impl Into<Vec<usize>>,
    kernel: &[f32],
    sizes: [usize; 2],
) -> Result<(), OperationError> {
    ImageFilter::convolve(shape, kernel, sizes).run(x, y)
}

/// Blurs images of `[.., height, width]` with a Gaussian function, as `SciPy`'s `ndimage.gaussian_filter`. See
/// [`ImageFilter::gaussian`].
///
/// # Errors
/// As [`ImageFilter::run`].
pub fn gaussian_filter<'x, 'y>(
    x: impl Into<Slice<'x, f32>>,
    y: impl Into<SliceMut<'y, f32>>,
    shape: impl Into<Vec<usize>>,
    deviation: f64,
) -> Result<(), OperationError> {
    ImageFilter::gaussian(shape, [deviation; 2]).run(x, y)
}

/// Computes the derivative of images of `[.., height, width]` down the columns (0) or along the rows (1), as `SciPy`'s
/// `ndimage.sobel`. See [`ImageFilter`].
///
/// # Errors
/// As [`ImageFilter::run`].
pub fn sobel<'x, 'y>(
    x: impl Into<Slice<'x, f32>>,
    y: impl Into<SliceMut<'y, f32>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    ImageFilter::sobel(shape, axis).run(x, y)
}

/// Computes the median of the 3 x 3 elements around each element of images of `[.., height, width]`, as `SciPy`'s
/// `ndimage.median_filter`. See [`ImageFilter`].
///
/// # Errors
/// As [`ImageFilter::run`].
pub fn median_filter<'x, 'y>(
    x: impl Into<Slice<'x, f32>>,
    y: impl Into<SliceMut<'y, f32>>,
    shape: impl Into<Vec<usize>>,
) -> Result<(), OperationError> {
    ImageFilter::median(shape).run(x, y)
}

/// A filter of images with a choice of the border, on a stream, or into a recording. The results are those of `SciPy`'s
/// `ndimage`.
///
/// Images are the last two axes of a row-major array of `f32`; each position along the other axes is a separate image.
/// Sums are `f32`, in a fixed order. The median of elements with NaN is unspecified.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Border, ImageFilter};
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?; // 2 x 2
/// let mut y = device.buffer::<f32>(4)?;
/// let mut recording = device.recording();
/// let sum = ImageFilter::correlate([2, 2], &[1.0; 9], [3, 3]).border(Border::Constant(0.0));
/// sum.record(&mut recording).run(&x, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [10.0; 4]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a filter does nothing until `run` is called"]
pub struct ImageFilter<'r> {
    shape: Vec<usize>,
    given: Given,
    border: Border,
    destination: Destination<'r>,
}

impl<'r> ImageFilter<'r> {
    /// For each element, the sum of a kernel's weights times the elements around it:
    /// `y[i] = sum(kernel[k] * x[i + k - size / 2])`. The kernel is row-major with these sizes: `[rows, columns]`.
    pub fn correlate(shape: impl Into<Vec<usize>>, kernel: &[f32], sizes: [usize; 2]) -> Self {
        Self::of(shape, Given::Kernel { weights: kernel.to_vec(), sizes, is_convolution: false })
    }

    /// [`correlate`](Self::correlate) with the kernel reversed: `y[i] = sum(kernel[k] * x[i - k + size / 2])`.
    pub fn convolve(shape: impl Into<Vec<usize>>, kernel: &[f32], sizes: [usize; 2]) -> Self {
        Self::of(shape, Given::Kernel { weights: kernel.to_vec(), sizes, is_convolution: true })
    }

    /// Correlates with a kernel down the columns, then with one along the rows.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::{Border, ImageFilter};
    ///
    /// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer::<f32>(4)?);
    /// ImageFilter::separable([2, 2], &[0.5, 0.5], &[1.0]).border(Border::Nearest).run(&x, &mut y)?;
    /// assert_eq!(*y.read()?, [1.0, 2.0, 2.0, 3.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn separable(shape: impl Into<Vec<usize>>, down: &[f32], along: &[f32]) -> Self {
        Self::of(shape, Given::Separable([down.to_vec(), along.to_vec()]))
    }

    /// Blurs with Gaussian functions of these standard deviations, in elements, down the columns and along the rows.
    /// The functions are cut off at four standard deviations.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::ImageFilter;
    ///
    /// let (x, mut y) = (device.buffer_from(&[3.0f32; 12])?, device.buffer::<f32>(12)?);
    /// ImageFilter::gaussian([3, 4], [1.0, 2.0]).run(&x, &mut y)?;
    /// assert!(y.read()?.iter().all(|y| (y - 3.0).abs() < 1e-5));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn gaussian(shape: impl Into<Vec<usize>>, deviations: [f64; 2]) -> Self {
        Self::of(shape, Given::Gaussian(deviations))
    }

    /// The derivative down the columns (0) or along the rows (1), smoothed along the other axis.
    pub fn sobel(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        Self::of(shape, Given::Sobel(axis))
    }

    /// The median of each element and its eight neighbours.
    pub fn median(shape: impl Into<Vec<usize>>) -> Self {
        Self::of(shape, Given::Median)
    }

    fn of(shape: impl Into<Vec<usize>>, given: Given) -> Self {
        Self { shape: shape.into(), given, border: Border::default(), destination: Destination::Own }
    }

    /// Sets the values of elements outside an image; [`Border::Reflect`] by default.
    pub fn border(mut self, border: Border) -> Self {
        self.border = border;
        self
    }

    /// Appends the filter to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call, to compare its time with the limits of a device. For each element, a weight counts as two
    /// operations, and a median as 30.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::ImageFilter::sobel([10, 20], 0).cost()?;
    /// assert_eq!((cost.passes, cost.flops, cost.bytes), (1, 2 * 9 * 200, 2 * 4 * 200));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Choice`] for a shape without rows and columns, a kernel without weights or of more than 256,
    /// an axis above 1, and standard deviations that are negative, not finite, or above 31.8;
    /// [`OperationError::Length`] for a kernel whose number of weights is not that of its sizes; and
    /// [`OperationError::TooLarge`].
    pub fn cost(&self) -> Result<Cost, OperationError> {
        Ok(self.plan()?.cost())
    }

    fn plan(&self) -> Result<Plan<Pass>, OperationError> {
        if self.shape.len() < 2 {
            let expected = "use rows and columns as the last two axes";
            return Err(OPERATOR.choice("a shape of", expected, format!("{:?}", self.shape)));
        }
        let kernels = self.given.kernels(OPERATOR)?;
        if self.shape.iter().any(|size| *size > MAX_SIZE) {
            return Err(OPERATOR.too_large("x", self.shape.clone(), MAX_SIZE as u64));
        }
        let count = operands::counted::<f32>(OPERATOR, "x", &self.shape)? as u64;
        if count == 0 {
            return Ok(Plan::nothing());
        }
        let weights: u64 = kernels.iter().map(|kernel| kernel.weights.len() as u64).sum();
        let flops = if kernels.is_empty() { 30 } else { 2 * weights };
        let scratch = if kernels.len() > 1 { 4 * count } else { 0 };
        let passes = if kernels.is_empty() { vec![Pass::Median] } else { passes(kernels) };
        Ok(Plan { passes, scratch, flops: flops.saturating_mul(count), bytes: 8 * count })
    }

    /// Computes `y` from `x`, which both have the shape of the filter. They are buffers or slices of any start, in different
    /// buffers unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for the reasons of [`cost`](Self::cost), arrays of other lengths, a slice out of range, arrays of
    /// two devices, an existing guard, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, f32>>,
        y: impl Into<SliceMut<'y, f32>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let plan = self.plan()?;
        let operands = Operands { x: operands::bytes(OPERATOR, "x", &x)?, y: operands::bytes_mut(OPERATOR, "y", &y)? };
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        operands.check(&self.destination)?;
        operands.run(&self.shape, self.border, &plan, &mut self.destination)
    }
}

/// The passes that apply one or two kernels; the first of two passes writes its results to scratch memory.
fn passes(kernels: Vec<Kernel>) -> Vec<Pass> {
    let last = kernels.len() - 1;
    let pass = |(at, kernel)| Pass::Kernel { kernel, reads_scratch: at > 0, writes_scratch: at < last };
    kernels.into_iter().enumerate().map(pass).collect()
}

const OPERATOR: Operator = Operator("image filter");
/// The greatest size of an axis: kernels compute signed positions outside an axis, and twice its size, in 32 bits.
const MAX_SIZE: usize = 1 << 29;
