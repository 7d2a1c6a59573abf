//! Systems of equations with a sparse, symmetric, positive definite matrix.

mod error;
mod kernels;
mod system;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::sparse::{SparseElement, SparseMatrix, SparseProduct};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Stream};

pub use error::SolveError;
use system::System;

/// Solves `a * x = b` for a sparse matrix that is symmetric and positive definite, from `x = 0`, until the residual is
/// at most 1e-5 times as long as `b`. See [`ConjugateGradients`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, conjugate_gradients};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[2.0f32, -1.0, -1.0, 2.0])?;
/// let (b, mut x) = (device.buffer_from(&[0.0f32, 3.0])?, device.buffer::<f32>(2)?);
/// let solution = conjugate_gradients(&a, &b, &mut x)?;
/// assert_eq!(solution.iterations, 2);
/// let x = x.read()?;
/// assert!((x[0] - 1.0).abs() < 1e-5 && (x[1] - 2.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`ConjugateGradients::run`].
pub fn conjugate_gradients<'b, 'x, T: SparseElement>(
    a: &SparseMatrix<T>,
    b: impl Into<Slice<'b, T>>,
    x: impl Into<SliceMut<'x, T>>,
) -> Result<Solution, SolveError> {
    ConjugateGradients::new().run(a, b, x)
}

/// The outcome of a solver that has converged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The number of iterations until convergence.
    pub iterations: u32,
    /// `|b - a x| / |b|`, computed from `x` after the last iteration; 0 for `b = 0`. The residual that iterations carry
    /// along has met the tolerance; this one may be larger by the rounding of all iterations.
    pub relative_residual: f64,
}

/// [`conjugate_gradients`] with a tolerance, a limit of iterations, a preconditioner, a start, or a stream.
///
/// The method is that of Hestenes and Stiefel ('Methods of Conjugate Gradients for Solving Linear Systems', 1952), with a
/// preconditioner (Saad, 'Iterative Methods for Sparse Linear Systems', 2003, algorithm 9.1). It needs a symmetric matrix,
/// which is not checked. All vectors and scalars stay on the device, in the type of the elements; `b` is divided by its
/// greatest element, so that squares neither overflow nor vanish. Iterations are recorded once and replayed. The device
/// tests for convergence after each of them, and iterations after convergence change nothing; the host reads the state
/// after every [`check_every`](Self::check_every) iterations. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{ConjugateGradients, SparseMatrix};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [3, 3], &[4.0f32, 1.0, 0.0, 1.0, 300.0, 0.0, 0.0, 0.0, 2e4])?;
/// let (b, mut x) = (device.buffer_from(&[5.0f32, 301.0, 2e4])?, device.buffer::<f32>(3)?);
/// let solver = ConjugateGradients::new().jacobi(true).tolerance(1e-6).max_iterations(100);
/// let solution = solver.run(&a, &b, &mut x)?;
/// assert!(solution.relative_residual < 1e-5);
/// assert!(x.read()?.iter().all(|x| (x - 1.0).abs() < 1e-4));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a solver does nothing until `run` is called"]
#[derive(Clone)]
pub struct ConjugateGradients {
    tolerance: f64,
    max_iterations: Option<u32>,
    check_every: u32,
    jacobi: bool,
    from_x: bool,
    stream: Option<Stream>,
}

impl Default for ConjugateGradients {
    fn default() -> Self {
        Self::new()
    }
}

impl ConjugateGradients {
    /// A solver that starts from 0, without preconditioner, with a tolerance of 1e-5 and at most 10 iterations for each
    /// row.
    pub fn new() -> Self {
        Self { tolerance: 1e-5, max_iterations: None, check_every: 32, jacobi: false, from_x: false, stream: None }
    }

    /// Stops when the residual is at most `relative` times as long as `b`.
    pub fn tolerance(mut self, relative: f64) -> Self {
        self.tolerance = relative;
        self
    }

    /// Permits this number of iterations.
    pub fn max_iterations(mut self, iterations: u32) -> Self {
        self.max_iterations = Some(iterations);
        self
    }

    /// Reads the state on the host after this number of iterations, 32 unless it is set. A small number ends sooner after
    /// convergence, a large one waits less often.
    pub fn check_every(mut self, iterations: u32) -> Self {
        self.check_every = iterations;
        self
    }

