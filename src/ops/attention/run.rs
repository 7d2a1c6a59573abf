//! The commands of an attention.

use half::f16;

use super::super::error::OperationError;
use super::super::moving::operands::{self, memory};
use super::super::rows::launch::{INFINITY, halves};
use super::OPERATOR;
use super::plan::{Matrices, Pass, Planned};
use super::shapes::Sizes;
use crate::buffer::cells::{in_words, in_words_mut, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::Destination;

crate::kernels!(mod rows = "shaders/ops/attention_rows.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed_rows = "shaders/ops/attention_rows.wgsl", root = "shaders", feature packed = true);
crate::kernels!(mod keys = "shaders/ops/attention_keys.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed_keys = "shaders/ops/attention_keys.wgsl", root = "shaders", feature packed = true);
crate::kernels!(mod tiles = "shaders/ops/attention_tiles.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed_tiles = "shaders/ops/attention_tiles.wgsl", root = "shaders", feature packed = true);
crate::kernels!(
    mod matrices = "shaders/ops/attention_cooperative.wgsl", root = "shaders",
    feature packed = true, feature warps = false
);
crate::kernels!(
    mod matrices_of_warps = "shaders/ops/attention_cooperative.wgsl", root = "shaders",
    feature packed = true, feature warps = true
);
crate::kernels!(mod combine = "shaders/ops/attention_combine.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed_combine = "shaders/ops/attention_combine.wgsl", root = "shaders", feature packed = true);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) q: Slice<'a, u8>,
    pub(super) k: Slice<'a, u8>,
    pub(super) v: Slice<'a, u8>,
    pub(super) mask: Option<Slice<'a, u8>>,
    pub(super) bias: Option<Slice<'a, u8>>,
    pub(super) y: SliceMut<'a, u8>,
}

/// A call without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) sizes: Sizes,
    /// The distances of neighbours in the mask and the bias.
    pub(super) in_mask: [u32; 4],
    pub(super) in_bias: [u32; 4],
    pub(super) scale: f32,
    pub(super) cap: Option<f32>,
    /// Query `i` has the keys from 0 to `i + offset`.
    pub(super) offset: i32,
    /// Whether elements have 16 bits, and whether these are `bf16`.
    pub(super) halves: bool,
    pub(super) bf16: bool,
}

/// The words of halves that are written, and the number of halves before the first one.
pub(super) fn halves_mut<'a>(slice: &'a SliceMut<'_, u8>) -> Result<(SliceMut<'a, u32>, u32), BufferError> {
    in_words_mut(slice).map(|(words, before)| (words, before / 2))
}

impl Operands<'_> {
    /// Whether the arrays of numbers but the bias begin at multiples of 8 bytes.
    pub(super) fn are_aligned(&self) -> bool {
        let read = [&self.q, &self.k, &self.v].map(operands::start);
        read.into_iter().chain([operands::start_mut(&self.y)]).all(|start| start.is_multiple_of(8))
    }

    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("q", self.q), ("k", self.k), ("v", self.v)];
        arrays.extend(self.mask.map(|mask| ("mask", mask)));
        arrays.extend(self.bias.map(|bias| ("bias", bias)));
        arrays.push(("y", self.y.as_slice()));
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
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
        let device = &Device::of(&self.y.core.device);
        let Call { sizes, in_mask, in_bias, scale, cap, offset, bf16, .. } = call;
        let [has_mask, has_bias] = [self.mask, self.bias].map(|slice| u32::from(slice.is_some()));
        let wide = (sizes.size_of_value as u32).div_ceil(64);
        let length = usize::try_from(planned.plan.scratch / 4).unwrap_or(usize::MAX).max(1);
        let mut parts = device.scratch::<f32>(length, destination).map_err(memory(OPERATOR))?;
        // Kernels need an element in each array, also without keys.
        let spare = device.scratch::<u8>(16, destination).map_err(memory(OPERATOR))?;
        let [q, k, v] = [self.q, self.k, self.v].map(|slice| if slice.is_empty() { spare.slice(..) } else { slice });
        // Arrays that are not given are not read.
        let [mask, bias] = [self.mask, self.bias].map(|slice| slice.filter(|slice| !slice.is_empty()).unwrap_or(q));
        let (mask, bytes_before_mask) = in_words(&mask).map_err(OPERATOR.slice("mask"))?;
        // The limits of operators keep all of these within 32 bits.
        macro_rules! numbers {
            ($module:ident, $firsts:expr) => {{
                let [first_of_q, first_of_k, first_of_v, first_of_bias, first_of_y] = $firsts;
                $module::Attention {
                    in_mask,
                    in_bias,
                    batches: sizes.batches as u32,
                    heads: sizes.heads as u32,
                    queries: sizes.queries as u32,
                    keys: sizes.keys as u32,
                    group: sizes.group as u32,
                    size: sizes.size as u32,
                    size_of_value: sizes.size_of_value as u32,
                    offset,
                    scale,
                    cap: cap.unwrap_or(0.0),
                    has_mask,
                    has_bias,
                    first_of_q,
                    first_of_k,
                    first_of_v,
                    first_of_mask: bytes_before_mask / 4,
                    first_of_bias,
                    first_of_y,
                    parts: planned.parts as u32,
                    chunk: planned.chunk as u32,
                    infinity: INFINITY,
                    ..bytemuck::Zeroable::zeroed()
                }
            }};
        }
        macro_rules! multiply {
            ($module:ident, $groups:expr, $lanes:expr, $subgroups:expr) => {{
                let (q, of_q) = whole_cells::<[f16; 4]>(&q).map_err(OPERATOR.slice("q"))?;
                let (k, of_k) = whole_cells::<[f16; 4]>(&k).map_err(OPERATOR.slice("k"))?;
                let (v, of_v) = whole_cells::<[f16; 4]>(&v).map_err(OPERATOR.slice("v"))?;
                let (y, of_y) = whole_cells_mut::<[f16; 4]>(&self.y).map_err(OPERATOR.slice("y"))?;
                let (bias, first_of_bias) = halves(&bias).map_err(OPERATOR.slice("bias"))?;
                let attention = numbers!($module, [of_q * 4, of_k * 4, of_v * 4, first_of_bias, of_y * 4]);
                let plain = has_mask == 0 && has_bias == 0 && cap.is_none() && scale > 0.0;
                let blocks = sizes.size as u32 / 16;
                let overrides = $module::Overrides { bf16: false, plain, blocks, lanes: $lanes, subgroups: $subgroups };
                let args = $module::Args { attention, q, k, v, mask, bias, y };
                let launch = $module::matrices_with(device, overrides)?.launch(args);
                launch.to(destination.reborrow()).groups($groups)?;
            }};
        }
        // The only pass of a plan.
        if let [Pass::Cooperative { groups, matrices: Matrices { lanes, warps }, subgroups }] = planned.plan.passes[..]
        {
            match warps {
                true => multiply!(matrices_of_warps, groups, lanes, subgroups),
                false => multiply!(matrices, groups, lanes, subgroups),
            }
            return Ok(());
        }
        macro_rules! run {
            ($rows:ident($whole:ident, $parts:ident), $keys:ident, $tiles:ident, $combine:ident($join:ident),
             $cells:expr, $cells_mut:expr $(, $bf16:ident)?) => {{
                let (q, first_of_q) = $cells(&q).map_err(OPERATOR.slice("q"))?;
                let (k, first_of_k) = $cells(&k).map_err(OPERATOR.slice("k"))?;
                let (v, first_of_v) = $cells(&v).map_err(OPERATOR.slice("v"))?;
                let (bias, first_of_bias) = $cells(&bias).map_err(OPERATOR.slice("bias"))?;
                macro_rules! attention {
                    ($module:ident, $first_of_y:expr) => {
                        numbers!($module, [first_of_q, first_of_k, first_of_v, first_of_bias, $first_of_y])
                    };
                }
                let of_keys = $keys::Overrides { wide $(, $bf16)? };
                let of_tiles = $tiles::Overrides { wide $(, $bf16)? };
                // All kernels are compiled first, so that a refused one leaves nothing launched.
                for pass in &planned.plan.passes {
                    match pass {
                        Pass::WholeRows { .. } => drop($rows::$whole(device $(, $rows::Overrides { $bf16 })?)?),
                        Pass::PartsOfRows { .. } => drop($rows::$parts(device $(, $rows::Overrides { $bf16 })?)?),
                        Pass::WholeKeys { .. } => drop($keys::whole_keys_with(device, of_keys)?),
                        Pass::PartsOfKeys { .. } => drop($keys::parts_of_keys_with(device, of_keys)?),
                        Pass::Tiles { .. } => drop($tiles::tiles_with(device, of_tiles)?),
                        Pass::Combine { .. } => drop($combine::$join(device $(, $combine::Overrides { $bf16 })?)?),
                        // It has no other passes beside it.
                        Pass::Cooperative { .. } => {}
                    }
                }
                for pass in &planned.plan.passes {
                    let (y, first_of_y) = $cells_mut(&self.y).map_err(OPERATOR.slice("y"))?;
                    match *pass {
                        Pass::WholeRows { threads } => {
                            let attention = attention!($rows, first_of_y);
                            let args = $rows::WholeRowsArgs { attention, q, k, v, mask, bias, y };
                            let launch = $rows::$whole(device $(, $rows::Overrides { $bf16 })?)?.launch(args);
                            launch.to(destination.reborrow()).threads(threads)?;
                        }
                        Pass::PartsOfRows { threads } => {
                            let attention = attention!($rows, first_of_y);
                            let args = $rows::PartsOfRowsArgs { attention, q, k, v, mask, bias, parts: &mut parts };
                            let launch = $rows::$parts(device $(, $rows::Overrides { $bf16 })?)?.launch(args);
                            launch.to(destination.reborrow()).threads(threads)?;
                        }
                        Pass::WholeKeys { groups } => {
                            let attention = attention!($keys, first_of_y);
                            let args = $keys::WholeKeysArgs { attention, q, k, v, mask, bias, y };
                            let launch = $keys::whole_keys_with(device, of_keys)?.launch(args);
                            launch.to(destination.reborrow()).groups(groups)?;
                        }
                        Pass::PartsOfKeys { groups } => {
                            let attention = attention!($keys, first_of_y);
                            let args = $keys::PartsOfKeysArgs { attention, q, k, v, mask, bias, parts: &mut parts };
                            let launch = $keys::parts_of_keys_with(device, of_keys)?.launch(args);
                            launch.to(destination.reborrow()).groups(groups)?;
                        }
                        Pass::Tiles { groups } => {
                            let attention = attention!($tiles, first_of_y);
                            let args = $tiles::Args { attention, q, k, v, mask, bias, y };
                            let launch = $tiles::tiles_with(device, of_tiles)?.launch(args);
                            launch.to(destination.reborrow()).groups(groups)?;
                        }
                        Pass::Cooperative { .. } => {}
                        Pass::Combine { threads } => {
                            let attention = attention!($combine, first_of_y);
                            let args = $combine::Args { attention, parts: &parts, y };
                            let launch = $combine::$join(device $(, $combine::Overrides { $bf16 })?)?.launch(args);
                            launch.to(destination.reborrow()).threads(threads)?;
                        }
                    }
                }
            }};
        }
        if call.halves {
            run!(
                packed_rows(whole_rows_with, parts_of_rows_with),
                packed_keys,
                packed_tiles,
                packed_combine(combine_with),
                halves,
                halves_mut,
                bf16
            );
        } else {
            run!(
                rows(whole_rows, parts_of_rows),
                keys,
                tiles,
                combine(combine),
                whole_cells::<f32>,
                whole_cells_mut::<f32>
            );
        }
        Ok(())
    }
}
