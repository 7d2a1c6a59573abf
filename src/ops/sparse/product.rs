//! Products of a sparse and a dense matrix.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::element::SparseElement;
use super::format::{SparseFormat, Stored};
use super::matrix::SparseMatrix;
use super::plan::{self, Choice, Pass, Planned, Shape};
use super::run::{Call, Operands};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::submit::{Destination, Recording, Stream};

/// Computes `y = a * x`, the product of a sparse matrix and a vector: `x` has an element for each column, `y` an element
/// for each row. See [`SparseProduct`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, spmv};
///
/// let device = anywarp::Device::open("cpu")?;
/// let matrix = SparseMatrix::from_csr(&device, [2, 3], &[0, 1, 3], &[2, 0, 1], &[5.0f32, 1.0, 2.0])?;
/// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer::<f32>(2)?);
/// spmv(&matrix, &x, &mut y)?;
/// assert_eq!(*y.read()?, [15.0, 5.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`SparseProduct::run`].
pub fn spmv<'x, 'y, T: SparseElement>(
    a: &SparseMatrix<T>,
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    SparseProduct::new().run(a, x, y)
}

/// Computes `y = a * x`, the product of a sparse matrix and a dense matrix of `width` columns. `x` has the shape
/// `[columns of a, width]` and `y` the shape `[rows of a, width]`, row by row. See [`SparseProduct`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, spmm};
///
/// let device = anywarp::Device::open("cpu")?;
/// let matrix = SparseMatrix::from_csr(&device, [2, 2], &[0, 1, 2], &[1, 0], &[1.0f32, 10.0])?;
/// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer::<f32>(4)?);
/// spmm(&matrix, &x, &mut y, 2)?;
/// assert_eq!(*y.read()?, [3.0, 4.0, 10.0, 20.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`SparseProduct::run`].
pub fn spmm<'x, 'y, T: SparseElement>(
    a: &SparseMatrix<T>,
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    width: usize,
) -> Result<(), OperationError> {
    SparseProduct::new().width(width).run(a, x, y)
}

/// [`spmv`] and [`spmm`] with factors, a stream, or a recording: `y = alpha * a * x + beta * y`.
///
/// The lengths of the rows decide how the work is divided: an invocation or a team for each row, a workgroup for many short
/// rows, or, for rows of very different lengths, tiles of equally many entries and rows (Merrill and Garland, 'Merge-Based Parallel Sparse
/// Matrix-Vector Multiplication', 2016). Sums are computed in the type of the elements. Repeated calls on a device return
/// the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, SparseProduct};
///
/// let device = anywarp::Device::open("cpu")?;
/// let matrix = SparseMatrix::from_csr(&device, [2, 2], &[0, 1, 2], &[1, 0], &[1.0f32, 10.0])?;
/// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[100.0f32, 100.0])?);
/// let mut recording = device.recording();
/// SparseProduct::new().alpha(2.0).beta(1.0).record(&mut recording).run(&matrix, &x, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [104.0, 120.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a product does nothing until `run` is called"]
pub struct SparseProduct<'r> {
    width: usize,
    alpha: f64,
    beta: f64,
    destination: Destination<'r>,
}

impl Default for SparseProduct<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'r> SparseProduct<'r> {
    /// The product with a vector.
    pub fn new() -> Self {
        Self { width: 1, alpha: 1.0, beta: 0.0, destination: Destination::Own }
    }

    /// The product with a dense matrix of this number of columns, in place of a vector.
    pub fn width(mut self, columns: usize) -> Self {
        self.width = columns;
        self
    }

    /// Multiplies the product by `alpha`, rounded to the type of the elements.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// Adds `beta` times the old elements of `y`. They are not read if `beta` is 0, the default.
    pub fn beta(mut self, beta: f64) -> Self {
        self.beta = beta;
        self
    }

