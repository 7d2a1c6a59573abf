//! The commands of a search.

use super::super::error::OperationError;
use super::super::ordering::arrays::{self, Checked, scratch, words, words_mut};
use super::super::ordering::keys::KeyOrder;
use super::super::plan::Plan;
use super::plan::{Pass, Shape};
use super::{OPERATOR, Side};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/searchsorted.wgsl", root = "shaders");

/// The arrays of a call.
pub(super) struct Operands<'k, 'v, 'p, K> {
    pub(super) keys: Slice<'k, K>,
    pub(super) values: Slice<'v, K>,
    pub(super) places: SliceMut<'p, u32>,
}

impl<K: Element> Operands<'_, '_, '_, K> {
    fn device(&self) -> Device {
        Device::of(&self.places.core.device)
    }

    pub(super) fn shape(&self, order: &KeyOrder) -> Result<Shape, OperationError> {
        Shape::of(order, self.keys.len(), self.values.len(), &self.device())
    }

    /// Checks slices, lengths, devices, shared buffers and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let checked = [
            Checked::read(OPERATOR, "keys", &self.keys)?,
            Checked::read(OPERATOR, "values", &self.values)?,
            Checked::written(OPERATOR, "places", &self.places)?,
        ];
        checked[2].expect(OPERATOR, self.values.len())?;
        arrays::check(OPERATOR, &self.places.core.device, &checked, destination)
    }

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &self,
        order: &KeyOrder,
        side: Side,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = self.device();
        for Pass::Search { threads } in &plan.passes {
            let overrides =
                kernel::Overrides { key_bits: order.word_bits(), floats: order.is_float(), wide: order.is_wide() };
            let search = kernel::search_with(&device, overrides)?;
            // Memory to bind in place of keys if there are none, as kernels need at least one element in each array.
            let mut spare = scratch(OPERATOR, &device, 2, destination)?;
            let spare = spare.slice_mut(..);
            let (keys, first_of_keys) = words(OPERATOR, "keys", &self.keys, &spare)?;
            let (values, first_of_values) = words(OPERATOR, "values", &self.values, &spare)?;
            let (places, first_of_places) = words_mut(OPERATOR, "places", &self.places, &spare)?;
            let sizes = kernel::Sizes {
                // Both lengths are within 32 bits, as they were checked.
                length: self.keys.len() as u32,
                count: self.values.len() as u32,
                first_of_keys,
                first_of_values,
                first_of_places,
                right: u32::from(side == Side::Right),
            };
            let args = kernel::Args { order: order.uniform(), sizes, keys, values, places };
            search.launch(args).to(destination.reborrow()).threads(*threads)?;
        }
        Ok(())
    }
}
