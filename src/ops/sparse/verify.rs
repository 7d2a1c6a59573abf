//! Checks of the arrays of a sparse matrix, on its device. The host reads a few numbers, and elements only for errors.

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::reduction::ReductionKernel;
use super::check;
use super::matrix::{OPERATOR, memory};
use super::places::LONGEST;
use crate::buffer::{Slice, UnifiedBuffer};
use crate::device::Device;

/// Stands for no position.
const NONE: u32 = u32::MAX;

type Reduction = LazyLock<ReductionKernel>;

/// The first position that fulfils a condition.
fn first(name: &str, inputs: &str, condition: &str) -> ReductionKernel {
    let kernel = ReductionKernel::new(inputs, "position: u32").expect("the parameters of the checks are valid");
    let kernel = kernel.name(&format!("{name} of a sparse matrix"));
    kernel.map(&format!("select(0xffffffffu, i, {condition})")).combine("min(a, b)").identity("0xffffffffu")
}

/// The first offset that is not 0 at the beginning, less than the one before it, or not `entries` at the end.
static FIRST_OFFSET: Reduction = LazyLock::new(|| {
    let falls = "i > 0u && every[max(i, 1u) - 1u] > offset";
    let condition = format!("(i == 0u && offset != 0u) || ({falls}) || (i == last && offset != entries)");
    first("first wrong offset", "offset: u32, raw every: u32, last: u32, entries: u32", &condition)
});

/// The first index that is not below `limit`.
static FIRST_INDEX: Reduction =
    LazyLock::new(|| first("first wrong index", "index: u32, limit: u32", "index >= limit"));

/// Returns the position and the value of the first index that is not below `limit`.
fn first_index(device: &Device, indices: Slice<'_, u32>, limit: usize) -> Result<Option<(usize, u32)>, OperationError> {
    let mut found = device.buffer_from(&[NONE]).map_err(memory)?;
    FIRST_INDEX.call(device).run((indices, limit as u32), &mut found)?;
    let position = found.read().map_err(memory)?[0];
    if position == NONE {
        return Ok(None);
    }
    let at = position as usize;
    Ok(Some((at, indices.slice(at..=at).read().map_err(memory)?[0])))
}

/// Returns the number of entries of the longest row, as `check::offsets` and `check::column_indices` do on the host.
pub(super) fn csr(
    device: &Device,
    [rows, columns]: [usize; 2],
    offsets: &UnifiedBuffer<u32>,
    indices: &UnifiedBuffer<u32>,
) -> Result<u32, OperationError> {
    let entries = indices.len();
    let mut found = device.buffer_from(&[NONE, 0]).map_err(memory)?;
    let inputs = (offsets, offsets, rows as u32, entries as u32);
    FIRST_OFFSET.call(device).run(inputs, found.slice_mut(..1))?;
    if rows > 0 {
        LONGEST.call(device).size(rows).run(offsets, found.slice_mut(1..))?;
    }
    let (row, longest) = {
        let found = found.read().map_err(memory)?;
        (found[0], found[1])
    };
    if row != NONE {
        let row = row as usize;
        let some = offsets.slice(row.saturating_sub(1)..=row).read().map_err(memory)?;
        return Err(check::wrong_offset(OPERATOR, row, (some[0], some[some.len() - 1]), entries));
    }
    if let Some((position, index)) = first_index(device, indices.into(), columns)? {
        let row = offsets.read().map_err(memory)?.partition_point(|offset| *offset as usize <= position) - 1;
        return Err(check::wrong_column(OPERATOR, (index, position), Some(row), columns));
    }
    Ok(longest)
}

/// Returns an error unless row and column indices are within the shape.
pub(super) fn coo(
    device: &Device,
    shape: [usize; 2],
    rows: Slice<'_, u32>,
    columns: Slice<'_, u32>,
) -> Result<(), OperationError> {
    if let Some((position, index)) = first_index(device, rows, shape[0])? {
        return Err(check::wrong_row(OPERATOR, (index, position), shape[0]));
    }
    match first_index(device, columns, shape[1])? {
        Some((position, index)) => Err(check::wrong_column(OPERATOR, (index, position), None, shape[1])),
        None => Ok(()),
    }
}
