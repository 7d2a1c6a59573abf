//! Triangles of sparse matrices, and factors of them.

mod levels;
mod lu;
mod plan;
mod run;
mod schedule;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::solving::base::failed;
use super::solving::diagonal;
use super::solving::error::SolveError;
use super::solving::settings::{device_of, square};
use super::sparse::{SparseElement, SparseMatrix};
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
use run::{Operands, Side};
use schedule::Schedule;

pub use lu::IncompleteLu;

/// Solves `t * x = b` for a triangle `t` of a sparse matrix. See [`SparseTriangle`] and [`SparseTriangularSolve`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, SparseTriangle, sptrsv};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[2.0f32, 7.0, 3.0, 4.0])?;
/// let (b, mut x) = (device.buffer_from(&[2.0f32, 11.0])?, device.buffer::<f32>(2)?);
/// sptrsv(&SparseTriangle::lower(&a)?, &b, &mut x)?; // 2 x0 = 2, 3 x0 + 4 x1 = 11
/// assert_eq!(*x.read()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`SparseTriangularSolve::run`].
pub fn sptrsv<'b, 'x, T: SparseElement>(
    triangle: &SparseTriangle<'_, T>,
    b: impl Into<Slice<'b, T>>,
    x: impl Into<SliceMut<'x, T>>,
) -> Result<(), OperationError> {
    SparseTriangularSolve::new().run(triangle, b, x)
}

/// The lower or the upper triangle of a square sparse matrix, analysed for [`sptrsv`]. Entries of the other triangle are
/// ignored, and those of the same place are added up.
///
/// The analysis finds the rows that can be computed at the same time (levels). It reads the offsets and the column
/// indices to the host once.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, SparseTriangle};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [3, 3], &[1.0f32, 0.0, 0.0, 0.0, 1.0, 0.0, 5.0, 6.0, 1.0])?;
/// let lower = SparseTriangle::lower(&a)?;
/// assert_eq!(lower.levels(), 2); // the last row depends on the others
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct SparseTriangle<'m, T> {
    matrix: &'m SparseMatrix<T>,
    schedule: Schedule,
    side: Side,
}

impl<'m, T: SparseElement> SparseTriangle<'m, T> {
    /// The lower triangle, with the diagonal.
    ///
    /// # Errors
    /// [`SolveError::Pivot`] for an element of the diagonal that is 0, not stored or not finite;
    /// [`SolveError::Operation`] for a matrix that is not square, if memory cannot be allocated or read, and for `f64`
    /// on a device without it.
    pub fn lower(a: &'m SparseMatrix<T>) -> Result<Self, SolveError> {
        Self::new(a, Side { upper: false, unit: false })
    }

    /// The upper triangle, with the diagonal.
    ///
    /// # Errors
    /// As [`lower`](Self::lower).
    pub fn upper(a: &'m SparseMatrix<T>) -> Result<Self, SolveError> {
        Self::new(a, Side { upper: true, unit: false })
    }

    /// The lower triangle with ones on the diagonal. Entries of the diagonal are ignored.
    ///
    /// # Errors
    /// [`SolveError::Operation`], as for [`lower`](Self::lower).
    pub fn unit_lower(a: &'m SparseMatrix<T>) -> Result<Self, SolveError> {
        Self::new(a, Side { upper: false, unit: true })
    }

    /// The upper triangle with ones on the diagonal. Entries of the diagonal are ignored.
    ///
    /// # Errors
    /// [`SolveError::Operation`], as for [`lower`](Self::lower).
    pub fn unit_upper(a: &'m SparseMatrix<T>) -> Result<Self, SolveError> {
        Self::new(a, Side { upper: true, unit: true })
    }

    fn new(matrix: &'m SparseMatrix<T>, side: Side) -> Result<Self, SolveError> {
        square(OPERATOR, matrix)?;
        if !side.unit {
            diagonal::pivots(OPERATOR, matrix)?;
        }
        let offsets = matrix.offsets().read().map_err(failed)?;
        let columns = matrix.column_indices().read().map_err(failed)?;
        let longest = (matrix.longest_row() as u64, false);
        let schedule = Schedule::new(OPERATOR, &device_of(matrix), (&offsets, &columns), side.upper, longest)?;
        Ok(Self { matrix, schedule, side })
    }

    /// The number of levels: the length of the longest chain of rows that depend on each other.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.schedule.levels
    }
}

/// [`sptrsv`] with a stream or a recording.
///
/// Large levels take one launch each; levels of few rows follow each other in one workgroup, or in one invocation on a
/// processor. Sums are computed in the type of the elements. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, SparseTriangle, SparseTriangularSolve};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[1.0f32, 7.0, 0.0, 1.0])?;
/// let upper = SparseTriangle::unit_upper(&a)?;
/// let (b, mut x) = (device.buffer_from(&[15.0f32, 2.0])?, device.buffer::<f32>(2)?);
/// let mut recording = device.recording();
/// SparseTriangularSolve::new().record(&mut recording).run(&upper, &b, &mut x)?;
/// recording.submit()?;
/// assert_eq!(*x.read()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a solve does nothing until `run` is called"]
pub struct SparseTriangularSolve<'r> {
    destination: Destination<'r>,
}

impl Default for SparseTriangularSolve<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'r> SparseTriangularSolve<'r> {
    /// A solve on the device's default stream.
    pub fn new() -> Self {
        Self { destination: Destination::Own }
    }

    /// Appends the solve to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call, to compare its time with the limits of a device. All entries of the matrix are read, also those
    /// of the other triangle.
    #[must_use]
    pub fn cost<T: SparseElement>(&self, triangle: &SparseTriangle<'_, T>) -> Cost {
        triangle.schedule.cost(triangle.matrix)
    }

    /// Solves `t * x = b`. `b` and `x` are buffers or slices with an element for each row, in different buffers.
    ///
    /// # Errors
    /// [`OperationError`] for arrays of other lengths, a slice out of range, arrays of two devices, an existing guard, or
    /// an error of the device. In that case nothing has run.
    pub fn run<'b, 'x, T: SparseElement>(
        self,
        triangle: &SparseTriangle<'_, T>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        solve(OPERATOR, triangle.matrix, (&triangle.schedule, triangle.side), &b.into(), &x.into(), self.destination)
    }
}

/// Solves the equations of a triangle of a matrix.
fn solve<T: SparseElement>(
    operator: Operator,
    a: &SparseMatrix<T>,
    (schedule, side): (&Schedule, Side),
    b: &Slice<'_, T>,
    x: &SliceMut<'_, T>,
    mut destination: Destination<'_>,
) -> Result<(), OperationError> {
    let operands = Operands {
        offsets: operands::bytes(operator, "offsets", &a.offsets().slice(..))?,
        columns: operands::bytes(operator, "column indices", &a.column_indices().slice(..))?,
        values: operands::bytes(operator, "values", &a.values().slice(..))?,
        b: operands::bytes(operator, "b", b)?,
        x: operands::bytes_mut(operator, "x", x)?,
    };
    operands::expect(operator, "b", (b.len(), &[a.rows()]))?;
    operands::expect(operator, "x", (x.len(), &[a.rows()]))?;
    operands.check(operator, &destination)?;
    if a.rows() == 0 {
        return Ok(());
    }
    if T::WIDE {
        operands.run_wide(operator, schedule, side, &mut destination)
    } else {
        operands.run(operator, schedule, side, &mut destination)
    }
}

const OPERATOR: Operator = Operator("sparse triangular solve");
