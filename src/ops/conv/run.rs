//! The commands of a convolution.

use half::f16;

use super::super::epilogue::Activation;
use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::plan::Plan;
use super::super::rows::launch::halves;
use super::geometry::Job;
use super::plan::Pass;
use super::{OPERATOR, Starts};
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/conv.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/conv.wgsl", root = "shaders", feature packed = true);
crate::kernels!(mod word_rows = "shaders/ops/conv_rows.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod word_tiles = "shaders/ops/conv_tiles.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed_tiles = "shaders/ops/conv_tiles.wgsl", root = "shaders", feature packed = true);
crate::kernels!(
    mod matrices = "shaders/ops/conv_cooperative.wgsl", root = "shaders", feature packed = true, feature narrow = false
);
crate::kernels!(
    mod narrow_matrices = "shaders/ops/conv_cooperative.wgsl", root = "shaders",
    feature packed = true, feature narrow = true
);

/// The channels of a step of the depth.
const DEPTH_OF_STEP: u32 = 32;

/// The matrices of a subgroup, in a column and in a row of a tile, for 128 invocations and 128 x 128 results, or 128 x 64.
fn parts_of(lanes: u32, narrow: bool) -> [u32; 2] {
    let [down, across] = match lanes {
        32.. => [4, 4],
        16.. => [2, 4],
        _ => [2, 2],
    };
    [down, if narrow { across / 2 } else { across }]
}

/// The numbers of a job, for a kernel's module, with those of the first element of x, y, weights and bias.
macro_rules! convolution {
    ($module:ident, $job:expr, $firsts:expr) => {{
        let (job, [first_of_x, first_of_y, first_of_weights, first_of_bias]) = ($job, $firsts);
        $module::Convolution {
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
        }
    }};
}

pub(super) use convolution;

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
    pub(super) activation: Option<Activation>,
    /// Whether elements have 16 bits, and whether these are `bf16`.
    pub(super) halves: bool,
    pub(super) bf16: bool,
}

impl Operands<'_> {
    /// The positions of the arrays in their buffers.
    pub(super) fn starts(&self) -> Starts {
        let result = operands::start_mut(&self.y.1);
        let read = [Some(&self.x.1), Some(&self.weights), self.bias.as_ref()].into_iter().flatten();
        let aligned = read.map(operands::start).chain([result]).all(|start| start.is_multiple_of(8));
        Starts { result, aligned }
    }

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
        if let Some(Pass::Columns(_)) = plan.passes.first() {
            return self.run_columns(call, plan, destination);
        }
        let Call { job, channels_last, activation, bf16, .. } = call;
        let activation = Activation::number(activation);
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
                let firsts = [first_of_x, first_of_y, first_of_weights, first_of_bias];
                let conv = convolution!($module, job, firsts);
                let overrides =
                    $module::Overrides { has_bias, channels_last, is_spread, activation $(, $bf16)? };
                let args = $module::Args { conv, x, y, weights, bias };
                let launch = $module::$kernel(device, overrides)?.launch(args);
                launch.to(destination.reborrow()).$grid($count)?;
            }};
        }
        let (x, y) = (&self.x.1, &self.y.1);
        macro_rules! multiply {
            ($module:ident, $groups:expr, $lanes:expr, $parts:expr) => {{
                let (x, of_x) = whole_cells::<[f16; 4]>(x).map_err(OPERATOR.slice("x"))?;
                let (weights, of_weights) =
                    whole_cells::<[f16; 4]>(&self.weights).map_err(OPERATOR.slice("weights"))?;
                let (y, of_y) = whole_cells_mut::<[f16; 4]>(y).map_err(OPERATOR.slice("y"))?;
                // A bias that is not given is not read.
                let bias = self.bias.as_ref().map(whole_cells::<[f16; 4]>).transpose();
                let (bias, of_bias) = bias.map_err(OPERATOR.slice("bias"))?.unwrap_or((weights, 0));
                let conv = convolution!($module, job, [of_x, of_y, of_weights, of_bias].map(|cells| cells * 4));
                let [down, across] = $parts;
                let whole = job.inputs.is_multiple_of(DEPTH_OF_STEP);
                let overrides = $module::Overrides { has_bias, activation, whole, lanes: $lanes, down, across };
                let args = $module::Args { conv, x, y, weights, bias };
                let launch = $module::products_with(device, overrides)?.launch(args);
                launch.to(destination.reborrow()).groups($groups)?;
            }};
        }
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
                // All passes are of products, or none is.
                (Pass::Columns(_), _) => {}
                (Pass::Cooperative { groups, lanes, narrow: false }, _) => {
                    multiply!(matrices, groups, lanes, parts_of(lanes, false));
                }
                (Pass::Cooperative { groups, lanes, narrow: true }, _) => {
                    multiply!(narrow_matrices, groups, lanes, parts_of(lanes, true));
                }
            }
        }
        Ok(())
    }
}
