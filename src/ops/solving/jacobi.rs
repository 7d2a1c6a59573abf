//! The Jacobi preconditioner.

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::sparse::{SparseElement, SparseMatrix};
use super::diagonal;
use super::error::SolveError;
use super::kernels::{Elementwise, each, elementwise};
use super::preconditioner::Preconditioner;
use super::settings::device_of;
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::submit::Recording;

/// Divides residuals by the diagonal of a matrix: the simplest [`Preconditioner`]. It helps if the elements of the
/// diagonal differ much.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Bicgstab, Jacobi, SparseMatrix};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[2.0f32, 1.0, 0.0, -1000.0])?;
/// let (b, mut x) = (device.buffer_from(&[3.0f32, -1000.0])?, device.buffer::<f32>(2)?);
/// Bicgstab::new().run_with(&a, &Jacobi::new(&a)?, &b, &mut x)?;
/// assert!(x.read()?.iter().all(|x| (x - 1.0).abs() < 1e-4));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct Jacobi<T> {
    device: Device,
    diagonal: UnifiedBuffer<T>,
}

static DIVIDE: Elementwise = LazyLock::new(|| elementwise("jacobi", "r: T, d: T", "z: T", "z = r / d", ""));

impl<T: SparseElement> Jacobi<T> {
    /// Copies the diagonal of a square matrix. Entries of the same place are added up. The call waits for the device.
    ///
    /// # Errors
    /// [`SolveError::Pivot`] for an element of the diagonal that is 0 or not finite; [`SolveError::Operation`] for a
    /// matrix that is not square, and `f64` on a device without it.
    pub fn new(a: &SparseMatrix<T>) -> Result<Self, SolveError> {
        Ok(Self { device: device_of(a), diagonal: diagonal::pivots(OPERATOR, a)? })
    }
}

impl<T: SparseElement> Preconditioner<T> for Jacobi<T> {
    fn record(
        &self,
        recording: &mut Recording,
        r: &UnifiedBuffer<T>,
        z: &mut UnifiedBuffer<T>,
    ) -> Result<(), OperationError> {
        operands::expect(OPERATOR, "r", (r.len(), &[self.diagonal.len()]))?;
        each(&self.device, &DIVIDE, recording, (r, &self.diagonal), z)
    }
}

const OPERATOR: Operator = Operator("Jacobi preconditioner");
