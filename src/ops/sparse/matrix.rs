//! Sparse matrices.

use std::sync::Arc;

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::element::SparseElement;
use super::format::Stored;
use super::{check, verify};
use crate::buffer::UnifiedBuffer;
use crate::buffer::core::Core;
use crate::device::Device;
use crate::error::BufferError;

/// A sparse matrix on a device, in CSR (compressed sparse rows).
///
/// The entries of row `i` are at the positions `offsets[i]..offsets[i + 1]` of two arrays, of their column indices and of
/// their values. Column indices may have any order within a row, and entries of the same place are added up. The arrays
/// are checked once, when the matrix is made, and never change afterwards. [`with_format`](Self::with_format) adds a copy
/// of the entries in another storage, which products read.
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
    /// The storage that products read in place of the arrays above.
    pub(super) stored: Option<Stored<T>>,
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
        let offsets = device.buffer_from(offsets).map_err(memory)?;
        let column_indices = device.buffer_from(column_indices).map_err(memory)?;
        let values = device.buffer_from(values).map_err(memory)?;
        Ok(Self::of_parts(shape, longest, (offsets, column_indices, values)))
    }

    /// As [`from_csr`](Self::from_csr), from buffers of one device. Offsets and column indices are checked there; the host
    /// waits, and reads elements only to name them in an error.
    ///
    /// # Errors
    /// As `from_csr`; buffers of two devices, and an existing guard, are errors too.
    pub fn from_buffers(
        shape: [usize; 2],
        offsets: UnifiedBuffer<u32>,
        column_indices: UnifiedBuffer<u32>,
        values: UnifiedBuffer<T>,
    ) -> Result<Self, OperationError> {
        one_device(OPERATOR, &values.core, &[("offsets", &offsets.core), ("column indices", &column_indices.core)])?;
        lengths(shape, offsets.len(), column_indices.len(), values.len())?;
        let longest = verify::csr(&Device::of(&values.core.device), shape, &offsets, &column_indices)?;
        Ok(Self::of_parts(shape, longest, (offsets, column_indices, values)))
    }

    /// A matrix of arrays on its device that need no check; `longest` is the number of entries of the longest row.
    pub(super) fn of_parts(
        [rows, columns]: [usize; 2],
        longest: u32,
        (offsets, column_indices, values): (UnifiedBuffer<u32>, UnifiedBuffer<u32>, UnifiedBuffer<T>),
    ) -> Self {
        Self { rows, columns, longest, offsets, column_indices, values, stored: None }
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

    /// Returns the matrix with other values, an element for each entry, on the same device and in the same format.
    ///
    /// # Errors
    /// [`OperationError::Length`] for another number of elements, [`OperationError::OtherDevice`], and the errors of
    /// [`with_format`](Self::with_format).
    pub fn with_values(self, values: UnifiedBuffer<T>) -> Result<Self, OperationError> {
        check::length(OPERATOR, "values", self.entries(), values.len())?;
        one_device(OPERATOR, &self.values.core, &[("values", &values.core)])?;
        let format = self.format();
        Self { values, stored: None, ..self }.with_format(format)
    }

    /// The offsets, the column indices and the values.
    pub(super) fn into_parts(self) -> (UnifiedBuffer<u32>, UnifiedBuffer<u32>, UnifiedBuffer<T>) {
        (self.offsets, self.column_indices, self.values)
    }

    /// Returns an error unless the matrix is on the device of another one.
    pub(super) fn on_device_of(&self, operator: Operator, other: &Self, name: &str) -> Result<(), OperationError> {
        one_device(operator, &other.values.core, &[(name, &self.values.core)])
    }

    /// The device of the matrix.
    pub(super) fn device(&self) -> Device {
        Device::of(&self.values.core.device)
    }
}

/// Returns the number of entries of the longest row of arrays that form a matrix.
fn checked(shape: [usize; 2], offsets: &[u32], column_indices: &[u32], entries: usize) -> Result<u32, OperationError> {
    lengths(shape, offsets.len(), column_indices.len(), entries)?;
    let longest = check::offsets(OPERATOR, offsets, entries)?;
    check::column_indices(OPERATOR, offsets, column_indices, shape[1])?;
    Ok(longest)
}

/// Returns an error for arrays whose lengths do not suit the shape.
fn lengths(shape: [usize; 2], offsets: usize, column_indices: usize, entries: usize) -> Result<(), OperationError> {
    check::sizes(OPERATOR, shape, entries)?;
    check::length(OPERATOR, "offsets", shape[0] + 1, offsets)?;
    check::length(OPERATOR, "column indices", entries, column_indices)
}

/// Returns an error unless all buffers are on the device of the first one.
pub(super) fn one_device(
    operator: Operator,
    first: &Core,
    others: &[(&str, &Arc<Core>)],
) -> Result<(), OperationError> {
    match others.iter().find(|(_, core)| !Arc::ptr_eq(&core.device, &first.device)) {
        Some((name, core)) => {
            Err(operator.other_device(&first.device, format!("'{name}'"), core.device.selector.clone()))
        }
        None => Ok(()),
    }
}

/// The error of memory that could not be allocated or read.
pub(super) fn memory(error: BufferError) -> OperationError {
    OperationError::Buffer { operator: OPERATOR.name(), error }
}

pub(super) const OPERATOR: Operator = Operator("sparse matrix");
