//! The commands of a norm.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells, memory};
use super::super::rows::launch::{Numbers, compile, halves, launch, modules, parts, rows, run_for_form};
use super::super::rows::plan::{Pass, Planned, Shape};
use super::OPERATOR;
use crate::buffer::cells::{reborrow, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

modules!("shaders/ops/norm.wgsl": words, vectors, packed, packed_vectors);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a, 'x, 'y> {
    pub(super) x: Slice<'x, u8>,
    pub(super) scale: Option<Slice<'a, u8>>,
    pub(super) bias: Option<Slice<'a, u8>>,
    pub(super) means: Option<SliceMut<'a, u8>>,
    pub(super) inverses: Option<SliceMut<'a, u8>>,
    pub(super) y: SliceMut<'y, u8>,
}

/// Weights by channel: the rows after which they repeat, the channels of a row, and the elements of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Channels {
    pub(super) period: usize,
    pub(super) channels: usize,
    pub(super) inner: usize,
}

/// A call without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) shape: Shape,
    pub(super) centred: bool,
    pub(super) epsilon: f32,
    pub(super) by_channel: Option<Channels>,
    /// Whether elements of 16 bits are `bf16`.
    pub(super) bf16: bool,
}

impl Operands<'_, '_, '_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("x", self.x)];
        arrays.extend(self.scale.map(|scale| ("scale", scale)));
        arrays.extend(self.bias.map(|bias| ("bias", bias)));
        let read = arrays.len();
        arrays.extend(self.means.as_ref().map(|means| ("means", means.as_slice())));
        arrays.extend(self.inverses.as_ref().map(|inverses| ("inverses", inverses.as_slice())));
        arrays.push(("y", self.y.as_slice()));
        operands::check(OPERATOR, &self.y.core.device, &arrays, arrays.len() - read, destination)
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
        let Call { shape, centred, epsilon, bf16, .. } = call;
        let device = &Device::of(&self.y.core.device);
        let sizes = Numbers::of(shape, planned);
        let Numbers { group, width, held, .. } = sizes;
        let (has_scale, has_bias, has_statistics) = (self.scale.is_some(), self.bias.is_some(), self.means.is_some());
        let by_channel = call.by_channel.is_some();
        let channels = call.by_channel.unwrap_or(Channels { period: 1, channels: 1, inner: 1 });
        let [period, channels, inner] = [channels.period, channels.channels, channels.inner].map(|count| count as u32);
        // Kernels need bindings also if the caller wants no statistics: two, at offsets that each device permits.
        let mut spare = device.scratch::<u8>(1024, destination).map_err(memory(OPERATOR))?;
        let (spare_means, spare_inverses) = spare.split_at_mut(512);
        let means = self.means.as_ref().map_or_else(|| reborrow(&spare_means), reborrow);
        let inverses = self.inverses.as_ref().map_or_else(|| reborrow(&spare_inverses), reborrow);
        let (x, y) = (&self.x, &self.y);
        macro_rules! run {
            ($module:ident, $both:expr, $one:expr $(, $bf16:ident)?) => {{
                let overrides = $module::Overrides {
                    group,
                    width,
                    held,
                    centred,
                    has_scale,
                    has_bias,
                    has_statistics,
                    by_channel,
                    strided: false
                    $(, $bf16)?
                };
                compile!($module, planned, device, overrides);
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                for pass in &planned.plan.passes {
                    let Cells { x, first_of_x, y, first_of_y } = $both(OPERATOR, x, y)?;
                    // Weights that are not given are not read.
                    let weights = |given: &Option<_>, name| match given {
                        Some(slice) => $one(slice).map_err(OPERATOR.slice(name)),
                        None => Ok((x, 0)),
                    };
                    let (scale, first_of_scale) = weights(&self.scale, "scale")?;
                    let (bias, first_of_bias) = weights(&self.bias, "bias")?;
                    let (means, first_of_means) =
                        whole_cells_mut::<f32>(&means).map_err(OPERATOR.slice("means"))?;
                    let (inverses, first_of_inverses) =
                        whole_cells_mut::<f32>(&inverses).map_err(OPERATOR.slice("inverses"))?;
                    let rows = rows!($module, sizes, first_of_x, first_of_y);
                    let norm = $module::Norm {
                        epsilon,
                        elements: shape.length as f32,
                        period,
                        channels,
                        inner,
                        first_of_scale,
                        first_of_bias,
                        first_of_means,
                        first_of_inverses,
                    };
                    launch!($module, *pass, device, overrides, destination.reborrow(), parts,
                        sums: [rows, x], results: [rows, norm, x, y, scale, bias, means, inverses]);
                }
            }};
        }
        run_for_form!(run, shape.halves, planned, bf16: words, vectors, packed, packed_vectors);
        Ok(())
    }
}
