//! The arrays of a call, their checks and their bindings.

use std::sync::Arc;

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::binding::Binding;
use super::super::operator::Operator;
use super::sizes::Sizes;
use crate::buffer::{UnifiedBuffer, transfer};
use crate::device::Device;
use crate::error::{BufferError, LaunchError};
use crate::kernel::{BoundBuffer, Kernel, Launch, bound};
use crate::submit::{Context, Destination, Refusal, Resource};

/// Returns the number of elements of an array; an error for a slice outside its buffer.
pub(crate) fn length(operator: Operator, name: &'static str, array: &Array<'_>) -> Result<usize, OperationError> {
    length_of(operator.0, name, array)
}

/// [`length`] for an operator that its caller has named.
pub(crate) fn length_of(operator: &str, name: &str, array: &Array<'_>) -> Result<usize, OperationError> {
    let bytes = array.bound.bytes.as_ref().map_err(|error| OperationError::Slice {
        operator: operator.to_owned(),
        argument: name.to_owned(),
        error: (**error).clone(),
    })?;
    Ok(((bytes.end - bytes.start) / array.size.max(1)) as usize)
}

/// Returns an error unless an array has as many elements as `shape`.
pub(crate) fn expect(
    operator: Operator,
    name: &'static str,
    array: &Array<'_>,
    shape: &[usize],
) -> Result<(), OperationError> {
    let got = length(operator, name, array)?;
    let expected = shape.iter().product();
    if got == expected {
        return Ok(());
    }
    let (operator, argument, shape) = (operator.name(), name.to_owned(), shape.to_vec());
    Err(OperationError::Length { operator, argument, shape, expected, got })
}

/// Returns an error unless the whole array fits into one binding of the device.
pub(crate) fn bindable(operator: Operator, name: &str, array: &Array<'_>) -> Result<(), OperationError> {
    let caps = array.bound.core.device.caps();
    let place = array.place();
    if place.fits(Binding::of(&caps.limits), array.size) {
        return Ok(());
    }
    Err(OperationError::Launch(LaunchError::AboveLimit {
        kernel: operator.name(),
        what: format!("the size of '{name}' in bytes (split the work into calls on slices)"),
        wanted: place.length * array.size,
        limit: caps.limits.storage_binding_size,
        device: caps.name.clone(),
    }))
}

/// As [`check_places`], and an error for an array that does not fit into one binding.
pub(crate) fn check(
    operator: Operator,
    device: &Arc<Context>,
    arrays: &[(&'static str, &Array<'_>)],
    written: usize,
    destination: &Destination<'_>,
) -> Result<(), OperationError> {
    check_places(operator, device, arrays, written, destination)?;
    arrays.iter().try_for_each(|(name, array)| bindable(operator, name, array))
}

/// Returns an error for an array of another device, an existing guard, and an output in the buffer of another array if
/// the device does not permit that. The last `written` arrays are the outputs. Arrays may be larger than a binding.
pub(crate) fn check_places(
    operator: Operator,
    device: &Arc<Context>,
    arrays: &[(&'static str, &Array<'_>)],
    written: usize,
    destination: &Destination<'_>,
) -> Result<(), OperationError> {
    for (name, array) in arrays {
        let theirs = &array.bound.core.device;
        if !Arc::ptr_eq(theirs, device) {
            return Err(operator.other_device(device, format!("'{name}'"), theirs.selector.clone()));
        }
    }
    if let Err(refusal) = destination.check(device) {
        return Err(operator.refused(device, &[], refusal));
    }
    let (inputs, outputs) = arrays.split_at(arrays.len() - written);
    for (at, (second, output)) in outputs.iter().enumerate() {
        for (first, other) in inputs.iter().chain(&outputs[..at]) {
            if Arc::ptr_eq(output.bound.core, other.bound.core) && !device.caps().aliased_bindings {
                return Err(OperationError::Launch(LaunchError::Conflict {
                    kernel: operator.name(),
                    first: (*first).to_owned(),
                    second: (*second).to_owned(),
                    problem: "are in one buffer, and one of them is written; use separate buffers on this device",
                }));
            }
        }
    }
    // For a recording, guards are checked when the recording is submitted.
    if !matches!(destination, Destination::Recording(_)) {
        for (name, array) in arrays {
            array.bound.core.guarded().map_or(Ok(()), |guard| Err(operator.in_use(name, guard)))?;
        }
    }
    Ok(())
}

