//! The derivatives of a convolution by its weights.

use super::super::choices::{InParts, Question};
use super::super::error::OperationError;
use super::super::moving::operands::{self, memory};
use super::super::rows::launch::{halves, target};
use super::OPERATOR;
use super::geometry::{Geometry, Job};
use super::plan::Parts;
use crate::buffer::cells::{reborrow, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/conv_weights.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/conv_weights.wgsl", root = "shaders", feature packed = true);
crate::kernels!(mod sums = "shaders/ops/sum_parts.wgsl", root = "shaders");

impl Parts {
    /// The division for a device: see [`Question::decide`].
    pub(super) fn for_device(weights: u64, positions: u64, halves: bool, device: &Device) -> Self {
        let question = Question::new("conv_weights", &[weights, positions]).form(if halves { "f16" } else { "f32" });
        let default = Self::default_for(weights, positions, target(device));
        let all = || InParts::all(weights, positions);
        let InParts(parts) = question.decide(device, InParts(default.parts), all, |_| true);
        Self::of(parts, positions)
    }
}

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) dy: Slice<'a, u8>,
    pub(super) dweights: SliceMut<'a, u8>,
}

impl Operands<'_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("dy", self.dy), ("dweights", self.dweights.as_slice())];
        operands::check(OPERATOR, &self.dweights.core.device, &arrays, 1, destination)
    }

    /// Appends the commands, which sum each part of the positions, and then add up the sums of the parts.
    pub(super) fn run(
        &self,
        geometry: &Geometry,
        [is_half, bf16]: [bool; 2],
        Parts { parts, chunk }: Parts,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let count = geometry.weights();
        if count == 0 {
            return Ok(());
        }
        let device = &Device::of(&self.dweights.core.device);
        let channels_last = geometry.channels_last;
        let Job { output, kernel, step, offset, tap, extent, in_x, in_y, .. } = geometry.forward();
        let Job { examples, groups, inputs, outputs, example_in_x, example_in_y, .. } = geometry.forward();
        let sums = sums::sum_parts(device)?;
        let length = if parts > 1 { usize::try_from(parts).unwrap_or(usize::MAX).saturating_mul(count) } else { 1 };
        let mut partial = device.scratch::<f32>(length, destination).map_err(memory(OPERATOR))?;
        // Kernels need an element in each array, also without examples.
        let spare = device.scratch::<u8>(16, destination).map_err(memory(OPERATOR))?;
        let [x, dy] = [self.x, self.dy].map(|slice| if slice.is_empty() { spare.slice(..) } else { slice });
        let (result, first_of_result) = whole_cells_mut::<f32>(&self.dweights).map_err(OPERATOR.slice("dweights"))?;
        macro_rules! launch {
            ($module:ident, $cells:expr $(, $bf16:ident)?) => {{
                let overrides = $module::Overrides { channels_last $(, $bf16)? };
                let kernel_of_parts = $module::parts_with(device, overrides)?;
                let (x, first_of_x) = $cells(&x).map_err(OPERATOR.slice("x"))?;
                let (dy, first_of_dy) = $cells(&dy).map_err(OPERATOR.slice("dy"))?;
                // The operator's limit keeps all of these within 32 bits.
                let conv = $module::Convolution {
                    output,
                    kernel,
                    step,
                    offset,
                    tap,
                    extent,
                    in_x,
                    in_dy: in_y,
                    examples,
                    groups,
                    inputs,
                    outputs,
                    example_in_x,
                    example_in_dy: example_in_y,
                    first_of_x,
                    first_of_dy,
                    first_of_sums: if parts > 1 { 0 } else { first_of_result },
                    weights: count as u32,
                    chunk: chunk as u32,
                    ..bytemuck::Zeroable::zeroed()
                };
                let sums = if parts > 1 { partial.slice_mut(..) } else { reborrow(&result) };
                let args = $module::Args { conv, x, dy, sums };
                kernel_of_parts.launch(args).to(destination.reborrow()).threads([count as u64, parts])?;
            }};
        }
        if is_half {
            launch!(packed, halves, bf16);
        } else {
            launch!(words, whole_cells::<f32>);
        }
        if parts > 1 {
            let sizes = sums::Sizes { count: count as u32, parts: parts as u32, first_of_y: first_of_result };
            let args = sums::Args { sizes, x: &partial, y: reborrow(&result) };
            sums.launch(args).to(destination.reborrow()).threads(count as u64)?;
        }
        Ok(())
    }
}
