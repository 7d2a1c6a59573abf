//! The commands of a sort.

use std::sync::Arc;

use super::super::error::OperationError;
use super::super::ordering::arrays::{self, Checked};
use super::super::plan::Plan;
use super::OPERATOR;
use super::arrays::{Arrays, Words, WordsMut};
use super::kernels::Kernels;
use super::plan::{Pass, Shape};
use super::sizes::Order;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::{Context, Destination};

/// The keys or the values of a call: an array that is read, and an array that is written.
pub(super) struct Operand<'a, T> {
    /// The name of the source in errors, and the source; `None` if the sort is in place.
    pub(super) given: Option<(&'static str, Slice<'a, T>)>,
    /// The name of the target in errors, and the target; `None` if there is no target.
    pub(super) result: Option<(&'static str, SliceMut<'a, T>)>,
}

impl<T: Element> Operand<'_, T> {
    /// Returns the number of elements of the source.
    pub(super) fn len(&self) -> usize {
        let given = self.given.as_ref().map(|(_, given)| given.len());
        given.or_else(|| self.result.as_ref().map(|(_, result)| result.len())).unwrap_or(0)
    }

    fn checked<'s>(&'s self, arrays: &mut Vec<Checked<'s>>) -> Result<(), OperationError> {
        if let Some((argument, given)) = &self.given {
            arrays.push(Checked::read(OPERATOR, argument, given)?);
        }
        if let Some((argument, result)) = &self.result {
            arrays.push(Checked::written(OPERATOR, argument, result)?);
        }
        Ok(())
    }
}

/// The keys and values of a call.
pub(super) struct Operands<'a, K, V> {
    pub(super) keys: Operand<'a, K>,
    /// `None` if keys alone are sorted.
    pub(super) values: Option<Operand<'a, V>>,
}

impl<K: Element, V: Element> Operands<'_, K, V> {
    /// Returns the device of the call.
    pub(super) fn context(&self) -> Option<&Arc<Context>> {
        let given = self.keys.given.as_ref().map(|(_, slice)| &slice.core.device);
        given.or_else(|| self.keys.result.as_ref().map(|(_, slice)| &slice.core.device))
    }

    /// Checks the slices, lengths, devices, shared buffers and guards of all arrays. Only `offsets` may have another
    /// length.
    pub(super) fn check<'s>(
        &'s self,
        context: &Arc<Context>,
        destination: &Destination<'_>,
        offsets: Option<Checked<'s>>,
    ) -> Result<(), OperationError> {
        let mut arrays = Vec::new();
        self.keys.checked(&mut arrays)?;
        if let Some(values) = &self.values {
            values.checked(&mut arrays)?;
        }
        let expected = self.keys.len();
        arrays.iter().try_for_each(|array| array.expect(OPERATOR, expected))?;
        arrays.extend(offsets);
        arrays::check(OPERATOR, context, &arrays, destination)
    }

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &self,
        shape: &Shape,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Some(context) = self.context() else { return Ok(()) };
        let device = Device::of(context);
        // All kernels are compiled before the first launch: if one of them is refused, nothing has run.
        let kernels = Kernels::of(&device, shape, plan)?;
        let mut spares = super::arrays::Spares::of(&device, shape, plan, destination)?;
        let arrays = self.arrays(&mut spares)?;
        let order = Order::of(shape);
        for pass in &plan.passes {
            match pass {
                Pass::CopyKeys => copy(&arrays.keys, destination.reborrow())?,
                Pass::CopyValues => copy(&arrays.values, destination.reborrow())?,
                Pass::ClearTotals => clear(&arrays.totals, destination.reborrow())?,
                Pass::ClearProgress => clear(&arrays.counts, destination.reborrow())?,
                pass => kernels.launch(pass, order, &arrays, destination)?,
            }
        }
        Ok(())
    }

    fn arrays<'b>(&'b self, spares: &'b mut super::arrays::Spares) -> Result<Arrays<'b>, OperationError> {
        let mut arrays = spares.arrays();
        if let Some((argument, given)) = &self.keys.given {
            arrays.keys.given = Some(Words::of(given).map_err(OPERATOR.slice(argument))?);
        }
        if let Some((argument, result)) = &self.keys.result {
            arrays.keys.result = Some(WordsMut::of(result).map_err(OPERATOR.slice(argument))?);
        }
        let Some(values) = &self.values else { return Ok(arrays) };
        if let Some((argument, given)) = &values.given {
            arrays.values.given = Some(Words::of(given).map_err(OPERATOR.slice(argument))?);
        }
        if let Some((argument, result)) = &values.result {
            arrays.values.result = Some(WordsMut::of(result).map_err(OPERATOR.slice(argument))?);
        }
        Ok(arrays)
    }
}

/// Copies the array of the results to the scratch memory.
fn copy(set: &super::arrays::Set<'_>, destination: Destination<'_>) -> Result<(), OperationError> {
    let (from, to) = set.copied();
    arrays::copy(OPERATOR, "keys", &from, &to, destination)
}

/// Fills scratch memory with zeros.
fn clear(words: &SliceMut<'_, u32>, destination: Destination<'_>) -> Result<(), OperationError> {
    arrays::fill(OPERATOR, "keys", words, 0, destination)
}
