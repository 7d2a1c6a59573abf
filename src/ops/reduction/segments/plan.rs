//! The passes of a reduction in segments. This module is pure.
//!
//! The segments are only known on the device, so the passes do not depend on them. First, each chunk of elements that
//! is within one segment is reduced, by the same number of invocations however long the segment is. Then the partial
//! results of each segment's chunks are combined with the elements of the segment before and behind these chunks.

use std::fmt;

use super::super::super::operation::preface::WORKGROUP;
use super::super::super::plan::Plan;

/// The number of invocations that the CPU runs together.
const LANES: u32 = 8;

/// The greatest number of workgroups of the last pass. If there are more blocks of segments, each workgroup processes
/// several blocks.
const MAX_GROUPS: u64 = 1 << 14;

/// The sizes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) elements: u64,
    /// The number of segments; if `counted`, the greatest possible number.
    pub(crate) segments: u64,
    /// Whether the number of segments is on the device.
    pub(crate) counted: bool,
    /// The size of one partial result in bytes; 0 for a type that only the kernel determines.
    pub(crate) accumulator: u64,
    /// The bytes of the elements, the offsets and the results.
    pub(crate) bytes: u64,
}

/// The choice of how the work of a reduction in segments is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The number of elements of a chunk: a power of two, at most 2^16.
    pub(crate) chunk: u64,
    /// The number of invocations for one chunk: a power of two.
    pub(crate) width: u32,
    /// Whether several invocations reduce one segment together: as many as suit the mean length of segments, or a whole
    /// workgroup for a much longer segment. Otherwise one invocation reduces each segment.
    pub(crate) together: bool,
}

impl Choice {
    /// Returns the default choice for these sizes.
    pub(crate) fn default_for(shape: Shape, software: bool) -> Self {
        // Chunks are long enough that their partial results are few, and short enough that a segment without a whole
        // chunk delays its workgroup little.
        let chunk = |parts: u64, least: u64| (shape.elements / parts).max(1).next_power_of_two().clamp(least, 1 << 16);
        match software {
            true => Self { chunk: chunk(1 << 12, 1 << 12), width: LANES, together: false },
            false => Self { chunk: chunk(1 << 14, 1 << 10), width: WORKGROUP, together: true },
        }
    }
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let together = if self.together { "together" } else { "alone" };
        write!(f, "{together} chunk={} width={}", self.chunk, self.width)
    }
}

impl Choice {
    /// All choices.
    pub(crate) fn all(shape: Shape, software: bool) -> Vec<Self> {
        let chunks = [10, 12, 14, 16].map(|exponent| 1_u64 << exponent);
        let (width, forms) = if software { (LANES, &[false][..]) } else { (WORKGROUP, &[true, false][..]) };
        let all = chunks.iter().flat_map(|&chunk| forms.iter().map(move |&together| Self { chunk, width, together }));
        all.filter(|choice| choice.is_possible(shape)).collect()
    }

    /// Whether the partial results are few enough for the passes.
    pub(crate) fn is_possible(self, shape: Shape) -> bool {
        shape.elements / self.chunk <= 1 << 20
    }
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Finds the segment that contains each whole chunk.
    Owners { chunks: u64, chunk: u64 },
    /// Computes the partial result of each chunk that is within one segment.
    Chunks { chunks: u64, chunk: u64, width: u32, groups: u64 },
    /// Computes the result of each segment, from the partial results of its chunks and its other elements. Without
    /// chunks, `chunk` is 0.
    Segments { chunk: u64, together: bool, groups: u64 },
    /// Writes the finished identity as each result, as there are no elements.
    Nothing { groups: u64 },
}

/// Returns the number of invocations for each segment, a power of two: each invocation processes four to eight elements
/// of a segment with the mean length. The kernel computes the same number.
fn width(elements: u64, segments: u64) -> u64 {
    let each = (elements / segments.max(1) / 8).min(u64::from(WORKGROUP) - 1) as u32;
    1 << (u32::BITS - each.leading_zeros())
}

