//! The kernels of the passes over one digit: they count keys, add up the counts, and move the keys.

use super::super::error::OperationError;
use super::arrays::Arrays;
use super::choice::{Blocks, Form};
use super::digits::Digit;
use super::plan::{Array, RADIX};
use super::sizes::{Order, sizes};
use crate::buffer::cells::reborrow;
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod count = "shaders/ops/sort_count.wgsl", root = "shaders");
crate::kernels!(mod pieces = "shaders/ops/sort_pieces.wgsl", root = "shaders");
crate::kernels!(mod scatter = "shaders/ops/sort_scatter.wgsl", root = "shaders");
crate::kernels!(mod subgroups = "shaders/ops/sort_scatter_subgroups.wgsl", root = "shaders");

/// The three kernels of a pass over one digit.
pub(super) enum ByDigit {
    Pieces(pieces::CountPieces, pieces::PlacePieces, pieces::ScatterPieces),
    Workgroups(count::Count, count::Place, scatter::Scatter),
    Subgroups(count::Count, count::Place, subgroups::Scatter),
}

impl ByDigit {
    pub(super) fn of(
        device: &Device,
        form: Form,
        floats: bool,
        wide: bool,
        words: u32,
    ) -> Result<Self, OperationError> {
        let counts = count::Overrides { floats, wide, words: 0 };
        Ok(match form {
            Form::Pieces => Self::Pieces(
                pieces::count_pieces_with(device, pieces::Overrides { floats, wide, words: 0 })?,
                pieces::place_pieces_with(device, pieces::Overrides::default())?,
                pieces::scatter_pieces_with(device, pieces::Overrides { floats, wide, words })?,
            ),
            Form::Workgroups => Self::Workgroups(
                count::count_with(device, counts)?,
                count::place_with(device, count::Overrides::default())?,
                scatter::scatter_with(device, scatter::Overrides { floats, wide, words })?,
            ),
            Form::Subgroups { threads } => Self::Subgroups(
                count::count_with(device, counts)?,
                count::place_with(device, count::Overrides::default())?,
                subgroups::scatter_with(
                    device,
                    subgroups::Overrides { threads, narrow: is_narrow(device), floats, wide, words },
                )?,
            ),
        })
    }

    pub(super) fn count(
        &self,
        blocks: Blocks,
        digit: Digit,
        keys: Array,
        order: Order,
        arrays: &Arrays<'_>,
        to: Destination<'_>,
    ) -> Result<(), OperationError> {
        let from = arrays.keys.read(keys);
        let (span, groups) = (blocks.span as u32, [blocks.count, 1]);
        let (keys, counts) = (from.slice, reborrow(&arrays.counts));
        macro_rules! sizes_of {
            ($module:ident) => {
                sizes!($module, order, digit, order.length, [from.first, 0], [0, 0], false, span, blocks.count as u32)
            };
        }
        match self {
            Self::Pieces(kernel, ..) => {
                let args = pieces::CountPiecesArgs { sizes: sizes_of!(pieces), keys, counts };
                kernel.launch(args).to(to).groups(groups)?;
            }
            Self::Workgroups(kernel, ..) | Self::Subgroups(kernel, ..) => {
                let args = count::CountArgs { sizes: sizes_of!(count), keys, counts };
                kernel.launch(args).to(to).groups(groups)?;
            }
        }
        Ok(())
    }

    pub(super) fn place(
        &self,
        blocks: Blocks,
        order: Order,
        arrays: &Arrays<'_>,
        to: Destination<'_>,
    ) -> Result<(), OperationError> {
        let counts = reborrow(&arrays.counts);
        macro_rules! sizes_of {
            ($module:ident) => {
                sizes!($module, order, Digit::default(), order.length, [0, 0], [0, 0], false, 0, blocks.count as u32)
            };
        }
        match self {
            Self::Pieces(_, kernel, _) => {
                let args = pieces::PlacePiecesArgs { sizes: sizes_of!(pieces), counts };
                kernel.launch(args).to(to).groups(1)?;
            }
            Self::Workgroups(_, kernel, _) | Self::Subgroups(_, kernel, _) => {
                let args = count::PlaceArgs { sizes: sizes_of!(count), counts, totals: reborrow(&arrays.totals) };
                kernel.launch(args).to(to).groups([RADIX, 1])?;
            }
        }
        Ok(())
    }

    pub(super) fn scatter(
        &self,
        blocks: Blocks,
        digit: Digit,
        [keys, values]: [[Array; 2]; 2],
        order: Order,
        arrays: &Arrays<'_>,
        to: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (from_keys, from_values) = (arrays.keys.read(keys[0]), arrays.values.read(values[0]));
        let (sorted_keys, to_keys, _) = arrays.keys.written(keys[1]);
        let (sorted_values, to_values, _) = arrays.values.written(values[1]);
        let (span, groups) = (blocks.span as u32, [blocks.count, 1]);
        // Only the first pass generates the indices.
        let order = Order { indices: order.indices && values[0] == Array::Unused, ..order };
        let no_keys = keys[1] == Array::Unused;
        macro_rules! sizes_of {
            ($module:ident) => {
                sizes!(
                    $module,
                    order,
                    digit,
                    order.length,
                    [from_keys.first, to_keys],
                    [from_values.first, to_values],
                    no_keys,
                    span,
                    blocks.count as u32
                )
            };
        }
        let (keys, values) = (from_keys.slice, from_values.slice);
        match self {
            Self::Pieces(.., kernel) => {
                let (sizes, counts) = (sizes_of!(pieces), arrays.counts.as_slice());
                let args = pieces::ScatterPiecesArgs { sizes, keys, values, sorted_keys, sorted_values, counts };
                kernel.launch(args).to(to).groups(groups)?;
            }
            Self::Workgroups(.., kernel) => {
                let (sizes, counts, totals) = (sizes_of!(scatter), arrays.counts.as_slice(), arrays.totals.as_slice());
                let args = scatter::Args { sizes, keys, values, sorted_keys, sorted_values, counts, totals };
                kernel.launch(args).to(to).groups(groups)?;
            }
            Self::Subgroups(.., kernel) => {
                let (sizes, counts, totals) =
                    (sizes_of!(subgroups), arrays.counts.as_slice(), arrays.totals.as_slice());
                let args = subgroups::Args { sizes, keys, values, sorted_keys, sorted_values, counts, totals };
                kernel.launch(args).to(to).groups(groups)?;
            }
        }
        Ok(())
    }
}

/// Whether a ballot of any subgroup of the device fits into one word.
pub(super) fn is_narrow(device: &Device) -> bool {
    device.caps().subgroup_size.is_some_and(|(_, greatest)| greatest <= 32)
}
