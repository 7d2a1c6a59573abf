//! Approximate inverses of matrices.

use super::super::error::OperationError;
use super::super::sparse::SparseElement;
use crate::buffer::UnifiedBuffer;
use crate::submit::Recording;

/// An approximate inverse `M` of the matrix of a system of equations: solvers compute `z = M * r` in each iteration, so
/// that they need fewer of them.
///
/// [`Jacobi`](super::super::Jacobi), [`IncompleteLu`](super::super::IncompleteLu) and
/// [`Multigrid`](super::super::Multigrid) are such inverses. Other types can be, too: `record` appends any launches and
/// operators, which must not depend on the old elements of `z`.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Bicgstab, ElementwiseKernel, OperationError, Preconditioner, SparseMatrix};
/// use anywarp::{Device, Recording, UnifiedBuffer};
///
/// /// Divides by a number.
/// struct Divided(Device, f32);
///
/// impl Preconditioner<f32> for Divided {
///     fn record(
///         &self,
///         recording: &mut Recording,
///         r: &UnifiedBuffer<f32>,
///         z: &mut UnifiedBuffer<f32>,
///     ) -> Result<(), OperationError> {
///         ElementwiseKernel::new("r: f32, d: f32", "z: f32", "z = r / d")?.call(&self.0).record(recording).run((r, self.1), z)
///     }
/// }
///
/// let device = Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[4.0f32, 1.0, 0.0, 4.0])?;
/// let (b, mut x) = (device.buffer_from(&[6.0f32, 8.0])?, device.buffer::<f32>(2)?);
/// Bicgstab::new().run_with(&a, &Divided(device.clone(), 4.0), &b, &mut x)?;
/// let x = x.read()?;
/// assert!((x[0] - 1.0).abs() < 1e-4 && (x[1] - 2.0).abs() < 1e-4);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub trait Preconditioner<T: SparseElement> {
    /// Appends the commands of `z = M * r` to `recording`. `r` and `z` have an element for each row of the matrix.
    ///
    /// # Errors
    /// [`OperationError`], as for any operator; the solver then returns this error, and nothing has run.
    fn record(
        &self,
        recording: &mut Recording,
        r: &UnifiedBuffer<T>,
        z: &mut UnifiedBuffer<T>,
    ) -> Result<(), OperationError>;
}
