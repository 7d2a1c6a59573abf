//! The arrays of a call, their checks and their bindings.

use std::sync::Arc;

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operator::Operator;
use super::sizes::Sizes;
use crate::buffer::{UnifiedBuffer, transfer};
use crate::device::Device;
use crate::error::BufferError;
use crate::kernel::{BoundBuffer, Kernel, Launch, bound};
use crate::submit::{Context, Destination, Refusal, Resource};

/// The number of elements of an array; an error for a slice outside its buffer.
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

/// Returns an error unless an array has this length.
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

/// Checks devices, guards, and that no output is in the buffer of an input where the device does not permit that. The
/// outputs are the last `written` of the arrays.
pub(crate) fn check(
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
                return Err(OperationError::Launch(crate::error::LaunchError::Conflict {
                    kernel: operator.name(),
                    first: (*first).to_owned(),
                    second: (*second).to_owned(),
                    problem: "are in one buffer, and one of them is written; use separate buffers on this device",
                }));
            }
        }
    }
    // For a recording, guards are checked when it is submitted.
    if !matches!(destination, Destination::Recording(_)) {
        for (name, array) in arrays {
            array.bound.core.guarded().map_or(Ok(()), |guard| Err(operator.in_use(name, guard)))?;
        }
    }
    Ok(())
}

/// Scratch memory of this many bytes, for any type.
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

/// Memory in place of an output without elements, as kernels need at least one element in each array.
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

/// The bindings of a launch; variables that the kernel does not have are left out.
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

    /// Binds an array, and returns the number of elements before it in the binding.
    pub(crate) fn array(&mut self, name: &str, array: &Array<'a>) -> u32 {
        let (bound, first) = array.placed(None);
        if self.has(name) {
            self.launch.bind_to(name, bound);
        }
        first as u32
    }

    /// Binds an array, whose elements the kernel has as vectors of four words or one by one, and returns the number of
    /// these before it in the binding.
    pub(crate) fn elements(&mut self, name: &str, array: &Array<'a>, in_vectors: bool) -> u32 {
        match array.vectors().filter(|_| in_vectors) {
            Some((bound, first)) => {
                self.bound(name, || bound);
                first as u32
            }
            None => self.array(name, array),
        }
    }

    /// Binds an array, or spare memory in its place.
    pub(crate) fn array_or(&mut self, name: &str, array: &Array<'a>, spare: Option<&'a mut UnifiedBuffer<u8>>) -> u32 {
        let Some(spare) = spare else { return self.array(name, array) };
        self.memory(name, Some(spare));
        0
    }

    /// Binds something that only this kernel may have.
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

    /// [`memory`](Self::memory) from this byte on.
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

    /// The launch, with its uniform.
    pub(crate) fn with(self, sizes: &Sizes, destination: Destination<'a>) -> Launch<'a> {
        self.with_bytes("sizes", bytemuck::bytes_of(sizes), destination)
    }

    /// The launch, with a uniform of another type.
    pub(crate) fn with_bytes(self, name: &str, bytes: &[u8], destination: Destination<'a>) -> Launch<'a> {
        let launch = if self.has(name) { self.launch.set_bytes(name, bytes) } else { self.launch };
        launch.to(destination)
    }
}
