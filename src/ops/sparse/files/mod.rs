//! Files of sparse matrices: Matrix Market (`.mtx`), and archives of `SciPy` (`.npz`).

mod entries;
mod matrix_market;
#[cfg(feature = "npz")]
mod npz;
#[cfg(feature = "npz")]
mod zip;

use std::path::Path;

use super::super::error::OperationError;
use super::element::SparseElement;
use super::matrix::{OPERATOR, SparseMatrix};
use crate::device::Device;
use entries::Entry;
pub use entries::SparseEntries;

impl<T: SparseElement> SparseMatrix<T> {
    /// Reads a file of Matrix Market (`.mtx`), and makes the matrix on a device. Numbers are rounded to the type of the
    /// elements; [`SparseEntries::from_matrix_market`] lists the forms of files.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::SparseMatrix;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let path = std::env::temp_dir().join(format!("anywarp-{}.mtx", std::process::id()));
    /// let matrix = SparseMatrix::<f32>::poisson(&device, &[3])?;
    /// matrix.write_matrix_market(&path)?;
    /// let again = SparseMatrix::<f32>::read_matrix_market(&device, &path)?;
    /// assert_eq!(again.to_coo()?, matrix.to_coo()?);
    /// # std::fs::remove_file(&path).ok();
    ///
    /// let error = SparseMatrix::<f32>::read_matrix_market(&device, "nowhere.mtx").err().unwrap();
    /// assert!(error.to_string().starts_with("sparse matrix: 'nowhere.mtx': "));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::File`] with the file and the line, and those of [`from_coo`](Self::from_coo).
    pub fn read_matrix_market(device: &Device, path: impl AsRef<Path>) -> Result<Self, OperationError> {
        let (bytes, name) = read(path.as_ref())?;
        let entries = matrix_market::parse(&bytes).map_err(content(&name))?;
        Self::from_entries(device, &entries)
    }

    /// Returns the contents of a file of Matrix Market: real coordinates, row by row, each number in its shortest notation
    /// that is read back as the same one. A symmetric or skew-symmetric matrix is written as its lower half.
    ///
    /// # Errors
    /// [`OperationError::Buffer`] if the arrays cannot be read.
    pub fn to_matrix_market(&self) -> Result<Vec<u8>, OperationError> {
        let notation = |value: f64| if T::WIDE { format!("{value:?}") } else { format!("{:?}", value as f32) };
        Ok(matrix_market::write([self.rows(), self.columns()], &self.sorted()?, notation))
    }

    /// Writes a file of Matrix Market with the contents of [`to_matrix_market`](Self::to_matrix_market).
    ///
    /// # Errors
    /// [`OperationError::File`] if the file cannot be written, and those of `to_matrix_market`.
    pub fn write_matrix_market(&self, path: impl AsRef<Path>) -> Result<(), OperationError> {
        write(path.as_ref(), &self.to_matrix_market()?)
    }

    /// Reads an archive of `scipy.sparse.save_npz` in CSR, CSC, COO or BSR, and makes the matrix on a device. Numbers are
    /// rounded to the type of the elements. Needs the feature `npz`.
    ///
    /// # Errors
    /// [`OperationError::File`] with the file and the array of the archive, and those of [`from_coo`](Self::from_coo).
    #[cfg(feature = "npz")]
    pub fn read_npz(device: &Device, path: impl AsRef<Path>) -> Result<Self, OperationError> {
        let (bytes, name) = read(path.as_ref())?;
        let entries = npz::parse(&bytes).map_err(content(&name))?;
        Self::from_entries(device, &entries)
    }

    /// Returns the contents of an archive that `scipy.sparse.load_npz` reads: CSR with sorted columns and values of the
    /// type of the elements. Needs the feature `npz`.
    ///
    /// # Errors
    /// [`OperationError::File`] for 4 GiB or more, [`OperationError::Buffer`] if the arrays cannot be read.
    #[cfg(feature = "npz")]
    pub fn to_npz(&self) -> Result<Vec<u8>, OperationError> {
        npz::write([self.rows(), self.columns()], &self.sorted()?, T::WIDE).map_err(content("the archive"))
    }

    /// Writes an archive with the contents of [`to_npz`](Self::to_npz). Needs the feature `npz`.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::SparseMatrix;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let path = std::env::temp_dir().join(format!("anywarp-{}.npz", std::process::id()));
    /// let matrix = SparseMatrix::<f64>::poisson(&device, &[2, 2])?;
    /// matrix.write_npz(&path)?;
    /// assert_eq!(SparseMatrix::<f64>::read_npz(&device, &path)?.to_coo()?, matrix.to_coo()?);
    /// # std::fs::remove_file(&path).ok();
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::File`] if the file cannot be written, and those of `to_npz`.
    #[cfg(feature = "npz")]
    pub fn write_npz(&self, path: impl AsRef<Path>) -> Result<(), OperationError> {
        write(path.as_ref(), &self.to_npz()?)
    }

    /// The entries, sorted by rows, then by columns; those of the same place keep their order.
    fn sorted(&self) -> Result<Vec<Entry>, OperationError> {
        let (rows, columns, values) = self.to_coo()?;
        let places = rows.into_iter().zip(columns);
        let mut entries: Vec<Entry> =
            places.zip(values).map(|((row, column), value)| (row, column, value.wide())).collect();
        entries.sort_by_key(|(row, column, _)| (*row, *column));
        Ok(entries)
    }
}

/// The contents of a file, and its name for errors.
fn read(path: &Path) -> Result<(Vec<u8>, String), OperationError> {
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => Ok((bytes, name)),
        Err(error) => Err(content(&name)(format!("expected a file to read, {error}"))),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), OperationError> {
    let problem = |error: std::io::Error| format!("expected a file to write, {error}");
    std::fs::write(path, bytes).map_err(|error| content(&path.display().to_string())(problem(error)))
}

/// The error of a file with a problem.
fn content(file: &str) -> impl Fn(String) -> OperationError {
    move |problem| OperationError::File { operator: OPERATOR.name(), file: file.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: [Entry; 3] = [(0, 1, 0.5), (0, 3, -2.0), (2, 0, 1e30)];

    type Parse = fn(&[u8]) -> Result<SparseEntries, String>;

    /// Every file that is cut off, or has another byte at any place, is read or refused.
    fn damaged(file: &[u8], parse: Parse) {
        let read = parse(file).unwrap();
        assert_eq!((read.shape, read.iter().collect::<Vec<_>>()), ([3, 4], ENTRIES.to_vec()));
        let mut refused = 0;
        for at in 0..file.len() {
            let _ = parse(&file[..at]);
            for byte in [0, b'9', b' ', 0xff, file[at] ^ 1] {
                let mut other = file.to_vec();
                other[at] = byte;
                refused += usize::from(parse(&other).is_err());
            }
        }
        assert!(refused > 50, "only {refused} were refused");
    }

    #[test]
    fn damaged_texts_are_read_or_refused() {
        damaged(&matrix_market::write([3, 4], &ENTRIES, |value| format!("{value:?}")), matrix_market::parse);
    }

    #[cfg(feature = "npz")]
    #[test]
    fn damaged_archives_are_read_or_refused() {
        damaged(&npz::write([3, 4], &ENTRIES, true).unwrap(), npz::parse);
    }
}
