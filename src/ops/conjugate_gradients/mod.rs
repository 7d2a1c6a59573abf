//! Systems of equations with a sparse, symmetric, positive definite matrix.

mod kernels;
mod step;
mod system;

use super::error::OperationError;
use super::operator::Operator;
use super::plan::Cost;
use super::solving::error::SolveError;
use super::solving::settings::Settings;
use super::solving::{Preconditioner, Solution};
use super::sparse::{SparseElement, SparseMatrix, SparseProduct};
use crate::buffer::{Slice, SliceMut};
use crate::submit::Stream;

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

/// [`conjugate_gradients`] with a tolerance, a limit of iterations, a preconditioner, a start, or a stream.
///
/// The method is that of Hestenes and Stiefel ('Methods of Conjugate Gradients for Solving Linear Systems', 1952), with a
/// preconditioner (Saad, 'Iterative Methods for Sparse Linear Systems', 2003, algorithm 9.1). It needs a symmetric matrix,
/// which is not checked. All vectors and scalars stay on the device, in the type of the elements; `b` is divided by its
/// greatest element, so that squares neither overflow nor vanish. Iterations are recorded once and replayed. The device
/// tests for convergence after each of them, and iterations after convergence change nothing; the host reads the state
/// after every [`check_every`](Self::check_every) iterations. The residual that iterations carry along differs from that
/// of `x` by rounding; so convergence is confirmed by a new product, and iterations start again from `x` if it is not.
/// Repeated calls on a device return the same bits.
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
    settings: Settings,
    jacobi: bool,
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
        Self { settings: Settings::new(), jacobi: false }
    }

    /// Stops when the residual is at most `relative` times as long as `b`.
    pub fn tolerance(mut self, relative: f64) -> Self {
        self.settings.tolerance = relative;
        self
    }

    /// Permits this number of iterations.
    pub fn max_iterations(mut self, iterations: u32) -> Self {
        self.settings.max_iterations = Some(iterations);
        self
    }

    /// Reads the state on the host after this number of iterations, 32 unless it is set. A small number ends sooner after
    /// convergence, a large one waits less often.
    pub fn check_every(mut self, iterations: u32) -> Self {
        self.settings.check_every = iterations;
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
        self.settings.from_x = from_x;
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.settings.stream = Some(stream.clone());
        self
    }

    /// The cost of one iteration, to compare its time with the limits of a device. Each element of a vector counts once
    /// for each kernel.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: SparseElement>(&self, a: &SparseMatrix<T>) -> Result<Cost, OperationError> {
        let mut cost = SparseProduct::new().cost(a)?;
        // The sum p . q, the step on the residual with its sums, the step on the solution with the direction; with a
        // preconditioner two divisions by the diagonal.
        let (vectors, flops) = if self.jacobi { (2 + 4 + 6, 2 + 6 + 5) } else { (2 + 3 + 5, 10) };
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
    /// - [`SolveError::NotConverged`], [`SolveError::Stagnated`] and [`SolveError::NotPositiveDefinite`], with the last
    ///   approximation in `x`.
    /// - [`SolveError::Diagonal`] and [`SolveError::NotFinite`] before the first iteration, [`SolveError::Run`] for an
    ///   error of the device.
    pub fn run<'b, 'x, T: SparseElement>(
        &self,
        a: &SparseMatrix<T>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<Solution, SolveError> {
        self.solve(a, None, b.into(), x.into())
    }

    /// As [`run`](Self::run), with any preconditioner in place of the one that [`jacobi`](Self::jacobi) sets. It must be
    /// symmetric and positive definite, as [`Multigrid`](super::Multigrid) is; an
    /// [`IncompleteLu`](super::IncompleteLu) is it for a symmetric matrix if its pivots are above 0.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::{ConjugateGradients, IncompleteLu, SparseMatrix};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let a = SparseMatrix::<f32>::poisson(&device, &[8, 8])?;
    /// let (b, mut x) = (device.buffer_from(&[1.0f32; 64])?, device.buffer::<f32>(64)?);
    /// let plain = ConjugateGradients::new().run(&a, &b, &mut x)?;
    /// let faster = ConjugateGradients::new().run_with(&a, &IncompleteLu::new(&a)?, &b, &mut x)?;
    /// assert!(faster.iterations < plain.iterations);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As `run`, and the errors of the preconditioner.
    pub fn run_with<'b, 'x, T: SparseElement>(
        &self,
        a: &SparseMatrix<T>,
        preconditioner: &dyn Preconditioner<T>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<Solution, SolveError> {
        self.solve(a, Some(preconditioner), b.into(), x.into())
    }

    fn solve<T: SparseElement>(
        &self,
        a: &SparseMatrix<T>,
        preconditioner: Option<&dyn Preconditioner<T>>,
        b: Slice<'_, T>,
        x: SliceMut<'_, T>,
    ) -> Result<Solution, SolveError> {
        self.settings.check(OPERATOR, a, &b, &x)?;
        if a.rows() == 0 {
            return Ok(Solution { iterations: 0, relative_residual: 0.0 });
        }
        let jacobi = self.jacobi && preconditioner.is_none();
        let solver = Self { settings: self.settings.clone(), jacobi };
        system::solve(&solver, a, preconditioner, &b, x)
    }
}

const OPERATOR: Operator = Operator("conjugate gradients");
