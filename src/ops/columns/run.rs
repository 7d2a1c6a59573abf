//! The launches of the kernels that write columns or sum them.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::plan::Plan;
use super::super::windows::vector;
use super::super::windows::window::Window;
use super::OPERATOR;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/columns.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/columns.wgsl", root = "shaders", feature packed = true);

/// One launch of the kernel, with an invocation for each result, or for each word of two results of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) threads: u64,
}

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) y: SliceMut<'a, u8>,
}

/// The options of a call, without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) windows: [Window; 3],
    pub(super) is_sum: bool,
    /// Whether elements have 16 bits.
    pub(super) halves: bool,
    /// Whether elements of 16 bits are `bf16`.
    pub(super) bf16: bool,
}

impl Operands<'_> {
    /// Checks that the arrays belong to the device, are not in use by guards and do not overlap.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan, which write `count` results.
    pub(super) fn run(
        &self,
        Call { windows, is_sum, halves, bf16 }: Call,
        count: u32,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = &Device::of(&self.y.core.device);
        macro_rules! launch {
            ($module:ident, $cells:expr, $threads:expr $(, $bf16:ident)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                let columns = $module::Columns {
                    image: vector(windows.map(|window| window.input)),
                    windows: vector(windows.map(|window| window.count())),
                    kernel: vector(windows.map(|window| window.kernel)),
                    stride: vector(windows.map(|window| window.stride)),
                    dilation: vector(windows.map(|window| window.dilation)),
                    before: vector(windows.map(|window| window.before)),
                    count,
                    first_of_x,
                    first_of_y,
                    ..bytemuck::Zeroable::zeroed()
                };
                let overrides = $module::Overrides { is_sum $(, $bf16)? };
                let launch = $module::move_columns_with(device, overrides)?.launch($module::Args { columns, x, y });
                launch.to(destination.reborrow()).threads($threads)?;
            }};
        }
        for Pass { threads } in &plan.passes {
            if halves {
                launch!(packed, Cells::packed(OPERATOR, &self.x, &self.y, 2)?, *threads, bf16);
            } else {
                launch!(words, Cells::<f32>::whole(OPERATOR, &self.x, &self.y)?, *threads);
            }
        }
        Ok(())
    }
}
