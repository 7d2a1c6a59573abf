//! Indices along an axis: their types, and the shapes that belong to them.

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::operands;
use crate::element::Element;

/// Types of indices: `u32`, `i32`, `u64`, `i64`. Negative indices count from the end of the axis.
pub trait IndexElement: Element + sealed::Index {}

impl<T: Element + sealed::Index> IndexElement for T {}

pub(crate) mod sealed {
    /// The properties of an index that the kernels need.
    pub trait Index {
        const SIGNED: bool;
    }

    impl Index for u32 {
        const SIGNED: bool = false;
    }
    impl Index for i32 {
        const SIGNED: bool = true;
    }
    impl Index for u64 {
        const SIGNED: bool = false;
    }
    impl Index for i64 {
        const SIGNED: bool = true;
    }
}

/// The position that an index outside the axis selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outside {
    /// No position.
    #[default]
    Nowhere,
    /// The nearest position of the axis.
    Clip,
    /// The remainder of the index, divided by the size of the axis.
    Wrap,
}

/// The sizes of an array with an indexed axis, and of the array of the elements that the indices select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Along {
    /// The product of the sizes of all axes before the indexed one.
    pub(crate) outer: u64,
    /// The size of the indexed axis.
    pub(crate) size: u64,
    /// The product of the sizes of all axes after the indexed one.
    pub(crate) inner: u64,
    /// The number of positions that the indices select along the axis.
    pub(crate) lines: u64,
    /// Whether the same indices apply to all lines along the axis; otherwise each selected element has its own index.
    pub(crate) shared: bool,
}

impl Along {
    /// The sizes for an array of this shape and `indices` indices, which are `shared` by all lines along the axis, or
    /// belong to one selected element each.
    pub(crate) fn of<T: Element>(
        operator: Operator,
        name: &str,
        shape: &[usize],
        axis: usize,
        (indices, shared): (usize, bool),
    ) -> Result<Self, OperationError> {
        operands::counted::<T>(operator, name, shape)?;
        operands::expect_axis(operator, axis, shape)?;
        let product = |sizes: &[usize]| sizes.iter().fold(1u64, |all, size| all.saturating_mul(*size as u64));
        let (outer, size, inner) = (product(&shape[..axis]), shape[axis] as u64, product(&shape[axis + 1..]));
        let around = outer.saturating_mul(inner);
        let lines = if shared { indices as u64 } else { (indices as u64).checked_div(around).unwrap_or(0) };
        let along = Self { outer, size, inner, lines, shared };
        if !shared && along.selected() != indices as u64 {
            let (operator, argument) = (operator.name(), "indices".to_owned());
            let mut shape = shape.to_vec();
            shape[axis] = lines as usize;
            let expected = usize::try_from(along.selected()).unwrap_or(usize::MAX);
            return Err(OperationError::Length { operator, argument, shape, expected, got: indices });
        }
        let selected = along.shape(shape, axis);
        operands::counted::<T>(operator, "the selected elements", &selected)?;
        Ok(along)
    }

    /// The shape of the selected elements, for an array of this shape.
    pub(crate) fn shape(&self, shape: &[usize], axis: usize) -> Vec<usize> {
        let mut selected = shape.to_vec();
        selected[axis] = self.lines as usize;
        selected
    }

    /// The number of selected elements.
    pub(crate) fn selected(&self) -> u64 {
        self.outer.saturating_mul(self.lines).saturating_mul(self.inner)
    }

    /// The size in bytes of the widest cells in which the elements can be moved: at most `most`, for elements of
    /// `element` bytes and arrays that begin at the bytes `starts`.
    pub(crate) fn cell(&self, element: u64, starts: &[u64], most: u64) -> u64 {
        let plain = 1 << element.trailing_zeros().min(2);
        // If indices are shared, one index moves all `inner` elements at a position together.
        let piece = if self.shared { self.inner.saturating_mul(element) } else { element };
        let fits = |cell: &u64| piece.is_multiple_of(*cell) && starts.iter().all(|start| start.is_multiple_of(*cell));
        [16, 8, 4].into_iter().filter(|cell| *cell <= most && *cell > plain).find(fits).unwrap_or(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_move_in_the_widest_cells() {
        let along = |shape: &[usize], axis, shared| {
            let indices = if shared { 3 } else { shape.iter().product() };
            Along::of::<f32>(Operator("test"), "x", shape, axis, (indices, shared)).unwrap()
        };
        assert_eq!(along(&[5, 4], 0, true).cell(4, &[0, 16], 16), 16);
        assert_eq!(along(&[5, 4], 0, true).cell(4, &[0, 16], 4), 4);
        assert_eq!(along(&[5, 4], 0, true).cell(4, &[8, 16], 16), 8);
        assert_eq!(along(&[5, 4], 1, true).cell(4, &[0, 0], 16), 4);
        assert_eq!(along(&[5, 4], 0, false).cell(4, &[0, 0], 16), 4);
        assert_eq!(along(&[5, 8], 0, true).cell(1, &[0, 8], 16), 8);
        assert_eq!(along(&[5, 3], 0, true).cell(1, &[0, 8], 16), 1);
    }
}
