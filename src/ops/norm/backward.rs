//! The derivatives of a norm by its elements.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::rows::launch::{Numbers, compile, halves, launch, modules, parts, rows, run_for_form};
use super::super::rows::plan::{Pass, Planned};
use super::OPERATOR;
use super::run::{Call, Channels};
use crate::buffer::cells::whole_cells;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

modules!("shaders/ops/norm_backward.wgsl": words, vectors, packed, packed_vectors);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) dy: Slice<'a, u8>,
    pub(super) scale: Option<Slice<'a, u8>>,
    pub(super) means: Slice<'a, u8>,
    pub(super) inverses: Slice<'a, u8>,
    pub(super) dx: SliceMut<'a, u8>,
}

impl Operands<'_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("x", self.x), ("dy", self.dy), ("means", self.means), ("inverses", self.inverses)];
        arrays.extend(self.scale.map(|scale| ("scale", scale)));
        arrays.push(("dx", self.dx.as_slice()));
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
        let Call { shape, centred, bf16, .. } = call;
        let device = &Device::of(&self.dx.core.device);
        let sizes = Numbers::of(shape, planned);
        let Numbers { group, width, .. } = sizes;
        let (has_scale, by_channel) = (self.scale.is_some(), call.by_channel.is_some());
        let channels = call.by_channel.unwrap_or(Channels { period: 1, channels: 1, inner: 1 });
        let [period, channels, inner] = [channels.period, channels.channels, channels.inner].map(|count| count as u32);
        let (means, first_of_means) = whole_cells::<f32>(&self.means).map_err(OPERATOR.slice("means"))?;
        let (inverses, first_of_inverses) = whole_cells::<f32>(&self.inverses).map_err(OPERATOR.slice("inverses"))?;
        let (x, y) = (&self.x, &self.dx);
        macro_rules! run {
            ($module:ident, $both:expr, $one:expr $(, $bf16:ident)?) => {{
                let strided = false;
                let overrides =
                    $module::Overrides { group, width, centred, has_scale, by_channel, strided $(, $bf16)? };
                compile!($module, planned, device, overrides);
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                let (dy, first_of_dy) = $one(&self.dy).map_err(OPERATOR.slice("dy"))?;
                // A scale that is not given is not read.
                let (scale, first_of_scale) = match &self.scale {
                    Some(scale) => $one(scale).map_err(OPERATOR.slice("scale"))?,
                    None => (dy, 0),
                };
                let backward = $module::Backward {
                    elements: shape.length as f32,
                    period,
                    channels,
                    inner,
                    first_of_dy,
                    first_of_scale,
                    first_of_means,
                    first_of_inverses,
                };
                for pass in &planned.plan.passes {
                    let Cells { x, first_of_x, y, first_of_y } = $both(OPERATOR, x, y)?;
                    let rows = rows!($module, sizes, first_of_x, first_of_y);
                    launch!($module, *pass, device, overrides, destination.reborrow(), parts,
                        sums: [rows, backward, x, dy, scale, means, inverses],
                        results: [rows, backward, x, dy, scale, means, inverses, y]);
                }
            }};
        }
        run_for_form!(run, shape.halves, planned, bf16: words, vectors, packed, packed_vectors);
        Ok(())
    }
}