    /// Appends the product to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call, to compare its time with the limits of a device. Each element of `x` counts once, although
    /// each entry reads one.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: SparseElement>(&self, a: &SparseMatrix<T>) -> Result<Cost, OperationError> {
        Ok(planned(self.shape(a)?, a, None).plan.cost())
    }

    fn shape<T: SparseElement>(&self, a: &SparseMatrix<T>) -> Result<Shape, OperationError> {
        operands::counted::<T>(OPERATOR, "x", &[a.columns(), self.width])?;
        operands::counted::<T>(OPERATOR, "y", &[a.rows(), self.width])?;
        let [rows, columns, entries, longest, width] =
            [a.rows(), a.columns(), a.entries(), a.longest_row(), self.width].map(|size| size as u64);
        let (size, accumulate) = (size_of::<T>() as u64, self.beta != 0.0);
        Ok(Shape { rows, columns, entries, longest, width, size, accumulate })
    }

    /// Computes `y = alpha * a * x + beta * y`. `x` has an element for each column of `a`, or a row of as many elements as
    /// the width; `y` likewise for each row of `a`. Both are buffers or slices of any start; `y` is in another buffer than
    /// `x` unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for arrays of other lengths, a slice out of range, arrays of two devices, an existing guard,
    /// 2^31 - 2^16 elements or more, `f64` on a device without it, or an error of the device. In that case nothing has
    /// run.
    pub fn run<'x, 'y, T: SparseElement>(
        self,
        a: &SparseMatrix<T>,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        self.run_as(a, x.into(), y.into(), None, None)
    }

    /// [`run`](Self::run) of a product with a vector, with the sums of `x * y` of some rows each: see [`dots`].
    pub(crate) fn run_with_dots<T: SparseElement>(
        self,
        a: &SparseMatrix<T>,
        x: &UnifiedBuffer<T>,
        y: &mut UnifiedBuffer<T>,
        dots: &mut UnifiedBuffer<T>,
    ) -> Result<(), OperationError> {
        self.run_as(a, x.into(), y.into(), Some(Choice::Blocks), Some(dots.into()))
    }

    /// [`run`](Self::run) with another choice than the default.
    pub(super) fn run_as<T: SparseElement>(
        mut self,
        a: &SparseMatrix<T>,
        x: Slice<'_, T>,
        y: SliceMut<'_, T>,
        choice: Option<Choice>,
        dots: Option<SliceMut<'_, T>>,
    ) -> Result<(), OperationError> {
        let shape = self.shape(a)?;
        let (offsets, columns, values) = match &a.stored {
            Some(Stored { arrays, .. }) => (&arrays.offsets, &arrays.columns, &arrays.values),
            None => (a.offsets(), a.column_indices(), a.values()),
        };
        let operands = Operands {
            offsets: operands::bytes(OPERATOR, "offsets", &offsets.slice(..))?,
            columns: operands::bytes(OPERATOR, "column indices", &columns.slice(..))?,
            values: operands::bytes(OPERATOR, "values", &values.slice(..))?,
            x: operands::bytes(OPERATOR, "x", &x)?,
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
            dots: dots.as_ref().map(|dots| operands::bytes_mut(OPERATOR, "partial sums", dots)).transpose()?,
        };
        operands::expect(OPERATOR, "x", (x.len(), &[a.columns(), self.width]))?;
        operands::expect(OPERATOR, "y", (y.len(), &[a.rows(), self.width]))?;
        operands.check(&self.destination)?;
        let planned = planned(shape, a, choice);
        let block = match a.format() {
            SparseFormat::Blocks { rows, columns } => [rows as u32, columns as u32],
            SparseFormat::Csr | SparseFormat::Sliced => [1; 2],
        };
        let call = Call { shape, factors: [self.alpha, self.beta], block };
        if T::WIDE {
            operands.run_wide(call, &planned, &mut self.destination)
        } else {
            operands.run(call, &planned, &mut self.destination)
        }
    }
}

/// The plan of a product; without a choice, that of the tuner or the default.
fn planned<T: SparseElement>(shape: Shape, a: &SparseMatrix<T>, choice: Option<Choice>) -> Planned {
    if let Some(Stored { format, arrays }) = &a.stored {
        let [columns, values] = [arrays.columns.len(), arrays.values.len()].map(|length| length as u64);
        return plan::of_format(shape, *format, [columns, values]);
    }
    let device = a.device();
    let target = target(&device);
    plan::plan(shape, choice.unwrap_or_else(|| Choice::of(shape, target, &device)), target)
}

/// The number of sums that a product with a vector can compute beside its result, or `None` if another kernel than that of
/// blocks is the fastest.
pub(crate) fn dots<T: SparseElement>(a: &SparseMatrix<T>) -> Result<Option<usize>, OperationError> {
    let planned = planned(SparseProduct::new().shape(a)?, a, None);
    Ok(match planned.plan.passes.as_slice() {
        [Pass::Blocks { groups }] => usize::try_from(groups * plan::DOTS).ok(),
        _ => None,
    })
}

pub(super) const OPERATOR: Operator = Operator("sparse product");
