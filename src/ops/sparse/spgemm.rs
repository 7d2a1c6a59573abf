//! Products of two sparse matrices.
//!
//! All products of elements are written, sorted by place, and added up, as in Bell, Dalton and Olson, 'Exposing
//! Fine-Grained Parallelism in Algebraic Multigrid Methods' (2012). Pieces of whole rows bound the memory.

use std::ops::Range;
use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::moving::MAX_ELEMENTS;
use super::super::operator::Operator;
use super::super::reduction::ReductionKernel;
use super::super::scan::Scan;
use super::check;
use super::element::SparseElement;
use super::matrix::{SparseMatrix, memory};
use super::places::{Elementwise, FIND_ROW, Places, elementwise};
use crate::device::Device;
use crate::submit::Destination;

/// The number of products of a piece of several rows: 256 MiB of places, values and their copies for the sort.
const PIECE: u64 = 1 << 23;

/// Computes `a * b`, the product of two sparse matrices, as a sparse matrix. Each row has one entry for each column with
/// products of entries, in the order of columns; a sum that is 0 keeps its entry.
///
/// The products of entries are written, sorted by place and added up, for as many rows at a time as have 2^23 products
/// together, so that the time depends on the number of products and hardly on the lengths of the rows. Sums are computed
/// in the type of the elements. Repeated calls on a device return the same bits. The call waits for the device, as the
/// numbers of products and entries decide about memory.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, spgemm};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [2, 2], &[1.0f32, 2.0, 0.0, 3.0])?;
/// let b = SparseMatrix::from_dense(&device, [2, 3], &[0.0f32, 4.0, 0.0, 5.0, 0.0, 0.0])?;
/// assert_eq!(spgemm(&a, &b)?.to_dense()?, [10.0, 4.0, 0.0, 15.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] if `b` has another number of rows than `a` has columns, for matrices of two devices, 2^31 - 2^16
/// products of one row or entries of the product or more, `f64` on a device without it, or if memory cannot be allocated.
pub fn spgemm<T: SparseElement>(a: &SparseMatrix<T>, b: &SparseMatrix<T>) -> Result<SparseMatrix<T>, OperationError> {
    multiply(a, b, PIECE)
}

/// [`spgemm`] with pieces of this number of products.
pub(super) fn multiply<T: SparseElement>(
    a: &SparseMatrix<T>,
    b: &SparseMatrix<T>,
    piece: u64,
) -> Result<SparseMatrix<T>, OperationError> {
    if a.columns() != b.rows() {
        let expected = format!("use {} rows, the number of columns of a", a.columns());
        return Err(OPERATOR.choice("a matrix b of", expected, format!("{} rows", b.rows())));
    }
    b.on_device_of(OPERATOR, a, "b")?;
    let (device, shape) = (a.device(), [a.rows(), b.columns()]);
    check::sizes(OPERATOR, shape, 0)?;
    let mut parts: Vec<Places<T>> = Vec::new();
    if a.entries() > 0 && b.entries() > 0 {
        let mut lengths = device.scratch::<u32>(a.entries(), &Destination::Own).map_err(memory)?;
        LENGTHS.call(&device).run((a.column_indices(), b.offsets()), &mut lengths)?;
        let mut totals = device.scratch::<u32>(a.rows(), &Destination::Own).map_err(memory)?;
        TOTALS.call(&device).segments(a.offsets()).run(&lengths, &mut totals)?;
        let totals = totals.read().map_err(memory)?.to_vec();
        let offsets = a.offsets().read().map_err(memory)?.to_vec();
        if let Some(row) = totals.iter().position(|total| u64::from(*total) >= MAX_ELEMENTS) {
            let argument = format!("the products of row {row} of a");
            return Err(OPERATOR.too_large(&argument, vec![totals[row] as usize], MAX_ELEMENTS));
        }
        for rows in pieces(&totals, piece) {
            let count = totals[rows.clone()].iter().map(|total| *total as usize).sum();
            let entries = offsets[rows.start] as usize..offsets[rows.end] as usize;
            let mut starts = device.scratch::<u32>(entries.len(), &Destination::Own).map_err(memory)?;
            Scan::sum().exclusive().run(lengths.slice(entries.clone()), &mut starts)?;
            let mut sources = device.scratch::<[u32; 2]>(entries.len(), &Destination::Own).map_err(memory)?;
            let columns = a.column_indices().slice(entries.clone());
            let first = entries.start as u32;
            let inputs = (a.offsets(), a.rows() as u32, columns, first, b.offsets());
            SOURCES.call(&device).run(inputs, &mut sources)?;
            let mut products = Places::<T>::new(&device, count)?;
            let rows = (&starts, &sources, entries.len() as u32, first);
            let inputs = (rows.0, rows.1, rows.2, rows.3, a.values(), b.column_indices(), b.values());
            PRODUCTS.call(&device).run(inputs, (&mut products.places, &mut products.values))?;
            products.sort(shape, true)?;
            parts.push(products.merge(&device)?);
        }
    }
    joined(&device, parts)?.into_matrix(&device, shape)
}

