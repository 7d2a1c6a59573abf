//! The reference implementation in plain Rust.

use std::cmp::Ordering;

/// Returns the indices of the first `k` elements of a row in order; NaN counts as the largest unless `nan_last`.
pub(crate) fn top_k<K: PartialOrd>(row: &[K], k: usize, largest: bool, nan_last: bool) -> Vec<u32> {
    let compared = |a: u32, b: u32| row[a as usize].partial_cmp(&row[b as usize]);
    let is_nan = |at: u32| compared(at, at).is_none();
    let mut order: Vec<u32> = (0..row.len() as u32).collect();
    order.sort_by(|a, b| match compared(*a, *b) {
        Some(order) if largest => order.reverse(),
        Some(order) => order,
        None if is_nan(*a) && is_nan(*b) => Ordering::Equal,
        None if largest && !nan_last => is_nan(*b).cmp(&is_nan(*a)),
        None => is_nan(*a).cmp(&is_nan(*b)),
    });
    order.truncate(k);
    order
}
