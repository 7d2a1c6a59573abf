//! The positions in x of the elements of y. This module is pure.

use super::super::error::OperationError;
use super::super::operator::Operator;

/// The greatest number of axes whose size or positions may change.
pub(super) const MAX_SCALED: usize = 3;
/// The greatest number of axes, after neighbouring axes that keep their sizes are joined.
pub(super) const MAX_AXES: usize = 8;
/// The greatest size of a changed axis: positions are computed in `f32`, which represents all integers up to 2^24.
const MAX_SIZE: usize = 1 << 24;

/// The position along an axis of `x` for each index `y` of the result, with the names of ONNX. `scale` is the size of
/// the result's axis divided by the size of the axis of `x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coordinates {
    /// `(y + 0.5) / scale - 0.5`: elements are areas, and the outer edges of `x` and of the result coincide.
    #[default]
    HalfPixel,
    /// As `HalfPixel`, but relative to the middle of the axis. Both rules differ only if scales are set.
    HalfPixelSymmetric,
    /// As `HalfPixel`, but an axis with one result reads the first element.
    PytorchHalfPixel,
    /// `y * (size of x - 1) / (size of y - 1)`: elements are points, and the outer points of `x` and of the result
    /// coincide.
    AlignCorners,
    /// `y / scale`.
    Asymmetric,
}

/// The element that counts as the nearest to a position, with the names of ONNX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rounding {
    /// The nearest element; midway between two elements, the previous element.
    #[default]
    HalfDown,
    /// The nearest element; midway between two elements, the next element.
    HalfUp,
    /// The element at the position, or else the previous element.
    Down,
    /// The element at the position, or else the next element.
    Up,
}

/// The sizes and options of a resize, as the caller sets them.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) x: Vec<usize>,
    pub(super) y: Vec<usize>,
    pub(super) coordinates: Coordinates,
    pub(super) scales: Option<Vec<f64>>,
    pub(super) regions: Option<Vec<[f64; 2]>>,
    pub(super) antialias: bool,
    /// The number of elements with weights on each side of a position: 2 for cubic functions, else 1.
    pub(super) reach: usize,
}

/// An axis of y. Lists of axes begin with the last axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) size: usize,
    pub(super) in_x: usize,
    /// The index of this axis in the list of scaled axes; `None` if the axis keeps its size and positions.
    pub(super) slot: Option<usize>,
}

/// An axis whose size or positions change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scaled {
    pub(super) size: usize,
    pub(super) in_x: usize,
    pub(super) step: f64,
    pub(super) offset: f64,
    pub(super) shrink: f64,
    pub(super) reach: usize,
}

impl Scaled {
    /// The entry for an axis that does not exist.
    pub(super) const MISSING: Self = Self { size: 1, in_x: 0, step: 0.0, offset: 0.0, shrink: 1.0, reach: 1 };
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Geometry {
    pub(super) axes: Vec<Axis>,
    pub(super) scaled: Vec<Scaled>,
}

impl Given {
    pub(super) fn checked(&self, operator: Operator) -> Result<Geometry, OperationError> {
        let (x, y) = (&self.x, &self.y);
        if x.len() != y.len() || x.iter().zip(y).any(|(x, y)| *x == 0 && *y > 0) {
            let expected = format!("pass one size for each axis of x, of shape {x:?}, and 0 for axes without elements");
            return Err(operator.choice("a result of shape", expected, format!("{y:?}")));
        }
        if let Some(scales) = &self.scales
            && (scales.len() != x.len() || !scales.iter().all(|scale| *scale > 0.0 && scale.is_finite()))
        {
            let expected = format!("pass one positive, finite number for each axis of x, of shape {x:?}");
            return Err(operator.choice("a list of scales of", expected, format!("{scales:?}")));
        }
        if let Some(regions) = &self.regions
            && (regions.len() != x.len() || !regions.as_flattened().iter().all(|place| place.is_finite()))
        {
            let expected = format!("pass a finite start and end for each axis of x, of shape {x:?}");
            return Err(operator.choice("a list of regions of", expected, format!("{regions:?}")));
        }
        let (mut axes, mut scaled): (Vec<Axis>, Vec<Scaled>) = (Vec::new(), Vec::new());
        let mut in_x = 1;
        for at in (0..x.len()).rev() {
            let is_kept = x[at] == y[at]
                && self.scales.as_ref().is_none_or(|scales| scales[at] == 1.0)
                && self.regions.as_ref().is_none_or(|regions| regions[at] == [0.0, 1.0]);
            let size = y[at];
            match axes.last_mut() {
                _ if !is_kept => {
                    axes.push(Axis { size, in_x, slot: Some(scaled.len()) });
                    scaled.push(self.scaled(at, in_x));
                }
                // Neighbouring axes that keep their sizes are joined to one axis.
                Some(Axis { size: joined, slot: None, .. }) => *joined *= size,
                _ => axes.push(Axis { size, in_x, slot: None }),
            }
            in_x *= x[at];
        }
        if scaled.len() > MAX_SCALED || scaled.iter().any(|axis| axis.size > MAX_SIZE) || !self.fits() {
            let expected = format!(
                "at most {MAX_SCALED} axes of x, of shape {x:?}, can change, each to at most {MAX_SIZE}; split the call"
            );
            return Err(operator.choice("a result of shape", expected, format!("{y:?}")));
        }
        Ok(Geometry { axes, scaled })
    }

