//! Conversions of a sparse matrix to and from other forms.

use super::super::error::OperationError;
use super::element::SparseElement;
use super::matrix::{OPERATOR, SparseMatrix, memory, one_device};
use super::places::Places;
use super::{check, verify};
use crate::buffer::Slice;
use crate::device::Device;

/// The row indices, the column indices and the values of entries.
type Coordinates<T> = (Vec<u32>, Vec<u32>, Vec<T>);

impl<T: SparseElement> SparseMatrix<T> {
    /// A matrix of shape `[rows, columns]` from the row index, the column index and the value of each entry, in any
    /// order. The entries are sorted on the device.
    ///
    /// Values of the same place are added up in the type of the elements, `f64` for a matrix of `f64`: one after the other,
    /// in the order of the arguments, so that every device returns the same bits. If a place has more than 256 values, sums
    /// of all places are those of [`reduce::sum`](super::super::reduce::sum) in segments, whose order depends only on the
    /// numbers of values and the device: repeated calls on a device return the same bits.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::SparseMatrix;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let matrix = SparseMatrix::from_coo(&device, [2, 2], &[1, 0, 1], &[0, 1, 0], &[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(matrix.to_dense()?, [0.0, 2.0, 4.0, 0.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`] for arrays of different lengths, an index that is out of range, 2^31 - 2^16 rows and entries or
    /// more, values of the same place of type `f64` on a device without it, or if memory cannot be allocated.
    pub fn from_coo(
        device: &Device,
        shape: [usize; 2],
        row_indices: &[u32],
        column_indices: &[u32],
        values: &[T],
    ) -> Result<Self, OperationError> {
        check::coordinates(OPERATOR, shape, [row_indices.len(), column_indices.len(), values.len()])?;
        let upload = |indices: &[u32]| device.buffer_from(indices).map_err(memory);
        let (rows, columns) = (upload(row_indices)?, upload(column_indices)?);
        let values = device.buffer_from(values).map_err(memory)?;
        Self::from_coo_buffers(shape, &rows, &columns, &values)
    }

