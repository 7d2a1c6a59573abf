//! How large a grid is.

/// A grid in one, two or three dimensions, in threads or in workgroups.
///
/// Made from integers, arrays and tuples: `1 << 20`, `[640, 480]`, `(64, 64, 8)`. Dimensions not
/// given are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    dimensions: [u64; 3],
    given: usize,
}

impl Extent {
    fn new(given: &[u64]) -> Self {
        let mut dimensions = [1; 3];
        dimensions[..given.len()].copy_from_slice(given);
        Self { dimensions, given: given.len() }
    }

    pub(crate) fn dimensions(&self) -> [u64; 3] {
        self.dimensions
    }

    /// As the user gave it, for errors.
    pub(crate) fn as_given(&self) -> Vec<u64> {
        self.dimensions[..self.given].to_vec()
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Extent {
            fn from(x: $integer) -> Self {
                // A negative extent is an empty one, which the launch refuses.
                Self::new(&[u64::try_from(x).unwrap_or(0)])
            }
        }
        impl From<[$integer; 1]> for Extent {
            fn from([x]: [$integer; 1]) -> Self {
                Self::from(x)
            }
        }
        impl From<[$integer; 2]> for Extent {
            fn from(xy: [$integer; 2]) -> Self {
                Self::new(&xy.map(|n| u64::try_from(n).unwrap_or(0)))
            }
        }
        impl From<[$integer; 3]> for Extent {
            fn from(xyz: [$integer; 3]) -> Self {
                Self::new(&xyz.map(|n| u64::try_from(n).unwrap_or(0)))
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

from_integers!(i32, u32, u64, usize);

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
    fn a_negative_extent_is_empty() {
        assert_eq!(Extent::from(-1).dimensions()[0], 0);
    }
}
