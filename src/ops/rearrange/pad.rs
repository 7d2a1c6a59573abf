//! The elements around a padded array.

use super::super::moving::layout::Mode;

/// The elements that [`pad`](super::pad()) adds. The names are those of NumPy.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Pad<T> {
    /// The same given value everywhere.
    Constant(T),
    /// The element at the nearest end of the axis.
    Edge,
    /// The elements of the axis, mirrored at its ends, which are not repeated: `3 2 | 1 2 3 | 2 1`. Widths may exceed the
    /// axis; then elements are mirrored several times.
    Reflect,
    /// The elements of the axis, mirrored at its ends, which are repeated: `2 1 | 1 2 3 | 3 2`.
    Symmetric,
    /// The elements from the other end of the axis: `2 3 | 1 2 3 | 1 2`.
    Wrap,
}

impl<T> Pad<T> {
    pub(super) fn mode(&self) -> Mode {
        match self {
            Self::Constant(_) => Mode::Constant,
            Self::Edge => Mode::Edge,
            Self::Reflect => Mode::Reflect,
            Self::Symmetric => Mode::Symmetric,
            Self::Wrap => Mode::Wrap,
        }
    }
}