    /// As [`from_coo`](Self::from_coo), from buffers or slices on one device, which keep their contents. The call waits
    /// for the device.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::SparseMatrix;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let (rows, columns) = (device.buffer_from(&[1u32, 0, 1])?, device.buffer_from(&[0u32, 1, 0])?);
    /// let values = device.buffer_from(&[1.0f32, 2.0, 3.0])?;
    /// let matrix = SparseMatrix::from_coo_buffers([2, 2], &rows, &columns, &values)?;
    /// assert_eq!(matrix.to_dense()?, [0.0, 2.0, 4.0, 0.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As `from_coo`; arrays of two devices, a slice out of range, and an existing guard are errors too.
    pub fn from_coo_buffers<'a>(
        shape: [usize; 2],
        row_indices: impl Into<Slice<'a, u32>>,
        column_indices: impl Into<Slice<'a, u32>>,
        values: impl Into<Slice<'a, T>>,
    ) -> Result<Self, OperationError> {
        let (rows, columns, values) = (row_indices.into(), column_indices.into(), values.into());
        check::coordinates(OPERATOR, shape, [rows.len(), columns.len(), values.len()])?;
        one_device(OPERATOR, values.core, &[("row indices", rows.core), ("column indices", columns.core)])?;
        let device = &Device::of(&values.core.device);
        verify::coo(device, shape, rows, columns)?;
        let mut entries = Places::of(device, rows, columns, values)?;
        entries.sort(shape, true)?;
        entries.merge(device)?.into_matrix(device, shape)
    }

    /// Returns the row index, the column index and the value of each entry, row by row.
    ///
    /// # Errors
    /// [`OperationError::Buffer`] if the arrays cannot be read.
    pub fn to_coo(&self) -> Result<Coordinates<T>, OperationError> {
        let offsets = self.offsets().read().map_err(memory)?;
        let lengths = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        let rows = lengths.enumerate().flat_map(|(row, length)| std::iter::repeat_n(row as u32, length)).collect();
        let columns = self.column_indices().read().map_err(memory)?.to_vec();
        Ok((rows, columns, self.values().read().map_err(memory)?.to_vec()))
    }

    /// Returns the transposed matrix, on the same device. Its column indices rise in each row, and entries of the same
    /// place are added up in the type of the elements. The entries are sorted on the device, for which the call waits.
    ///
    /// The arrays of the transposed matrix are those of this matrix in CSC (compressed sparse columns): a matrix in CSC is
    /// made by [`from_csr`](Self::from_csr) or [`from_buffers`](Self::from_buffers) with the shape `[columns, rows]`, and
    /// transposed.
    ///
    /// # Errors
    /// [`OperationError`] if memory cannot be allocated, for an existing guard, and for entries of the same place of type
    /// `f64` on a device without it.
    pub fn transpose(&self) -> Result<Self, OperationError> {
        let (device, shape) = (self.device(), [self.columns(), self.rows()]);
        check::sizes(OPERATOR, shape, self.entries())?;
        let mut entries = Places::new(&device, self.entries())?;
        Places::write_entries(self, true, entries.places.slice_mut(..))?;
        entries.values.copy_from(self.values()).map_err(memory)?;
        // Entries are sorted by the rows of this matrix already.
        entries.sort(shape, false)?;
        entries.merge(&device)?.into_matrix(&device, shape)
    }

    /// A matrix with the elements of a dense matrix of shape `[rows, columns]`, row by row, that are not zero.
    ///
    /// # Errors
    /// As [`from_csr`](Self::from_csr); another number of elements than the shape has is an error.
    pub fn from_dense(device: &Device, shape: [usize; 2], elements: &[T]) -> Result<Self, OperationError> {
        let [rows, columns] = shape;
        check::sizes(OPERATOR, shape, 0)?;
        check::length(OPERATOR, "elements", rows.saturating_mul(columns), elements.len())?;
        let (mut offsets, mut indices, mut values) = (vec![0u32], Vec::new(), Vec::new());
        for row in 0..rows {
            for column in 0..columns {
                let element = elements[row * columns + column];
                if element.wide() != 0.0 {
                    indices.push(column as u32);
                    values.push(element);
                }
            }
            offsets.push(values.len() as u32);
        }
        Self::from_csr(device, shape, &offsets, &indices, &values)
    }

    /// The matrix of the Poisson equation on a grid of one to three axes, with unit distances and zeros around the grid:
    /// twice the number of axes on the diagonal, and -1 for each neighbour. Points are numbered row by row, so that those
    /// of the last axis are consecutive. [`Multigrid`](super::super::Multigrid) solves equations with it.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::SparseMatrix;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let a = SparseMatrix::<f32>::poisson(&device, &[3])?;
    /// assert_eq!(a.to_dense()?, [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`from_csr`](Self::from_csr); another number of axes is an error.
    pub fn poisson(device: &Device, grid: &[usize]) -> Result<Self, OperationError> {
        if !(1..=3).contains(&grid.len()) {
            return Err(OPERATOR.choice("a grid of", "use one to three axes", format!("{} axes", grid.len())));
        }
        let count = grid.iter().try_fold(1usize, |count, extent| count.checked_mul(*extent)).unwrap_or(usize::MAX);
        check::sizes(OPERATOR, [count, count], count.saturating_mul(2 * grid.len() + 1))?;
        let (mut offsets, mut indices, mut values) = (vec![0u32], Vec::new(), Vec::new());
        let strides: Vec<usize> = (0..grid.len()).map(|axis| grid[axis + 1..].iter().product()).collect();
        for row in 0..count {
            let places: Vec<(usize, usize)> =
                grid.iter().zip(&strides).map(|(extent, stride)| (row / stride % extent, *stride)).collect();
            let before = places.iter().filter(|(place, _)| *place > 0).map(|(_, stride)| row - stride);
            let after = places.iter().zip(grid).rev().filter(|((place, _), extent)| place + 1 < **extent);
            let entries = before.map(|column| (column, -1.0)).chain([(row, 2.0 * grid.len() as f64)]);
            for (column, value) in entries.chain(after.map(|((_, stride), _)| (row + stride, -1.0))) {
                indices.push(column as u32);
                values.push(T::of(value));
            }
            offsets.push(values.len() as u32);
        }
        Self::from_csr(device, [count; 2], &offsets, &indices, &values)
    }

    /// Returns the elements of the dense matrix, row by row. Entries of the same place are added up, in `f64`.
    ///
    /// # Errors
    /// [`OperationError::Buffer`] if the arrays cannot be read, and [`OperationError::TooLarge`] if the dense matrix has
    /// 2^31 - 2^16 elements or more.
    pub fn to_dense(&self) -> Result<Vec<T>, OperationError> {
        let count = check::dense(OPERATOR, [self.rows(), self.columns()])?;
        let mut sums = vec![0.0; count];
        let (rows, columns, values) = self.to_coo()?;
        for ((row, column), value) in rows.iter().zip(&columns).zip(values) {
            sums[*row as usize * self.columns() + *column as usize] += value.wide();
        }
        Ok(sums.into_iter().map(T::of).collect())
    }
}
