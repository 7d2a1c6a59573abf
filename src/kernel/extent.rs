//! The size of a grid.

use smallvec::SmallVec;

/// A grid in one, two or three dimensions, in threads or in workgroups.
///
/// Created from integers, arrays and tuples: `1 << 20`, `[640, 480]`, `(64, 64, 8)`. Missing dimensions are 1. A launch
/// with a dimension of 0 does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    dimensions: [u64; 3],
    given: usize,
    /// The first dimension below 0: its axis and size.
    negative: Option<(usize, i32)>,
}

impl Extent {
    fn new(given: &[u64]) -> Self {
        let mut dimensions = [1; 3];
        dimensions[..given.len()].copy_from_slice(given);
        Self { dimensions, given: given.len(), negative: None }
    }

    /// An extent from signed integers.
    fn signed(given: &[i32]) -> Self {
        let negative = given.iter().copied().enumerate().find(|(_, count)| *count < 0);
        let dimensions: SmallVec<[u64; 3]> = given.iter().map(|count| u64::from(count.unsigned_abs())).collect();
        Self { negative, ..Self::new(&dimensions) }
    }

    /// The first dimension below 0, if any: its axis and size.
    pub(crate) fn negative(&self) -> Option<(usize, i32)> {
        self.negative
    }

    /// Whether a dimension is 0, so that there is nothing to launch.
    pub(crate) fn is_empty(&self) -> bool {
        self.dimensions.contains(&0)
    }

    pub(crate) fn dimensions(&self) -> [u64; 3] {
        self.dimensions
    }

    /// The dimensions as the user gave them, for errors.
    pub(crate) fn as_given(&self) -> Vec<u64> {
        self.dimensions[..self.given].to_vec()
    }
}

macro_rules! from_integers {
    ($($integer:ty: $made:expr),* $(,)?) => {$(
        impl From<$integer> for Extent {
            fn from(x: $integer) -> Self {
                $made(&[x])
            }
        }
        impl From<[$integer; 1]> for Extent {
            fn from([x]: [$integer; 1]) -> Self {
                Self::from(x)
            }
        }
        impl From<[$integer; 2]> for Extent {
            fn from(xy: [$integer; 2]) -> Self {
                $made(&xy)
            }
        }
        impl From<[$integer; 3]> for Extent {
            fn from(xyz: [$integer; 3]) -> Self {
                $made(&xyz)
            }
        }
        impl From<($integer, $integer)> for Extent {
            fn from((x, y): ($integer, $integer)) -> Self {
                Self::from([x, y])
            }
        }
        impl From<($integer, $integer, $integer)> for Extent {
            fn from((x, y, z): ($integer, $integer, $integer)) -> Self {
                Self::from([x, y, z])
            }
        }
    )*};
}

from_integers! {
    i32: Extent::signed,
    u32: |given: &[u32]| Extent::new(&given.iter().map(|count| u64::from(*count)).collect::<SmallVec<[u64; 3]>>()),
    u64: Extent::new,
    usize: |given: &[usize]| Extent::new(&given.iter().map(|count| *count as u64).collect::<SmallVec<[u64; 3]>>()),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_not_given_are_one() {
        assert_eq!(Extent::from(7).dimensions(), [7, 1, 1]);
        assert_eq!(Extent::from([7u64, 8]).dimensions(), [7, 8, 1]);
        assert_eq!(Extent::from((7usize, 8, 9)).dimensions(), [7, 8, 9]);
        assert_eq!(Extent::from([7u32, 8]).as_given(), [7, 8]);
    }

    #[test]
    fn zeros_are_empty_and_negative_numbers_are_remembered() {
        assert!(Extent::from([3, 0]).is_empty() && !Extent::from([3, 1]).is_empty());
        assert_eq!(Extent::from((5, -2, -1)).negative(), Some((1, -2)));
        assert_eq!(Extent::from([5, 0]).negative(), None);
    }
}
