//! LU factors of small dense matrices.

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::super::solving::error::SolveError;
use super::super::sparse::SparseElement;
use super::cholesky::{factor, steps};
use super::run::Triangle;
use super::sizes::Sizes;
use super::status::FactorStatus;
use super::triangle;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

/// Factors a matrix of shape `[rows, rows]` as `l * u` with exchanged rows, and waits for it: `lu` has `u`, and below its
/// diagonal `l` without its ones; `exchanges` has for each row the row with which it was exchanged, in this order. See
/// [`Lu`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[1.0f32, 4.0, 2.0, 6.0])?;
/// let (mut lu, mut exchanges) = (device.buffer::<f32>(4)?, device.buffer::<u32>(2)?);
/// anywarp::ops::lu(&a, &mut lu, &mut exchanges, 2)?;
/// assert_eq!(*lu.read()?, [2.0, 6.0, 0.5, 1.0]);
/// assert_eq!(*exchanges.read()?, [1, 1]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Lu::run`], and [`SolveError::Factor`] for a singular matrix.
pub fn lu<'a, 'l, 'e, T: SparseElement>(
    a: impl Into<Slice<'a, T>>,
    lu: impl Into<SliceMut<'l, T>>,
    exchanges: impl Into<SliceMut<'e, u32>>,
    rows: usize,
) -> Result<(), SolveError> {
    let lu = lu.into();
    let mut status = FactorStatus::new(&Device::of(&lu.core.device), 1)?;
    Lu::new(rows).run(a, lu, exchanges, &mut status)?;
    status.check()
}

/// [`lu`] with batches, a stream or a recording; and the solution of equations with the factors.
///
/// Each pivot is the element of the greatest absolute value in the rest of its column; the first of equal ones. A
/// workgroup has one matrix, so matrices should be small (up to some hundred rows) and batches large. `f32` and, on
/// devices that have it, `f64`. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{FactorStatus, Lu};
///
/// let device = anywarp::Device::open("cpu")?;
/// let (a, b) = (device.buffer_from(&[1.0f32, 4.0, 2.0, 6.0])?, device.buffer_from(&[9.0f32, 14.0])?);
/// let (mut factors, mut exchanges) = (device.buffer::<f32>(4)?, device.buffer::<u32>(2)?);
/// let (mut status, mut x) = (FactorStatus::new(&device, 1)?, device.buffer::<f32>(2)?);
/// Lu::new(2).run(&a, &mut factors, &mut exchanges, &mut status)?;
/// Lu::new(2).solve(&factors, &exchanges, &b, &mut x, 1)?;
/// status.check()?;
/// assert_eq!(*x.read()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a factorisation does nothing until `run` is called"]
pub struct Lu<'r> {
    rows: usize,
    batches: usize,
    destination: Destination<'r>,
}

impl<'r> Lu<'r> {
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
        sizes.check::<T>(OPERATOR, steps(2 * sizes.rows), target(device))?;
        let [matrices, rows] = [sizes.matrices, sizes.rows].map(|size| size as u64);
        let bytes = matrices * rows * (2 * rows * size_of::<T>() as u64 + 4);
        Ok(Cost { passes: 2, scratch: 0, flops: 2 * matrices * rows.pow(3) / 3, bytes })
    }

    /// Factors `a` into `lu`, both of shape `[batches, rows, rows]`, row by row. `exchanges` has the shape
    /// `[batches, rows]`. They are buffers or slices, in different buffers. `status` has a place for each matrix; the
    /// factors of a singular matrix are unspecified.
    ///
    /// # Errors
    /// As [`Cholesky::run`](super::super::Cholesky::run).
    pub fn run<'a, 'l, 'e, T: SparseElement>(
        self,
        a: impl Into<Slice<'a, T>>,
        lu: impl Into<SliceMut<'l, T>>,
        exchanges: impl Into<SliceMut<'e, u32>>,
        status: &mut FactorStatus<T>,
    ) -> Result<(), OperationError> {
        let sizes = self.sizes(0);
        factor(OPERATOR, sizes, &a.into(), &lu.into(), Some(&exchanges.into()), status, self.destination)
    }

    /// Solves `a * x = b` with the factors and exchanges of [`run`](Self::run). `b` and `x` have the shape
    /// `[batches, rows, columns]`, row by row: buffers or slices; `x` is in another buffer than the others.
    ///
    /// # Errors
    /// As `run`.
    pub fn solve<'l, 'e, 'b, 'x, T: SparseElement>(
        self,
        lu: impl Into<Slice<'l, T>>,
        exchanges: impl Into<Slice<'e, u32>>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
        columns: usize,
    ) -> Result<(), OperationError> {
        let lower = Triangle { unit: true, ..Triangle::default() };
        let triangles = [lower, Triangle { upper: true, ..Triangle::default() }];
        let (sizes, lu, exchanges) = (self.sizes(columns), lu.into(), exchanges.into());
        triangle::solve(OPERATOR, sizes, (&lu, Some(&exchanges)), &triangles, &b.into(), &x.into(), self.destination)
    }
}

const OPERATOR: Operator = Operator("lu");
