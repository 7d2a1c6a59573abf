//! From a softmax to its commands.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::rows::launch::{INFINITY, modules, parts};
use super::super::rows::plan::{Pass, Planned, Shape};
use super::OPERATOR;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

modules!("shaders/ops/softmax.wgsl": words, vectors, packed, packed_vectors);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'x, 'y> {
    pub(super) x: Slice<'x, u8>,
    pub(super) y: SliceMut<'y, u8>,
}

/// A call without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) shape: Shape,
    pub(super) logarithm: bool,
    /// Whether elements of 16 bits are `bf16`.
    pub(super) bf16: bool,
}

impl Operands<'_, '_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        call: Call,
        planned: &Planned,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { shape, logarithm, bf16 } = call;
        let device = &Device::of(&self.y.core.device);
        // The operator's limit keeps all of these within 32 bits.
        let [count, inner, parts_of_row, chunk] =
            [shape.rows, shape.inner, planned.parts, planned.chunk].map(|count| count as u32);
        let [group, width, held] = [planned.group, planned.width, planned.held].map(|count| count as u32);
        let length = (shape.length / if planned.vectors { 4 } else { 1 }) as u32;
        macro_rules! launch {
            ($module:ident, $cells:expr $(, $bf16:ident)?) => {{
                let overrides =
                    $module::Overrides { group, width, held, logarithm, strided: inner > 1 $(, $bf16)? };
                // All kernels and all memory first, so that a refused one leaves nothing launched.
                for pass in &planned.plan.passes {
                    match pass {
                        Pass::Held { .. } => drop($module::held_rows_with(device, overrides)?),
                        Pass::PartsOfRows { .. } => drop($module::parts_of_rows_with(device, overrides)?),
                        Pass::RowsFromParts { .. } => drop($module::rows_from_parts_with(device, overrides)?),
                        Pass::WholeRows { .. } => drop($module::whole_rows_with(device, overrides)?),
                        Pass::PartsOfLines { .. } => drop($module::parts_of_lines_with(device, overrides)?),
                        Pass::LinesFromParts { .. } => drop($module::lines_from_parts_with(device, overrides)?),
                        Pass::WholeLines { .. } => drop($module::whole_lines_with(device, overrides)?),
                    }
                }
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                for pass in &planned.plan.passes {
                    let to = destination.again();
                    let Cells { x, first_of_x, y, first_of_y } = $cells;
                    let rows = $module::Rows {
                        count,
                        length,
                        inner,
                        first_of_x,
                        first_of_y,
                        parts: parts_of_row,
                        chunk,
                        infinity: INFINITY,
                    };
                    match *pass {
                        Pass::Held { groups } => {
                            let args = $module::HeldRowsArgs { rows, x, y };
                            $module::held_rows_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
                        }
                        Pass::PartsOfRows { groups } => {
                            let args = $module::PartsOfRowsArgs { rows, x, parts: &mut parts };
                            $module::parts_of_rows_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
                        }
                        Pass::RowsFromParts { groups } => {
                            let args = $module::RowsFromPartsArgs { rows, x, y, parts: &parts };
                            $module::rows_from_parts_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
                        }
                        Pass::WholeRows { groups } => {
                            let args = $module::WholeRowsArgs { rows, x, y };
                            $module::whole_rows_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
                        }
                        Pass::PartsOfLines { groups } => {
                            let args = $module::PartsOfLinesArgs { rows, x, parts: &mut parts };
                            $module::parts_of_lines_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
                        }
                        Pass::LinesFromParts { groups } => {
                            let args = $module::LinesFromPartsArgs { rows, x, y, parts: &parts };
                            $module::lines_from_parts_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
                        }
                        Pass::WholeLines { groups } => {
                            let args = $module::WholeLinesArgs { rows, x, y };
                            $module::whole_lines_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
                        }
                    }
                }
            }};
        }
        let (x, y) = (&self.x, &self.y);
        match (shape.halves, planned.vectors) {
            (false, false) => launch!(words, Cells::<f32>::whole(OPERATOR, x, y)?),
            (false, true) => launch!(vectors, Cells::<[f32; 4]>::whole(OPERATOR, x, y)?),
            (true, false) => launch!(packed, Cells::packed(OPERATOR, x, y, 2)?, bf16),
            (true, true) => launch!(packed_vectors, Cells::<[u32; 2]>::whole(OPERATOR, x, y)?, bf16),
        }
        Ok(())
    }
}