/// Allocates scratch memory of at least `bytes` bytes, for elements of any type.
pub(crate) fn scratch(
    operator: Operator,
    device: &Device,
    bytes: u64,
    destination: &Destination<'_>,
) -> Result<UnifiedBuffer<u8>, OperationError> {
    let bytes = usize::try_from(bytes.next_multiple_of(4).max(4)).unwrap_or(usize::MAX);
    let scratch = device.scratch::<u8>(bytes, destination);
    scratch.map_err(|error| OperationError::Buffer { operator: operator.name(), error })
}

/// Allocates memory to bind in place of an output of length 0, as kernels need at least one element in each array.
pub(crate) fn spare(
    operator: Operator,
    device: &Device,
    length: usize,
    destination: &Destination<'_>,
) -> Result<Option<UnifiedBuffer<u8>>, OperationError> {
    (length == 0).then(|| scratch(operator, device, 16, destination)).transpose()
}

/// Sets scratch memory to zero.
pub(crate) fn clear(
    operator: Operator,
    memory: &mut UnifiedBuffer<u8>,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    let device = Arc::clone(&memory.core.device);
    match transfer::fill(destination, &memory.slice_mut(..), 0u8) {
        Err(BufferError::Device { error, .. }) => Err(operator.refused(&device, &[], Refusal::Device(error))),
        outcome => outcome.map(drop).map_err(|error| OperationError::Buffer { operator: operator.name(), error }),
    }
}

/// The bindings of a launch. A binding to a name that is no variable of the kernel is ignored.
pub(crate) struct Bindings<'k, 'a> {
    kernel: &'k Kernel,
    launch: Launch<'a>,
}

impl<'k, 'a> Bindings<'k, 'a> {
    pub(crate) fn of(kernel: &'k Kernel) -> Self {
        Self { kernel, launch: kernel.launch() }
    }

    fn has(&self, name: &str) -> bool {
        self.kernel.bindings().iter().any(|binding| binding.name == name)
    }

    /// Binds an array, and returns the number of elements before the array in the binding.
    pub(crate) fn array(&mut self, name: &str, array: &Array<'a>) -> u32 {
        let (bound, first) = array.placed(None);
        if self.has(name) {
            self.launch.bind_to(name, bound);
        }
        first as u32
    }

    /// Binds an array as vectors of four words if `in_vectors` and if the array permits vectors, otherwise as single
    /// elements. Returns the number of vectors or elements before the array in the binding.
    pub(crate) fn elements(&mut self, name: &str, array: &Array<'a>, in_vectors: bool) -> u32 {
        match array.vectors().filter(|_| in_vectors) {
            Some((bound, first)) => {
                self.bound(name, || bound);
                first as u32
            }
            None => self.array(name, array),
        }
    }

    /// Binds `spare` memory if there is any, otherwise the array. Returns the number of elements before it in the
    /// binding.
    pub(crate) fn array_or(&mut self, name: &str, array: &Array<'a>, spare: Option<&'a mut UnifiedBuffer<u8>>) -> u32 {
        let Some(spare) = spare else { return self.array(name, array) };
        self.memory(name, Some(spare));
        0
    }

    /// Binds a buffer, if the kernel has a variable of this name.
    pub(crate) fn bound(&mut self, name: &str, what: impl FnOnce() -> BoundBuffer<'a>) {
        if self.has(name) {
            self.launch.bind_to(name, what());
        }
    }

    pub(crate) fn memory(&mut self, name: &str, memory: Option<&'a mut UnifiedBuffer<u8>>) {
        if let (true, Some(memory)) = (self.has(name), memory) {
            self.launch.bind_to(name, bound(memory));
        }
    }

    /// Binds memory as [`memory`](Self::memory) does, from byte `first` on.
    pub(crate) fn memory_from(&mut self, name: &str, memory: Option<&'a mut UnifiedBuffer<u8>>, first: u64) {
        if let (true, Some(memory)) = (self.has(name), memory) {
            self.launch.bind_to(name, bound(memory.slice_mut(first as usize..)));
        }
    }

    pub(crate) fn read_memory(&mut self, name: &str, memory: Option<&'a UnifiedBuffer<u8>>) {
        if let (true, Some(memory)) = (self.has(name), memory) {
            self.launch.bind_to(name, bound(memory));
        }
    }

    /// Returns the launch, with its uniform buffer `sizes`.
    pub(crate) fn with(self, sizes: &Sizes, destination: Destination<'a>) -> Launch<'a> {
        self.with_bytes("sizes", bytemuck::bytes_of(sizes), destination)
    }

    /// Returns the launch, with these bytes in its uniform buffer `name`.
    pub(crate) fn with_bytes(self, name: &str, bytes: &[u8], destination: Destination<'a>) -> Launch<'a> {
        let launch = if self.has(name) { self.launch.set_bytes(name, bytes) } else { self.launch };
        launch.to(destination)
    }
}
