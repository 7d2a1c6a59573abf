//! Systems of equations with any sparse matrix, by GMRES.

mod kernels;
mod system;

use super::operator::Operator;
use super::solving::error::SolveError;
use super::solving::settings::Settings;
use super::solving::{Preconditioner, Solution};
use super::sparse::{SparseElement, SparseMatrix};
use crate::buffer::{Slice, SliceMut};
use crate::submit::Stream;

/// Solves `a * x = b` for a sparse square matrix, from `x = 0`, until the residual is at most 1e-5 times as long as `b`.
/// See [`Gmres`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, gmres};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[2.0f32, 1.0, 0.0, 4.0])?;
/// let (b, mut x) = (device.buffer_from(&[4.0f32, 8.0])?, device.buffer::<f32>(2)?);
/// gmres(&a, &b, &mut x)?;
/// let x = x.read()?;
/// assert!((x[0] - 1.0).abs() < 1e-4 && (x[1] - 2.0).abs() < 1e-4);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Gmres::run`].
pub fn gmres<'b, 'x, T: SparseElement>(
    a: &SparseMatrix<T>,
    b: impl Into<Slice<'b, T>>,
    x: impl Into<SliceMut<'x, T>>,
) -> Result<Solution, SolveError> {
    Gmres::new().run(a, b, x)
}

/// [`gmres`] with a tolerance, a limit of iterations, a preconditioner, a start, or a stream.
///
/// The method is that of Saad and Schultz ('GMRES: A Generalized Minimal Residual Algorithm for Solving Nonsymmetric
/// Linear Systems', 1986), with the preconditioner on the right side, so that residuals are those of `x`. Each iteration
/// makes a vector that is orthogonal to all vectors of its cycle, by two passes of classical Gram-Schmidt, and no
/// approximation within a cycle has a shorter residual. A cycle has at most [`restart`](Self::restart) iterations and
/// needs memory for that many vectors. Cycles that are too short for a matrix do not converge.
///
/// All vectors and scalars stay on the device. A cycle is recorded once and replayed; the device tests for convergence
/// after each iteration, and computes the residual of `x` after each cycle. Repeated calls on a device return the same
/// bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Gmres, IncompleteLu, SparseMatrix};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [3, 3], &[4.0f32, 1.0, 0.0, -1.0, 5.0, 2.0, 0.0, 3.0, 6.0])?;
/// let (b, mut x) = (device.buffer_from(&[5.0f32, 6.0, 9.0])?, device.buffer::<f32>(3)?);
/// let solver = Gmres::new().tolerance(1e-6).max_iterations(100);
/// let solution = solver.run_with(&a, &IncompleteLu::new(&a)?, &b, &mut x)?;
/// assert!(solution.relative_residual <= 1e-6);
/// assert!(x.read()?.iter().all(|x| (x - 1.0).abs() < 1e-4));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a solver does nothing until `run` is called"]
#[derive(Clone)]
pub struct Gmres {
    settings: Settings,
    restart: u32,
}

impl Default for Gmres {
    fn default() -> Self {
        Self::new()
    }
}

impl Gmres {
    /// A solver that starts from 0, with cycles of 30 iterations, a tolerance of 1e-5 and at most 10 iterations for each
    /// row.
    pub fn new() -> Self {
        Self { settings: Settings::new(), restart: 30 }
    }

    /// Sets the number of iterations of a cycle, from 1 to 1,000; a number above that of the rows means the latter.
    pub fn restart(mut self, iterations: u32) -> Self {
        self.restart = iterations;
        self
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

    /// Reads the state on the host after the cycles that contain this number of iterations, 32 unless it is set.
    pub fn check_every(mut self, iterations: u32) -> Self {
        self.settings.check_every = iterations;
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

    /// Solves `a * x = b`. `b` and `x` are buffers or slices with an element for each row of the square matrix. The call
    /// waits for the device.
    ///
    /// # Errors
    /// - [`SolveError::Operation`] for a matrix that is not square, arrays of other lengths, a slice out of range, arrays
    ///   of two devices, an existing guard, a tolerance that is negative or not finite, a cycle of no iterations or of too
    ///   many, `f64` on a device without it. In that case nothing has run.
    /// - [`SolveError::NotConverged`], [`SolveError::Stagnated`] and [`SolveError::Breakdown`], with the last
    ///   approximation in `x`.
    /// - [`SolveError::NotFinite`] before the first iteration, [`SolveError::Run`] for an error of the device.
    pub fn run<'b, 'x, T: SparseElement>(
        &self,
        a: &SparseMatrix<T>,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<Solution, SolveError> {
        self.solve(a, None, b.into(), x.into())
    }

    /// As [`run`](Self::run), with a preconditioner.
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
        if !(1..=1000).contains(&self.restart) {
            let got = format!("{} iterations", self.restart);
            return Err(OPERATOR.choice("a restart after every", "use 1 to 1,000", got).into());
        }
        if a.rows() == 0 {
            return Ok(Solution { iterations: 0, relative_residual: 0.0 });
        }
        system::solve(self, a, preconditioner, &b, x)
    }
}

const OPERATOR: Operator = Operator("gmres");
