//! From a batch norm to its commands.

use super::super::channels::launch::{Arrays, Derivatives, Statistics, derivatives, statistics};
use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::super::rows::launch::halves;
use super::OPERATOR;
use crate::buffer::cells::whole_cells;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod forward = "shaders/ops/batch_norm.wgsl", root = "shaders", feature packed = false, feature backward = false);
crate::kernels!(mod forward_packed = "shaders/ops/batch_norm.wgsl", root = "shaders", feature packed = true, feature backward = false);
crate::kernels!(mod backward = "shaders/ops/batch_norm.wgsl", root = "shaders", feature packed = false, feature backward = true);
crate::kernels!(mod backward_packed = "shaders/ops/batch_norm.wgsl", root = "shaders", feature packed = true, feature backward = true);

/// The pass that writes an array of elements, and its arrays as bytes.
pub(super) struct Normalise<'a, 'r, 'y> {
    pub(super) x: Slice<'a, u8>,
    pub(super) scale: Option<Slice<'r, u8>>,
    pub(super) means: Slice<'a, u8>,
    pub(super) inverses: Slice<'a, u8>,
    pub(super) way: Way<'a, 'r>,
    /// The results, or the derivatives by x.
    pub(super) y: SliceMut<'y, u8>,
}

/// The results of the pass.
pub(super) enum Way<'a, 'r> {
    /// The norm; from variances, or from `1 / sqrt(variance + epsilon)`.
    Forward { bias: Option<Slice<'r, u8>>, from_variances: bool },
    /// The derivatives by x, from those by the results and those by scale and bias.
    Backward { dy: Slice<'a, u8>, sums: [Slice<'a, u8>; 2] },
}

