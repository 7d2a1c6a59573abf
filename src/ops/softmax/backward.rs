//! The derivatives of a softmax.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::rows::launch::{Numbers, compile, halves, launch, modules, parts, rows, run_for_form};
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
    /// Checks the devices and the guards of all arrays.
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
        let sizes = Numbers::of(shape, planned);
        let Numbers { inner, group, width, .. } = sizes;
        let (x, y) = (&self.y, &self.dx);
        macro_rules! run {
            ($module:ident, $both:expr, $one:expr $(, $bf16:ident)?) => {{
                let overrides = $module::Overrides { group, width, logarithm, strided: inner > 1 $(, $bf16)? };
                compile!($module, planned, device, overrides);
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                let (dy, first_of_dy) = $one(&self.dy).map_err(OPERATOR.slice("dy"))?;
                let backward = $module::Backward { first_of_dy };
                for pass in &planned.plan.passes {
                    let Cells { x, first_of_x, y, first_of_y } = $both(OPERATOR, x, y)?;
                    let rows = rows!($module, sizes, first_of_x, first_of_y);
                    launch!($module, *pass, device, overrides, destination.reborrow(), parts,
                        sums: [rows, backward, x, dy], results: [rows, backward, x, dy, y]);
                }
            }};
        }
        run_for_form!(run, shape.halves, planned, bf16: words, vectors, packed, packed_vectors);
        Ok(())
    }
}
