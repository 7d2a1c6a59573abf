//! The launches of a conversion.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operation::arguments::Array;
use super::super::operation::binding::Binding;
use super::super::plan::Plan;
use super::OPERATOR;
use super::elements::Format;
use super::plan::Pass;
use crate::buffer::cells::{in_words, in_words_mut, reborrow};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/convert.wgsl", root = "shaders");

/// The arrays of a call, as bytes.
pub(super) struct Operands<'x, 'y> {
    pub(super) x: Slice<'x, u8>,
    pub(super) y: SliceMut<'y, u8>,
}

impl Operands<'_, '_> {
    /// Checks that the arrays belong to the device, are not in use by guards and do not overlap.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("y", self.y.as_slice())];
        operands::check_places(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// The greatest number of elements that one launch converts; `None` if each array fits into one binding. `sizes`
    /// are the sizes of an element of x and of y, in bytes.
    pub(super) fn window(&self, sizes: [u64; 2]) -> Option<u64> {
        let binding = Binding::of(&self.y.core.device.caps().limits);
        let fits = |array: Array<'_>| array.place().fits(binding, 1);
        let window = binding.window(sizes[0].max(sizes[1]));
        let all = fits(Array::new::<u8>(self.x)) && fits(Array::new::<u8>(self.y.as_slice()));
        (!all && window > 0).then_some(window)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        [from, to]: [Format; 2],
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.y.core.device);
        let overrides = kernel::Overrides {
            from_bits: from.bits,
            from_signed: from.signed,
            from_fraction: from.fraction,
            to_bits: to.bits,
            to_signed: to.signed,
            to_fraction: to.fraction,
        };
        for Pass { begin, count, threads } in &plan.passes {
            let bytes = |format: Format| {
                let size = u64::from(format.bits / 8);
                (begin * size) as usize..((begin + count) * size) as usize
            };
            let mut y = reborrow(&self.y);
            let y = y.slice_mut(bytes(to));
            let (x, before_x) = in_words(&self.x.slice(bytes(from))).map_err(OPERATOR.slice("x"))?;
            let (y, before_y) = in_words_mut(&y).map_err(OPERATOR.slice("y"))?;
            // The operator's limit on lengths keeps the count and both positions within 31 bits.
            let (first_of_x, first_of_y) = (8 * before_x / from.bits, 8 * before_y / to.bits);
            let sizes = kernel::Sizes { count: *count as u32, first_of_x, first_of_y };
            let args = kernel::Args { sizes, x, y };
            kernel::convert_with(&device, overrides)?.launch(args).to(destination.reborrow()).threads(*threads)?;
        }
        Ok(())
    }
}
