//! Sparse matrices of dense blocks (BSR).

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::moving::MAX_ELEMENTS;
use super::element::SparseElement;
use super::format::{Arrays, SparseFormat};
use super::matrix::{OPERATOR, SparseMatrix, memory};
use super::places::{Elementwise, FIND_ROW, Places, elementwise};

/// The greatest number of rows and of columns of a block.
const LARGEST: usize = 32;

/// Returns the arrays of a matrix in blocks: the offsets and columns of rows of blocks, and the elements of each block, row
/// by row.
pub(super) fn blocked<T: SparseElement>(
    a: &SparseMatrix<T>,
    format: SparseFormat,
) -> Result<Arrays<T>, OperationError> {
    let SparseFormat::Blocks { rows, columns } = format else {
        return Err(OPERATOR.choice("a format", "use blocks", format!("{format:?}")));
    };
    for (size, extent, name) in [(rows, a.rows(), "rows"), (columns, a.columns(), "columns")] {
        if !(1..=LARGEST).contains(&size) || extent % size != 0 {
            let expected = format!("use from 1 to {LARGEST} that divide the {extent} {name} of the matrix");
            return Err(OPERATOR.choice("blocks of", expected, format!("{size} {name}")));
        }
    }
    let device = a.device();
    // One entry for each place.
    let mut entries = Places::new(&device, a.entries())?;
    Places::write_entries(a, false, entries.places.slice_mut(..))?;
    entries.values.copy_from(a.values()).map_err(memory)?;
    entries.sort([a.rows(), a.columns()], true)?;
    let entries = entries.merge(&device)?;
    let mut blocks = Places::new(&device, entries.places.len())?;
    BLOCKS.call(&device).run((&entries.places, rows as u32, columns as u32), &mut blocks.places)?;
    blocks.values.fill(T::of(0.0)).map_err(memory)?;
    let shape = [a.rows() / rows, a.columns() / columns];
    blocks.sort(shape, true)?;
    let entries = entries.into_matrix(&device, [a.rows(), a.columns()])?;
    let blocks = blocks.merge(&device)?.into_matrix(&device, shape)?;
    let places = (blocks.entries() as u64).saturating_mul((rows * columns) as u64);
    if places >= MAX_ELEMENTS {
        let places = usize::try_from(places).unwrap_or(usize::MAX);
        return Err(OPERATOR.too_large("the elements of blocks", vec![places], MAX_ELEMENTS));
    }
    let mut values = device.buffer::<T>(places as usize).map_err(memory)?;
    values.fill(T::of(0.0)).map_err(memory)?;
    if a.entries() > 0 {
        let (of_entries, of_values) = (entries.column_indices(), entries.values());
        let sizes = [rows as u32, columns as u32];
        let inputs = (
            entries.offsets(),
            a.rows() as u32,
            of_entries,
            of_values,
            0u32,
            blocks.offsets(),
            blocks.column_indices(),
            sizes,
        );
        ELEMENTS.call(&device).run(inputs, &mut values)?;
    }
    let (offsets, columns, _) = blocks.into_parts();
    Ok(Arrays { offsets, columns, values })
}

/// The block of each entry.
static BLOCKS: Elementwise = LazyLock::new(|| {
    let inputs = "pairs: vec2<u32>, rows: u32, columns: u32";
    elementwise("blocks", inputs, "blocks: vec2<u32>", "blocks = vec2(pairs.x / columns, pairs.y / rows)")
});

/// The elements of blocks, from entries with one for each place.
static ELEMENTS: Elementwise = LazyLock::new(|| {
    let inputs = "raw offsets: u32, rows: u32, columns: u32, values: T, first: u32, raw starts: u32, raw blocks: u32, \
                  size: vec2<u32>";
    let operation = format!(
        "{FIND_ROW}
        var block = starts[row / size.x];
        var behind = starts[row / size.x + 1u];
        while behind - block > 1u {{
            let middle = block + (behind - block) / 2u;
            if blocks[middle] <= columns / size.y {{ block = middle; }} else {{ behind = middle; }}
        }}
        elements[block * size.x * size.y + row % size.x * size.y + columns % size.y] = values"
    );
    elementwise("elements of blocks", inputs, "raw elements: T", &operation)
});
