//! The passes of a sort within segments. This module is pure.

use super::super::super::ordering::rows::MAX_ROW;
use super::super::plan::Values;

/// The choice of how segments are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Choice {
    /// One workgroup sorts each segment, if the host knows that all segments are short.
    Rows,
    /// All keys are sorted by key, and then by segment.
    Passes,
}

impl Choice {
    /// Returns the default choice; `longest` is the length of the longest segment, if the host knows it.
    pub(super) fn default_for(longest: Option<u64>, processor: bool) -> Self {
        match longest {
            // Barriers take much longer on the processor than the work between them.
            Some(longest) if longest <= MAX_ROW && !processor => Self::Rows,
            _ => Self::Passes,
        }
    }
}

/// One step of a sort within segments. All steps write scratch memory, except for the gathers of keys and values and
/// the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Finds the order of the keys of each row: the segment between two bounds.
    OrderRows,
    /// Sorts the positions of the keys by key.
    SortKeys,
    /// Finds the number of each key's segment.
    NumberSegments,
    /// Brings the numbers of the segments into the order of the positions.
    GatherNumbers,
    /// Sorts the positions by this many bits of the numbers of the segments.
    SortNumbers { bits: u32 },
    /// Writes the keys in the order of the positions.
    GatherKeys,
    /// Writes the values in the order of the positions.
    GatherValues,
    /// Copies the positions to the array of indices.
    CopyPlaces,
}

/// Returns the passes for segments with numbers up to `count`.
pub(super) fn plan(values: Values, longest: Option<u64>, count: usize, choice: Choice) -> Vec<Pass> {
    let mut passes = match choice {
        Choice::Rows if longest.is_some_and(|longest| longest <= MAX_ROW) => vec![Pass::OrderRows],
        _ => {
            let bits = (usize::BITS - count.leading_zeros()).clamp(1, 32);
            vec![Pass::SortKeys, Pass::NumberSegments, Pass::GatherNumbers, Pass::SortNumbers { bits }]
        }
    };
    match values {
        Values::None => passes.push(Pass::GatherKeys),
        Values::Given { .. } => passes.extend([Pass::GatherKeys, Pass::GatherValues]),
        Values::Indices => passes.push(Pass::CopyPlaces),
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_segments_are_rows() {
        assert_eq!(Choice::default_for(Some(1024), false), Choice::Rows);
        for (longest, processor) in [(Some(1025), false), (None, false), (Some(1), true)] {
            assert_eq!(Choice::default_for(longest, processor), Choice::Passes);
        }
    }

    #[test]
    fn the_numbers_of_segments_have_few_bits() {
        let sorted = |count| plan(Values::None, None, count, Choice::Rows)[3];
        let bits = [0, 1, 2, 255, 256].map(sorted);
        assert_eq!(bits, [1, 1, 2, 8, 9].map(|bits| Pass::SortNumbers { bits }));
        assert_eq!(plan(Values::Indices, Some(9), 3, Choice::Rows), [Pass::OrderRows, Pass::CopyPlaces]);
        let pairs = plan(Values::Given { words: 1 }, Some(1025), 3, Choice::Rows);
        assert_eq!(pairs[0], Pass::SortKeys);
        assert_eq!(pairs[4..], [Pass::GatherKeys, Pass::GatherValues]);
    }
}
