//! The diagonal of a sparse matrix, on the device.

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::sparse::{SparseElement, SparseMatrix};
use super::base::failed;
use super::error::SolveError;
use super::kernels::{Elementwise, NO_ROW, Reduction, each, elementwise, reduction, sum};
use super::settings::{device_of, square};
use crate::buffer::UnifiedBuffer;
use crate::submit::Recording;

/// The greatest number of entries of a row that one launch reads: llvmpipe ends longer loops.
const ENTRIES: u32 = 50_000;

/// Adds the diagonal entries among `length` entries of each row, from the entry `first` of the row on.
static DIAGONAL: Elementwise = LazyLock::new(|| {
    let inputs = "raw offsets: u32, raw columns: u32, raw values: T, first: u32, length: u32, d: T";
    let operation = "let start = min(offsets[i] + first, offsets[i + 1u]);
        let last = start + min(offsets[i + 1u] - start, length);
        for (var at = start; at < last; at++) { if columns[at] == i { d += values[at]; } }";
    elementwise("diagonal of a sparse matrix", inputs, "d: T", operation, "")
});

/// Appends the commands that write the diagonal of a square matrix to `d`. Entries of the same place are added up.
pub(crate) fn record<T: SparseElement>(
    operator: Operator,
    to: &mut Recording,
    a: &SparseMatrix<T>,
    d: &mut UnifiedBuffer<T>,
) -> Result<(), OperationError> {
    to.fill(&mut *d, T::of(0.0)).map_err(operands::memory(operator))?;
    for first in (0..a.longest_row() as u32).step_by(ENTRIES as usize) {
        let inputs = (a.offsets(), a.column_indices(), a.values(), first, ENTRIES);
        each(&device_of(a), &DIAGONAL, to, inputs, &mut *d)?;
    }
    Ok(())
}

/// The first row whose diagonal element is 0, infinite or NaN.
static FIRST_ROW: Reduction = LazyLock::new(|| {
    let rows = reduction("pivots of a sparse matrix", "d: T", "row: u32");
    let divides = "select(0xffffffffu, i, !(abs(d) > T(0) && d - d == T(0)))";
    rows.map(divides).combine("min(a, b)").identity("0xffffffffu")
});

/// Returns the diagonal of a square matrix, by which an operator divides. Waits for the device.
pub(crate) fn pivots<T: SparseElement>(
    operator: Operator,
    a: &SparseMatrix<T>,
) -> Result<UnifiedBuffer<T>, SolveError> {
    square(operator, a)?;
    let device = device_of(a);
    let mut diagonal = device.buffer::<T>(a.rows()).map_err(operands::memory(operator))?;
    if a.rows() == 0 {
        return Ok(diagonal);
    }
    let mut row = device.buffer_from(&[NO_ROW]).map_err(operands::memory(operator))?;
    let mut recording = device.recording();
    record(operator, &mut recording, a, &mut diagonal)?;
    sum(&device, &FIRST_ROW, &mut recording, &diagonal, &mut row)?;
    recording.submit().map_err(SolveError::Run)?;
    let row = row.read().map_err(failed)?[0] as usize;
    if row >= a.rows() {
        return Ok(diagonal);
    }
    let value = diagonal.slice(row..=row).read().map_err(failed)?[0].wide();
    Err(SolveError::Pivot { solver: operator.0, row, value })
}
