//! Cholesky factors of small dense matrices.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::super::solving::error::SolveError;
use super::super::sparse::SparseElement;
use super::run::{Factors, Triangle};
use super::sizes::Sizes;
use super::status::FactorStatus;
use super::triangle;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

/// Factors a symmetric, positive definite matrix of shape `[rows, rows]` as `a = l * transpose(l)`, with a lower triangle
/// `l`, and waits for it. See [`Cholesky`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (a, mut l) = (device.buffer_from(&[4.0f32, 2.0, 2.0, 10.0])?, device.buffer::<f32>(4)?);
/// anywarp::ops::cholesky(&a, &mut l, 2)?;
/// assert_eq!(*l.read()?, [2.0, 0.0, 1.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Cholesky::run`], and [`SolveError::Factor`] for a matrix that is not positive definite.
pub fn cholesky<'a, 'l, T: SparseElement>(
    a: impl Into<Slice<'a, T>>,
    l: impl Into<SliceMut<'l, T>>,
    rows: usize,
) -> Result<(), SolveError> {
    let l = l.into();
    let mut status = FactorStatus::new(&Device::of(&l.core.device), 1)?;
    Cholesky::new(rows).run(a, l, &mut status)?;
    status.check()
}

/// [`cholesky`] with batches, a stream or a recording; and the solution of equations with the factors.
///
/// A workgroup has one matrix, so matrices should be small (up to some hundred rows) and batches large. `f32` and, on
/// devices that have it, `f64`. Only the lower triangle of `a` is read. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Cholesky, FactorStatus};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[4.0f32, 2.0, 2.0, 10.0, 1.0, 0.0, 0.0, 9.0])?; // two matrices
/// let b = device.buffer_from(&[8.0f32, 22.0, 5.0, 18.0])?;
/// let (mut l, mut x) = (device.buffer::<f32>(8)?, device.buffer::<f32>(4)?);
/// let mut status = FactorStatus::new(&device, 2)?;
/// let mut recording = device.recording();
/// Cholesky::new(2).batches(2).record(&mut recording).run(&a, &mut l, &mut status)?;
/// Cholesky::new(2).batches(2).record(&mut recording).solve(&l, &b, &mut x, 1)?;
/// recording.submit()?;
/// status.check()?;
/// assert_eq!(*x.read()?, [1.0, 2.0, 5.0, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a factorisation does nothing until `run` is called"]
pub struct Cholesky<'r> {
    rows: usize,
    batches: usize,
    destination: Destination<'r>,
}

impl<'r> Cholesky<'r> {
    /// One matrix of shape `[rows, rows]`.
    pub fn new(rows: usize) -> Self {
        Self { rows, batches: 1, destination: Destination::Own }
    }

    /// Sets the number of matrices.
    pub fn batches(mut self, matrices: usize) -> Self {
        self.batches = matrices;
        self
    }

    /// Appends the call to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    fn sizes(&self, columns: usize) -> Sizes {
        Sizes { matrices: self.batches, rows: self.rows, columns }
    }

    /// The cost of [`run`](Self::run), to compare its time with the limits of a device.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`] and [`OperationError::Choice`], as for `run`.
    pub fn cost<T: SparseElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        let sizes = self.sizes(0);
        sizes.check::<T>(OPERATOR, steps(sizes.rows), target(device))?;
        let [matrices, rows] = [sizes.matrices, sizes.rows].map(|size| size as u64);
        let bytes = 2 * matrices * rows * rows * size_of::<T>() as u64;
        Ok(Cost { passes: 2, scratch: 0, flops: matrices * rows.pow(3) / 3, bytes })
    }

    /// Factors `a` into `l`, both of shape `[batches, rows, rows]`, row by row: buffers or slices, in different buffers.
    /// The upper triangle of `l` is 0. `status` has a place for each matrix; the factors of a matrix that is not positive
    /// definite are unspecified.
    ///
    /// # Errors
    /// [`OperationError`] for arrays of other lengths, a slice out of range, arrays of two devices, an existing guard,
    /// 2^31 - 2^16 elements or more, matrices whose loops the device would end (above 250 rows or so in llvmpipe), `f64`
    /// on a device without it, or an error of the device. In that case nothing has run.
    pub fn run<'a, 'l, T: SparseElement>(
        self,
        a: impl Into<Slice<'a, T>>,
        l: impl Into<SliceMut<'l, T>>,
        status: &mut FactorStatus<T>,
    ) -> Result<(), OperationError> {
        let sizes = self.sizes(0);
        factor(OPERATOR, sizes, &a.into(), &l.into(), None, status, self.destination)
    }

    /// Solves `a * x = b` with the factors `l` of [`run`](Self::run). `b` and `x` have the shape
    /// `[batches, rows, columns]`, row by row: buffers or slices; `x` is in another buffer than the others.
    ///
    /// # Errors
    /// As `run`.
    pub fn solve<'l, 'b, 'x, T: SparseElement>(
        self,
        l: impl Into<Slice<'l, T>>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
        columns: usize,
    ) -> Result<(), OperationError> {
        let lower = Triangle::default();
        let triangles = [lower, Triangle { transposed: true, ..lower }];
        let sizes = self.sizes(columns);
        triangle::solve(OPERATOR, sizes, (&l.into(), None), &triangles, &b.into(), &x.into(), self.destination)
    }
}

/// The number of iterations of all loops together for a matrix.
pub(super) fn steps(rows: usize) -> u64 {
    let rows = rows as u64;
    // Loops over the rest of a matrix take the most.
    rows.saturating_pow(3) / 3 + rows.saturating_mul(rows).saturating_mul(3) + rows * 300
}

/// Factors matrices, with exchanges of rows if there is an array of them.
pub(super) fn factor<T: SparseElement>(
    operator: Operator,
    sizes: Sizes,
    a: &Slice<'_, T>,
    result: &SliceMut<'_, T>,
    exchanges: Option<&SliceMut<'_, u32>>,
    status: &mut FactorStatus<T>,
    mut destination: Destination<'_>,
) -> Result<(), OperationError> {
    sizes.check::<T>(operator, steps(sizes.rows), target(&Device::of(&result.core.device)))?;
    status.expect(operator, sizes.matrices)?;
    let factors = Factors {
        a: operands::bytes(operator, "a", a)?,
        result: operands::bytes_mut(operator, "the factors", result)?,
        exchanges: match exchanges {
            Some(exchanges) => Some(operands::bytes_mut(operator, "the exchanges", exchanges)?),
            None => None,
        },
        failed: operands::bytes_mut(operator, "the status", &status.failed.slice_mut(..))?,
        pivots: operands::bytes_mut(operator, "the status", &status.pivots.slice_mut(..))?,
    };
    operands::expect(operator, "a", (a.len(), &sizes.of_a()))?;
    operands::expect(operator, "the factors", (result.len(), &sizes.of_a()))?;
    if let Some(exchanges) = exchanges {
        operands::expect(operator, "the exchanges", (exchanges.len(), &sizes.of_a()[..2]))?;
    }
    factors.check(operator, &destination)?;
    if sizes.of_a().contains(&0) {
        return Ok(());
    }
    if T::WIDE {
        factors.factor_wide(operator, sizes, &mut destination)
    } else {
        factors.factor(operator, sizes, &mut destination)
    }
}

const OPERATOR: Operator = Operator("cholesky");
