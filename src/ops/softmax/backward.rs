//! The derivatives of a softmax.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::rows::launch::{INFINITY, Numbers, compile, halves, launch, modules, parts};
use super::super::rows::plan::{Pass, Planned};
use super::OPERATOR;
use super::run::Call;
use crate::buffer::cells::whole_cells;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

modules!("shaders/ops/softmax_backward.wgsl": words, vectors, packed, packed_vectors);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'y, 'd, 'x> {
    pub(super) y: Slice<'y, u8>,
    pub(super) dy: Slice<'d, u8>,
    pub(super) dx: SliceMut<'x, u8>,
}

impl Operands<'_, '_, '_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("y", self.y), ("dy", self.dy), ("dx", self.dx.as_slice())];
        operands::check(OPERATOR, &self.dx.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        call: Call,
        planned: &Planned,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if planned.plan.passes.is_empty() {
            return Ok(());
        }
        let Call { shape, logarithm, bf16 } = call;
        let device = &Device::of(&self.dx.core.device);
        let Numbers { count, length, inner, parts: parts_of_row, chunk, group, width, .. } =
            Numbers::of(shape, planned);
        macro_rules! run {
            ($module:ident, $cells:expr, $dy:expr $(, $bf16:ident)?) => {{
                let overrides = $module::Overrides { group, width, logarithm, strided: inner > 1 $(, $bf16)? };
                compile!($module, planned, device, overrides);
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                let (dy, first_of_dy) = $dy(&self.dy).map_err(OPERATOR.slice("dy"))?;
                let backward = $module::Backward { first_of_dy };
                for pass in &planned.plan.passes {
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
                    launch!($module, *pass, device, overrides, destination.reborrow(), parts,
                        sums: [rows, backward, x, dy], results: [rows, backward, x, dy, y]);
                }
            }};
        }
        let (x, y) = (&self.y, &self.dx);
        match (shape.halves, planned.vectors) {
            (false, false) => run!(words, Cells::<f32>::whole(OPERATOR, x, y)?, whole_cells::<f32>),
            (false, true) => run!(vectors, Cells::<[f32; 4]>::whole(OPERATOR, x, y)?, whole_cells::<[f32; 4]>),
            (true, false) => run!(packed, Cells::packed(OPERATOR, x, y, 2)?, halves, bf16),
            (true, true) => {
                run!(packed_vectors, Cells::<[u32; 2]>::whole(OPERATOR, x, y)?, whole_cells::<[u32; 2]>, bf16);
            }
        }
        Ok(())
    }
}
