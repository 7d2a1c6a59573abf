//! The commands of a softmax.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::rows::launch::{Numbers, compile, launch, modules, parts, rows, run_for_form};
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

/// The parameters of a call, without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) shape: Shape,
    pub(super) logarithm: bool,
    /// Whether elements of 16 bits are `bf16`.
    pub(super) bf16: bool,
}

impl Operands<'_, '_> {
    /// Checks the devices and the guards of all arrays.
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
        let sizes = Numbers::of(shape, planned);
        let Numbers { inner, group, width, held, .. } = sizes;
        // Workgroups of eight invocations are strips of the CPU, whose cache holds the row while it is read again.
        let in_cache = group == 8;
        let (x, y) = (&self.x, &self.y);
        macro_rules! run {
            ($module:ident, $both:expr, $one:expr $(, $bf16:ident)?) => {{
                let strided = inner > 1;
                let overrides = $module::Overrides { group, width, held, logarithm, in_cache, strided $(, $bf16)? };
                compile!($module, planned, device, overrides);
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                for pass in &planned.plan.passes {
                    let Cells { x, first_of_x, y, first_of_y } = $both(OPERATOR, x, y)?;
                    let rows = rows!($module, sizes, first_of_x, first_of_y);
                    launch!($module, *pass, device, overrides, destination.reborrow(), parts,
                        sums: [rows, x], results: [rows, x, y]);
                }
            }};
        }
        run_for_form!(run, shape.halves, planned, bf16: words, vectors, packed, packed_vectors);
        Ok(())
    }
}
