//! The launches of a rearrangement.

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::layout::{Axis, Layout, Mode, period};
use super::operands::{self, Cells};
use super::plan::{Pass, tiles};
use crate::buffer::cells::reborrow;
use crate::buffer::{Slice, SliceMut, transfer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal};

/// The greatest number of cells after which the cells of an array full of one fill value repeat.
pub(crate) const MAX_PERIOD: usize = 16;

/// A typed module for each size of cells.
macro_rules! modules {
    ($file:literal: $words:ident, $wide:ident, $vectors:ident, $packed:ident) => {
        crate::kernels!(
            mod $words = $file, root = "shaders", feature wide = false, feature vectors = false, feature packed = false
        );
        crate::kernels!(
            mod $wide = $file, root = "shaders", feature wide = true, feature vectors = false, feature packed = false
        );
        crate::kernels!(
            mod $vectors = $file, root = "shaders", feature wide = false, feature vectors = true, feature packed = false
        );
        crate::kernels!(
            mod $packed = $file, root = "shaders", feature wide = false, feature vectors = false, feature packed = true
        );
    };
}

pub(crate) use modules;

modules!("shaders/ops/rearrange.wgsl": walk_words, walk_wide, walk_vectors, walk_packed);
modules!("shaders/ops/transpose.wgsl": tiles_words, tiles_wide, tiles_vectors, tiles_packed);

/// A rearrangement of the bytes of `x` into `y`.
pub(crate) struct Move<'m, 'a> {
    pub(crate) operator: Operator,
    pub(crate) x: &'m Slice<'a, u8>,
    pub(crate) y: &'m SliceMut<'a, u8>,
    /// The bytes of the fill value, which is one element; empty if none is needed.
    pub(crate) fill: &'m [u8],
}

impl Move<'_, '_> {
    /// Returns an error if the device cannot bind the arrays of a pass, so that no other pass runs before it.
    pub(crate) fn check(&self, pass: &Pass) -> Result<(), OperationError> {
        match pass {
            Pass::Copy(_) => Ok(()),
            _ => {
                operands::bindable(self.operator, "x", self.x)?;
                operands::bindable(self.operator, "y", &self.y.as_slice())
            }
        }
    }

    /// Appends the commands of a pass.
    pub(crate) fn run(&self, pass: &Pass, destination: Destination<'_>) -> Result<(), OperationError> {
        match pass {
            Pass::Copy(layout) => self.copy(layout, destination),
            Pass::Tiles { layout, columns, vectors } => self.tiles(layout, *columns, *vectors, destination),
            Pass::Walk(layout) => self.walk(layout, destination),
        }
    }

    fn copy(&self, layout: &Layout, destination: Destination<'_>) -> Result<(), OperationError> {
        let [from, to] = layout.begin.map(|begin| (begin * layout.cell) as usize);
        let bytes = (layout.count() * layout.cell) as usize;
        let mut target = reborrow(self.y);
        let target = target.slice_mut(to..to + bytes);
        match transfer::copy(destination, &self.x.slice(from..from + bytes), &target) {
            Err(BufferError::Device { error, .. }) => {
                Err(self.operator.refused(&self.y.core.device, &["x", "y"], Refusal::Device(error)))
            }
            Err(BufferError::InUse { guard }) => Err(self.operator.in_use("x", guard)),
            outcome => outcome.map(drop).map_err(self.operator.slice("y")),
        }
    }

