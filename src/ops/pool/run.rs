//! The commands of a pooling.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells, memory};
use super::super::plan::Plan;
use super::super::rows::launch::INFINITY;
use super::super::windows::{distances, vector};
use super::OPERATOR;
use super::geometry::Geometry;
use super::plan::Pass;
use crate::buffer::cells::{reborrow, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/pool.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/pool.wgsl", root = "shaders", feature packed = true);
crate::kernels!(mod word_rows = "shaders/ops/pool_rows.wgsl", root = "shaders", feature packed = false);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a, 'i> {
    pub(super) x: Slice<'a, u8>,
    pub(super) y: SliceMut<'a, u8>,
    pub(super) indices: Option<SliceMut<'i, u8>>,
}

/// The options of a pooling, without its arrays and sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The constant of `shaders/shared/pooling.wgsl` for the kind of result.
    pub(super) kind: u32,
    pub(super) power: f32,
    pub(super) counts_padding: bool,
    pub(super) channels_last: bool,
    /// Whether elements have 16 bits, and whether these are `bf16`.
    pub(super) halves: bool,
    pub(super) bf16: bool,
}

impl Operands<'_, '_> {
    /// Checks that the arrays belong to the device, are not in use by guards and do not overlap.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("x", self.x)];
        arrays.extend(self.indices.as_ref().map(|indices| ("indices", indices.as_slice())));
        arrays.push(("y", self.y.as_slice()));
        operands::check(OPERATOR, &self.y.core.device, &arrays, arrays.len() - 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        geometry: &Geometry,
        call: Call,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { kind, power, counts_padding, channels_last, bf16, .. } = call;
        let device = &Device::of(&self.y.core.device);
        let (windows, has_indices, adaptive) = (geometry.windows, self.indices.is_some(), geometry.adaptive);
        // The kernel needs a binding for indices even if the caller wants none.
        let mut spare = device.scratch::<u8>(16, destination).map_err(memory(OPERATOR))?;
        let indices = self.indices.as_ref().map_or_else(|| spare.slice_mut(..), reborrow);
        let (in_x, example_in_x) = distances(geometry.channels, windows.map(|window| window.input), channels_last);
        let (in_y, example_in_y) = distances(geometry.channels, geometry.output, channels_last);
        macro_rules! launch {
            ($module:ident, $kernel:ident, $cells:expr, $threads:expr $(, $bf16:ident)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                let (indices, first_of_indices) =
                    whole_cells_mut::<u32>(&indices).map_err(OPERATOR.slice("indices"))?;
                let pool = $module::Pooling {
                    input: vector(windows.map(|window| window.input)),
                    output: vector(geometry.output),
                    kernel: vector(windows.map(|window| window.kernel)),
                    stride: vector(windows.map(|window| window.stride)),
                    dilation: vector(windows.map(|window| window.dilation)),
                    before: vector(windows.map(|window| window.before)),
                    padded: vector(windows.map(|window| window.padded())),
                    in_x,
                    in_y,
                    examples: geometry.examples as u32,
                    channels: geometry.channels as u32,
                    example_in_x,
                    example_in_y,
                    first_of_x,
                    first_of_y,
                    first_of_indices,
                    power,
                    infinity: INFINITY,
                    ..bytemuck::Zeroable::zeroed()
                };
                let overrides = $module::Overrides {
                    kind,
                    has_indices,
                    counts_padding,
                    adaptive,
                    channels_last
                    $(, $bf16)?
                };
                let args = $module::Args { pool, x, y, indices };
                $module::$kernel(device, overrides)?.launch(args).to(destination.reborrow()).threads($threads)?;
            }};
        }
        let (x, y) = (&self.x, &self.y);
        for pass in &plan.passes {
            match (*pass, call.halves) {
                (Pass::Elements { threads }, false) => {
                    launch!(words, elements_with, Cells::<f32>::whole(OPERATOR, x, y)?, threads);
                }
                (Pass::Elements { threads }, true) => {
                    launch!(packed, elements_with, Cells::packed(OPERATOR, x, y, 2)?, threads, bf16);
                }
                (Pass::Rows { threads }, _) => {
                    launch!(word_rows, rows_with, Cells::<f32>::whole(OPERATOR, x, y)?, threads);
                }
            }
        }
        Ok(())
    }
}
