//! The parts of an array along an axis, and the pass of each. This module is pure.

use super::super::error::OperationError;
use super::super::moving::layout::{Layout, Map, row_major};
use super::super::moving::operands;
use super::super::moving::plan::{Choice, Pass, plan as pass_of};
use super::super::operator::Operator;
use super::super::plan::Plan;
use crate::element::Element;

/// The parts of an array along one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// The shape of the whole array.
    pub(super) shape: Vec<usize>,
    axis: usize,
    /// The size of each part along the axis.
    sizes: Vec<usize>,
    /// The size of an element in bytes.
    element: u64,
}

/// The direction of a call: parts to an array, or an array to parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Join,
    Split,
}

impl Parts {
    /// The parts of an array of this shape, with these numbers of elements; an error if they do not fit the shape.
    pub(super) fn of<T: Element>(
        operator: Operator,
        shape: &[usize],
        axis: usize,
        lengths: &[usize],
    ) -> Result<Self, OperationError> {
        let count = operands::counted::<T>(operator, "the array", shape)?;
        operands::expect_axis(operator, axis, shape)?;
        let mut others = shape.to_vec();
        others[axis] = 1;
        let line = operands::counted::<T>(operator, "the array", &others)?;
        let fits = lengths.iter().all(|length| line > 0 && length.is_multiple_of(line) || line == 0 && *length == 0);
        if !fits || lengths.iter().fold(0usize, |all, length| all.saturating_add(*length)) != count {
            let expected =
                format!("use multiples of {line} with the sum {count}, for the shape {shape:?} and axis {axis}");
            return Err(operator.choice("parts of lengths", expected, format!("{lengths:?}")));
        }
        let sizes = lengths.iter().map(|length| length / line.max(1)).collect();
        Ok(Self { shape: shape.to_vec(), axis, sizes, element: size_of::<T>() as u64 })
    }

    /// The parts of an array along its new axis; all parts have the same shape.
    pub(super) fn stacked<T: Element>(
        operator: Operator,
        shape: &[usize],
        axis: usize,
        lengths: &[usize],
    ) -> Result<Self, OperationError> {
        if axis > shape.len() {
            operands::expect_axis(operator, axis, shape)?;
        }
        for length in lengths {
            operands::expect(operator, "a part", (*length, shape))?;
        }
        let mut whole = shape.to_vec();
        whole.insert(axis, lengths.len());
        operands::counted::<T>(operator, "y", &whole)?;
        Ok(Self { shape: whole, axis, sizes: vec![1; lengths.len()], element: size_of::<T>() as u64 })
    }
}

/// Plans the passes, each with the index of its part. `starts` has the bytes at which the source and the target of each
/// part begin in their buffers.
pub(super) fn plan(parts: &Parts, way: Way, starts: &[[u64; 2]]) -> Plan<(usize, Pass)> {
    let Parts { shape, axis, sizes, element } = parts;
    let mut passes = Vec::new();
    let mut first = 0;
    let count = shape.iter().fold(1u64, |all, size| all.saturating_mul(*size as u64));
    for (part, size) in sizes.iter().enumerate().filter(|_| count > 0) {
        let mut own = shape.clone();
        own[*axis] = *size;
        let mut maps: Vec<Map> = own.iter().enumerate().map(|(axis, size)| Map::whole(*size, axis)).collect();
        let layout = match way {
            Way::Join => {
                let distances = row_major(shape);
                Layout::of(*element, &own, &maps, (first * distances[*axis], &distances))
            }
            Way::Split => {
                maps[*axis].start = first as i64;
                Layout::of(*element, shape, &maps, (0, &row_major(&own)))
            }
        };
        passes.extend(pass_of(&layout, starts[part], Choice::default_for(&layout)).map(|pass| (part, pass)));
        first += *size as u64;
    }
    Plan { passes, scratch: 0, flops: 0, bytes: (2 * count).saturating_mul(*element) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATOR: Operator = Operator("test");

    #[test]
    fn rows_are_copied_and_columns_are_walked() {
        let passes = |axis, lengths: &[usize], way| {
            let parts = Parts::of::<f32>(OPERATOR, &[4, 6], axis, lengths).unwrap();
            plan(&parts, way, &vec![[0, 0]; lengths.len()]).passes
        };
        for way in [Way::Join, Way::Split] {
            assert!(matches!(passes(0, &[6, 0, 18], way)[..], [(0, Pass::Copy(_)), (2, Pass::Copy(_))]));
            assert!(matches!(passes(1, &[8, 16], way)[..], [(0, Pass::Walk(_)), (1, Pass::Walk(_))]));
        }
    }

    #[test]
    fn lengths_must_fit() {
        let parts = |shape: &[usize], lengths: &[usize]| Parts::of::<u8>(OPERATOR, shape, 1, lengths).is_ok();
        assert!(parts(&[4, 6], &[4, 20]) && parts(&[0, 6], &[0, 0]) && parts(&[4, 0], &[]));
        assert!(!parts(&[4, 6], &[5, 19]) && !parts(&[4, 6], &[4, 16]) && !parts(&[0, 6], &[1]));
    }
}
