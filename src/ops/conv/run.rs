//! The commands of a convolution.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::plan::Plan;
use super::super::rows::launch::halves;
use super::OPERATOR;
use super::geometry::Job;
use super::plan::Pass;
use crate::buffer::cells::whole_cells;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/conv.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/conv.wgsl", root = "shaders", feature packed = true);
crate::kernels!(mod word_rows = "shaders/ops/conv_rows.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod word_tiles = "shaders/ops/conv_tiles.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed_tiles = "shaders/ops/conv_tiles.wgsl", root = "shaders", feature packed = true);

/// The arrays of a call, as bytes: the source and the result of a job, by their names.
pub(super) struct Operands<'a> {
    pub(super) x: (&'static str, Slice<'a, u8>),
    pub(super) weights: Slice<'a, u8>,
    pub(super) bias: Option<Slice<'a, u8>>,
    pub(super) y: (&'static str, SliceMut<'a, u8>),
}

/// A call without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) job: Job,
    pub(super) channels_last: bool,
    /// The number of the activation.
    pub(super) activation: u32,
    /// Whether elements have 16 bits, and whether these are `bf16`.
    pub(super) halves: bool,
    pub(super) bf16: bool,
}

impl Operands<'_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![self.x, ("weights", self.weights)];
        arrays.extend(self.bias.map(|bias| ("bias", bias)));
        arrays.push((self.y.0, self.y.1.as_slice()));
        operands::check(OPERATOR, &self.y.1.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        call: Call,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { job, channels_last, activation, bf16, .. } = call;
        let device = &Device::of(&self.y.1.core.device);
        let (has_bias, is_spread) = (self.bias.is_some(), job.is_spread());
        macro_rules! launch {
            ($module:ident, $kernel:ident, $cells:expr, $others:expr, $grid:ident($count:expr) $(, $bf16:ident)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                let (weights, first_of_weights) = $others(&self.weights).map_err(OPERATOR.slice("weights"))?;
                // A bias that is not given is not read.
                let (bias, first_of_bias) = match &self.bias {
                    Some(bias) => $others(bias).map_err(OPERATOR.slice("bias"))?,
                    None => (weights, 0),
                };
                let conv = $module::Convolution {
                    output: job.output,
                    kernel: job.kernel,
                    step: job.step,
                    offset: job.offset,
                    tap: job.tap,
                    extent: job.extent,
                    spread: job.spread,
                    in_x: job.in_x,
                    in_y: job.in_y,
                    in_weights: job.in_weights,
                    examples: job.examples,
                    groups: job.groups,
                    inputs: job.inputs,
                    outputs: job.outputs,
                    example_in_x: job.example_in_x,
                    example_in_y: job.example_in_y,
                    first_of_x,
                    first_of_y,
                    first_of_weights,
                    first_of_bias,
                    ..bytemuck::Zeroable::zeroed()
                };
                let overrides =
                    $module::Overrides { has_bias, channels_last, is_spread, activation $(, $bf16)? };
                let args = $module::Args { conv, x, y, weights, bias };
                let launch = $module::$kernel(device, overrides)?.launch(args);
                launch.to(destination.reborrow()).$grid($count)?;
            }};
        }
        let (x, y) = (&self.x.1, &self.y.1);
        for pass in &plan.passes {
            match (*pass, call.halves) {
                (Pass::Elements { threads }, false) => {
                    launch!(
                        words,
                        elements_with,
                        Cells::<f32>::whole(OPERATOR, x, y)?,
                        whole_cells::<f32>,
                        threads(threads)
                    );
                }
                (Pass::Elements { threads }, true) => {
                    launch!(packed, elements_with, Cells::packed(OPERATOR, x, y, 2)?, halves, threads(threads), bf16);
                }
                (Pass::Rows { threads }, _) => {
                    launch!(
                        word_rows,
                        rows_with,
                        Cells::<f32>::whole(OPERATOR, x, y)?,
                        whole_cells::<f32>,
                        threads(threads)
                    );
                }
                (Pass::Tiles { groups }, false) => {
                    launch!(
                        word_tiles,
                        tiles_with,
                        Cells::<f32>::whole(OPERATOR, x, y)?,
                        whole_cells::<f32>,
                        groups(groups)
                    );
                }
                (Pass::Tiles { groups }, true) => {
                    launch!(packed_tiles, tiles_with, Cells::packed(OPERATOR, x, y, 2)?, halves, groups(groups), bf16);
                }
            }
        }
        Ok(())
    }
}
