//! Systems of equations with any sparse matrix, by `BiCGSTAB`.

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
/// See [`Bicgstab`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, bicgstab};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[2.0f32, 1.0, 0.0, 4.0])?;
/// let (b, mut x) = (device.buffer_from(&[4.0f32, 8.0])?, device.buffer::<f32>(2)?);
/// bicgstab(&a, &b, &mut x)?;
/// let x = x.read()?;
/// assert!((x[0] - 1.0).abs() < 1e-4 && (x[1] - 2.0).abs() < 1e-4);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Bicgstab::run`].
pub fn bicgstab<'b, 'x, T: SparseElement>(
    a: &SparseMatrix<T>,
    b: impl Into<Slice<'b, T>>,
    x: impl Into<SliceMut<'x, T>>,
) -> Result<Solution, SolveError> {
    Bicgstab::new().run(a, b, x)
}

/// [`bicgstab`] with a tolerance, a limit of iterations, a preconditioner, a start, or a stream.
///
/// The method is that of van der Vorst ('Bi-CGSTAB: A Fast and Smoothly Converging Variant of Bi-CG for the Solution of
/// Nonsymmetric Linear Systems', 1992), with the preconditioner on the right side, so that residuals are those of `x`.
/// An iteration computes two products and two preconditioned vectors, and needs memory for eight vectors, whatever the
/// number of iterations. Its residuals can rise in between; [`Gmres`](super::Gmres) reduces them in each iteration.
///
/// All vectors and scalars stay on the device; iterations are recorded once and replayed, the device tests for
/// convergence, and convergence is confirmed by a new product, as for
/// [`ConjugateGradients`](super::ConjugateGradients). Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Bicgstab, IncompleteLu, SparseMatrix};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [3, 3], &[4.0f32, 1.0, 0.0, -1.0, 5.0, 2.0, 0.0, 3.0, 6.0])?;
/// let (b, mut x) = (device.buffer_from(&[5.0f32, 6.0, 9.0])?, device.buffer::<f32>(3)?);
/// let solver = Bicgstab::new().tolerance(1e-6).max_iterations(100);
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
pub struct Bicgstab {
    settings: Settings,
}

impl Default for Bicgstab {
    fn default() -> Self {
        Self::new()
    }
}

impl Bicgstab {
    /// A solver that starts from 0, with a tolerance of 1e-5 and at most 10 iterations for each row.
    pub fn new() -> Self {
        Self { settings: Settings::new() }
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

    /// Reads the state on the host after this number of iterations, 32 unless it is set.
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
    ///   of two devices, an existing guard, a tolerance that is negative or not finite, `f64` on a device without it. In
    ///   that case nothing has run.
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
        if a.rows() == 0 {
            return Ok(Solution { iterations: 0, relative_residual: 0.0 });
        }
        system::solve(self, a, preconditioner, &b, x)
    }
}

const OPERATOR: Operator = Operator("bicgstab");
