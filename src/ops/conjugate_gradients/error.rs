//! The errors of the solver.

use crate::error::{Classified, Error, ErrorClass};

use super::super::error::OperationError;

anywarp_backend::debug_as_display!(SolveError);

/// The reason why a system of equations has no solution from [`ConjugateGradients`](super::ConjugateGradients).
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
    #[error("conjugate gradients: {0}")]
    Run(Error),
    /// The residual is still above the tolerance after the last permitted iteration. `x` has the last approximation.
    #[error(
        "conjugate gradients: the relative residual is {relative_residual:.3e} after {iterations} iterations, above the \
         tolerance of {tolerance:.3e}; permit more iterations, precondition, or compute in f64"
    )]
    NotConverged {
        /// The number of iterations, all that were permitted.
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
    /// An element of `b`, or of the product of the matrix and the start, is infinite or NaN. `x` is unchanged.
    #[error("conjugate gradients: 'b' or the residual of the start is not finite; all elements must be finite")]
    NotFinite,
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
