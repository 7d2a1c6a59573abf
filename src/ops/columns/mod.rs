//! Windows as columns of a matrix, and sums of columns.

mod run;

use std::marker::PhantomData;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use super::rows::elements::FloatElement;
use super::windows::options::{Options, expect_windows};
use super::windows::window::Window;
use super::windows::{MAX_AXES, in_three};
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
use run::{Call, Operands, Pass};

/// Writes the windows of `x` of shape `[examples, channels, positions..]` as columns, for one to three axes of positions,
/// without padding. See [`Columns`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer::<f32>(4)?);
/// anywarp::ops::im2col(&x, &mut y, [1, 1, 3], &[2])?;
/// assert_eq!(*y.read()?, [1.0, 2.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Columns::run`].
pub fn im2col<'x, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    kernel: &[usize],
) -> Result<(), OperationError> {
    Columns::new(shape, kernel).run(x, y)
}

/// Adds the columns of [`im2col`] at the positions of their windows: `y` has the shape `[examples, channels, positions..]`.
/// See [`Columns::sum`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 2.0, 3.0])?, device.buffer::<f32>(3)?);
/// anywarp::ops::col2im(&x, &mut y, [1, 1, 3], &[2])?;
/// assert_eq!(*y.read()?, [1.0, 4.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Columns::run`].
pub fn col2im<'x, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    kernel: &[usize],
) -> Result<(), OperationError> {
    Columns::new(shape, kernel).sum(x, y)
}

/// The windows of images as columns of matrices, with strides, padding and dilation, on a stream, or into a recording.
///
/// An array of shape `[examples, channels, positions..]` has the columns `[examples, channels * kernel, windows]`, as
/// `PyTorch`'s `unfold`: a convolution is a product of its weights with these columns. [`sum`](Self::sum) is the
/// opposite direction, `PyTorch`'s `fold` and ONNX's `Col2Im`; its sums are `f32`, in the order of the kernel's
/// positions.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Columns;
///
/// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer::<f32>(4)?);
/// let mut recording = device.recording();
/// let columns = Columns::new([1, 1, 3], &[2]).stride(&[2]).padding(&[[1, 0]]);
/// assert_eq!(columns.shape()?, [1, 2, 2]);
/// columns.record(&mut recording).run(&x, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [0.0, 2.0, 1.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "columns are not written until `run` is called"]
pub struct Columns<'r, T> {
    image: Vec<usize>,
    kernel: Vec<usize>,
    options: Options,
    destination: Destination<'r>,
    _element: PhantomData<T>,
}

impl<'r, T: FloatElement> Columns<'r, T> {
    /// The windows of size `kernel` in an image of shape `[examples, channels, positions..]`.
    pub fn new(image: impl Into<Vec<usize>>, kernel: &[usize]) -> Self {
        let (image, kernel, options) = (image.into(), kernel.to_vec(), Options::default());
        Self { image, kernel, options, destination: Destination::Own, _element: PhantomData }
    }

    /// Sets the distance between neighbouring windows along each axis of positions; 1 by default.
    pub fn stride(mut self, stride: &[usize]) -> Self {
        self.options.stride = Some(stride.to_vec());
        self
    }

    /// Sets the numbers of zeros before and after each axis of positions; none by default.
    pub fn padding(mut self, padding: &[[usize; 2]]) -> Self {
        self.options.padding = Some(padding.to_vec());
        self
    }

    /// Sets the distance between neighbouring elements of a window along each axis of positions; 1 by default.
    pub fn dilation(mut self, dilation: &[usize]) -> Self {
        self.options.dilation = Some(dilation.to_vec());
        self
    }

