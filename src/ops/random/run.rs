//! The checks and launches of a call that draws random numbers.

use anywarp_backend::Caps;
use naga::valid::Capabilities;

use super::super::error::OperationError;
use super::draw::{Parameters, Source};
use super::order::Order;
use super::plan::Part;
use super::{OPERATOR, words_of};
use crate::buffer::SliceMut;
use crate::buffer::cells::{in_words_mut, words_mut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::{Destination, Resource};

crate::kernels!(mod words = "shaders/ops/random.wgsl", root = "shaders", feature wide = false, feature vectors = false, feature packed = false);
crate::kernels!(
    mod words_wide = "shaders/ops/random.wgsl", root = "shaders", feature wide = true, feature vectors = false, feature packed = false
);
crate::kernels!(mod vectors = "shaders/ops/random.wgsl", root = "shaders", feature wide = false, feature vectors = true, feature packed = false);
crate::kernels!(
    mod vectors_wide = "shaders/ops/random.wgsl", root = "shaders", feature wide = true, feature vectors = true, feature packed = false
);
crate::kernels!(
    mod halves = "shaders/ops/random.wgsl", root = "shaders", feature wide = false, feature vectors = false, feature packed = true
);
crate::kernels!(
    mod halves_wide = "shaders/ops/random.wgsl", root = "shaders", feature wide = true, feature vectors = false, feature packed = true
);
crate::kernels!(mod permutation = "shaders/ops/permutation.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod permutation_wide = "shaders/ops/permutation.wgsl", root = "shaders", feature wide = true);

/// The greatest number of words drawn in place of a rejected word. The last of them is used even if it is rejected,
/// which has a probability below 2^-64.
const ATTEMPTS: u32 = 64;

/// Checks the slice, the device of the destination, and that no guard uses the buffer.
pub(super) fn check<T: Element>(x: &SliceMut<'_, T>, destination: &Destination<'_>) -> Result<(), OperationError> {
    x.range.get().map_err(OPERATOR.slice("x"))?;
    if let Err(refusal) = destination.check(&x.core.device) {
        return Err(OPERATOR.refused(&x.core.device, &["x"], refusal));
    }
    // The guards of a recording's buffers are checked when the recording is submitted.
    match x.core.guarded() {
        Some(guard) if !matches!(destination, Destination::Recording(_)) => Err(OPERATOR.in_use("x", guard)),
        _ => Ok(()),
    }
}

/// Whether products of words are computed in 64 bits.
fn is_wide(caps: &Caps) -> bool {
    caps.shader.contains(Capabilities::SHADER_INT64)
}

/// Draws one part of `x`.
pub(super) fn draw<T: Element>(
    x: &SliceMut<'_, T>,
    source: Source,
    part: Part,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    let device = Device::of(&x.core.device);
    let number = source.number.wrapping_add(part.begin);
    let Parameters { kind, span, low, rest } = source.draw.parameters();
    let [seed, counter] = [source.seed, number / 4].map(|long| [long as u32, (long >> 32) as u32]);
    let skip = (number % 4) as u32;
    macro_rules! launch {
        ($module:ident, $x:ident, $first:expr, $count:expr, $threads:expr) => {{
            let draw = $module::Draw {
                seed,
                counter,
                stream: source.stream,
                skip,
                count: $count,
                first: $first,
                span,
                low,
                rest,
                attempts: ATTEMPTS,
            };
            let kernel = $module::fill_with(&device, $module::Overrides { kind })?;
            kernel.launch($module::Args { draw, x: $x }).to(destination).threads($threads)?;
        }};
    }
    if size_of::<T>() == 2 {
        let (cells, before) = in_words_mut::<T>(x).map_err(OPERATOR.slice("x"))?;
        let (count, first) = (x.len() as u32, before / 2);
        // Each invocation writes two words, of two elements each.
        let threads = u64::from(count + first % 2).div_ceil(4);
        match is_wide(device.caps()) {
            true => launch!(halves_wide, cells, first, count, threads),
            false => launch!(halves, cells, first, count, threads),
        }
        return Ok(());
    }
    // The operator's limit keeps all counts within 32 bits.
    let count = part.words as u32;
    let threads = u64::from(count + skip).div_ceil(4);
    let inner = part.begin..part.begin + part.words;
    if part.vectors {
        let (x, first) = words_mut::<T, [u32; 4]>(x, inner).map_err(OPERATOR.slice("x"))?;
        match is_wide(device.caps()) {
            true => launch!(vectors_wide, x, first, count / 4, threads),
            false => launch!(vectors, x, first, count / 4, threads),
        }
    } else {
        let (x, first) = words_mut::<T, u32>(x, inner).map_err(OPERATOR.slice("x"))?;
        match is_wide(device.caps()) {
            true => launch!(words_wide, x, first, count, threads),
            false => launch!(words, x, first, count, threads),
        }
    }
    Ok(())
}

/// Writes `x.len()` numbers of a permutation, from position `begin` on.
pub(super) fn order(
    x: &SliceMut<'_, u32>,
    order: &Order,
    begin: usize,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    let count = words_of::<u32>(x.len())? as u32;
    if count == 0 {
        return Ok(());
    }
    let (cells, first) = words_mut::<u32, u32>(x, 0..u64::from(count)).map_err(OPERATOR.slice("x"))?;
    let [left, right] = order.halves;
    let mut keys = [[0; 4]; 6];
    bytemuck::cast_slice_mut(&mut keys).copy_from_slice(&order.keys);
    let device = Device::of(&x.core.device);
    macro_rules! launch {
        ($module:ident) => {{
            let sizes = $module::Order { n: order.n, begin: begin as u32, count, first, left, right };
            let args = $module::Args { order: sizes, keys, x: cells };
            $module::permutation(&device)?.launch(args).to(destination).threads(count)?;
        }};
    }
    match is_wide(device.caps()) {
        true => launch!(permutation_wide),
        false => launch!(permutation),
    }
    Ok(())
}
