//! The rearrangements of an array, as maps of its axes. This module is pure.

use super::super::error::OperationError;
use super::super::moving::layout::{Layout, Map, Mode, row_major};
use super::super::operator::Operator;
use super::steps::Steps;

/// A rearrangement of an array, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Permute(Vec<usize>),
    Flip(Vec<usize>),
    Roll(Vec<(usize, isize)>),
    Tile(Vec<usize>),
    Broadcast(Vec<usize>),
    Part(Vec<Steps>),
    Pad(Vec<[usize; 2]>, Mode),
}

impl Change {
    /// Returns the maps of the axes of y, for an x of this shape.
    pub(super) fn maps(&self, operator: Operator, shape: &[usize]) -> Result<Vec<Map>, OperationError> {
        let whole = || shape.iter().enumerate().map(|(axis, size)| Map::whole(*size, axis)).collect::<Vec<Map>>();
        let in_range = |axis: usize| {
            (axis < shape.len()).then_some(axis).ok_or_else(|| wrong_axis(operator, axis, "is out of range for", shape))
        };
        match self {
            Self::Permute(axes) => {
                expect_axes(operator, axes, shape)?;
                if axes.len() != shape.len() {
                    let expected = format!("use each of the {} axes of the shape {shape:?} once", shape.len());
                    return Err(operator.choice("a permutation", expected, format!("{axes:?}")));
                }
                Ok(axes.iter().map(|axis| Map::whole(shape[*axis], *axis)).collect())
            }
            Self::Flip(axes) => {
                expect_axes(operator, axes, shape)?;
                let mut maps = whole();
                for axis in axes {
                    let map = &mut maps[*axis];
                    (map.start, map.step) = (map.size as i64 - 1, -1);
                }
                Ok(maps)
            }
            Self::Roll(shifts) => {
                let mut all = vec![0i64; shape.len()];
                for (axis, shift) in shifts {
                    let size = shape[in_range(*axis)?].max(1) as i64;
                    all[*axis] = (all[*axis] - (*shift as i64) % size).rem_euclid(size);
                }
                let mut maps = whole();
                for (map, start) in maps.iter_mut().zip(all) {
                    (map.start, map.mode) = (start, Mode::Wrap);
                }
                Ok(maps)
            }
            Self::Tile(repeats) => {
                let rank = shape.len().max(repeats.len());
                let at = |sizes: &[usize], axis: usize| (axis + sizes.len()).checked_sub(rank).map(|axis| sizes[axis]);
                let mut maps = Vec::new();
                for axis in 0..rank {
                    let (size, repeats) = (at(shape, axis), at(repeats, axis).unwrap_or(1));
                    maps.push(match size {
                        None => Map::repeated(repeats),
                        Some(size) => {
                            let source = axis + shape.len() - rank;
                            let mode = Mode::Wrap;
                            Map { size: size.saturating_mul(repeats), source: Some(source), start: 0, step: 1, mode }
                        }
                    });
                }
                Ok(maps)
            }
            Self::Broadcast(to) => {
                let fits = to.len() >= shape.len()
                    && shape.iter().rev().zip(to.iter().rev()).all(|(own, size)| own == size || *own == 1);
                if !fits {
                    let (operator, argument) = (operator.name(), "x".to_owned());
                    return Err(OperationError::Broadcast {
                        operator,
                        argument,
                        shape: shape.to_vec(),
                        against: to.clone(),
                    });
                }
                let new = to.len() - shape.len();
                let map = |(axis, size): (usize, &usize)| match axis.checked_sub(new) {
                    Some(source) if shape[source] == *size => Map::whole(*size, source),
                    _ => Map::repeated(*size),
                };
                Ok(to.iter().enumerate().map(map).collect())
            }
            Self::Part(parts) => {
                if parts.len() > shape.len() {
                    return Err(wrong_axis(operator, parts.len() - 1, "is out of range for", shape));
                }
                let mut maps = whole();
                for (map, steps) in maps.iter_mut().zip(parts) {
                    if steps.step == 0 {
                        let expected = "use 1 or more, or -1 or less";
                        return Err(operator.choice("a step of", expected, "0".to_owned()));
                    }
                    let (start, size) = steps.within(map.size);
                    // A part of at most one position needs no step.
                    let step = if size > 1 { steps.step as i64 } else { 0 };
                    (map.start, map.step, map.size) = (start, step, size);
                }
                Ok(maps)
            }
            Self::Pad(widths, mode) => {
                if widths.len() != shape.len() {
                    let expected = format!("use two widths for each of the {} axes of {shape:?}", shape.len());
                    return Err(operator.choice("a list of widths", expected, format!("{widths:?}")));
                }
                let mut maps = whole();
                for (axis, (map, [before, after])) in maps.iter_mut().zip(widths).enumerate() {
                    if map.size == 0 && *mode != Mode::Constant && before.saturating_add(*after) > 0 {
                        let expected = format!("axis {axis} has no element to repeat; pad it with a constant");
                        return Err(operator.choice("widths of", expected, format!("{:?}", [before, after])));
                    }
                    map.size = map.size.saturating_add(before.saturating_add(*after));
                    (map.start, map.mode) = (-i64::try_from(*before).unwrap_or(i64::MAX), *mode);
                }
                Ok(maps)
            }
        }
    }

    /// The layout of elements of `element` bytes, for an x of this shape and the maps of the axes of y.
    pub(super) fn layout(&self, element: u64, shape: &[usize], maps: &[Map]) -> Layout {
        // The repeats of a tiled axis become an axis of their own, so that kernels need no remainder for each element.
        let mut split = Vec::new();
        for map in maps {
            match (self, map.source) {
                (Self::Tile(_), Some(axis)) if shape[axis] > 0 => {
                    split.push(Map::repeated(map.size / shape[axis]));
                    split.push(Map::whole(shape[axis], axis));
                }
                _ => split.push(*map),
            }
        }
        let target: Vec<usize> = split.iter().map(|map| map.size).collect();
        Layout::of(element, shape, &split, (0, &row_major(&target)))
    }
}

fn wrong_axis(operator: Operator, axis: usize, problem: &'static str, shape: &[usize]) -> OperationError {
    OperationError::Axis { operator: operator.name(), axis, problem, shape: shape.to_vec() }
}

/// Returns an error unless all axes exist and differ.
fn expect_axes(operator: Operator, axes: &[usize], shape: &[usize]) -> Result<(), OperationError> {
    for (at, axis) in axes.iter().enumerate() {
        if *axis >= shape.len() {
            return Err(wrong_axis(operator, *axis, "is out of range for", shape));
        }
        if axes[..at].contains(axis) {
            return Err(wrong_axis(operator, *axis, "is given twice for", shape));
        }
    }
    Ok(())
}
