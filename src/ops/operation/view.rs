//! Views: which elements of an array a shape with strides means. Pure.

use super::call::MOST_ELEMENTS;

/// Why an array of `length` elements cannot be seen with this shape and these strides, in elements.
pub(crate) fn fault(shape: &[usize], strides: &[usize], length: usize, written: bool) -> Option<String> {
    if shape.len() != strides.len() {
        return Some(format!(
            "has {} sizes and {} strides: there is a stride for each size",
            shape.len(),
            strides.len()
        ));
    }
    let last = last(shape, strides)?;
    if last >= length as u128 {
        return Some(format!("reaches to element {last}; it has {length}, from 0 on"));
    }
    if last >= u128::from(MOST_ELEMENTS) {
        return Some(format!("reaches to element {last}; kernels count to {MOST_ELEMENTS}"));
    }
    (written && meets(shape, strides, last)).then(|| {
        "has two indices for one element: what is written takes strides that keep all indices apart".to_owned()
    })
}

/// The last element of a view that has any.
fn last(shape: &[usize], strides: &[usize]) -> Option<u128> {
    let ends = shape.iter().zip(strides).map(|(size, stride)| Some((size.checked_sub(1)? as u128) * *stride as u128));
    ends.sum::<Option<u128>>()
}

/// Whether two indices are one element. `last` is the last one.
fn meets(shape: &[usize], strides: &[usize], last: u128) -> bool {
    let mut axes: Vec<(usize, usize)> = strides.iter().copied().zip(shape.iter().copied()).collect();
    axes.retain(|(_, size)| *size > 1);
    axes.sort_unstable();
    // Each axis steps over all that those of shorter strides reach: by far the most views.
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
            // The shortest way to one element by either axis.
            let common = common_divisor(*first, *second);
            second / common < *n && first / common < *m
        }
        _ => meets_somewhere(&axes, last),
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// By looking at all elements: three axes and more that interleave are rare, and no formula is short.
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
    fn faults_say_what_is_wrong() {
        let fault = |shape: &[usize], strides: &[usize], written| fault(shape, strides, 12, written);
        assert_eq!(fault(&[3, 4], &[4, 1], true), None);
        assert_eq!(fault(&[4, 3], &[1, 4], true), None);
        assert_eq!(fault(&[10, 3], &[1, 1], false), None);
        assert_eq!(fault(&[5, 2], &[0, 11], false), None);
        assert_eq!(fault(&[0, 99], &[99, 99], true), None);
        assert_eq!(fault(&[], &[], true), None);
        assert!(fault(&[3, 4], &[4], false).unwrap().contains("2 sizes and 1 strides"));
        assert!(fault(&[3, 4], &[5, 1], false).unwrap().contains("element 13; it has 12"));
        assert!(fault(&[2], &[usize::MAX], false).unwrap().contains("element 18446744073709551615"));
        assert!(fault(&[usize::MAX; 3], &[usize::MAX; 3], false).is_some());
        assert!(fault(&[10, 3], &[1, 1], true).unwrap().contains("two indices"));
        assert!(fault(&[5, 2], &[0, 11], true).unwrap().contains("two indices"));
    }

    #[test]
    fn axes_that_interleave_need_not_meet() {
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
