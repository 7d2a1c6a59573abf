//! The rules by which ranges are copied together; they do not depend on a device.

use std::ops::Range;

/// Joins neighbours among `ranges`, which are in order. Adjacent ranges are always joined; those at a distance of at
/// most `gap` bytes are joined if `may` permits copying the bytes between them, too.
pub(super) fn joined(
    ranges: impl IntoIterator<Item = Range<u64>>,
    gap: u64,
    may: impl Fn(Range<u64>) -> bool,
) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start || (range.start - last.end <= gap && may(last.end..range.start)) => {
                last.end = range.end;
            }
            _ => joined.push(range),
        }
    }
    joined
}

/// Distributes ranges in order over blocks of at most `limit` bytes each; ranges that do not fit into a block are
/// divided.
pub(super) fn loads(ranges: Vec<Range<u64>>, limit: u64) -> Vec<Vec<Range<u64>>> {
    let mut loads: Vec<Vec<Range<u64>>> = Vec::new();
    let mut room = 0;
    for mut range in ranges {
        while !range.is_empty() {
            if room == 0 {
                loads.push(Vec::new());
                room = limit;
            }
            let part = range.start..range.end.min(range.start + room);
            room -= part.end - part.start;
            range.start = part.end;
            loads.last_mut().into_iter().for_each(|load| load.push(part.clone()));
        }
    }
    loads
}

/// The number of bytes of all ranges.
pub(super) fn total(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn neighbours_are_joined_whatever_a_copy_costs() {
        assert_eq!(joined([0..4, 4..8, 12..16], 0, |_| true), [0..8, 12..16]);
        assert_eq!(joined([0..4, 4..8, 12..16], 0, |_| false), [0..8, 12..16]);
    }

    #[test]
    fn gaps_are_closed_if_they_are_short_and_may_be() {
        assert_eq!(joined([0..4, 8..12, 20..24], 4, |_| true), [0..12, 20..24]);
        assert_eq!(joined([0..4, 8..12, 20..24], 8, |_| true), [0..24; 1]);
        assert_eq!(joined([0..4, 8..12, 20..24], 8, |gap| gap != (4..8)), [0..4, 8..24]);
        assert_eq!(joined([0..4, 8..12, 20..24], 8, |_| false), [0..4, 8..12, 20..24]);
        assert_eq!(joined([], 8, |_| true), [0..0; 0]);
    }

    proptest! {
        #[test]
        fn loads_are_all_of_it_in_blocks_that_are_full(lengths in prop::collection::vec((0..20u64, 1..50u64), 0..20), most in 1..40u64) {
            let mut end = 0;
            let ranges: Vec<Range<u64>> = lengths
                .into_iter()
                .map(|(gap, length)| {
                    let start = end + gap;
                    end = start + length;
                    start..end
                })
                .collect();
            let loads = loads(ranges.clone(), most);
            let full = loads.iter().rev().skip(1).all(|load| total(load) == most);
            prop_assert!(full && loads.last().is_none_or(|load| (1..=most).contains(&total(load))));
            let bytes = |ranges: &[Range<u64>]| ranges.iter().cloned().flatten().collect::<Vec<u64>>();
            prop_assert_eq!(bytes(&loads.concat()), bytes(&ranges));
        }
    }
}