    /// Appends the work to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The shape of the columns: `[examples, channels * kernel, windows]`.
    ///
    /// # Errors
    /// [`OperationError::Choice`] for shapes, strides, padding or dilation that do not fit each other.
    pub fn shape(&self) -> Result<Vec<usize>, OperationError> {
        let windows = self.windows()?;
        let taps = windows.iter().map(|window| window.kernel).fold(1, usize::saturating_mul);
        let count = windows.iter().map(|window| window.count()).fold(1, usize::saturating_mul);
        Ok(vec![self.image[0], self.image[1].saturating_mul(taps), count])
    }

    /// The cost of writing the columns, to compare its time with the limits of a device. [`sum`](Self::sum) reads and
    /// writes as many bytes.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Columns::<f32>::new([1, 2, 10, 10], &[3, 3]).cost()?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 4 * (200 + 18 * 64)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`shape`](Self::shape), and [`OperationError::TooLarge`].
    pub fn cost(&self) -> Result<Cost, OperationError> {
        Ok(self.plan(0, false)?.cost())
    }

    fn windows(&self) -> Result<Vec<Window>, OperationError> {
        let image = &self.image;
        if !(3..=2 + MAX_AXES).contains(&image.len()) || image[2..].contains(&0) {
            let expected = "use examples, channels, and one to three axes of positions, each with at least one";
            return Err(OPERATOR.choice("an image of shape", expected, format!("{image:?}")));
        }
        let windows = self.options.windows(OPERATOR, &image[2..], &self.kernel)?;
        expect_windows(OPERATOR, &windows, image)?;
        Ok(windows)
    }

    /// The plan of a call whose output begins at byte `start` of its buffer.
    fn plan(&self, start: u64, is_sum: bool) -> Result<Plan<Pass>, OperationError> {
        let columns = operands::counted::<T>(OPERATOR, "the columns", &self.shape()?)? as u64;
        let image = operands::counted::<T>(OPERATOR, "the image", &self.image)? as u64;
        let count = if is_sum { image } else { columns };
        if count == 0 {
            return Ok(Plan::nothing());
        }
        let element = size_of::<T>() as u64;
        let threads = if element == 2 { (start / 2 % 2 + count).div_ceil(2) } else { count };
        let flops = if is_sum { columns } else { 0 };
        Ok(Plan { passes: vec![Pass { threads }], scratch: 0, flops, bytes: (image + columns) * element })
    }

    fn call(&self, is_sum: bool) -> Result<Call, OperationError> {
        let windows = in_three(self.windows()?, Window::MISSING);
        Ok(Call { windows, is_sum, halves: size_of::<T>() == 2, bf16: T::BF16 })
    }

    /// Writes the columns `y` of the image `x`. Both arrays are buffers or slices of any start, in different buffers
    /// unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for the reasons of [`cost`](Self::cost), a window that is larger than the padded image,
    /// arrays whose lengths do not fit the shapes, a slice out of range, arrays of two devices, an existing guard, or
    /// an error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(self, x: impl Into<Slice<'x, T>>, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
        self.move_columns(x.into(), y.into(), false)
    }

    /// Adds the columns `x` at the positions of their windows, and writes the image `y`.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn sum<'x, 'y>(self, x: impl Into<Slice<'x, T>>, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
        self.move_columns(x.into(), y.into(), true)
    }

    fn move_columns(mut self, x: Slice<'_, T>, y: SliceMut<'_, T>, is_sum: bool) -> Result<(), OperationError> {
        let operands = Operands { x: operands::bytes(OPERATOR, "x", &x)?, y: operands::bytes_mut(OPERATOR, "y", &y)? };
        let plan = self.plan(operands::start_mut(&operands.y), is_sum)?;
        let (call, columns) = (self.call(is_sum)?, self.shape()?);
        let (of_x, of_y) = if is_sum { (&columns, &self.image) } else { (&self.image, &columns) };
        operands::expect(OPERATOR, "x", (x.len(), of_x))?;
        operands::expect(OPERATOR, "y", (y.len(), of_y))?;
        operands.check(&self.destination)?;
        operands.run(call, y.len() as u32, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("columns");
