//! Sparse matrices.

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::check;
use super::element::SparseElement;
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::error::BufferError;

/// A sparse matrix on a device, in CSR (compressed sparse rows).
///
/// The entries of row `i` are at the positions `offsets[i]..offsets[i + 1]` of two arrays, of their column indices and of
/// their values. Column indices may have any order within a row, and entries of the same place are added up. The arrays
/// are checked once, when the matrix is made, and never change afterwards.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, spmv};
///
/// let device = anywarp::Device::open("cpu")?;
/// // The rows (1, 0, 2), (0, 0, 0) and (0, 3, 0).
/// let matrix = SparseMatrix::from_csr(&device, [3, 3], &[0, 2, 2, 3], &[0, 2, 1], &[1.0f32, 2.0, 3.0])?;
/// let x = device.buffer_from(&[1.0f32, 10.0, 100.0])?;
/// let mut y = device.buffer::<f32>(3)?;
/// spmv(&matrix, &x, &mut y)?;
/// assert_eq!(*y.read()?, [201.0, 0.0, 30.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct SparseMatrix<T> {
    rows: usize,
    columns: usize,
    /// The number of entries of the longest row.
    longest: u32,
    offsets: UnifiedBuffer<u32>,
    column_indices: UnifiedBuffer<u32>,
    values: UnifiedBuffer<T>,
}

impl<T: SparseElement> SparseMatrix<T> {
    /// A matrix of shape `[rows, columns]` from arrays on the host: `rows + 1` offsets, and the column index and the value
    /// of each entry.
    ///
    /// # Errors
    /// [`OperationError`] for arrays of other lengths, offsets that do not begin at 0, rise, and end at the number of
    /// entries, a column index that is out of range, 2^31 - 2^16 rows and entries or more, or if memory cannot be
    /// allocated.
    pub fn from_csr(
        device: &Device,
        shape: [usize; 2],
        offsets: &[u32],
        column_indices: &[u32],
        values: &[T],
    ) -> Result<Self, OperationError> {
        let longest = checked(shape, offsets, column_indices, values.len())?;
        let [rows, columns] = shape;
        Ok(Self {
            rows,
            columns,
            longest,
            offsets: device.buffer_from(offsets).map_err(memory)?,
            column_indices: device.buffer_from(column_indices).map_err(memory)?,
            values: device.buffer_from(values).map_err(memory)?,
        })
    }

    /// As [`from_csr`](Self::from_csr), from buffers of one device. Offsets and column indices are read to the host once
    /// for the checks.
    ///
    /// # Errors
    /// As `from_csr`; buffers of two devices, and an existing guard, are errors too.
    pub fn from_buffers(
        shape: [usize; 2],
        offsets: UnifiedBuffer<u32>,
        column_indices: UnifiedBuffer<u32>,
        values: UnifiedBuffer<T>,
    ) -> Result<Self, OperationError> {
        let context = &values.core.device;
        for (name, core) in [("offsets", &offsets.core), ("column indices", &column_indices.core)] {
            if !std::sync::Arc::ptr_eq(&core.device, context) {
                return Err(OPERATOR.other_device(context, format!("'{name}'"), core.device.selector.clone()));
            }
        }
        let longest = {
            let offsets = offsets.read().map_err(memory)?;
            let column_indices = column_indices.read().map_err(memory)?;
            checked(shape, &offsets, &column_indices, values.len())?
        };
        let [rows, columns] = shape;
        Ok(Self { rows, columns, longest, offsets, column_indices, values })
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of stored entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The number of entries of the longest row.
    #[must_use]
    pub fn longest_row(&self) -> usize {
        self.longest as usize
    }

    /// The positions at which rows begin, and the number of entries as the last of `rows + 1` elements.
    #[must_use]
    pub fn offsets(&self) -> &UnifiedBuffer<u32> {
        &self.offsets
    }

    /// The column index of each entry.
    #[must_use]
    pub fn column_indices(&self) -> &UnifiedBuffer<u32> {
        &self.column_indices
    }

    /// The value of each entry.
    #[must_use]
    pub fn values(&self) -> &UnifiedBuffer<T> {
        &self.values
    }

    /// The same matrix with other values.
    pub(in super::super) fn with_values(self, values: UnifiedBuffer<T>) -> Self {
        Self { values, ..self }
    }

    /// The device of the matrix.
    pub(super) fn device(&self) -> Device {
        Device::of(&self.values.core.device)
    }
}

/// Returns the number of entries of the longest row of arrays that form a matrix.
fn checked(shape: [usize; 2], offsets: &[u32], column_indices: &[u32], entries: usize) -> Result<u32, OperationError> {
    check::sizes(OPERATOR, shape, entries)?;
    check::length(OPERATOR, "offsets", shape[0] + 1, offsets.len())?;
    check::length(OPERATOR, "column indices", entries, column_indices.len())?;
    let longest = check::offsets(OPERATOR, offsets, entries)?;
    check::column_indices(OPERATOR, offsets, column_indices, shape[1])?;
    Ok(longest)
}

/// The error of memory that could not be allocated or read.
pub(super) fn memory(error: BufferError) -> OperationError {
    OperationError::Buffer { operator: OPERATOR.name(), error }
}

pub(super) const OPERATOR: Operator = Operator("sparse matrix");
