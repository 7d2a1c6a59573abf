//! Pairs of numbers, and steps along axes, on the command line.

use std::ops::Bound;

use anywarp::ops::{Steps, steps};

use super::call::Call;
use crate::failure::Failure;

/// Parses pairs of whole numbers: `0:2,1:-3`.
pub(super) fn pairs(text: &str) -> Option<Vec<(isize, isize)>> {
    let pair = |pair: &str| {
        let (first, second) = pair.split_once(':')?;
        Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
    };
    text.split(',').map(pair).collect()
}

/// Parses slices in Python's notation: `1:5,::-1`.
pub(super) fn parts(text: &str) -> Option<Vec<Steps>> {
    text.split(',').map(part).collect()
}

fn part(text: &str) -> Option<Steps> {
    let places: Option<Vec<Option<isize>>> = text.split(':').map(place).collect();
    let (start, end, step) = match places?.as_slice() {
        [start, end] => (*start, *end, 1),
        [start, end, step] => (*start, *end, step.unwrap_or(1)),
        _ => return None,
    };
    let start = start.map_or(Bound::Unbounded, Bound::Included);
    let end = end.map_or(Bound::Unbounded, Bound::Excluded);
    Some(steps((start, end), step))
}

/// Parses one number of a slice. An empty text returns `Some(None)`: the axis is unbounded on this side.
fn place(text: &str) -> Option<Option<isize>> {
    match text.trim() {
        "" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

/// The pairs of a parameter. The first number of each must not be negative, nor the second unless `N` is signed.
pub(super) fn counted<N: TryFrom<isize>>(call: &Call<'_>, name: &str) -> Result<Vec<(usize, N)>, Failure> {
    let text = call.values.text(name).unwrap_or_default();
    let pairs = pairs(text).unwrap_or_default();
    let converted =
        pairs.iter().map(|(first, second)| Some((usize::try_from(*first).ok()?, N::try_from(*second).ok()?)));
    converted.collect::<Option<_>>().ok_or_else(|| {
        Failure::Usage(format!("--{name} {text}: expected numbers from 0 on, found '{text}': write --{name} 0:1"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::reversed_empty_ranges, reason = "Python's ranges go backwards")]
    fn parts_are_those_of_python() {
        let expected = [steps(1..5, 1), steps(.., -1), steps(-2.., 1), steps(4..1, -2), steps(.., 1)];
        assert_eq!(parts("1:5,::-1,-2:, 4 : 1 : -2,:"), Some(expected.to_vec()));
        assert_eq!(["1", "", "1:2:3:4", "a:", "1:2,"].map(parts), [const { None }; 5]);
    }

    #[test]
    fn pairs_have_two_numbers() {
        assert_eq!(pairs("0:2,1:-3"), Some(vec![(0, 2), (1, -3)]));
        assert_eq!(["", "1", "1:", "1:2:3", "1:2,"].map(pairs), [const { None }; 5]);
    }
}
