//! The entries of a file.

use super::super::super::error::OperationError;
use super::super::element::SparseElement;
use super::super::matrix::SparseMatrix;
use super::{content, matrix_market};
use crate::device::Device;

/// The row index, the column index and the value of an entry.
pub(super) type Entry = (u32, u32, f64);

/// The entries of a sparse matrix on the host, in any order, as files have them: the contents of a file in memory, without
/// a device. Entries of the same place are added up.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseEntries, SparseMatrix};
///
/// let file = b"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n";
/// let entries = SparseEntries::from_matrix_market(file)?;
/// assert_eq!(entries.iter().collect::<Vec<_>>(), [(0, 0, 4.0), (1, 0, -1.0), (0, 1, -1.0)]);
/// let matrix = SparseMatrix::<f32>::from_entries(&anywarp::Device::open("cpu")?, &entries)?;
/// assert_eq!(matrix.to_dense()?, [4.0, -1.0, -1.0, 0.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SparseEntries {
    /// The numbers of rows and columns.
    pub shape: [usize; 2],
    /// The row index of each entry.
    pub rows: Vec<u32>,
    /// The column index of each entry.
    pub columns: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<f64>,
}

impl SparseEntries {
    /// No entries of a matrix of shape `[rows, columns]`.
    #[must_use]
    pub fn new(shape: [usize; 2]) -> Self {
        Self { shape, ..Self::default() }
    }

    /// Parses the contents of a file of Matrix Market: coordinates or an array, of real numbers, of integers or of places
    /// without values (a pattern, whose values are 1), of a general, symmetric or skew-symmetric matrix. Elements of an
    /// array that are 0 are no entries. The entries that a symmetric file leaves out are entries of the result.
    ///
    /// # Errors
    /// [`OperationError::File`] with the line. Memory grows with the entries that are read, whatever number the file claims.
    pub fn from_matrix_market(file: &[u8]) -> Result<Self, OperationError> {
        matrix_market::parse(file).map_err(content("the bytes"))
    }

    /// Parses an archive of `scipy.sparse.save_npz` in CSR, CSC, COO or BSR, with real numbers or integers.
    ///
    /// # Errors
    /// [`OperationError::File`] with the array of the archive. Memory is at most some thousand times that of the file.
    #[cfg(feature = "npz")]
    pub fn from_npz(file: &[u8]) -> Result<Self, OperationError> {
        super::npz::parse(file).map_err(content("the bytes"))
    }

    /// The row index, the column index and the value of each entry.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let places = self.rows.iter().zip(&self.columns);
        places.zip(&self.values).map(|((row, column), value)| (*row, *column, *value))
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, [row, column]: [u32; 2], value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }
}

impl<T: SparseElement> SparseMatrix<T> {
    /// The matrix of entries on the host, whose values are rounded to the type of the elements: see
    /// [`from_coo`](Self::from_coo).
    ///
    /// # Errors
    /// As `from_coo`.
    pub fn from_entries(device: &Device, entries: &SparseEntries) -> Result<Self, OperationError> {
        let values: Vec<T> = entries.values.iter().map(|value| T::of(*value)).collect();
        Self::from_coo(device, entries.shape, &entries.rows, &entries.columns, &values)
    }
}
