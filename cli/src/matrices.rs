//! Files of sparse matrices: Matrix Market (`.mtx`) and archives of `SciPy` (`.npz`).

use std::path::Path;

use anywarp::ops::{OperationError, SparseElement, SparseEntries, SparseMatrix};

use crate::source::extension;

/// The extensions of the formats.
pub(crate) const EXTENSIONS: [&str; 2] = ["mtx", "npz"];

/// Parses a file in the format that its name ends in.
///
/// # Errors
/// An error text, without the file's name.
pub(crate) fn parse(path: &Path, file: &[u8]) -> Result<SparseEntries, String> {
    let entries = match extension(path).as_str() {
        "mtx" => SparseEntries::from_matrix_market(file),
        "npz" => SparseEntries::from_npz(file),
        _ => {
            return Err(
                "expected a sparse matrix, in a file that ends in .mtx or .npz: save it with scipy.io.mmwrite or \
                        scipy.sparse.save_npz"
                    .to_owned(),
            );
        }
    };
    entries.map_err(problem)
}

/// Returns a file in the format that its name ends in.
///
/// # Errors
/// An error text, without the file's name.
pub(crate) fn write<T: SparseElement>(path: &Path, matrix: &SparseMatrix<T>) -> Result<Vec<u8>, String> {
    let file = if extension(path) == "npz" { matrix.to_npz() } else { matrix.to_matrix_market() };
    file.map_err(problem)
}

/// The text of an error without the name of a file.
fn problem(error: OperationError) -> String {
    match error {
        OperationError::File { problem, .. } => problem,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_known_ending_is_refused() {
        assert!(parse(Path::new("a.npy"), &[]).unwrap_err().contains("ends in .mtx or .npz"));
    }
}
