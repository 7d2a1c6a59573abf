//! The launches of a test whether keys are sorted.

use super::super::error::OperationError;
use super::super::ordering::arrays::{self, Checked, scratch, words, words_mut};
use super::super::ordering::keys::KeyOrder;
use super::super::plan::Plan;
use super::OPERATOR;
use super::plan::{Pass, Shape};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/is_sorted.wgsl", root = "shaders");

/// The arrays of a call.
pub(super) struct Operands<'k, 'y, K> {
    pub(super) keys: Slice<'k, K>,
    pub(super) result: SliceMut<'y, u32>,
}

impl<K: Element> Operands<'_, '_, K> {
    fn device(&self) -> Device {
        Device::of(&self.result.core.device)
    }

    pub(super) fn shape(&self, order: &KeyOrder) -> Result<Shape, OperationError> {
        Shape::of(order, self.keys.len(), &self.device())
    }

    /// Checks the slices, lengths, devices and guards of both arrays, and that a launch can bind both.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let checked =
            [Checked::read(OPERATOR, "keys", &self.keys)?, Checked::written(OPERATOR, "result", &self.result)?];
        checked[1].expect(OPERATOR, 1)?;
        arrays::check(OPERATOR, &self.result.core.device, &checked, destination)
    }

    /// Appends the commands of a plan; [`check`](Self::check) must have accepted the operands.
    pub(super) fn run(
        &self,
        order: &KeyOrder,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = self.device();
        let overrides =
            kernel::Overrides { key_bits: order.word_bits(), floats: order.is_float(), wide: order.is_wide() };
        let compare = kernel::is_sorted_with(&device, overrides)?;
        let mut spare = scratch(OPERATOR, &device, 2, destination)?;
        let spare = spare.slice_mut(..);
        for pass in &plan.passes {
            match *pass {
                Pass::SetResult => arrays::fill(OPERATOR, "result", &self.result, 1, destination.reborrow())?,
                Pass::Compare { groups, span } => {
                    let (keys, first) = words(OPERATOR, "keys", &self.keys, &spare)?;
                    let (result, first_of_result) = words_mut(OPERATOR, "result", &self.result, &spare)?;
                    // Both numbers are within 32 bits, as `Shape::of` has checked the length.
                    let (length, span) = (self.keys.len() as u32, span as u32);
                    let sizes = kernel::Sizes { length, first, first_of_result, span };
                    let args = kernel::Args { order: order.uniform(), sizes, keys, result };
                    compare.launch(args).to(destination.reborrow()).groups([groups, 1])?;
                }
            }
        }
        Ok(())
    }
}