    fn fits(&self) -> bool {
        self.x.iter().zip(&self.y).all(|(x, y)| x == y || *y <= MAX_SIZE)
    }

    /// Returns the positions along axis `at`, whose elements are `in_x` elements apart in x.
    fn scaled(&self, at: usize, in_x: usize) -> Scaled {
        let (input, output) = (self.x[at] as f64, self.y[at] as f64);
        let scale = self.scales.as_ref().map_or(output / input, |scales| scales[at]);
        let wide = scale * input;
        let half_pixel = (1.0 / scale, 0.5 / scale - 0.5);
        let (step, offset) = match (&self.regions, self.coordinates) {
            (Some(regions), _) => {
                let [start, end] = regions[at];
                let last = input - 1.0;
                if wide == 1.0 {
                    (0.0, (start + end) * last / 2.0)
                } else {
                    ((end - start) * last / (wide - 1.0), start * last)
                }
            }
            (None, Coordinates::PytorchHalfPixel) if wide == 1.0 => (0.0, -0.5),
            (None, Coordinates::HalfPixel | Coordinates::PytorchHalfPixel) => half_pixel,
            (None, Coordinates::HalfPixelSymmetric) => {
                (half_pixel.0, half_pixel.1 + input / 2.0 * (1.0 - output / wide))
            }
            (None, Coordinates::AlignCorners) if wide == 1.0 => (0.0, 0.0),
            (None, Coordinates::AlignCorners) => ((input - 1.0) / (wide - 1.0), 0.0),
            (None, Coordinates::Asymmetric) => (1.0 / scale, 0.0),
        };
        let shrink = if self.antialias { scale.min(1.0) } else { 1.0 };
        let reach = (self.reach as f64 / shrink).ceil().min(MAX_SIZE as f64) as usize;
        Scaled { size: self.x[at], in_x, step, offset, shrink, reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_that_keep_their_sizes_are_joined() {
        let given = |x: &[usize], y: &[usize]| Given {
            x: x.to_vec(),
            y: y.to_vec(),
            coordinates: Coordinates::Asymmetric,
            scales: None,
            regions: None,
            antialias: false,
            reach: 1,
        };
        let geometry = given(&[2, 3, 4, 5], &[2, 3, 8, 5]).checked(Operator("resize")).unwrap();
        let kept = |size, in_x| Axis { size, in_x, slot: None };
        assert_eq!(geometry.axes, [kept(5, 1), Axis { size: 8, in_x: 5, slot: Some(0) }, kept(6, 20)]);
        let scaled = Scaled { size: 4, in_x: 5, step: 0.5, offset: 0.0, shrink: 1.0, reach: 1 };
        assert_eq!(geometry.scaled, [scaled]);
        assert!(given(&[2, 2, 2, 2], &[3, 3, 3, 3]).checked(Operator("resize")).is_err());
    }
}
