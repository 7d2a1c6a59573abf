//! From a sort to its commands.

use std::sync::Arc;

use super::super::error::OperationError;
use super::super::plan::Plan;
use super::OPERATOR;
use super::arrays::{Arrays, Words, WordsMut};
use super::kernels::{Kernels, Order};
use super::plan::{Pass, Shape};
use crate::buffer::core::Core;
use crate::buffer::span::{Span, byte_range};
use crate::buffer::{Slice, SliceMut, transfer};
use crate::device::Device;
use crate::element::Element;
use crate::error::{BufferError, LaunchError};
use crate::submit::{Context, Destination, Refusal, Resource};

/// The keys or the values of a call: an array that is read, and one that is written.
pub(super) struct Operand<'a, T> {
    /// The name of the source in errors, and the source; `None` in place.
    pub(super) given: Option<(&'static str, Slice<'a, T>)>,
    /// The same of the target; `None` if it is not needed.
    pub(super) result: Option<(&'static str, SliceMut<'a, T>)>,
}

/// An array as the checks see it.
struct Checked<'a> {
    argument: &'static str,
    core: &'a Arc<Core>,
    range: Span,
    /// The range that kernels bind, in bytes.
    bound: std::ops::Range<u64>,
    written: bool,
}

impl<T: Element> Operand<'_, T> {
    /// The number of elements of the source.
    pub(super) fn len(&self) -> usize {
        let given = self.given.as_ref().map(|(_, given)| given.len());
        given.or_else(|| self.result.as_ref().map(|(_, result)| result.len())).unwrap_or(0)
    }

    fn checked(&self) -> Result<impl Iterator<Item = Checked<'_>>, OperationError> {
        let arrays = [
            self.given.as_ref().map(|(argument, slice)| (*argument, slice.core, slice.range, false)),
            self.result.as_ref().map(|(argument, slice)| (*argument, slice.core, slice.range, true)),
        ];
        let mut checked = Vec::new();
        for (argument, core, range, written) in arrays.into_iter().flatten() {
            let bytes = byte_range::<T>(&range.get().map_err(OPERATOR.slice(argument))?);
            let alignment = u64::from(core.device.caps().limits.storage_offset_alignment).max(4);
            let bound = bytes.start / alignment * alignment..bytes.end.next_multiple_of(4);
            checked.push(Checked { argument, core, range, bound, written });
        }
        Ok(checked.into_iter())
    }
}

/// The keys and values of a call.
pub(super) struct Operands<'a, K, V> {
    pub(super) keys: Operand<'a, K>,
    /// `None` if keys alone are sorted.
    pub(super) values: Option<Operand<'a, V>>,
}

impl<K: Element, V: Element> Operands<'_, K, V> {
    /// The device of the call.
    pub(super) fn context(&self) -> Option<&Arc<Context>> {
        let given = self.keys.given.as_ref().map(|(_, slice)| &slice.core.device);
        given.or_else(|| self.keys.result.as_ref().map(|(_, slice)| &slice.core.device))
    }

    /// Checks slices, lengths, devices, shared buffers and guards.
    pub(super) fn check(&self, context: &Arc<Context>, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays: Vec<Checked<'_>> = self.keys.checked()?.collect();
        if let Some(values) = &self.values {
            arrays.extend(values.checked()?);
        }
        let expected = self.keys.len();
        for array in &arrays {
            let got = array.range.len();
            if got != expected {
                let (operator, argument) = (OPERATOR.name(), array.argument.to_owned());
                return Err(OperationError::Length { operator, argument, shape: vec![expected], expected, got });
            }
        }
        for array in &arrays {
            if !Arc::ptr_eq(&array.core.device, context) {
                let (what, theirs) = (format!("'{}'", array.argument), array.core.device.selector.clone());
                return Err(OPERATOR.other_device(context, what, theirs));
            }
        }
        for (at, first) in arrays.iter().enumerate() {
            for second in &arrays[at + 1..] {
                conflict(context, first, second)?;
            }
        }
        if let Err(refusal) = destination.check(context) {
            return Err(OPERATOR.refused(context, &[], refusal));
        }
        // For a recording, guards are checked when it is submitted.
        if !matches!(destination, Destination::Recording(_)) {
            for array in &arrays {
                array.core.guarded().map_or(Ok(()), |guard| Err(OPERATOR.in_use(array.argument, guard)))?;
            }
        }
        Ok(())
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
        // All kernels first, so that a refused one leaves nothing launched.
        let kernels = Kernels::of(&device, shape, plan)?;
        let mut spares = super::arrays::Spares::of(&device, shape, plan, destination)?;
        let arrays = self.arrays(&mut spares)?;
        let order = Order::of(shape);
        for pass in &plan.passes {
            match pass {
                Pass::CopyKeys => copy(&arrays.keys, context, destination.again())?,
                Pass::CopyValues => copy(&arrays.values, context, destination.again())?,
                Pass::ClearTotals => clear(&arrays.totals, context, destination.again())?,
                Pass::ClearProgress => clear(&arrays.counts, context, destination.again())?,
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

/// The rule of launches for two bindings of one buffer, for kernels that bind any two arrays of a call.
fn conflict(context: &Context, first: &Checked<'_>, second: &Checked<'_>) -> Result<(), OperationError> {
    let one_is_written = first.written || second.written;
    if !one_is_written || !Arc::ptr_eq(first.core, second.core) {
        return Ok(());
    }
    let overlap = first.bound.start < second.bound.end && second.bound.start < first.bound.end;
    let problem = if overlap {
        "are so close to each other in one buffer that the device cannot bind both; use separate buffers"
    } else if first.written != second.written && !context.caps().aliased_bindings {
        "are in one buffer, and one of them is written; use separate buffers on this device"
    } else {
        return Ok(());
    };
    let (kernel, first, second) = (OPERATOR.name(), first.argument.to_owned(), second.argument.to_owned());
    Err(LaunchError::Conflict { kernel, first, second, problem }.into())
}

/// Copies the array of the results to the scratch memory.
fn copy(
    set: &super::arrays::Set<'_>,
    context: &Arc<Context>,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    let (from, to) = set.copied();
    match transfer::copy(destination, &from, &to) {
        Err(BufferError::Device { error, .. }) => Err(OPERATOR.refused(context, &[], Refusal::Device(error))),
        outcome => outcome.map(drop).map_err(OPERATOR.slice("keys")),
    }
}

/// Fills scratch memory with zeros.
fn clear(
    words: &SliceMut<'_, u32>,
    context: &Arc<Context>,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    match transfer::fill(destination, words, 0) {
        Err(BufferError::Device { error, .. }) => Err(OPERATOR.refused(context, &[], Refusal::Device(error))),
        outcome => outcome.map(drop).map_err(OPERATOR.slice("keys")),
    }
}
