//! Shapes: NumPy's broadcasting, and joining of dimensions. This module is pure.

use smallvec::{SmallVec, smallvec};

/// The size of each axis of a shape; in a row-major array, elements along the last axis are adjacent.
pub(crate) type Sizes = Vec<usize>;

/// The stride of each axis in an array, in elements; up to four are stored inline, as every launch has strides.
pub(crate) type Strides = SmallVec<[usize; 4]>;

/// An array with a shape, row-major unless it has [`strides`](Self::strides); created by [`shaped`].
#[derive(Clone, Debug)]
pub struct Shaped<B> {
    pub(crate) buffer: B,
    pub(crate) shape: Sizes,
    pub(crate) strides: Option<Sizes>,
}

impl<B> Shaped<B> {
    /// Sets the stride of each axis in elements, in place of row-major strides. The first element of the view is the
    /// first one of the buffer or slice. Swapped strides transpose a matrix, small ones make overlapping windows, a
    /// stride of 0 repeats elements; the array may be longer than the view needs.
    ///
    /// For an output, all indices must refer to different elements. The output of a reduction and raw arrays cannot
    /// have strides.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::{ElementwiseKernel, shaped};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let copy = ElementwiseKernel::new("x: f32", "y: f32", "y = x")?;
    /// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?; // 2 rows of 3
    ///
    /// let transposed = copy.apply::<f32>(&device, shaped(&x, [3, 2]).strides([1, 3]))?;
    /// assert_eq!(*transposed.read()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// let windows = copy.apply::<f32>(&device, shaped(&x, [3, 2]).strides([1, 1]))?;
    /// assert_eq!(*windows.read()?, [1.0, 2.0, 2.0, 3.0, 3.0, 4.0]);
    ///
    /// let mut y = device.buffer_from(&[0.0f32; 6])?;
    /// copy.run(&device, x.slice(..3), shaped(&mut y, [3]).strides([2]))?; // every other element
    /// assert_eq!(*y.read()?, [1.0, 0.0, 2.0, 0.0, 3.0, 0.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// The call reports a view that exceeds its array, or that writes one element twice:
    /// [`OperationError::View`](super::super::OperationError::View).
    #[must_use]
    pub fn strides(mut self, strides: impl Into<Vec<usize>>) -> Self {
        self.strides = Some(strides.into());
        self
    }
}

/// Gives an argument of an [`ElementwiseKernel`](super::super::ElementwiseKernel) or a
/// [`ReductionKernel`](super::super::ReductionKernel) a shape, in elements, row-major: elements along the last axis are
/// adjacent. Axes of size 1 are broadcast as in NumPy.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{ElementwiseKernel, shaped};
///
/// let device = anywarp::Device::open("cpu")?;
/// let column = device.buffer_from(&[10.0f32, 20.0])?;
/// let row = device.buffer_from(&[1.0f32, 2.0, 3.0])?;
/// let add = ElementwiseKernel::new("x: f32, y: f32", "z: f32", "z = x + y")?;
/// let sums = add.apply::<f32>(&device, (shaped(&column, [2, 1]), &row))?;
/// assert_eq!(*sums.read()?, [11.0, 12.0, 13.0, 21.0, 22.0, 23.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub fn shaped<B>(buffer: B, shape: impl Into<Vec<usize>>) -> Shaped<B> {
    Shaped { buffer, shape: shape.into(), strides: None }
}

/// Broadcasts `shape` to include `other`; `false` if that is impossible.
pub(crate) fn broadcast(shape: &mut Sizes, other: &[usize]) -> bool {
    let rank = shape.len().max(other.len());
    let at = |sizes: &[usize], axis: usize| {
        (axis + sizes.len()).checked_sub(rank).map_or(1, |axis| sizes.get(axis).copied().unwrap_or(1))
    };
    let joined: Option<Sizes> = (0..rank)
        .map(|axis| match (at(shape, axis), at(other, axis)) {
            (a, b) if a == b => Some(a),
            (1, b) => Some(b),
            (a, 1) => Some(a),
            _ => None,
        })
        .collect();
    joined.map(|joined| *shape = joined).is_some()
}

/// The number of elements of a shape; `None` if it exceeds `usize`.
pub(crate) fn elements(shape: &[usize]) -> Option<usize> {
    // A size of 0 makes the number 0, whatever the other sizes are.
    if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1usize, |all, size| all.checked_mul(*size)) }
}

/// The stride of each axis of `shape` in an array with the shape `own` and these strides: 0 for a broadcast axis.
pub(crate) fn stretched(own: &[usize], own_strides: &[usize], shape: &[usize]) -> Strides {
    let mut strides: Strides = smallvec![0; shape.len()];
    for ((place, size), stride) in strides.iter_mut().rev().zip(own.iter().rev()).zip(own_strides.iter().rev()) {
        *place = if *size == 1 { 0 } else { *stride };
    }
    strides
}

/// [`stretched`] for a row-major array.
pub(crate) fn strides(own: &[usize], shape: &[usize]) -> Strides {
    let mut strides: Strides = smallvec![0; shape.len()];
    let mut stride = 1usize;
    for (axis, size) in own.iter().rev().enumerate() {
        if let Some(place) = strides.iter_mut().rev().nth(axis).filter(|_| *size != 1) {
            *place = stride;
        }
        stride = stride.saturating_mul(*size);
    }
    strides
}

/// The dimensions over which a kernel iterates, with the stride of each dimension in each array, in elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walk {
    pub(crate) sizes: Sizes,
    pub(crate) strides: Vec<Strides>,
}

