//! The kernels of a sort, and their launches.

use super::super::error::OperationError;
use super::super::ordering::keys::Kind;
use super::super::plan::Plan;
use super::arrays::Arrays;
use super::by_digit::{ByDigit, is_narrow};
use super::digits::Digit;
use super::plan::{self, Array, Pass, Shape};
use super::sizes::{Order, sizes};
use crate::buffer::cells::reborrow;
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod packed = "shaders/ops/sort_packed.wgsl", root = "shaders");
crate::kernels!(mod small = "shaders/ops/sort_small.wgsl", root = "shaders");
crate::kernels!(mod sweep = "shaders/ops/sort_sweep.wgsl", root = "shaders");

/// In unit tests, every third workgroup of a sweep does not publish its counts, as if it were late; 0 means no
/// workgroup.
const SILENT: u32 = if cfg!(test) { 3 } else { 0 };

/// The kernels of all passes of a plan.
#[derive(Default)]
pub(super) struct Kernels {
    unpack: Option<packed::Unpack>,
    pack: Option<packed::Pack>,
    small: Option<small::Sort>,
    by_digit: Option<ByDigit>,
    sweep: Option<(sweep::CountAll, sweep::PlaceAll, sweep::Sweep)>,
}

/// Returns the digits in the form in which kernels receive them.
fn numbers(digits: &[Digit]) -> [[u32; 4]; 8] {
    let mut all_digits = [[0; 4]; 8];
    for (to, Digit { word, shift, mask, flip }) in all_digits.iter_mut().zip(digits) {
        *to = [*word, *shift, *mask, *flip];
    }
    all_digits
}

impl Kernels {
    /// Compiles the kernels that the device has not compiled yet.
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
                // The first of these passes compiles the kernels for all of them.
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
                // Only the first pass generates the indices.
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
        // An array that is sorted in place is bound only once, as the output.
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
