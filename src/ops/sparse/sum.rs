//! Sums of two sparse matrices.

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::check;
use super::element::SparseElement;
use super::matrix::{SparseMatrix, memory};
use super::places::{Elementwise, Places, elementwise};

/// Computes `alpha * a + beta * b` for two sparse matrices of one shape, as a sparse matrix with sorted entries, one for
/// each place that has an entry in `a` or in `b`. A sum that is 0 keeps its entry. The factors are rounded to the type of
/// the elements. The call waits for the device.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, sparse_sum};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[1.0f32, 2.0, 0.0, 3.0])?;
/// let sum = sparse_sum(2.0, &a, -1.0, &a.transpose()?)?;
/// assert_eq!(sum.to_dense()?, [1.0, 4.0, -2.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for matrices of different shapes or of two devices, 2^31 - 2^16 rows and entries or more, `f64` on a
/// device without it, or if memory cannot be allocated.
pub fn sparse_sum<T: SparseElement>(
    alpha: f64,
    a: &SparseMatrix<T>,
    beta: f64,
    b: &SparseMatrix<T>,
) -> Result<SparseMatrix<T>, OperationError> {
    let shape = [a.rows(), a.columns()];
    if shape != [b.rows(), b.columns()] {
        let expected = format!("use the shape of a, {} x {}", a.rows(), a.columns());
        return Err(OPERATOR.choice("a matrix b of", expected, format!("{} x {}", b.rows(), b.columns())));
    }
    b.on_device_of(OPERATOR, a, "b")?;
    let (device, count) = (a.device(), a.entries() + b.entries());
    check::sizes(OPERATOR, shape, count)?;
    let mut all = Places::new(&device, count)?;
    for (factor, matrix, range) in [(alpha, a, 0..a.entries()), (beta, b, a.entries()..count)] {
        Places::write_entries(matrix, false, all.places.slice_mut(range.clone()))?;
        let factor = device.buffer_from(&[T::of(factor)]).map_err(memory)?;
        SCALED.call(&device).run((matrix.values(), &factor), all.values.slice_mut(range))?;
    }
    all.sort(shape, true)?;
    all.merge(&device)?.into_matrix(&device, shape)
}

static SCALED: Elementwise =
    LazyLock::new(|| elementwise("multiple", "values: T, raw factor: T", "scaled: T", "scaled = factor[0] * values"));

const OPERATOR: Operator = Operator("sparse sum");
