//! The sizes of a convolution. This module is pure.

/// The part of a convolution that is computed, with `SciPy`'s names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConvolveMode {
    /// All positions at which the arrays overlap: `n + m - 1` along an axis.
    #[default]
    Full,
    /// The middle of [`Full`](Self::Full), with the size of x.
    Same,
    /// The positions at which x covers all of w: `n - m + 1` along an axis.
    Valid,
}

/// The sizes along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) x: usize,
    pub(super) w: usize,
    /// The results, and the first of them within the full convolution.
    pub(super) y: usize,
    pub(super) start: usize,
    /// The length of the transforms.
    pub(super) padded: usize,
}

impl Extent {
    /// The sizes along an axis that is not convolved.
    pub(super) fn other(x: usize, w: usize) -> Self {
        Self { x, w, y: x, start: 0, padded: x }
    }

    /// The sizes along an axis of convolutions; `None` for a w that x cannot cover.
    pub(super) fn convolved(x: usize, w: usize, mode: ConvolveMode, is_last: bool) -> Option<Self> {
        if x == 0 || w == 0 {
            return Some(Self { x, w, y: 0, start: 0, padded: 0 });
        }
        let full = x + w - 1;
        let (start, y) = match mode {
            ConvolveMode::Full => (0, full),
            ConvolveMode::Same => ((w - 1) / 2, x),
            ConvolveMode::Valid => (w - 1, (x + 1).checked_sub(w).filter(|size| *size > 0)?),
        };
        // A transform convolves in a circle. Results beyond its end are added at its start, before the first one needed.
        let needed = (start + y).max(full - start).max(x).max(w);
        Some(Self { x, w, y, start, padded: fast_length(needed, is_last) })
    }
}

/// The smallest length of at least `length` without a prime factor above 7. An `even` one is faster for real numbers.
pub(super) fn fast_length(length: usize, even: bool) -> usize {
    let is_fast = |length: &usize| {
        let mut rest = *length;
        for prime in [2, 3, 5, 7] {
            while rest.is_multiple_of(prime) {
                rest /= prime;
            }
        }
        rest == 1 && (!even || *length == 1 || length.is_multiple_of(2))
    };
    (length.max(1)..).find(is_fast).unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_small_factors() {
        assert_eq!([0, 1, 2, 11, 13, 121, 1021].map(|length| fast_length(length, false)), [1, 1, 2, 12, 14, 125, 1024]);
        assert_eq!([1, 3, 15, 121].map(|length| fast_length(length, true)), [1, 4, 16, 126]);
    }

    #[test]
    fn results_are_not_reached_from_the_other_end() {
        for mode in [ConvolveMode::Full, ConvolveMode::Same, ConvolveMode::Valid] {
            for x in 1..12 {
                for w in 1..12 {
                    let Some(sizes) = Extent::convolved(x, w, mode, false) else {
                        assert!(mode == ConvolveMode::Valid && w > x);
                        continue;
                    };
                    let results = sizes.start..sizes.start + sizes.y;
                    assert!(results.end <= sizes.padded && x.max(w) <= sizes.padded, "{sizes:?}");
                    assert!((sizes.padded..x + w - 1).all(|at| !results.contains(&(at - sizes.padded))), "{sizes:?}");
                }
            }
        }
        let same = Extent::convolved(10, 4, ConvolveMode::Same, true).unwrap();
        assert_eq!((same.start, same.y, same.padded), (1, 10, 12));
        assert_eq!(Extent::convolved(0, 4, ConvolveMode::Full, true).unwrap().y, 0);
    }
}
