//! The kernels of a sort, and their launches.

use super::super::error::OperationError;
use super::super::ordering::keys::Kind;
use super::super::plan::Plan;
use super::arrays::Arrays;
use super::choice::{Blocks, Form};
use super::digits::Digit;
use super::plan::{self, Array, Pass, RADIX, Shape, Values};
use crate::buffer::cells::reborrow;
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod count = "shaders/ops/sort_count.wgsl", root = "shaders");
crate::kernels!(mod pieces = "shaders/ops/sort_pieces.wgsl", root = "shaders");
crate::kernels!(mod packed = "shaders/ops/sort_packed.wgsl", root = "shaders");
crate::kernels!(mod scatter = "shaders/ops/sort_scatter.wgsl", root = "shaders");
crate::kernels!(mod small = "shaders/ops/sort_small.wgsl", root = "shaders");
crate::kernels!(mod sweep = "shaders/ops/sort_sweep.wgsl", root = "shaders");
crate::kernels!(mod subgroups = "shaders/ops/sort_scatter_subgroups.wgsl", root = "shaders");

/// In unit tests every third workgroup of a sweep does not publish its counts, as if it were late.
const SILENT: u32 = if cfg!(test) { 3 } else { 0 };

/// The part of a shape that the kernels take as numbers.
#[derive(Clone, Copy)]
pub(super) struct Order {
    length: u32,
    infinity: u32,
    indices: bool,
}

impl Order {
    pub(super) fn of(shape: &Shape) -> Self {
        let infinity = if let Kind::Float { infinity } = shape.kind { infinity } else { 0 };
        // Within 32 bits, as the length was checked.
        Self { length: shape.length as u32, infinity, indices: shape.values == Values::Indices }
    }
}

/// The three kernels of a pass over one digit.
enum ByDigit {
    Pieces(pieces::CountPieces, pieces::PlacePieces, pieces::ScatterPieces),
    Workgroups(count::Count, count::Place, scatter::Scatter),
    Subgroups(count::Count, count::Place, subgroups::Scatter),
}

/// The kernels of all passes of a plan.
#[derive(Default)]
pub(super) struct Kernels {
    unpack: Option<packed::Unpack>,
    pack: Option<packed::Pack>,
    small: Option<small::Sort>,
    by_digit: Option<ByDigit>,
    sweep: Option<(sweep::CountAll, sweep::PlaceAll, sweep::Sweep)>,
}

/// The digits as the kernels take them.
fn numbers(digits: &[Digit]) -> [[u32; 4]; 8] {
    let mut all_digits = [[0; 4]; 8];
    for (to, Digit { word, shift, mask, flip }) in all_digits.iter_mut().zip(digits) {
        *to = [*word, *shift, *mask, *flip];
    }
    all_digits
}

macro_rules! sizes {
    ($module:ident, $order:expr, $digit:expr, $length:expr, [$keys:expr, $to_keys:expr], [$values:expr, $to_values:expr],
     $no_keys:expr, $span:expr, $blocks:expr) => {
        $module::Sizes {
            word: $digit.word,
            shift: $digit.shift,
            mask: $digit.mask,
            flip: $digit.flip,
            length: $length,
            span: $span,
            blocks: $blocks,
            first_of_keys: $keys,
            first_of_values: $values,
            first_of_sorted_keys: $to_keys,
            first_of_sorted_values: $to_values,
            infinity: $order.infinity,
            indices: u32::from($order.indices),
            no_keys: u32::from($no_keys),
        }
    };
}

impl Kernels {
    /// Compiles the kernels, unless the device has them.
    pub(super) fn of(device: &Device, shape: &Shape, plan: &Plan<Pass>) -> Result<Self, OperationError> {
        let (floats, wide) = (matches!(shape.kind, Kind::Float { .. }), shape.key_words() > 1);
        let words = shape.values.words();
        let mut kernels = Self::default();
        for pass in &plan.passes {
            match *pass {
                Pass::Unpack => {
                    let overrides = packed::Overrides { bits: shape.key_bits };
                    kernels.unpack = Some(packed::unpack_with(device, overrides)?);
                }
                Pass::Pack { .. } => {
                    let overrides = packed::Overrides { bits: shape.key_bits };
                    kernels.pack = Some(packed::pack_with(device, overrides)?);
                }
                Pass::Small { keys, values, .. } => {
                    let in_place = keys[0] == keys[1] || (values[0] == values[1] && values[0] != Array::Unused);
                    let overrides = small::Overrides { in_place, floats, wide, words };
                    kernels.small = Some(small::sort_with(device, overrides)?);
                }
                // The first pass has the kernels of all.
                Pass::Scatter { blocks, .. } if kernels.by_digit.is_none() => {
                    kernels.by_digit = Some(ByDigit::of(device, blocks.form, floats, wide, words)?);
                }
                Pass::Sweep { threads, .. } if kernels.sweep.is_none() => {
                    let overrides =
                        sweep::Overrides { silent: SILENT, threads, narrow: is_narrow(device), floats, wide, words };
                    kernels.sweep = Some((
                        sweep::count_all_with(device, overrides)?,
                        sweep::place_all_with(device, overrides)?,
                        sweep::sweep_with(device, overrides)?,
                    ));
                }
                _ => {}
            }
        }
        Ok(kernels)
    }

