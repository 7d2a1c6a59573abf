//! From an activation to its launch.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::plan::Plan;
use super::super::rows::launch::halves;
use super::{ActivationFunction, OPERATOR};
use crate::buffer::cells::whole_cells;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod forward = "shaders/ops/activation.wgsl", root = "shaders", feature packed = false, feature backward = false);
crate::kernels!(mod forward_packed = "shaders/ops/activation.wgsl", root = "shaders", feature packed = true, feature backward = false);
crate::kernels!(mod backward = "shaders/ops/activation.wgsl", root = "shaders", feature packed = false, feature backward = true);
crate::kernels!(mod backward_packed = "shaders/ops/activation.wgsl", root = "shaders", feature packed = true, feature backward = true);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'x, 'd, 'y> {
    pub(super) x: Slice<'x, u8>,
    /// The derivatives by the results, if derivatives are computed.
    pub(super) dy: Option<Slice<'d, u8>>,
    pub(super) y: SliceMut<'y, u8>,
    pub(super) bf16: bool,
}

impl Operands<'_, '_, '_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("x", self.x)];
        arrays.extend(self.dy.map(|dy| ("dy", dy)));
        arrays.push((if self.dy.is_some() { "dx" } else { "y" }, self.y.as_slice()));
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        function: ActivationFunction,
        plan: &Plan<u64>,
        packed: bool,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = &Device::of(&self.y.core.device);
        let bf16 = self.bf16;
        macro_rules! launch {
            ($module:ident, $cells:expr, $one:expr, $count:expr $(, $bf16:ident)? $(; $dy:ident)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                #[allow(unused_mut, unused_assignments, reason = "only derivatives have another array")]
                let mut first_of_dy = 0;
                $(let ($dy, first) = $one($dy).map_err(OPERATOR.slice("dy"))?;
                first_of_dy = first;)?
                let count: u64 = $count;
                let sizes = $module::Sizes {
                    count: count as u32,
                    first_of_x,
                    first_of_dy,
                    first_of_y,
                    parameter: function.parameter(),
                };
                let kernel = $module::activate_with(device, $module::Overrides { function: function.number() $(, $bf16)? })?;
                let threads = if packed { (u64::from(first_of_y % 2) + count).div_ceil(2) } else { count };
                kernel.launch($module::Args { sizes, x, y $(, $dy)? }).to(destination.reborrow()).threads(threads)?;
            }};
        }
        for count in &plan.passes {
            match (&self.dy, packed) {
                (None, false) => {
                    launch!(forward, Cells::<f32>::whole(OPERATOR, &self.x, &self.y)?, whole_cells::<f32>, *count);
                }
                (None, true) => {
                    launch!(forward_packed, Cells::halves(OPERATOR, &self.x, &self.y)?, halves, *count, bf16);
                }
                (Some(dy), false) => {
                    launch!(backward, Cells::<f32>::whole(OPERATOR, &self.x, &self.y)?, whole_cells::<f32>, *count; dy);
                }
                (Some(dy), true) => {
                    launch!(backward_packed, Cells::halves(OPERATOR, &self.x, &self.y)?, halves, *count, bf16; dy);
                }
            }
        }
        Ok(())
    }
}