pub(crate) fn plan(shape: Shape, choice: Choice) -> Plan<Pass> {
    let Shape { elements, segments, counted, accumulator, bytes } = shape;
    if segments == 0 || (counted && elements == 0) {
        return Plan::nothing();
    }
    let blocks = |width: u64| segments.div_ceil(u64::from(WORKGROUP) / width).min(MAX_GROUPS);
    if elements == 0 {
        return Plan { passes: vec![Pass::Nothing { groups: blocks(1) }], scratch: 0, flops: 0, bytes };
    }
    let Choice { chunk, width: chunk_width, together } = choice;
    let groups = match (together, counted) {
        (false, _) => blocks(1),
        (true, false) => blocks(width(elements, segments)),
        // The host does not know the number of segments, but there are no more segments than elements.
        (true, true) => elements.div_ceil(u64::from(WORKGROUP)).min(MAX_GROUPS / 4),
    };
    // A segment shorter than a chunk contains no whole chunk, and a segment shorter than two chunks may contain none.
    let chunks = if elements < 2 * chunk { 0 } else { elements / chunk };
    let mut passes = Vec::new();
    if chunks > 0 {
        let groups = chunks.div_ceil(u64::from(WORKGROUP / chunk_width));
        passes.push(Pass::Owners { chunks, chunk });
        passes.push(Pass::Chunks { chunks, chunk, width: chunk_width, groups });
    }
    passes.push(Pass::Segments { chunk: if chunks > 0 { chunk } else { 0 }, together, groups });
    let scratch = chunks * 4 + chunks.saturating_mul(accumulator).next_multiple_of(4);
    Plan { passes, scratch, flops: elements, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: u64 = (1 << 32) - (1 << 16);

    fn shape(elements: u64, segments: u64, counted: bool) -> Shape {
        Shape { elements, segments, counted, accumulator: 4, bytes: 4 * (elements + 2 * segments + 1) }
    }

    #[test]
    fn chunks_are_whole_and_counted_in_32_bits() {
        for elements in [1, 2, 1023, 2047, 2048, 2049, 1 << 20, (1 << 26) + 3, MAX] {
            for (segments, counted, software) in [
                (1, false, false),
                (1000, false, true),
                (elements, true, false),
                (MAX, false, false),
                (MAX, true, true),
            ] {
                let shape = shape(elements, segments, counted);
                let choice = Choice::default_for(shape, software);
                let plan = plan(shape, choice);
                assert!(choice.chunk.is_power_of_two() && choice.chunk <= 1 << 16, "{shape:?}");
                assert!(elements + choice.chunk - 1 < 1 << 32, "{shape:?}");
                for pass in &plan.passes {
                    match *pass {
                        Pass::Owners { chunks, chunk } => assert!(chunks * chunk <= elements && chunks > 1, "{pass:?}"),
                        Pass::Chunks { chunks, chunk, width, groups } => {
                            assert!((groups * 256 / u64::from(width)) >= chunks, "{pass:?}");
                            assert!(chunks <= 1 << 20 && chunk == choice.chunk, "{pass:?}");
                        }
                        Pass::Segments { groups, .. } => assert!((1..=MAX_GROUPS).contains(&groups), "{pass:?}"),
                        Pass::Nothing { .. } => panic!("{shape:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn the_mean_length_sets_the_number_of_invocations() {
        let widths = |lengths: &[u64]| lengths.iter().map(|length| width(length * 100, 100)).collect::<Vec<_>>();
        assert_eq!(widths(&[0, 1, 7, 8, 15, 16, 1023, 1024, 1 << 20]), [1, 1, 1, 2, 2, 4, 128, 256, 256]);
        let groups = |elements, segments| match plan(
            shape(elements, segments, false),
            Choice { chunk: 1 << 16, width: 256, together: true },
        )
        .passes[0]
        {
            Pass::Segments { groups, .. } => groups,
            _ => 0,
        };
        assert_eq!((groups(1000, 1000), groups(1000, 100), groups(3000, 1)), (4, 1, 1));
    }

    #[test]
    fn short_arrays_have_no_chunks_and_no_elements_one_pass() {
        let passes = |elements, segments, counted| {
            let shape = shape(elements, segments, counted);
            plan(shape, Choice::default_for(shape, false)).passes
        };
        assert_eq!(passes(2047, 7, false).len(), 1);
        assert_eq!(passes(2048, 7, false).len(), 3);
        assert_eq!(passes(0, 7, false), [Pass::Nothing { groups: 1 }]);
        assert_eq!((passes(0, 7, true).len(), passes(7, 0, false).len()), (0, 0));
    }

    #[test]
    fn elements_offsets_and_results_are_counted_once() {
        let shape = shape(1 << 20, 1000, false);
        let cost = plan(shape, Choice::default_for(shape, false)).cost();
        assert_eq!((cost.passes, cost.scratch, cost.flops), (3, 8 << 10, 1 << 20));
        assert_eq!(cost.bytes, 4 * ((1 << 20) + 2001));
    }
}