    fn walk(&self, layout: &Layout, destination: Destination<'_>) -> Result<(), OperationError> {
        let Self { operator, x, y, .. } = *self;
        let device = Device::of(&y.core.device);
        let (rank, mapped, count) = (layout.axes.len() as u32, layout.is_mapped(), layout.count());
        let fill = fill_cells(self.fill, layout.cell);
        // The operator's limit on elements keeps both positions within 31 bits.
        let [begin_of_x, begin_of_y] = layout.begin.map(|begin| begin as u32);
        macro_rules! launch {
            ($module:ident, $cells:expr, $threads:expr $(, $field:ident: $value:expr)*) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                let axis = |at| {
                    let Axis { size, to, from, start, extent, mode } = layout.axes.get(at).copied().unwrap_or(SPARE);
                    let ([size, to], from, mode) = ([size, to].map(|count| count as u32), from as u32, mode.number());
                    $module::Axis {
                        size,
                        in_y: to,
                        start: start as i32,
                        step: 1,
                        extent: extent as i32,
                        in_x: from,
                        mode,
                        spare: 0,
                    }
                };
                let walk = $module::Walk {
                    count: count as u32,
                    first_of_x: first_of_x + begin_of_x,
                    first_of_y: first_of_y + begin_of_y,
                    period: period(self.fill, layout.cell) as u32,
                    axes: std::array::from_fn(axis),
                };
                let threads: u64 = $threads(u64::from(walk.first_of_y));
                let kernel = $module::rearrange_with(&device, $module::Overrides { rank, mapped $(, $field: $value)* })?;
                kernel.launch($module::Args { walk, fill, x, y }).to(destination).threads(threads)?;
            }};
        }
        match layout.cell {
            16 => launch!(walk_vectors, Cells::<[u32; 4]>::whole(operator, x, y)?, |_| count),
            8 => launch!(walk_wide, Cells::<[u32; 2]>::whole(operator, x, y)?, |_| count),
            4 => launch!(walk_words, Cells::<u32>::whole(operator, x, y)?, |_| count),
            size => {
                let (dense, each) = (layout.is_dense(), 4 / size);
                let threads = |first: u64| if dense { (first % each + count).div_ceil(each) } else { count };
                launch!(walk_packed, Cells::packed(operator, x, y, size)?, threads, bits: 8 * size as u32, dense: dense);
            }
        }
        Ok(())
    }

    fn tiles(
        &self,
        layout: &Layout,
        columns: usize,
        vectors: bool,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Self { operator, x, y, .. } = *self;
        let device = Device::of(&y.core.device);
        let [tiles_of_rows, tiles_of_columns] = tiles(layout, columns);
        let (row, column) = (layout.axes[0], layout.axes[columns]);
        let others: Vec<Axis> = layout
            .axes
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != 0 && *at != columns)
            .map(|(_, axis)| *axis)
            .collect();
        let rank = others.len() as u32;
        let groups = others.iter().fold(tiles_of_rows * tiles_of_columns, |all, axis| all * axis.size);
        let [begin_of_x, begin_of_y] = layout.begin.map(|begin| begin as u32);
        macro_rules! launch {
            ($module:ident, $cells:expr, $words:literal $(, $field:ident: $value:expr)*) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                let batch = |at| {
                    let Axis { size, to, from, .. } = others.get(at).copied().unwrap_or(SPARE);
                    $module::Batch { size: size as u32, in_x: from as u32, in_y: to as u32, spare: 0 }
                };
                let planes = $module::Planes {
                    rows: row.size as u32,
                    columns: column.size as u32,
                    in_x: row.from as u32,
                    in_y: column.to as u32,
                    first_of_x: first_of_x * $words + begin_of_x,
                    first_of_y: first_of_y * $words + begin_of_y,
                    tiles_of_rows: tiles_of_rows as u32,
                    tiles_of_columns: tiles_of_columns as u32,
                    groups: groups as u32,
                    batches: std::array::from_fn(batch),
                    ..bytemuck::Zeroable::zeroed()
                };
                let kernel = $module::transpose_with(&device, $module::Overrides { rank $(, $field: $value)* })?;
                kernel.launch($module::Args { planes, x, y }).to(destination).groups([groups, 1])?;
            }};
        }
        match layout.cell {
            8 => launch!(tiles_wide, Cells::<[u32; 2]>::whole(operator, x, y)?, 1),
            4 if vectors => launch!(tiles_vectors, Cells::<[u32; 4]>::whole(operator, x, y)?, 4),
            4 => launch!(tiles_words, Cells::<u32>::whole(operator, x, y)?, 1),
            size => launch!(tiles_packed, Cells::packed(operator, x, y, size)?, 1, bits: 8 * size as u32),
        }
        Ok(())
    }
}

const SPARE: Axis = Axis { size: 1, to: 0, from: 0, start: 0, extent: 0, mode: Mode::Plain };

/// The fill value in the form that the kernel needs: one cell in each vector of the uniform.
pub(crate) fn fill_cells(fill: &[u8], cell: u64) -> [[u32; 4]; MAX_PERIOD] {
    let mut cells = [[0; 4]; MAX_PERIOD];
    if !fill.is_empty() {
        let cell = cell as usize;
        for (at, to) in cells.iter_mut().enumerate() {
            let mut bytes = [0; 16];
            bytes[..cell].iter_mut().zip(fill.iter().cycle().skip(at * cell)).for_each(|(to, byte)| *to = *byte);
            *to = bytemuck::cast(bytes);
        }
    }
    cells
}
