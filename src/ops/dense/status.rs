//! The outcome of the factors of each matrix of a batch.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::solving::base::failed;
use super::super::solving::error::SolveError;
use super::super::sparse::SparseElement;
use crate::buffer::UnifiedBuffer;
use crate::device::Device;

/// For each matrix of a batch, whether it has been factored: [`Cholesky`](super::super::Cholesky) and
/// [`Lu`](super::super::Lu) write it on the device, and [`check`](Self::check) reads it.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{FactorStatus, Lu, SolveError};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 1.0, 2.0, 2.0, 4.0])?; // the second matrix is singular
/// let (mut lu, mut exchanges) = (device.buffer::<f32>(8)?, device.buffer::<u32>(4)?);
/// let mut status = FactorStatus::new(&device, 2)?;
/// Lu::new(2).batches(2).run(&a, &mut lu, &mut exchanges, &mut status)?;
/// assert_eq!(*status.rows().read()?, [0, 2]);
/// assert!(matches!(status.check(), Err(SolveError::Factor { matrix: 1, row: 1, .. })));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct FactorStatus<T> {
    /// The operator that wrote the status last.
    pub(super) operator: &'static str,
    pub(super) failed: UnifiedBuffer<u32>,
    pub(super) pivots: UnifiedBuffer<T>,
}

impl<T: SparseElement> FactorStatus<T> {
    /// The status of a number of matrices, without failures.
    ///
    /// # Errors
    /// [`OperationError::Buffer`] if memory cannot be allocated.
    pub fn new(device: &Device, matrices: usize) -> Result<Self, OperationError> {
        let memory = operands::memory(OPERATOR);
        // Kernels need at least one element in each array.
        let failed = device.buffer(matrices.max(1)).map_err(&memory)?;
        Ok(Self { operator: OPERATOR.0, failed, pivots: device.buffer(matrices.max(1)).map_err(&memory)? })
    }

    /// For each matrix: 0, or the number of the first row whose pivot is not possible, counted from 1; 1 for any failure of
    /// [`Eigh`](super::super::Eigh) and [`Svd`](super::super::Svd).
    #[must_use]
    pub fn rows(&self) -> &UnifiedBuffer<u32> {
        &self.failed
    }

    /// For each matrix: its first pivot that is not possible, or 0.
    #[must_use]
    pub fn pivots(&self) -> &UnifiedBuffer<T> {
        &self.pivots
    }

    /// Returns an error unless there is a place for each matrix; the operator writes the status from now on.
    pub(super) fn expect(&mut self, operator: Operator, matrices: usize) -> Result<(), OperationError> {
        self.operator = operator.0;
        operands::expect(operator, "the status", (self.failed.len(), &[matrices.max(1)]))
    }

    /// Waits for the device, and returns an error if a matrix has not been factored.
    ///
    /// # Errors
    /// [`SolveError::Factor`] with the first such matrix, its row and its pivot, [`SolveError::Sweeps`] after
    /// [`Eigh`](super::super::Eigh) and [`Svd`](super::super::Svd); [`SolveError::Run`] for an error of the
    /// device.
    pub fn check(&self) -> Result<(), SolveError> {
        let rows = self.failed.read().map_err(failed)?;
        let Some(matrix) = rows.iter().position(|row| *row > 0) else { return Ok(()) };
        if ["eigh", "svd"].contains(&self.operator) {
            return Err(SolveError::Sweeps { solver: self.operator, matrix });
        }
        let value = self.pivots.read().map_err(failed)?[matrix].wide();
        Err(SolveError::Factor { solver: self.operator, matrix, row: rows[matrix] as usize - 1, value })
    }
}

const OPERATOR: Operator = Operator("factor status");
