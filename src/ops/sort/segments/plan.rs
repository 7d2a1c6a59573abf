//! The passes of a sort within segments. This module is pure.

use super::super::super::ordering::rows::MAX_ROW;
use super::super::plan::Values;

/// The choice between several ways to do the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Choice {
    /// One workgroup for each segment, if all are known and short.
    Rows,
    /// Sorts by key and by segment.
    Passes,
}

impl Choice {
    /// The choice without tuning.
    pub(super) fn default_for(longest: Option<u64>, processor: bool) -> Self {
        match longest {
            // Barriers take much longer on the processor than the work between them.
            Some(longest) if longest <= MAX_ROW && !processor => Self::Rows,
            _ => Self::Passes,
        }
    }
}

/// One step; all but the last ones write scratch memory only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Finds the order by rows between the bounds.
    OrderRows,
    /// Sorts the places by key.
    SortKeys,
    /// Finds the number of each key's segment.
    NumberSegments,
    /// Brings these numbers into the order of the places.
    GatherNumbers,
    /// Sorts the places by this many bits of the numbers.
    SortNumbers {
        bits: u32,
    },
    /// Writes the keys, or the values, in the order of the places.
    GatherKeys,
    GatherValues,
    /// Copies the places to the array of indices.
    CopyPlaces,
}

/// The passes for segments between `count` offsets.
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
