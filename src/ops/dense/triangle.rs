//! Equations of triangles of small dense matrices.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::super::sparse::SparseElement;
use super::run::{Sides, Triangle};
use super::sizes::Sizes;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

/// Solves `t * x = b` for the lower triangle `t` of a dense matrix of shape `[rows, rows]`, with its diagonal. `b` and `x`
/// have an element for each row. See [`SolveTriangular`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (a, b) = (device.buffer_from(&[2.0f32, 7.0, 3.0, 4.0])?, device.buffer_from(&[2.0f32, 11.0])?);
/// let mut x = device.buffer::<f32>(2)?;
/// anywarp::ops::solve_triangular(&a, &b, &mut x, 2)?; // 2 x0 = 2, 3 x0 + 4 x1 = 11
/// assert_eq!(*x.read()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`SolveTriangular::run`].
pub fn solve_triangular<'a, 'b, 'x, T: SparseElement>(
    a: impl Into<Slice<'a, T>>,
    b: impl Into<Slice<'b, T>>,
    x: impl Into<SliceMut<'x, T>>,
    rows: usize,
) -> Result<(), OperationError> {
    SolveTriangular::new(rows).run(a, b, x)
}

/// [`solve_triangular`] with the upper triangle, its transpose, ones on the diagonal, several right sides, batches, a
/// stream or a recording.
///
/// A workgroup has one matrix, so matrices should be small (up to some hundred rows) and batches large. `f32` and, on
/// devices that have it, `f64`. A 0 on the diagonal results in infinities and NaN, as in BLAS. Repeated calls on a device
/// return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::SolveTriangular;
///
/// let device = anywarp::Device::open("cpu")?;
/// let (a, b) = (device.buffer_from(&[1.0f32, 0.0, 5.0, 1.0])?, device.buffer_from(&[11.0f32, 5.0, 2.0, 1.0])?);
/// let mut x = device.buffer::<f32>(4)?;
/// // The transpose of the lower triangle, for two right sides: the columns of b.
/// SolveTriangular::new(2).transposed(true).unit(true).columns(2).run(&a, &b, &mut x)?;
/// assert_eq!(*x.read()?, [1.0, 0.0, 2.0, 1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a solve does nothing until `run` is called"]
pub struct SolveTriangular<'r> {
    rows: usize,
    columns: usize,
    batches: usize,
    triangle: Triangle,
    destination: Destination<'r>,
}

impl<'r> SolveTriangular<'r> {
    /// The lower triangle of one matrix of shape `[rows, rows]`, for one right side.
    pub fn new(rows: usize) -> Self {
        Self { rows, columns: 1, batches: 1, triangle: Triangle::default(), destination: Destination::Own }
    }

    /// Sets the number of right sides, which are the columns of `b`.
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns;
        self
    }

    /// Sets the number of matrices, each with its own right sides.
    pub fn batches(mut self, matrices: usize) -> Self {
        self.batches = matrices;
        self
    }

    /// Uses the upper triangle of the stored matrix, if `upper`.
    pub fn upper(mut self, upper: bool) -> Self {
        self.triangle.upper = upper;
        self
    }

    /// Transposes the triangle, if `transposed`.
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.triangle.transposed = transposed;
        self
    }

    /// Uses ones as the diagonal, if `unit`; the elements there are not read.
    pub fn unit(mut self, unit: bool) -> Self {
        self.triangle.unit = unit;
        self
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

    /// The cost of a call, to compare its time with the limits of a device.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`] and [`OperationError::Choice`], as for `run`.
    pub fn cost<T: SparseElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        let sizes = self.sizes();
        sizes.check::<T>(OPERATOR, steps(sizes), target(device))?;
        Ok(cost(sizes, 1, size_of::<T>()))
    }

    fn sizes(&self) -> Sizes {
        Sizes { matrices: self.batches, rows: self.rows, columns: self.columns }
    }

    /// Solves `t * x = b`. `a` has the shape `[batches, rows, rows]`, `b` and `x` have the shape
    /// `[batches, rows, columns]`, row by row. They are buffers or slices; `x` is in another buffer than the others.
    ///
    /// # Errors
    /// [`OperationError`] for arrays of other lengths, a slice out of range, arrays of two devices, an existing guard,
    /// 2^31 - 2^16 elements or more, matrices whose loops the device would end (above 250 rows or so in llvmpipe), `f64`
    /// on a device without it, or an error of the device. In that case nothing has run.
    pub fn run<'a, 'b, 'x, T: SparseElement>(
        self,
        a: impl Into<Slice<'a, T>>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        let (sizes, triangle) = (self.sizes(), self.triangle);
        solve(OPERATOR, sizes, (&a.into(), None), &[triangle], &b.into(), &x.into(), self.destination)
    }
}

/// The number of iterations of all loops together for a matrix.
fn steps(sizes: Sizes) -> u64 {
    let [rows, columns] = [sizes.rows, sizes.columns].map(|size| size as u64);
    rows.saturating_mul(rows + 4).saturating_mul(columns.max(1)).saturating_add(rows * 300)
}

/// The cost of solves with a number of triangles.
pub(super) fn cost(sizes: Sizes, triangles: u64, size: usize) -> Cost {
    let [matrices, rows, columns] = sizes.of_b().map(|size| size as u64);
    let elements = triangles * matrices * rows * (rows + 1) / 2 + 2 * matrices * rows * columns;
    let flops = triangles * matrices * rows * rows * columns;
    Cost { passes: 1 + triangles as usize, scratch: 16, flops, bytes: elements * size as u64 }
}

/// Solves with one triangle of `a` after the other, after exchanges of rows.
pub(super) fn solve<T: SparseElement>(
    operator: Operator,
    sizes: Sizes,
    (a, exchanges): (&Slice<'_, T>, Option<&Slice<'_, u32>>),
    triangles: &[Triangle],
    b: &Slice<'_, T>,
    x: &SliceMut<'_, T>,
    mut destination: Destination<'_>,
) -> Result<(), OperationError> {
    sizes.check::<T>(operator, steps(sizes), target(&Device::of(&x.core.device)))?;
    let sides = Sides {
        a: operands::bytes(operator, "a", a)?,
        exchanges: match exchanges {
            Some(exchanges) => Some(operands::bytes(operator, "the exchanges", exchanges)?),
            None => None,
        },
        b: operands::bytes(operator, "b", b)?,
        x: operands::bytes_mut(operator, "x", x)?,
    };
    operands::expect(operator, "a", (a.len(), &sizes.of_a()))?;
    if let Some(exchanges) = exchanges {
        operands::expect(operator, "the exchanges", (exchanges.len(), &sizes.of_a()[..2]))?;
    }
    operands::expect(operator, "b", (b.len(), &sizes.of_b()))?;
    operands::expect(operator, "x", (x.len(), &sizes.of_b()))?;
    sides.check(operator, &destination)?;
    if sizes.of_b().contains(&0) {
        return Ok(());
    }
    if T::WIDE {
        sides.solve_wide(operator, sizes, triangles, &mut destination)
    } else {
        sides.solve(operator, sizes, triangles, &mut destination)
    }
}

const OPERATOR: Operator = Operator("triangular solve");
