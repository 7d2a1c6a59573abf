//! Sparse matrices in slices of rows (SELL).
//!
//! Source: Monakov, Lokhmotov and Avetisyan, 'Automatically Tuning Sparse Matrix-Vector Multiplication for GPU
//! Architectures' (2010).

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::moving::MAX_ELEMENTS;
use super::super::reduction::ReductionKernel;
use super::super::scan::Scan;
use super::element::SparseElement;
use super::format::Arrays;
use super::matrix::{OPERATOR, SparseMatrix, memory};
use super::places::{Elementwise, elementwise};
use crate::buffer::UnifiedBuffer;

/// The number of rows of a slice: the constant `SLICE` of the kernels.
const SLICE: usize = 32;

/// Returns the number of places of each slice, with a 0 behind the last one, and their sum, at most 2^32 - 1.
pub(super) fn sizes<T: SparseElement>(a: &SparseMatrix<T>) -> Result<(UnifiedBuffer<u32>, u64), OperationError> {
    let device = a.device();
    let mut sizes = device.buffer::<u32>(a.rows().div_ceil(SLICE) + 1).map_err(memory)?;
    SIZES.call(&device).run((a.offsets(), a.rows() as u32), &mut sizes)?;
    let mut total = device.buffer::<u32>(1).map_err(memory)?;
    TOTAL.call(&device).run(&sizes, &mut total)?;
    let total = total.read().map_err(memory)?[0];
    Ok((sizes, total.into()))
}

/// Returns the arrays of a matrix in slices. The entry `k` of row `i` is at `offsets[i / 32] + 32 * k + i % 32`; where a
/// row has no entry, its column is the greatest number.
pub(super) fn sliced<T: SparseElement>(a: &SparseMatrix<T>) -> Result<Arrays<T>, OperationError> {
    let device = a.device();
    let (sizes, places) = sizes(a)?;
    if places >= MAX_ELEMENTS {
        return Err(OPERATOR.too_large("the places of slices", vec![places as usize], MAX_ELEMENTS));
    }
    let places = places as usize;
    let mut offsets = device.buffer::<u32>(sizes.len()).map_err(memory)?;
    Scan::sum().exclusive().run(&sizes, &mut offsets)?;
    let mut columns = device.buffer::<u32>(places).map_err(memory)?;
    let mut values = device.buffer::<T>(places).map_err(memory)?;
    if places > 0 {
        let inputs = (&offsets, sizes.len() as u32 - 1, a.offsets(), a.rows() as u32, a.column_indices(), a.values());
        PLACES.call(&device).run(inputs, (&mut columns, &mut values))?;
    }
    Ok(Arrays { offsets, columns, values })
}

/// The number of places of a slice. Its rows are 32, also those behind the last row.
static SIZES: Elementwise = LazyLock::new(|| {
    let operation = "var longest = 0u;
        for (var row = 32u * i; row < min(32u * i + 32u, rows); row++) {
            longest = max(longest, offsets[row + 1u] - offsets[row]);
        }
        sizes = select(32u * longest, 0xffffffffu, longest > 0x7ffffffu)";
    elementwise("slices", "raw offsets: u32, rows: u32", "sizes: u32", operation)
});

/// The sum of sizes; the greatest number if that is exceeded.
static TOTAL: LazyLock<ReductionKernel> = LazyLock::new(|| {
    let kernel = ReductionKernel::new("sizes: u32", "total: u32").expect("the parameters are valid");
    kernel.name("slices of a sparse matrix").combine("a + min(b, 0xffffffffu - a)").identity("0u")
});

/// The entry of each place of the slices.
static PLACES: Elementwise = LazyLock::new(|| {
    let inputs = "raw slices: u32, count: u32, raw offsets: u32, rows: u32, raw columns: u32, raw values: T";
    let operation = "var slice = 0u;
        var after = count;
        while after - slice > 1u {
            let middle = slice + (after - slice) / 2u;
            if slices[middle] <= i { slice = middle; } else { after = middle; }
        }
        let place = i - slices[slice];
        let row = 32u * slice + place % 32u;
        of_columns = 0xffffffffu;
        of_values = T(0);
        if row < rows {
            let at = offsets[row] + place / 32u;
            if at < offsets[row + 1u] {
                of_columns = columns[at];
                of_values = values[at];
            }
        }";
    elementwise("places of slices", inputs, "of_columns: u32, of_values: T", operation)
});