    /// Launches a pass.
    pub(super) fn launch(
        &self,
        pass: &Pass,
        order: Order,
        arrays: &Arrays<'_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let to = destination.reborrow();
        match (pass, &self.by_digit) {
            (Pass::Unpack, _) => self.unpack(order, arrays, to),
            (Pass::Pack { from }, _) => self.pack(*from, order, arrays, to),
            (Pass::Small { digits, keys, values }, _) => self.small(digits, [*keys, *values], order, arrays, to),
            (Pass::Count { blocks, digit, keys }, Some(kernels)) => {
                kernels.count(*blocks, *digit, *keys, order, arrays, to)
            }
            (Pass::Place { blocks }, Some(kernels)) => kernels.place(*blocks, order, arrays, to),
            (Pass::Scatter { blocks, digit, keys, values }, Some(kernels)) => {
                kernels.scatter(*blocks, *digit, [*keys, *values], order, arrays, to)
            }
            _ => self.sweep(pass, order, arrays, to),
        }
    }

    fn sweep(&self, pass: &Pass, order: Order, arrays: &Arrays<'_>, to: Destination<'_>) -> Result<(), OperationError> {
        let Some((count_all, place_all, sweep)) = &self.sweep else { return Ok(()) };
        match pass {
            Pass::CountAll { blocks, digits, keys } => {
                let from = arrays.keys.read(*keys);
                let number_of_digits = Digit { word: digits.len() as u32, ..Digit::default() };
                let sizes = sizes!(
                    sweep,
                    order,
                    number_of_digits,
                    order.length,
                    [from.first, 0],
                    [0, 0],
                    false,
                    blocks.span as u32,
                    blocks.count as u32
                );
                let (all_digits, totals) = (numbers(digits), reborrow(&arrays.totals));
                let args = sweep::CountAllArgs { sizes, keys: from.slice, all_digits, totals };
                count_all.launch(args).to(to).groups([blocks.count, 1])?;
            }
            Pass::PlaceAll { digits } => {
                let args = sweep::PlaceAllArgs { totals: arrays.totals.as_slice(), bases: reborrow(&arrays.bases) };
                place_all.launch(args).to(to).groups([*digits, 1])?;
            }
            Pass::Sweep { tiles, digit, number, keys, values, .. } => {
                let (from_keys, from_values) = (arrays.keys.read(keys[0]), arrays.values.read(values[0]));
                let (sorted_keys, to_keys, _) = arrays.keys.written(keys[1]);
                let (sorted_values, to_values, _) = arrays.values.written(values[1]);
                // Only the first pass makes the indices.
                let order = Order { indices: order.indices && values[0] == Array::Unused, ..order };
                let sizes = sizes!(
                    sweep,
                    order,
                    digit,
                    order.length,
                    [from_keys.first, to_keys],
                    [from_values.first, to_values],
                    keys[1] == Array::Unused,
                    *number as u32,
                    *tiles as u32
                );
                let (keys, values, bases) = (from_keys.slice, from_values.slice, arrays.bases.as_slice());
                let progress = reborrow(&arrays.counts);
                let args = sweep::SweepArgs { sizes, keys, values, sorted_keys, sorted_values, bases, progress };
                sweep.launch(args).to(to).groups([*tiles, 1])?;
            }
            _ => {}
        }
        Ok(())
    }

    fn unpack(&self, order: Order, arrays: &Arrays<'_>, to: Destination<'_>) -> Result<(), OperationError> {
        let Some(kernel) = &self.unpack else { return Ok(()) };
        let given = if arrays.keys.given.is_some() { Array::Given } else { Array::Result };
        let from = arrays.keys.read(given);
        let sizes = packed::Sizes { length: order.length, first: from.first_element };
        let args = packed::UnpackArgs { sizes, packed: from.slice, unpacked: arrays.keys.written(Array::Spare(0)).0 };
        kernel.launch(args).to(to).groups([plan::groups(u64::from(order.length)), 1])?;
        Ok(())
    }

    fn pack(&self, from: Array, order: Order, arrays: &Arrays<'_>, to: Destination<'_>) -> Result<(), OperationError> {
        let Some(kernel) = &self.pack else { return Ok(()) };
        let (packed_again, _, first) = arrays.keys.written(Array::Result);
        let sizes = packed::Sizes { length: order.length, first };
        let words = packed_again.len() as u64;
        let args = packed::PackArgs { sizes, sorted: arrays.keys.read(from).slice, packed_again };
        kernel.launch(args).to(to).groups([plan::groups(words), 1])?;
        Ok(())
    }

    fn small(
        &self,
        digits: &[Digit],
        [keys, values]: [[Array; 2]; 2],
        order: Order,
        arrays: &Arrays<'_>,
        to: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Some(kernel) = &self.small else { return Ok(()) };
        let all_digits = numbers(digits);
        // In place, the array is bound once.
        let [from_keys, from_values] = [keys, values].map(|[from, to]| if from == to { Array::Unused } else { from });
        let (from_keys, from_values) = (arrays.keys.read(from_keys), arrays.values.read(from_values));
        let (sorted_keys, to_keys, _) = arrays.keys.written(keys[1]);
        let (sorted_values, to_values, _) = arrays.values.written(values[1]);
        let sizes = sizes!(
            small,
            order,
            Digit::default(),
            order.length,
            [from_keys.first, to_keys],
            [from_values.first, to_values],
            keys[1] == Array::Unused,
            digits.len() as u32,
            1
        );
        let (keys, values) = (from_keys.slice, from_values.slice);
        let args = small::Args { sizes, all_digits, keys, values, sorted_keys, sorted_values };
        kernel.launch(args).to(to).groups(1)?;
        Ok(())
    }
}

/// Whether a ballot is one word.
fn is_narrow(device: &Device) -> bool {
    device.caps().subgroup_size.is_some_and(|(_, greatest)| greatest <= 32)
}

impl ByDigit {
    fn of(device: &Device, form: Form, floats: bool, wide: bool, words: u32) -> Result<Self, OperationError> {
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

    fn count(
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

    fn place(
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

    fn scatter(
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
        // Only the first pass makes the indices.
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
