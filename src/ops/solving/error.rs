//! The errors of solvers.

use super::super::error::OperationError;
use crate::error::{Classified, Error, ErrorClass};

anywarp_backend::debug_as_display!(SolveError);

/// The reason why a system of equations has no solution from a solver, or why a preconditioner cannot be made.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SolveError, SparseMatrix, conjugate_gradients};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[1.0f32, 0.0, 0.0, -1.0])?; // not positive definite
/// let (b, mut x) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer::<f32>(2)?);
/// let error = conjugate_gradients(&a, &b, &mut x).unwrap_err();
/// assert!(matches!(error, SolveError::NotPositiveDefinite { iteration: 1, .. }));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The call was refused. Nothing has run.
    #[error(transparent)]
    Operation(#[from] OperationError),
    /// The device reported an error while the solver ran.
    #[error("solver: {0}")]
    Run(Error),
    /// The residual is still above the tolerance after the last permitted iteration. `x` has the last approximation.
    #[error(
        "{solver}: the relative residual is {relative_residual:.3e} after {iterations} iterations, above the tolerance \
         of {tolerance:.3e}; permit more iterations, precondition, or compute in f64"
    )]
    NotConverged {
        /// The name of the solver.
        solver: &'static str,
        /// The number of iterations, all that were permitted.
        iterations: u32,
        /// `|b - a x| / |b|`, computed from `x`.
        relative_residual: f64,
        /// The tolerance of the call.
        tolerance: f64,
    },
    /// Further iterations do not reduce the residual of `x`: a restart from there has not halved it, because numbers are
    /// rounded, or a cycle of GMRES has not reduced it at all. `x` has the last approximation. The least residual is
    /// about `|a| |x| / |b|` times the epsilon of the element type.
    #[error(
        "{solver}: the relative residual stays at {relative_residual:.3e} after {iterations} iterations, above the \
         tolerance of {tolerance:.3e}, because numbers are rounded{}; choose a larger tolerance, or compute in f64",
        if *solver == "gmres" { " or cycles are too short" } else { "" }
    )]
    Stagnated {
        /// The name of the solver.
        solver: &'static str,
        /// The number of iterations.
        iterations: u32,
        /// `|b - a x| / |b|`, computed from `x`.
        relative_residual: f64,
        /// The tolerance of the call.
        tolerance: f64,
    },
    /// A direction `p` with `p . a p <= 0`, or NaN: the matrix is not positive definite, or its numbers exceed the range
    /// of the element type. `x` has the approximation before this iteration.
    #[error(
        "conjugate gradients: p . a p is {product:e} in iteration {iteration}, but must be above 0; the matrix must be \
         symmetric and positive definite, with numbers that are far from the limits of the element type"
    )]
    NotPositiveDefinite {
        /// The iteration, counted from 1.
        iteration: u32,
        /// The value of `p . a p`, for `b` divided by its greatest element.
        product: f64,
    },
    /// An iteration cannot be computed, because it would divide by 0 or by a number that is not finite, and a restart has
    /// not halved the relative residual since the one before. `x` has the approximation before this iteration.
    #[error(
        "{solver}: {quantity} is {value:e} in iteration {iteration}, so that the next approximation cannot be computed; \
         the matrix may be singular; start from another x, precondition, or use another solver"
    )]
    Breakdown {
        /// The name of the solver.
        solver: &'static str,
        /// The iteration, counted from 1.
        iteration: u32,
        /// The quantity by which the solver divides, in the notation of its documentation.
        quantity: &'static str,
        /// The value of the quantity.
        value: f64,
    },
    /// An element of the diagonal that is not above 0, so that the Jacobi preconditioner cannot divide by it, and the
    /// matrix is not positive definite. `x` is unchanged.
    #[error(
        "conjugate gradients: the diagonal has {value:e} in row {row}, but must be above 0; the matrix must be \
         symmetric and positive definite"
    )]
    Diagonal {
        /// The first such row, counted from 0.
        row: usize,
        /// The sum of the entries of this place.
        value: f64,
    },
    /// A pivot, by which a triangular solve or a preconditioner divides, is 0 or not finite.
    #[error(
        "{solver}: the pivot of row {row} is {value:e}, but must be a finite number other than 0; reorder the rows, or \
         use another preconditioner"
    )]
    Pivot {
        /// The name of the solver or of the preconditioner.
        solver: &'static str,
        /// The first such row, counted from 0.
        row: usize,
        /// The value of the pivot.
        value: f64,
    },
    /// A matrix of a batch cannot be factored: it is singular, or, for `cholesky`, not positive definite. Other matrices of
    /// the batch have their factors.
    #[error(
        "{solver}: matrix {matrix} has the pivot {value:e} in row {row}, but must have {}",
        if *solver == "cholesky" {
            "pivots above 0: it is not positive definite"
        } else {
            "finite pivots other than 0: it is singular"
        }
    )]
    Factor {
        /// The name of the operator.
        solver: &'static str,
        /// The first such matrix of the batch, counted from 0.
        matrix: usize,
        /// Its first row whose pivot is not possible, counted from 0.
        row: usize,
        /// The value of the pivot.
        value: f64,
    },
    /// Rotations have not made a matrix of a batch diagonal. Other matrices of the batch have their results.
    #[error("{solver}: matrix {matrix} is not diagonal after all sweeps; its elements must be finite")]
    Sweeps {
        /// The name of the operator.
        solver: &'static str,
        /// The first such matrix of the batch, counted from 0.
        matrix: usize,
    },
    /// An element of `b`, or of the product of the matrix and the start, is infinite or NaN. `x` is unchanged.
    #[error("{solver}: 'b' or the residual of the start is not finite; all elements must be finite")]
    NotFinite {
        /// The name of the solver.
        solver: &'static str,
    },
}

impl Classified for SolveError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Operation(error) => error.class(),
            Self::Run(error) => error.class(),
            _ => ErrorClass::Programmer,
        }
    }
}

impl From<SolveError> for Error {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Operation(error) => error.into(),
            SolveError::Run(error) => error,
            own => Self::part(own),
        }
    }
}
