//! The common parts of operators that read windows of positions: convolutions, pooling, columns of patches.
//!
//! | module | contents |
//! |---|---|
//! | `options` | strides, padding and dilation of the caller, and their checks |
//! | `window` | the windows along one axis |

pub(crate) mod options;
pub(crate) mod window;

/// The greatest number of axes of positions of an array: depth, height and width.
pub(crate) const MAX_AXES: usize = 3;

/// Returns one number each for depth, height and width, as kernels receive them. If `given` has fewer numbers, the
/// first axes get the number `missing`.
pub(crate) fn in_three<N: Copy>(given: impl IntoIterator<Item = N, IntoIter: ExactSizeIterator>, missing: N) -> [N; 3] {
    let given = given.into_iter();
    let mut three = [missing; MAX_AXES];
    let skip = MAX_AXES.saturating_sub(given.len());
    three[skip..].iter_mut().zip(given).for_each(|(to, number)| *to = number);
    three
}

/// Returns numbers of depth, height and width as the vector that kernels receive.
pub(crate) fn vector(three: [usize; 3]) -> [u32; 4] {
    let [depth, height, width] = three.map(|number| number as u32);
    [depth, height, width, 1]
}

/// Returns the distances in elements between neighbours along depth, height, width and channels in an array of
/// examples, channels and positions, and the distance between neighbouring examples.
pub(crate) fn distances(channels: usize, positions: [usize; 3], channels_last: bool) -> ([u32; 4], u32) {
    let [depth, height, width] = positions;
    let count = depth * height * width;
    // Operators limit the number of elements to 31 bits.
    let step = if channels_last { channels } else { 1 };
    let own = if channels_last { 1 } else { count };
    let distances = [height * width * step, width * step, step, own];
    (distances.map(|distance| distance as u32), (channels * count) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_that_are_missing_come_first() {
        assert_eq!(in_three([4, 5], 1), [1, 4, 5]);
        assert_eq!(distances(7, [2, 3, 5], false), ([15, 5, 1, 30], 210));
        assert_eq!(distances(7, [2, 3, 5], true), ([105, 35, 7, 1], 210));
    }
}
