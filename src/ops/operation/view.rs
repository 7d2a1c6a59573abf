//! Views: the elements of an array that a shape with strides selects. This module is pure.

use super::call::MAX_ELEMENTS;

/// The reason why an array of `length` elements does not permit this shape and these strides, in elements.
pub(crate) fn fault(shape: &[usize], strides: &[usize], length: usize, written: bool) -> Option<String> {
    if shape.len() != strides.len() {
        return Some(format!("has {} sizes and {} strides; use one stride for each size", shape.len(), strides.len()));
    }
    let last = last(shape, strides)?;
    if last >= length as u128 {
        return Some(format!("includes element {last}, but the array has {length} elements, counted from 0"));
    }
    if last >= u128::from(MAX_ELEMENTS) {
        return Some(format!("includes element {last}, but kernels can access only elements below {MAX_ELEMENTS}"));
    }
    (written && meets(shape, strides, last)).then(|| {
        "has two indices for one element; the indices of an output must refer to different elements".to_owned()
    })
}

/// The index of the last element of a view, at most the largest `u128`; `None` for an empty view.
fn last(shape: &[usize], strides: &[usize]) -> Option<u128> {
    shape.iter().zip(strides).try_fold(0u128, |last, (size, stride)| {
        Some(last.saturating_add(size.checked_sub(1)? as u128 * *stride as u128))
    })
}

/// Whether two indices of a view refer to one element. `last` is the index of the view's last element.
fn meets(shape: &[usize], strides: &[usize], last: u128) -> bool {
    let mut axes: Vec<(usize, usize)> = strides.iter().copied().zip(shape.iter().copied()).collect();
    axes.retain(|(_, size)| *size > 1);
    axes.sort_unstable();
    // In most views, the stride of each axis is larger than the extent of all axes with shorter strides together.
    let mut reached = 0;
    let nested = axes.iter().all(|(stride, size)| {
        let steps_over = *stride as u128 > reached;
        reached += (size - 1) as u128 * *stride as u128;
        steps_over
    });
    if nested {
        return false;
    }
    match axes.as_slice() {
        [(0, _), ..] => true,
        [(first, n), (second, m)] => {
            // From any element, the nearest one that both axes have in common is `second / common` steps along the
            // first axis, and `first / common` along the second.
            let common = common_divisor(*first, *second);
            second / common < *n && first / common < *m
        }
        _ => meets_somewhere(&axes, last),
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Tests all indices of a view: three or more interleaved axes are rare, and there is no short formula.
fn meets_somewhere(axes: &[(usize, usize)], last: u128) -> bool {
    let places = axes.iter().fold(1u128, |all, (_, size)| all.saturating_mul(*size as u128));
    if places > last + 1 {
        return true;
    }
    let mut seen = vec![0u64; (last / 64 + 1) as usize];
    let mut at = vec![0; axes.len()];
    let mut element = 0;
    loop {
        let bit = 1 << (element % 64);
        if seen[element / 64] & bit != 0 {
            return true;
        }
        seen[element / 64] |= bit;
        let Some(axis) = at.iter().zip(axes).position(|(at, (_, size))| at + 1 < *size) else { return false };
        for (at, (stride, _)) in at.iter_mut().zip(axes).take(axis) {
            element -= *at * stride;
            *at = 0;
        }
        at[axis] += 1;
        element += axes[axis].0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::reference::coordinates;
    use super::*;

    #[test]
    fn faults_describe_the_problem() {
        let fault = |shape: &[usize], strides: &[usize], written| fault(shape, strides, 12, written);
        assert_eq!(fault(&[3, 4], &[4, 1], true), None);
        assert_eq!(fault(&[4, 3], &[1, 4], true), None);
        assert_eq!(fault(&[10, 3], &[1, 1], false), None);
        assert_eq!(fault(&[5, 2], &[0, 11], false), None);
        assert_eq!(fault(&[0, 99], &[99, 99], true), None);
        assert_eq!(fault(&[], &[], true), None);
        assert!(fault(&[3, 4], &[4], false).unwrap().contains("2 sizes and 1 strides"));
        assert!(fault(&[3, 4], &[5, 1], false).unwrap().contains("element 13, but the array has 12"));
        assert!(fault(&[2], &[usize::MAX], false).unwrap().contains("element 18446744073709551615"));
        assert!(fault(&[usize::MAX; 3], &[usize::MAX; 3], false).is_some());
        assert!(fault(&[10, 3], &[1, 1], true).unwrap().contains("two indices"));
        assert!(fault(&[5, 2], &[0, 11], true).unwrap().contains("two indices"));
    }

    #[test]
    fn interleaved_axes_need_not_overlap() {
        assert_eq!(fault(&[3, 2], &[2, 3], 12, true), None);
        assert!(fault(&[4, 3], &[2, 3], 13, true).is_some());
    }

    proptest! {
        #[test]
        fn indices_meet_where_counting_says_so(
            axes in prop::collection::vec((1usize..5, 0usize..12), 0..4),
        ) {
            let (shape, strides): (Vec<usize>, Vec<usize>) = axes.into_iter().unzip();
            let of = |at: &Vec<usize>| at.iter().zip(&strides).map(|(at, stride)| at * stride).sum::<usize>();
            let all = coordinates(&shape);
            let places: BTreeSet<usize> = all.iter().map(of).collect();
            let last = places.last().copied().unwrap_or(0);
            prop_assert_eq!(fault(&shape, &strides, last + 1, false), None);
            prop_assert!(fault(&shape, &strides, last, false).is_some());
            prop_assert_eq!(fault(&shape, &strides, last + 1, true).is_some(), places.len() < all.len());
        }
    }
}
