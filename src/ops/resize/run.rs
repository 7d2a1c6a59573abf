//! The commands of a resize.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::plan::Plan;
use super::OPERATOR;
use super::geometry::{Axis, Geometry, MAX_SCALED, Scaled};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/resize.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/resize.wgsl", root = "shaders", feature packed = true);

/// One launch of the kernel, with one invocation for each result, or for each word of two results of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) threads: u64,
}

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) y: SliceMut<'a, u8>,
}

/// The parameters of a call, without its arrays and its geometry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) count: u32,
    /// The constant of `shaders/ops/resize.wgsl` for the mode.
    pub(super) mode: u32,
    /// The constant of `shaders/ops/resize.wgsl` for the rounding.
    pub(super) rounding: u32,
    pub(super) cubic: f32,
    pub(super) normalised: bool,
    pub(super) excludes_outside: bool,
    pub(super) outside: Option<f32>,
    /// Whether elements have 16 bits.
    pub(super) halves: bool,
    /// Whether elements are `bf16`.
    pub(super) bf16: bool,
}

impl Operands<'_> {
    /// Checks the devices and the guards of all arrays.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        geometry: &Geometry,
        call: Call,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { count, mode, rounding, cubic, normalised, excludes_outside, outside, bf16, .. } = call;
        let device = &Device::of(&self.y.core.device);
        macro_rules! launch {
            ($module:ident, $cells:expr, $threads:expr $(, $bf16:ident)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                // The limits of the operator keep all sizes within 31 bits.
                let axis = |at: usize| {
                    let axis = geometry.axes.get(at).copied();
                    let Axis { size, in_x, slot } = axis.unwrap_or(Axis { size: 1, in_x: 0, slot: None });
                    let slot = slot.unwrap_or(MAX_SCALED) as u32;
                    $module::Axis { size: size as u32, in_x: in_x as u32, slot, spare: 0 }
                };
                let scaled = |at: usize| {
                    let Scaled { size, in_x, step, offset, shrink, reach } =
                        geometry.scaled.get(at).copied().unwrap_or(Scaled::MISSING);
                    $module::Scaled {
                        size: size as u32,
                        in_x: in_x as u32,
                        step: step as f32,
                        offset: offset as f32,
                        shrink: shrink as f32,
                        reach: reach as i32,
                        spare: [0; 2],
                    }
                };
                let sizes = $module::Sizes {
                    count,
                    first_of_x,
                    first_of_y,
                    cubic,
                    outside: outside.unwrap_or(0.0),
                    rank: geometry.axes.len() as u32,
                    axes: std::array::from_fn(axis),
                    scaled: std::array::from_fn(scaled),
                    ..bytemuck::Zeroable::zeroed()
                };
                let has_outside = outside.is_some();
                let overrides =
                    $module::Overrides { mode, rounding, normalised, excludes_outside, has_outside $(, $bf16)? };
                let launch = $module::resize_with(device, overrides)?.launch($module::Args { sizes, x, y });
                launch.to(destination.reborrow()).threads($threads)?;
            }};
        }
        for Pass { threads } in &plan.passes {
            if call.halves {
                launch!(packed, Cells::packed(OPERATOR, &self.x, &self.y, 2)?, *threads, bf16);
            } else {
                launch!(words, Cells::<f32>::whole(OPERATOR, &self.x, &self.y)?, *threads);
            }
        }
        Ok(())
    }
}
