//! The pass of a sequence, and its launch.

use super::super::error::OperationError;
use super::super::plan::Plan;
use super::elements::sealed::Parts;
use super::{OPERATOR, SequenceElement};
use crate::buffer::SliceMut;
use crate::buffer::cells::{in_words_mut, whole_cells_mut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/sequence.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/sequence_doubles.wgsl", root = "shaders");

/// One launch of the kernel, with at least one invocation for each word that it writes; for elements of two words, one
/// for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    threads: u64,
}

/// Returns the pass for `length` elements of `size` bytes, in an array that begins at byte `start` of its buffer.
pub(super) fn plan(length: u64, size: u64, start: u64) -> Plan<Pass> {
    if length == 0 {
        return Plan::nothing();
    }
    // There is one invocation for each element of 4 or 8 bytes; for shorter elements, one for each word that contains a
    // part of y.
    let threads = if size >= 4 { length } else { (start % 4 + length * size).div_ceil(4) };
    Plan { passes: vec![Pass { threads }], scratch: 0, flops: 2 * length, bytes: length * size }
}

/// A part of a sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The index of its first element.
    pub(super) base: u64,
    /// The number of its elements.
    pub(super) length: usize,
    /// Whether its last element is that of the sequence.
    pub(super) is_last: bool,
}

/// Appends the commands of a plan, for a part of a sequence.
pub(super) fn run<T: SequenceElement>(
    y: &SliceMut<'_, u8>,
    place: Place,
    parts: Parts,
    plan: &Plan<Pass>,
    destination: &mut Destination<'_>,
) -> Result<(), OperationError> {
    let device = Device::of(&y.core.device);
    let words = |bits: u64| [bits as u32, (bits >> 32) as u32];
    // The only element of a sequence of length 1 is the start, not the last number.
    let Place { base, length, is_last } = place;
    // The operator's limit keeps all indices within 32 bits.
    let base = base as u32;
    let last = parts.last.filter(|_| is_last && u64::from(base) + length as u64 > 1);
    let last_is_given = last.is_some();
    for Pass { threads } in &plan.passes {
        if T::IS_FLOAT && size_of::<T>() == 8 {
            let (y, first) = whole_cells_mut::<f64>(y).map_err(OPERATOR.slice("y"))?;
            let [start, step, last] = [parts.start, parts.step, last.unwrap_or(0)].map(f64::from_bits);
            let (count, has_last) = (length as u32, u32::from(last_is_given));
            let sizes = doubles::Sizes { count, first, base, start, step, last, has_last };
            let kernel = doubles::sequence_of_doubles(&device)?;
            kernel.launch(doubles::Args { sizes, y }).to(destination.reborrow()).threads(*threads)?;
            continue;
        }
        let (y, before) = in_words_mut(y).map_err(OPERATOR.slice("y"))?;
        let sizes = kernel::Sizes {
            count: length as u32,
            base,
            first: before / size_of::<T>() as u32,
            start: words(parts.start),
            step: words(parts.step),
            last: last.unwrap_or(0) as u32,
            has_last: u32::from(last_is_given),
            ..bytemuck::Zeroable::zeroed()
        };
        let (bits, is_float, bf16) = (8 * size_of::<T>() as u32, T::IS_FLOAT, T::IS_BF16);
        let overrides = kernel::Overrides { bits, is_float, bf16 };
        let kernel = kernel::sequence_with(&device, overrides)?;
        kernel.launch(kernel::Args { sizes, y }).to(destination.reborrow()).threads(*threads)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_an_invocation() {
        let threads = |length, size, start| plan(length, size, start).passes[0].threads;
        assert_eq!([threads(5, 8, 0), threads(5, 4, 4), threads(5, 2, 2), threads(4, 1, 3)], [5, 5, 3, 2]);
        assert_eq!(plan(0, 4, 0), Plan::nothing());
        assert_eq!((plan(7, 8, 0).flops, plan(7, 8, 0).bytes), (14, 56));
    }
}
