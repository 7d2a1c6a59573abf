//! The commands of a solve with a triangle.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::plan::Pass;
use super::schedule::Schedule;
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod singles = "shaders/ops/sparse_triangle.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/sparse_triangle.wgsl", root = "shaders", feature wide = true);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) offsets: Slice<'a, u8>,
    pub(super) columns: Slice<'a, u8>,
    pub(super) values: Slice<'a, u8>,
    pub(super) b: Slice<'a, u8>,
    pub(super) x: SliceMut<'a, u8>,
}

/// The triangle of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) upper: bool,
    /// Whether the diagonal has ones, in place of its entries.
    pub(super) unit: bool,
}

/// Defines a method that appends the launches of a schedule, for a module and its type of numbers.
macro_rules! run {
    ($name:ident, $module:ident, $number:ty) => {
        pub(super) fn $name(
            &self,
            operator: Operator,
            schedule: &Schedule,
            side: Side,
            destination: &mut Destination<'_>,
        ) -> Result<(), OperationError> {
            let device = &Device::of(&self.x.core.device);
            let spare = device.scratch::<u8>(16, destination).map_err(operands::memory(operator))?;
            // Kernels need at least one element in each array, and without entries they read none.
            let spare = operands::bytes(operator, "values", &spare.slice(..))?;
            let filled = |array: Slice<'_, u8>| -> bool { !array.is_empty() };
            let columns = if filled(self.columns) { &self.columns } else { &spare };
            let values = if filled(self.values) { &self.values } else { &spare };
            let (offsets, first_of_offsets) = whole_cells::<u32>(&self.offsets).map_err(operator.slice("offsets"))?;
            let (columns, first_of_columns) = whole_cells::<u32>(columns).map_err(operator.slice("column indices"))?;
            let (values, first_of_values) = whole_cells::<$number>(values).map_err(operator.slice("values"))?;
            let (b, first_of_b) = whole_cells::<$number>(&self.b).map_err(operator.slice("b"))?;
            let overrides = $module::Overrides { lanes: schedule.lanes };
            // All kernels are compiled before the first launch.
            for pass in &schedule.passes {
                match pass {
                    Pass::Rows { .. } => drop($module::rows_with(device, overrides)?),
                    Pass::Teams { .. } => drop($module::teams_with(device, overrides)?),
                    Pass::Chain { .. } => drop($module::chain_with(device, overrides)?),
                    Pass::Walk { .. } => drop($module::walk_with(device, overrides)?),
                }
            }
            for pass in &schedule.passes {
                let (Pass::Rows { first, last }
                | Pass::Teams { first, last }
                | Pass::Chain { first, last }
                | Pass::Walk { first, last }) = *pass;
                let (x, first_of_x) = whole_cells_mut::<$number>(&self.x).map_err(operator.slice("x"))?;
                let solve = $module::Solve {
                    first,
                    last,
                    upper: side.upper.into(),
                    unit: side.unit.into(),
                    first_of_offsets,
                    first_of_columns,
                    first_of_values,
                    first_of_b,
                    first_of_x,
                };
                let (order, bounds, to): (&UnifiedBuffer<u32>, &UnifiedBuffer<u32>, _) =
                    (&schedule.order, &schedule.bounds, destination.reborrow());
                match pass {
                    Pass::Rows { .. } => {
                        let args = $module::RowsArgs { solve, order, offsets, columns, values, b, x };
                        $module::rows_with(device, overrides)?.launch(args).to(to).threads(last - first)?
                    }
                    Pass::Teams { .. } => {
                        let args = $module::TeamsArgs { solve, order, offsets, columns, values, b, x };
                        let groups = (last - first).div_ceil(256 / schedule.lanes);
                        $module::teams_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?
                    }
                    Pass::Chain { .. } => {
                        let args = $module::ChainArgs { solve, order, bounds, offsets, columns, values, b, x };
                        $module::chain_with(device, overrides)?.launch(args).to(to).groups([1, 1])?
                    }
                    Pass::Walk { .. } => {
                        let args = $module::WalkArgs { solve, order, offsets, columns, values, b, x };
                        $module::walk_with(device, overrides)?.launch(args).to(to).groups([1, 1])?
                    }
                };
            }
            Ok(())
        }
    };
}

impl Operands<'_> {
    /// Checks the devices and the guards of all arrays.
    pub(super) fn check(&self, operator: Operator, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [
            ("offsets", self.offsets),
            ("column indices", self.columns),
            ("values", self.values),
            ("b", self.b),
            ("x", self.x.as_slice()),
        ];
        operands::check(operator, &self.values.core.device, &arrays, 1, destination)
    }

    run!(run, singles, f32);
    run!(run_wide, doubles, f64);
}
