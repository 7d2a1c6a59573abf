//! The kernels of rows.

use anywarp_backend::{BackendKind, DeviceKind};

use super::super::error::OperationError;
use super::super::moving::operands::{memory, start, start_mut};
use super::super::operator::Operator;
use super::plan::{Planned, Target};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::submit::Destination;

/// The bits of infinity, which kernels cannot have as a constant.
pub(crate) const INFINITY: u32 = 0x7f80_0000;

/// A typed module for each form of arrays: f32 alone or in vectors of four, halves alone or in vectors of four.
macro_rules! modules {
    ($file:literal: $words:ident, $vectors:ident, $packed:ident, $packed_vectors:ident) => {
        crate::kernels!(mod $words = $file, root = "shaders", feature vectors = false, feature packed = false);
        crate::kernels!(mod $vectors = $file, root = "shaders", feature vectors = true, feature packed = false);
        crate::kernels!(mod $packed = $file, root = "shaders", feature vectors = false, feature packed = true);
        crate::kernels!(mod $packed_vectors = $file, root = "shaders", feature vectors = true, feature packed = true);
    };
}

pub(crate) use modules;

/// The properties on which the choice depends.
pub(crate) fn target(device: &Device) -> Target {
    let caps = device.caps();
    Target { software: caps.kind == DeviceKind::Software, strips: caps.backend == BackendKind::Cpu }
}

/// Whether arrays with elements of `size` bytes can be read four elements at a time.
pub(crate) fn is_aligned(length: usize, size: usize, starts: &[u64]) -> bool {
    length.is_multiple_of(4) && starts.iter().all(|start| start.is_multiple_of(4 * size as u64))
}

/// The bytes at which arrays begin.
pub(crate) fn starts(read: &[&Slice<'_, u8>], written: &[&SliceMut<'_, u8>]) -> Vec<u64> {
    read.iter().map(|slice| start(slice)).chain(written.iter().map(|slice| start_mut(slice))).collect()
}

/// The memory of partial results; a spare one without any, as kernels need an element in each array.
pub(crate) fn parts(
    operator: Operator,
    device: &Device,
    planned: &Planned,
    destination: &Destination<'_>,
) -> Result<UnifiedBuffer<[f32; 2]>, OperationError> {
    let length = usize::try_from(planned.plan.scratch / 8).unwrap_or(usize::MAX).max(1);
    device.scratch::<[f32; 2]>(length, destination).map_err(memory(operator))
}
