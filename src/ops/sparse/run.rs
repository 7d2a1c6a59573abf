//! The commands of a product.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::plan::{Pass, Planned, Shape};
use super::product::OPERATOR;
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod singles = "shaders/ops/sparse_product.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/sparse_product.wgsl", root = "shaders", feature wide = true);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) offsets: Slice<'a, u8>,
    pub(super) columns: Slice<'a, u8>,
    pub(super) values: Slice<'a, u8>,
    pub(super) x: Slice<'a, u8>,
    pub(super) y: SliceMut<'a, u8>,
    /// Receives the sums of x * y of the rows of each workgroup, for a plan of blocks.
    pub(super) dots: Option<SliceMut<'a, u8>>,
}

/// The parameters of a call, without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) shape: Shape,
    /// The factors of the product and of the old elements.
    pub(super) factors: [f64; 2],
    /// The numbers of rows and columns of a block, for a matrix of blocks.
    pub(super) block: [u32; 2],
}

/// Defines a method that appends the commands of a plan, for a module and its type of numbers.
macro_rules! run {
    ($name:ident, $module:ident, $number:ty) => {
        pub(super) fn $name(
            &self,
            call: Call,
            planned: &Planned,
            destination: &mut Destination<'_>,
        ) -> Result<(), OperationError> {
            let device = &Device::of(&self.y.core.device);
            if planned.plan.passes.is_empty() {
                return Ok(());
            }
            let Shape { rows, entries, width, accumulate, .. } = call.shape;
            let [block_rows, block_columns] = call.block;
            let sums = (2 * planned.tiles * width).max(1) as usize;
            let mut sums = device.scratch::<$number>(sums, destination).map_err(operands::memory(OPERATOR))?;
            let cut = planned.tiles.max(1) as usize;
            let mut cut = device.scratch::<u32>(cut, destination).map_err(operands::memory(OPERATOR))?;
            let ends = planned.tiles as usize + 1;
            let mut rows_of_tiles = device.scratch::<u32>(ends, destination).map_err(operands::memory(OPERATOR))?;
            // Kernels need at least one element in each array, and without entries they read none.
            let spare = device.scratch::<[u32; 2]>(1, destination).map_err(operands::memory(OPERATOR))?;
            let spare = operands::bytes(OPERATOR, "values", &spare.slice(..))?;
            let filled = |array: Slice<'_, u8>| -> bool { !array.is_empty() };
            let columns = if filled(self.columns) { &self.columns } else { &spare };
            let values = if filled(self.values) { &self.values } else { &spare };
            let x = if filled(self.x) { &self.x } else { &spare };
            let (offsets, first_of_offsets) = whole_cells::<u32>(&self.offsets).map_err(OPERATOR.slice("offsets"))?;
            let (columns, first_of_columns) = whole_cells::<u32>(columns).map_err(OPERATOR.slice("column indices"))?;
            let (values, first_of_values) = whole_cells::<$number>(values).map_err(OPERATOR.slice("values"))?;
            let (x, first_of_x) = whole_cells::<$number>(x).map_err(OPERATOR.slice("x"))?;
            // The limits of the operator keep all of these numbers within 32 bits.
            let product = $module::Product {
                alpha: call.factors[0] as $number,
                beta: call.factors[1] as $number,
                rows: rows as u32,
                entries: entries as u32,
                width: width as u32,
                tiles: planned.tiles as u32,
                tile: planned.tile as u32,
                first_of_offsets,
                first_of_columns,
                first_of_values,
                first_of_x,
                first_of_y: whole_cells_mut::<$number>(&self.y).map_err(OPERATOR.slice("y"))?.1,
            };
            let firsts = [first_of_offsets, first_of_columns, first_of_values, first_of_x, product.first_of_y];
            // Kernels of one invocation have a form of their own for such arrays.
            let plain = width == 1 && firsts == [0; 5];
            // All kernels are compiled before the first launch.
            for pass in &planned.plan.passes {
                let plain = plain && pass.is_alone();
                let overrides =
                    $module::Overrides { accumulate, lanes: pass.lanes(), block_rows, block_columns, plain };
                match pass {
                    Pass::Lines { .. } => drop($module::lines_with(device, overrides)?),
                    Pass::Slices { .. } => drop($module::slices_with(device, overrides)?),
                    Pass::DenseBlocks { .. } => drop($module::dense_blocks_with(device, overrides)?),
                    Pass::Blocks { .. } if self.dots.is_some() => {
                        drop($module::blocks_and_dot_with(device, overrides)?)
                    }
                    Pass::Blocks { .. } => drop($module::blocks_with(device, overrides)?),
                    Pass::Divide { .. } => drop($module::divide_with(device, overrides)?),
                    Pass::Teams { .. } => drop($module::teams_with(device, overrides)?),
                    Pass::Tiles { .. } => drop($module::tiles_with(device, overrides)?),
                    Pass::Walk { .. } => drop($module::walk_with(device, overrides)?),
                    Pass::Alone { .. } => drop($module::walk_alone_with(device, overrides)?),
                    Pass::Runs { .. } => drop($module::runs_with(device, overrides)?),
                    Pass::FinishLines { .. } => drop($module::finish_lines_with(device, overrides)?),
                    Pass::FinishTeams { .. } => drop($module::finish_teams_with(device, overrides)?),
                }
            }
            for pass in &planned.plan.passes {
                let plain = plain && pass.is_alone();
                let overrides =
                    $module::Overrides { accumulate, lanes: pass.lanes(), block_rows, block_columns, plain };
                let (y, _) = whole_cells_mut::<$number>(&self.y).map_err(OPERATOR.slice("y"))?;
                let (sums, cut, to) = (&mut sums, &mut cut, destination.reborrow());
                match *pass {
                    Pass::Lines { threads } => {
                        let args = $module::LinesArgs { product, offsets, columns, values, x, y };
                        $module::lines_with(device, overrides)?.launch(args).to(to).threads(threads)?
                    }
                    Pass::Slices { threads } => {
                        let args = $module::SlicesArgs { product, offsets, columns, values, x, y };
                        $module::slices_with(device, overrides)?.launch(args).to(to).threads(threads)?
                    }
                    Pass::DenseBlocks { threads } => {
                        let args = $module::DenseBlocksArgs { product, offsets, columns, values, x, y };
                        $module::dense_blocks_with(device, overrides)?.launch(args).to(to).threads(threads)?
                    }
                    Pass::Blocks { groups } => match &self.dots {
                        Some(dots) => {
                            let (dots, _) = whole_cells_mut::<$number>(dots).map_err(OPERATOR.slice("partial sums"))?;
                            let args = $module::BlocksAndDotArgs { product, offsets, columns, values, x, y, dots };
                            $module::blocks_and_dot_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                        }
                        None => {
                            let args = $module::BlocksArgs { product, offsets, columns, values, x, y };
                            $module::blocks_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                        }
                    },
                    Pass::Divide { threads } => {
                        let args = $module::DivideArgs { product, offsets, rows_of_tiles: &mut rows_of_tiles };
                        $module::divide_with(device, overrides)?.launch(args).to(to).threads(threads)?
                    }
                    Pass::Teams { groups, .. } => {
                        let args = $module::TeamsArgs { product, offsets, columns, values, x, y };
                        $module::teams_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                    }
                    Pass::Tiles { groups } => {
                        let rows_of_tiles = &rows_of_tiles;
                        let args =
                            $module::TilesArgs { product, offsets, columns, values, x, y, sums, cut, rows_of_tiles };
                        $module::tiles_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                    }
                    Pass::Walk { threads } => {
                        let args = $module::WalkArgs { product, offsets, columns, values, x, y, sums, cut };
                        $module::walk_with(device, overrides)?.launch(args).to(to).threads(threads)?
                    }
                    Pass::Alone { groups } => {
                        let args = $module::WalkAloneArgs { product, offsets, columns, values, x, y, sums, cut };
                        $module::walk_alone_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                    }
                    Pass::Runs { groups, rows } => {
                        let product = $module::Product { tile: rows as u32, ..product };
                        let args = $module::RunsArgs { product, offsets, columns, values, x, y };
                        $module::runs_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                    }
                    Pass::FinishLines { threads } => {
                        let args = $module::FinishLinesArgs { product, offsets, y, sums: &*sums, cut: &*cut };
                        $module::finish_lines_with(device, overrides)?.launch(args).to(to).threads(threads)?
                    }
                    Pass::FinishTeams { groups } => {
                        let args = $module::FinishTeamsArgs { product, offsets, y, sums: &*sums, cut: &*cut };
                        $module::finish_teams_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                    }
                };
            }
            Ok(())
        }
    };
}

impl Pass {
    fn is_alone(self) -> bool {
        matches!(self, Self::Alone { .. } | Self::Runs { .. })
    }

    fn lanes(self) -> u32 {
        if let Self::Teams { lanes, .. } = self { lanes } else { 1 }
    }
}

impl Operands<'_> {
    /// Checks the devices and the guards of all arrays.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [
            ("offsets", self.offsets),
            ("column indices", self.columns),
            ("values", self.values),
            ("x", self.x),
            ("y", self.y.as_slice()),
        ];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    run!(run, singles, f32);
    run!(run_wide, doubles, f64);
}
