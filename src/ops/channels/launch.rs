//! The kernels of sums over channels.

use super::super::error::OperationError;
use super::super::moving::operands::memory;
use super::super::operator::Operator;
use super::super::rows::launch::{halves, target};
use super::plan::{Choice, Form, Parts, Sizes};
use crate::buffer::cells::{reborrow, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod moments = "shaders/ops/channel_sums.wgsl", root = "shaders", feature packed = false, feature statistics = true);
crate::kernels!(mod moments_packed = "shaders/ops/channel_sums.wgsl", root = "shaders", feature packed = true, feature statistics = true);
crate::kernels!(mod derivatives = "shaders/ops/channel_sums.wgsl", root = "shaders", feature packed = false, feature statistics = false);
crate::kernels!(mod derivatives_packed = "shaders/ops/channel_sums.wgsl", root = "shaders", feature packed = true, feature statistics = false);

/// The shape and the element type of the arrays of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrays {
    pub(crate) sizes: Sizes,
    /// Whether elements have 16 bits, and whether these are `bf16`.
    pub(crate) halves: bool,
    pub(crate) bf16: bool,
}

impl Arrays {
    /// The parts of a channel on a device, without tuning.
    pub(crate) fn parts(self, device: &Device) -> Parts {
        let target = target(device);
        Parts::of(self.sizes, Choice::of(self.sizes, self.halves, device, target), target)
    }
}

/// Arrays for the means and variances of channels.
pub(crate) struct Statistics<'a> {
    pub(crate) x: Slice<'a, u8>,
    pub(crate) means: SliceMut<'a, u8>,
    pub(crate) inverses: SliceMut<'a, u8>,
    /// Running means and variances.
    pub(crate) running: Option<[SliceMut<'a, u8>; 2]>,
    pub(crate) epsilon: f32,
    pub(crate) momentum: f32,
}

/// Arrays for the derivatives of a norm by its weights.
pub(crate) struct Derivatives<'a> {
    pub(crate) x: Slice<'a, u8>,
    pub(crate) dy: Slice<'a, u8>,
    pub(crate) means: Slice<'a, u8>,
    pub(crate) inverses: Slice<'a, u8>,
    pub(crate) by_scale: SliceMut<'a, u8>,
    pub(crate) by_bias: SliceMut<'a, u8>,
    /// The rows of an example that have statistics of their own, and the channels of a row; no rows if all examples
    /// share the statistics.
    pub(crate) rows_of_example: usize,
    pub(crate) channels_of_row: usize,
}

/// The uniform of a module, from numbers that the limits of the operators keep within 32 bits.
macro_rules! channels {
    ($module:ident, $sizes:expr, $parts:expr, { $($field:ident $(: $value:expr)?),* $(,)? }) => {{
        let (sizes, parts): (Sizes, Parts) = ($sizes, $parts);
        $module::Channels {
            examples: sizes.examples as u32,
            channels: sizes.channels as u32,
            inner: sizes.inner as u32,
            parts_of_inner: parts.of_inner as u32,
            parts: parts.count() as u32,
            chunk_of_examples: parts.chunk_of_examples as u32,
            chunk_of_inner: parts.chunk_of_inner as u32,
            $($field $(: $value)?),*
        }
    }};
}

/// Launches the kernels of a module for all parts, and the one that joins them. Nothing has run if a kernel is refused.
macro_rules! launch {
    ($module:ident, $overrides:expr, $device:expr, $to:expr, $sizes:expr, $parts:expr, $sums:ident,
     sums: [$($sum:ident),*], results: [$($result:ident),*]) => {{
        let overrides = $overrides;
        let join = $module::join_parts_with($device, overrides)?;
        // The limit of the operators keeps the parts of all channels within 32 bits.
        let all = $parts.count() * $sizes.channels;
        match $parts.form {
            Form::Groups => {
                let kernel = $module::parts_of_channels_with($device, overrides)?;
                let args = $module::PartsOfChannelsArgs { $($sum,)* parts: &mut $sums };
                kernel.launch(args).to($to.reborrow()).groups([all as u32, 1])?;
            }
            Form::Columns => {
                let kernel = $module::parts_of_columns_with($device, overrides)?;
                let args = $module::PartsOfColumnsArgs { $($sum,)* parts: &mut $sums };
                kernel.launch(args).to($to.reborrow()).threads(all)?;
            }
        }
        let args = $module::JoinPartsArgs { $($result,)* parts: &$sums };
        join.launch(args).to($to.reborrow()).threads($sizes.channels)?;
    }};
}