    /// Divides residuals by the diagonal of the matrix, if `jacobi`. This helps if the elements of the diagonal differ
    /// much.
    pub fn jacobi(mut self, jacobi: bool) -> Self {
        self.jacobi = jacobi;
        self
    }

    /// Starts from the elements of `x`, if `from_x`, in place of 0.
    pub fn from_x(mut self, from_x: bool) -> Self {
        self.from_x = from_x;
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.stream = Some(stream.clone());
        self
    }

    /// The cost of one iteration, to compare its time with the limits of a device. Each element of a vector counts once
    /// for each kernel.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: SparseElement>(&self, a: &SparseMatrix<T>) -> Result<Cost, OperationError> {
        let mut cost = SparseProduct::new().cost(a)?;
        // The sums p . q and r . r, the step, and the direction; with a preconditioner the sum r . z and a division.
        let (vectors, flops) = if self.jacobi { (2 + 1 + 6 + 4 + 2, 2 + 2 + 4 + 3 + 3) } else { (2 + 1 + 6 + 3, 10) };
        let rows = a.rows() as u64;
        cost.bytes = cost.bytes.saturating_add(rows.saturating_mul(vectors * size_of::<T>() as u64));
        cost.flops = cost.flops.saturating_add(rows.saturating_mul(flops));
        Ok(cost)
    }

    /// Solves `a * x = b`. `b` and `x` are buffers or slices with an element for each row of the square matrix. The call
    /// waits for the device.
    ///
    /// # Errors
    /// - [`SolveError::Operation`] for a matrix that is not square, arrays of other lengths, a slice out of range, arrays
    ///   of two devices, an existing guard, a tolerance that is negative or not finite, `f64` on a device without it. In
    ///   that case nothing has run.
    /// - [`SolveError::NotConverged`] and [`SolveError::NotPositiveDefinite`], with the last approximation in `x`.
    /// - [`SolveError::Diagonal`] and [`SolveError::NotFinite`] before the first iteration, [`SolveError::Run`] for an
    ///   error of the device.
    pub fn run<'b, 'x, T: SparseElement>(
        &self,
        a: &SparseMatrix<T>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<Solution, SolveError> {
        let (b, x) = (b.into(), x.into());
        self.check(a, &b, &x)?;
        if a.rows() == 0 {
            return Ok(Solution { iterations: 0, relative_residual: 0.0 });
        }
        let most =
            self.max_iterations.unwrap_or_else(|| u32::try_from(a.rows()).map_or(u32::MAX, |n| n.saturating_mul(10)));
        System::new(self, a, &b, &x, most)?.solve(self, x)
    }

    fn check<T: SparseElement>(
        &self,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
        x: &SliceMut<'_, T>,
    ) -> Result<(), OperationError> {
        if a.rows() != a.columns() {
            let got = format!("[{}, {}]", a.rows(), a.columns());
            return Err(OPERATOR.choice("a matrix of shape", "use a square matrix", got));
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            let got = self.tolerance.to_string();
            return Err(OPERATOR.choice("a tolerance of", "use a finite number that is not negative", got));
        }
        if self.check_every == 0 {
            return Err(OPERATOR.choice("a check after every", "use at least 1", "0 iterations".to_owned()));
        }
        let bytes_of_x = operands::bytes_mut(OPERATOR, "x", x)?;
        let arrays = [
            ("offsets", operands::bytes(OPERATOR, "offsets", &a.offsets().slice(..))?),
            ("column indices", operands::bytes(OPERATOR, "column indices", &a.column_indices().slice(..))?),
            ("values", operands::bytes(OPERATOR, "values", &a.values().slice(..))?),
            ("b", operands::bytes(OPERATOR, "b", b)?),
            ("x", bytes_of_x.as_slice()),
        ];
        operands::expect(OPERATOR, "b", (b.len(), &[a.rows()]))?;
        operands::expect(OPERATOR, "x", (x.len(), &[a.rows()]))?;
        let destination = self.stream.clone().map_or(Destination::Own, Destination::Stream);
        operands::check(OPERATOR, &a.values().core.device, &arrays, 1, &destination)
    }
}

/// The device of a matrix.
fn device_of<T: SparseElement>(a: &SparseMatrix<T>) -> Device {
    Device::of(&a.values().core.device)
}

const OPERATOR: Operator = Operator("conjugate gradients");