/// The places and values of all parts, one after the other.
fn joined<T: SparseElement>(device: &Device, mut parts: Vec<Places<T>>) -> Result<Places<T>, OperationError> {
    if parts.len() == 1 {
        return Ok(parts.remove(0));
    }
    let count: u64 = parts.iter().map(|part| part.values.len() as u64).sum();
    if count >= MAX_ELEMENTS {
        let entries = usize::try_from(count).unwrap_or(usize::MAX);
        return Err(OPERATOR.too_large("the entries of the product", vec![entries], MAX_ELEMENTS));
    }
    let mut all = Places::new(device, count as usize)?;
    let mut start = 0;
    for part in parts {
        let range = start..start + part.values.len();
        start = range.end;
        all.places.slice_mut(range.clone()).copy_from(&part.places).map_err(memory)?;
        all.values.slice_mut(range).copy_from(&part.values).map_err(memory)?;
    }
    Ok(all)
}

/// Divides rows into pieces of at most `limit` products, or of one row. Pieces without products are left out.
fn pieces(totals: &[u32], limit: u64) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (row, total) in totals.iter().enumerate() {
        let total = u64::from(*total);
        if sum > 0 && sum + total > limit {
            all.push(start..row);
            (start, sum) = (row, 0);
        }
        sum += total;
    }
    if sum > 0 {
        all.push(start..totals.len());
    }
    all
}

/// The number of products of each entry of `a`.
static LENGTHS: Elementwise = LazyLock::new(|| {
    elementwise(
        "products",
        "columns: u32, raw offsets: u32",
        "lengths: u32",
        "lengths = offsets[columns + 1u] - offsets[columns]",
    )
});

/// The sum of these numbers; the greatest number if that is exceeded.
static TOTALS: LazyLock<ReductionKernel> = LazyLock::new(|| {
    let kernel = ReductionKernel::new("lengths: u32", "total: u32").expect("the parameters are valid");
    kernel.name("products of rows of a sparse matrix").combine("a + min(b, 0xffffffffu - a)").identity("0u")
});

/// The row of each entry of `a`, and the first entry of `b` with which it is multiplied.
static SOURCES: Elementwise = LazyLock::new(|| {
    let inputs = "raw offsets: u32, rows: u32, columns: u32, first: u32, raw of_b: u32";
    let operation = format!("{FIND_ROW}\nsources = vec2(row, of_b[columns])");
    elementwise("rows of products", inputs, "sources: vec2<u32>", &operation)
});

/// Products of elements with their places. `starts` has the number of products before each entry of `a`.
static PRODUCTS: Elementwise = LazyLock::new(|| {
    let inputs = "raw starts: u32, raw sources: vec2<u32>, entries: u32, first: u32, raw values_of_a: T, \
                  raw columns_of_b: u32, raw values_of_b: T";
    let operation = "var entry = 0u;
        var after = entries;
        while after - entry > 1u {
            let middle = entry + (after - entry) / 2u;
            if starts[middle] <= i { entry = middle; } else { after = middle; }
        }
        let at = sources[entry].y + (i - starts[entry]);
        pairs = vec2(columns_of_b[at], sources[entry].x);
        products = values_of_a[first + entry] * values_of_b[at]";
    elementwise("products", inputs, "pairs: vec2<u32>, products: T", operation)
});

const OPERATOR: Operator = Operator("sparse matrix product");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_whole_rows() {
        assert_eq!(pieces(&[], 4), []);
        assert_eq!(pieces(&[0, 0], 4), []);
        assert_eq!(pieces(&[0, 4, 0, 1, 3, 9, 0], 4), [0..3, 3..5, 5..6]);
        assert_eq!(pieces(&[u32::MAX, u32::MAX], 4), [0..1, 1..2]);
    }
}
