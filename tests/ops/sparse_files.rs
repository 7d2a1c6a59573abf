//! Files of sparse matrices, from the library.

use std::path::PathBuf;

use anywarp::Device;
use anywarp::ops::{OperationError, SparseElement, SparseEntries, SparseMatrix};

use crate::outcome::{TestResult, ensure, equal, refused, same};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 3] = [
        ("sparse_files::round_trips", round_trips),
        ("sparse_files::forms", forms),
        ("sparse_files::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

/// A file of this process, removed in the end.
struct File(PathBuf);

impl File {
    fn new(device: &Device, name: &str) -> Self {
        let device = device.caps().name.replace(|letter: char| !letter.is_alphanumeric(), "-");
        Self(std::env::temp_dir().join(format!("anywarp-{}-{device}-{name}", std::process::id())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

fn round_trip<T: SparseElement + PartialEq + std::fmt::Debug>(device: &Device, values: [T; 4]) -> TestResult {
    let kind = std::any::type_name::<T>();
    let mtx = File::new(device, &format!("{kind}.mtx"));
    let matrix = SparseMatrix::from_csr(device, [3, 4], &[0, 2, 2, 4], &[3, 1, 0, 2], &values)?;
    matrix.write_matrix_market(&mtx.0)?;
    // Rows are written in the order of columns.
    let [a, b, c, d] = values;
    let sorted = (vec![0, 0, 2, 2], vec![1, 3, 0, 2], vec![b, a, c, d]);
    let again = SparseMatrix::<T>::read_matrix_market(device, &mtx.0)?;
    same(&[again.rows(), again.columns()], &[3, 4], "the shape")?;
    equal(again.to_coo()?, sorted.clone(), kind)?;
    #[cfg(feature = "npz")]
    {
        let npz = File::new(device, &format!("{kind}.npz"));
        matrix.write_npz(&npz.0)?;
        let again = SparseMatrix::<T>::read_npz(device, &npz.0)?;
        same(&[again.rows(), again.columns()], &[3, 4], "the shape")?;
        equal(again.to_coo()?, sorted.clone(), kind)?;
    }
    Ok(())
}

fn round_trips(device: &Device) -> TestResult {
    round_trip(device, [0.1f32, -1e30, 1.0 / 3.0, 0.0])?;
    round_trip(device, [0.1f64, -1e300, 1.0 / 3.0, 5e-324])?;
    let none = SparseMatrix::<f32>::from_csr(device, [0, 5], &[0], &[], &[])?;
    let again = SparseEntries::from_matrix_market(&none.to_matrix_market()?)?;
    let again = SparseMatrix::<f32>::from_entries(device, &again)?;
    same(&[again.rows(), again.columns(), again.entries()], &[0, 5, 0], "no rows")?;
    let poisson = SparseMatrix::<f32>::poisson(device, &[3])?;
    let text = String::from_utf8(poisson.to_matrix_market()?)?;
    ensure(text.starts_with("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2.0\n2 1 -1.0\n"), || {
        text.clone()
    })
}

/// The forms of Matrix Market are the same matrix.
fn forms(device: &Device) -> TestResult {
    let dense = |text: &str| -> TestResult<Vec<f32>> {
        let entries = SparseEntries::from_matrix_market(text.as_bytes())?;
        Ok(SparseMatrix::<f32>::from_entries(device, &entries)?.to_dense()?)
    };
    for text in [
        "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 -2.5\n1 2 -2.5\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 0.5\n2 1 -2.5\n1 2 -2.5\n1 1 0.5\n",
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 -2.5\n",
        "%%MatrixMarket matrix array real general\n2 2\n1\n-2.5\n-2.5\n0\n",
        "%%MatrixMarket matrix array real symmetric\n2 2\n1\n-2.5\n0\n",
    ] {
        same(&dense(text)?, &[1.0, -2.5, -2.5, 0.0], text)?;
    }
    let skew = "%%MatrixMarket matrix array integer skew-symmetric\n2 2\n3\n";
    same(&dense(skew)?, &[0.0, -3.0, 3.0, 0.0], "skew-symmetric")?;
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2\n";
    same(&dense(pattern)?, &[0.0, 0.0, 0.0, 1.0], "a pattern")
}

fn refusals(device: &Device) -> TestResult {
    let file = File::new(device, "refused.mtx");
    let name = file.0.display().to_string();
    let is_file = |error: &OperationError| matches!(error, OperationError::File { .. });
    let read = |contents: &[u8]| -> TestResult<Result<SparseMatrix<f32>, OperationError>> {
        std::fs::write(&file.0, contents)?;
        Ok(SparseMatrix::read_matrix_market(device, &file.0))
    };
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let wrong = read(format!("{head}2 2 1\n3 1 1\n").as_bytes())?.map(drop);
    refused(wrong, is_file, &["sparse matrix", &name, "line 3: expected a row from 1 to 2, found '3'"])?;
    let truncated = read(format!("{head}2 2 18446744073709551615\n1 1 1\n").as_bytes())?.map(drop);
    refused(truncated, is_file, &[&name, "found 1: the file is truncated"])?;
    // Sizes beyond the library's are refused before memory is allocated.
    let huge = read(format!("{head}4000000000 4000000000 1\n1 1 1\n").as_bytes())?.map(drop);
    refused(huge, |error| matches!(error, OperationError::TooLarge { .. }), &["sparse matrix"])?;
    refused(read(&[0xff; 9])?.map(drop), is_file, &[&name, "line 1"])?;
    #[cfg(feature = "npz")]
    {
        let archive = SparseMatrix::<f32>::read_npz(device, &file.0).map(drop);
        refused(archive, is_file, &[&name, "expected a .npz archive"])?;
    }
    let nowhere = SparseMatrix::<f32>::read_matrix_market(device, "/nowhere/a.mtx").map(drop);
    refused(nowhere, is_file, &["'/nowhere/a.mtx': expected a file to read"])?;
    let matrix = SparseMatrix::<f32>::poisson(device, &[2])?;
    refused(matrix.write_matrix_market("/nowhere/a.mtx"), is_file, &["'/nowhere/a.mtx': expected a file to write"])
}
