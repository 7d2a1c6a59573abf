//! Entries of sparse matrices as places with values, in any order, and the matrix that they form. All steps run on the
//! device; the host reads the number of entries and the length of the longest row.

use std::sync::LazyLock;

use super::super::elementwise::ElementwiseKernel;
use super::super::error::OperationError;
use super::super::reduce;
use super::super::reduction::ReductionKernel;
use super::super::select::Select;
use super::super::sort::Sort;
use super::check;
use super::element::SparseElement;
use super::matrix::{OPERATOR, SparseMatrix, memory};
use crate::buffer::cells::{bytes_of_mut, elements_of_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::submit::Destination;

pub(super) type Elementwise = LazyLock<ElementwiseKernel>;

/// An elementwise kernel of this module's matrices.
pub(super) fn elementwise(name: &str, inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
    let kernel =
        ElementwiseKernel::new(inputs, outputs, operation).expect("the parameters of sparse matrices are valid");
    kernel.name(&format!("{name} of a sparse matrix"))
}

/// Reads the row whose entries contain the position `i`: the last one that begins there or before.
pub(super) const FIND_ROW: &str = "var row = 0u;
    var after = rows;
    while after - row > 1u {
        let middle = row + (after - row) / 2u;
        if offsets[middle] <= i + first { row = middle; } else { after = middle; }
    }";

/// The place of each entry of a matrix, or of the transposed matrix.
static ENTRIES: Elementwise = LazyLock::new(|| {
    let inputs = "raw offsets: u32, rows: u32, columns: u32, first: u32, transposed: u32";
    let operation = format!("{FIND_ROW}\npairs = select(vec2(columns, row), vec2(row, columns), transposed != 0u)");
    elementwise("entries", inputs, "pairs: vec2<u32>", &operation)
});

/// Places from two arrays of indices.
static PLACES: Elementwise = LazyLock::new(|| {
    elementwise("places", "columns: u32, rows: u32", "pairs: vec2<u32>", "pairs = vec2(columns, rows)")
});

/// The columns of places.
static COLUMNS: Elementwise =
    LazyLock::new(|| elementwise("columns", "pairs: vec2<u32>", "columns: u32", "columns = pairs.x"));

/// The number of sorted places in rows before row `i`.
static OFFSETS: Elementwise = LazyLock::new(|| {
    let operation = "var low = 0u;
        var high = count;
        while low < high {
            let middle = low + (high - low) / 2u;
            if pairs[middle].y < i { low = middle + 1u; } else { high = middle; }
        }
        offsets = low";
    elementwise("offsets", "raw pairs: vec2<u32>, count: u32", "offsets: u32", operation)
});

/// The number of entries of the longest row.
pub(super) static LONGEST: LazyLock<ReductionKernel> = LazyLock::new(|| {
    let kernel = ReductionKernel::new("raw offsets: u32", "length: u32").expect("the parameters are valid");
    let kernel = kernel.name("longest row of a sparse matrix").map("offsets[i + 1u] - offsets[i]");
    kernel.combine("max(a, b)").identity("0u")
});

/// The sums of the values of each place, one after the other.
static SUMS: Elementwise = LazyLock::new(|| {
    let operation = "let end = starts[i + 1u];
        var sum = T();
        for (var at = starts[i]; at < end; at++) { sum = sum + values[at]; }
        sums = sum";
    elementwise("sums", "raw starts: u32, raw values: T", "sums: T", operation)
});

/// The most values of a place that one invocation adds up: more would take longer than all others.
const ONE_AFTER_THE_OTHER: u32 = 256;

/// Places, each with a value.
pub(super) struct Places<T> {
    /// The column and the row of each entry: as a number of 64 bits, the row is the upper half.
    pub(super) places: UnifiedBuffer<[u32; 2]>,
    pub(super) values: UnifiedBuffer<T>,
}

impl<T: SparseElement> Places<T> {
    /// Places with unspecified contents.
    pub(super) fn new(device: &Device, count: usize) -> Result<Self, OperationError> {
        let places = device.scratch(count, &Destination::Own).map_err(memory)?;
        Ok(Self { places, values: device.buffer(count).map_err(memory)? })
    }

    /// The entries of arrays of indices, which were checked.
    pub(super) fn of(
        device: &Device,
        rows: Slice<'_, u32>,
        columns: Slice<'_, u32>,
        values: Slice<'_, T>,
    ) -> Result<Self, OperationError> {
        let mut all = Self::new(device, values.len())?;
        PLACES.call(device).run((columns, rows), &mut all.places)?;
        all.values.copy_from(values).map_err(memory)?;
        Ok(all)
    }

    /// Writes the places of a matrix's entries, or those of the transposed matrix.
    pub(super) fn write_entries(
        a: &SparseMatrix<T>,
        transposed: bool,
        places: SliceMut<'_, [u32; 2]>,
    ) -> Result<(), OperationError> {
        if a.entries() == 0 {
            return Ok(());
        }
        let inputs = (a.offsets(), a.rows() as u32, a.column_indices(), 0u32, u32::from(transposed));
        ENTRIES.call(&a.device()).run(inputs, places)
    }

    /// Sorts entries by row, and those of a row by column if `by_column`; otherwise they keep their order.
    pub(super) fn sort(&mut self, [rows, columns]: [usize; 2], by_column: bool) -> Result<(), OperationError> {
        // The number of bits of the greatest index.
        let bits = |extent: usize| u64::BITS - (extent as u64).saturating_sub(1).leading_zeros();
        // A stable sort by the less significant key comes first.
        for (wanted, range) in [(by_column, 0..bits(columns)), (true, 32..32 + bits(rows))] {
            if wanted && !range.is_empty() {
                let places = bytes_of_mut(&self.places.slice_mut(..)).map_err(memory)?;
                let places = elements_of_mut::<u64>(&places).map_err(memory)?;
                Sort::new().bits(range).pairs_in_place(places, &mut self.values)?;
            }
        }
        Ok(())
    }

    /// Adds up the values of equal places, which are neighbours: in their order, if no place has more than
    /// [`ONE_AFTER_THE_OTHER`], otherwise as a sum of segments does.
    pub(super) fn merge(self, device: &Device) -> Result<Self, OperationError> {
        let length = self.places.len();
        if length < 2 {
            return Ok(self);
        }
        let scratch = |length| device.scratch::<u32>(length, &Destination::Own).map_err(memory);
        let mut unique = device.scratch::<[u32; 2]>(length, &Destination::Own).map_err(memory)?;
        let mut starts = scratch(length + 1)?;
        let count = Select::changes().run_with_indices(&self.places, &mut unique, starts.slice_mut(..length))?;
        let count = count.read().map_err(memory)? as usize;
        if count == length {
            return Ok(self);
        }
        starts.slice_mut(count..=count).copy_from_slice(&[length as u32]).map_err(memory)?;
        let mut merged = Self::new(device, count)?;
        let mut longest = device.buffer::<u32>(1).map_err(memory)?;
        LONGEST.call(device).size(count).run(starts.slice(..=count), &mut longest)?;
        if longest.read().map_err(memory)?[0] <= ONE_AFTER_THE_OTHER {
            SUMS.call(device).run((starts.slice(..=count), &self.values), &mut merged.values)?;
        } else {
            reduce::sum().call(device).segments(starts.slice(..=count)).run(&self.values, &mut merged.values)?;
        }
        merged.places.copy_from(unique.slice(..count)).map_err(memory)?;
        Ok(merged)
    }

    /// The matrix of sorted entries.
    pub(super) fn into_matrix(self, device: &Device, shape: [usize; 2]) -> Result<SparseMatrix<T>, OperationError> {
        let count = self.places.len();
        check::sizes(OPERATOR, shape, count)?;
        let mut offsets = device.buffer::<u32>(shape[0] + 1).map_err(memory)?;
        let mut columns = device.buffer::<u32>(count).map_err(memory)?;
        if count == 0 {
            return Ok(SparseMatrix::of_parts(shape, 0, (offsets, columns, self.values)));
        }
        OFFSETS.call(device).run((&self.places, count as u32), &mut offsets)?;
        COLUMNS.call(device).run(&self.places, &mut columns)?;
        let mut longest = device.buffer::<u32>(1).map_err(memory)?;
        LONGEST.call(device).size(shape[0]).run(&offsets, &mut longest)?;
        let longest = longest.read().map_err(memory)?[0];
        Ok(SparseMatrix::of_parts(shape, longest, (offsets, columns, self.values)))
    }
}
