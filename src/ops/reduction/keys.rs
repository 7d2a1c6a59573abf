//! Reductions of runs of equal keys.

use std::sync::Arc;

use super::super::error::OperationError;
use super::super::operation::arguments::{Array, Inputs, Outputs};
use super::super::operation::call::Signature;
use super::super::scanning::element::ScanElement;
use super::super::scanning::operands;
use super::super::select::Select;
use super::ReductionCall;
use super::fit::{self, Fitted, Parts};
use super::segments::Limits;
use crate::buffer::{Slice, SliceMut};
use crate::error::LaunchError;
use crate::kernel::DeviceCount;
use crate::submit::{Destination, Resource};

impl ReductionCall<'_> {
    /// Reduces each run of elements whose neighbouring keys are equal. Writes the key of each run to `unique` and its
    /// result to `output`, both in the order of the runs, and returns the number of runs.
    ///
    /// The keys are not sorted: equal keys that are not neighbours are different runs. To reduce all elements of each
    /// key, [sort the pairs](super::super::sort_pairs) of keys and elements first. A NaN is equal to no key. In map and
    /// finish, `n` is the number of elements of the run and `i` the index of the element in the run. There are as many
    /// keys as elements.
    ///
    /// The number of runs stays on the device; see [`select`](super::super::select). Both outputs have the same length;
    /// if they are too short, they receive the first runs, and the returned number still counts all runs. Elements of
    /// the outputs behind the last run are unchanged. Repeated calls return the same bits.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::reduce;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let keys = device.buffer_from(&[7u32, 7, 3, 3, 3, 7])?;
    /// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let (mut unique, mut sums) = (device.buffer::<u32>(6)?, device.buffer::<f32>(6)?);
    /// let runs = reduce::sum().call(&device).run_by_key(&keys, &x, &mut unique, &mut sums)?.read()? as usize;
    /// assert_eq!((&unique.read()?[..runs], &sums.read()?[..runs]), (&[7, 3, 7][..], &[3.0, 12.0, 6.0][..]));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`]; in that case the outputs are unchanged.
    pub fn run_by_key<'a, K: ScanElement>(
        mut self,
        keys: impl Into<Slice<'a, K>>,
        inputs: impl Inputs<'a>,
        unique: impl Into<SliceMut<'a, K>>,
        output: impl Outputs<'a>,
    ) -> Result<DeviceCount, OperationError> {
        let mut destination = std::mem::replace(&mut self.destination, Destination::Own);
        let signature = &self.kernel.own.signature;
        if self.axes.is_some() || self.segments.is_some() {
            let argument = if self.axes.is_some() { "axes" } else { "segments" };
            let (operator, got) = (signature.kernel.clone(), "with keys".to_owned());
            return Err(OperationError::Choice {
                operator,
                argument,
                expected: "reduce either by keys, along axes or in segments".to_owned(),
                got,
            });
        }
        let fitted = fit::fit(&self, Parts::Runs, inputs.all(), output.all(), &destination)?;
        let (keys, unique) = (keys.into(), unique.into());
        let (length, capacity) = (fitted.reduced as usize, fitted.results as usize);
        let (of_keys, of_unique) = (Array::new::<K>(keys), Array::new::<K>(crate::buffer::cells::reborrow(&unique)));
        for (name, array, expected) in [("keys", &of_keys, length), ("unique", &of_unique, capacity)] {
            let got = operands::length_of(&signature.kernel, name, array)?;
            if got != expected {
                let (operator, argument, shape) = (signature.kernel.clone(), name.to_owned(), vec![expected]);
                return Err(OperationError::Length { operator, argument, shape, expected, got });
            }
            signature.same_device(&self.device.context, &format!("'{name}'"), &array.bound.core.device)?;
        }
        check_buffers(signature, &fitted, [&of_keys, &of_unique])?;
        let memory = |error| OperationError::Buffer { operator: signature.kernel.clone(), error };
        // One start more than the output has results: the last run that is written ends where the next run begins.
        let most = capacity.min(length) + 1;
        let mut starts = self.device.scratch::<u32>(most, &destination).map_err(memory)?;
        let plan = fitted.plan_of_segments(true);
        fitted.kernels_of_segments(&plan, true)?;
        {
            let limits = Limits { offsets: Array::new::<u32>(&starts), count: None };
            fitted.check_guards(&limits, &destination)?;
            for (name, array) in [("keys", &of_keys), ("unique", &of_unique)] {
                let recorded = matches!(destination, Destination::Recording(_));
                if let Some(guard) = array.bound.core.guarded().filter(|_| !recorded) {
                    let (operator, argument) = (signature.kernel.clone(), name.to_owned());
                    return Err(OperationError::InUse { operator, argument, guard });
                }
            }
        }
        drop((of_keys, of_unique));
        let selected = Select::changes().to(destination.reborrow()).run_with_indices(keys, unique, &mut starts);
        let count = selected.map_err(|error| match error {
            OperationError::Buffer { error, .. } => memory(error),
            error => error,
        })?;
        let limits = Limits { offsets: Array::new::<u32>(&starts), count: Some(&count) };
        fitted.run_segments(&limits, &plan, &mut destination)?;
        drop(limits);
        Ok(count)
    }
}

/// Returns an error if an output is in the buffer of another argument and the device does not permit that.
fn check_buffers(
    signature: &Signature,
    fitted: &Fitted<'_>,
    [keys, unique]: [&Array<'_>; 2],
) -> Result<(), OperationError> {
    if fitted.device.caps().aliased_bindings {
        return Ok(());
    }
    let operands = || fitted.operands.iter().filter_map(|operand| Some((operand, operand.array()?)));
    let mut pairs = vec![(("keys", keys), ("unique", unique))];
    for (operand, array) in operands() {
        pairs.push(((&operand.name, array), ("unique", unique)));
        if operand.written {
            pairs.push((("keys", keys), (&operand.name, array)));
            let inputs = operands().filter(|(input, _)| !input.written);
            pairs.extend(inputs.map(|(input, other)| ((input.name.as_str(), other), (operand.name.as_str(), array))));
        }
    }
    for ((first, one), (second, other)) in pairs {
        if Arc::ptr_eq(one.bound.core, other.bound.core) {
            return Err(OperationError::Launch(LaunchError::Conflict {
                kernel: signature.kernel.clone(),
                first: first.to_owned(),
                second: second.to_owned(),
                problem: "are in one buffer, and one of them is written; use separate buffers on this device",
            }));
        }
    }
    Ok(())
}
