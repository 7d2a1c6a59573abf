//! The kinds of transforms by cosines and sines. This module is pure.

/// A transform of `n` real numbers by cosines or sines, with the sums and the numbers of `SciPy`; the comments have the
/// results `y[k]` without a norm, with all sums over `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DctKind {
    /// `x[0] + (-1)^k x[n-1] + 2 * sum of x[j] * cos(pi k j / (n - 1))` for `j` from 1 to `n - 2`; the inverse of itself.
    Dct1,
    /// `2 * sum of x[j] * cos(pi k (2 j + 1) / (2 n))`, usually called the discrete cosine transform.
    Dct2,
    /// `x[0] + 2 * sum of x[j] * cos(pi (2 k + 1) j / (2 n))` for `j` from 1: the inverse of [`Dct2`](Self::Dct2).
    Dct3,
    /// `2 * sum of x[j] * cos(pi (2 k + 1) (2 j + 1) / (4 n))`; the inverse of itself.
    Dct4,
    /// `2 * sum of x[j] * sin(pi (k + 1) (j + 1) / (n + 1))`; the inverse of itself.
    Dst1,
    /// `2 * sum of x[j] * sin(pi (k + 1) (2 j + 1) / (2 n))`, usually called the discrete sine transform.
    Dst2,
    /// `(-1)^k x[n-1] + 2 * sum of x[j] * sin(pi (2 k + 1) (j + 1) / (2 n))` for `j` to `n - 2`: the inverse of
    /// [`Dst2`](Self::Dst2).
    Dst3,
    /// `2 * sum of x[j] * sin(pi (2 k + 1) (2 j + 1) / (4 n))`; the inverse of itself.
    Dst4,
}

impl DctKind {
    /// The kind that computes the inverse, but for a factor.
    pub(in super::super) fn inverse(self) -> Self {
        match self {
            Self::Dct2 => Self::Dct3,
            Self::Dct3 => Self::Dct2,
            Self::Dst2 => Self::Dst3,
            Self::Dst3 => Self::Dst2,
            other => other,
        }
    }

    /// The number of the type, as in the names.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Dct1 | Self::Dst1 => 1,
            Self::Dct2 | Self::Dst2 => 2,
            Self::Dct3 | Self::Dst3 => 3,
            Self::Dct4 | Self::Dst4 => 4,
        }
    }

    pub(super) fn has_sines(self) -> bool {
        matches!(self, Self::Dst1 | Self::Dst2 | Self::Dst3 | Self::Dst4)
    }

    /// The length of the Fourier transform that has the same sums, for an axis of `length` elements: a transform and its
    /// inverse multiply by it.
    pub(super) fn period(self, length: usize) -> usize {
        match self {
            Self::Dct1 => 2 * length.saturating_sub(1),
            Self::Dst1 => 2 * (length + 1),
            _ => 2 * length,
        }
    }
}
