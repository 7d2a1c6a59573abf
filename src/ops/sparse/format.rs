//! The storage of sparse matrices.

use super::super::error::OperationError;
use super::super::rows::launch::target;
use super::blocked::blocked;
use super::element::SparseElement;
use super::matrix::{OPERATOR, SparseMatrix};
use super::sliced::{sizes, sliced};
use crate::buffer::UnifiedBuffer;

/// The storage of a sparse matrix that products read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SparseFormat {
    /// Compressed sparse rows.
    #[default]
    Csr,
    /// Slices of 32 rows, whose entries are stored column by column, as many for each row as the longest one has (SELL).
    /// Neighbouring invocations compute neighbouring rows from neighbouring entries. This suits rows of similar lengths.
    Sliced,
    /// Dense blocks of this number of rows and columns, from 1 to 32 each, at multiples of these numbers (BSR). A block
    /// has zeros where the matrix has no entry, and products multiply them, too. This suits matrices of small dense
    /// blocks, as systems of several unknowns at each point have them.
    Blocks {
        /// The number of rows of a block, which divides that of the matrix.
        rows: usize,
        /// The number of columns of a block, which divides that of the matrix.
        columns: usize,
    },
}

/// The arrays of a matrix that products read: offsets of rows, of slices or of rows of blocks, then columns and values.
pub(super) struct Arrays<T> {
    pub(super) offsets: UnifiedBuffer<u32>,
    pub(super) columns: UnifiedBuffer<u32>,
    pub(super) values: UnifiedBuffer<T>,
}

/// The arrays of a format other than rows.
pub(super) struct Stored<T> {
    pub(super) format: SparseFormat,
    pub(super) arrays: Arrays<T>,
}

impl<T: SparseElement> SparseMatrix<T> {
    /// Returns the matrix with this storage for products, besides the rows, which conversions keep reading. The storage is
    /// made on the device, for which the call waits.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::{SparseFormat, SparseMatrix, spmv};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let matrix = SparseMatrix::<f32>::poisson(&device, &[4])?.with_format(SparseFormat::Sliced)?;
    /// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer::<f32>(4)?);
    /// spmv(&matrix, &x, &mut y)?;
    /// assert_eq!(*y.read()?, [0.0, 0.0, 0.0, 5.0]);
    ///
    /// let matrix = matrix.with_format(SparseFormat::Blocks { rows: 2, columns: 2 })?;
    /// spmv(&matrix, &x, &mut y)?;
    /// assert_eq!(*y.read()?, [0.0, 0.0, 0.0, 5.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`] for blocks of other sizes, 2^31 - 2^16 stored places or more, rows that are longer than the
    /// device's loops, for blocks of `f64` on a device without it, or if memory cannot be allocated.
    pub fn with_format(mut self, format: SparseFormat) -> Result<Self, OperationError> {
        let arrays = match format {
            SparseFormat::Csr => None,
            SparseFormat::Sliced if has_loops_for(&self, 1) => Some(sliced(&self)?),
            SparseFormat::Blocks { columns, .. } if has_loops_for(&self, columns) => Some(blocked(&self, format)?),
            SparseFormat::Sliced | SparseFormat::Blocks { .. } => {
                let got = format!("{} entries", self.longest_row());
                return Err(OPERATOR.choice("a row of", "this device ends longer loops; use SparseFormat::Csr", got));
            }
        };
        self.stored = arrays.map(|arrays| Stored { format, arrays });
        Ok(self)
    }

    /// The storage that products read.
    #[must_use]
    pub fn format(&self) -> SparseFormat {
        self.stored.as_ref().map_or(SparseFormat::Csr, |stored| stored.format)
    }

    /// The storage that suits the lengths of the rows: slices, if at most a fifth of their places has no entry and rows
    /// have at most 64 entries on average, otherwise rows. The lengths are compared on the device, for which the call
    /// waits.
    ///
    /// # Errors
    /// [`OperationError`] if memory cannot be allocated, or for an existing guard.
    pub fn suited_format(&self) -> Result<SparseFormat, OperationError> {
        let entries = self.entries() as u64;
        if self.rows() == 0 || entries > 64 * self.rows() as u64 || !has_loops_for(self, 1) {
            return Ok(SparseFormat::Csr);
        }
        let (_, places) = sizes(self)?;
        Ok(if places <= entries + entries / 4 { SparseFormat::Sliced } else { SparseFormat::Csr })
    }
}

/// Whether an invocation can read `columns` places for each entry of the longest row.
fn has_loops_for<T: SparseElement>(a: &SparseMatrix<T>, columns: usize) -> bool {
    (a.longest_row() as u64).saturating_mul(columns as u64) < target(&a.device()).max_iterations()
}
