//! Files of sparse matrices: Matrix Market (`.mtx`) and SciPy's archives (`.npz`).

mod matrix_market;
mod npz;
mod zip;

use std::path::Path;

use crate::source::extension;

/// The extensions of the formats.
pub(crate) const EXTENSIONS: [&str; 2] = ["mtx", "npz"];

/// The entries of a sparse matrix, in any order. Entries of the same place are added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Coordinates {
    /// The numbers of rows and columns.
    pub(crate) shape: [u64; 2],
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl Coordinates {
    fn push(&mut self, [row, column]: [u32; 2], value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }
}

/// Parses a file in the format that its name ends in.
///
/// # Errors
/// An error text, without the file's name.
pub(crate) fn parse(path: &Path, file: &[u8]) -> Result<Coordinates, String> {
    match extension(path).as_str() {
        "mtx" => matrix_market::parse(file),
        "npz" => npz::parse(file),
        _ => Err("expected a sparse matrix, in a file that ends in .mtx or .npz: save it with scipy.io.mmwrite or \
                  scipy.sparse.save_npz"
            .to_owned()),
    }
}

/// Returns a file in the format that its name ends in. The entries are sorted by rows, then by columns, and `as_text`
/// is their notation.
///
/// # Errors
/// An error text, without the file's name.
pub(crate) fn write(path: &Path, matrix: &Coordinates, as_text: fn(f64) -> String) -> Result<Vec<u8>, String> {
    if extension(path) == "npz" { npz::write(matrix) } else { Ok(matrix_market::write(matrix, as_text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file that is cut off, or has another byte at any place, is read or refused.
    #[test]
    fn damaged_files_are_read_or_refused() {
        let matrix =
            Coordinates { shape: [3, 4], rows: vec![0, 0, 2], columns: vec![1, 3, 0], values: vec![0.5, -2.0, 1e30] };
        for name in ["a.mtx", "a.npz"] {
            let file = write(Path::new(name), &matrix, |value| format!("{value:?}")).unwrap();
            assert_eq!(parse(Path::new(name), &file), Ok(matrix.clone()), "{name}");
            let mut refused = 0;
            for at in 0..file.len() {
                let _ = parse(Path::new(name), &file[..at]);
                for byte in [0, b'9', b' ', 0xff, file[at] ^ 1] {
                    let mut other = file.clone();
                    other[at] = byte;
                    refused += usize::from(parse(Path::new(name), &other).is_err());
                }
            }
            assert!(refused > 50, "{name}: only {refused} were refused");
        }
        assert!(parse(Path::new("a.npy"), &[]).unwrap_err().contains("ends in .mtx or .npz"));
    }
}