impl Normalise<'_, '_, '_> {
    /// Checks devices and guards of a call whose only output are the results; or of derivatives.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let variances = matches!(self.way, Way::Forward { from_variances: true, .. });
        let mut arrays = vec![("x", self.x), ("means", self.means)];
        arrays.push((if variances { "variances" } else { "inverses" }, self.inverses));
        arrays.extend(self.scale.map(|scale| ("scale", scale)));
        match &self.way {
            Way::Forward { bias, .. } => {
                arrays.extend(bias.map(|bias| ("bias", bias)));
                arrays.push(("y", self.y.as_slice()));
                operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
            }
            Way::Backward { dy, sums: [dscale, dbias] } => {
                arrays.extend([("dy", *dy), ("dscale", *dscale), ("dbias", *dbias), ("dx", self.y.as_slice())]);
                operands::check(OPERATOR, &self.y.core.device, &arrays, 3, destination)?;
                // The last pass reads the derivatives by scale and bias, which an earlier pass writes.
                operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
            }
        }
    }

    /// [`check`](Self::check) of a call that also writes statistics.
    pub(super) fn check_with(
        &self,
        statistics: &Statistics<'_>,
        destination: &Destination<'_>,
    ) -> Result<(), OperationError> {
        let mut arrays = vec![("x", self.x)];
        arrays.extend(self.scale.map(|scale| ("scale", scale)));
        if let Way::Forward { bias: Some(bias), .. } = &self.way {
            arrays.push(("bias", *bias));
        }
        let read = arrays.len();
        arrays.extend([("means", self.means), ("inverses", self.inverses)]);
        if let Some([means, variances]) = &statistics.running {
            arrays.extend([("running means", means.as_slice()), ("running variances", variances.as_slice())]);
        }
        arrays.push(("y", self.y.as_slice()));
        operands::check(OPERATOR, &self.y.core.device, &arrays, arrays.len() - read, destination)?;
        // The last pass reads the statistics, which an earlier pass writes.
        arrays.retain(|(name, _)| !name.starts_with("running"));
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Computes statistics, then the results.
    pub(super) fn train(
        &self,
        arrays: Arrays,
        call: &Statistics<'_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if arrays.sizes.channels == 0 {
            return Ok(());
        }
        // Compiled first, so that nothing has run if it is refused.
        self.launch(arrays, call.epsilon, None)?;
        statistics(OPERATOR, arrays, call, destination)?;
        self.launch(arrays, call.epsilon, Some(destination))
    }

    /// Computes the derivatives by scale and bias, then those by the elements.
    pub(super) fn differentiate(
        &self,
        arrays: Arrays,
        call: &Derivatives<'_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if arrays.sizes.channels == 0 {
            return Ok(());
        }
        self.launch(arrays, 0.0, None)?;
        derivatives(OPERATOR, arrays, call, destination)?;
        self.launch(arrays, 0.0, Some(destination))
    }

    /// Computes the results.
    pub(super) fn run(
        &self,
        arrays: Arrays,
        epsilon: f32,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        self.launch(arrays, epsilon, Some(destination))
    }

    /// Compiles the kernel and, with a destination, launches it.
    fn launch(
        &self,
        arrays: Arrays,
        epsilon: f32,
        destination: Option<&mut Destination<'_>>,
    ) -> Result<(), OperationError> {
        let Arrays { sizes, halves: packed, bf16 } = arrays;
        let count = sizes.examples.saturating_mul(sizes.channels).saturating_mul(sizes.inner);
        if count == 0 {
            return Ok(());
        }
        let device = &Device::of(&self.y.core.device);
        let has_scale = self.scale.is_some();
        let has_bias = matches!(self.way, Way::Forward { bias: Some(_), .. });
        let from_variances = matches!(self.way, Way::Forward { from_variances: true, .. });
        let (means, first_of_means) = whole_cells::<f32>(&self.means).map_err(OPERATOR.slice("means"))?;
        let (inverses, first_of_inverses) = whole_cells::<f32>(&self.inverses).map_err(OPERATOR.slice("inverses"))?;
        macro_rules! launch {
            ($module:ident, $both:expr, $one:expr, $other:ident: $of_other:expr, $name:literal,
             $sums:expr, [$($by_scale:ident, $by_bias:ident)?] $(, $bf16:ident)?) => {{
                let kernel = $module::normalise_with(device, $module::Overrides {
                    has_scale, has_bias, from_variances $(, $bf16)?
                })?;
                let Some(destination) = destination else { return Ok(()) };
                let Cells { x, first_of_x, y, first_of_y } = $both(OPERATOR, &self.x, &self.y)?;
                // Weights that are not given are not read.
                let (scale, first_of_scale) = match &self.scale {
                    Some(scale) => $one(scale).map_err(OPERATOR.slice("scale"))?,
                    None => (x, 0),
                };
                let ($other, first_of_other) = match $of_other {
                    Some(other) => $one(other).map_err(OPERATOR.slice($name))?,
                    None => (x, 0),
                };
                let firsts: [u32; 2] = $sums;
                let norm = $module::Norm {
                    count: count as u32,
                    channels: sizes.channels as u32,
                    inner: sizes.inner as u32,
                    first_of_x,
                    first_of_dy: first_of_other,
                    first_of_y,
                    first_of_scale,
                    first_of_bias: first_of_other,
                    first_of_means,
                    first_of_inverses,
                    first_of_by_scale: firsts[0],
                    first_of_by_bias: firsts[1],
                    epsilon,
                    share: (1.0 / (sizes.examples * sizes.inner) as f64) as f32,
                };
                let args = $module::Args { norm, x, scale, means, inverses, y, $other $(, $by_scale, $by_bias)? };
                let threads = if packed { (u64::from(first_of_y % 2) + count).div_ceil(2) } else { count };
                kernel.launch(args).to(destination.reborrow()).threads(threads)?;
            }};
        }
        match &self.way {
            Way::Forward { bias, .. } if packed => {
                launch!(forward_packed, Cells::halves, halves, bias: bias.as_ref(), "bias", [0; 2], [], bf16);
            }
            Way::Forward { bias, .. } => {
                launch!(forward, Cells::<f32>::whole, whole_cells::<f32>, bias: bias.as_ref(), "bias", [0; 2], []);
            }
            Way::Backward { dy, sums: [by_scale, by_bias] } => {
                let (by_scale, of_scale) = whole_cells::<f32>(by_scale).map_err(OPERATOR.slice("dscale"))?;
                let (by_bias, of_bias) = whole_cells::<f32>(by_bias).map_err(OPERATOR.slice("dbias"))?;
                let firsts = [of_scale, of_bias];
                if packed {
                    launch!(
                        backward_packed, Cells::halves, halves, dy: Some(dy), "dy", firsts, [by_scale, by_bias], bf16
                    );
                } else {
                    launch!(
                        backward, Cells::<f32>::whole, whole_cells::<f32>, dy: Some(dy), "dy", firsts,
                        [by_scale, by_bias]
                    );
                }
            }
        }
        Ok(())
    }
}
