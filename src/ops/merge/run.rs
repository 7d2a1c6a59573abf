//! The checks and launches of a merge.

use super::super::error::OperationError;
use super::super::ordering::arrays::{self, Checked, scratch, words, words_mut};
use super::super::ordering::keys::KeyOrder;
use super::super::plan::Plan;
use super::OPERATOR;
use super::plan::{Pass, Shape};
use crate::buffer::cells::reborrow;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/merge.wgsl", root = "shaders");

/// The values of a call.
pub(super) struct Values<'a, 'b, 'm, V> {
    pub(super) a: Slice<'a, V>,
    pub(super) b: Slice<'b, V>,
    pub(super) merged: SliceMut<'m, V>,
}

/// The arrays of a call.
pub(super) struct Operands<'a, 'b, 'm, K, V> {
    pub(super) a: Slice<'a, K>,
    pub(super) b: Slice<'b, K>,
    pub(super) merged: SliceMut<'m, K>,
    pub(super) values: Option<Values<'a, 'b, 'm, V>>,
}

impl<K: Element, V: Element> Operands<'_, '_, '_, K, V> {
    pub(super) fn device(&self) -> Device {
        Device::of(&self.merged.core.device)
    }

    /// The number of words of a value; 0 without values.
    fn words(&self) -> u32 {
        if self.values.is_some() { size_of::<V>() as u32 / 4 } else { 0 }
    }

    pub(super) fn shape(&self, order: &KeyOrder) -> Result<Shape, OperationError> {
        let start = self.merged.range.get().map_err(OPERATOR.slice("merged"))?.start as u64;
        let skew = start % order.keys_of_word();
        let length = self.a.len().saturating_add(self.b.len());
        Shape::of(order, length, skew, self.words().into(), &self.device())
    }

    /// Checks the slices, lengths, devices and guards of all arrays, and that a launch can bind all of them.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut checked = vec![
            Checked::read(OPERATOR, "a", &self.a)?,
            Checked::read(OPERATOR, "b", &self.b)?,
            Checked::written(OPERATOR, "merged", &self.merged)?,
        ];
        let [a, b] = [self.a.len(), self.b.len()];
        if let Some(values) = &self.values {
            checked.push(Checked::read(OPERATOR, "the values of a", &values.a)?);
            checked.push(Checked::read(OPERATOR, "the values of b", &values.b)?);
            checked.push(Checked::written(OPERATOR, "the merged values", &values.merged)?);
        }
        let lengths = [a, b, a + b];
        checked.iter().zip(lengths.iter().cycle()).try_for_each(|(array, length)| array.expect(OPERATOR, *length))?;
        arrays::check(OPERATOR, &self.merged.core.device, &checked, destination)
    }

    /// Appends the commands of a plan; [`check`](Self::check) must have accepted the operands.
    pub(super) fn run(
        &self,
        order: &KeyOrder,
        shape: Shape,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if plan.passes.is_empty() {
            return Ok(());
        }
        let device = self.device();
        let overrides = kernel::Overrides {
            key_bits: order.word_bits(),
            floats: order.is_float(),
            wide: order.is_wide(),
            words: self.words(),
        };
        // All kernels are compiled and all memory is allocated before the first launch, so that an error leaves nothing
        // launched.
        let pieces = kernel::merge_pieces_with(&device, overrides)?;
        let split = kernel::split_tiles_with(&device, overrides)?;
        let tiles_of = kernel::merge_tiles_with(&device, overrides)?;
        // These buffers are bound in place of arrays without elements: one for arrays that are read, one for merged
        // keys, one for merged values.
        let memory = |words| scratch(OPERATOR, &device, words, destination);
        let (mut spare, mut spare_keys, mut spare_values) = (memory(2)?, memory(2)?, memory(2)?);
        let mut splits = memory(plan.scratch / 4)?;
        let (spare, splits) = (spare.slice_mut(..), splits.slice_mut(..));
        let (spare_keys, spare_values) = (spare_keys.slice_mut(..), spare_values.slice_mut(..));
        let (a, first_of_a) = words(OPERATOR, "a", &self.a, &spare)?;
        let (b, first_of_b) = words(OPERATOR, "b", &self.b, &spare)?;
        let (merged, first_of_merged) = words_mut(OPERATOR, "merged", &self.merged, &spare_keys)?;
        let mut sizes = kernel::Sizes {
            // Lengths are within 32 bits, as `Shape::of` has checked them.
            length_of_a: self.a.len() as u32,
            length_of_b: self.b.len() as u32,
            first_of_a,
            first_of_b,
            first_of_merged,
            first_of_a_values: 0,
            first_of_b_values: 0,
            first_of_merged_values: 0,
            skew: shape.skew as u32,
            span: 0,
            parts: 0,
        };
        let (mut a_values, mut b_values, mut merged_values) =
            (spare.as_slice(), spare.as_slice(), reborrow(&spare_values));
        if let Some(values) = &self.values {
            (a_values, sizes.first_of_a_values) = words(OPERATOR, "the values of a", &values.a, &spare)?;
            (b_values, sizes.first_of_b_values) = words(OPERATOR, "the values of b", &values.b, &spare)?;
            (merged_values, sizes.first_of_merged_values) =
                words_mut(OPERATOR, "the merged values", &values.merged, &spare_values)?;
        }
        let order = order.uniform();
        for pass in &plan.passes {
            let to = destination.reborrow();
            match *pass {
                Pass::Pieces { pieces: parts, span } => {
                    let sizes = kernel::Sizes { span: span as u32, parts: parts as u32, ..sizes };
                    let (merged, merged_values) = (reborrow(&merged), reborrow(&merged_values));
                    let args =
                        kernel::MergePiecesArgs { order, sizes, a, b, merged, a_values, b_values, merged_values };
                    pieces.launch(args).to(to).threads(parts)?;
                }
                Pass::Split { tiles } => {
                    let sizes = kernel::Sizes { parts: tiles as u32, ..sizes };
                    let args = kernel::SplitTilesArgs { order, sizes, a, b, splits: reborrow(&splits) };
                    split.launch(args).to(to).threads(tiles + 1)?;
                }
                Pass::Tiles { tiles } => {
                    let sizes = kernel::Sizes { parts: tiles as u32, ..sizes };
                    let (merged, merged_values) = (reborrow(&merged), reborrow(&merged_values));
                    let known_splits = splits.as_slice();
                    let args = kernel::MergeTilesArgs {
                        order,
                        sizes,
                        a,
                        b,
                        merged,
                        a_values,
                        b_values,
                        merged_values,
                        known_splits,
                    };
                    tiles_of.launch(args).to(to).groups([tiles, 1])?;
                }
            }
        }
        Ok(())
    }
}
