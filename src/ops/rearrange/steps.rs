//! Parts of an axis by a range and a step, as Python's `start:end:step`. This module is pure.

use std::ops::{Bound, RangeBounds};

/// The positions that are selected along an axis, by a range and a step; created by [`steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    start: Option<isize>,
    /// The position at which the selection ends; it is not selected.
    end: Option<isize>,
    pub(super) step: isize,
}

/// Selects every `step`-th position of a range of an axis, as Python's `start:end:step`. Negative positions count from
/// the end of the axis, and positions outside it are left out. A negative step goes backwards, from `start` down to the
/// position before `end`.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{Rearrange, steps};
///
/// let (x, mut y) = (device.buffer_from(&[0u32, 1, 2, 3, 4, 5])?, device.buffer::<u32>(3)?);
/// for (taken, wanted) in [
///     (steps(1..4, 1), [1, 2, 3]), // 1:4
///     (steps(-3.., 1), [3, 4, 5]), // -3:
///     (steps(.., 2), [0, 2, 4]),   // ::2
///     (steps(.., -2), [5, 3, 1]),  // ::-2
///     (steps(4..1, -1), [4, 3, 2]), // 4:1:-1
/// ] {
///     Rearrange::part([6], &[taken]).run(&x, &mut y)?;
///     assert_eq!(*y.read()?, wanted);
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use]
pub fn steps(range: impl RangeBounds<isize>, step: isize) -> Steps {
    let next = if step < 0 { -1 } else { 1 };
    // The last position, -1, has no position after it: 0 would be the first position.
    let after = |place: isize| if place == -1 && next == 1 { None } else { place.checked_add(next) };
    let start = match range.start_bound() {
        Bound::Included(start) => Some(*start),
        Bound::Excluded(start) => Some(start.saturating_add(next)),
        Bound::Unbounded => None,
    };
    let end = match range.end_bound() {
        Bound::Included(end) if *end == 0 && next == -1 => None,
        Bound::Included(end) => after(*end),
        Bound::Excluded(end) => Some(*end),
        Bound::Unbounded => None,
    };
    Steps { start, end, step }
}

impl Steps {
    /// Returns the first selected position of an axis of this size, and the number of selected positions.
    pub(super) fn within(self, size: usize) -> (i64, usize) {
        let (size, step) = (size as i64, self.step as i64);
        let (least, greatest) = if step < 0 { (-1, size - 1) } else { (0, size) };
        let place = |place: isize| {
            let place = place as i64;
            (if place < 0 { place.saturating_add(size) } else { place }).clamp(least, greatest)
        };
        let start = self.start.map_or(if step < 0 { greatest } else { least }, place);
        let end = self.end.map_or(if step < 0 { least } else { greatest }, place);
        let length = if step < 0 { start - end } else { end - start };
        (start, length.max(0).unsigned_abs().div_ceil(step.unsigned_abs().max(1)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(steps: Steps, size: usize) -> Vec<i64> {
        let (start, count) = steps.within(size);
        (0..count as i64).map(|at| start + at * steps.step as i64).collect()
    }

    #[test]
    #[allow(clippy::reversed_empty_ranges, reason = "Python's ranges go backwards")]
    fn places_are_those_of_python() {
        assert_eq!(taken(steps(.., 1), 4), [0, 1, 2, 3]);
        assert_eq!(taken(steps(.., -1), 4), [3, 2, 1, 0]);
        assert_eq!(taken(steps(1..=2, 1), 4), [1, 2]);
        assert_eq!(taken(steps(1..=-1, 1), 4), [1, 2, 3]);
        assert_eq!(taken(steps(2..=0, -1), 4), [2, 1, 0]);
        assert_eq!(taken(steps(-100..100, 3), 7), [0, 3, 6]);
        assert_eq!(taken(steps(100..-100, -3), 7), [6, 3, 0]);
        assert_eq!(taken(steps(5..2, 1), 7), []);
        assert_eq!(taken(steps(2..5, -1), 7), []);
        assert_eq!(taken(steps(.., -5), 0), []);
        assert_eq!(taken(steps(-2..1, -2), 6), [4, 2]);
        assert_eq!(taken(steps(isize::MIN..isize::MAX, isize::MAX), 6), [0]);
    }
}