/// Computes the mean and `1 / sqrt(variance + epsilon)` of each channel, and renews running statistics. There is at
/// least one channel, and each has at least one element.
pub(crate) fn statistics(
    operator: Operator,
    arrays: Arrays,
    call: &Statistics<'_>,
    destination: &mut Destination<'_>,
) -> Result<(), OperationError> {
    let device = &Device::of(&call.means.core.device);
    let Arrays { sizes, bf16, .. } = arrays;
    let parts = arrays.parts(device);
    let mut sums = device.scratch::<[f32; 2]>(length(sizes, parts), destination).map_err(memory(operator))?;
    // In place of running statistics: two bindings at offsets that each device permits.
    let mut spare = device.scratch::<u8>(1024, destination).map_err(memory(operator))?;
    let (spare_means, spare_variances) = spare.split_at_mut(512);
    let has_running = call.running.is_some();
    let (running_means, running_variances) = match &call.running {
        Some([means, variances]) => (reborrow(means), reborrow(variances)),
        None => (spare_means, spare_variances),
    };
    let (means, first_of_means) = whole_cells_mut::<f32>(&call.means).map_err(operator.slice("means"))?;
    let (inverses, first_of_inverses) = whole_cells_mut::<f32>(&call.inverses).map_err(operator.slice("inverses"))?;
    let (running_means, first_of_running_means) =
        whole_cells_mut::<f32>(&running_means).map_err(operator.slice("running means"))?;
    let (running_variances, first_of_running_variances) =
        whole_cells_mut::<f32>(&running_variances).map_err(operator.slice("running variances"))?;
    let count = (sizes.examples * sizes.inner) as f64;
    macro_rules! run {
        ($module:ident, $cells:expr $(, $bf16:ident)?) => {{
            let (x, first_of_x) = $cells(&call.x).map_err(operator.slice("x"))?;
            let channels = channels!($module, sizes, parts, {
                rows_of_example: 0,
                channels_of_row: 1,
                first_of_x,
                first_of_dy: 0,
                first_of_means,
                first_of_inverses,
                first_of_scale: 0,
                first_of_bias: 0,
                first_of_running_means,
                first_of_running_variances,
                epsilon: call.epsilon,
                momentum: call.momentum,
                // The variance of a sample; a single element has none.
                correction: if count > 1.0 { (count / (count - 1.0)) as f32 } else { 1.0 },
            });
            launch!(
                $module, $module::Overrides { has_running $(, $bf16)? }, device, destination, sizes, parts, sums,
                sums: [channels, x], results: [channels, means, inverses, running_means, running_variances]
            );
        }};
    }
    if arrays.halves {
        run!(moments_packed, halves, bf16);
    } else {
        run!(moments, whole_cells::<f32>);
    }
    Ok(())
}

/// Computes the derivatives by scale and bias, `sum(dy * n)` and `sum(dy)` of each channel. There is at least one
/// channel.
pub(crate) fn derivatives(
    operator: Operator,
    arrays: Arrays,
    call: &Derivatives<'_>,
    destination: &mut Destination<'_>,
) -> Result<(), OperationError> {
    let device = &Device::of(&call.by_scale.core.device);
    let Arrays { sizes, bf16, .. } = arrays;
    let parts = arrays.parts(device);
    let mut sums = device.scratch::<[f32; 2]>(length(sizes, parts), destination).map_err(memory(operator))?;
    // Kernels need an element in each array, also without elements.
    let spare = device.scratch::<u8>(16, destination).map_err(memory(operator))?;
    let given = [call.x, call.dy, call.means, call.inverses];
    let [x, dy, means, inverses] = given.map(|slice| if slice.is_empty() { spare.slice(..) } else { slice });
    let (means, first_of_means) = whole_cells::<f32>(&means).map_err(operator.slice("means"))?;
    let (inverses, first_of_inverses) = whole_cells::<f32>(&inverses).map_err(operator.slice("inverses"))?;
    let (by_scale, first_of_scale) = whole_cells_mut::<f32>(&call.by_scale).map_err(operator.slice("dscale"))?;
    let (by_bias, first_of_bias) = whole_cells_mut::<f32>(&call.by_bias).map_err(operator.slice("dbias"))?;
    macro_rules! run {
        ($module:ident, $cells:expr $(, $bf16:ident)?) => {{
            let (x, first_of_x) = $cells(&x).map_err(operator.slice("x"))?;
            let (dy, first_of_dy) = $cells(&dy).map_err(operator.slice("dy"))?;
            let channels = channels!($module, sizes, parts, {
                rows_of_example: call.rows_of_example as u32,
                channels_of_row: call.channels_of_row as u32,
                first_of_x,
                first_of_dy,
                first_of_means,
                first_of_inverses,
                first_of_scale,
                first_of_bias,
                first_of_running_means: 0,
                first_of_running_variances: 0,
                epsilon: 0.0,
                momentum: 0.0,
                correction: 0.0,
            });
            launch!(
                $module, $module::Overrides { has_running: false $(, $bf16)? }, device, destination, sizes, parts, sums,
                sums: [channels, x, dy, means, inverses], results: [channels, by_scale, by_bias]
            );
        }};
    }
    if arrays.halves {
        run!(derivatives_packed, halves, bf16);
    } else {
        run!(derivatives, whole_cells::<f32>);
    }
    Ok(())
}

/// The number of partial sums.
fn length(sizes: Sizes, parts: Parts) -> usize {
    usize::try_from(parts.count() * sizes.channels).unwrap_or(usize::MAX)
}