impl Walk {
    /// The dimensions of the `axes` of `shape` for arrays with these strides. Dimensions of size 1 are omitted, and
    /// neighbouring dimensions are joined if one stride in each array serves for both. The order of the elements is
    /// preserved.
    pub(crate) fn over(axes: &[usize], shape: &[usize], strides: &[Strides]) -> Self {
        let mut walk = Self { sizes: Vec::new(), strides: vec![Strides::new(); strides.len()] };
        for &axis in axes {
            let size = shape[axis];
            if size == 1 {
                continue;
            }
            let joins = walk.sizes.last().is_some()
                && walk
                    .strides
                    .iter()
                    .zip(strides)
                    .all(|(walked, own)| walked.last().is_some_and(|last| *last == own[axis].saturating_mul(size)));
            if let (true, Some(last)) = (joins, walk.sizes.last_mut()) {
                *last = last.saturating_mul(size);
                for (walked, own) in walk.strides.iter_mut().zip(strides) {
                    if let Some(last) = walked.last_mut() {
                        *last = own[axis];
                    }
                }
                continue;
            }
            walk.sizes.push(size);
            for (walked, own) in walk.strides.iter_mut().zip(strides) {
                walked.push(own[axis]);
            }
        }
        walk
    }

    pub(crate) fn rank(&self) -> usize {
        self.sizes.len()
    }
}

/// The number of different elements of one array that all `walks` access together.
pub(crate) fn touched(walks: &[Walk], array: usize) -> u64 {
    let (mut places, mut last) = (1u64, 0u64);
    for walk in walks {
        for (size, stride) in walk.sizes.iter().zip(&walk.strides[array]) {
            let (size, stride) = (*size as u64, *stride as u64);
            places = places.saturating_mul(if stride == 0 { size.min(1) } else { size });
            last = last.saturating_add(size.saturating_sub(1).saturating_mul(stride));
        }
    }
    // Where strides make windows overlap, several indices refer to one element; there are at most `last + 1` elements.
    places.min(last.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_broadcast_as_in_numpy() {
        for (a, b, wanted) in [
            (&[3usize][..], &[3usize][..], Some(&[3usize][..])),
            (&[], &[3], Some(&[3])),
            (&[1], &[3], Some(&[3])),
            (&[3], &[1], Some(&[3])),
            (&[2, 1], &[3], Some(&[2, 3])),
            (&[3], &[2, 1], Some(&[2, 3])),
            (&[5, 1, 4], &[3, 1], Some(&[5, 3, 4])),
            (&[1], &[0], Some(&[0])),
            (&[2], &[0], None),
            (&[2, 3], &[2], None),
            (&[2, 3], &[4, 3], None),
        ] {
            let mut shape = a.to_vec();
            let fits = broadcast(&mut shape, b);
            assert_eq!(fits.then_some(&shape[..]), wanted, "{a:?} and {b:?}");
        }
    }

    #[test]
    fn strides_are_row_major_and_zero_on_broadcast_axes() {
        assert_eq!(strides(&[2, 3], &[2, 3])[..], [3, 1]);
        assert_eq!(strides(&[3], &[2, 3])[..], [0, 1]);
        assert_eq!(strides(&[2, 1], &[2, 3])[..], [1, 0]);
        assert_eq!(strides(&[1], &[4, 2])[..], [0, 0]);
        assert_eq!(strides(&[], &[4])[..], [0]);
    }

    #[test]
    fn strides_of_views_are_zero_on_broadcast_axes() {
        assert_eq!(stretched(&[3, 2], &[1, 3], &[3, 2])[..], [1, 3]);
        assert_eq!(stretched(&[1, 2], &[7, 3], &[4, 5, 2])[..], [0, 0, 3]);
        assert_eq!(stretched(&[], &[], &[4])[..], [0]);
    }

    #[test]
    fn dimensions_that_are_walked_as_one_are_joined() {
        let walk = |axes: &[usize], shape: &[usize], own: &[&[usize]]| {
            let all: Vec<_> = own.iter().map(|own| strides(own, shape)).collect();
            let walk = Walk::over(axes, shape, &all);
            (walk.sizes, walk.strides.iter().map(|strides| strides.to_vec()).collect::<Vec<_>>())
        };
        assert_eq!(walk(&[0, 1, 2], &[2, 3, 4], &[&[2, 3, 4]]), (vec![24], vec![vec![1]]));
        assert_eq!(walk(&[0, 1], &[2, 3], &[&[2, 3], &[1]]), (vec![6], vec![vec![1], vec![0]]));
        assert_eq!(walk(&[0, 1], &[2, 3], &[&[2, 3], &[3]]), (vec![2, 3], vec![vec![3, 1], vec![0, 1]]));
        assert_eq!(walk(&[0, 2], &[2, 3, 4], &[&[2, 3, 4]]), (vec![2, 4], vec![vec![12, 1]]));
        assert_eq!(walk(&[0, 1], &[1, 1], &[&[1]]), (vec![], vec![vec![]]));
    }

    #[test]
    fn each_element_is_counted_once() {
        let walk = |sizes: &[usize], strides: &[usize]| {
            [Walk { sizes: sizes.to_vec(), strides: vec![Strides::from_slice(strides)] }]
        };
        assert_eq!(touched(&walk(&[], &[]), 0), 1);
        assert_eq!(touched(&walk(&[5, 3], &[3, 1]), 0), 15);
        assert_eq!(touched(&walk(&[5, 3], &[0, 1]), 0), 3);
        assert_eq!(touched(&walk(&[5, 3], &[1, 1]), 0), 7);
        assert_eq!(touched(&walk(&[5, 0], &[1, 1]), 0), 0);
    }

    #[test]
    fn elements_are_counted_without_overflow() {
        assert_eq!(elements(&[]), Some(1));
        assert_eq!(elements(&[usize::MAX, 2]), None);
        assert_eq!(elements(&[usize::MAX, 2, 0]), Some(0));
    }
}
